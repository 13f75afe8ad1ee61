/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - a set of moments, as stretches of time that follow each other and do not touch: what
 * several spans cover together, and how much of a stretch that is. Times are whole nanoseconds, so
 * that sums are exact. Adding takes constant time, asking the logarithm of how many there are.
 */
#ifndef BASE_SPANS_H
#define BASE_SPANS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct time_span {
	int64_t start_ns, end_ns;
};

struct spans {
	struct time_span *at; /* (n) by start */
	int64_t *before_ns; /* (n) what those before it sum to */
	size_t n, room;
};

/* An empty set with room for `most` spans; the arena owns it. */
struct spans spans_with_room(struct arena *arena, size_t most);

/* Adds [start_ns, end_ns) to what is there already; starts must come in order. One without length
 * adds nothing. */
void spans_add(struct spans *s, int64_t start_ns, int64_t end_ns);

int64_t spans_sum(const struct spans *s);

/* How much of [from_ns, to_ns) they cover; 0 when it is empty. */
int64_t spans_covered(const struct spans *s, int64_t from_ns, int64_t to_ns);

/* The same for many questions, most of them close to the one before: *near is 0 at first. */
int64_t spans_covered_sought(const struct spans *s, int64_t from_ns, int64_t to_ns, size_t *near);
size_t spans_behind_sought(const struct spans *s, int64_t from_ns, size_t *near);

/* The first that ends behind a moment, sought likewise; s->n. */
static inline size_t spans_behind_near(const struct spans *s, int64_t from_ns, size_t *near)
{
	size_t i = *near;
	bool here =
		(i == s->n || s->at[i].end_ns > from_ns) && (!i || s->at[i - 1].end_ns <= from_ns);
	return here ? i : spans_behind_sought(s, from_ns, near);
}

static inline int64_t spans_covered_near(
	const struct spans *s, int64_t from_ns, int64_t to_ns, size_t *near)
{
	size_t i = *near;
	bool here = i < s->n && s->at[i].end_ns > from_ns &&
		(!i || s->at[i - 1].end_ns <= from_ns) && to_ns <= s->at[i].end_ns;
	if (!here)
		return spans_covered_sought(s, from_ns, to_ns, near);
	int64_t start = s->at[i].start_ns > from_ns ? s->at[i].start_ns : from_ns;
	return to_ns > start ? to_ns - start : 0;
}

#endif
