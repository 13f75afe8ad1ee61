/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "report/figure/cold_start.h"
#include "report/figure/plot.h"
#include "report/figure/timeline_parts.h"

#include <stdio.h>
#include <string.h>

enum {
	MOST_ROWS = 8,
	FOLDED = 0x40,
	DEEPEST = FOLDED - 1,
	MOST_HOST_LANES = 4,
	MOST_DEVICE_LANES = 6,
	BEYOND_ROW = 9,
	LEAST_LANE = 19
};

const struct timeline_metrics timeline_metrics = {.gutter = 78,
	.head = 25,
	.place = 17,
	.host_row = 12.5,
	.launch_row = 12.5,
	.arrow_zone = 23,
	.device_row = 18,
	.lane_gap = 7,
	.legend_row = 12,
	.foot = 4,
	.legend_last = 70};

static bool in_window(const struct timeline *tl, size_t i)
{
	const struct trace *t = tl->trace;
	bool host = event_on_host(t->kind[i]);
	if (host ? t->start_ns[i] >= tl->host_end_ns : tl->host_alone)
		return false;
	return t->start_ns[i] < tl->end_ns &&
		(t->start_ns[i] >= tl->from_ns || t->start_ns[i] + t->dur_ns[i] > tl->from_ns);
}

static bool is_step(const struct timeline *tl, size_t i)
{
	return tl->analysis->class[i] == CLASS_STEP;
}

static bool is_subject(const struct timeline *tl, size_t i)
{
	for (uint32_t k = 0; k < tl->n_subjects; k++)
		if (tl->subject[k] == i)
			return true;
	return false;
}

/* Python's frames bury everything else: of a stack only the outermost frame, the modules and what
 * the picture is about are shown. */
static bool is_folded(const struct timeline *tl, size_t i)
{
	const struct trace *t = tl->trace;
	if (t->kind[i] != EVENT_PYTHON || t->parent[i] == NO_ROW || is_step(tl, t->parent[i]) ||
		is_subject(tl, i))
		return false;
	return !is_module_call(names_text(&t->names, t->name[i]));
}

/* The row of a host event below its parent's; parents come first in a sealed trace. Of a folded
 * one, that of the event around it, with the mark FOLDED. In the bar of a launch only what lies
 * directly in it. */
static uint8_t host_row(const struct timeline *tl, size_t i, const uint8_t *level)
{
	const struct trace *t = tl->trace;
	uint32_t parent = t->parent[i];
	if (parent != NO_ROW && level[parent] >= ROW_INSET)
		return event_is_call(t->kind[i]) || level[parent] != ROW_LAUNCH ? ROW_HIDDEN
										: ROW_INSET;
	if (event_is_call(t->kind[i]))
		return ROW_LAUNCH;
	if (parent == NO_ROW || is_step(tl, parent))
		return 0;
	uint8_t above = level[parent] & (uint8_t)~FOLDED;
	if (is_folded(tl, i))
		return above | FOLDED;
	return above < DEEPEST ? (uint8_t)(above + 1) : DEEPEST;
}

/* The row at or behind i that may be in the window, up to end_row(). Rows that reach the window
 * have parents that do. */
static inline size_t next_row(const struct timeline *tl, size_t i)
{
	return trace_reaching(tl->trace, i, tl->from_ns);
}

static size_t end_row(const struct timeline *tl)
{
	return trace_first_from(tl->trace, tl->end_ns);
}

/* Where the picture is about something deeper than the rows reach, its lane begins that much
 * deeper. */
static uint8_t *find_tops(const struct timeline *tl, struct arena *a)
{
	const struct trace *t = tl->trace;
	uint8_t *top = arena_alloc(a, t->n_tracks + 1);
	for (uint32_t k = 0; k < tl->n_subjects; k++) {
		uint32_t i = tl->subject[k];
		if (i >= t->n || !event_on_host(t->kind[i]) || tl->row[i] > DEEPEST)
			continue;
		int above = tl->row[i] - (MOST_ROWS - 1);
		if (above > top[t->track[i]])
			top[t->track[i]] = (uint8_t)above;
	}
	return top;
}

/* What lies on the tracks inside the window. */
struct row_counts {
	int64_t *events; /* (tracks) */
	int64_t (*widest_ns)[MOST_ROWS]; /* (tracks) of those that keep a row, by row */
};

/* Only what is in the window and not too deep keeps its row. */
static void settle_row(struct timeline *tl, size_t i, uint8_t top, bool inside)
{
	/* Levels that are counted no more share one number: of them only what it is about. */
	bool beyond = tl->row[i] == DEEPEST && !is_subject(tl, i);
	bool level = tl->row[i] <= DEEPEST, above = level && tl->row[i] < top;
	if (level && !above)
		tl->row[i] = (uint8_t)(tl->row[i] - top);
	bool deep = tl->row[i] >= MOST_ROWS && tl->row[i] < ROW_INSET;
	if (above || deep || beyond || !inside || is_step(tl, i))
		tl->row[i] = ROW_HIDDEN;
}

/* Levels of events; then the rows that they keep. */
static struct row_counts set_rows(struct timeline *tl, struct arena *a)
{
	const struct trace *t = tl->trace;
	struct row_counts n = {arena_array(a, t->n_tracks + 1, sizeof *n.events),
		arena_array(a, t->n_tracks + 1, sizeof *n.widest_ns)};
	tl->row = arena_alloc(a, t->n + 1);
	memset(tl->row, ROW_HIDDEN, t->n + 1);
	size_t end = end_row(tl);
	for (size_t i = next_row(tl, 0); i < end; i = next_row(tl, i + 1))
		if (event_on_host(t->kind[i]))
			tl->row[i] = host_row(tl, i, tl->row);
		else if (event_on_device(t->kind[i]))
			tl->row[i] = t->depth[i] < MOST_ROWS ? (uint8_t)t->depth[i] : MOST_ROWS;
	const uint8_t *top = find_tops(tl, a);
	for (size_t i = next_row(tl, 0); i < end; i = next_row(tl, i + 1)) {
		uint32_t track = t->track[i];
		bool inside = in_window(tl, i);
		settle_row(tl, i, top[track], inside);
		n.events[track] +=
			inside && (event_on_host(t->kind[i]) || event_on_device(t->kind[i]));
		if (tl->row[i] < MOST_ROWS && t->dur_ns[i] > n.widest_ns[track][tl->row[i]])
			n.widest_ns[track][tl->row[i]] = t->dur_ns[i];
	}
	return n;
}

static void add_lane(struct timeline *tl, uint32_t track)
{
	const struct track *k = &tl->trace->tracks[track];
	struct lane *l = &tl->lane[tl->n_lanes];
	const struct names *names = &tl->trace->names;
	*l = (struct lane){.track = track, .device = k->device};
	l->name = names_text(names, k->label ? k->label : k->process);
	l->detail = names_text(names, k->thread);
	tl->lane_of[track] = (uint8_t)tl->n_lanes++;
}

static void count_idle_device(const struct timeline *tl, int64_t *n)
{
	const struct trace *t = tl->trace;
	uint32_t busiest = NO_ROW;
	for (uint32_t k = 0; k < t->n_tracks; k++) {
		if (t->tracks[k].device && n[k])
			return;
		if (t->tracks[k].device &&
			(busiest == NO_ROW || t->tracks[k].n > t->tracks[busiest].n))
			busiest = k;
	}
	if (busiest != NO_ROW)
		n[busiest] = 1;
}

/* Marks the track of one side with most events in the window that is not marked yet; false when
 * none is left. */
static bool choose_busiest(const struct trace *t, const int64_t *n, bool device, uint8_t *chosen)
{
	uint32_t best = NO_ROW;
	for (uint32_t k = 0; k < t->n_tracks; k++)
		if (t->tracks[k].device == device && n[k] && !chosen[k] &&
			(best == NO_ROW || n[k] > n[best]))
			best = k;
	if (best != NO_ROW)
		chosen[best] = 1;
	return best != NO_ROW;
}

/* The tracks of what the picture is about come first, as many as their side has lanes. Returns how
 * many of that side they are. */
static int choose_subjects(
	const struct timeline *tl, const int64_t *n, bool device, uint8_t *chosen)
{
	const struct trace *t = tl->trace;
	int count = 0, most = device ? MOST_DEVICE_LANES : MOST_HOST_LANES;
	for (uint32_t k = 0; k < tl->n_subjects; k++) {
		uint32_t track = tl->subject[k] < t->n ? t->track[tl->subject[k]] : NO_ROW;
		if (track == NO_ROW || t->tracks[track].device != device || !n[track] ||
			chosen[track] || count == most)
			continue;
		chosen[track] = 1;
		count++;
	}
	return count;
}

/* The busiest tracks of each side get a lane, in the trace's own order; the others are counted. */
static void choose_lanes(struct timeline *tl, int64_t *n, struct arena *a)
{
	const struct trace *t = tl->trace;
	if (tl->idle_device)
		count_idle_device(tl, n);
	uint8_t *chosen = arena_alloc(a, t->n_tracks + 1);
	int host = choose_subjects(tl, n, false, chosen);
	while (host < MOST_HOST_LANES && choose_busiest(t, n, false, chosen))
		host++;
	int device_lanes = choose_subjects(tl, n, true, chosen);
	while (device_lanes < MOST_DEVICE_LANES && choose_busiest(t, n, true, chosen))
		device_lanes++;
	tl->lane_of = arena_alloc(a, t->n_tracks + 1);
	memset(tl->lane_of, LANE_NONE, t->n_tracks + 1);
	for (int device = 0; device < 2; device++)
		for (uint32_t k = 0; k < t->n_tracks; k++)
			if (chosen[k] && t->tracks[k].device == device)
				add_lane(tl, k);
	for (uint32_t k = 0; k < t->n_tracks; k++) {
		if (chosen[k] || !n[k])
			continue;
		tl->folded++;
		tl->folded_events += n[k];
	}
}

/* Levels in which nothing would be a point wide say nothing: only the outermost is kept then.
 * Children are never wider than their parents, so what goes is always the deepest. */
static bool is_sliver(
	const struct timeline *tl, size_t i, const struct row_counts *n, double point_ns)
{
	uint32_t track = tl->trace->track[i];
	int lane = tl->lane_of[track], row = tl->row[i];
	return lane != LANE_NONE && row && row < MOST_ROWS && !tl->lane[lane].device &&
		(double)n->widest_ns[track][row] < point_ns && !is_subject(tl, i);
}

/* Launches in the window of what begins behind it; only where a device lane is there to point
 * from. Counted up to what could be drawn. */
static void find_beyond(struct timeline *tl, struct arena *a)
{
	const struct trace *t = tl->trace;
	const struct analysis *an = tl->analysis;
	bool device = tl->n_lanes && tl->lane[tl->n_lanes - 1].device;
	tl->n_beyond = 0;
	tl->beyond = arena_array(a, (size_t)tl->most_arrows + 1, sizeof *tl->beyond);
	for (size_t i = 0; device && i < an->n_device && tl->n_beyond <= (uint32_t)tl->most_arrows;
		i++) {
		uint32_t row = an->device_rows[i], call = t->launch[row];
		if (t->start_ns[row] < tl->end_ns || call == NO_ROW ||
			t->start_ns[call] < tl->from_ns || tl->row[call] != ROW_LAUNCH ||
			tl->lane_of[t->track[call]] == LANE_NONE)
			continue;
		if (!tl->n_beyond)
			tl->beyond_ns = t->start_ns[row];
		tl->beyond[tl->n_beyond++] = call;
	}
	tl->n_arrows += tl->n_beyond;
}

/* True where an arrow leads to event i: its launch is shown, too. */
static bool has_arrow(const struct timeline *tl, size_t i)
{
	const struct trace *t = tl->trace;
	uint32_t launch = t->launch[i];
	return launch != NO_ROW && t->start_ns[i] >= tl->from_ns && tl->row[launch] == ROW_LAUNCH &&
		tl->lane_of[t->track[launch]] != LANE_NONE;
}

/* Is there time with nothing on the device, wide enough to be hatched? */
static bool shows_idle(const struct timeline *tl)
{
	const struct trace *t = tl->trace;
	const struct analysis *an = tl->analysis;
	double least =
		1.2 * (double)(tl->to_ns - tl->from_ns) / (tl->width - timeline_metrics.gutter);
	int64_t busy_to = idle_from(tl), end = idle_to(tl);
	if (t->ends_early || !tl->n_lanes || !tl->lane[tl->n_lanes - 1].device)
		return false;
	for (size_t k = device_reaching(tl, busy_to); k < an->n_device; k++) {
		uint32_t i = an->device_rows[k];
		if (t->start_ns[i] >= end)
			break;
		if ((double)(t->start_ns[i] - busy_to) >= least)
			return true;
		busy_to = max64(row_end(t, i), busy_to);
	}
	return (double)(end - busy_to) >= least;
}

static void find_signs(struct timeline *tl)
{
	if (tl->n_arrows && (int)tl->n_arrows <= tl->most_arrows)
		tl->kinds |= SIGN_ARROWS;
	if (shows_idle(tl))
		tl->kinds |= SIGN_IDLE;
}

static void count_rows(struct timeline *tl, const struct row_counts *n)
{
	const struct trace *t = tl->trace;
	double point_ns = (double)(tl->to_ns - tl->from_ns) / (tl->width - timeline_metrics.gutter);
	size_t end = end_row(tl);
	for (size_t i = next_row(tl, 0); i < end; i = next_row(tl, i + 1)) {
		if (is_sliver(tl, i, n, point_ns))
			tl->row[i] = ROW_HIDDEN;
		if (!in_window(tl, i) ||
			!(event_on_host(t->kind[i]) || event_on_device(t->kind[i])))
			continue;
		if (!is_step(tl, i))
			tl->events++;
		if (tl->lane_of[t->track[i]] == LANE_NONE)
			continue;
		if (tl->row[i] == ROW_HIDDEN) {
			tl->deeper += !is_step(tl, i);
			continue;
		}
		struct lane *l = &tl->lane[tl->lane_of[t->track[i]]];
		if (tl->row[i] == ROW_LAUNCH)
			l->launches = true;
		else if (tl->row[i] < MOST_ROWS && tl->row[i] >= l->rows)
			l->rows = tl->row[i] + 1;
		tl->kinds |= 1u << bar_of(tl->analysis->class[i]);
		tl->n_arrows += tl->row[i] < ROW_INSET && l->device && has_arrow(tl, i);
	}
}

double timeline_head(const struct timeline *tl)
{
	double place = tl->whole_from_ns < tl->whole_to_ns ? timeline_metrics.place : 0;
	return (tl->no_axis ? 2 : timeline_metrics.head) + (tl->title ? 13 : 0) + place -
		(tl->n_bands || tl->no_axis ? 0 : 10);
}

double legend_entry_width(const struct timeline *tl, struct arena *a, enum bar bar)
{
	char key[64];
	snprintf(key, sizeof key, "legend.%s", bar_name(bar));
	const char *text = say(tl->texts, a, key, NULL);
	return 10 + text_width(tl->fonts, FACE_SANS, plot_small, text) + 12;
}

bool legend_has_sign(const struct timeline *tl, bool device)
{
	return tl->kinds & (device ? SIGN_IDLE : SIGN_ARROWS);
}

bool legend_has_row(const struct timeline *tl, enum bar first, enum bar end)
{
	return tl->kinds & ((1u << end) - (1u << first)) || legend_has_sign(tl, first == BAR_GEMM);
}

/* Rows that the entries first to end take; the sign for arrows or idle stands behind the last. */
static int rows_for(const struct timeline *tl, struct arena *a, enum bar first, enum bar end)
{
	struct legend_rows rows = {.width = tl->width - timeline_metrics.gutter};
	if (!legend_has_row(tl, first, end))
		return 0;
	for (enum bar b = first; b < end; b++)
		if (tl->kinds & 1u << b)
			legend_place(&rows, legend_entry_width(tl, a, b));
	if (legend_has_sign(tl, first == BAR_GEMM))
		legend_place(&rows, timeline_metrics.legend_last);
	return rows.row + 1;
}

static int legend_rows(const struct timeline *tl, struct arena *a)
{
	return rows_for(tl, a, BAR_ANNOTATION, BAR_GEMM) + rows_for(tl, a, BAR_GEMM, BARS);
}

/* Room for arrows, and for the line to what begins behind the right edge. */
static double gap_to_device(const struct timeline *tl)
{
	if (!tl->n_arrows || (int)tl->n_arrows > tl->most_arrows)
		return timeline_metrics.lane_gap;
	return timeline_metrics.arrow_zone + (tl->n_beyond ? BEYOND_ROW : 0);
}

static void set_heights(struct timeline *tl, struct arena *a)
{
	const struct timeline_metrics *m = &timeline_metrics;
	double y = timeline_head(tl) + 4;
	bool was_host = false;
	for (int i = 0; i < tl->n_lanes; i++) {
		struct lane *l = &tl->lane[i];
		if (was_host && l->device)
			y += gap_to_device(tl);
		else if (i)
			y += m->lane_gap;
		l->y = y;
		if (l->device && !l->rows)
			l->rows = 1;
		l->h = l->device ? l->rows * m->device_row + (l->rows - 1) * 2
				 : l->rows * m->host_row + (l->launches ? m->launch_row : 0);
		if (l->h < LEAST_LANE) /* two lines in the gutter */
			l->h = LEAST_LANE;
		y += l->h;
		was_host = !l->device;
	}
	if (!tl->n_lanes)
		y += 16;
	counters_plan(tl);
	tl->height = y + counters_height(tl) + timeline_below(tl) + m->foot +
		(tl->cold ? cold_height : 0) + (tl->folded ? 10 : 0) +
		(tl->legend ? legend_rows(tl, a) * m->legend_row + 2 : 0);
}

void timeline_plan(struct timeline *tl, struct arena *a, double width)
{
	if (tl->to_ns <= tl->from_ns)
		bug("a timeline from %lld to %lld", (long long)tl->from_ns, (long long)tl->to_ns);
	tl->width = width;
	tl->end_ns = tl->shown_to_ns ? tl->shown_to_ns : tl->to_ns;
	tl->host_end_ns = tl->host_to_ns ? tl->host_to_ns : tl->end_ns;
	tl->n_lanes = tl->folded = 0;
	tl->folded_events = tl->events = tl->deeper = 0;
	tl->n_arrows = 0;
	tl->kinds = tl->legend_kinds;
	struct row_counts n = set_rows(tl, a);
	choose_lanes(tl, n.events, a);
	count_rows(tl, &n);
	find_beyond(tl, a);
	find_signs(tl);
	set_heights(tl, a);
	timeline_merge(tl, a);
}

double timeline_place_width(const struct timeline *tl, const struct callout *mark, bool *cut)
{
	const struct trace *t = tl->trace;
	bool gap = mark->gap_from_ns < mark->gap_to_ns;
	*cut = false;
	if (mark->row >= t->n || tl->lane_of[t->track[mark->row]] == LANE_NONE ||
		(!gap && !timeline_shows(tl, mark->row)))
		return 0;
	int64_t from = gap ? mark->gap_from_ns : t->start_ns[mark->row];
	int64_t to = gap ? mark->gap_to_ns : from + t->dur_ns[mark->row];
	int64_t end = min64(tl->to_ns, tl->end_ns);
	*cut = from < tl->from_ns || to > end;
	from = max64(from, tl->from_ns);
	to = min64(to, end);
	double scale = (tl->width - timeline_metrics.gutter) / (double)(tl->to_ns - tl->from_ns);
	return to > from ? (double)(to - from) * scale : 0;
}

bool timeline_shows(const struct timeline *tl, uint32_t row)
{
	const struct trace *t = tl->trace;
	if (row >= t->n || tl->row[row] == ROW_HIDDEN || tl->lane_of[t->track[row]] == LANE_NONE)
		return false;
	return t->start_ns[row] >= tl->from_ns && t->start_ns[row] < tl->end_ns;
}
