/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakdown_world.h - the breakdown of a made trace, and what holds for that of every trace.
 */
#ifndef TESTS_UNIT_BREAKDOWN_WORLD_H
#define TESTS_UNIT_BREAKDOWN_WORLD_H

#include "report/analyse/breakdown.h"
#include "report/analyse/streams.h"
#include "tests/unit/trust_world.h"

static inline void assert_split(const struct time_parts *s)
{
	int64_t sum = 0;
	for (int i = 0; i < TIME_PARTS; i++) {
		assert_true(s->ns[i] >= 0);
		sum += s->ns[i];
	}
	assert_int_equal(sum, s->end_ns - s->start_ns);
	assert_true(s->launch_gap_ns >= 0 && s->launch_gap_ns <= s->ns[TIME_LAUNCHING]);
}

/* Is a row the launch of what ends a gap? */
static inline bool ends_gap(const struct idle_causes *l, uint32_t row)
{
	for (size_t i = 0; i < l->n_gaps; i++)
		if (l->why[i].launch == row)
			return true;
	return false;
}

/* The kinds are the idle time again, and silence and rhythm what of it is the host's. */
static inline void assert_blame(const struct blame_sum *b, const struct time_parts *s)
{
	int64_t sum = 0, hosts = 0;
	for (int i = 0; i < BLAMES; i++) {
		assert_true(b->ns[i] >= 0);
		sum += b->ns[i];
		hosts += i <= BLAME_NOTHING ? b->ns[i] : 0;
	}
	assert_int_equal(sum, time_parts_idle_ns(s));
	assert_int_equal(b->silence_ns + b->rhythm_ns, hosts);
}

/* The causes are the kinds again. */
static inline void assert_causes(const struct blame *b)
{
	int64_t whole[BLAMES] = {0}, window[BLAMES] = {0};
	for (uint32_t i = 0; i < b->n_causes; i++) {
		const struct blame_cause *c = &b->causes[i];
		assert_true(c->n > 0 && c->longest_ns <= c->ns && c->window_ns <= c->ns);
		whole[c->kind] += c->ns;
		window[c->kind] += c->window_ns;
	}
	for (int i = 0; i < BLAMES; i++) {
		assert_int_equal(whole[i], b->whole.ns[i]);
		assert_int_equal(window[i], b->window.ns[i]);
	}
}

/* The reasons are the busy time again, of the sums and of the groups, and no rest is more than its
 * whole. */
static inline void assert_purposes(const struct breakdown *p, size_t n_device)
{
	int64_t whole = 0, window = 0, groups = 0, window_groups = 0;
	size_t n = 0;
	for (int i = 0; i < DEVICE_WHYS; i++) {
		assert_true(p->purposes.whole.ns[i] >= 0 && p->purposes.window.ns[i] >= 0);
		whole += p->purposes.whole.ns[i];
		window += p->purposes.window.ns[i];
	}
	for (uint32_t i = 0; i < p->purposes.n; i++) {
		const struct purpose *x = &p->purposes.group[i];
		assert_true(x->rest_ns >= 0 && x->rest_ns <= x->ns && x->ns <= x->device_ns);
		assert_true(x->window_rest_ns >= 0 && x->window_rest_ns <= x->window_ns);
		groups += x->ns;
		window_groups += x->window_ns;
		n += x->n;
	}
	assert_int_equal(n, n_device);
	assert_int_equal(whole, split_length(&p->whole) - time_parts_idle_ns(&p->whole));
	assert_int_equal(window,
		split_length(breakdown_window(p)) - time_parts_idle_ns(breakdown_window(p)));
	assert_int_equal(groups, whole);
	assert_int_equal(window_groups, window);
}

/* What holds for every trace: sums, and agreement with the streams and the causes of idle time. */
static inline void assert_breakdown(
	const struct breakdown *p, const struct analysis *a, const struct idle_causes *l)
{
	struct arena arena = {0};
	struct streams s = streams_of(&arena, a);
	const int64_t *ns = p->whole.ns;
	int64_t idle = 0, end = INT64_MIN;
	arena_release(&arena);
	assert_split(&p->whole);
	assert_int_equal(time_parts_computing_ns(&p->whole), s.compute_ns);
	assert_int_equal(ns[TIME_COMMUNICATION], s.exposed_communication_ns);
	assert_int_equal(ns[TIME_COPIES], s.exposed_copy_ns);
	assert_int_equal(time_parts_idle_ns(&p->whole), s.idle_ns);
	assert_int_equal(s.idle_ns, a->window.idle_ns);
	for (size_t i = 0; i < p->n_idle; i++) {
		assert_true(p->idle[i].start_ns >= end);
		assert_true(p->idle[i].part != TIME_LAUNCHING || ends_gap(l, p->idle[i].row));
		end = p->idle[i].end_ns;
		idle += end - p->idle[i].start_ns;
	}
	assert_int_equal(idle, s.idle_ns);
	assert_blame(&p->blame.whole, &p->whole);
	assert_blame(&p->blame.window, breakdown_window(p));
	assert_causes(&p->blame);
	assert_purposes(p, a->n_device);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		assert_split(&p->steps[i].split);
		if (i)
			assert_int_equal(p->steps[i].split.start_ns, p->steps[i - 1].split.end_ns);
	}
}

static inline struct breakdown breakdown_of_world(struct world *w)
{
	world_seal(w);
	struct idle_causes l = idle_causes_of(&w->arena, &w->a);
	struct breakdown p = breakdown_of(&w->arena, &w->a, &l);
	if (p.lack != LACK_DEVICE)
		assert_breakdown(&p, &w->a, &l);
	return p;
}

/* Microseconds of the whole. */
static inline double us(const struct breakdown *p, enum time_part part)
{
	return (double)p->whole.ns[part] / 1000;
}

#endif
