/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "report/analyse/account.h"
#include "report/analyse/analysis_stages.h"
#include "report/trace/row_set.h"

#include <stdlib.h>
#include <string.h>

/* Where the judged part of the recording begins: behind the first of several steps, which may be
 * cold, as all times of a step leave it out. Everything where no later step has device work. */
static int64_t judged_from_ns(const struct analysis *a)
{
	const struct step *first = a->steps;
	for (uint32_t i = 1; i < a->n_steps; i++)
		if (a->steps[i].n_device)
			return first->start_ns + first->dur_ns;
	return INT64_MIN;
}

/* When the first launch of the first judged step that has one began; without steps the first
 * launch of all. */
static int64_t first_launch_ns(const struct analysis *a, int64_t from_ns)
{
	const struct trace *t = a->trace;
	for (size_t i = 0; i < a->n_calls; i++) {
		uint32_t row = a->calls[i];
		if (t->start_ns[row] >= from_ns &&
			(a->class[row] == CLASS_LAUNCH || a->class[row] == CLASS_COPY_CALL) &&
			(!a->n_steps || analysis_step_at(a, t->start_ns[row]) != NO_ROW))
			return t->start_ns[row];
	}
	return a->n_device ? t->start_ns[a->device_rows[0]] : 0;
}

/* Was a device event launched in the judged part? Without a launch its own start says it. */
static bool is_judged(const struct analysis *a, size_t device, int64_t from_ns)
{
	uint32_t call = a->device_calls[device];
	return a->trace->start_ns[call == NO_ROW ? a->device_rows[device] : call] >= from_ns;
}

/* The device is looked at from where it could begin with the judged part: what it still owes to the
 * first step, or how late that woke it, says nothing of the later ones. */
static void set_shares(struct regime_judgement *r, const struct analysis *a, int64_t from_ns)
{
	int64_t from = first_launch_ns(a, from_ns), to = from;
	for (size_t i = 0; i < a->n_device; i++) {
		int64_t end = row_end(a->trace, a->device_rows[i]);
		if (!is_judged(a, i, from_ns))
			from = max64(end, from);
		else
			to = max64(end, to);
	}
	if (to <= from)
		return;
	const struct device_sums sums = account_device(a, (struct time_span){from, to}, NULL, NULL);
	r->busy_share = (double)(to - from - sums.ns[DEVICE_IDLE]) / (double)(to - from);
	r->compute_share = (double)sums.whole_ns[DEVICE_COMPUTING] / (double)(to - from);
}

/* Of calls that caused several copies, graphs for one, each counts once. */
static int64_t blocked_ns(const struct analysis *a, int64_t from_ns)
{
	const struct trace *t = a->trace;
	int64_t sum = 0;
	if (!a->n_copies)
		return 0;
	struct arena scratch = {0};
	struct row_set seen = row_set_below(&scratch, t->n);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = a->device_calls[i];
		if (t->kind[row] != EVENT_MEMCPY || call == NO_ROW || row_set_has(&seen, call) ||
			a->class[call] != CLASS_COPY_CALL || t->start_ns[call] < from_ns ||
			row_end(t, call) < row_end(t, row))
			continue;
		row_set_add(&seen, call);
		sum += t->dur_ns[call];
	}
	arena_release(&scratch);
	return sum;
}

/* Synchronising calls, and copy calls as long as their copy. */
static int64_t waited_ns(const struct analysis *a, int64_t from_ns)
{
	const struct trace *t = a->trace;
	int64_t sum = blocked_ns(a, from_ns);
	for (size_t i = 0; i < a->n_calls; i++) {
		uint32_t row = a->calls[i];
		if (a->class[row] == CLASS_SYNC && t->start_ns[row] >= from_ns)
			sum += t->dur_ns[row];
	}
	return sum;
}

/* Is it time of the profiler table on its own thread? The recorder's rows have one of their own,
 * but stand in the span that contains them. */
static bool is_host_time(const struct trace *t, uint32_t row, int64_t reach_ns)
{
	uint8_t kind = t->kind[row];
	return kind == EVENT_OP || kind == EVENT_ANNOTATION || event_is_call(kind) ||
		(kind == EVENT_OVERHEAD && row_end(t, row) > reach_ns);
}

/* The host's time before the judged part, nested rows counted once. Of a thread that does not have
 * the steps, what began before counts to its end. */
static int64_t earlier_cpu_ns(const struct analysis *a, int64_t from_ns)
{
	const struct trace *t = a->trace;
	int64_t *done = xcalloc(t->n_tracks, sizeof *done), sum = 0, reach = INT64_MIN;
	for (uint32_t i = 0; i < t->n_tracks; i++)
		done[i] = INT64_MIN;
	for (uint32_t i = 0; i < t->n && t->start_ns[i] < from_ns; i++) {
		if (!is_host_time(t, i, reach))
			continue;
		int64_t *at = &done[t->track[i]];
		int64_t start = max64(t->start_ns[i], *at), end = row_end(t, i);
		reach = max64(end, reach);
		if (t->track[i] == a->main_track && end > from_ns)
			end = from_ns;
		if (end <= start)
			continue;
		sum += end - start;
		*at = end;
	}
	free(done);
	return sum;
}

static int64_t earlier_device_ns(const struct analysis *a, int64_t from_ns)
{
	int64_t sum = 0;
	for (size_t i = 0; i < a->n_device; i++)
		sum += is_judged(a, i, from_ns) ? 0 : a->trace->dur_ns[a->device_rows[i]];
	return sum;
}

/* Threads beside the main one that put work in a queue. */
static bool find_other_launchers(const struct analysis *a, uint8_t *other)
{
	bool any = false;
	for (uint32_t i = 0; i < a->trace->n_tracks; i++) {
		other[i] = a->track_launches[i] && i != a->main_track;
		any |= other[i];
	}
	return any;
}

/* A stretch in which the main thread has no operator and no call, and how much of it another thread
 * fills from its first row to its last. */
struct hole {
	int64_t from_ns; /* where the main thread's last operator or call ended */
	int64_t range_end_ns; /* a range of the main thread is open until then */
	int64_t first_ns, last_ns; /* of the other threads' rows in it; INT64_MAX: none yet */
};

static int64_t filled(const struct hole *h, int64_t to_ns)
{
	int64_t to = min64(h->last_ns, to_ns);
	to = min64(to, h->range_end_ns);
	return to > h->first_ns ? to - h->first_ns : 0;
}

static int64_t handed_ns(const struct analysis *a, int64_t from_ns)
{
	const struct trace *t = a->trace;
	uint8_t *other = xcalloc(t->n_tracks, 1);
	struct hole h = {from_ns, INT64_MIN, INT64_MAX, INT64_MIN};
	int64_t sum = 0;
	size_t n = find_other_launchers(a, other) ? t->n : 0;
	for (size_t i = 0; i < n; i++) {
		if (!event_on_host(t->kind[i]))
			continue;
		bool works = t->kind[i] == EVENT_OP || event_is_call(t->kind[i]);
		int64_t start = t->start_ns[i], end = row_end(t, (uint32_t)i);
		if (works && other[t->track[i]]) {
			start = max64(start, h.from_ns);
			h.first_ns = end > start && start < h.first_ns ? start : h.first_ns;
			h.last_ns = max64(end, h.last_ns);
		}
		if (t->track[i] != a->main_track)
			continue;
		if (t->kind[i] == EVENT_ANNOTATION && end > h.range_end_ns)
			h.range_end_ns = end;
		if (!works || end <= h.from_ns)
			continue;
		sum += start > h.from_ns ? filled(&h, start) : 0;
		h.from_ns = end;
		h.first_ns = h.last_ns > end ? end : INT64_MAX;
	}
	free(other);
	return sum + filled(&h, INT64_MAX);
}

static bool is_loader(const char *name)
{
	return traits_of_host(name) & TRAIT_LOADER;
}

static bool loads(const struct analysis *a, uint32_t row)
{
	return row != NO_ROW && host_traits(a, row) & TRAIT_LOADER;
}

static int64_t loading_ns(const struct analysis *a, int64_t from_ns)
{
	const struct trace *t = a->trace;
	int64_t sum = 0;
	for (size_t i = 0; i < a->profiler_table.n; i++)
		if (is_loader(a->profiler_table.row[i].name))
			sum += a->profiler_table.row[i].self_cpu_ns;
	for (uint32_t i = 0; sum && i < t->n && t->start_ns[i] < from_ns; i++)
		sum -= ((int)loads(a, i) - (int)loads(a, t->parent[i])) * t->dur_ns[i];
	return max64(sum, 0);
}

struct regime_test regime_overhead(
	const struct regime_judgement *r, const struct overhead_limits *limits)
{
	bool idle = r->self_device_ns && r->self_cpu_ns && r->busy_share < limits->busy;
	return (struct regime_test){
		idle && r->ratio >= limits->ratio, idle && r->dispatch_ns > r->self_device_ns};
}

struct regime_test regime_compute(
	const struct regime_judgement *r, const struct compute_limits *limits)
{
	double cpu = (double)r->self_cpu_ns, device = (double)r->self_device_ns;
	bool alike = r->ratio >= limits->ratio && r->ratio * limits->ratio <= 1 &&
		cpu >= limits->least_ns && device >= limits->least_ns;
	bool both = r->self_device_ns && r->self_cpu_ns;
	return (struct regime_test){both && alike && r->compute_share >= limits->busy_plain,
		both && r->compute_share >= limits->busy && r->dispatch_ns <= r->self_device_ns &&
			(double)r->wait_ns >= limits->waits * cpu};
}

static enum regime regime_of(bool overhead, bool compute)
{
	if (overhead == compute)
		return REGIME_MIXED;
	return overhead ? REGIME_OVERHEAD_BOUND : REGIME_COMPUTE_BOUND;
}

void analysis_judge_regime(struct analysis *a, const struct regime_limits *limits)
{
	struct regime_judgement *r = &a->regime;
	if (a->trace->ends_early || !r->self_device_ns || !r->self_cpu_ns)
		return;
	struct regime_test overhead = regime_overhead(r, &limits->overhead);
	struct regime_test compute = regime_compute(r, &limits->compute);
	r->plain = regime_of(overhead.plain, compute.plain);
	r->robust = regime_of(overhead.robust, compute.robust);
	r->regime = regime_of(overhead.plain || overhead.robust, compute.plain || compute.robust);
}

void analyse_regime(struct analysis *a)
{
	static const struct regime_limits limits = {{OVERHEAD_RATIO, OVERHEAD_BUSY},
		{COMPUTE_BUSY, COMPUTE_WAITS, COMPUTE_RATIO, COMPUTE_LEAST_NS, COMPUTE_BUSY_PLAIN}};
	const struct trace *t = a->trace;
	struct regime_judgement *r = &a->regime;
	int64_t from_ns = judged_from_ns(a);
	r->later = from_ns != INT64_MIN;
	r->self_cpu_ns = a->profiler_table.self_cpu_ns - earlier_cpu_ns(a, from_ns);
	r->self_cpu_ns = max64(r->self_cpu_ns, 0);
	r->self_device_ns = a->profiler_table.self_device_ns - earlier_device_ns(a, from_ns);
	for (size_t i = trace_next_of(t, EVENT_OVERHEAD, 0); i < t->n;
		i = trace_next_of(t, EVENT_OVERHEAD, i + 1))
		r->overhead_ns += t->start_ns[i] >= from_ns ? t->dur_ns[i] : 0;
	r->blocked_ns = blocked_ns(a, from_ns);
	r->wait_ns = waited_ns(a, from_ns);
	r->waited_ns = r->later ? waited_ns(a, INT64_MIN) : r->wait_ns;
	r->handed_ns = handed_ns(a, from_ns);
	r->loading_ns = loading_ns(a, from_ns);
	r->dispatch_ns =
		r->self_cpu_ns - r->wait_ns - r->overhead_ns - r->handed_ns - r->loading_ns;
	r->dispatch_ns = max64(r->dispatch_ns, 0);
	if (!r->self_device_ns || !r->self_cpu_ns)
		return;
	r->ratio = (double)r->self_cpu_ns / (double)r->self_device_ns;
	set_shares(r, a, from_ns);
	analysis_judge_regime(a, &limits);
}
