/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis.h"

#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"

#include <stdlib.h>
#include <string.h>

/* ---- the union of device events ---- */

struct busy_walk busy_walk(
	const struct analysis *a, int64_t from_ns, int64_t to_ns, bool kernels_only)
{
	return (struct busy_walk){
		.a = a, .from_ns = from_ns, .to_ns = to_ns, .kernels_only = kernels_only};
}

/* The next device event that the walk looks at, clipped; false at the end. */
static bool next_event(struct busy_walk *w, uint32_t *row, int64_t *start_ns, int64_t *end_ns)
{
	const struct trace *t = w->a->trace;
	for (; w->next < w->a->n_device; w->next++) {
		*row = w->a->device_rows[w->next];
		if (w->kernels_only && t->kind[*row] != EVENT_KERNEL)
			continue;
		*start_ns = max64(t->start_ns[*row], w->from_ns);
		*end_ns = row_end(t, *row) < w->to_ns ? row_end(t, *row) : w->to_ns;
		if (*start_ns >= w->to_ns)
			return false;
		if (*end_ns > *start_ns)
			return true;
	}
	return false;
}

bool busy_walk_next(struct busy_walk *w)
{
	uint32_t row;
	int64_t start, end;
	if (!next_event(w, &row, &start, &end))
		return false;
	w->start_ns = start;
	w->end_ns = end;
	w->first = w->last = row;
	for (w->next++; next_event(w, &row, &start, &end) && start <= w->end_ns; w->next++) {
		if (end <= w->end_ns)
			continue;
		w->end_ns = end;
		w->last = row;
	}
	return true;
}

int64_t busy_between(const struct analysis *a, int64_t from_ns, int64_t to_ns, bool kernels_only)
{
	int64_t busy = 0;
	for (struct busy_walk w = busy_walk(a, from_ns, to_ns, kernels_only); busy_walk_next(&w);)
		busy += w.end_ns - w.start_ns;
	return busy;
}

/* ---- the window ---- */

struct span_ns {
	int64_t start_ns, end_ns; /* start > end while nothing was added */
};

static const struct span_ns nothing = {INT64_MAX, INT64_MIN};

static void widen(struct span_ns *s, int64_t start_ns, int64_t end_ns)
{
	s->start_ns = min64(start_ns, s->start_ns);
	s->end_ns = max64(end_ns, s->end_ns);
}

static struct span_ns steps_span(const struct analysis *a)
{
	struct span_ns s = nothing;
	for (uint32_t i = 0; i < a->n_steps; i++)
		widen(&s, a->steps[i].start_ns, a->steps[i].start_ns + a->steps[i].dur_ns);
	return s;
}

static struct span_ns device_span(const struct analysis *a)
{
	struct span_ns s = nothing;
	for (size_t i = 0; i < a->n_device; i++)
		widen(&s, a->trace->start_ns[a->device_rows[i]],
			row_end(a->trace, a->device_rows[i]));
	return s;
}

static bool counts(const struct trace *t, size_t i, bool host_only)
{
	return t->kind[i] < EVENT_SPAN && (!host_only || event_on_host(t->kind[i]));
}

/* Of everything with a duration, or of the host's rows alone. The profiler's own window is not
 * work. What reaches furthest stands at the end, mostly. */
static struct span_ns file_span(const struct trace *t, bool host_only)
{
	struct span_ns s = nothing;
	size_t first = 0, end = t->n;
	while (first < t->n && !counts(t, first, host_only))
		first++;
	if (first < t->n)
		widen(&s, t->start_ns[first], row_end(t, (uint32_t)first));
	while (end > first) {
		size_t from = t->reach_ns ? (end - 1) / REACH_ROWS * REACH_ROWS : first;
		if (!t->reach_ns || t->reach_ns[from / REACH_ROWS] > s.end_ns)
			for (size_t i = from; i < end; i++)
				if (counts(t, i, host_only))
					s.end_ns = max64(row_end(t, (uint32_t)i), s.end_ns);
		end = from;
	}
	return s;
}

static struct window choose_window(const struct analysis *a, struct span_ns device)
{
	const struct trace *t = a->trace;
	struct span_ns s = nothing;
	if (a->n_steps) {
		s = steps_span(a);
		if (a->n_device && device.end_ns > s.end_ns)
			s.end_ns = device.end_ns;
		return (struct window){WINDOW_STEPS, s.start_ns, s.end_ns, 0, 0, 0, 0};
	}
	if (a->n_device) {
		for (size_t i = 0; i < a->n_device; i++) {
			uint32_t call = a->device_calls[i];
			if (call != NO_ROW)
				widen(&device, t->start_ns[call], device.end_ns);
		}
		return (struct window){WINDOW_DEVICE, device.start_ns, device.end_ns, 0, 0, 0, 0};
	}
	s = file_span(t, true);
	if (s.start_ns > s.end_ns)
		return (struct window){0};
	return (struct window){WINDOW_HOST, s.start_ns, s.end_ns, 0, 0, 0, 0};
}

/* ---- gaps ---- */

static void add_gap(
	struct analysis *a, int64_t start_ns, int64_t end_ns, uint32_t before, uint32_t after)
{
	if (end_ns <= start_ns)
		return;
	a->gap_sides[a->idle.n] = (struct gap_sides){before, after};
	spans_add(&a->idle, start_ns, end_ns);
}

/* Each gap has its own span: what the device does between two of them has a length. */
static void walk_gaps(struct analysis *a)
{
	struct window *win = &a->window;
	int64_t idle_since = win->start_ns;
	uint32_t before = NO_ROW;
	for (struct busy_walk w = busy_walk(a, win->start_ns, win->end_ns, false);
		busy_walk_next(&w);) {
		add_gap(a, idle_since, w.start_ns, before, w.first);
		win->busy_ns += w.end_ns - w.start_ns;
		idle_since = w.end_ns;
		before = w.last;
	}
	add_gap(a, idle_since, win->end_ns, before, NO_ROW);
	a->n_gaps = a->idle.n;
}

static bool is_longer(const struct analysis *a, uint32_t left, uint32_t right)
{
	return analysis_gap(a, left).dur_ns > analysis_gap(a, right).dur_ns;
}

static void find_longest(struct analysis *a)
{
	for (uint32_t i = 0; i < a->n_gaps; i++) {
		uint32_t at = a->n_longest;
		while (at > 0 && is_longer(a, i, a->longest[at - 1]))
			at--;
		if (at == LONGEST_GAPS)
			continue;
		a->n_longest += a->n_longest < LONGEST_GAPS;
		for (uint32_t k = a->n_longest - 1; k > at; k--)
			a->longest[k] = a->longest[k - 1];
		a->longest[at] = i;
	}
}

static void find_gaps(struct analysis *a, struct arena *arena)
{
	a->idle = spans_with_room(arena, a->n_device + 1);
	a->gap_sides = arena_array(arena, a->n_device + 1, sizeof *a->gap_sides);
	walk_gaps(a);
	find_longest(a);
}

/* ---- the rival definitions of busy ---- */

/* Kernel time inside steps over the time of the steps; both unions walk together. */
static struct busy busy_in_steps(const struct analysis *a, struct span_ns all)
{
	struct busy b = {0};
	int64_t done = INT64_MIN; /* the steps' union is settled up to here */
	if (!a->n_steps)
		return b;
	struct busy_walk w = busy_walk(a, all.start_ns, all.end_ns, true);
	bool more = busy_walk_next(&w);
	for (uint32_t i = 0; i < a->n_steps; i++) {
		int64_t from = a->steps[i].start_ns, to = from + a->steps[i].dur_ns;
		from = max64(from, done);
		if (to <= from)
			continue;
		done = to;
		b.window_ns += to - from;
		while (more && w.start_ns < to) {
			int64_t start = max64(w.start_ns, from);
			int64_t end = min64(w.end_ns, to);
			b.busy_ns += end > start ? end - start : 0;
			if (w.end_ns > to)
				break;
			more = busy_walk_next(&w);
		}
	}
	return b;
}

/* All of it, which mostly lies in the window. */
static int64_t all_busy_ns(const struct analysis *a, struct span_ns all, bool kernels_only)
{
	const struct window *w = &a->window;
	if (w->start_ns <= all.start_ns && all.end_ns <= w->end_ns)
		return kernels_only ? w->kernel_busy_ns : w->busy_ns;
	return busy_between(a, all.start_ns, all.end_ns, kernels_only);
}

static void compare_rules(struct analysis *a, struct span_ns device)
{
	if (!a->n_device)
		return;
	struct span_ns file = file_span(a->trace, false);
	int64_t window = device.end_ns - device.start_ns;
	a->busy[BUSY_DEVICE] = (struct busy){all_busy_ns(a, device, false), window};
	a->busy[BUSY_KERNELS] = (struct busy){all_busy_ns(a, device, true), window};
	a->busy[BUSY_FILE] =
		(struct busy){a->busy[BUSY_DEVICE].busy_ns, file.end_ns - file.start_ns};
	a->busy[BUSY_STEPS] = busy_in_steps(a, device);
}

void analyse_window(struct analysis *a, struct arena *arena)
{
	struct window *w = &a->window;
	struct span_ns device = device_span(a);
	*w = choose_window(a, device);
	if (w->source == WINDOW_NONE)
		return;
	find_gaps(a, arena);
	int64_t length = w->end_ns - w->start_ns;
	w->idle_ns = length - w->busy_ns;
	w->kernel_busy_ns = a->n_kernels == a->n_device
		? w->busy_ns
		: busy_between(a, w->start_ns, w->end_ns, true);
	w->busy_share = length ? (double)w->busy_ns / (double)length : 0;
	compare_rules(a, device);
}
