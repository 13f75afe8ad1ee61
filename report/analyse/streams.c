/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/streams.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/account.h"
#include "report/analyse/analysis_stages.h"

#include <stdlib.h>
#include <string.h>

NAMES(copy_way_name, enum copy_way, COPY_LIST(KIND_NAME));

const char *copy_memory_name(enum copy_memory memory)
{
	static const char *const names[COPY_MEMORIES] = {
		[MEMORY_UNTOLD] = "",
		[MEMORY_PAGEABLE] = "pageable",
		[MEMORY_PINNED] = "pinned",
	};
	return names[memory];
}

/* ---- time ---- */

struct clipped {
	int64_t start_ns, end_ns;
};

static struct clipped clip_row(const struct analysis *a, uint32_t row)
{
	int64_t start = a->trace->start_ns[row], end = row_end(a->trace, row);
	return (struct clipped){max64(start, a->window.start_ns), min64(end, a->window.end_ns)};
}

/* A union that grows by events in the order of their starts. */
struct covered {
	int64_t sum_ns, done_ns;
};

static void cover(struct covered *u, struct clipped c)
{
	int64_t from = max64(c.start_ns, u->done_ns);
	if (c.end_ns <= from)
		return;
	u->sum_ns += c.end_ns - from;
	u->done_ns = c.end_ns;
}

static void compare_work(struct streams *s, const struct analysis *a)
{
	struct time_span window = {a->window.start_ns, a->window.end_ns};
	struct device_sums sums = account_device(a, window, NULL, NULL);
	s->window_ns = window.end_ns - window.start_ns;
	s->compute_ns = sums.ns[DEVICE_COMPUTING];
	s->communication_ns = sums.whole_ns[DEVICE_COMMUNICATION];
	s->copy_ns = sums.whole_ns[DEVICE_COPIES];
	s->exposed_communication_ns = sums.ns[DEVICE_COMMUNICATION];
	s->exposed_copy_ns = sums.ns[DEVICE_COPIES];
	s->idle_ns = sums.ns[DEVICE_IDLE];
	s->overlap_ns = s->communication_ns - s->exposed_communication_ns;
	if (s->communication_ns)
		s->overlap_share = (double)s->overlap_ns / (double)s->communication_ns;
}

/* ---- streams ---- */

static void count_event(struct stream_use *u, const struct analysis *a, uint32_t row)
{
	int64_t ns = a->trace->dur_ns[row];
	switch (a->trace->kind[row]) {
	case EVENT_KERNEL:
		u->kernels++;
		u->kernel_ns += ns;
		u->collectives += a->class[row] == CLASS_COMMUNICATION;
		break;
	case EVENT_MEMCPY:
		u->copies++;
		u->copy_ns += ns;
		break;
	default:
		u->fills++;
		u->fill_ns += ns;
	}
}

static void measure_streams(struct streams *s, const struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	struct stream_use *by_track = xcalloc(t->n_tracks, sizeof *by_track);
	struct covered *busy = xcalloc(t->n_tracks, sizeof *busy);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], track = t->track[row];
		struct stream_use *u = &by_track[track];
		if (!(u->kernels + u->copies + u->fills)) {
			busy[track].done_ns = a->window.start_ns;
			s->n_streams++;
		}
		count_event(u, a, row);
		cover(&busy[track], clip_row(a, row));
	}
	s->stream = arena_array(arena, s->n_streams, sizeof *s->stream);
	for (uint32_t i = 0, n = 0; i < t->n_tracks; i++) {
		struct stream_use *u = &by_track[i];
		if (!(u->kernels + u->copies + u->fills))
			continue;
		u->track = i;
		u->busy_ns = busy[i].sum_ns;
		u->share = s->window_ns ? (double)u->busy_ns / (double)s->window_ns : 0;
		s->stream[n++] = *u;
	}
	free(busy);
	free(by_track);
}

/* ---- copies ---- */

enum copy_way copy_way_of(const struct analysis *a, uint32_t row, enum copy_memory *memory)
{
	uint32_t x = device_traits(a, row);
	if (a->trace->kind[row] == EVENT_MEMSET) {
		*memory = MEMORY_UNTOLD;
		return COPY_FILL;
	}
	*memory = x & TRAIT_PAGEABLE ? MEMORY_PAGEABLE
		: x & TRAIT_PINNED   ? MEMORY_PINNED
				     : MEMORY_UNTOLD;
	return x & TRAIT_TO_DEVICE	 ? COPY_HOST_TO_DEVICE
		: x & TRAIT_TO_HOST	 ? COPY_DEVICE_TO_HOST
		: x & TRAIT_HOST_TO_HOST ? COPY_OTHER
		: x & TRAIT_WITHIN	 ? COPY_DEVICE_TO_DEVICE
		: x & TRAIT_PEER	 ? COPY_PEER
					 : COPY_OTHER;
}

static void count_copy(struct copy_use *c, const struct trace *t, uint32_t row)
{
	int64_t bytes = t->side[row] == NO_ROW ? -1 : t->copies[t->side[row]].bytes;
	if (!c->n++ || t->dur_ns[row] > t->dur_ns[c->longest])
		c->longest = row;
	c->ns += t->dur_ns[row];
	if (bytes < 0)
		return;
	c->n_sized++;
	c->bytes += bytes;
	c->sized_ns += t->dur_ns[row];
}

static void measure_copies(struct streams *s, const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct copy_use kind[COPY_WAYS][COPY_MEMORIES] = {0};
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		if (t->kind[row] == EVENT_KERNEL)
			continue;
		enum copy_memory memory;
		enum copy_way way = copy_way_of(a, row, &memory);
		count_copy(&kind[way][memory], t, row);
	}
	for (int w = 0; w < COPY_WAYS; w++)
		for (int m = 0; m < COPY_MEMORIES; m++) {
			struct copy_use *c = &kind[w][m];
			if (!c->n)
				continue;
			c->way = (enum copy_way)w;
			c->memory = (enum copy_memory)m;
			c->gb_per_s = c->sized_ns ? (double)c->bytes / (double)c->sized_ns : 0;
			s->copy[s->n_copies++] = *c;
		}
}

/* ---- collectives ---- */

ORDER(by_ns, struct collective, DOWN(ns) ?: UP(name));

static void count_collective(
	struct collective *k, const struct analysis *a, uint32_t row, const struct spans *computing)
{
	struct clipped c = clip_row(a, row);
	k->name = a->trace->name[row];
	k->n++;
	k->ns += a->trace->dur_ns[row];
	if (c.end_ns <= c.start_ns)
		return;
	k->inside_ns += c.end_ns - c.start_ns;
	k->exposed_ns += c.end_ns - c.start_ns - spans_covered(computing, c.start_ns, c.end_ns);
}

static bool any_collective(const struct streams *s)
{
	for (uint32_t i = 0; i < s->n_streams; i++)
		if (s->stream[i].collectives)
			return true;
	return false;
}

static void measure_collectives(struct streams *s, const struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	if (!any_collective(s))
		return;
	struct arena scratch = {0};
	struct spans computing = account_computing(&scratch, a);
	struct collective *by_name = xcalloc(t->names.n, sizeof *by_name);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		if (device_layer_of(a, row) == DEVICE_COMMUNICATION)
			count_collective(&by_name[t->name[row]], a, row, &computing);
	}
	for (name_id i = 0; i < t->names.n; i++)
		s->n_collectives += by_name[i].n > 0;
	s->collective = arena_array(arena, s->n_collectives, sizeof *s->collective);
	for (name_id i = 0, n = 0; i < t->names.n; i++)
		if (by_name[i].n)
			s->collective[n++] = by_name[i];
	qsort(s->collective, s->n_collectives, sizeof *s->collective, by_ns);
	free(by_name);
	arena_release(&scratch);
}

struct streams streams_of(struct arena *arena, const struct analysis *a)
{
	struct streams s = {0};
	if (!a->n_device)
		return s;
	compare_work(&s, a);
	measure_streams(&s, a, arena);
	measure_copies(&s, a);
	measure_collectives(&s, a, arena);
	return s;
}
