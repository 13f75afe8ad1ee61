/* SPDX-License-Identifier: Apache-2.0 */
/* Which events of a planned timeline share a bar. */
#include "report/figure/timeline_parts.h"

static const double MERGE_GAP = 0.25;

/* Neighbours of one row waiting to become one bar; places are from the begin of the axis. */
struct pending {
	double x1, x2;
	enum bar bar;
	uint32_t n;
	int64_t ns; /* durations, summed */
	int64_t ns_of[BARS]; /* the same by kind: the largest gives the colour */
	bool covered; /* a launch with something drawn inside: that is what gets the label */
	uint32_t first; /* event */
};

struct merging {
	struct timeline *tl;
	struct arena *arena, scratch; /* of the bars; of the rest */
	double w; /* of the axis */
	struct pending **waiting; /* (n_lanes * 256) by lane and row, NULL: none yet */
	int n, room; /* of the bars */
};

static enum bar most_of(const struct pending *q)
{
	enum bar most = q->bar;
	for (int b = 0; b < BARS; b++)
		if (q->ns_of[b] > q->ns_of[most])
			most = (enum bar)b;
	return most;
}

static void flush(struct merging *m, int lane, int row, struct pending *q)
{
	struct timeline *tl = m->tl;
	if (!q->n)
		return;
	tl->bar = arena_room(m->arena, tl->bar, m->n, &m->room, sizeof *tl->bar);
	tl->bar[m->n++] = (struct timeline_bar){.x1 = q->x1,
		.x2 = q->x2,
		.ns = q->ns,
		.first = q->first,
		.n = q->n,
		.lane = (uint8_t)lane,
		.row = (uint8_t)row,
		.bar = (uint8_t)most_of(q),
		.covered = q->covered};
	q->n = 0;
}

/* Is anything drawn in the bar of a launch? Rows of other threads may stand between them. */
static bool holds_inset(const struct timeline *tl, uint32_t launch)
{
	const struct trace *t = tl->trace;
	int64_t end = row_end(t, launch);
	for (size_t i = launch + 1; i < t->n && t->start_ns[i] < end; i++)
		if (t->track[i] == t->track[launch] && tl->row[i] == ROW_INSET)
			return true;
	return false;
}

static void add_event(struct merging *m, int lane, int row, uint32_t i)
{
	struct pending **waiting = &m->waiting[lane * 256 + row];
	if (!*waiting)
		*waiting = arena_alloc(&m->scratch, sizeof **waiting);
	struct pending *q = *waiting;
	const struct timeline *tl = m->tl;
	const struct trace *t = tl->trace;
	double x1 = timeline_x(tl, m->w, t->start_ns[i]), x2 = timeline_x(tl, m->w, row_end(t, i));
	enum bar bar = bar_of(tl->analysis->class[i]);
	bool covered = row == ROW_LAUNCH && holds_inset(tl, i);
	bool small =
		x2 - x1 < timeline_least_bar && (q->n > 1 || q->x2 - q->x1 < timeline_least_bar);
	/* Of one kind they run on; of several they share no more than one bar of the least width.
	 */
	bool joins = bar == q->bar ? x1 - q->x2 < MERGE_GAP : x2 - q->x1 < timeline_least_bar;
	if (q->n && small && joins) {
		q->x2 = x2 > q->x2 ? x2 : q->x2;
		q->n++;
		q->ns += t->dur_ns[i];
		q->ns_of[bar] += t->dur_ns[i];
		q->covered = q->covered || covered;
		return;
	}
	flush(m, lane, row, q);
	*q = (struct pending){.x1 = x1,
		.x2 = x2,
		.bar = bar,
		.n = 1,
		.ns = t->dur_ns[i],
		.covered = covered,
		.first = i};
	q->ns_of[bar] = t->dur_ns[i];
}

static void flush_all(struct merging *m)
{
	for (int j = 0; j < m->tl->n_lanes * 256; j++)
		if (m->waiting[j])
			flush(m, j / 256, j % 256, m->waiting[j]);
}

/* Insets go last: they lie on the bars of their launches. */
void timeline_merge(struct timeline *tl, struct arena *a)
{
	const struct trace *t = tl->trace;
	struct merging m = {.tl = tl, .arena = a, .w = tl->width - timeline_metrics.gutter};
	m.waiting = arena_array(&m.scratch, (size_t)tl->n_lanes * 256, sizeof(struct pending *));
	uint32_t *inset = NULL;
	int insets = 0, room = 0;
	tl->bar = NULL;
	size_t end = trace_first_from(t, tl->end_ns);
	for (size_t i = trace_reaching(t, 0, tl->from_ns); i < end;
		i = trace_reaching(t, i + 1, tl->from_ns)) {
		int row = tl->row[i], lane = tl->lane_of[t->track[i]];
		if (row == ROW_HIDDEN || lane == LANE_NONE)
			continue;
		if (row != ROW_INSET) {
			add_event(&m, lane, row, (uint32_t)i);
			continue;
		}
		inset = arena_room(&m.scratch, inset, insets, &room, sizeof *inset);
		inset[insets++] = (uint32_t)i;
	}
	flush_all(&m);
	for (int k = 0; k < insets; k++)
		add_event(&m, tl->lane_of[t->track[inset[k]]], ROW_INSET, inset[k]);
	flush_all(&m);
	tl->n_bars = (uint32_t)m.n;
	arena_release(&m.scratch);
}
