/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spans.h"

#include "base/binary_search.h"
#include "base/min_max.h"

#include <assert.h>

struct spans spans_with_room(struct arena *arena, size_t most)
{
	return (struct spans){.at = arena_unset(arena, most, sizeof(struct time_span)),
		.before_ns = arena_unset(arena, most, sizeof(int64_t)),
		.room = most};
}

void spans_add(struct spans *s, int64_t start_ns, int64_t end_ns)
{
	struct time_span *last = s->n ? &s->at[s->n - 1] : NULL;
	if (end_ns <= start_ns)
		return;
	if (last && start_ns <= last->end_ns) {
		last->end_ns = max64(end_ns, last->end_ns);
		return;
	}
	assert(s->at && s->n < s->room);
	s->before_ns[s->n] = spans_sum(s);
	s->at[s->n++] = (struct time_span){start_ns, end_ns};
}

int64_t spans_sum(const struct spans *s)
{
	const struct time_span *last = s->n ? &s->at[s->n - 1] : NULL;
	return last ? s->before_ns[s->n - 1] + last->end_ns - last->start_ns : 0;
}

/* Of a span: what lies before a moment. */
static int64_t part_until(const struct time_span *x, int64_t time_ns)
{
	int64_t end = min64(x->end_ns, time_ns);
	return end > x->start_ns ? end - x->start_ns : 0;
}

static bool ends_behind(const struct spans *s, size_t i, int64_t time_ns)
{
	return s->at[i].end_ns > time_ns;
}

static bool covers_none(const struct spans *s, int64_t from_ns, int64_t to_ns)
{
	return to_ns <= from_ns || !s->n || to_ns <= s->at[0].start_ns ||
		s->at[s->n - 1].end_ns <= from_ns;
}

/* From the first that ends behind the beginning on. Most questions are about a short time, in which
 * few spans begin. */
static int64_t covered_from(const struct spans *s, size_t first, int64_t from_ns, int64_t to_ns)
{
	enum { FEW = 8 };
	size_t last = first;
	while (last < s->n && last - first < FEW && s->at[last].start_ns < to_ns)
		last++;
	if (last - first == FEW)
		last = first_where(i, last, s->n, s->at[i].start_ns >= to_ns);
	if (last == first)
		return 0;
	return s->before_ns[last - 1] + part_until(&s->at[last - 1], to_ns) - s->before_ns[first] -
		part_until(&s->at[first], from_ns);
}

int64_t spans_covered(const struct spans *s, int64_t from_ns, int64_t to_ns)
{
	if (covers_none(s, from_ns, to_ns))
		return 0;
	size_t first = first_where(i, 0, s->n, ends_behind(s, i, from_ns));
	return covered_from(s, first, from_ns, to_ns);
}

int64_t spans_covered_sought(const struct spans *s, int64_t from_ns, int64_t to_ns, size_t *near)
{
	if (covers_none(s, from_ns, to_ns))
		return 0;
	*near = first_near(i, 0, s->n, *near, ends_behind(s, i, from_ns));
	return covered_from(s, *near, from_ns, to_ns);
}

size_t spans_behind_sought(const struct spans *s, int64_t from_ns, size_t *near)
{
	*near = first_near(i, 0, s->n, *near, ends_behind(s, i, from_ns));
	return *near;
}
