/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition_world.h - the partition of a made trace, and what holds for that of every trace.
 */
#ifndef TESTS_UNIT_PARTITION_WORLD_H
#define TESTS_UNIT_PARTITION_WORLD_H

#include "report/analyse/partition.h"
#include "report/analyse/streams.h"
#include "tests/unit/trust_world.h"

static inline void assert_split(const struct split *s)
{
	int64_t sum = 0;
	for (int i = 0; i < SPENT_PARTS; i++) {
		assert_true(s->ns[i] >= 0);
		sum += s->ns[i];
	}
	assert_int_equal(sum, s->end_ns - s->start_ns);
	assert_true(s->handover_ns >= 0 && s->handover_ns <= s->ns[SPENT_LAUNCHING]);
}

/* Is a row the launch of what ends a gap? */
static inline bool ends_gap(const struct ledger *l, uint32_t row)
{
	for (size_t i = 0; i < l->n_gaps; i++)
		if (l->gaps[i].launch == row)
			return true;
	return false;
}

/* The kinds are the idle time again, and silence and rhythm what of it is the host's. */
static inline void assert_blame(const struct blame_sum *b, const struct split *s)
{
	int64_t sum = 0, hosts = 0;
	for (int i = 0; i < BLAMES; i++) {
		assert_true(b->ns[i] >= 0);
		sum += b->ns[i];
		hosts += i <= BLAME_NOTHING ? b->ns[i] : 0;
	}
	assert_int_equal(sum, split_idle_ns(s));
	assert_int_equal(b->silence_ns + b->rhythm_ns, hosts);
}

/* What holds for every trace: sums, and agreement with the streams and the ledger. */
static inline void assert_partition(
	const struct partition *p, const struct analysis *a, const struct ledger *l)
{
	struct arena arena = {0};
	struct streams s = streams_of(&arena, a);
	const int64_t *ns = p->whole.ns;
	int64_t idle = 0, end = INT64_MIN;
	arena_release(&arena);
	assert_split(&p->whole);
	assert_int_equal(split_computing_ns(&p->whole), s.compute_ns);
	assert_int_equal(ns[SPENT_COMMUNICATION], s.exposed_communication_ns);
	assert_int_equal(ns[SPENT_COPIES], s.exposed_copy_ns);
	assert_int_equal(split_idle_ns(&p->whole), s.idle_ns);
	assert_int_equal(s.idle_ns, a->window.idle_ns);
	for (size_t i = 0; i < p->n_idle; i++) {
		assert_true(p->idle[i].start_ns >= end);
		assert_true(p->idle[i].part != SPENT_LAUNCHING || ends_gap(l, p->idle[i].row));
		end = p->idle[i].end_ns;
		idle += end - p->idle[i].start_ns;
	}
	assert_int_equal(idle, s.idle_ns);
	assert_blame(&p->blame.whole, &p->whole);
	assert_blame(&p->blame.window, partition_window(p));
	for (uint32_t i = 0; i < p->n_steps; i++) {
		assert_split(&p->steps[i].split);
		if (i)
			assert_int_equal(p->steps[i].split.start_ns, p->steps[i - 1].split.end_ns);
	}
}

static inline struct partition partition_of_world(struct world *w)
{
	world_seal(w);
	struct ledger l = ledger_of(&w->arena, &w->a);
	struct partition p = partition_of(&w->arena, &w->a, &l);
	if (p.lack != LACK_DEVICE)
		assert_partition(&p, &w->a, &l);
	return p;
}

/* Microseconds of the whole. */
static inline double us(const struct partition *p, enum spent part)
{
	return (double)p->whole.ns[part] / 1000;
}

#endif
