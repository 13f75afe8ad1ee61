/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include "base/err.h"
#include "report/read/order.h"
#include "report/trace/growing_arrays.h"

#include <stdlib.h>
#include <string.h>

struct pairs {
	uint64_t *pair; /* correlation and row, in this order */
	size_t n;
};

enum { NEITHER, CALL, CAUSED };

static unsigned role_of(const struct trace *t, const uint32_t *id, size_t i)
{
	const uint32_t call = 1u << EVENT_RUNTIME | 1u << EVENT_DRIVER;
	const uint32_t caused = 1u << EVENT_KERNEL | 1u << EVENT_MEMCPY | 1u << EVENT_MEMSET |
		1u << EVENT_DEVICE_SYNC;
	uint32_t kind = id[i] ? 1u << t->kind[i] : 0;
	return kind & call ? CALL : kind & caused ? CAUSED : NEITHER;
}

/* What tells which call caused what: the correlation. Where nothing of the device has one, calls
 * and what they caused share the external id, in which old and other writers kept it. */
static const uint32_t *ids_of(const struct trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (role_of(t, t->correlation, i) == CAUSED)
			return t->correlation;
	return t->external;
}

/* Calls, and behind them what was caused, each by its id. */
static void collect(
	const struct trace *t, uint64_t *pair, struct pairs *calls, struct pairs *caused)
{
	const uint32_t *id = ids_of(t);
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		n += role_of(t, id, i) == CALL;
	*calls = (struct pairs){pair, 0};
	*caused = (struct pairs){pair + n, 0};
	for (size_t i = 0; i < t->n; i++) {
		unsigned role = role_of(t, id, i);
		if (role == NEITHER)
			continue;
		struct pairs *to = role == CALL ? calls : caused;
		to->pair[to->n++] = pair_of(id[i], (uint32_t)i);
	}
	order_pairs(calls->pair, calls->n);
	order_pairs(caused->pair, caused->n);
}

static uint32_t key_of(uint64_t pair)
{
	return (uint32_t)(pair >> 32);
}

/* Of the calls with one correlation, the last at or before a row, or else the first. */
static uint32_t call_for(const uint64_t *call, size_t n, uint32_t row)
{
	size_t low = 0, high = n;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if ((uint32_t)call[middle] < row)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)call[low];
}

void join_launches(struct trace *t, uint64_t *scratch)
{
	struct pairs calls, caused;
	collect(t, scratch, &calls, &caused);
	memset(t->launch, 0xff, t->n * sizeof *t->launch);
	/* The calls from c to end have one correlation; many events may ask for them. */
	for (size_t c = 0, end = 0, d = 0; d < caused.n; d++) {
		uint32_t key = key_of(caused.pair[d]), row = (uint32_t)caused.pair[d];
		if (c == end || key_of(calls.pair[c]) != key) {
			c = end;
			while (c < calls.n && key_of(calls.pair[c]) < key)
				c++;
			end = c;
			while (end < calls.n && key_of(calls.pair[end]) == key)
				end++;
		}
		if (end == c)
			continue;
		uint32_t call = call_for(calls.pair + c, end - c, row);
		t->launch[row] = call;
		if (t->launch[call] == NO_ROW)
			t->launch[call] = row;
	}
}

static bool is_point(uint8_t kind)
{
	return kind == EVENT_INSTANT || kind == EVENT_COUNTER;
}

/* Host spans nest on their thread; points do not. */
static bool nests(const struct trace *t, size_t i)
{
	const struct track *track = &t->tracks[t->track[i]];
	return !track->device && !track->async && !is_point(t->kind[i]);
}

/* Beyond this many levels events share the last one: looking for a free row costs time per level.
 */
enum { MOST_SUB_ROWS = 4000 };

enum layer { LAYER_WORK, LAYER_ANNOTATION, LAYER_WAIT, LAYERS };

static enum layer layer_of(uint8_t kind)
{
	return kind == EVENT_GPU_ANNOTATION ? LAYER_ANNOTATION
		: kind == EVENT_DEVICE_SYNC ? LAYER_WAIT
					    : LAYER_WORK;
}

/* When each sub-row of a layer is free again: a span goes into the first that is. */
struct stack {
	int64_t *end_ns; /* (n) */
	uint32_t n, room;
};

/* free_row() behind the first that could be. */
static uint16_t free_row_behind(struct stack *s, uint32_t least, int64_t start_ns, int64_t end_ns)
{
	uint32_t i = least;
	while (i < s->n && s->end_ns[i] > start_ns)
		i++;
	if (i >= MOST_SUB_ROWS)
		return MOST_SUB_ROWS;
	if (i >= s->room) {
		s->room = 2 * i + 4;
		s->end_ns = xrealloc(s->end_ns, s->room, sizeof *s->end_ns);
	}
	for (; s->n <= i; s->n++)
		s->end_ns[s->n] = INT64_MIN;
	s->end_ns[i] = end_ns;
	return (uint16_t)i;
}

/* The first sub-row from `least` on that is free at a start; the last one takes all that is left.
 */
static inline uint16_t free_row(struct stack *s, uint32_t least, int64_t start_ns, int64_t end_ns)
{
	if (least >= s->n || s->end_ns[least] > start_ns || least >= MOST_SUB_ROWS)
		return free_row_behind(s, least, start_ns, end_ns);
	s->end_ns[least] = end_ns;
	return (uint16_t)least;
}

/* Spans of a thread that cross each other are stacked as those that nest nowhere (`alone`), of a
 * stream: a span stands below its parent, at the first level that is free. */
static void stack_rows(struct trace *t, const uint8_t *alone)
{
	size_t n = (size_t)t->n_tracks * LAYERS;
	struct stack *stack = xcalloc(n, sizeof *stack);
	for (size_t i = 0; i < t->n; i++) {
		if (is_point(t->kind[i]))
			continue;
		uint32_t p = t->parent[i], least = p == NO_ROW ? 0 : t->depth[p] + 1u;
		unsigned layer = alone[i] ? layer_of(t->kind[i]) : 0;
		t->depth[i] = free_row(&stack[t->track[i] * LAYERS + layer], least, t->start_ns[i],
			t->start_ns[i] + t->dur_ns[i]);
	}
	for (size_t i = 0; i < n; i++)
		free(stack[i].end_ns);
	free(stack);
}

void join_tracks(struct trace *t)
{
	uint8_t *skip = pages_grow(NULL, t->n, sizeof *skip);
	for (size_t i = 0; i < t->n; i++)
		skip[i] = !nests(t, i);
	struct nest_in in = {.n = t->n,
		.start_ns = t->start_ns,
		.dur_ns = t->dur_ns,
		.lane = t->track,
		.n_lanes = t->n_tracks,
		.skip = skip};
	nest(&in, t->parent, t->depth);
	stack_rows(t, skip);
	pages_free(skip);
}
