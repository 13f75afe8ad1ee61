/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_trace.h - traces written down in a test: add events in any order, seal, use.
 *
 * Times are microseconds in the calls and nanoseconds in the trace. Sealing does what the reader
 * does, plainly: sorts by start, longer first; nests the host's rows; joins by correlation.
 */
#ifndef TESTS_UNIT_MADE_TRACE_H
#define TESTS_UNIT_MADE_TRACE_H

#include "base/err.h"
#include "report/trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { MADE_MOST = 256, MADE_HOST = 0, MADE_OTHER_THREAD = 1, MADE_STREAM = 2, MADE_STREAM2 = 3 };

struct made_event {
	uint8_t kind;
	const char *name;
	uint32_t track, correlation;
	double start_us, end_us;
	int32_t grid, block; /* x only; 0: the file has none */
	const char *extra, *dims, *concrete; /* of an operator; NULL: the file has none */
	int64_t bytes; /* of a copy or fill; 0: the file has none */
	int order;
};

struct made_trace {
	struct trace trace;
	struct arena arena;
	struct made_event event[MADE_MOST];
	int n;
	const char *label; /* of the device's tracks */
};

static inline struct made_event *made_add(struct made_trace *m, enum event_kind kind,
	const char *name, double start_us, double end_us, uint32_t correlation)
{
	if (m->n == MADE_MOST)
		bug("a made trace has room for %d rows", MADE_MOST);
	struct made_event *e = &m->event[m->n];
	*e = (struct made_event){.kind = (uint8_t)kind,
		.name = name,
		.track = event_on_device((uint8_t)kind) || kind == EVENT_GPU_ANNOTATION
			? MADE_STREAM
			: MADE_HOST,
		.correlation = correlation,
		.start_us = start_us,
		.end_us = end_us,
		.order = m->n++};
	return e;
}

static inline int made_order(const void *left, const void *right)
{
	const struct made_event *a = left, *b = right;
	if (a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	if (a->end_us != b->end_us)
		return a->end_us > b->end_us ? -1 : 1;
	return a->order - b->order;
}

static inline void made_columns(struct made_trace *m)
{
	struct trace *t = &m->trace;
	size_t n = t->n = (size_t)m->n;
	t->start_ns = arena_array(&m->arena, n, sizeof *t->start_ns);
	t->dur_ns = arena_array(&m->arena, n, sizeof *t->dur_ns);
	t->name = arena_array(&m->arena, n, sizeof *t->name);
	t->category = arena_array(&m->arena, n, sizeof *t->category);
	t->track = arena_array(&m->arena, n, sizeof *t->track);
	t->correlation = arena_array(&m->arena, n, sizeof *t->correlation);
	t->external = arena_array(&m->arena, n, sizeof *t->external);
	t->side = arena_array(&m->arena, n, sizeof *t->side);
	t->launch = arena_array(&m->arena, n, sizeof *t->launch);
	t->parent = arena_array(&m->arena, n, sizeof *t->parent);
	t->depth = arena_array(&m->arena, n, sizeof *t->depth);
	t->kind = arena_array(&m->arena, n, sizeof *t->kind);
	t->kernels = arena_array(&m->arena, n, sizeof *t->kernels);
	t->inputs = arena_array(&m->arena, n, sizeof *t->inputs);
	t->copies = arena_array(&m->arena, n, sizeof *t->copies);
	t->tracks = arena_array(&m->arena, 4, sizeof *t->tracks);
	t->n_tracks = 4;
	t->tracks[MADE_STREAM].device = t->tracks[MADE_STREAM2].device = true;
	t->tracks[MADE_STREAM].label = t->tracks[MADE_STREAM2].label =
		names_add_text(&t->names, m->label ? m->label : "");
}

static inline void made_row(struct made_trace *m, size_t i)
{
	struct trace *t = &m->trace;
	const struct made_event *e = &m->event[i];
	t->start_ns[i] = (int64_t)(e->start_us * 1000 + 0.5);
	t->dur_ns[i] = (int64_t)(e->end_us * 1000 + 0.5) - t->start_ns[i];
	t->name[i] = names_add_text(&t->names, e->name);
	t->track[i] = e->track;
	t->correlation[i] = e->correlation;
	t->kind[i] = e->kind;
	t->side[i] = t->launch[i] = NO_ROW;
	if (e->grid) {
		t->kernels[t->n_kernels] =
			(struct kernel){.grid = {e->grid, 1, 1}, .block = {e->block, 1, 1}};
		t->side[i] = (uint32_t)t->n_kernels++;
	}
	if (e->bytes) {
		t->copies[t->n_copies] = (struct copy){.bytes = e->bytes, .gb_per_s = -1};
		t->side[i] = (uint32_t)t->n_copies++;
	}
	if (e->extra || e->dims) {
		struct op_inputs *in = &t->inputs[t->n_inputs];
		in->extra = e->extra ? names_add_text(&t->names, e->extra) : 0;
		in->dims = e->dims ? names_add_text(&t->names, e->dims) : 0;
		in->concrete = e->concrete ? names_add_text(&t->names, e->concrete) : 0;
		t->side[i] = (uint32_t)t->n_inputs++;
	}
}

/* A device event belongs to the first call with its correlation. */
static inline void made_join(struct trace *t)
{
	for (size_t d = 0; d < t->n; d++)
		for (size_t c = 0; event_on_device(t->kind[d]) && c < t->n; c++) {
			if ((t->kind[c] != EVENT_RUNTIME && t->kind[c] != EVENT_DRIVER) ||
				!t->correlation[d] || t->correlation[c] != t->correlation[d])
				continue;
			t->launch[d] = (uint32_t)c;
			if (t->launch[c] == NO_ROW)
				t->launch[c] = (uint32_t)d;
			break;
		}
}

static inline const struct trace *made_seal(struct made_trace *m)
{
	struct trace *t = &m->trace;
	uint8_t skip[MADE_MOST] = {0};
	names_init(&t->names);
	qsort(m->event, (size_t)m->n, sizeof *m->event, made_order);
	made_columns(m);
	for (size_t i = 0; i < t->n; i++) {
		made_row(m, i);
		skip[i] = !event_on_host(t->kind[i]);
	}
	nest(&(struct nest_in){t->n, t->start_ns, t->dur_ns, t->track, t->n_tracks, skip},
		t->parent, t->depth);
	made_join(t);
	return t;
}

static inline void made_release(struct made_trace *m)
{
	names_release(&m->trace.names);
	arena_release(&m->arena);
}

/* The row of the nth event of a name, from 0. */
static inline uint32_t made_find(const struct trace *t, const char *name, int nth)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!strcmp(names_text(&t->names, t->name[i]), name) && !nth--)
			return i;
	return NO_ROW;
}

/* The first line of a test: an empty world, which is released when the test is over. */
#define WORLD_OF_TEST(w, release) \
	(void)state; \
	__attribute__((cleanup(release))) struct world w = {0}

#endif
