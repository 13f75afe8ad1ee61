/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/changes.h"

#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/replay/graph.h"

#include <stdlib.h>
#include <string.h>

enum change_kind {
	CHANGE_SPARE,
	CHANGE_GONE,
	CHANGE_LAUNCH,
	CHANGE_TAKES,
	CHANGE_SENDS,
	CHANGE_BESIDE,
	CHANGE_WAIT
};

struct plan_change {
	union {
		struct {
			struct time_span span; /* CHANGE_SPARE, CHANGE_GONE */
			int64_t by_ns; /* of CHANGE_GONE: what takes its place */
		};
		float factor;
	};
	uint32_t at; /* a row; of CHANGE_GONE a track */
	uint8_t kind;
};

/* ---- saying ---- */

enum { FIRST_CHUNK_BITS = 4 };

/* The i-th of a plan; its chunk must be there. */
static inline struct plan_change *change_at(const struct replay_plan *p, size_t i)
{
	size_t k = i + (1u << FIRST_CHUNK_BITS);
	int bits = 63 - __builtin_clzll(k);
	return &p->chunk[bits - FIRST_CHUNK_BITS][k - ((size_t)1 << bits)];
}

static void say(struct replay_plan *p, const struct plan_change *c)
{
	if (!p)
		return;
	size_t k = p->n + (1u << FIRST_CHUNK_BITS);
	int bits = 63 - __builtin_clzll(k);
	struct plan_change **chunk = &p->chunk[bits - FIRST_CHUNK_BITS];
	if (!*chunk)
		*chunk = arena_unset(p->arena, (size_t)1 << bits, sizeof **chunk);
	(*chunk)[k - ((size_t)1 << bits)] = *c;
	p->n++;
}

void plan_takes(struct replay_plan *p, uint32_t device_row, double factor)
{
	say(p,
		&(struct plan_change){
			.factor = (float)factor, .at = device_row, .kind = CHANGE_TAKES});
}

void plan_sends(struct replay_plan *p, uint32_t device_row, double factor)
{
	say(p,
		&(struct plan_change){
			.factor = (float)factor, .at = device_row, .kind = CHANGE_SENDS});
}

void plan_beside(struct replay_plan *p, uint32_t device_row)
{
	say(p, &(struct plan_change){.factor = 1, .at = device_row, .kind = CHANGE_BESIDE});
}

void plan_replaced(
	struct replay_plan *p, uint32_t track, int64_t from_ns, int64_t to_ns, int64_t by_ns)
{
	if (to_ns > from_ns)
		say(p,
			&(struct plan_change){.span = {from_ns, to_ns},
				.by_ns = by_ns,
				.at = track,
				.kind = CHANGE_GONE});
}

void plan_gone(struct replay_plan *p, uint32_t track, int64_t from_ns, int64_t to_ns)
{
	plan_replaced(p, track, from_ns, to_ns, 0);
}

/* When the host began to come to an operator: what is not called needs no coming to, but what takes
 * longer than that does something else, too. */
static int64_t comes_to(const struct trace *t, uint32_t row)
{
	enum { NEAR = 64 };
	int64_t start = t->start_ns[row];
	uint32_t first = t->parent[row] == NO_ROW ? 0 : t->parent[row] + 1;
	for (uint32_t i = row, k = 0; i-- > first && k < NEAR; k++)
		if (t->track[i] == t->track[row] && t->parent[i] == t->parent[row] &&
			event_on_host(t->kind[i]))
			return max64(row_end(t, i), start - PLAN_WAY_NS);
	return start;
}

void plan_goes(struct replay_plan *p, const struct trace *t, uint32_t row)
{
	if (event_on_device(t->kind[row])) {
		say(p, &(struct plan_change){.at = row, .kind = CHANGE_LAUNCH});
		return;
	}
	int64_t from = t->kind[row] == EVENT_OP ? comes_to(t, row) : t->start_ns[row];
	plan_gone(p, t->track[row], from, row_end(t, row));
}

void plan_one(
	struct replay_plan *p, const struct trace *t, const uint32_t *row, size_t n, double ns)
{
	int64_t was = n ? t->dur_ns[row[0]] : 0;
	if (was > 0)
		plan_takes(p, row[0], ns / (double)was);
	for (size_t i = 1; i < n; i++)
		plan_goes(p, t, row[i]);
}

void plan_spare(struct replay_plan *p, int64_t from_ns, int64_t to_ns)
{
	if (to_ns > from_ns)
		say(p,
			&(struct plan_change){
				.span = {from_ns, to_ns}, .at = NO_ROW, .kind = CHANGE_SPARE});
}

void plan_off_path(struct replay_plan *p, const struct trace *t, uint32_t row)
{
	plan_spare(p, t->start_ns[row], row_end(t, row));
}

void plan_wait(struct replay_plan *p, uint32_t call_row)
{
	say(p, &(struct plan_change){.at = call_row, .kind = CHANGE_WAIT});
}

static bool is_for_launching(const struct breakdown *p, const struct stretch *s)
{
	return s->part == TIME_LAUNCHING && !s->launch_gap &&
		!spans_covered(&p->blame.silent, s->start_ns, s->end_ns);
}

/* A stretch of time less the idle stretches that are not about launching. */
void plan_one_launch_of(
	struct replay_plan *p, const struct breakdown *breakdown, int64_t from_ns, int64_t to_ns)
{
	size_t n = breakdown->n_idle;
	size_t i = first_where(k, 0, n, breakdown->idle[k].end_ns > from_ns);
	for (; i < n && breakdown->idle[i].start_ns < to_ns; i++) {
		const struct stretch *s = &breakdown->idle[i];
		if (is_for_launching(breakdown, s))
			continue;
		plan_spare(p, from_ns, s->start_ns);
		from_ns = s->end_ns;
	}
	plan_spare(p, from_ns, to_ns);
}

void plan_one_launch(struct replay_plan *p, const struct breakdown *breakdown)
{
	const struct time_parts *w = breakdown_window(breakdown);
	plan_one_launch_of(p, breakdown, w->start_ns, w->end_ns);
}

void plan_input(struct replay_plan *p, const struct trace *t, const struct breakdown *breakdown)
{
	const struct time_parts *w = breakdown_window(breakdown);
	for (size_t i = 0; i < breakdown->n_idle; i++) {
		const struct stretch *s = &breakdown->idle[i];
		if (s->part == TIME_INPUT && s->end_ns > w->start_ns && s->start_ns < w->end_ns &&
			s->row != NO_ROW && !is_call(t, s->row))
			plan_off_path(p, t, s->row);
	}
}

void plan_and(struct replay_plan *p, const struct replay_plan *other)
{
	for (size_t i = 0; i < other->n; i++)
		say(p, change_at(other, i));
}

/* ---- as changes of the graph ---- */

struct graph_change {
	const struct replay *r;
	struct replay_room *room;
	float *factor; /* NULL: nothing was said of events */
	uint8_t *passes; /* NULL: nothing was said of waits */
	uint8_t *beside; /* NULL: nothing runs so */
	int64_t *added_ns; /* NULL: nothing is added to points */
	struct time_span *span; /* (n_spans) in any order */
	size_t n_spans;
	struct spans spared;
	uint32_t event, point; /* where it was looked last */
};

/* As many elements, zeroed, in memory that is kept for the next plan. */
static void *zeroed(struct replay_room *room, void **kept, size_t n, size_t size)
{
	if (*kept)
		return memset(*kept, 0, n * size);
	return *kept = arena_array(room->arena, n, size);
}

static void spare(struct graph_change *g, int64_t from_ns, int64_t to_ns)
{
	g->span[g->n_spans++] = (struct time_span){from_ns, to_ns};
}

static void scale(struct graph_change *g, uint32_t event, float factor)
{
	size_t n = g->r->a->n_device;
	if (!g->factor) {
		if (!g->room->factor)
			g->room->factor = arena_unset(g->room->arena, n, sizeof *g->factor);
		g->factor = g->room->factor;
		for (size_t i = 0; i < n; i++)
			g->factor[i] = 1;
	}
	g->factor[event] *= factor;
}

static void pass(struct graph_change *g, uint32_t call)
{
	if (!g->passes)
		g->passes = zeroed(g->room, &g->room->passes, g->r->a->trace->n, 1);
	g->passes[call] = 1;
}

/* The index of a device row, NOTHING; sought from *near on. */
static uint32_t event_of(const struct analysis *a, uint32_t row, uint32_t *near)
{
	uint32_t i = first_near(k, 0, (uint32_t)a->n_device, *near, a->device_rows[k] >= row);
	*near = i;
	return i < a->n_device && a->device_rows[i] == row ? i : NOTHING;
}

/* The first point that begins at a time or behind it. */
static uint32_t point_from(struct graph_change *g, int64_t time_ns)
{
	const struct replay *r = g->r;
	const int64_t *start_ns = r->a->trace->start_ns;
	g->point = first_near(i, 0, r->n_points, g->point, start_ns[r->point[i].row] >= time_ns);
	return g->point;
}

/* But for silences, which have a cause of their own, and no more than what would be one. */
static void spare_rhythm(struct graph_change *g, int64_t from_ns, int64_t to_ns)
{
	to_ns = to_ns - from_ns > SILENCE_NS ? from_ns + SILENCE_NS : to_ns;
	const struct spans *silent = g->r->silent;
	size_t i = first_where(k, 0, silent->n, silent->at[k].end_ns > from_ns);
	if (i < silent->n && silent->at[i].start_ns < to_ns) {
		int64_t begin = silent->at[i].start_ns;
		to_ns = max64(begin, from_ns);
	}
	if (to_ns > from_ns)
		spare(g, from_ns, to_ns);
}

static void launch_nothing(struct graph_change *g, uint32_t point)
{
	const struct replay *r = g->r;
	for (uint32_t e = r->point[point].first; e != NOTHING; e = r->event[e].next)
		scale(g, e, 0);
}

static void add(struct graph_change *g, uint32_t point, int64_t ns)
{
	if (!g->added_ns)
		g->added_ns =
			zeroed(g->room, &g->room->added_ns, g->r->n_points, sizeof *g->added_ns);
	g->added_ns[point] += ns;
}

static void go(struct graph_change *g, uint32_t track, struct time_span at, int64_t by_ns)
{
	const struct replay *r = g->r;
	const struct trace *t = r->a->trace;
	for (uint32_t i = point_from(g, at.start_ns);
		i < r->n_points && t->start_ns[r->point[i].row] < at.end_ns; i++) {
		if (t->track[r->point[i].row] != track)
			continue;
		if (by_ns > 0)
			add(g, i, by_ns);
		by_ns = 0;
		pass(g, r->point[i].row);
		launch_nothing(g, i);
	}
}

/* How many points of its thread inside a row launch something, up to one of them. */
static uint32_t launches_in(struct graph_change *g, uint32_t row, uint32_t behind)
{
	const struct replay *r = g->r;
	const struct trace *t = r->a->trace;
	uint32_t n = 0;
	for (uint32_t i = point_from(g, t->start_ns[row]);
		i < behind && t->start_ns[r->point[i].row] < row_end(t, row); i++)
		n += t->track[r->point[i].row] == t->track[row] && r->point[i].first != NOTHING;
	return n;
}

/* The operators around a launch that launch nothing else, the outermost; else the call. Of the
 * operator around that, which launches more, `slot` is its share. */
static uint32_t operator_of_launch(struct graph_change *g, uint32_t point, struct time_span *slot)
{
	const struct replay *r = g->r;
	const struct trace *t = r->a->trace;
	uint32_t call = r->point[point].row, row = call, up = t->parent[call], n = 0;
	while (up != NO_ROW && t->kind[up] == EVENT_OP &&
		(n = launches_in(g, up, r->n_points)) == 1) {
		row = up;
		up = t->parent[up];
	}
	*slot = (struct time_span){t->start_ns[row], row_end(t, row)};
	if (row == call && n > 1) {
		slot->start_ns = t->start_ns[up] + t->dur_ns[up] / n * launches_in(g, up, point);
		slot->end_ns = slot->start_ns + t->dur_ns[up] / n;
	}
	return row;
}

static void launch_goes(struct graph_change *g, uint32_t event)
{
	const struct replay *r = g->r;
	const struct trace *t = r->a->trace;
	uint32_t point = event < r->n_events ? r->event[event].point : NOTHING;
	scale(g, event, 0);
	if (point == NOTHING || r->point[point].first != event || r->event[event].next != NOTHING)
		return;
	struct time_span slot;
	uint32_t row = operator_of_launch(g, point, &slot);
	spare_rhythm(g, slot.start_ns, slot.end_ns);
	go(g, t->track[row], (struct time_span){t->start_ns[row], row_end(t, row)}, 0);
}

/* Of the time of an event, when it sends so much. */
static float sending(const struct replay *r, uint32_t event, float factor)
{
	int64_t sent = event < r->n_events && r->sent_ns ? r->sent_ns[event] : 0;
	int64_t ns = sent ? r->event[event].dur_ns : 0;
	return ns <= 0 || sent >= ns ? factor
				     : 1 - (1 - factor) * (float)((double)sent / (double)ns);
}

static void put_event(struct graph_change *g, const struct plan_change *c)
{
	const struct analysis *a = g->r->a;
	uint32_t event = event_of(a, c->at, &g->event);
	if (event == NOTHING)
		return;
	if (c->kind == CHANGE_LAUNCH)
		launch_goes(g, event);
	else if (c->kind == CHANGE_TAKES)
		scale(g, event, c->factor);
	else if (c->kind == CHANGE_SENDS)
		scale(g, event, sending(g->r, event, c->factor));
	else {
		if (!g->beside)
			g->beside = zeroed(g->room, &g->room->beside, a->n_device, 1);
		g->beside[event] = 1;
	}
}

static void put(struct graph_change *g, const struct plan_change *c)
{
	if (c->kind == CHANGE_SPARE)
		spare(g, c->span.start_ns, c->span.end_ns);
	else if (c->kind == CHANGE_GONE) {
		spare(g, c->span.start_ns, c->span.end_ns);
		go(g, c->at, c->span, c->by_ns);
	} else if (c->kind == CHANGE_WAIT)
		pass(g, c->at);
	else
		put_event(g, c);
}

ORDER(by_start, struct time_span, UP(start_ns) ?: UP(end_ns));

static void join_spans(struct graph_change *g)
{
	size_t sorted = 1;
	while (sorted < g->n_spans && by_start(&g->span[sorted - 1], &g->span[sorted]) <= 0)
		sorted++;
	if (sorted < g->n_spans)
		qsort(g->span, g->n_spans, sizeof *g->span, by_start);
	g->spared = g->room->spared;
	for (size_t i = 0; i < g->n_spans; i++)
		spans_add(&g->spared, g->span[i].start_ns, g->span[i].end_ns);
}

/* Most plans of a trace are about as long: room for twice as many lasts. */
static struct graph_change begin_change(struct replay_room *room, size_t most)
{
	if (room->spared.room < most) {
		room->span = arena_unset(room->arena, 2 * most, sizeof *room->span);
		room->spared = spans_with_room(room->arena, 2 * most);
	}
	return (struct graph_change){.room = room, .span = room->span};
}

static struct replay_change on_graph(
	struct graph_change *g, const struct replay_plan *p, const struct replay *r)
{
	*g = begin_change(r->room, p->n);
	g->r = r;
	for (size_t i = 0; i < p->n; i++)
		put(g, change_at(p, i));
	join_spans(g);
	return (struct replay_change){.spared = g->n_spans ? &g->spared : NULL,
		.factor = g->factor,
		.passes = g->passes,
		.beside = g->beside,
		.added_ns = g->added_ns};
}

int64_t plan_gain(const struct replay_plan *p, const struct replay *r)
{
	struct graph_change g;
	if (!p->n)
		return 0;
	const struct replay_change c = on_graph(&g, p, r);
	return replay_gain(r, &c);
}

int64_t plan_ns(const struct replay_plan *p, const struct replay *r)
{
	struct graph_change g;
	const struct replay_change c = on_graph(&g, p, r);
	return replay_ns(r, &c);
}

/* Idle time of a window in what the host is spared. */
static int64_t idle_spared(const struct breakdown *p, const struct spans *spared)
{
	const struct time_parts *w = breakdown_window(p);
	int64_t ns = 0;
	for (size_t i = 0; i < p->n_idle && p->idle[i].start_ns < w->end_ns; i++) {
		const struct stretch *s = &p->idle[i];
		int64_t from = max64(s->start_ns, w->start_ns);
		int64_t to = min64(s->end_ns, w->end_ns);
		ns += to > from ? spans_covered(spared, from, to) : 0;
	}
	return ns;
}

double plan_bound_ns(
	const struct replay_plan *p, const struct analysis *a, const struct breakdown *breakdown)
{
	const struct time_parts *w = breakdown_window(breakdown);
	struct arena scratch = {0};
	struct replay_room room = {.arena = &scratch};
	struct graph_change g = begin_change(&room, p->n);
	uint32_t near = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct plan_change *c = change_at(p, i);
		if (c->kind == CHANGE_SPARE || c->kind == CHANGE_GONE)
			spare(&g, c->span.start_ns, c->span.end_ns);
	}
	join_spans(&g);
	double ns = (double)idle_spared(breakdown, &g.spared);
	arena_release(&scratch);
	for (size_t i = 0; i < p->n; i++) {
		const struct plan_change *c = change_at(p, i);
		bool goes = c->kind == CHANGE_LAUNCH || c->kind == CHANGE_BESIDE;
		uint32_t event = goes || c->kind == CHANGE_TAKES || c->kind == CHANGE_SENDS
			? event_of(a, c->at, &near)
			: NOTHING;
		if (event == NOTHING || a->trace->start_ns[c->at] >= w->end_ns ||
			row_end(a->trace, c->at) <= w->start_ns)
			continue;
		ns += (double)breakdown->exposed_ns[event] * (goes ? 1 : 1 - (double)c->factor);
	}
	return ns;
}
