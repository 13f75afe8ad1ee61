/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/account.h"

#include "base/min_max.h"
#include "report/analyse/breakdown_parts.h"
#include "report/trace/row_set.h"

#include <stdlib.h>

/* ---- the device ---- */

/* Layers under computing, topmost first. */
enum { UNDER_COMMUNICATION, UNDER_COPIES, UNDER };

struct device_walk {
	const struct analysis *a;
	struct time_span window;
	struct layer under[UNDER];
	struct device_sums sums;
	take_device *take;
	void *to;
};

static struct stretch inside(const struct device_walk *w, uint32_t event)
{
	const struct trace *t = w->a->trace;
	uint32_t row = w->a->device_rows[event];
	int64_t start = t->start_ns[row], end = row_end(t, row);
	return (struct stretch){.start_ns = max64(start, w->window.start_ns),
		.end_ns = min64(end, w->window.end_ns),
		.row = event};
}

static void hand_out(void *to, const struct stretch *s, struct time_span at)
{
	struct device_walk *w = to;
	enum device_layer layer =
		s->row == NO_ROW ? DEVICE_IDLE : device_layer_of(w->a, w->a->device_rows[s->row]);
	w->sums.ns[layer] += at.end_ns - at.start_ns;
	if (w->take && at.end_ns > at.start_ns)
		w->take(w->to, s->row, at);
}

/* The events from the first on that begin before the window ends. */
static size_t events_of(const struct device_walk *w)
{
	const struct analysis *a = w->a;
	size_t n = a->n_device;
	while (n && a->trace->start_ns[a->device_rows[n - 1]] >= w->window.end_ns)
		n--;
	return n;
}

static void cover_under(struct device_walk *w, size_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		enum device_layer layer = device_layer_of(w->a, w->a->device_rows[i]);
		if (layer != DEVICE_COMPUTING)
			layer_cover(&w->under[layer - DEVICE_COMMUNICATION], inside(w, i));
	}
	for (int i = 0; i < UNDER; i++)
		for (size_t k = 0; k < w->under[i].n; k++)
			w->sums.whole_ns[DEVICE_COMMUNICATION + i] +=
				w->under[i].stretch[k].end_ns - w->under[i].stretch[k].start_ns;
}

/* Most events compute: they are handed out as they come, without a layer of their own. */
static void walk_device(struct device_walk *w, size_t n)
{
	const struct stretch idle = {.row = NO_ROW};
	int64_t done = w->window.start_ns;
	for (uint32_t i = 0; i < n; i++) {
		if (device_layer_of(w->a, w->a->device_rows[i]) != DEVICE_COMPUTING)
			continue;
		struct stretch s = inside(w, i);
		s.start_ns = max64(s.start_ns, done);
		if (s.end_ns <= s.start_ns)
			continue;
		layers_fill(
			w->under, UNDER, (struct time_span){done, s.start_ns}, &idle, hand_out, w);
		hand_out(w, &s, (struct time_span){s.start_ns, s.end_ns});
		done = s.end_ns;
	}
	layers_fill(
		w->under, UNDER, (struct time_span){done, w->window.end_ns}, &idle, hand_out, w);
}

struct device_sums account_device(
	const struct analysis *a, struct time_span window, take_device *take, void *to)
{
	struct device_walk w = {.a = a, .window = window, .take = take, .to = to};
	size_t n = events_of(&w);
	cover_under(&w, n);
	walk_device(&w, n);
	for (int i = 0; i < UNDER; i++)
		layer_release(&w.under[i]);
	w.sums.whole_ns[DEVICE_COMPUTING] = w.sums.ns[DEVICE_COMPUTING];
	w.sums.whole_ns[DEVICE_IDLE] = w.sums.ns[DEVICE_IDLE];
	return w.sums;
}

struct spans account_computing(struct arena *arena, const struct analysis *a)
{
	struct spans s = spans_with_room(arena, a->n_device);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		if (device_layer_of(a, row) == DEVICE_COMPUTING)
			spans_add(&s, a->trace->start_ns[row], row_end(a->trace, row));
	}
	return s;
}

/* ---- a thread ---- */

static bool is_work(uint8_t kind)
{
	return kind == EVENT_OP || event_is_call(kind);
}

/* Most stand right inside another. */
static bool is_inside_work(const struct trace *t, uint32_t row)
{
	uint32_t up = t->parent[row];
	return up != NO_ROW && is_work(t->kind[up]);
}

struct spans *account_working(struct arena *arena, const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct arena scratch = {0};
	struct spans *s = arena_array(arena, t->n_tracks, sizeof *s);
	uint32_t *outer = arena_array(&scratch, t->n_tracks, sizeof *outer);
	struct row_set all = row_set_below(&scratch, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		if (is_work(t->kind[i]) && !is_inside_work(t, i)) {
			outer[t->track[i]]++;
			row_set_add(&all, i);
		}
	for (uint32_t i = 0; i < t->n_tracks; i++)
		s[i] = spans_with_room(arena, outer[i]);
	for (uint32_t i = 0; (i = row_set_next(&all, i)) != NO_ROW; i++)
		spans_add(&s[t->track[i]], t->start_ns[i], row_end(t, i));
	arena_release(&scratch);
	return s;
}

struct thread_walk {
	const struct trace *t;
	uint32_t open; /* the span that has the time, NO_ROW */
	int64_t done_ns;
	bool spans_only; /* time in which none is open is not handed out */
	void *to;
};

/* The innermost that is still open at a moment; `row` began before it. */
static uint32_t still_open(const struct trace *t, uint32_t row, int64_t time_ns)
{
	while (row != NO_ROW && (row_end(t, row) <= time_ns || !event_on_host(t->kind[row])))
		row = t->parent[row];
	return row;
}

static inline void give(struct thread_walk *w, int64_t until_ns, take_host *take)
{
	if (until_ns <= w->done_ns)
		return;
	if (w->open != NO_ROW || !w->spans_only)
		take(w->to, w->open, (struct time_span){w->done_ns, until_ns});
	w->done_ns = until_ns;
}

/* Where it is inlined, so is `take`. */
static inline void walk_to(struct thread_walk *w, int64_t time_ns, take_host *take)
{
	while (w->open != NO_ROW && row_end(w->t, w->open) <= time_ns) {
		give(w, row_end(w->t, w->open), take);
		w->open = still_open(w->t, w->open, w->done_ns);
	}
	give(w, time_ns, take);
}

static inline void walk_thread(
	const struct trace *t, const struct thread_window *window, take_host *take, void *to)
{
	struct thread_walk w = {.t = t,
		.open = still_open(t, window->open, window->at.start_ns),
		.done_ns = window->at.start_ns,
		.to = to};
	for (size_t i = window->first; i < t->n && t->start_ns[i] < window->at.end_ns; i++) {
		if (t->track[i] != window->track || !event_on_host(t->kind[i]))
			continue;
		walk_to(&w, t->start_ns[i], take);
		w.open = still_open(t, (uint32_t)i, w.done_ns);
	}
	walk_to(&w, window->at.end_ns, take);
}

void account_thread(
	const struct trace *t, const struct thread_window *window, take_host *take, void *to)
{
	walk_thread(t, window, take, to);
}

static inline void keep_piece(void *to, uint32_t row, struct time_span at)
{
	struct host_tape *x = to;
	if (x->n == x->room) {
		x->room = x->room ? 2 * x->room : 64;
		x->piece = xrealloc(x->piece, x->room, sizeof *x->piece);
	}
	x->piece[x->n++] = (struct host_piece){at, row, 0};
}

void account_tape(const struct trace *t, const struct thread_window *window, struct host_tape *tape)
{
	tape->n = 0;
	walk_thread(t, window, keep_piece, tape);
}

void account_threads(const struct trace *t, take_host *take, void *to)
{
	struct thread_walk *of = xalloc((t->n_tracks + 1) * sizeof *of);
	for (uint32_t i = 0; i < t->n_tracks; i++)
		of[i] = (struct thread_walk){.t = t, .open = NO_ROW, .spans_only = true, .to = to};
	for (size_t i = 0; i < t->n; i++) {
		if (!event_on_host(t->kind[i]) || t->tracks[t->track[i]].async)
			continue;
		struct thread_walk *w = &of[t->track[i]];
		walk_to(w, t->start_ns[i], take);
		w->open = still_open(t, (uint32_t)i, w->done_ns);
	}
	for (uint32_t i = 0; i < t->n_tracks; i++)
		walk_to(&of[i], t->end_ns, take);
	free(of);
}
