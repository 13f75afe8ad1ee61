/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis_stages.h"
#include "report/analyse/breakdown_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- getting data ---- */

static bool waits_for_input(const struct analysis *a, uint32_t call)
{
	uint32_t copy = a->trace->launch[call];
	return copy != NO_ROW && device_traits(a, copy) & TRAIT_TO_DEVICE;
}

/* ---- the layers ---- */

/* What is inside a row: a launch of a kernel; an operator that launches one. A function that gets
 * the data and then computes with them is no input; an operator made of others is not there to
 * wait. */
enum { INSIDE_LAUNCH = 1, INSIDE_LAUNCHING_OP = 2 };

struct gathering {
	const struct analysis *a;
	struct host_layers *h;
	const struct idle_causes *l;
	const uint8_t *wanted; /* (n_tracks) */
	uint8_t *inside; /* (rows) bit set of the two above; NULL: not asked yet */
	int64_t least_ns; /* shorter inputs and frees change nothing that is shown */
};

/* Marks what is around a launch, up to what is marked already: all together take linear time. */
static void mark_around(const struct trace *t, uint8_t *inside, uint32_t launch)
{
	uint8_t bits = INSIDE_LAUNCH;
	for (uint32_t row = t->parent[launch]; row != NO_ROW; row = t->parent[row]) {
		if ((inside[row] & bits) == bits)
			break;
		inside[row] |= bits;
		bits |= t->kind[row] == EVENT_OP ? INSIDE_LAUNCHING_OP : 0;
	}
}

static bool has_inside(struct gathering *g, uint32_t row, uint8_t bit)
{
	const struct analysis *a = g->a;
	if (!g->inside) {
		g->inside = xcalloc(a->trace->n, 1);
		for (size_t i = 0; i < a->n_calls; i++)
			if (a->class[a->calls[i]] == CLASS_LAUNCH)
				mark_around(a->trace, g->inside, a->calls[i]);
	}
	return g->inside[row] & bit;
}

static struct stretch stretch_of(const struct trace *t, uint32_t row, enum time_part part)
{
	return (struct stretch){.start_ns = t->start_ns[row],
		.end_ns = row_end(t, row),
		.row = row,
		.part = (uint8_t)part};
}

/* The operator that is there to wait, NO_ROW if none. */
static uint32_t waiting_op(struct gathering *g, uint32_t call)
{
	const struct trace *t = g->a->trace;
	uint32_t op = analysis_op_of(t, call), outer;
	if (op == NO_ROW || g->a->class[op] != CLASS_OP || has_inside(g, op, INSIDE_LAUNCHING_OP))
		return NO_ROW;
	while ((outer = t->parent[op]) != NO_ROW && g->a->class[outer] == CLASS_OP &&
		t->dur_ns[outer] / 2 <= t->dur_ns[op] && !has_inside(g, outer, INSIDE_LAUNCHING_OP))
		op = outer;
	return op;
}

static struct layer *layer_of(const struct gathering *g, uint32_t track, enum host_layer layer)
{
	return &g->h->layer[(size_t)track * HOST_LAYERS + layer];
}

static void cover_wait(struct layer *waits, struct gathering *g, uint32_t call)
{
	const struct trace *t = g->a->trace;
	if (!t->dur_ns[call] ||
		(waits->n && waits->stretch[waits->n - 1].end_ns >= row_end(t, call)))
		return;
	bool input = waits_for_input(g->a, call);
	uint32_t op = waiting_op(g, call);
	struct stretch s = stretch_of(t, op == NO_ROW ? call : op, input ? TIME_INPUT : TIME_SYNC);
	layer_cover(waits, s);
}

static void cover_waits(struct gathering *g)
{
	for (size_t i = 0; i < g->l->n_waits; i++) {
		uint32_t call = g->l->waits[i], track = g->a->trace->track[call];
		if (g->wanted[track])
			cover_wait(layer_of(g, track, HOST_WAIT), g, call);
	}
}

/* Between one ProfilerStep#N and the next the program is in the profiler's own step(). */
static void cover_profiler(const struct gathering *g)
{
	const struct analysis *a = g->a;
	for (uint32_t i = 1; i < a->n_steps && g->wanted[a->main_track]; i++) {
		const struct step *before = &a->steps[i - 1];
		layer_cover(layer_of(g, a->main_track, HOST_PROFILER),
			(struct stretch){.start_ns = before->start_ns + before->dur_ns,
				.end_ns = a->steps[i].start_ns,
				.row = before->row,
				.part = TIME_PROFILER});
	}
}

static void cover_row(struct gathering *g, const struct name_question *is_input, uint32_t row)
{
	const struct trace *t = g->a->trace;
	if (is_call(t, row)) {
		if (host_traits(g->a, row) & TRAIT_FREES)
			layer_cover(layer_of(g, t->track[row], HOST_FREE),
				stretch_of(t, row, TIME_SYNC));
		return;
	}
	struct layer *input = layer_of(g, t->track[row], HOST_INPUT);
	bool covered = input->n && input->stretch[input->n - 1].end_ns >= row_end(t, row);
	if (!covered && name_answers(is_input, &t->names, t->name[row]) &&
		!has_inside(g, row, INSIDE_LAUNCH))
		layer_cover(input, stretch_of(t, row, TIME_INPUT));
}

static void cover_stalls(const struct gathering *g, struct candidates *k)
{
	const struct trace *t = g->a->trace;
	uint32_t *stall = stalls_among(k, &g->h->n_stalls);
	for (size_t i = 0; i < g->h->n_stalls; i++)
		layer_cover(layer_of(g, t->track[stall[i]], HOST_STALL),
			stretch_of(t, stall[i], TIME_STALL));
	free(stall);
}

static void gather(struct gathering *g, int64_t stall_ns)
{
	const struct trace *t = g->a->trace;
	struct name_question is_input = name_question(&t->names, is_input_name);
	struct candidates k = candidates_of(g->a, stall_ns);
	cover_waits(g);
	cover_profiler(g);
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->dur_ns[i] < g->least_ns || !event_on_host(t->kind[i]) ||
			!g->wanted[t->track[i]])
			continue;
		cover_row(g, &is_input, i);
		if (t->dur_ns[i] >= stall_ns && may_stall(t->kind[i]))
			candidates_add(&k, i);
	}
	cover_stalls(g, &k);
	free(g->inside);
	name_question_end(&is_input);
}

struct host_layers host_layers_of(
	const struct analysis *a, const struct idle_causes *l, int64_t typical_ns)
{
	const struct trace *t = a->trace;
	struct host_layers h = {.n_tracks = t->n_tracks};
	h.layer = xcalloc((size_t)t->n_tracks * HOST_LAYERS, sizeof *h.layer);
	uint8_t *wanted = xcalloc(t->n_tracks, 1);
	for (size_t i = 0; i < l->n_gaps; i++)
		if (l->why[i].launch != NO_ROW)
			wanted[t->track[l->why[i].launch]] = 1;
	int64_t least_ns = typical_ns / 1000;
	struct gathering g = {
		.a = a, .h = &h, .l = l, .wanted = wanted, .least_ns = least_ns > 0 ? least_ns : 1};
	gather(&g, typical_ns * STALL_SHARE / 1000);
	free(wanted);
	return h;
}

void host_layers_release(struct host_layers *h)
{
	for (size_t i = 0; i < (size_t)h->n_tracks * HOST_LAYERS; i++)
		layer_release(&h->layer[i]);
	free(h->layer);
	h->layer = NULL;
}
