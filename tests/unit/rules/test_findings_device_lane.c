/* SPDX-License-Identifier: Apache-2.0 */
/* G1 to G5, the device's lane: one trace where each must fire and one where it must not. */
#include "tests/unit/detecting.h"

static const char *const step_name[] = {
	"ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5", "ProfilerStep#6"};

/* Steps of 100 us: a GEMM at 20, an addition that follows `gap` us after it; `first_gap` in the
 * first. The first launch lasts until `late` us after its begin, and its kernel comes then. */
static void steps(struct world *w, int n, double gap, double first_gap, double late)
{
	for (int i = 0; i < n; i++) {
		double at = 100.0 * i + (i ? late : 0), wait = i ? 0 : late;
		double end = at + 30 + wait, then = end + (i ? gap : first_gap);
		uint32_t id = 2 * (uint32_t)i + 1;
		made_add(&w->made, EVENT_ANNOTATION, step_name[i], at, at + 100 + wait, 0);
		made_add(&w->made, EVENT_OP, "aten::mm", at + 5, at + 15 + wait, 0);
		made_add(&w->made, EVENT_RUNTIME, "cudaLaunchKernel", at + 10, at + 12 + wait, id);
		made_add(&w->made, EVENT_KERNEL, GEMM, at + 20 + wait, end, id);
		made_add(&w->made, EVENT_OP, "aten::add", at + 16 + wait, at + 24 + wait, 0);
		launch(w, ADD, at + 17 + wait, then, then + 5, id + 1);
	}
}

static void request_explains_the_offset(void **state)
{
	TEST_WORLD(w);
	steps(&w, 3, 1, 1, 2000);
	made_add(&w.made, EVENT_OVERHEAD, "Activity Buffer Request", 11, 2009, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "BUFFER-REQUEST", REASON_EXPLAINED);
	assert_value(&w, "BUFFER-REQUEST", "requests", 1);
	assert_value(&w, "BUFFER-REQUEST", "time", 1998e3);
	assert_value(&w, "BUFFER-REQUEST", "offset", 2000e3);
	assert_value(&w, "BUFFER-REQUEST", "during_launch", 1998e3);
	assert_first_row(&w, "BUFFER-REQUEST", "Activity Buffer Request", 0);
}

static void request_elsewhere(void **state)
{
	(void)state;
	struct world w = {0};
	steps(&w, 3, 1, 1, 2000);
	made_add(&w.made, EVENT_OVERHEAD, "Activity Buffer Request", 2110, 2120, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "BUFFER-REQUEST", REASON_UNEXPLAINED);
	assert_value(&w, "BUFFER-REQUEST", "during_launch", 0);
	world_release(&w);

	w = (struct world){0};
	steps(&w, 3, 1, 1, 0);
	made_add(&w.made, EVENT_OVERHEAD, "Activity Buffer Request", 11, 12, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "BUFFER-REQUEST"); /* there is no offset to explain */
	world_release(&w);
}

static void no_request(void **state)
{
	(void)state;
	struct world w = {0};
	steps(&w, 3, 1, 1, 0);
	made_add(&w.made, EVENT_OVERHEAD, "Lazy Function Loading", 11, 12, 0);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "BUFFER-REQUEST");
	world_release(&w);

	w = (struct world){0};
	steps(&w, 3, 1, 1, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "BUFFER-REQUEST", REASON_NO_OVERHEAD);
	world_release(&w);
}

/* ---- G2 ---- */

static void gap_of_the_profiler(void **state)
{
	TEST_WORLD(w);
	steps(&w, 4, 2, 40, 0);
	made_add(&w.made, EVENT_OVERHEAD, "Activity Buffer Request", 40, 60, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "ODD-GAP", REASON_PROFILER);
	assert_value(&w, "ODD-GAP", "gaps", 1);
	assert_value(&w, "ODD-GAP", "steps_with", 1);
	assert_value(&w, "ODD-GAP", "largest", 40e3);
	assert_value(&w, "ODD-GAP", "median", 2e3);
	assert_text(&w, "ODD-GAP", "after", ADD);
	assert_gives_back(&w, "ODD-GAP", 0); /* without the recorder it would not be there */
}

/* The launch of the second kernel comes when the first has long ended. */
static void gap_of_the_host(void **state)
{
	TEST_WORLD(w);
	for (int i = 0; i < 4; i++) {
		double at = 100.0 * i, late = i == 2 ? 50 : 0;
		uint32_t id = 2 * (uint32_t)i + 1;
		made_add(&w.made, EVENT_ANNOTATION, step_name[i], at, at + 100, 0);
		launch(&w, GEMM, at + 2, at + 10, at + 20, id);
		launch(&w, ADD, at + 6 + late, at + 22 + late, at + 30 + late, id + 1);
	}
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "ODD-GAP", REASON_HOST_LATE);
	assert_value(&w, "ODD-GAP", "largest", 52e3);
	assert_gives_back(&w, "ODD-GAP", 50);
	assert_int_equal(finding(&w, "ODD-GAP")->evidence[0], row_of(&w, GEMM, 2));
}

/* Another stream works in the gap. */
static void gap_of_another_stream(void **state)
{
	TEST_WORLD(w);
	steps(&w, 4, 2, 40, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", 18, 20, 50);
	made_add(&w.made, EVENT_MEMCPY, "Memcpy HtoD (Pinned -> Device)", 31, 69, 50)->track =
		MADE_STREAM2;
	for (int i = 1; i < 4; i++) { /* so that all steps launch the same */
		double at = 100.0 * i;
		uint32_t id = 50 + (uint32_t)i;
		made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", at + 19, at + 20, id);
		made_add(&w.made, EVENT_MEMCPY, "Memcpy HtoD (Pinned -> Device)", at + 31, at + 33,
			id)
			->track = MADE_STREAM2;
	}
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "ODD-GAP", REASON_BETWEEN);
}

static void unknown_gap(void **state)
{
	TEST_WORLD(w);
	steps(&w, 4, 2, 40, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "ODD-GAP"); /* no cause is named that was not measured */
	assert_gives_back(&w, "ODD-GAP", 38);
}

static void even_gaps(void **state)
{
	(void)state;
	struct world w = {0};
	steps(&w, 4, 30, 30, 0); /* wide, but in every step */
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "ODD-GAP");
	world_release(&w);

	w = (struct world){0};
	steps(&w, 2, 2, 40, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "ODD-GAP", REASON_FEW_STEPS);
	world_release(&w);

	w = (struct world){0};
	for (int i = 0; i < 3; i++) { /* each step launches something else */
		made_add(&w.made, EVENT_ANNOTATION, step_name[i], 100 * i, 100 * i + 100, 0);
		for (int k = 0; k <= i; k++)
			launch(&w, ADD, 100 * i + 5 * k, 100 * i + 10 * k + 40,
				100 * i + 10 * k + 45, (uint32_t)(10 * i + k) + 1);
	}
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "ODD-GAP", REASON_UNEVEN_STEPS);
	world_release(&w);
}

/* ---- G3 and SKEWED ---- */

/* One kernel after the other; n of 10 us and one of `last` us. */
static void repeated(struct world *w, int n, double last, bool shapes)
{
	double at = 0;
	for (int i = 0; i <= n; i++) {
		double took = i < n ? 10 : last;
		made_add(&w->made, EVENT_OP, "aten::mm", at, at + 3, 0);
		launch(w, GEMM, at, at + 5, at + 5 + took, (uint32_t)i + 1);
		at += took + 8;
	}
	seal(w);
	for (int i = 0; i <= n && shapes; i++)
		inputs(w, "aten::mm", i, "[[64, 64], [64, 64]]", "[]");
}

/* Eight runs that get longer by a microsecond each, and a reading of the clock before each. */
static void clocked(struct world *w, const double *mhz)
{
	double at = 0;
	for (int i = 0; i < 8; i++) {
		made_add(&w->made, EVENT_OP, "aten::mm", at, at + 3, 0);
		launch(w, GEMM, at, at + 5, at + 15 + i, (uint32_t)i + 1);
		made_add(&w->made, EVENT_COUNTER, "SM clock (MHz)", at + 4, at + 4, 0);
		at += 40;
	}
	seal(w);
	struct trace *t = &w->made.trace;
	t->counters = arena_array(&w->made.arena, t->n, sizeof *t->counters);
	for (int i = 0; i < 8; i++) {
		inputs(w, "aten::mm", i, "[[64, 64], [64, 64]]", "[]");
		t->side[row_of(w, "SM clock (MHz)", i)] = (uint32_t)t->n_counters;
		t->counters[t->n_counters++].value = mhz[i];
	}
	detect_world(w);
}

static void the_clock_goes_with_it(void **state)
{
	TEST_WORLD(w);
	clocked(&w, (const double[]){1980, 1980, 1965, 1950, 1935, 1920, 1905, 1890});
	assert_fired_as(&w, "UNEVEN-KERNEL", REASON_CLOCK);
	assert_value(&w, "UNEVEN-KERNEL", "clock_low", 1890);
	assert_value(&w, "UNEVEN-KERNEL", "clock_high", 1980);
	/* Pearson of the ranks: 1 to 8, and 7.5, 7.5, 6 to 1 */
	assert_true(fabs(finding_value(finding(&w, "UNEVEN-KERNEL"), "clock_rank")->number +
			    0.9940298) < 1e-6);
}

static void the_clock_does_not(void **state)
{
	(void)state;
	struct world w = {0};
	clocked(&w, (const double[]){1890, 1905, 1920, 1935, 1950, 1965, 1980, 1980});
	assert_fired(&w, "UNEVEN-KERNEL"); /* longer at a faster clock: not for want of it */
	assert_true(finding_value(finding(&w, "UNEVEN-KERNEL"), "clock_rank")->number > 0.9);
	world_release(&w);

	w = (struct world){0};
	clocked(&w, (const double[]){1980, 1980, 1980, 1980, 1980, 1980, 1980, 1980});
	assert_fired(&w, "UNEVEN-KERNEL");
	assert_false(finding_value(finding(&w, "UNEVEN-KERNEL"), "clock_rank")->known);
	world_release(&w);
}

static void varying_kernel(void **state)
{
	(void)state;
	struct world w = {0};
	repeated(&w, 11, 70, true);
	detect_world(&w);
	assert_fired_as(&w, "UNEVEN-KERNEL", REASON_MEAN);
	assert_value(&w, "UNEVEN-KERNEL", "calls", 12);
	assert_value(&w, "UNEVEN-KERNEL", "median", 10e3);
	assert_value(&w, "UNEVEN-KERNEL", "mean", 15e3);
	assert_value(&w, "UNEVEN-KERNEL", "mean_off", 0.5);
	assert_gives_back(&w, "UNEVEN-KERNEL", 60);
	assert_first_row(&w, "UNEVEN-KERNEL", GEMM, 11);
	assert_fired(&w, "SKEWED");
	assert_value(&w, "SKEWED", "ratio", 1.5);
	assert_gives_back(&w, "SKEWED", 0);
	world_release(&w);

	w = (struct world){0};
	repeated(&w, 11, 13, true); /* the spread is there, but the mean is right */
	detect_world(&w);
	assert_fired(&w, "UNEVEN-KERNEL");
	assert_not_fired(&w, "SKEWED");
	world_release(&w);

	w = (struct world){0};
	repeated(&w, 11, 70, false); /* nothing tells that they do the same */
	detect_world(&w);
	assert_fired_as(&w, "UNEVEN-KERNEL", REASON_NO_SHAPES);
	assert_gives_back(&w, "UNEVEN-KERNEL", 0);
	world_release(&w);
}

/* Compiled again in the middle, for another shape that nothing records: no clock is to blame. */
static void other_work_under_one_name(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "Torch-Compiled Region: 0/0", 900, 910, 0);
	made_add(&w.made, EVENT_ANNOTATION, "Torch-Compiled Region: 0/1", 920, 930, 0);
	repeated(&w, 11, 70, false);
	detect_world(&w);
	assert_int_equal(w.a.compile.recompiles, 1);
	assert_not_applicable(&w, "UNEVEN-KERNEL", REASON_FEW_CALLS);
}

/* Where other operators tell their shapes, runs without may be anything. */
static void shapes_of_others_only(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::add", 900, 910, 0);
	repeated(&w, 11, 70, false);
	inputs(&w, "aten::add", 0, "[[64, 64], [64, 64]]", "[]");
	detect_world(&w);
	assert_not_applicable(&w, "UNEVEN-KERNEL", REASON_FEW_CALLS);
}

static void steady_kernel(void **state)
{
	(void)state;
	struct world w = {0};
	repeated(&w, 11, 10.5, true);
	detect_world(&w);
	assert_not_fired(&w, "UNEVEN-KERNEL");
	assert_value(&w, "UNEVEN-KERNEL", "varying", 0);
	assert_not_fired(&w, "SKEWED");
	world_release(&w);

	w = (struct world){0};
	repeated(&w, 3, 70, true);
	detect_world(&w);
	assert_not_applicable(&w, "UNEVEN-KERNEL", REASON_FEW_CALLS);
	assert_not_applicable(&w, "SKEWED", REASON_FEW_CALLS);
	world_release(&w);

	w = (struct world){0};
	repeated(&w, 11, 70, true);
	w.made.trace.resolution_ns = 1000; /* 10 us are ten ticks: enough */
	detect_world(&w);
	assert_fired_as(&w, "UNEVEN-KERNEL", REASON_MEAN);
	world_release(&w);
}

/* Two kinds of work under one name: skewed, yet each takes its own time. */
static void different_work(void **state)
{
	(void)state;
	struct world w = {0};
	for (int i = 0; i < 18; i++) {
		double at = 50.0 * i;
		made_add(&w.made, EVENT_OP, "aten::mm", at, at + 8, 0);
		launch(&w, GEMM, at + 2, at + 5, at + (i < 12 ? 10 : 45), (uint32_t)i + 1);
	}
	seal(&w);
	for (int i = 0; i < 18; i++)
		inputs(&w, "aten::mm", i,
			i < 12 ? "[[64, 64], [64, 64]]" : "[[64, 512], [512, 64]]", "[]");
	detect_world(&w);
	assert_not_fired(&w, "UNEVEN-KERNEL");
	assert_value(&w, "UNEVEN-KERNEL", "kernels", 2);
	assert_fired(&w, "SKEWED");
	world_release(&w);

	w = (struct world){0};
	for (int i = 0; i < 12; i++)
		copy(&w, "Memcpy HtoD (Pinned -> Device)", 50 * i, 50 * i + 3,
			50 * i + (i % 2 ? 10 : 40), (uint32_t)i + 1);
	seal(&w);
	for (int i = 0; i < 12; i++)
		bytes(&w, "Memcpy HtoD (Pinned -> Device)", i, i % 2 ? 4096 : 65536);
	detect_world(&w);
	assert_not_fired(&w, "UNEVEN-KERNEL");
	world_release(&w);
}

/* What whole microseconds do to a kernel of 4 us is no spread. */
static void coarse_clock(void **state)
{
	TEST_WORLD(w);
	for (int i = 0; i < 12; i++)
		launch(&w, ADD, 20 * i, 20 * i + 5, 20 * i + 9 + i % 2 * 3, (uint32_t)i + 1);
	seal(&w);
	w.made.trace.resolution_ns = 1000;
	detect_world(&w);
	assert_not_fired(&w, "UNEVEN-KERNEL");
	assert_not_fired(&w, "SKEWED");
}

/* ---- G5 ---- */

/* A copy of `size` bytes, then after `gap` us a product of 64 x 64 in bf16: 8192 bytes. */
static void copy_then_gemm(struct world *w, double gap, int64_t size)
{
	copy(w, "Memcpy DtoD (Device -> Device)", 0, 10, 20, 1);
	made_add(&w->made, EVENT_OP, "aten::addmm", 3, 9, 0);
	launch(w, GEMM, 4, 20 + gap, 60 + gap, 2);
	seal(w);
	bytes(w, "Memcpy DtoD (Device -> Device)", 0, size);
	inputs(w, "aten::addmm", 0, "[[64, 64], [64, 32], [32, 64], [], []]",
		"[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"Scalar\"]");
	detect_world(w);
}

static void copy_before_product(void **state)
{
	TEST_WORLD(w);
	copy_then_gemm(&w, 2, 8192);
	assert_fired(&w, "COPY-BEFORE-MATMUL");
	assert_value(&w, "COPY-BEFORE-MATMUL", "copies", 1);
	assert_value(&w, "COPY-BEFORE-MATMUL", "checked", 1);
	assert_gives_back(&w, "COPY-BEFORE-MATMUL", 10);
}

/* The product's library clears a counter in between. */
static void copy_before_a_cleared_product(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 3, 9, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaMemsetAsync", 3.5, 3.8, 3);
	made_add(&w.made, EVENT_MEMSET, "Memset (Device)", 21, 22, 3)->bytes = 4;
	copy(&w, "Memcpy DtoD (Device -> Device)", 0, 10, 20, 1);
	launch(&w, GEMM, 4, 23, 60, 2);
	seal(&w);
	bytes(&w, "Memcpy DtoD (Device -> Device)", 0, 8192);
	detect_world(&w);
	assert_fired(&w, "COPY-BEFORE-MATMUL");
	assert_value(&w, "COPY-BEFORE-MATMUL", "copies", 1);
}

static void copy_for_something_else(void **state)
{
	(void)state;
	struct world w = {0};
	copy_then_gemm(&w, 2, 4096); /* half as large as the result */
	assert_not_fired(&w, "COPY-BEFORE-MATMUL");
	world_release(&w);

	w = (struct world){0};
	copy_then_gemm(&w, 60, 8192); /* long before it */
	assert_not_fired(&w, "COPY-BEFORE-MATMUL");
	world_release(&w);

	w = (struct world){0};
	launch(&w, ADD, 0, 10, 20, 1);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "COPY-BEFORE-MATMUL", REASON_NO_GEMM);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_explains_the_offset),
		cmocka_unit_test(request_elsewhere),
		cmocka_unit_test(no_request),
		cmocka_unit_test(gap_of_the_profiler),
		cmocka_unit_test(gap_of_the_host),
		cmocka_unit_test(gap_of_another_stream),
		cmocka_unit_test(unknown_gap),
		cmocka_unit_test(even_gaps),
		cmocka_unit_test(the_clock_goes_with_it),
		cmocka_unit_test(the_clock_does_not),
		cmocka_unit_test(varying_kernel),
		cmocka_unit_test(shapes_of_others_only),
		cmocka_unit_test(other_work_under_one_name),
		cmocka_unit_test(steady_kernel),
		cmocka_unit_test(different_work),
		cmocka_unit_test(coarse_clock),
		cmocka_unit_test(copy_before_product),
		cmocka_unit_test(copy_before_a_cleared_product),
		cmocka_unit_test(copy_for_something_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
