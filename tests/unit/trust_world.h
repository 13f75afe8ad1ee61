/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust_world.h - a trace written down in a test with its analysis, and what holds for the
 * idle_causes, the launches, the streams, the windows and the totals of every trace.
 *
 * The functions that check stop the test at the first thing that does not hold.
 */
#ifndef TESTS_UNIT_TRUST_WORLD_H
#define TESTS_UNIT_TRUST_WORLD_H

#include "report/analyse/idle_causes.h"
#include "tests/unit/made_trace.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct world {
	struct made_trace made;
	struct arena arena;
	struct analysis a;
};

static inline const struct analysis *world_seal(struct world *w)
{
	struct trace *t = &w->made.trace;
	made_seal(&w->made);
	for (size_t i = 0; i < t->n; i++)
		if (t->start_ns[i] + t->dur_ns[i] > t->end_ns)
			t->end_ns = t->start_ns[i] + t->dur_ns[i];
	w->a = analysis_of(&w->arena, t);
	return &w->a;
}

static inline void world_release(struct world *w)
{
	made_release(&w->made);
	arena_release(&w->arena);
}

/* The first line of a test: an empty world, which is released when the test is over. */
#define TEST_WORLD(w) WORLD_OF_TEST(w, world_release)

/* A call and the event that it launches, both by their correlation. */
static inline void world_launch(struct world *w, const char *kernel, uint32_t id, double call_us,
	double called_us, double start_us, double end_us)
{
	made_add(&w->made, EVENT_RUNTIME, "cudaLaunchKernel", call_us, called_us, id);
	made_add(&w->made, EVENT_KERNEL, kernel, start_us, end_us, id);
}

/* A copy and its call; the bytes are given to it by world_bytes() after sealing. */
static inline void world_copy(
	struct world *w, const char *copy, const char *call, uint32_t id, const double us[4])
{
	made_add(&w->made, EVENT_RUNTIME, call, us[0], us[1], id);
	made_add(&w->made, EVENT_MEMCPY, copy, us[2], us[3], id);
}

static inline void assert_near(double value, double wanted)
{
	assert_true(value > wanted - 1e-9 && value < wanted + 1e-9);
}

/* Every sum of idle_causes.h, to the nanosecond. */
static inline void assert_idle_causes(const struct idle_causes *l, const struct analysis *a)
{
	int64_t by_cause = 0, by_gap = 0, held = 0, by_device = 0;
	size_t n = 0;
	for (size_t i = 0; i < l->n_gaps; i++) {
		struct idle_gap g = idle_gap_at(l, i);
		assert_true(g.dur_ns > 0 && g.cause < IDLE_CAUSES && g.hold < IDLE_HOLDS);
		assert_true(g.host_ns >= 0 && g.host_ns <= g.dur_ns);
		assert_true((g.hold != HOLD_NOT) == (g.cause == IDLE_HELD));
		assert_true(i == 0 || g.start_ns >= idle_gap_at(l, i - 1).start_ns);
		by_gap += g.dur_ns;
	}
	for (int c = 0; c < IDLE_CAUSES; c++) {
		by_cause += l->sum[c].ns;
		n += l->sum[c].n;
	}
	for (int h = 0; h < IDLE_HOLDS; h++)
		held += l->held[h].ns;
	for (uint32_t d = 0; d < l->n_devices; d++)
		by_device += l->devices[d].busy_ns;
	assert_true(by_device >= l->busy_ns);
	assert_true(l->n_devices > 1 || by_device == l->busy_ns);
	assert_int_equal(by_gap, l->idle_ns);
	assert_int_equal(by_cause, l->idle_ns);
	assert_int_equal(held, l->sum[IDLE_HELD].ns);
	assert_int_equal(n, l->n_gaps);
	assert_int_equal(l->busy_ns + l->idle_ns, l->window_ns);
	if (a->n_device) {
		assert_int_equal(l->idle_ns, a->window.idle_ns);
		assert_int_equal(l->n_gaps, a->n_gaps);
	}
	for (uint32_t i = 1; i < l->n_longest; i++)
		assert_true(idle_gap_at(l, l->longest[i - 1]).dur_ns >=
			idle_gap_at(l, l->longest[i]).dur_ns);
}

/* The causes of idle time of the events written down, all of whose sums hold. */
static inline struct idle_causes idle_causes_of_world(struct world *w)
{
	world_seal(w);
	struct idle_causes l = idle_causes_of(&w->arena, &w->a);
	assert_idle_causes(&l, &w->a);
	return l;
}

#endif
