/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/launches.h"

#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"
#include "report/trace/row_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A row that launched something. */
struct launcher {
	uint32_t row;
	uint32_t events, kernels; /* on the device */
};

/* What is kept while walking: who launched what. */
struct walk {
	const struct analysis *a;
	struct launch_stats *l;
	struct launcher *launcher; /* (n) by row */
	uint32_t n;
	uint32_t *call; /* (a->n_device) index into launcher, NO_ROW */
	int64_t *sample; /* room for one per kernel */
	struct arena arena;
};

static void number_launchers(struct walk *w)
{
	const struct analysis *a = w->a;
	struct row_set s = row_set_below(&w->arena, a->trace->n);
	for (size_t i = 0; i < a->n_device; i++)
		if (a->device_calls[i] != NO_ROW)
			row_set_add(&s, a->device_calls[i]);
	row_set_number(&s);
	w->n = s.n;
	w->launcher = arena_array(&w->arena, w->n, sizeof *w->launcher);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t call = a->device_calls[i];
		w->call[i] = call == NO_ROW ? NO_ROW : row_set_place(&s, call);
	}
}

static void count_work(struct walk *w)
{
	const struct trace *t = w->a->trace;
	number_launchers(w);
	for (size_t i = 0; i < w->a->n_device; i++) {
		bool kernel = t->kind[w->a->device_rows[i]] == EVENT_KERNEL;
		uint32_t call = w->call[i];
		w->l->n_unlinked += kernel && call == NO_ROW;
		w->l->n_kernels += kernel && call != NO_ROW;
		if (call == NO_ROW)
			continue;
		w->launcher[call].row = w->a->device_calls[i];
		w->launcher[call].events++;
		w->launcher[call].kernels += kernel;
	}
}

static void look_at_call(struct walk *w, const struct launcher *x)
{
	const struct trace *t = w->a->trace;
	struct launch_stats *l = w->l;
	uint32_t call = x->row;
	w->sample[l->n_calls++] = t->dur_ns[call];
	l->n_slow += t->dur_ns[call] > LAUNCH_SLOW_NS;
	if (l->slowest == NO_ROW || t->dur_ns[call] > t->dur_ns[l->slowest])
		l->slowest = call;
	if (!(host_traits(w->a, call) & TRAIT_GRAPH))
		return;
	l->n_graphs++;
	l->n_graph_kernels += x->kernels;
	if (x->kernels > l->largest_graph)
		l->largest_graph = x->kernels;
}

static void look_at_calls(struct walk *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->launcher[i].kernels)
			look_at_call(w, &w->launcher[i]);
	w->l->call = stats_of(w->sample, w->l->n_calls);
}

/* *longest is the longest queue so far, *queued the number of samples of the queue so far. */
static void look_at_kernel(
	struct walk *w, uint32_t row, const struct launcher *by, int64_t *longest, size_t *queued)
{
	const struct trace *t = w->a->trace;
	struct launch_stats *l = w->l;
	uint32_t call = by->row;
	int64_t queue = t->start_ns[row] - row_end(t, call);
	int64_t end = max64(row_end(t, row), row_end(t, call));
	l->total_ns += end - t->start_ns[call];
	l->n_early += t->start_ns[row] < t->start_ns[call];
	if (by->kernels == 1 && !(host_traits(w->a, call) & TRAIT_GRAPH)) {
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
			look_at_kernel(w, row, &w->launcher[w->call[i]], &longest, &queued);
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

/* Launchers and what they launched, in the order of the rows. */
static void measure_queue(struct walk *w)
{
	const struct trace *t = w->a->trace;
	struct queue q = {0};
	uint32_t next = 0;
	for (size_t i = 0; i <= w->a->n_device; i++) {
		uint32_t row = i < w->a->n_device ? w->a->device_rows[i] : NO_ROW;
		for (; next < w->n && w->launcher[next].row <= row; next++)
			if (w->launcher[next].events)
				change_queue(&q, w->l, t->start_ns[w->launcher[next].row],
					w->launcher[next].events);
		uint32_t call = i < w->a->n_device ? w->call[i] : NO_ROW;
		if (call == NO_ROW)
			continue;
		if (w->launcher[call].row < row)
			change_queue(&q, w->l, t->start_ns[row], -1);
		else
			w->launcher[call].events--;
	}
	if (q.since_ns > q.begin_ns)
		w->l->queue_mean = q.area / (double)(q.since_ns - q.begin_ns);
}

struct launch_stats launch_stats_of(const struct analysis *a)
{
	struct launch_stats l = {.slowest = NO_ROW, .latest = NO_ROW};
	struct walk w = {.a = a, .l = &l};
	w.sample = xcalloc(a->n_kernels, sizeof *w.sample);
	w.call = xcalloc(a->n_device, sizeof *w.call);
	count_work(&w);
	look_at_calls(&w);
	look_at_kernels(&w);
	l.short_share = l.n_single ? (double)l.n_short / (double)l.n_single : 0;
	l.launch_bound = 2 * l.n_short > l.n_kernels && l.kernel.median < LAUNCH_SMALL_NS;
	measure_queue(&w);
	free(w.call);
	free(w.sample);
	arena_release(&w.arena);
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
