/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/host/lane.h"

#include "experiments/host/attention.h"
#include "experiments/host/memory.h"
#include "experiments/host/pointwise_kernel.h"
#include "experiments/host/primitive_plans.h"
#include "experiments/host/row_kernels.h"

#include <dnnl_debug.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

void lane_init(struct lane *lane, int max_threads)
{
	*lane = (struct lane){.max_threads = max_threads};
	for (int i = 0; i < 2; i++) {
		recorder_init(&lane->recorder[i], LANE_SPANS);
		lane->recorder[i].thread = LANE_STREAM;
		lane->recorder[i].on = true;
	}
}

void lane_release(struct lane *lane)
{
	for (int i = 0; i < 2; i++)
		recorder_release(&lane->recorder[i]);
	if (lane->stream)
		dnnl_stream_destroy(lane->stream);
	lane->stream = NULL;
}

static struct span *begin(
	struct lane *lane, const struct work *w, enum span_kind kind, int64_t bytes)
{
	if (!w->recorded)
		return NULL;
	struct recorder *r = &lane->recorder[lane->filling];
	struct span *s = span_begin(r, kind, w->name);
	if (s) {
		s->correlation = w->correlation;
		s->bytes = bytes;
	}
	return s;
}

static struct span *begin_setup(struct lane *lane, const struct work *w, const char *name)
{
	struct work setup = {.recorded = w->recorded, .name = name};
	struct span *s = begin(lane, &setup, SPAN_SETUP, 0);
	if (s)
		s->thread = (uint32_t)gettid();
	return s;
}

static void tell_wake_up(struct lane *lane, const struct work *w)
{
	if (!lane->thread_asked_ns)
		return;
	struct span *s = begin_setup(lane, w, "queue thread's first wake-up");
	if (s)
		s->start_ns = lane->thread_asked_ns;
	span_end(s);
	lane->thread_asked_ns = 0;
}

/* The workers are started before the first kernel that wants them, otherwise that kernel would
 * hold the cost. */
static void start_team(struct lane *lane, const struct work *w, int threads)
{
	if (threads <= lane->team || threads == 1)
		return;
	struct span *s = begin_setup(lane, w, "OpenMP team start");
#pragma omp parallel num_threads(threads)
	__asm__ volatile("");
	span_end(s);
	lane->team = threads;
}

static dnnl_status_t take_stream(struct lane *lane, const struct plan *plan)
{
	dnnl_engine_t engine;
	if (lane->stream)
		return dnnl_success;
	dnnl_status_t status = dnnl_memory_get_engine(plan->argument[0].memory, &engine);
	return status ? status
		      : dnnl_stream_create(&lane->stream, engine, dnnl_stream_default_flags);
}

static void run_primitive(struct lane *lane, const struct work *w)
{
	struct plan *plan = w->plan;
	start_team(lane, w, plan->threads);
	omp_set_num_threads(plan->threads);
	dnnl_status_t status = take_stream(lane, plan);
	if (!status)
		status = plan_bind(plan, w->pointer);
	struct span *s = begin(lane, w, SPAN_KERNEL, 0);
	if (!status)
		status = dnnl_primitive_execute(
			plan->primitive, lane->stream, plan->n_arguments, plan->argument);
	if (!status)
		status = dnnl_stream_wait(lane->stream);
	span_end(s);
	if (status)
		fail(&lane->err, "kernel \"%s\" failed in the host queue: %s", w->name,
			dnnl_status2str(status));
}

static void run_generic(struct lane *lane, const struct work *w)
{
	const struct chain *c = &w->plan->key.of.chain;
	double bytes = (double)(c->n_inputs + 1) * (double)w->n *
		(double)dtype_bytes((enum dtype)c->dtype);
	int threads = threads_for_bytes(bytes, lane->max_threads);
	start_team(lane, w, threads);
	struct span *s = begin(lane, w, SPAN_KERNEL, 0);
	generic_run(c, w->n, w->pointer[0], w->pointer + 1, threads);
	span_end(s);
}

static void run_rows(struct lane *lane, const struct work *w)
{
	const struct whole_rows *rows = &w->plan->key.of.rows;
	int threads = threads_for_bytes(row_kernel_bytes(rows), lane->max_threads);
	start_team(lane, w, threads);
	struct span *s = begin(lane, w, SPAN_KERNEL, 0);
	row_kernel_run(rows, w->pointer, threads);
	span_end(s);
}

static void run_attention(struct lane *lane, const struct work *w)
{
	start_team(lane, w, w->plan->threads);
	struct span *s = begin(lane, w, SPAN_KERNEL, 0);
	dnnl_status_t status = attention_run(w->plan->attention, w->pointer[0], w->pointer + 1);
	span_end(s);
	if (status)
		fail(&lane->err, "kernel \"%s\" failed in the host queue: %s", w->name,
			dnnl_status2str(status));
}

static void run_copy(struct lane *lane, const struct work *w)
{
	unsigned char *to = w->pointer[0];
	const unsigned char *from = w->pointer[1];
	int threads = threads_for_bytes(2 * (double)w->n, lane->max_threads);
	start_team(lane, w, threads);
	struct span *s = begin(lane, w, SPAN_COPY, w->n);
	if (threads == 1) {
		memcpy(to, from, (size_t)w->n);
	} else {
#pragma omp parallel for num_threads(threads) schedule(static)
		for (int t = 0; t < threads; t++) {
			int64_t first = w->n / 64 * t / threads * 64;
			int64_t end = t + 1 < threads ? w->n / 64 * (t + 1) / threads * 64 : w->n;
			memcpy(to + first, from + first, (size_t)(end - first));
		}
	}
	span_end(s);
}

static void run_graph(struct lane *lane, const struct work *w)
{
	for (size_t i = 0; i < w->graph->n; i++) {
		struct work node = w->graph->work[i];
		node.correlation = w->correlation;
		node.recorded = w->recorded;
		lane_run(lane, &node);
	}
}

void lane_run(void *context, const struct work *w)
{
	struct lane *lane = context;
	tell_wake_up(lane, w);
	switch (w->kind) {
	case WORK_PLAN:
		if (w->plan->primitive)
			run_primitive(lane, w);
		else if (w->plan->attention)
			run_attention(lane, w);
		else if (w->plan->key.kind == PLAN_ROWS)
			run_rows(lane, w);
		else
			run_generic(lane, w);
		break;
	case WORK_COPY:
		run_copy(lane, w);
		break;
	case WORK_GRAPH:
		run_graph(lane, w);
		break;
	case WORK_FREE:
		memory_free(w->memory);
		break;
	}
}
