/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's records in the trace that becomes of them: Kineto's fields, and who belongs to whom. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "base/config.h"
#include "collect/kineto_writer.h"
#include "tests/unit/cuda_records.h"

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

/* Spelling and order are those of Kineto's fields. */
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
		cmocka_unit_test(test_fields_of_the_trace),
		cmocka_unit_test(test_joins_of_the_trace),
		cmocka_unit_test(test_joins_when_clocks_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
