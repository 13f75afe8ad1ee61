/* SPDX-License-Identifier: Apache-2.0 */
/* The profiler table: numbers worked out by hand from PyTorch's rules, and its exact form. */
#include "base/nest.h"
#include "base/profiler_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 32 };

/* Rows are given in order of start, longer first; device rows on lane 1. */
struct table {
	struct arena arena;
	struct names names;
	size_t n;
	int64_t start[MOST], dur[MOST];
	name_id name[MOST];
	uint8_t side[MOST];
	uint32_t lane[MOST], launch[MOST];
	struct profiler_table made;
};

static void setup(struct table *t)
{
	*t = (struct table){0};
	names_init(&t->names);
}

static void teardown(struct table *t)
{
	names_release(&t->names);
	arena_release(&t->arena);
}

static uint32_t add(struct table *t, enum profiler_side side, const char *name, int64_t start_us,
	int64_t end_us)
{
	size_t i = t->n++;
	t->start[i] = start_us * 1000;
	t->dur[i] = (end_us - start_us) * 1000;
	t->name[i] = names_add_text(&t->names, name);
	t->side[i] = (uint8_t)side;
	t->launch[i] = NO_ROW;
	return (uint32_t)i;
}

static void annotate(struct table *t, const char *name, int64_t start_us, int64_t end_us)
{
	t->side[add(t, PROFILER_CPU, name, start_us, end_us)] |= PROFILER_RANGE;
}

static void kernel(
	struct table *t, const char *name, int64_t start_us, int64_t end_us, uint32_t launch)
{
	t->launch[add(t, PROFILER_DEVICE, name, start_us, end_us)] = launch;
}

static void make(struct table *t)
{
	const struct profiler_table_in rows = {.n = t->n,
		.start_ns = t->start,
		.dur_ns = t->dur,
		.name = t->name,
		.side = t->side,
		.lane = t->lane,
		.n_lanes = 2,
		.launch = t->launch,
		.names = &t->names};
	t->made = profiler_table_of(&t->arena, &rows);
}

static const struct profiler_row *row_of(const struct table *t, const char *name, bool device)
{
	for (size_t i = 0; i < t->made.n; i++)
		if (!strcmp(t->made.row[i].name, name) &&
			(t->made.row[i].side != PROFILER_CPU) == device)
			return &t->made.row[i];
	fail_msg("no %s row %s", device ? "device" : "CPU", name);
	return NULL;
}

static void assert_us(const struct profiler_row *r, int64_t self_cpu, int64_t cpu,
	int64_t self_device, int64_t device, size_t calls)
{
	assert_int_equal(r->self_cpu_ns, self_cpu * 1000);
	assert_int_equal(r->cpu_ns, cpu * 1000);
	assert_int_equal(r->self_device_ns, self_device * 1000);
	assert_int_equal(r->device_ns, device * 1000);
	assert_int_equal(r->calls, calls);
}

/* Two steps of matmul and add; the range has a shadow on the device that includes idle time. */
static void two_steps(struct table *t)
{
	annotate(t, "ProfilerStep#2", 0, 100);
	annotate(t, "matmul_add", 5, 95);
	add(t, PROFILER_CPU, "aten::matmul", 10, 50);
	add(t, PROFILER_CPU, "aten::mm", 15, 45);
	uint32_t launch = add(t, PROFILER_CALL, "cudaLaunchKernel", 20, 40);
	add(t, PROFILER_DEVICE_ANNOTATION, "matmul_add", 30, 90);
	kernel(t, "gemm", 30, 50, launch);
	add(t, PROFILER_CPU, "aten::add", 60, 80);
	launch = add(t, PROFILER_CALL, "cudaLaunchKernel", 62, 70);
	kernel(t, "add", 80, 90, launch);
	annotate(t, "ProfilerStep#3", 100, 150);
	add(t, PROFILER_CPU, "aten::mm", 110, 140);
	launch = add(t, PROFILER_CALL, "cudaLaunchKernel", 120, 125);
	kernel(t, "gemm", 130, 152, launch);
	add(t, PROFILER_CALL, "cudaDeviceSynchronize", 200, 230);
	make(t);
}

static void self_and_total(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	two_steps(&t);
	assert_us(row_of(&t, "ProfilerStep*", false), 30, 150, 0, 52, 2);
	assert_us(row_of(&t, "matmul_add", false), 30, 90, 0, 30, 1);
	assert_us(row_of(&t, "matmul_add", true), 0, 0, 60, 60, 1);
	assert_us(row_of(&t, "aten::matmul", false), 10, 40, 0, 20, 1);
	assert_us(row_of(&t, "aten::mm", false), 35, 60, 42, 42, 2);
	assert_us(row_of(&t, "aten::add", false), 12, 20, 10, 10, 1);
	assert_us(row_of(&t, "cudaLaunchKernel", false), 33, 33, 0, 0, 3);
	assert_us(row_of(&t, "cudaDeviceSynchronize", false), 30, 30, 0, 0, 1);
	assert_us(row_of(&t, "gemm", true), 0, 0, 42, 42, 2);
	assert_us(row_of(&t, "add", true), 0, 0, 10, 10, 1);
	assert_int_equal(t.made.n, 10);
	assert_int_equal(t.made.self_cpu_ns, 180 * 1000);
	assert_int_equal(t.made.self_device_ns, 52 * 1000);
	teardown(&t);
}

static void sorted_by_device_then_cpu_then_name(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	two_steps(&t);
	static const char *const order[] = {"matmul_add", "ProfilerStep*", "aten::mm", "gemm",
		"matmul_add", "aten::matmul", "aten::add", "add", "cudaLaunchKernel",
		"cudaDeviceSynchronize"};
	for (size_t i = 0; i < t.made.n; i++)
		assert_string_equal(t.made.row[i].name, order[i]);
	assert_true(t.made.row[0].annotation);
	assert_int_equal(t.made.row[0].side, PROFILER_DEVICE_ANNOTATION);
	teardown(&t);
}

/* The table as text; stays until the next call. */
static const char *printed(const struct profiler_table *made, size_t limit, const char *device)
{
	static char text[16384];
	FILE *f = fmemopen(text, sizeof text, "w");
	assert_non_null(f);
	profiler_table_print(f, made, limit, device);
	fputc('\0', f);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Typed in from PyTorch's own output of a table with these widths, the numbers put in by hand. */
static void printed_as_pytorch_does(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	two_steps(&t);
	const char *text = printed(&t.made, 4, "CUDA");
#define RULE \
	"-------------------------  ------------  ------------  ------------  ------------  " \
	"------------  ------------  ------------  ------------  ------------  ------------  \n"
	assert_string_equal(text,
		RULE
		"                     Name    Self CPU %      Self CPU   CPU total %     CPU "
		"total  CPU time avg     Self CUDA   Self CUDA %    CUDA total  CUDA time avg "
		"   # of Calls  \n" RULE
		"               matmul_add         0.00%       0.000us         0.00%       "
		"0.000us       0.000us      60.000us       115.38%      60.000us      60.000us "
		"            1  \n"
		"            ProfilerStep*        16.67%      30.000us        83.33%     "
		"150.000us      75.000us       0.000us         0.00%      52.000us      "
		"26.000us             2  \n"
		"                 aten::mm        19.44%      35.000us        33.33%      "
		"60.000us      30.000us      42.000us        80.77%      42.000us      21.000us "
		"            2  \n"
		"                     gemm         0.00%       0.000us         0.00%       "
		"0.000us       0.000us      42.000us        80.77%      42.000us      21.000us "
		"            2  \n" RULE
		"Self CPU time total: 180.000us\nSelf CUDA time total: 52.000us\n");
#undef RULE
	teardown(&t);
}

/* A longer word keeps the headings above their columns. */
static void a_longer_device_word(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	two_steps(&t);
	const char *text = printed(&t.made, 1, "HOST QUEUE");
	const char *heading = strchr(text, '\n') + 1,
		   *row = strchr(strchr(heading, '\n') + 1, '\n') + 1;
	assert_non_null(strstr(text,
		"   Self HOST QUEUE   Self HOST QUEUE %    HOST QUEUE total  "
		"HOST QUEUE time avg    # of Calls  \n"));
	assert_int_equal(strchr(row, '\n') - row + 1, strchr(heading, '\n') - heading);
	assert_non_null(strstr(text, "\nSelf HOST QUEUE time total: 52.000us\n"));
	teardown(&t);
}

/* As PyTorch prints them with profile_memory and with_flops: memory in front of the calls, FLOPs in
 * the unit of the fewest behind them. */
static void memory_and_flops(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	two_steps(&t);
	t.made.has_memory = t.made.has_flop = true;
	struct profiler_row *mm = &t.made.row[2];
	mm->bytes[PROFILER_HOST_BYTES] = mm->self_bytes[PROFILER_HOST_BYTES] = -1023;
	mm->bytes[PROFILER_DEVICE_BYTES] = INT64_C(3) << 30;
	mm->flop = 2.5e9;
	const char *text = printed(&t.made, 3, "CUDA");
	assert_non_null(strstr(text,
		"  CUDA time avg       CPU Mem  Self CPU Mem    # of Calls  Total GFLOPs  \n"));
	assert_non_null(strstr(text,
		"      21.000us       -1023 B       -1023 B             2         2.500  \n"));
	assert_non_null(
		strstr(text, "           0 B           0 B             2            --  \n"));
	mm->self_bytes[PROFILER_DEVICE_BYTES] = 1 << 19;
	t.made.row[0].flop = 999;
	text = printed(&t.made, 3, "CUDA");
	assert_non_null(strstr(text,
		"  Self CPU Mem      CUDA Mem  Self CUDA Mem    # of Calls   Total FLOPs  \n"));
	assert_non_null(
		strstr(text, "       3.00 GB     512.00 KB             2  2500000000.000  \n"));
	t.made.has_memory = t.made.has_flop = false;
	mm->self_bytes[PROFILER_DEVICE_BYTES] = 0;
	mm->flop = t.made.row[0].flop = 0;
	text = printed(&t.made, 3, "CUDA");
	assert_null(strstr(text, "Mem"));
	assert_null(strstr(text, "FLOPs"));
	teardown(&t);
}

static void without_device_time(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	add(&t, PROFILER_CPU, "aten::relu", 0, 1234567);
	add(&t, PROFILER_CPU, "aten::clamp_min", 10, 2510);
	make(&t);
	const char *text = printed(&t.made, 100, "CUDA");
	assert_string_equal(text,
		"-------------------  ------------  ------------  ------------  ------------  "
		"------------  ------------  \n"
		"               Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU "
		"time avg    # of Calls  \n"
		"-------------------  ------------  ------------  ------------  ------------  "
		"------------  ------------  \n"
		"         aten::relu        99.80%        1.232s       100.00%        1.235s        "
		"1.235s             1  \n"
		"    aten::clamp_min         0.20%       2.500ms         0.20%       2.500ms       "
		"2.500ms             1  \n"
		"-------------------  ------------  ------------  ------------  ------------  "
		"------------  ------------  \n"
		"Self CPU time total: 1.235s\n");
	teardown(&t);
}

static void an_empty_table_prints_nothing(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	add(&t, PROFILER_NEITHER, "left out", 0, 10);
	make(&t);
	const char *text = printed(&t.made, 100, "CUDA");
	assert_int_equal(t.made.n, 0);
	assert_string_equal(text, "");
	teardown(&t);
}

static void nothing_to_divide_by_is_nan(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	kernel(&t, "k", 0, 10, NO_ROW);
	make(&t);
	const char *text = printed(&t.made, 100, "CUDA");
	assert_non_null(strstr(text, "k           NaN       0.000us           NaN       0.000us"));
	assert_non_null(strstr(text, "10.000us       100.00%      10.000us"));
	teardown(&t);
}

static void long_names_are_cut_at_55(void **state)
{
	(void)state;
	static const char name[] = "123456789 123456789 123456789 123456789 123456789 12";
	struct table t;
	setup(&t);
	add(&t, PROFILER_CPU, name, 0, 10);
	char shorter[sizeof name];
	memcpy(shorter, name, sizeof name - 2);
	shorter[sizeof name - 2] = '\0';
	add(&t, PROFILER_CPU, shorter, 20, 30);
	/* 52 characters of two bytes each: characters count, not bytes */
	char greek[2 * 52 + 1] = "";
	for (int i = 0; i < 52; i++)
		memcpy(greek + 2 * i, "\xce\xbc", 3);
	add(&t, PROFILER_CPU, greek, 40, 50);
	make(&t);
	const char *text = printed(&t.made, 100, "CUDA");
	assert_non_null(strstr(
		text, "\n123456789 123456789 123456789 123456789 123456789 12...        33.33%"));
	assert_non_null(strstr(
		text, "\n    123456789 123456789 123456789 123456789 123456789 1        33.33%"));
	assert_non_null(strstr(text, "\xce\xbc...        33.33%"));
	teardown(&t);
}

static void a_partial_overlap_is_a_root(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	add(&t, PROFILER_CPU, "a", 0, 50);
	add(&t, PROFILER_CPU, "b", 40, 60);
	make(&t);
	assert_us(row_of(&t, "a", false), 50, 50, 0, 0, 1);
	assert_us(row_of(&t, "b", false), 20, 20, 0, 0, 1);
	assert_int_equal(t.made.self_cpu_ns, 70 * 1000);
	teardown(&t);
}

/* A profiler's pause inside a launch counts as CPU time, and has no device time of its own. */
static void overhead_has_no_device_time(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	add(&t, PROFILER_CPU, "aten::mm", 0, 100);
	uint32_t launch = add(&t, PROFILER_CALL, "cudaLaunchKernel", 10, 90);
	uint32_t pause = add(&t, PROFILER_CALL, "Activity Buffer Request", 20, 80);
	kernel(&t, "gemm", 95, 99, launch);
	kernel(&t, "gemm", 99, 100, pause);
	make(&t);
	assert_us(row_of(&t, "aten::mm", false), 20, 100, 5, 5, 1);
	assert_us(row_of(&t, "cudaLaunchKernel", false), 20, 80, 0, 0, 1);
	assert_us(row_of(&t, "Activity Buffer Request", false), 60, 60, 0, 0, 1);
	teardown(&t);
}

/* A launch in an annotation belongs to the operator around it, and to nobody without one. */
static void annotations_launch_nothing(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	add(&t, PROFILER_CPU, "call", 0, 100);
	annotate(&t, "range", 10, 90);
	uint32_t launch = add(&t, PROFILER_CALL, "cuLaunchKernel", 20, 30);
	kernel(&t, "k", 40, 50, launch);
	annotate(&t, "alone", 100, 200);
	launch = add(&t, PROFILER_CALL, "cuLaunchKernel", 110, 120);
	kernel(&t, "k", 130, 150, launch);
	make(&t);
	assert_us(row_of(&t, "call", false), 20, 100, 10, 10, 1);
	assert_us(row_of(&t, "range", false), 70, 80, 0, 0, 1);
	assert_us(row_of(&t, "alone", false), 90, 100, 0, 0, 1);
	assert_us(row_of(&t, "k", true), 0, 0, 30, 30, 2);
	teardown(&t);
}

/* A span that is the only child of its namesake melts into it, however long the chain. */
static void namesakes_melt(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	add(&t, PROFILER_CPU, "f", 0, 100);
	add(&t, PROFILER_CPU, "f", 10, 90);
	add(&t, PROFILER_CPU, "f", 20, 80);
	add(&t, PROFILER_CPU, "g", 30, 40);
	uint32_t launch = add(&t, PROFILER_CALL, "launch", 50, 60);
	kernel(&t, "k", 70, 77, launch);
	add(&t, PROFILER_CPU, "h", 100, 200);
	add(&t, PROFILER_CPU, "h", 110, 120);
	add(&t, PROFILER_CPU, "h", 130, 140);
	make(&t);
	assert_us(row_of(&t, "f", false), 80, 100, 7, 7, 1);
	assert_us(row_of(&t, "h", false), 100, 120, 0, 0, 3);
	assert_int_equal(t.made.self_cpu_ns, 200 * 1000);
	teardown(&t);
}

static void an_operator_and_a_range_of_one_name_stay_apart(void **state)
{
	(void)state;
	struct table t;
	setup(&t);
	add(&t, PROFILER_CPU, "same", 0, 10);
	annotate(&t, "same", 20, 40);
	kernel(&t, "same", 50, 55, NO_ROW);
	add(&t, PROFILER_DEVICE_ANNOTATION, "same", 60, 90);
	make(&t);
	assert_int_equal(t.made.n, 4);
	assert_int_equal(t.made.self_cpu_ns, 30 * 1000);
	assert_int_equal(t.made.self_device_ns, 5 * 1000);
	teardown(&t);
}

static void hidden_names(void **state)
{
	(void)state;
	assert_true(profiler_table_hides("[memory]"));
	assert_true(profiler_table_hides("aten::is_leaf"));
	assert_true(profiler_table_hides("profiler::_record_function_enter_new"));
	assert_false(profiler_table_hides("aten::is_leaf_"));
	assert_false(profiler_table_hides(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_and_total),
		cmocka_unit_test(sorted_by_device_then_cpu_then_name),
		cmocka_unit_test(printed_as_pytorch_does),
		cmocka_unit_test(a_longer_device_word),
		cmocka_unit_test(memory_and_flops),
		cmocka_unit_test(without_device_time),
		cmocka_unit_test(an_empty_table_prints_nothing),
		cmocka_unit_test(nothing_to_divide_by_is_nan),
		cmocka_unit_test(long_names_are_cut_at_55),
		cmocka_unit_test(a_partial_overlap_is_a_root),
		cmocka_unit_test(overhead_has_no_device_time),
		cmocka_unit_test(annotations_launch_nothing),
		cmocka_unit_test(namesakes_melt),
		cmocka_unit_test(an_operator_and_a_range_of_one_name_stay_apart),
		cmocka_unit_test(hidden_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
