/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"

#include <stdlib.h>

static int64_t least(int64_t a, int64_t b)
{
	return min64(a, b);
}

static int64_t most(int64_t a, int64_t b)
{
	return max64(a, b);
}

/* A window shows its subject and an eighth of its length on both sides, so that its ends are seen.
 */
static void set_subject(struct subject *s, int64_t from_ns, int64_t to_ns, int64_t moment_ns)
{
	int64_t margin = (to_ns - from_ns) / 8 + 1;
	s->from_ns = from_ns;
	s->to_ns = most(to_ns, from_ns + 1);
	s->room_from_ns = from_ns - margin;
	s->room_to_ns = s->to_ns + margin;
	s->moment_ns = most(from_ns, least(moment_ns, s->to_ns));
}

static void add_row(struct subject *s, uint32_t row)
{
	s->window.row[s->window.n_rows++] = row;
}

static int64_t median_of(int64_t *sample, size_t n)
{
	return n ? (int64_t)stats_median(sample, n) : 0;
}

/* ---- the longest gap ---- */

static int64_t median_gap(const struct idle_causes *l)
{
	int64_t *sample = xcalloc(l->n_gaps, sizeof *sample);
	for (size_t i = 0; i < l->n_gaps; i++)
		sample[i] = analysis_gap(l->of, i).dur_ns;
	int64_t median = median_of(sample, l->n_gaps);
	free(sample);
	return median;
}

/* What ended the gap is at its end. */
bool find_gap(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	(void)a;
	for (uint32_t i = 0; i < l->n_longest; i++) {
		struct idle_gap g = idle_gap_at(l, l->longest[i]);
		int64_t end = g.start_ns + g.dur_ns;
		if (g.cause == IDLE_BEFORE || g.cause == IDLE_AFTER)
			continue;
		set_subject(s, g.start_ns, end, end);
		add_row(s, g.before);
		add_row(s, g.after);
		add_row(s, g.launch);
		add_row(s, g.waited);
		s->window.value_ns = g.dur_ns;
		s->window.typical_ns = median_gap(l);
		s->window.index = l->longest[i];
		return true;
	}
	return false;
}

/* ---- spans by their self time ---- */

/* Rows [first, end) of one track or of all (NO_ROW), those that end in time. */
struct span_search {
	uint32_t first, end, track;
	int64_t in_time_ns;
};

static bool is_host_span(const struct trace *t, uint32_t row)
{
	return event_on_host(t->kind[row]) && !t->tracks[t->track[row]].async;
}

/* The host span with the most time outside of its own children. */
static uint32_t span_with_most_self(
	const struct trace *t, const struct span_search *q, int64_t *self_ns)
{
	int64_t *self = xcalloc(q->end - q->first, sizeof *self);
	uint32_t best = NO_ROW;
	for (uint32_t i = q->first; i < q->end; i++) {
		if (!is_host_span(t, i) || (q->track != NO_ROW && t->track[i] != q->track))
			continue;
		self[i - q->first] += t->dur_ns[i];
		if (t->parent[i] != NO_ROW && t->parent[i] >= q->first)
			self[t->parent[i] - q->first] -= t->dur_ns[i];
	}
	for (uint32_t i = q->first; i < q->end; i++)
		if (self[i - q->first] > (best == NO_ROW ? 0 : self[best - q->first]) &&
			row_end(t, i) <= q->in_time_ns)
			best = i;
	*self_ns = best == NO_ROW ? 0 : self[best - q->first];
	free(self);
	return best;
}

/* ---- the widest step ---- */

static uint32_t widest_step(const struct analysis *a, int64_t *median_ns)
{
	int64_t *sample = xcalloc(a->n_steps, sizeof *sample);
	uint32_t widest = 0;
	for (uint32_t i = 0; i < a->n_steps; i++) {
		sample[i] = a->steps[i].dur_ns;
		widest = a->steps[i].dur_ns > a->steps[widest].dur_ns ? i : widest;
	}
	*median_ns = median_of(sample, a->n_steps);
	free(sample);
	return widest;
}

/* Of steps that last alike the longest says nothing. */
static bool stands_out(int64_t ns, int64_t typical_ns)
{
	enum { LEAST_TENTH = 10 };
	return ns - typical_ns >= typical_ns / LEAST_TENTH;
}

bool find_step(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	(void)l;
	const struct trace *t = a->trace;
	if (a->n_steps < 2) /* the overview shows it */
		return false;
	uint32_t at = widest_step(a, &s->window.typical_ns);
	const struct step *step = &a->steps[at];
	if (!stands_out(step->dur_ns, s->window.typical_ns))
		return false;
	int64_t end = step->start_ns + step->dur_ns, self;
	struct span_search q = {
		step->row + 1, (uint32_t)events_between(t, INT64_MIN, end), a->main_track, end};
	uint32_t hot = q.first < q.end ? span_with_most_self(t, &q, &self) : NO_ROW;
	set_subject(s, step->start_ns, end, hot == NO_ROW ? step->start_ns : t->start_ns[hot]);
	s->room_to_ns = most(s->room_to_ns, least(step->device_end_ns, end + step->dur_ns / 2));
	add_row(s, step->row);
	add_row(s, hot);
	s->window.value_ns = step->dur_ns;
	s->window.index = at;
	return true;
}

/* ---- the hottest kernel ---- */

/* The longest event of the activity that can be shown together with its launch; without any, the
 * one closest to its launch; without launches, the longest. */
static uint32_t choose_event(const struct trace *t, const struct activity *act)
{
	uint32_t longest = NO_ROW, closest = act->row[0];
	size_t fewest = SIZE_MAX;
	for (size_t i = 0; i < act->calls; i++) {
		uint32_t row = act->row[i], call = analysis_launch_of(t, row);
		size_t events = SIZE_MAX;
		if (call != NO_ROW)
			events = events_between(t, least(t->start_ns[call], t->start_ns[row]),
				most(row_end(t, row), row_end(t, call)));
		if (events <= WINDOW_EVENTS &&
			(longest == NO_ROW || t->dur_ns[row] > t->dur_ns[longest]))
			longest = row;
		if (events < fewest || (events == fewest && t->dur_ns[row] > t->dur_ns[closest])) {
			fewest = events;
			closest = row;
		}
	}
	return longest != NO_ROW ? longest : closest;
}

bool find_kernel(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	/* Beside a launch much longer ago the kernel could not be seen. */
	enum { KERNEL_SEEN = 12 };
	(void)l;
	const struct trace *t = a->trace;
	for (uint32_t i = 0; i < a->n_activities; i++) {
		const struct activity *act = &a->activities[i];
		if (t->kind[act->row[0]] != EVENT_KERNEL)
			continue;
		uint32_t row = choose_event(t, act), call = analysis_launch_of(t, row);
		int64_t from = t->start_ns[row], to = row_end(t, row);
		int64_t begin = call == NO_ROW ? from : least(from, t->start_ns[call]);
		if (events_between(t, begin, to) > WINDOW_EVENTS ||
			from - begin > KERNEL_SEEN * (to - from))
			begin = from;
		set_subject(s, begin, to, from);
		add_row(s, row);
		add_row(s, call);
		s->window.value_ns = t->dur_ns[row];
		s->window.typical_ns = (int64_t)act->dur.median;
		s->window.count = act->calls;
		s->window.index = i;
		return true;
	}
	return false;
}

/* ---- launches ---- */

/* Calls that launch kernels, by start; the caller frees. */
static uint32_t *kernel_calls(const struct analysis *a, size_t *n)
{
	const struct trace *t = a->trace;
	uint32_t *call = xcalloc(a->n_launches, sizeof *call);
	*n = 0;
	for (uint32_t i = 0; i < t->n && *n < a->n_launches; i++)
		if (a->class[i] == CLASS_LAUNCH && is_outer_call(t, i))
			call[(*n)++] = i;
	return call;
}

static uint32_t first_launched(const struct analysis *a)
{
	const struct trace *t = a->trace;
	uint32_t first = NO_ROW, first_call = NO_ROW;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = a->device_calls[i];
		if (t->kind[row] == EVENT_KERNEL && call != NO_ROW && call < first_call) {
			first_call = call;
			first = row;
		}
	}
	return first;
}

static int64_t median_launch(const struct analysis *a)
{
	const struct trace *t = a->trace;
	int64_t *sample = xcalloc(a->n_kernels, sizeof *sample);
	size_t n = 0;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = a->device_calls[i];
		if (t->kind[row] == EVENT_KERNEL && call != NO_ROW)
			sample[n++] = t->start_ns[row] - t->start_ns[call];
	}
	int64_t median = median_of(sample, n);
	free(sample);
	return median;
}

bool find_first(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	(void)l;
	const struct trace *t = a->trace;
	uint32_t kernel = first_launched(a);
	if (kernel == NO_ROW)
		return false;
	uint32_t call = analysis_launch_of(t, kernel), op = analysis_op_of(t, call);
	int64_t from = least(t->start_ns[call], t->start_ns[kernel]);
	set_subject(s, from, most(row_end(t, kernel), row_end(t, call)), from);
	if (op != NO_ROW)
		s->room_from_ns = least(s->room_from_ns, t->start_ns[op]);
	add_row(s, call);
	add_row(s, kernel);
	add_row(s, op);
	s->window.value_ns = t->start_ns[kernel] - t->start_ns[call];
	s->window.typical_ns = median_launch(a);
	return true;
}

/* How many in a row make a burst of n. */
static size_t burst_of(size_t n)
{
	size_t k = min_size(n / 4, WINDOW_BURST);
	return k < 8 ? 0 : k;
}

/* The k rows in a row, of n by start, that take least time from the first one's begin to the last
 * one's; the first of them. */
static size_t densest(
	const struct trace *t, const uint32_t *row, size_t n, size_t k, int64_t *typical_ns)
{
	int64_t *sample = xcalloc(n - k + 1, sizeof *sample);
	size_t best = 0;
	for (size_t i = 0; i + k <= n; i++) {
		sample[i] = t->start_ns[row[i + k - 1]] - t->start_ns[row[i]];
		best = sample[i] < sample[best] ? i : best;
	}
	*typical_ns = median_of(sample, n - k + 1);
	free(sample);
	return best;
}

/* Fewer in a row where so many, with all that happens between them, are too much to show. */
static bool set_burst(struct subject *s, const struct trace *t, const uint32_t *row, size_t n)
{
	size_t k = burst_of(n), at = 0;
	if (!k)
		return false;
	for (;; k /= 2) {
		at = densest(t, row, n, k, &s->window.typical_ns);
		int64_t to = row_end(t, row[at + k - 1]);
		if (k < 16 || events_between(t, t->start_ns[row[at]], to) <= WINDOW_EVENTS)
			break;
	}
	uint32_t first = row[at], last = row[at + k - 1];
	set_subject(s, t->start_ns[first], row_end(t, last), t->start_ns[first]);
	add_row(s, first);
	add_row(s, last);
	s->window.value_ns = t->start_ns[last] - t->start_ns[first];
	s->window.count = k;
	return true;
}

bool find_burst(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	(void)l;
	size_t n;
	uint32_t *call = kernel_calls(a, &n);
	bool found = set_burst(s, a->trace, call, n);
	free(call);
	return found;
}

/* ---- without a device ---- */

bool find_span(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	(void)l;
	const struct trace *t = a->trace;
	int64_t self;
	if (a->n_device)
		return false;
	struct span_search q = {0, (uint32_t)t->n, NO_ROW, INT64_MAX};
	uint32_t row = span_with_most_self(t, &q, &self);
	if (row == NO_ROW)
		return false;
	set_subject(s, t->start_ns[row], row_end(t, row), t->start_ns[row]);
	add_row(s, row);
	s->window.value_ns = self;
	s->window.typical_ns = t->dur_ns[row];
	return true;
}

bool find_deepest(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	(void)l;
	const struct trace *t = a->trace;
	uint32_t deepest = NO_ROW;
	for (uint32_t i = 0; i < t->n && !a->n_device; i++)
		if (is_host_span(t, i) && t->depth[i] > (deepest == NO_ROW ? 0 : t->depth[deepest]))
			deepest = i;
	if (deepest == NO_ROW)
		return false;
	set_subject(s, t->start_ns[deepest], row_end(t, deepest), t->start_ns[deepest]);
	if (t->parent[deepest] != NO_ROW) {
		s->room_from_ns = least(s->room_from_ns, t->start_ns[t->parent[deepest]]);
		s->room_to_ns = most(s->room_to_ns, row_end(t, t->parent[deepest]));
	}
	add_row(s, deepest);
	s->window.count = t->depth[deepest];
	return true;
}

static uint32_t fullest_thread(const struct trace *t)
{
	uint32_t fullest = NO_ROW, *n = xcalloc(t->n_tracks + 1, sizeof *n);
	for (uint32_t i = 0; i < t->n; i++)
		n[t->track[i]] += is_host_span(t, i);
	for (uint32_t k = 0; k < t->n_tracks; k++)
		if (n[k] && (fullest == NO_ROW || n[k] > n[fullest]))
			fullest = k;
	free(n);
	return fullest;
}

bool find_densest(const struct analysis *a, const struct idle_causes *l, struct subject *s)
{
	(void)l;
	const struct trace *t = a->trace;
	size_t n = 0;
	uint32_t track = a->n_device ? NO_ROW : fullest_thread(t);
	if (track == NO_ROW)
		return false;
	uint32_t *row = xcalloc(t->n, sizeof *row);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->track[i] == track && is_host_span(t, i))
			row[n++] = i;
	bool found = set_burst(s, t, row, n) && s->window.value_ns > 0;
	free(row);
	return found;
}
