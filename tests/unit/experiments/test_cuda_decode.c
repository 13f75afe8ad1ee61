/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's records into spans and into a trace: streams made of the real structs, walked by the
 * installed libcupti, which needs no driver for it. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "base/config.h"
#include "collect/kineto.h"
#include "experiments/cuda/decode.h"

#include <inttypes.h>

#include <cmocka.h>

#define T0 INT64_C(1759300074123456789)

/* ---- a stream of records ---- */

struct stream {
	_Alignas(8) uint8_t bytes[16384];
	size_t n;
	void *overhead; /* memory that goes with an overhead's record */
};

static void put(struct stream *s, const void *record, size_t bytes)
{
	assert_true(s->n + bytes <= sizeof s->bytes);
	memcpy(s->bytes + s->n, record, bytes);
	s->n += bytes;
}

static void put_call(struct stream *s, CUpti_ActivityKind kind, uint32_t cbid, int64_t start,
	int64_t end, uint32_t correlation)
{
	CUpti_ActivityAPI r = {.kind = kind,
		.cbid = cbid,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.processId = 4242,
		.threadId = 77,
		.correlationId = correlation};
	put(s, &r, sizeof r);
}

static void put_kernel(
	struct stream *s, const char *name, int64_t start, int64_t end, uint32_t correlation)
{
	CUpti_ActivityKernel10 r = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		.registersPerThread = 168,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.contextId = 1,
		.streamId = 7,
		.gridX = 132,
		.gridY = 1,
		.gridZ = 1,
		.blockX = 384,
		.blockY = 1,
		.blockZ = 1,
		.staticSharedMemory = 1024,
		.dynamicSharedMemory = 212000,
		.correlationId = correlation,
		.name = name,
		.graphId = 3,
		.graphNodeId = 12884901889,
		.clusterX = 2,
		.clusterY = 1,
		.clusterZ = 1};
	put(s, &r, sizeof r);
}

static void put_copy(struct stream *s, int64_t start, int64_t end, uint32_t correlation,
	uint32_t runtime_correlation)
{
	CUpti_ActivityMemcpy6 r = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
		.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD,
		.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.bytes = 33554432,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.contextId = 1,
		.streamId = 7,
		.correlationId = correlation,
		.runtimeCorrelationId = runtime_correlation};
	put(s, &r, sizeof r);
}

static void put_fill(struct stream *s, int64_t start, int64_t end, uint32_t correlation)
{
	CUpti_ActivityMemset4 r = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
		.bytes = 4096,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.contextId = 1,
		.streamId = 7,
		.correlationId = correlation,
		.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE};
	put(s, &r, sizeof r);
}

static void put_external(
	struct stream *s, CUpti_ExternalCorrelationKind kind, uint64_t id, uint32_t correlation)
{
	CUpti_ActivityExternalCorrelation r = {.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
		.externalKind = kind,
		.externalId = id,
		.correlationId = correlation};
	put(s, &r, sizeof r);
}

static void put_wait(struct stream *s, int64_t start, int64_t end, uint32_t correlation)
{
	CUpti_ActivitySynchronization2 r = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
		.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.correlationId = correlation,
		.contextId = 1,
		.streamId = UINT32_MAX};
	put(s, &r, sizeof r);
}

static void put_overhead(
	struct stream *s, CUpti_ActivityOverheadKind kind, int64_t start, int64_t end)
{
	CUpti_ActivityOverhead3 r = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
		.overheadKind = kind,
		.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
		.objectId = {.pt = {4242, 77}},
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.correlationId = 11,
		.overheadData = malloc(8)}; /* the decoder must free it */
	s->overhead = r.overheadData;
	put(s, &r, sizeof r);
}

/* Numbers of functions, from the toolkit's headers. */
enum {
	LAUNCH = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
	COPY = CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
	SYNCHRONIZE = CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
	LAUNCH_EX = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx
};

/* A step as cuBLAS and the runtime make it; GPU work first, as it may come. */
static void fill(struct stream *s)
{
	put_kernel(s, "_Z4addKPfS_l", 30000, 54192, 12);
	put_copy(s, 56000, 89000, 1013, 13);
	put_fill(s, 90000, 91000, 14);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 5, 11);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 2, 11);
	put_call(s, CUPTI_ACTIVITY_KIND_DRIVER, LAUNCH_EX, 3020, 8133, 11);
	put_overhead(s, CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, 3100, 7000);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 6, 12);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 2, 12);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, LAUNCH, 12020, 14000, 12);
	put_call(s, CUPTI_ACTIVITY_KIND_DRIVER, LAUNCH_EX, 12500, 13500, 12);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, COPY, 15000, 16000, 13);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, 51, 17000, 18000, 14); /* cudaMemsetAsync */
	put_kernel(s, "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", 10500, 29000, 11);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, SYNCHRONIZE, 20000, 92000, 15);
	put_wait(s, 20100, 91500, 15);
}

/* ---- decoding it ---- */

static const struct device_properties h200 = {
	.name = "NVIDIA H200",
	.memory_bytes = 150754820096,
	.major = 9,
	.multiprocessors = 132,
	.warp = 32,
	.threads_per_block = 1024,
	.threads_per_multiprocessor = 2048,
	.registers_per_block = 65536,
	.registers_per_multiprocessor = 65536,
	.shared_per_block = 49152,
	.shared_per_block_optin = 232448,
	.shared_per_multiprocessor = 233472,
};

struct rig {
	struct arena arena;
	struct names names;
	struct cupti_api cupti;
	struct decoder decoder;
	struct stream stream;
};

static struct rig *rig_new(void)
{
	struct rig *r = calloc(1, sizeof *r);
	struct err err = {0};
	names_init(&r->names);
	if (cupti_api_open(&r->cupti, &r->arena, &err)) {
		print_message("%s\n", err.text);
		names_release(&r->names);
		free(r);
		skip();
	}
	decoder_init(&r->decoder, &r->cupti, &h200, &r->arena, &r->names);
	return r;
}

static void rig_free(struct rig *r)
{
	decoder_release(&r->decoder);
	names_release(&r->names);
	arena_release(&r->arena);
	free(r);
}

static struct rig *rig_decoded(void)
{
	struct rig *r = rig_new();
	fill(&r->stream);
	decode_buffer(&r->decoder, r->stream.bytes, r->stream.n);
	decode_finish(&r->decoder);
	return r;
}

static const struct span *find(const struct rig *r, enum span_kind kind, const char *name)
{
	for (size_t i = 0; i < r->decoder.n; i++)
		if (r->decoder.span[i].kind == kind && !strcmp(r->decoder.span[i].name, name))
			return &r->decoder.span[i];
	fail_msg("no span %s", name);
	return NULL;
}

static void test_every_record_is_a_span(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	assert_int_equal(r->decoder.records, 16);
	assert_int_equal(r->decoder.n, 12); /* all but four external ids */
	assert_int_equal(r->decoder.unknown, 0);
	assert_int_equal(r->decoder.zero_stamped, 0);
	assert_int_equal(r->decoder.early, 0);
	assert_int_equal(r->decoder.orphans, 0);
	for (size_t i = 1; i < r->decoder.n; i++)
		assert_true(r->decoder.span[i - 1].start_ns <= r->decoder.span[i].start_ns);
	rig_free(r);
}

static void test_kernels(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	const struct span *s =
		find(r, SPAN_KERNEL, "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT");
	const struct span_kernel *k = s->facts->kernel;
	assert_true(s->start_ns == T0 + 10500 && s->end_ns == T0 + 29000);
	assert_int_equal(s->thread, 7);
	assert_int_equal(s->correlation, 11);
	assert_int_equal(s->external, 5);
	assert_int_equal(s->facts->range, 2);
	assert_int_equal(s->facts->context, 1);
	assert_int_equal(s->facts->graph, 3);
	assert_true(s->facts->graph_node == 12884901889u);
	assert_int_equal(k->registers, 168);
	assert_int_equal(k->static_shared_bytes + k->dynamic_shared_bytes, 213024);
	assert_int_equal(k->grid[0], 132);
	assert_int_equal(k->block[0], 384);
	assert_int_equal(k->cluster[0], 2);
	assert_int_equal(k->kineto_occupancy_pct, 0);
	assert_int_equal(k->occupancy_pct, 19);
	/* demangled */
	find(r, SPAN_KERNEL, "addK(float*, float*, long)");
	rig_free(r);
}

static void test_copies_fills_and_waits(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	const struct span *copy = find(r, SPAN_COPY, "Memcpy DtoD (Device -> Device)");
	assert_int_equal(copy->bytes, 33554432);
	/* its own number belongs to no call, the runtime's does */
	assert_int_equal(copy->correlation, 13);
	assert_int_equal(find(r, SPAN_FILL, "Memset (Device)")->bytes, 4096);
	const struct span *wait = find(r, SPAN_WAIT, "Context Sync");
	assert_int_equal(wait->thread, UINT32_MAX);
	assert_string_equal(wait->facts->wait, "Context Sync");
	const struct span *request = find(r, SPAN_OVERHEAD, "Activity Buffer Request");
	assert_int_equal(request->thread, 77);
	rig_free(r);
}

static void test_calls(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	assert_int_equal(find(r, SPAN_LAUNCH, "cudaLaunchKernel")->facts->call, 211);
	assert_int_equal(find(r, SPAN_LAUNCH, "cudaLaunchKernel")->external, 6);
	assert_int_equal(find(r, SPAN_SYNC, "cudaDeviceSynchronize")->thread, 77);
	assert_int_equal(find(r, SPAN_DRIVER, "cuLaunchKernelEx")->facts->call, 652);
	find(r, SPAN_LAUNCH, "cudaMemcpyAsync");
	find(r, SPAN_LAUNCH, "cudaMemsetAsync");
	rig_free(r);
}

static void test_lost_and_odd_records(void **state)
{
	(void)state;
	struct rig *r = rig_new();
	CUpti_ActivityKernel10 lost = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .name = "x"};
	CUpti_ActivityMarker2 marker = {.kind = CUPTI_ACTIVITY_KIND_MARKER};
	put(&r->stream, &lost, sizeof lost);
	put(&r->stream, &marker, sizeof marker);
	put_call(&r->stream, CUPTI_ACTIVITY_KIND_RUNTIME, LAUNCH, 5000, 6000, 1);
	put_kernel(&r->stream, "early", 4000, 4500, 1);
	put_kernel(&r->stream, "orphan", 7000, 7500, 99);
	put_kernel(&r->stream, NULL, 8000, 8500, 1);
	decode_buffer(&r->decoder, r->stream.bytes, r->stream.n);
	decode_finish(&r->decoder);
	assert_int_equal(r->decoder.zero_stamped, 1);
	assert_int_equal(r->decoder.unknown, 1);
	assert_int_equal(r->decoder.early, 1);
	assert_int_equal(r->decoder.orphans, 1);
	assert_int_equal(r->decoder.n, 4);
	find(r, SPAN_KERNEL, "kernel without a name");
	/* counts stay, spans go */
	decoder_reset(&r->decoder);
	decode_finish(&r->decoder);
	assert_int_equal(r->decoder.n, 0);
	assert_int_equal(r->decoder.zero_stamped, 1);
	rig_free(r);
}

/* CUPTI's iterator stops at a cut record and at an unknown kind; the decoder keeps what came
 * before. */
static void test_damaged_buffers(void **state)
{
	(void)state;
	struct rig *r = rig_new();
	fill(&r->stream);
	decode_buffer(&r->decoder, r->stream.bytes, 0);
	assert_int_equal(r->decoder.records, 0);
	decode_buffer(&r->decoder, r->stream.bytes, sizeof(CUpti_ActivityKernel10) + 17);
	assert_int_equal(r->decoder.records, 1);
	uint32_t unknown = 200;
	memcpy(r->stream.bytes + sizeof(CUpti_ActivityKernel10), &unknown, sizeof unknown);
	decode_buffer(&r->decoder, r->stream.bytes, r->stream.n);
	assert_int_equal(r->decoder.records, 2);
	free(r->stream.overhead); /* it did not come so far */
	rig_free(r);
}

static void test_names_of_calls(void **state)
{
	(void)state;
	static const struct {
		const char *name, *stripped;
	} examples[] = {
		{"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
		{"cudaGraphInstantiateWithFlags_v11040", "cudaGraphInstantiateWithFlags"},
		{"cuLaunchKernelEx", "cuLaunchKernelEx"},
		{"cuMemAlloc_v2", "cuMemAlloc_v2"},
		{"cudaGetDeviceProperties_v2_v12000", "cudaGetDeviceProperties_v2"},
		{"a_vx000", "a_vx000"},
		{"", ""},
	};
	char text[128];
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		decode_strip_version(text, sizeof text, examples[i].name);
		assert_string_equal(text, examples[i].stripped);
	}
}

/* ---- the trace ---- */

/* What the program itself recorded around the calls. */
static const struct span ours[] = {
	{.start_ns = T0 + 1000,
		.end_ns = T0 + 93000,
		.name = "ProfilerStep#2",
		.thread = 77,
		.kind = SPAN_STEP},
	{.start_ns = T0 + 2000,
		.end_ns = T0 + 9000,
		.name = "tb::mm",
		.thread = 77,
		.external = 5,
		.kind = SPAN_OP},
	{.start_ns = T0 + 12000,
		.end_ns = T0 + 14100,
		.name = "tb::add",
		.thread = 77,
		.external = 6,
		.kind = SPAN_OP},
};

static bool is_call(const struct span *s)
{
	return s->kind == SPAN_LAUNCH || s->kind == SPAN_DRIVER || s->kind == SPAN_SYNC;
}

static char *trace_text(const struct rig *r)
{
	struct arena a = {0};
	struct span cpu[64], device[64];
	size_t n_cpu = 0, n_device = 0, n = 0;
	char *text = NULL;
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		cpu[n_cpu++] = ours[i];
	for (size_t i = 0; i < r->decoder.n; i++)
		*(is_call(&r->decoder.span[i]) ? &cpu[n_cpu++] : &device[n_device++]) =
			r->decoder.span[i];
	device[n_device++] = (struct span){.start_ns = T0 + 1500,
		.end_ns = T0 + 1500,
		.name = "SM clock (MHz)",
		.bytes = 1980,
		.kind = SPAN_SAMPLE};
	struct recording recording = {cpu, device, n_cpu, n_device};
	struct rows rows = rows_of(&a, &recording);
	static const struct kineto_window window = {T0, T0 + 100000};
	static const struct device_number numbers[] = {
		{"cupti_version", 130001}, {"cuda_runtime_version", 13000}};
	struct device_info info = {.properties = &h200, .number = numbers, .n_numbers = 2};
	FILE *f = open_memstream(&text, &n);
	kineto_write(f,
		&(struct kineto){
			.case_id = "x",
			.trace_name = "x.json",
			.process = "tracebook",
			.pid = 4242,
			.device = {"cuda", "NVIDIA H200", "GPU 0", "cuda_runtime", "cuda_driver"},
			.window = &window,
			.n_windows = 1,
			.info = &info,
		},
		&rows);
	fclose(f);
	arena_release(&a);
	return text;
}

/* Member names of an object, in order, with commas. */
static const char *keys(const cJSON *object)
{
	static char text[1024];
	const cJSON *m;
	*text = '\0';
	cJSON_ArrayForEach(m, object)
	{
		if (*text)
			strncat(text, ",", sizeof text - strlen(text) - 1);
		strncat(text, m->string, sizeof text - strlen(text) - 1);
	}
	return text;
}

static const cJSON *event(const cJSON *trace, const char *category, const char *name)
{
	const cJSON *e;
	cJSON_ArrayForEach(e, config_find(trace, "traceEvents"))
	{
		const char *cat = cJSON_GetStringValue(config_find(e, "cat"));
		const char *text = cJSON_GetStringValue(config_find(e, "name"));
		if (cat && !strcmp(cat, category) && (!name || !strcmp(text, name)))
			return e;
	}
	fail_msg("no event %s of %s", name, category);
	return NULL;
}

static double number(const cJSON *object, const char *name)
{
	const cJSON *n = config_find(object, name);
	assert_true(cJSON_IsNumber(n));
	return n->valuedouble;
}

/* Spelling and order of Kineto's fields (reference: cuda.md 2.1, 2.2). */
static void test_fields_of_the_trace(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	char *text = trace_text(r);
	cJSON *trace = cJSON_Parse(text);
	assert_non_null(trace);
	const cJSON *properties = cJSON_GetArrayItem(config_find(trace, "deviceProperties"), 0);
	assert_string_equal(keys(properties),
		"id,name,totalGlobalMem,computeMajor,computeMinor,maxThreadsPerBlock,"
		"maxThreadsPerMultiprocessor,regsPerBlock,warpSize,sharedMemPerBlock,numSms,"
		"regsPerMultiprocessor,sharedMemPerBlockOptin,sharedMemPerMultiprocessor");
	assert_true(number(properties, "totalGlobalMem") == 150754820096.0);
	assert_true(number(trace, "cupti_version") == 130001);
	const cJSON *kernel =
		config_find(event(trace, "kernel", "addK(float*, float*, long)"), "args");
	assert_string_equal(keys(kernel),
		"External id,queued,device,context,stream,correlation,registers per thread,"
		"shared memory,blocks per SM,warps per SM,grid,block,est. achieved occupancy %,"
		"graph id,graph node id,tracebook");
	assert_true(number(kernel, "shared memory") == 213024);
	assert_true(number(kernel, "blocks per SM") == 1);
	assert_true(number(kernel, "graph node id") == 12884901889.0);
	const cJSON *copy = event(trace, "gpu_memcpy", NULL);
	assert_string_equal(keys(config_find(copy, "args")),
		"device,context,stream,correlation,bytes,memory bandwidth (GB/s),graph id,"
		"graph node id");
	assert_string_equal(keys(config_find(event(trace, "cuda_driver", NULL), "args")),
		"External id,cbid,correlation");
	assert_string_equal(keys(event(trace, "overhead", NULL)), "ph,cat,name,pid,tid,ts,dur");
	assert_true(number(event(trace, "overhead", NULL), "pid") == -1);
	const cJSON *wait = event(trace, "cuda_sync", "Context Sync");
	assert_true(number(wait, "tid") == -1 && number(wait, "pid") == 0);
	assert_true(number(config_find(wait, "args"), "stream") == -1);
	const cJSON *sample = event(trace, "hardware_counters", "SM clock (MHz)");
	assert_true(number(config_find(sample, "args"), "") == 1980);
	cJSON_Delete(trace);
	free(text);
	rig_free(r);
}

/* A kernel whose launch is in the runtime's and the driver's records belongs to the runtime's, and
 * the operator around it is the one that CUPTI's external id names. */
static void test_joins_of_the_trace(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	char *text = trace_text(r);
	cJSON *trace = cJSON_Parse(text);
	const cJSON *add = config_find(event(trace, "cpu_op", "tb::add"), "args");
	const cJSON *kernel =
		config_find(event(trace, "kernel", "addK(float*, float*, long)"), "args");
	assert_true(number(kernel, "External id") == number(add, "External id"));
	const cJSON *e;
	size_t starts = 0, ends = 0;
	cJSON_ArrayForEach(e, config_find(trace, "traceEvents"))
	{
		const char *phase = cJSON_GetStringValue(config_find(e, "ph"));
		starts += !strcmp(phase, "s");
		ends += !strcmp(phase, "f");
	}
	assert_int_equal(starts, 4); /* two kernels, a copy, a fill */
	assert_int_equal(ends, 4);
	cJSON_Delete(trace);
	free(text);
	rig_free(r);
}

/* CUPTI's clock and ours may differ: then a call stands outside its operator, and is its own all
 * the same. */
static void test_joins_when_clocks_differ(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	for (size_t i = 0; i < r->decoder.n; i++) {
		r->decoder.span[i].start_ns += 4000;
		r->decoder.span[i].end_ns += 4000;
	}
	char *text = trace_text(r);
	cJSON *trace = cJSON_Parse(text);
	const cJSON *add = config_find(event(trace, "cpu_op", "tb::add"), "args");
	const cJSON *kernel =
		config_find(event(trace, "kernel", "addK(float*, float*, long)"), "args");
	const cJSON *launch = config_find(event(trace, "cuda_runtime", "cudaLaunchKernel"), "args");
	assert_true(number(kernel, "External id") == number(add, "External id"));
	assert_true(number(launch, "External id") == number(add, "External id"));
	cJSON_Delete(trace);
	free(text);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_record_is_a_span),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_copies_fills_and_waits),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_lost_and_odd_records),
		cmocka_unit_test(test_damaged_buffers),
		cmocka_unit_test(test_names_of_calls),
		cmocka_unit_test(test_fields_of_the_trace),
		cmocka_unit_test(test_joins_of_the_trace),
		cmocka_unit_test(test_joins_when_clocks_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
