/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/parts.h"

#include <stdlib.h>

/* When the first launch of the first step that has one began; without steps the first launch of
 * all. */
static int64_t first_launch_ns(const struct analysis *a)
{
	const struct trace *t = a->trace;
	for (size_t i = 0; i < t->n; i++)
		if (is_outer_call(t, (uint32_t)i) &&
			(a->class[i] == CLASS_LAUNCH || a->class[i] == CLASS_COPY_CALL) &&
			(!a->n_steps || analysis_step_at(a, t->start_ns[i]) != NO_ROW))
			return t->start_ns[i];
	return a->n_device ? t->start_ns[a->device_rows[0]] : 0;
}

/* The union of kernels that do not communicate and of fills. */
static int64_t computed_between(const struct analysis *a, int64_t from_ns, int64_t to_ns)
{
	const struct trace *t = a->trace;
	int64_t sum = 0, done = from_ns;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		int64_t start = t->start_ns[row] > done ? t->start_ns[row] : done;
		int64_t end = row_end(t, row) < to_ns ? row_end(t, row) : to_ns;
		if (end <= start || t->kind[row] == EVENT_MEMCPY ||
			a->class[row] == CLASS_COMMUNICATION)
			continue;
		sum += end - start;
		done = end;
	}
	return sum;
}

static void set_shares(struct regime_judgement *r, const struct analysis *a)
{
	int64_t from = first_launch_ns(a), to = from;
	for (size_t i = 0; i < a->n_device; i++) {
		int64_t end = row_end(a->trace, a->device_rows[i]);
		to = end > to ? end : to;
	}
	if (to == from)
		return;
	r->busy_share = (double)busy_between(a, from, to, false) / (double)(to - from);
	r->compute_share = (double)computed_between(a, from, to) / (double)(to - from);
}

/* Of calls that caused several copies, graphs for one, each counts once. */
static int64_t blocked_ns(const struct analysis *a)
{
	const struct trace *t = a->trace;
	int64_t sum = 0;
	if (!a->n_copies)
		return 0;
	uint8_t *seen = xcalloc(t->n, 1);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = analysis_launch_of(t, row);
		if (t->kind[row] != EVENT_MEMCPY || call == NO_ROW || seen[call] ||
			a->class[call] != CLASS_COPY_CALL || row_end(t, call) < row_end(t, row))
			continue;
		seen[call] = 1;
		sum += t->dur_ns[call];
	}
	free(seen);
	return sum;
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
		both && r->compute_share >= limits->busy &&
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
	if (!r->self_device_ns || !r->self_cpu_ns)
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
	r->self_cpu_ns = a->profiler_table.self_cpu_ns;
	r->self_device_ns = a->profiler_table.self_device_ns;
	for (size_t i = 0; i < t->n; i++) {
		if (a->class[i] == CLASS_SYNC && is_outer_call(t, (uint32_t)i))
			r->wait_ns += t->dur_ns[i];
		if (t->kind[i] == EVENT_OVERHEAD)
			r->overhead_ns += t->dur_ns[i];
	}
	r->blocked_ns = blocked_ns(a);
	r->wait_ns += r->blocked_ns;
	r->dispatch_ns = r->self_cpu_ns - r->wait_ns - r->overhead_ns;
	r->dispatch_ns = r->dispatch_ns > 0 ? r->dispatch_ns : 0;
	if (!r->self_device_ns || !r->self_cpu_ns)
		return;
	r->ratio = (double)r->self_cpu_ns / (double)r->self_device_ns;
	set_shares(r, a);
	analysis_judge_regime(a, &limits);
}
