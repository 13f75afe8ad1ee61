/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gpu/gpu.h"

#include "experiments/cuda/cuda_fail.h"
#include "experiments/tensor_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct device_ops tracebook_device;

void gpu_ok(struct gpu *g, int status)
{
	if (!status)
		return;
	fprintf(stderr, "%s\n", g->err.text);
	exit(1);
}

void gpu_open(struct gpu *g)
{
	memset(g, 0, sizeof *g);
	g->call = &tracebook_device;
	recorder_init(&g->recorder, 1);
	g->device = g->call->open(&g->recorder, &g->err);
	gpu_ok(g, g->device ? 0 : -1);
}

void gpu_close(struct gpu *g)
{
	g->call->close(g->device);
	recorder_release(&g->recorder);
}

struct device_memory *gpu_random(struct gpu *g, int64_t n, enum dtype dtype, uint64_t seed)
{
	/* so many are different; more of them would only take time to make */
	const int64_t most = 4 << 20;
	size_t bytes = (size_t)n * dtype_bytes(dtype), made;
	char *values = xalloc(bytes);
	values_fill(values, dtype, (size_t)(n < most ? n : most), 1, seed);
	made = (size_t)(n < most ? n : most) * dtype_bytes(dtype);
	for (; made < bytes; made *= 2)
		memcpy(values + made, values, bytes - made < made ? bytes - made : made);
	struct device_memory *m = g->call->alloc(g->device, bytes, &g->err);
	gpu_ok(g, m ? g->call->upload(g->device, m, values, bytes, &g->err) : -1);
	free(values);
	return m;
}

static int by_value(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;
	return (a > b) - (a < b);
}

void gpu_times_add(struct gpu_times *a, const struct gpu_times *b)
{
	for (int i = 0; i < b->n && a->n < GPU_SAMPLES; i++)
		a->us[a->n++] = b->us[i];
	qsort(a->us, (size_t)a->n, sizeof *a->us, by_value);
	memcpy(a->name, b->name, sizeof a->name);
}

double gpu_quantile(const struct gpu_times *t, double q)
{
	int at = (int)(q * (double)(t->n - 1) + 0.5);
	return t->n ? t->us[at] : 0;
}

static void run_rounds(struct gpu *g, const struct gpu_work *w, int first, int n)
{
	for (int i = 0; i < n; i++)
		w->run(g, w->context, first + i);
	gpu_ok(g, g->call->synchronise(g->device, &g->err));
}

/* Work of a round: what was launched by calls of its range. */
static void add_spans(struct gpu_times *t, const struct span *span, size_t n, int rounds)
{
	t->n = rounds;
	memset(t->us, 0, sizeof t->us);
	for (size_t i = 0; i < n; i++) {
		bool work = span[i].kind == SPAN_KERNEL || span[i].kind == SPAN_COPY;
		if (!work || !span[i].external || span[i].external > (uint32_t)rounds)
			continue;
		if (!*t->name && span[i].kind == SPAN_KERNEL)
			snprintf(t->name, sizeof t->name, "%s", span[i].name);
		t->us[span[i].external - 1] += (double)(span[i].end_ns - span[i].start_ns) * 1e-3;
	}
	qsort(t->us, (size_t)rounds, sizeof *t->us, by_value);
}

void gpu_time(struct gpu *g, const struct gpu_work *w, int warm, int rounds, struct gpu_times *t)
{
	size_t n, dropped;
	*t->name = '\0';
	run_rounds(g, w, 0, warm);
	g->call->record(g->device, true);
	for (int i = 0; i < rounds; i++) {
		g->call->enter(g->device, SCOPE_OPERATOR, (uint32_t)i + 1);
		w->run(g, w->context, warm + i);
		g->call->leave(g->device, SCOPE_OPERATOR);
	}
	gpu_ok(g, g->call->synchronise(g->device, &g->err));
	g->call->record(g->device, false);
	const struct span *span = g->call->drain(g->device, &n, &dropped);
	add_spans(t, span, n, rounds);
	if (dropped)
		fprintf(stderr, "%zu records were lost\n", dropped);
}

void gpu_time_events(
	struct gpu *g, const struct gpu_work *w, int warm, int rounds, struct gpu_times *t)
{
	cudaEvent_t event[2];
	*t->name = '\0';
	t->n = rounds;
	run_rounds(g, w, 0, warm);
	for (int i = 0; i < 2; i++)
		gpu_ok(g, cuda_ok(cudaEventCreate(&event[i]), "an event", &g->err));
	for (int i = 0; i < rounds; i++) {
		float ms = 0;
		cudaEventRecord(event[0], g->device->stream);
		w->run(g, w->context, warm + i);
		cudaEventRecord(event[1], g->device->stream);
		cudaError_t done = cudaEventSynchronize(event[1]);
		if (!done)
			done = cudaEventElapsedTime(&ms, event[0], event[1]);
		gpu_ok(g, cuda_ok(done, "timing by events", &g->err));
		t->us[i] = (double)ms * 1e3;
	}
	for (int i = 0; i < 2; i++)
		cudaEventDestroy(event[i]);
	qsort(t->us, (size_t)rounds, sizeof *t->us, by_value);
}

double gpu_cpu_seconds(struct gpu *g, const struct gpu_work *w, int warm, int rounds)
{
	run_rounds(g, w, 0, warm);
	int64_t start_ns = clock_ns();
	for (int i = 0; i < rounds; i++)
		w->run(g, w->context, warm + i);
	int64_t end_ns = clock_ns();
	gpu_ok(g, g->call->synchronise(g->device, &g->err));
	return (double)(end_ns - start_ns) * 1e-9;
}

void gpu_pointwise_open(struct gpu *g, struct gpu_pointwise *w)
{
	for (int r = 0; r < GPU_ROTATE; r++) {
		for (int i = 0; i < w->p.n_inputs; i++)
			w->in[r][i] =
				gpu_random(g, w->p.n + w->more, w->p.dtype, (uint64_t)(r * 4 + i));
		w->out[r] = gpu_random(g, w->p.n + w->more, w->p.dtype, 99);
	}
}

void gpu_pointwise_close(struct gpu *g, struct gpu_pointwise *w)
{
	for (int r = 0; r < GPU_ROTATE; r++) {
		for (int i = 0; i < w->p.n_inputs; i++)
			g->call->free(g->device, w->in[r][i]);
		g->call->free(g->device, w->out[r]);
	}
}

void gpu_run_pointwise(struct gpu *g, void *context, int round)
{
	struct gpu_pointwise *w = context;
	struct device_pointwise p = w->p;
	int r = round % GPU_ROTATE;
	for (int i = 0; i < p.n_inputs; i++)
		p.in[i] = w->in[r][i];
	p.out = w->out[r];
	gpu_ok(g, g->call->pointwise(g->device, &p, &g->err));
}
