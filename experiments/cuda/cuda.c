/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cuda.h"

#include "experiments/cuda/cuda_fail.h"
#include "experiments/request_checks.h"

#include <stdlib.h>
#include <string.h>

/* Makes `tracebook_device` visible to collect. */
extern const struct device_ops tracebook_device;

/* ---- opening ---- */

static int make_context(struct device *d, struct err *err)
{
	cudaError_t status = cudaSetDevice(0);
	if (status == cudaErrorInsufficientDriver) {
		cudaGetLastError();
		return fail(err,
			"the NVIDIA driver %s is too old: it runs CUDA %d.%d, and this program is "
			"built with %d.%d",
			d->driver.path, d->driver.version / 1000, d->driver.version % 1000 / 10,
			CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
	}
	if (!status)
		status = cudaFree(NULL); /* does what may have been put off */
	if (cuda_ok(status, "starting the GPU", err))
		return -1;
	return cuda_ok(
		cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), "a stream", err);
}

/* CUPTI comes between finding the driver and starting it; profiler_cost.h tells why. */
static int start(struct device *d, struct err *err)
{
	struct recording_options options = recording_options();
	if (driver_open(&d->driver, &d->arena, err))
		return -1;
	recording_open(&d->recording, &d->arena, &options, &d->not_recorded);
	if (driver_start(&d->driver, err) || make_context(d, err))
		return -1;
	/* a CUPTI that wants a started driver gets one */
	if (!d->recording.open) {
		d->not_recorded = (struct err){0};
		recording_open(&d->recording, &d->arena, &options, &d->not_recorded);
	}
	d->about = arena_alloc(&d->arena, sizeof *d->about);
	if (about_init(d->about, err))
		return -1;
	clocks_open(&d->clocks, &d->arena, d->about->bus, &d->not_read);
	return 0;
}

static void connect(struct device *d)
{
	d->gemms = (struct gemms){.stream = d->stream, .recorder = d->recorder, .arena = &d->arena};
	d->modules = (struct modules){
		.driver = &d->driver,
		.arena = &d->arena,
		.names = &d->names,
		.recorder = d->recorder,
		.capability = d->about->properties.major * 10 + d->about->properties.minor,
	};
	d->worker = (struct worker){&d->gemms, &d->driver, d->stream};
	decoder_init(&d->decoder, &d->recording.cupti, &d->about->properties, &d->arena, &d->names);
}

static void cuda_close(struct device *d)
{
	if (!d)
		return;
	if (d->stream) {
		cudaDeviceSynchronize();
		modules_release(&d->modules);
		gemms_release(&d->gemms);
		cudaStreamDestroy(d->stream);
	}
	if (d->capture)
		free(d->capture->work);
	free(d->capture);
	clocks_close(&d->clocks);
	recording_close(&d->recording);
	decoder_release(&d->decoder);
	free(d->samples);
	names_release(&d->names);
	arena_release(&d->arena);
	free(d);
}

static int cuda_libraries(struct arena *a, struct device_fact *fact)
{
	int runtime = 0;
	struct cupti_api cupti = {0};
	struct err missing = {0};
	cudaRuntimeGetVersion(&runtime);
	fact[0] = (struct device_fact){
		"CUDA runtime", arena_printf(a, "%d.%d", runtime / 1000, runtime % 1000 / 10)};
	fact[1] = (struct device_fact){"CUPTI",
		cupti_api_open(&cupti, a, &missing)
			? arena_strdup(a, missing.text)
			: arena_printf(a, "%u (%s)", (unsigned)cupti.version, cupti.path)};
	return 2;
}

static struct device *cuda_open(struct recorder *recorder, struct err *err)
{
	struct device *d = xcalloc(1, sizeof *d);
	d->recorder = recorder;
	names_init(&d->names);
	if (start(d, err)) {
		cuda_close(d);
		return NULL;
	}
	connect(d);
	return d;
}

static void cuda_info(const struct device *d, struct device_info *info)
{
	about_fill(d);
	const struct about *about = d->about;
	*info = (struct device_info){
		.name = about->name,
		.lane = "GPU 0",
		.runtime = about->runtime,
		.isa = about->isa,
		.bf16_native = about->bf16_native,
		.is_gpu = true,
		.cache_bytes = d->about->l2_bytes,
		.memory_bytes = about->properties.memory_bytes,
		.call_category = "cuda_runtime",
		.driver_category = "cuda_driver",
		.heading = "CUDA",
		.properties = &about->properties,
		.number = about->number,
		.n_numbers = about->n_numbers,
		.fact = about->fact,
		.n_facts = about->n_facts,
	};
}

/* ---- memory ---- */

static int no_memory(size_t bytes, struct err *err)
{
	size_t free_bytes = 0, all_bytes = 0;
	cudaGetLastError();
	cudaMemGetInfo(&free_bytes, &all_bytes);
	return fail(err, "no memory for %zu bytes on the GPU: %zu of %zu are free", bytes,
		free_bytes, all_bytes);
}

static struct device_memory *cuda_alloc(struct device *d, size_t bytes, struct err *err)
{
	struct device_memory *m = xcalloc(1, sizeof *m);
	m->bytes = bytes;
	(void)d;
	cudaError_t status = cudaMalloc(&m->pointer, bytes ? bytes : 1);
	if (!status)
		return m;
	free(m);
	if (status == cudaErrorMemoryAllocation)
		no_memory(bytes, err);
	else
		cuda_ok(status, "memory on the GPU", err);
	return NULL;
}

/* cudaFree() waits for work that may still use it. */
static void cuda_free(struct device *d, struct device_memory *m)
{
	(void)d;
	if (!m)
		return;
	cudaFree(m->pointer);
	free(m);
}

static int cuda_upload(
	struct device *d, struct device_memory *m, const void *from, size_t bytes, struct err *err)
{
	if (asked_transfer(m->bytes, bytes, "upload", err))
		return -1;
	cudaError_t status =
		cudaMemcpyAsync(m->pointer, from, bytes, cudaMemcpyHostToDevice, d->stream);
	if (!status)
		status = cudaStreamSynchronize(d->stream);
	return cuda_ok(status, "an upload", err);
}

static int cuda_download(
	struct device *d, const struct device_memory *m, void *to, size_t bytes, struct err *err)
{
	if (asked_transfer(m->bytes, bytes, "download", err))
		return -1;
	cudaError_t status =
		cudaMemcpyAsync(to, m->pointer, bytes, cudaMemcpyDeviceToHost, d->stream);
	if (!status)
		status = cudaStreamSynchronize(d->stream);
	return cuda_ok(status, "a download", err);
}

/* ---- launches ---- */

static void capture_add(struct device_graph *g, const struct work *w)
{
	g->work = capture_more(g->work, g->n, &g->room, sizeof *g->work);
	g->work[g->n++] = *w;
}

/* With CUPTI the calls are in its records, and a row of ours would say them twice. */
static struct span *own_row(struct device *d, enum span_kind kind, const char *name)
{
	return d->recording.open ? NULL : span_begin(d->recorder, kind, name);
}

static int enqueue(struct device *d, const struct work *w, struct err *err)
{
	if (d->capture) {
		capture_add(d->capture, w);
		return 0;
	}
	struct span *launch = own_row(d, SPAN_LAUNCH, work_call(w));
	int result = work_run(&d->worker, w, err);
	span_end(launch);
	return result;
}

static int cuda_gemm(struct device *d, const struct device_gemm *g, struct err *err)
{
	struct product p;
	struct work w = {.kind = WORK_GEMM};
	if (product_of(&p, g, err))
		return -1;
	w.operands = (struct gemm_operands){
		.first = gemm_address(&g->b, g->dtype),
		.second = gemm_address(&g->a, g->dtype),
		.d = gemm_address(&g->d, g->dtype),
	};
	w.operands.c = w.operands.d;
	if (p.epilogue == PRODUCT_BIAS)
		w.operands.bias = gemm_address(g->addend, g->dtype);
	else if (p.epilogue == PRODUCT_ADDEND)
		w.operands.c = gemm_address(g->addend, g->dtype);
	w.plan = gemms_take(&d->gemms, &p, &w.operands, g->tune, err);
	return w.plan ? enqueue(d, &w, err) : -1;
}

static int pointwise_built(struct device *d, const struct device_pointwise *p, struct err *err)
{
	struct work w = {.kind = WORK_KERNEL, .kernel = launch_kernel(p)};
	if (!w.kernel)
		return fail(err, "no hand-written %s kernel %s for these %d steps",
			dtype_name(p->dtype), p->name ? p->name : "", p->n_steps);
	if (launch_shape(&w.launch, w.kernel, p->n, p->row, err))
		return -1;
	w.args = (struct kernel_args){.out = p->out->pointer, .n = p->n, .row = p->row};
	for (int i = 0; i < p->n_inputs; i++)
		w.args.in[i] = p->in[i]->pointer;
	return enqueue(d, &w, err);
}

static int pointwise_made(struct device *d, const struct device_pointwise *p, struct err *err)
{
	const struct module *module = modules_take(&d->modules, p, err);
	if (!module)
		return -1;
	struct work w = {
		.kind = WORK_MODULE,
		.function = module->function,
		.launch = module->fusion.launch,
	};
	w.pointer[0] = p->out->pointer;
	for (int i = 0; i < p->n_inputs; i++)
		w.pointer[1 + i] = p->in[i]->pointer;
	return enqueue(d, &w, err);
}

static int cuda_pointwise(struct device *d, const struct device_pointwise *p, struct err *err)
{
	if (pointwise_ok(p, err))
		return -1;
	bool built = p->generic || p->n_steps == 1;
	return built ? pointwise_built(d, p, err) : pointwise_made(d, p, err);
}

static int cuda_rows(struct device *d, const struct device_rows *r, struct err *err)
{
	struct work w = {.kind = WORK_KERNEL};
	if (whole_rows_ok(r, err))
		return -1;
	w.kernel = launch_rows(&w.launch, r, d->modules.capability, err);
	if (!w.kernel)
		return -1;
	w.args = (struct kernel_args){.out = r->out->pointer,
		.n = r->batch * r->rows * r->cols,
		.row = r->cols,
		.rows = r->rows,
		.factor = r->factor == 0 ? 1 : r->factor,
		.causal = r->causal};
	for (int i = 0; i < rows_inputs(r->what); i++)
		w.args.in[i] = r->in[i]->pointer;
	return enqueue(d, &w, err);
}

static int cuda_copy(struct device *d, struct device_memory *to, const struct device_memory *from,
	size_t bytes, struct err *err)
{
	if (asked_transfer(to->bytes, bytes, "copy", err) ||
		asked_transfer(from->bytes, bytes, "copy", err))
		return -1;
	if (to == from)
		return fail(err, "copy: source and target are the same memory");
	struct work w = {.kind = WORK_COPY, .bytes = bytes};
	w.pointer[0] = to->pointer;
	w.pointer[1] = from->pointer;
	return enqueue(d, &w, err);
}

static int cuda_synchronise(struct device *d, struct err *err)
{
	if (asked_while_running(d->capture, "synchronise", err))
		return -1;
	struct span *s = own_row(d, SPAN_SYNC, "cudaDeviceSynchronize");
	cudaError_t status = cudaDeviceSynchronize();
	span_end(s);
	return cuda_ok(status, "waiting for the GPU", err);
}

/* ---- graphs ---- */

static int cuda_capture_begin(struct device *d, struct err *err)
{
	return capture_begin(&d->capture, sizeof *d->capture, err);
}

static struct device_graph *cuda_capture_end(struct device *d, struct err *err)
{
	return capture_end(&d->capture, err);
}

/* The list once more, into a stream that writes down instead of running. Relaxed: a library may
 * load its kernel when it is first asked for. */
static cudaGraph_t capture_stream(struct device *d, const struct device_graph *g, struct err *err)
{
	cudaGraph_t graph = NULL;
	int result = cuda_ok(
		cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeRelaxed), "capturing", err);
	if (result)
		return NULL;
	for (size_t i = 0; i < g->n && !result; i++)
		result = work_run(&d->worker, &g->work[i], err);
	cudaError_t ended = cudaStreamEndCapture(d->stream, &graph);
	if (!result && !cuda_ok(ended, "ending a capture", err))
		return graph;
	if (graph)
		cudaGraphDestroy(graph);
	return NULL;
}

static int instantiate(struct device *d, struct device_graph *g, struct err *err)
{
	struct span *span = span_begin(d->recorder, SPAN_SETUP, "capture CUDA graph");
	cudaGraph_t graph = capture_stream(d, g, err);
	span_end(span);
	if (!graph)
		return -1;
	span = span_begin(d->recorder, SPAN_SETUP, "instantiate CUDA graph");
	int result =
		cuda_ok(cudaGraphInstantiate(&g->executable, graph, 0), "making a CUDA graph", err);
	if (!result)
		result = cuda_ok(
			cudaGraphUpload(g->executable, d->stream), "loading a CUDA graph", err);
	span_end(span);
	cudaGraphDestroy(graph);
	return result;
}

static int cuda_graph_launch(struct device *d, struct device_graph *g, struct err *err)
{
	if (asked_while_running(d->capture, "graph launch", err))
		return -1;
	if (!g->executable && instantiate(d, g, err))
		return -1;
	struct span *launch = own_row(d, SPAN_LAUNCH, "cudaGraphLaunch");
	cudaError_t status = cudaGraphLaunch(g->executable, d->stream);
	span_end(launch);
	return cuda_ok(status, "launching a CUDA graph", err);
}

static void cuda_graph_free(struct device *d, struct device_graph *g)
{
	if (!g)
		return;
	if (g->executable) {
		cudaStreamSynchronize(d->stream);
		cudaGraphExecDestroy(g->executable);
	}
	free(g->work);
	free(g);
}

/* ---- records ---- */

static void cuda_record(struct device *d, bool on)
{
	if (on)
		clocks_start(&d->clocks);
	if (recording_set(&d->recording, on, &d->not_recorded))
		recording_close(&d->recording);
	if (!on)
		clocks_stop(&d->clocks);
}

static const struct span *cuda_drain(struct device *d, size_t *n, size_t *dropped)
{
	recording_drain(&d->recording, &d->decoder);
	size_t n_samples = d->clocks.running ? 0 : d->clocks.n * CLOCKS_VALUES;
	*n = d->decoder.n;
	*dropped = d->recording.dropped;
	if (!n_samples)
		return d->decoder.span;
	d->samples = xrealloc(d->samples, d->decoder.n + n_samples, sizeof *d->samples);
	if (d->decoder.n)
		memcpy(d->samples, d->decoder.span, d->decoder.n * sizeof *d->samples);
	*n += clocks_drain(&d->clocks, d->samples + d->decoder.n);
	return d->samples;
}

static void cuda_enter(struct device *d, enum device_scope scope, uint32_t id)
{
	recording_enter(&d->recording, scope, id);
}

static void cuda_leave(struct device *d, enum device_scope scope)
{
	recording_leave(&d->recording, scope);
}

const struct device_ops tracebook_device = {
	.name = "cuda",
	.about = "a GPU through cuBLASLt, NVRTC and our own kernels, recorded by CUPTI",
	.libraries = cuda_libraries,
	.open = cuda_open,
	.close = cuda_close,
	.info = cuda_info,
	.alloc = cuda_alloc,
	.free = cuda_free,
	.upload = cuda_upload,
	.download = cuda_download,
	.gemm = cuda_gemm,
	.pointwise = cuda_pointwise,
	.rows = cuda_rows,
	.copy = cuda_copy,
	.synchronise = cuda_synchronise,
	.capture_begin = cuda_capture_begin,
	.capture_end = cuda_capture_end,
	.graph_launch = cuda_graph_launch,
	.graph_free = cuda_graph_free,
	.record = cuda_record,
	.drain = cuda_drain,
	.enter = cuda_enter,
	.leave = cuda_leave,
	.count = cuda_count,
};
