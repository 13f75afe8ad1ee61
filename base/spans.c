/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spans.h"

#include "base/least.h"
#include "base/search.h"

#include <assert.h>

struct spans spans_with_room(struct arena *arena, size_t most)
{
	return (struct spans){.at = arena_array(arena, most, sizeof(struct time_span)),
		.before_ns = arena_array(arena, most, sizeof(int64_t)),
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
	assert(s->n < s->room);
	s->before_ns[s->n] = spans_sum(s);
	s->at[s->n++] = (struct time_span){start_ns, end_ns};
}

int64_t spans_sum(const struct spans *s)
{
	const struct time_span *last = s->n ? &s->at[s->n - 1] : NULL;
	return last ? s->before_ns[s->n - 1] + last->end_ns - last->start_ns : 0;
}

/* What they cover before a moment. */
static int64_t covered_until(const struct spans *s, int64_t time_ns)
{
	size_t behind = first_where(i, 0, s->n, s->at[i].start_ns >= time_ns);
	if (!behind)
		return 0;
	const struct time_span *x = &s->at[behind - 1];
	int64_t end = min64(x->end_ns, time_ns);
	return s->before_ns[behind - 1] + end - x->start_ns;
}

int64_t spans_covered(const struct spans *s, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? covered_until(s, to_ns) - covered_until(s, from_ns) : 0;
}
