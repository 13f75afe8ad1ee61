/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and the trace file, from spans written by hand. */
#include "collect/kineto_writer.h"

#include "base/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define T0 INT64_C(1759300074123456789)

static const struct span_shapes two_matrices = {
	2, {{2, {4, 8}, {8, 1}, "float"}, {2, {8, 2}, {2, 1}, "float"}}};

/* Two steps, each an annotation, an operator in an operator, a launch; a kernel for each, a copy
 * that has no launch, a synchronise. Given out of order where a recorder would do so. */
static const struct span cpu[] = {
	{T0 + 1000, T0 + 61250, "ProfilerStep#2", {NULL}, 0, 0, 77, 0, SPAN_STEP},
	{T0 + 1100, T0 + 61000, "matmul_add", {NULL}, 0, 0, 77, 0, SPAN_ANNOTATION},
	{T0 + 2000, T0 + 11004, "tb::matmul", {&two_matrices}, 0, 0, 77, 0, SPAN_OP},
	{T0 + 2000, T0 + 11004, "tb::mm", {&two_matrices}, 0, 0, 77, 0, SPAN_OP},
	{T0 + 3020, T0 + 8133, "launch", {NULL}, 11, 0, 77, 0, SPAN_LAUNCH},
	{T0 + 3100, T0 + 7000, "primitive creation", {NULL}, 0, 0, 77, 0, SPAN_SETUP},
	{T0 + 70000, T0 + 90000, "ProfilerStep#3", {NULL}, 0, 0, 77, 0, SPAN_STEP},
	{T0 + 71000, T0 + 72000, "launch", {NULL}, 12, 0, 77, 0, SPAN_LAUNCH},
	{T0 + 91000, T0 + 99000, "synchronise", {NULL}, 0, 0, 77, 0, SPAN_SYNC},
};
static const struct span device[] = {
	{T0 + 75000, T0 + 76000, "gemm", {NULL}, 12, 0, 1, 0, SPAN_KERNEL},
	{T0 + 10500, T0 + 34692, "gemm \"q\"", {NULL}, 11, 0, 1, 0, SPAN_KERNEL},
	{T0 + 40000, T0 + 42000, "copy", {NULL}, 99, 4096, 1, 0, SPAN_COPY},
	{T0 + 80000, T0 + 80500, "add", {NULL}, 12, 0, 1, 0, SPAN_KERNEL},
};
static const struct recording recording = {
	cpu, device, sizeof cpu / sizeof *cpu, sizeof device / sizeof *device};

static uint32_t row_named(const struct rows *rows, const char *name, bool shadow)
{
	for (uint32_t i = 0; i < rows->n; i++)
		if (!strcmp(rows->span[i]->name, name) && rows->shadow[i] == shadow)
			return i;
	fail_msg("no row %s", name);
	return NO_ROW;
}

static void test_rows_join(void **state)
{
	(void)state;
	struct arena a = {0};
	struct rows rows = rows_of(&a, &recording);
	uint32_t matmul = row_named(&rows, "tb::matmul", false),
		 mm = row_named(&rows, "tb::mm", false);
	uint32_t setup = row_named(&rows, "primitive creation", false);
	uint32_t gemm = row_named(&rows, "gemm \"q\"", false);
	uint32_t copy = row_named(&rows, "copy", false), add = row_named(&rows, "add", false);

	/* of two equal spans the one recorded first is the outer one */
	assert_int_equal(rows.parent[mm], matmul);
	assert_string_equal(rows.span[rows.parent[matmul]]->name, "matmul_add");
	assert_string_equal(rows.span[rows.parent[setup]]->name, "launch");
	assert_string_equal(rows.span[rows.launch[gemm]]->name, "launch");
	assert_int_equal(rows.external[gemm], rows.external[mm]);
	assert_int_equal(rows.external[rows.launch[gemm]], rows.external[mm]);
	assert_int_equal(rows.launch[copy], NO_ROW);
	assert_int_equal(rows.external[copy], 0);
	/* one launch, two kernels; no operator around it */
	assert_int_equal(rows.launch[add], rows.launch[row_named(&rows, "gemm", false)]);
	assert_int_equal(rows.external[add], 0);
	for (uint32_t i = 1; i < rows.n; i++)
		assert_true(rows.start_ns[i - 1] <= rows.start_ns[i]);
	arena_release(&a);
}

static void test_shadows(void **state)
{
	(void)state;
	struct arena a = {0};
	struct rows rows = rows_of(&a, &recording);
	uint32_t second = row_named(&rows, "ProfilerStep#3", true);
	assert_int_equal(rows.start_ns[second], T0 + 75000 - 1);
	assert_int_equal(rows.dur_ns[second], 5500 + 2);
	assert_int_equal(
		rows.external[second], rows.external[row_named(&rows, "ProfilerStep#3", false)]);
	uint32_t first = row_named(&rows, "matmul_add", true);
	assert_int_equal(rows.dur_ns[first], 24192 + 2);
	size_t shadows = 0;
	for (uint32_t i = 0; i < rows.n; i++)
		shadows += rows.shadow[i];
	assert_int_equal(shadows, 3);
	arena_release(&a);
}

static void test_base(void **state)
{
	(void)state;
	/* the base in a published trace of October 2024 */
	assert_int_equal(
		kineto_base_ns(INT64_C(1731758315241188613)), INT64_C(1727743122000000000));
	assert_int_equal(kineto_base_ns(INT64_C(7889238) * 1000000000 * 3),
		INT64_C(7889238) * 1000000000 * 3);
}

/* ---- the file ---- */

static char *trace_text(void)
{
	struct arena a = {0};
	struct rows rows = rows_of(&a, &recording);
	static const struct kineto_window window = {T0, T0 + 100000};
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	kineto_write(f,
		&(struct kineto){
			.case_id = "matmul_add/64",
			.trace_name = "64.json",
			.process = "tracebook",
			.pid = 4242,
			.device = {"host", "A \"CPU\"", "host queue", "privateuse1_runtime",
				"privateuse1_driver"},
			.window = &window,
			.n_windows = 1,
			.dropped = 5,
		},
		&rows);
	fclose(f);
	arena_release(&a);
	return text;
}

static const cJSON *event_named(const cJSON *trace, const char *name, const char *category)
{
	const cJSON *e;
	cJSON_ArrayForEach(e, config_find(trace, "traceEvents"))
	{
		const char *cat = cJSON_GetStringValue(config_find(e, "cat"));
		if (!strcmp(cJSON_GetStringValue(config_find(e, "name")), name) && cat &&
			!strcmp(cat, category))
			return e;
	}
	fail_msg("no event %s of %s", name, category);
	return NULL;
}

static double number(const cJSON *event, const char *args_name)
{
	const cJSON *n = config_find(config_find(event, "args"), args_name);
	assert_true(cJSON_IsNumber(n));
	return n->valuedouble;
}

static void test_file_head(void **state)
{
	(void)state;
	char *text = trace_text();
	cJSON *trace = cJSON_Parse(text);
	assert_non_null(trace);
	assert_int_equal(config_find(trace, "schemaVersion")->valueint, 1);
	assert_int_equal(cJSON_GetArraySize(config_find(trace, "deviceProperties")), 0);
	assert_string_equal(config_find(trace, "displayTimeUnit")->valuestring, "ms");
	assert_string_equal(config_find(trace, "traceName")->valuestring, "64.json");
	assert_string_equal(config_find(trace, "tracebook_device")->valuestring, "host");
	assert_int_equal(config_find(trace, "dropped_spans")->valueint, 5);
	/* HTA finds the rank by line and by the blank behind the colon */
	assert_non_null(
		strstr(text, "\n  \"distributedInfo\": {\"rank\": 0, \"world_size\": 1},\n"));
	assert_non_null(strstr(text, "\"baseTimeNanoseconds\": 1759300074000000000"));
	assert_null(strstr(text, "GPU"));
	cJSON_Delete(trace);
	free(text);
}

static void test_file_rows(void **state)
{
	(void)state;
	char *text = trace_text();
	cJSON *trace = cJSON_Parse(text);
	const cJSON *mm = event_named(trace, "tb::mm", "cpu_op");
	const cJSON *kernel = event_named(trace, "gemm \"q\"", "kernel");
	const cJSON *copy = event_named(trace, "copy", "gpu_memcpy");
	assert_int_equal(number(kernel, "External id"), number(mm, "External id"));
	assert_int_equal(number(mm, "Ev Idx"), number(mm, "External id") - 1);
	assert_int_equal(number(kernel, "correlation"), 11);
	assert_int_equal(number(kernel, "stream"), 1);
	assert_int_equal(config_find(kernel, "tid")->valueint, 1);
	assert_int_equal(config_find(kernel, "pid")->valueint, 0);
	assert_int_equal(number(copy, "bytes"), 4096);
	assert_true(number(copy, "memory bandwidth (GB/s)") == 2.048);
	assert_null(config_find(config_find(copy, "args"), "External id"));
	const cJSON *dims = config_find(config_find(mm, "args"), "Input Dims");
	assert_int_equal(cJSON_GetArrayItem(cJSON_GetArrayItem(dims, 1), 0)->valueint, 8);
	const cJSON *setup = event_named(trace, "primitive creation", "cpu_op");
	assert_string_equal(config_find(config_find(setup, "args"), "kind")->valuestring, "setup");
	event_named(trace, "launch", "privateuse1_runtime");
	event_named(trace, "synchronise", "privateuse1_runtime");
	event_named(trace, "ProfilerStep#2", "gpu_user_annotation");
	/* exact microseconds: 123456789 ns after the base plus 3020 */
	assert_non_null(strstr(text, "\"ts\": 123459.809, \"dur\": 5.113"));
	cJSON_Delete(trace);
	free(text);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void test_flows_only_in_pairs(void **state)
{
	(void)state;
	char *text = trace_text();
	assert_int_equal(count(text, "\"ph\": \"s\""), 2);
	assert_int_equal(count(text, "\"ph\": \"f\""), 3);
	assert_int_equal(count(text, "\"id\": 99"), 0);
	free(text);
}

static void test_table(void **state)
{
	(void)state;
	struct arena a = {0};
	struct names names;
	names_init(&names);
	struct rows rows = rows_of(&a, &recording);
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	table_write(f, &rows, &names, "HOST QUEUE");
	fclose(f);
	/* 24.192 + 1.000 + 0.500 + 2.000, shadows left out */
	assert_non_null(strstr(text, "Self HOST QUEUE time total: 27.692us"));
	assert_int_equal(count(text, "ProfilerStep*"), 2);
	free(text);
	names_release(&names);
	arena_release(&a);
}

/* A program's process with two GPUs: the same stream number on both, one range around both. */
static void test_two_devices(void **state)
{
	static const struct span_facts of[2] = {{.device = 0}, {.device = 1}};
	static const struct span calls[] = {
		{T0, T0 + 900, "range", {NULL}, 0, 0, 5, 0, SPAN_ANNOTATION},
		{T0 + 100, T0 + 200, "cudaLaunchKernel", {NULL}, 1, 0, 5, 0, SPAN_LAUNCH},
		{T0 + 300, T0 + 400, "cudaLaunchKernel", {NULL}, 2, 0, 5, 0, SPAN_LAUNCH},
	};
	const struct span work[] = {
		{T0 + 210, T0 + 500, "left", {.facts = &of[0]}, 1, 0, 7, 0, SPAN_KERNEL},
		{T0 + 410, T0 + 700, "right", {.facts = &of[1]}, 2, 0, 7, 0, SPAN_KERNEL},
	};
	const struct device_properties gpus[2] = {{.id = 0, .name = "A"}, {.id = 1, .name = "B"}};
	const struct kineto_window window = {T0, T0 + 900};
	struct arena a = {0};
	struct rows rows = rows_of(&a, &(struct recording){calls, work, 3, 2});
	const struct kineto k = {.trace_name = "t.json",
		.process = "a.out",
		.pid = 5,
		.device = {.name = "a.out",
			.lane = "GPU 0",
			.call_category = "cuda_runtime",
			.driver_category = "cuda_driver"},
		.of_program = true,
		.rank = 3,
		.world = 4,
		.window = &window,
		.n_windows = 1,
		.devices = gpus,
		.n_devices = 2};
	char *text = NULL;
	size_t n = 0;
	(void)state;
	FILE *f = open_memstream(&text, &n);
	kineto_write(f, &k, &rows);
	fclose(f);
	assert_int_equal(count(text, "\"cat\": \"gpu_user_annotation\", \"name\": \"range\""), 2);
	assert_int_equal(count(text, "\"name\": \"right\", \"pid\": 1, \"tid\": 7"), 1);
	assert_int_equal(count(text, "\"name\": \"left\", \"pid\": 0, \"tid\": 7"), 1);
	assert_int_equal(count(text, "\"labels\": \"GPU 1\""), 1);
	assert_int_equal(count(text, "\"distributedInfo\": {\"rank\": 3, \"world_size\": 4}"), 1);
	assert_int_equal(count(text, "\"name\": \"B\""), 1);
	assert_int_equal(count(text, "tracebook_case"), 0);
	assert_int_equal(count(text, "occupancy"), 0);
	free(text);
	arena_release(&a);
}

/* Many ranges and much work, overlapping at random: shadows as by looking at every pair. */
static void test_shadows_at_random(void **state)
{
	enum { CPU = 300, WORK = 300 };
	static struct span cpus[CPU], works[WORK];
	uint32_t x = 12345;
	(void)state;
	for (int i = 0; i < CPU; i++) {
		x = x * 1664525u + 1013904223u;
		int64_t start = x >> 20;
		x = x * 1664525u + 1013904223u;
		bool range = i % 3 == 0;
		cpus[i] = (struct span){.start_ns = T0 + start,
			.end_ns = T0 + start + (x >> (range ? 22 : 27)),
			.name = range ? "r" : "call",
			.thread = (uint32_t)i % 2,
			.correlation = range ? 0 : (uint64_t)i,
			.kind = range ? SPAN_ANNOTATION : SPAN_LAUNCH};
	}
	for (int i = 0; i < WORK; i++) {
		x = x * 1664525u + 1013904223u;
		works[i] = (struct span){.start_ns = T0 + 5000 + i,
			.end_ns = T0 + 5000 + i + (x >> 24),
			.name = "k",
			.thread = (uint32_t)i % 4,
			.correlation = (x >> 8) % CPU,
			.kind = SPAN_KERNEL};
	}
	size_t wanted = 0, found = 0;
	for (int r = 0; r < CPU; r += 3)
		for (uint32_t stream = 0; stream < 4; stream++) {
			bool any = false;
			for (int w = 0; w < WORK; w++) {
				const struct span *c = &cpus[works[w].correlation];
				any = any ||
					(works[w].thread == stream && c->kind == SPAN_LAUNCH &&
						works[w].correlation &&
						c->thread == cpus[r].thread &&
						c->start_ns >= cpus[r].start_ns &&
						c->end_ns <= cpus[r].end_ns);
			}
			wanted += any;
		}
	struct arena a = {0};
	struct rows rows = rows_of(&a, &(struct recording){cpus, works, CPU, WORK});
	for (size_t i = 0; i < rows.n; i++)
		found += rows.shadow[i];
	assert_true(wanted > 50);
	assert_int_equal(found, wanted);
	arena_release(&a);
}

static void test_empty(void **state)
{
	(void)state;
	struct arena a = {0};
	struct rows rows = rows_of(&a, &(struct recording){0});
	assert_int_equal(rows.n, 0);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_join),
		cmocka_unit_test(test_shadows),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_file_head),
		cmocka_unit_test(test_file_rows),
		cmocka_unit_test(test_flows_only_in_pairs),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_two_devices),
		cmocka_unit_test(test_shadows_at_random),
		cmocka_unit_test(test_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
