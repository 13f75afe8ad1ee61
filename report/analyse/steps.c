/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/sort.h"
#include "report/analyse/analysis.h"

#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"

#include <stdlib.h>
#include <string.h>

/* ---- the main thread and its steps ---- */

/* The host track with the most of what is counted; NO_ROW when none has any. */
static uint32_t track_with_most(const struct trace *t, const uint32_t *count)
{
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; i < t->n_tracks; i++)
		if (count[i] && (best == NO_ROW || count[i] > count[best]))
			best = i;
	return best;
}

/* The first row of a class from i on, the trace's n if there is none. */
static size_t next_of_class(const struct analysis *a, enum event_class class, size_t i)
{
	size_t n = a->trace->n;
	const uint8_t *at = i < n ? memchr(a->class + i, (int)class, n - i) : NULL;
	return at ? (size_t)(at - a->class) : n;
}

static uint32_t track_with_most_steps(const struct analysis *a)
{
	const struct trace *t = a->trace;
	uint32_t *steps = xcalloc(t->n_tracks, sizeof *steps);
	for (size_t i = next_of_class(a, CLASS_STEP, 0); i < t->n;
		i = next_of_class(a, CLASS_STEP, i + 1))
		steps[t->track[i]]++;
	uint32_t best = track_with_most(t, steps);
	free(steps);
	return best;
}

static uint32_t track_with_most_events(const struct trace *t)
{
	uint32_t *events = xcalloc(t->n_tracks, sizeof *events);
	for (size_t i = 0; i < t->n; i++)
		events[t->track[i]] += event_on_host(t->kind[i]);
	uint32_t best = track_with_most(t, events);
	free(events);
	return best;
}

static uint32_t find_main_track(struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	a->track_launches = arena_array(arena, t->n_tracks, sizeof *a->track_launches);
	for (size_t i = 0; i < t->n; i++)
		if (a->class[i] == CLASS_LAUNCH)
			a->track_launches[t->track[i]]++;
	uint32_t best = track_with_most_steps(a);
	best = best != NO_ROW ? best : track_with_most(t, a->track_launches);
	return best != NO_ROW ? best : track_with_most_events(t);
}

static void gather_steps(struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	uint32_t n = 0;
	for (size_t i = next_of_class(a, CLASS_STEP, 0); i < t->n;
		i = next_of_class(a, CLASS_STEP, i + 1))
		n += t->track[i] == a->main_track;
	a->steps = arena_array(arena, n, sizeof *a->steps);
	for (size_t i = next_of_class(a, CLASS_STEP, 0); i < t->n;
		i = next_of_class(a, CLASS_STEP, i + 1))
		if (t->track[i] == a->main_track)
			a->steps[a->n_steps++] = (struct step){
				.number = profiler_step_number(names_text(&t->names, t->name[i])),
				.row = (uint32_t)i,
				.start_ns = t->start_ns[i],
				.dur_ns = t->dur_ns[i]};
}

uint32_t analysis_step_at(const struct analysis *a, int64_t time_ns)
{
	uint32_t low = first_where(i, 0, a->n_steps, a->steps[i].start_ns > time_ns);
	if (!low || time_ns >= a->steps[low - 1].start_ns + a->steps[low - 1].dur_ns)
		return NO_ROW;
	return low - 1;
}

uint32_t analysis_step_near(const struct analysis *a, int64_t time_ns, uint32_t *near)
{
	uint32_t i = *near;
	if (i < a->n_steps && a->steps[i].start_ns <= time_ns &&
		time_ns < a->steps[i].start_ns + a->steps[i].dur_ns &&
		(i + 1 == a->n_steps || time_ns < a->steps[i + 1].start_ns))
		return i;
	i = analysis_step_at(a, time_ns);
	*near = i == NO_ROW ? *near : i;
	return i;
}

/* ---- what ran on the device for a step ---- */

static uint32_t step_of_event(const struct analysis *a, size_t event, uint32_t *near)
{
	uint32_t call = a->device_calls[event];
	return call == NO_ROW ? NO_ROW : analysis_step_near(a, a->trace->start_ns[call], near);
}

static void fill_device_rows(struct analysis *a, struct arena *arena)
{
	uint32_t *step = xcalloc(a->n_device, sizeof *step), near = 0;
	for (size_t i = 0; i < a->n_device; i++) {
		step[i] = step_of_event(a, i, &near);
		if (step[i] != NO_ROW)
			a->steps[step[i]].n_device++;
	}
	uint32_t **row = xcalloc(a->n_steps, sizeof *row);
	for (uint32_t s = 0; s < a->n_steps; s++)
		a->steps[s].device = row[s] =
			arena_array(arena, a->steps[s].n_device, sizeof *row[s]);
	for (size_t i = 0; i < a->n_device; i++)
		if (step[i] != NO_ROW)
			*row[step[i]]++ = a->device_rows[i];
	free(row);
	free(step);
}

static void measure_device(const struct trace *t, struct step *s)
{
	if (!s->n_device)
		return;
	int64_t end = s->device_start_ns = t->start_ns[s->device[0]];
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t row = s->device[i];
		int64_t from = t->start_ns[row], to = row_end(t, row);
		s->device_ns += t->dur_ns[row];
		if (to > end) {
			s->busy_ns += to - (max64(from, end));
			end = to;
		}
		s->kernels += t->kind[row] == EVENT_KERNEL;
		s->copies += t->kind[row] == EVENT_MEMCPY;
		s->fills += t->kind[row] == EVENT_MEMSET;
	}
	s->device_end_ns = end;
}

/* ---- calls ---- */

static void count_calls(struct analysis *a)
{
	const struct trace *t = a->trace;
	uint32_t near = 0;
	for (size_t i = 0; i < a->n_calls; i++) {
		uint32_t row = a->calls[i];
		uint32_t at = analysis_step_near(a, t->start_ns[row], &near);
		if (at == NO_ROW)
			continue;
		struct step *s = &a->steps[at];
		s->launches += a->class[row] == CLASS_LAUNCH;
		s->copy_calls += a->class[row] == CLASS_COPY_CALL;
		s->queries += a->class[row] == CLASS_QUERY;
		s->syncs += a->class[row] == CLASS_SYNC;
		if (a->class[row] == CLASS_SYNC)
			s->sync_ns += t->dur_ns[row];
	}
}

/* ---- first-call costs ---- */

/* The set-up rows inside steps, as columns for nest(): lane is the step. */
struct setups {
	uint32_t n;
	uint32_t *row, *lane, *parent;
	int64_t *start_ns, *dur_ns;
	int64_t *own_ns; /* without the set-up spans inside */
	uint16_t *depth;
};

/* What another thread sets up meanwhile does not widen the step, unless it is a call: autograd's
 * thread allocates for a step that waits for it, and a driver's lock stops all. The profiler's own
 * rows stand on a track apart, yet stop the thread that launches. */
static uint32_t step_of_setup(const struct analysis *a, size_t row)
{
	const struct trace *t = a->trace;
	if (a->class[row] != CLASS_SETUP ||
		(t->track[row] != a->main_track && t->kind[row] != EVENT_OVERHEAD &&
			!event_is_call(t->kind[row])))
		return NO_ROW;
	return analysis_step_at(a, t->start_ns[row]);
}

static struct setups gather_setups(const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct setups u = {0};
	size_t room = 0;
	int64_t end_ns = INT64_MIN;
	for (size_t i = next_of_class(a, CLASS_SETUP, 0); i < t->n;
		i = next_of_class(a, CLASS_SETUP, i + 1))
		room++;
	u.row = xcalloc(room, sizeof *u.row);
	u.lane = xcalloc(room, sizeof *u.lane);
	u.parent = xcalloc(room, sizeof *u.parent);
	u.start_ns = xcalloc(room, sizeof *u.start_ns);
	u.dur_ns = xcalloc(room, sizeof *u.dur_ns);
	u.own_ns = xcalloc(room, sizeof *u.own_ns);
	u.depth = xcalloc(room, sizeof *u.depth);
	for (size_t i = next_of_class(a, CLASS_SETUP, 0); i < t->n;
		i = next_of_class(a, CLASS_SETUP, i + 1)) {
		uint32_t step = step_of_setup(a, i);
		int64_t end = row_end(t, (uint32_t)i);
		/* What crosses another thread's would count some time twice. */
		if (step == NO_ROW || (t->start_ns[i] < end_ns && end > end_ns))
			continue;
		end_ns = max64(end, end_ns);
		u.row[u.n] = (uint32_t)i;
		u.lane[u.n] = step;
		u.start_ns[u.n] = t->start_ns[i];
		u.own_ns[u.n] = u.dur_ns[u.n] = t->dur_ns[i];
		u.n++;
	}
	nest(&(struct nest_in){u.n, u.start_ns, u.dur_ns, u.lane, a->n_steps, NULL}, u.parent,
		u.depth);
	for (uint32_t i = 0; i < u.n; i++)
		if (u.parent[i] != NO_ROW)
			u.own_ns[u.parent[i]] -= u.dur_ns[i];
	return u;
}

static void setups_release(struct setups *u)
{
	free(u->row);
	free(u->lane);
	free(u->parent);
	free(u->start_ns);
	free(u->dur_ns);
	free(u->own_ns);
	free(u->depth);
}

ORDER(by_name, struct setup_sum, UP(name));

ORDER(by_sum, struct setup_sum, DOWN(ns) ?: UP(name));

/* Rows first .. first + n_setup of u are this step's. */
static void sum_setups(const struct trace *t, struct step *s, const struct setups *u,
	uint32_t first, struct arena *arena)
{
	uint32_t *row = arena_array(arena, s->n_setup, sizeof *row);
	struct setup_sum *sum = arena_array(arena, s->n_setup, sizeof *sum);
	for (uint32_t i = 0; i < s->n_setup; i++) {
		row[i] = u->row[first + i];
		sum[i] = (struct setup_sum){t->name[row[i]], 1, u->own_ns[first + i]};
		s->setup_ns += u->own_ns[first + i];
	}
	qsort(sum, s->n_setup, sizeof *sum, by_name);
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_setup; i++) {
		if (n && sum[n - 1].name == sum[i].name) {
			sum[n - 1].calls++;
			sum[n - 1].ns += sum[i].ns;
		} else {
			sum[n++] = sum[i];
		}
	}
	qsort(sum, n, sizeof *sum, by_sum);
	s->setup = row;
	s->setup_sum = sum;
	s->n_setup_sums = n;
}

static void find_setups(struct analysis *a, struct arena *arena)
{
	struct setups u = gather_setups(a);
	for (uint32_t i = 0; i < u.n; i++)
		a->steps[u.lane[i]].n_setup++;
	for (uint32_t i = 0; i < u.n; i += a->steps[u.lane[i]].n_setup)
		sum_setups(a->trace, &a->steps[u.lane[i]], &u, i, arena);
	setups_release(&u);
}

/* A profiler that is stopped one step late leaves one in which nothing was launched. */
static void drop_empty_end(struct analysis *a)
{
	uint32_t n = a->n_steps;
	for (const struct step *s = a->steps + n; n; n--, s--)
		if (s[-1].n_device || s[-1].launches || s[-1].copy_calls)
			break;
	a->n_steps = n ? n : a->n_steps;
}

void analyse_steps(struct analysis *a, struct arena *arena)
{
	a->main_track = find_main_track(a, arena);
	gather_steps(a, arena);
	if (!a->n_steps)
		return;
	fill_device_rows(a, arena);
	for (uint32_t i = 0; i < a->n_steps; i++)
		measure_device(a->trace, &a->steps[i]);
	count_calls(a);
	drop_empty_end(a);
	find_setups(a, arena);
}
