/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/launches.h"

#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is kept while walking: who launched what. */
struct walk {
	const struct analysis *a;
	struct launch_stats *l;
	uint32_t *call; /* (a->n_device) that launched each device row, NO_ROW */
	uint32_t *events; /* (n) device events of a call */
	uint32_t *kernels; /* (n) kernels among them */
	int64_t *sample; /* room for one per kernel */
};

static void count_work(struct walk *w)
{
	const struct trace *t = w->a->trace;
	for (size_t i = 0; i < w->a->n_device; i++) {
		uint32_t row = w->a->device_rows[i], call = w->a->device_calls[i];
		bool kernel = t->kind[row] == EVENT_KERNEL;
		w->call[i] = call;
		w->l->n_unlinked += kernel && call == NO_ROW;
		w->l->n_kernels += kernel && call != NO_ROW;
		if (call == NO_ROW)
			continue;
		w->events[call]++;
		w->kernels[call] += kernel;
	}
}

static void look_at_call(struct walk *w, uint32_t call)
{
	const struct trace *t = w->a->trace;
	struct launch_stats *l = w->l;
	w->sample[l->n_calls++] = t->dur_ns[call];
	l->n_slow += t->dur_ns[call] > LAUNCH_SLOW_NS;
	if (l->slowest == NO_ROW || t->dur_ns[call] > t->dur_ns[l->slowest])
		l->slowest = call;
	if (!(host_traits(w->a, call) & TRAIT_GRAPH))
		return;
	l->n_graphs++;
	l->n_graph_kernels += w->kernels[call];
	if (w->kernels[call] > l->largest_graph)
		l->largest_graph = w->kernels[call];
}

static void look_at_calls(struct walk *w)
{
	const struct trace *t = w->a->trace;
	for (uint32_t i = 0; i < t->n; i++)
		if (w->kernels[i])
			look_at_call(w, i);
	w->l->call = stats_of(w->sample, w->l->n_calls);
}

/* *longest is the longest queue so far, *queued the number of samples of the queue so far. */
static void look_at_kernel(
	struct walk *w, uint32_t row, uint32_t call, int64_t *longest, size_t *queued)
{
	const struct trace *t = w->a->trace;
	struct launch_stats *l = w->l;
	int64_t queue = t->start_ns[row] - row_end(t, call);
	int64_t end = max64(row_end(t, row), row_end(t, call));
	l->total_ns += end - t->start_ns[call];
	l->n_early += t->start_ns[row] < t->start_ns[call];
	if (w->kernels[call] == 1 && !(host_traits(w->a, call) & TRAIT_GRAPH)) {
		l->n_single++;
		l->n_short += t->dur_ns[row] < t->dur_ns[call];
	}
	if (queue <= 0)
		return;
	w->sample[(*queued)++] = queue;
	l->n_late += queue > LAUNCH_LATE_NS;
	if (queue <= *longest)
		return;
	*longest = queue;
	l->latest = row;
}

static void look_at_kernels(struct walk *w)
{
	const struct trace *t = w->a->trace;
	size_t queued = 0, n = 0;
	int64_t longest = 0;
	for (size_t i = 0; i < w->a->n_device; i++) {
		uint32_t row = w->a->device_rows[i];
		if (t->kind[row] == EVENT_KERNEL && w->call[i] != NO_ROW)
			look_at_kernel(w, row, w->call[i], &longest, &queued);
	}
	w->l->queue = stats_of(w->sample, queued);
	for (size_t i = 0; i < w->a->n_device; i++) {
		uint32_t row = w->a->device_rows[i];
		if (t->kind[row] == EVENT_KERNEL && w->call[i] != NO_ROW)
			w->sample[n++] = t->dur_ns[row];
	}
	w->l->kernel = stats_of(w->sample, n);
}

/* ---- the queue ---- */

/* The queue's length as a walk along the rows sees it. An event that starts before its call does
 * was never in the queue. */
struct queue {
	int64_t length, since_ns, begin_ns;
	double area; /* length times ns */
	bool begun;
};

static void change_queue(struct queue *q, struct launch_stats *l, int64_t at_ns, int64_t by)
{
	if (!q->begun)
		q->begin_ns = q->since_ns = at_ns;
	q->begun = true;
	q->area += (double)q->length * (double)(at_ns - q->since_ns);
	q->since_ns = at_ns;
	q->length += by;
	if (q->length <= l->queue_max)
		return;
	l->queue_max = (uint32_t)q->length;
	l->queue_max_at_ns = at_ns;
}

static void measure_queue(struct walk *w)
{
	const struct trace *t = w->a->trace;
	struct queue q = {0};
	size_t next = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (w->events[i])
			change_queue(&q, w->l, t->start_ns[i], w->events[i]);
		if (!event_on_device(t->kind[i]))
			continue;
		uint32_t call = w->call[next++];
		if (call == NO_ROW)
			continue;
		if (call < i)
			change_queue(&q, w->l, t->start_ns[i], -1);
		else
			w->events[call]--;
	}
	if (q.since_ns > q.begin_ns)
		w->l->queue_mean = q.area / (double)(q.since_ns - q.begin_ns);
}

struct launch_stats launch_stats_of(const struct analysis *a)
{
	struct launch_stats l = {.slowest = NO_ROW, .latest = NO_ROW};
	struct walk w = {.a = a, .l = &l};
	w.events = xcalloc(a->trace->n, sizeof *w.events);
	w.kernels = xcalloc(a->trace->n, sizeof *w.kernels);
	w.sample = xcalloc(a->n_kernels, sizeof *w.sample);
	w.call = xcalloc(a->n_device, sizeof *w.call);
	count_work(&w);
	look_at_calls(&w);
	look_at_kernels(&w);
	l.short_share = l.n_single ? (double)l.n_short / (double)l.n_single : 0;
	l.launch_bound = 2 * l.n_short > l.n_kernels && l.kernel.median < LAUNCH_SMALL_NS;
	measure_queue(&w);
	free(w.call);
	free(w.events);
	free(w.kernels);
	free(w.sample);
	return l;
}

static void dump_stats(const char *what, const struct stats *s, FILE *f)
{
	fprintf(f,
		"  %s n %zu total %" PRId64 " min %" PRId64
		" median %.1f mean %.1f p95 %.1f max %" PRId64 "\n",
		what, s->n, s->total, s->min, s->median, s->mean, s->p95, s->max);
}

void launch_stats_dump(const struct launch_stats *l, const struct analysis *a, FILE *f)
{
	const struct trace *t = a->trace;
	fprintf(f,
		"launches: %zu calls, %zu kernels, %zu unlinked, %zu early; %zu graphs of %zu kernels, "
		"largest %zu\n",
		l->n_calls, l->n_kernels, l->n_unlinked, l->n_early, l->n_graphs,
		l->n_graph_kernels, l->largest_graph);
	if (!l->n_calls)
		return;
	dump_stats("call", &l->call, f);
	dump_stats("queue", &l->queue, f);
	dump_stats("kernel", &l->kernel, f);
	fprintf(f, "  total %" PRId64 " short %zu of %zu (%.6f)%s\n", l->total_ns, l->n_short,
		l->n_single, l->short_share, l->launch_bound ? " launch-bound" : "");
	fprintf(f, "  slow calls %zu, the slowest row %" PRIu32 " %" PRId64 " ns\n", l->n_slow,
		l->slowest, t->dur_ns[l->slowest]);
	if (l->latest != NO_ROW)
		fprintf(f, "  late kernels %zu, the latest row %" PRIu32 "\n", l->n_late,
			l->latest);
	fprintf(f, "  queue at most %" PRIu32 " at %" PRId64 ", mean %.3f\n", l->queue_max,
		l->queue_max_at_ns, l->queue_mean);
}
