/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/cpu.h"
#include "experiments/host/lane.h"
#include "experiments/host/memory.h"
#include "experiments/host/primitive_plans.h"
#include "experiments/host/queue.h"
#include "experiments/request_checks.h"

#include <stdlib.h>
#include <string.h>

/* The calling side. `queue` first: it wants 64-byte alignment. */
struct device {
	struct queue queue;
	struct lane lane;
	struct plans plans;
	struct names names; /* of kernels */
	struct cpu cpu;
	struct recorder *recorder; /* lent: of the calling thread */
	struct device_graph *capture; /* NULL while work is run */
	uint32_t correlation; /* the last one given */
	bool recording;
};

/* Makes `tracebook_device` visible to collect. */
extern const struct device_ops tracebook_device;

static int host_libraries(struct arena *a, struct device_fact *fact)
{
	struct cpu cpu;
	cpu_read(&cpu);
	char *name = arena_strdup(a, cpu.runtime), *blank = strchr(name, ' ');
	*blank = '\0';
	fact[0] = (struct device_fact){name, blank + 1};
	return 1;
}

static struct device *host_open(struct recorder *recorder, struct err *err)
{
	struct device *d = aligned_alloc(_Alignof(struct device), sizeof *d);
	if (!d) {
		fail(err, "host device: no memory for %zu bytes", sizeof *d);
		return NULL;
	}
	memset(d, 0, sizeof *d);
	d->recorder = recorder;
	cpu_read(&d->cpu);
	names_init(&d->names);
	lane_init(&d->lane, d->cpu.threads);
	d->plans.recorder = recorder;
	d->plans.names = &d->names;
	d->plans.max_threads = d->cpu.threads;
	return d;
}

static void host_close(struct device *d)
{
	if (!d)
		return;
	queue_stop(&d->queue);
	if (d->capture)
		free(d->capture->work);
	free(d->capture);
	lane_release(&d->lane);
	plans_release(&d->plans);
	names_release(&d->names);
	free(d);
}

static void host_info(const struct device *d, struct device_info *info)
{
	*info = (struct device_info){
		.name = d->cpu.name,
		.lane = "host queue",
		.runtime = d->cpu.runtime,
		.isa = d->cpu.isa,
		.threads = d->cpu.threads,
		.bf16_native = d->cpu.bf16_native,
		.call_category = "privateuse1_runtime",
		.driver_category = "privateuse1_driver",
		.heading = "HOST QUEUE",
	};
}

/* Memory. -------------------------------------------------------------------------------------- */

static struct device_memory *host_alloc(struct device *d, size_t bytes, struct err *err)
{
	return memory_new(bytes, d->recorder, err);
}

/* In the queue's order, so that the caller need not wait. */
static void host_free(struct device *d, struct device_memory *m)
{
	if (!m)
		return;
	if (queue_idle(&d->queue))
		memory_free(m);
	else
		queue_push(&d->queue, &(struct work){.kind = WORK_FREE, .memory = m});
}

static int host_upload(
	struct device *d, struct device_memory *m, const void *from, size_t bytes, struct err *err)
{
	queue_wait(&d->queue);
	if (asked_transfer(m->bytes, bytes, "upload", err))
		return -1;
	memcpy(m->base, from, bytes);
	return 0;
}

static int host_download(
	struct device *d, const struct device_memory *m, void *to, size_t bytes, struct err *err)
{
	queue_wait(&d->queue);
	if (asked_transfer(m->bytes, bytes, "download", err))
		return -1;
	memcpy(to, m->base, bytes);
	return 0;
}

/* Launches. ------------------------------------------------------------------------------------ */

static void capture_add(struct device_graph *g, const struct work *w)
{
	g->work = capture_more(g->work, g->n, &g->room, sizeof *g->work);
	g->work[g->n++] = *w;
}

static int start_queue(struct device *d, struct err *err)
{
	if (d->queue.started)
		return 0;
	struct span *setup = span_begin(d->recorder, SPAN_SETUP, "queue thread start");
	d->lane.thread_asked_ns = clock_ns();
	int result = queue_start(&d->queue, lane_run, &d->lane, err);
	span_end(setup);
	return result;
}

static int enqueue(struct device *d, struct work *w, struct span *launch, struct err *err)
{
	if (d->capture) {
		capture_add(d->capture, w);
		return 0;
	}
	if (start_queue(d, err))
		return -1;
	w->correlation = ++d->correlation;
	w->recorded = d->recording;
	if (launch)
		launch->correlation = w->correlation;
	queue_push(&d->queue, w);
	return 0;
}

/* Capturing launches nothing, so it leaves no span. */
static struct span *launch_begin(struct device *d, const char *name)
{
	return d->capture ? NULL : span_begin(d->recorder, SPAN_LAUNCH, name);
}

static void *element(const struct device_matrix *m, enum dtype dtype)
{
	return m->memory->base + (size_t)m->offset * dtype_bytes(dtype);
}

static int gemm(struct device *d, const struct device_gemm *g, struct span *launch, struct err *err)
{
	struct plan_key key;
	memset(&key, 0, sizeof key);
	key.kind = PLAN_PRODUCT;
	if (product_of(&key.of.product, g, err))
		return -1;
	struct work w = {.kind = WORK_PLAN, .plan = plans_take(&d->plans, &key, err)};
	if (!w.plan)
		return -1;
	w.name = w.plan->name;
	w.pointer[0] = element(&g->a, g->dtype);
	w.pointer[1] = element(&g->b, g->dtype);
	w.pointer[2] = element(&g->d, g->dtype);
	if (g->addend)
		w.pointer[3] = element(g->addend, g->dtype);
	return enqueue(d, &w, launch, err);
}

static int host_gemm(struct device *d, const struct device_gemm *g, struct err *err)
{
	struct span *launch = launch_begin(d, "hostLaunchKernel");
	int result = gemm(d, g, launch, err);
	span_end(launch);
	return result;
}

static int pointwise(
	struct device *d, const struct device_pointwise *p, struct span *launch, struct err *err)
{
	struct plan_key key;
	memset(&key, 0, sizeof key);
	key.kind = PLAN_CHAIN;
	if (chain_of(&key.of.chain, p, err))
		return -1;
	struct work w = {.kind = WORK_PLAN, .plan = plans_take(&d->plans, &key, err), .n = p->n};
	if (!w.plan)
		return -1;
	w.name = w.plan->name;
	if (p->name)
		w.name = names_text(&d->names, names_add_text(&d->names, p->name));
	w.pointer[0] = p->out->base;
	for (int i = 0; i < p->n_inputs; i++)
		w.pointer[1 + i] = p->in[i]->base;
	return enqueue(d, &w, launch, err);
}

static int host_pointwise(struct device *d, const struct device_pointwise *p, struct err *err)
{
	struct span *launch = launch_begin(d, "hostLaunchKernel");
	int result = pointwise(d, p, launch, err);
	span_end(launch);
	return result;
}

static int rows(struct device *d, const struct device_rows *r, struct span *launch, struct err *err)
{
	struct plan_key key;
	memset(&key, 0, sizeof key);
	key.kind = PLAN_ROWS;
	if (whole_rows_of(&key.of.rows, r, err))
		return -1;
	struct work w = {.kind = WORK_PLAN, .plan = plans_take(&d->plans, &key, err)};
	if (!w.plan)
		return -1;
	w.name = w.plan->name;
	w.pointer[0] = r->out->base;
	for (int i = 0; i < rows_inputs(r->what); i++)
		w.pointer[1 + i] = r->in[i]->base;
	return enqueue(d, &w, launch, err);
}

static int host_rows(struct device *d, const struct device_rows *r, struct err *err)
{
	struct span *launch = launch_begin(d, "hostLaunchKernel");
	int result = rows(d, r, launch, err);
	span_end(launch);
	return result;
}

static int host_copy(struct device *d, struct device_memory *to, const struct device_memory *from,
	size_t bytes, struct err *err)
{
	struct span *launch = launch_begin(d, "hostMemcpyAsync");
	struct work w = {.kind = WORK_COPY, .name = "Memcpy HtoH (host -> host)"};
	w.n = (int64_t)bytes;
	w.pointer[0] = to->base;
	w.pointer[1] = from->base;
	int result = asked_transfer(to->bytes, bytes, "copy", err);
	if (!result)
		result = asked_transfer(from->bytes, bytes, "copy", err);
	if (!result && to == from)
		result = fail(err, "copy: source and target are the same memory");
	if (!result)
		result = enqueue(d, &w, launch, err);
	span_end(launch);
	return result;
}

static int host_synchronise(struct device *d, struct err *err)
{
	if (asked_while_running(d->capture, "synchronise", err))
		return -1;
	struct span *s = span_begin(d->recorder, SPAN_SYNC, "hostQueueSynchronize");
	queue_wait(&d->queue);
	span_end(s);
	if (!d->lane.err.set)
		return 0;
	int result = fail(err, "%s", d->lane.err.text);
	d->lane.err = (struct err){0};
	return result;
}

/* Graphs. -------------------------------------------------------------------------------------- */

static int host_capture_begin(struct device *d, struct err *err)
{
	return capture_begin(&d->capture, sizeof *d->capture, err);
}

static struct device_graph *host_capture_end(struct device *d, struct err *err)
{
	return capture_end(&d->capture, err);
}

static int host_graph_launch(struct device *d, struct device_graph *g, struct err *err)
{
	if (asked_while_running(d->capture, "graph launch", err))
		return -1;
	struct span *launch = launch_begin(d, "hostGraphLaunch");
	struct work w = {.kind = WORK_GRAPH, .graph = g};
	int result = enqueue(d, &w, launch, err);
	span_end(launch);
	return result;
}

static void host_graph_free(struct device *d, struct device_graph *g)
{
	if (!g)
		return;
	queue_wait(&d->queue);
	free(g->work);
	free(g);
}

/* Records. ------------------------------------------------------------------------------------- */

static void host_record(struct device *d, bool on)
{
	d->recording = on;
}

static const struct span *host_drain(struct device *d, size_t *n, size_t *dropped)
{
	queue_wait(&d->queue);
	struct recorder *full = &d->lane.recorder[d->lane.filling];
	d->lane.filling ^= 1;
	struct recorder *empty = &d->lane.recorder[d->lane.filling];
	empty->n = empty->dropped = 0;
	*n = full->n;
	*dropped = full->dropped;
	return full->span;
}

const struct device_ops tracebook_device = {
	.name = "host",
	.about = "the CPU through oneDNN, behind an asynchronous queue on a thread of its own",
	.libraries = host_libraries,
	.open = host_open,
	.close = host_close,
	.info = host_info,
	.alloc = host_alloc,
	.free = host_free,
	.upload = host_upload,
	.download = host_download,
	.gemm = host_gemm,
	.pointwise = host_pointwise,
	.rows = host_rows,
	.copy = host_copy,
	.synchronise = host_synchronise,
	.capture_begin = host_capture_begin,
	.capture_end = host_capture_end,
	.graph_launch = host_graph_launch,
	.graph_free = host_graph_free,
	.record = host_record,
	.drain = host_drain,
};
