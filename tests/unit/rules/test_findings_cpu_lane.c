/* SPDX-License-Identifier: Apache-2.0 */
/* C1 to C6, the CPU lane: one trace where each must fire and one where it must not. */
#include "tests/unit/detecting.h"

/* Four steps of 100 us, the first `extra` wider; its range waits `blank` before its operator. */
static void steps(struct world *w, double extra, double blank)
{
	static const char *const name[] = {
		"ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5"};
	for (int i = 0; i < 4; i++) {
		double at = 100.0 * i + (i ? extra : 0), more = i ? 0 : extra, late = i ? 0 : blank;
		made_add(&w->made, EVENT_ANNOTATION, name[i], at, at + 100 + more, 0);
		made_add(&w->made, EVENT_ANNOTATION, "matmul_add", at + 1, at + 99 + more, 0);
		made_add(&w->made, EVENT_OP, "aten::mm", at + 5 + late, at + 50 + late, 0);
		launch(w, GEMM, at + 10 + late, at + 20 + late, at + 60 + late, (uint32_t)i + 1);
	}
}

static void cold_start_explained(void **state)
{
	TEST_WORLD(w);
	steps(&w, 300, 200);
	made_add(&w.made, EVENT_OVERHEAD, "Runtime Triggered Module Loading", 20, 140, 0);
	made_add(&w.made, EVENT_OVERHEAD, "Lazy Function Loading", 150, 190, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WIDE-FIRST-STEP", REASON_EXPLAINED);
	assert_value(&w, "WIDE-FIRST-STEP", "first", 400e3);
	assert_value(&w, "WIDE-FIRST-STEP", "median", 100e3);
	assert_value(&w, "WIDE-FIRST-STEP", "extra", 300e3);
	assert_value(&w, "WIDE-FIRST-STEP", "setup", 160e3);
	assert_text(&w, "WIDE-FIRST-STEP", "largest", "Runtime Triggered Module Loading");
	assert_gives_back(&w, "WIDE-FIRST-STEP", 300);
	assert_first_row(&w, "WIDE-FIRST-STEP", "ProfilerStep#2", 0);
	assert_int_equal(finding(&w, "WIDE-FIRST-STEP")->evidence[1],
		row_of(&w, "Runtime Triggered Module Loading", 0));
}

static void cold_start_by_our_own_spans(void **state)
{
	(void)state;
	struct world w = {.made.label = "host queue"};
	steps(&w, 300, 0);
	made_add(&w.made, EVENT_OP, "primitive creation (JIT)", 60, 310, 0)->extra = "setup";
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WIDE-FIRST-STEP", REASON_EXPLAINED);
	assert_value(&w, "WIDE-FIRST-STEP", "setup", 250e3);
	world_release(&w);
}

/* Memory given back counts as memory taken, on whichever thread. */
static void cold_start_by_the_allocator(void **state)
{
	TEST_WORLD(w);
	steps(&w, 300, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaMalloc", 70, 170, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaFree", 180, 260, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaFree", 270, 370, 0)->track = MADE_OTHER_THREAD;
	made_add(&w.made, EVENT_RUNTIME, "cudaMalloc", 365, 380, 0); /* crosses it: not again */
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WIDE-FIRST-STEP", REASON_EXPLAINED);
	assert_value(&w, "WIDE-FIRST-STEP", "setup", 280e3);
	assert_text(&w, "WIDE-FIRST-STEP", "largest", "cudaFree");
	assert_value(&w, "WIDE-FIRST-STEP", "largest_time", 180e3);
}

static void cold_start_unexplained(void **state)
{
	TEST_WORLD(w);
	steps(&w, 300, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WIDE-FIRST-STEP", REASON_UNEXPLAINED);
	assert_value(&w, "WIDE-FIRST-STEP", "setup", 0);
}

static void equal_steps(void **state)
{
	(void)state;
	struct world w = {0};
	steps(&w, 40, 3); /* 40 us more, but not twice as wide */
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "WIDE-FIRST-STEP");
	assert_not_fired(&w, "LATE-FIRST-CALL");
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "WIDE-FIRST-STEP", REASON_FEW_STEPS);
	assert_not_applicable(&w, "LATE-FIRST-CALL", REASON_FEW_STEPS);
	world_release(&w);
}

static void late_first_call(void **state)
{
	TEST_WORLD(w);
	steps(&w, 300, 220);
	made_add(&w.made, EVENT_PYTHON, "frame", 2, 300, 0); /* no work: still blank */
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "LATE-FIRST-CALL");
	assert_text(&w, "LATE-FIRST-CALL", "range", "matmul_add");
	assert_text(&w, "LATE-FIRST-CALL", "call", "aten::mm");
	assert_value(&w, "LATE-FIRST-CALL", "first", 224e3);
	assert_value(&w, "LATE-FIRST-CALL", "median", 4e3);
	assert_gives_back(&w, "LATE-FIRST-CALL", 220);
	assert_first_row(&w, "LATE-FIRST-CALL", "matmul_add", 0);
}

/* The data loader's row lies in the blank: that much of it is no slow code of somebody's own. */
static void loader_in_the_blank(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct world w = {0};
		steps(&w, 300, 220);
		made_add(&w.made, EVENT_ANNOTATION, "enumerate(DataLoader)#_Iter.__next__", 2,
			all ? 222 : 82, 0);
		seal(&w);
		detect_world(&w);
		assert_value(&w, "LATE-FIRST-CALL", "loading", all ? 220e3 : 80e3);
		assert_value(&w, "LATE-FIRST-CALL", "first", all ? 4e3 : 144e3);
		if (all) {
			assert_not_fired(&w, "LATE-FIRST-CALL");
		} else {
			assert_fired(&w, "LATE-FIRST-CALL");
			assert_int_equal(finding(&w, "LATE-FIRST-CALL")->advice, REASON_LOADER);
		}
		world_release(&w);
	}
}

/* Steps without a range of their own: the blank is the step's. */
static void late_first_call_of_bare_steps(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 300, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 200, 210, 0);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 300, 400, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 303, 310, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "LATE-FIRST-CALL");
	assert_text(&w, "LATE-FIRST-CALL", "range", "ProfilerStep#0");
	assert_value(&w, "LATE-FIRST-CALL", "extra", 197e3);
}

/* ---- planning ---- */

static void queried_gemm(struct world *w, double at, uint32_t id)
{
	made_add(&w->made, EVENT_OP, "aten::mm", at, at + 20, 0);
	made_add(&w->made, EVENT_RUNTIME, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
		at + 2, at + 4, 0);
	launch(w, GEMM, at + 5, at + 30, at + 40, id);
	made_add(&w->made, EVENT_OP, "aten::add", at + 21, at + 29, 0);
	launch(w, ADD, at + 23, at + 40, at + 45, id + 1);
}

static void planned_launches(void **state)
{
	TEST_WORLD(w);
	queried_gemm(&w, 0, 1);
	queried_gemm(&w, 100, 3);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "OCCUPANCY-QUERY");
	assert_value(&w, "OCCUPANCY-QUERY", "launches", 4);
	assert_value(&w, "OCCUPANCY-QUERY", "queried", 2);
	assert_value(&w, "OCCUPANCY-QUERY", "products", 1);
	assert_first_row(
		&w, "OCCUPANCY-QUERY", "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 0);
	assert_int_equal(
		finding(&w, "OCCUPANCY-QUERY")->evidence[1], row_of(&w, "cudaLaunchKernel", 0));
	assert_fired(&w, "NO-OCCUPANCY-QUERY");
	assert_value(&w, "NO-OCCUPANCY-QUERY", "light", 2);
	assert_value(&w, "NO-OCCUPANCY-QUERY", "of_pointwise", 1);
}

/* A query of another operator, and one with a launch in between, plan nothing. */
static void unplanned_launches(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 10, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaOccupancyMaxActiveClusters", 1, 2, 0);
	made_add(&w.made, EVENT_OP, "aten::add", 11, 30, 0);
	launch(&w, ADD, 12, 40, 45, 1);
	launch(&w, ADD, 16, 45, 50, 2);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "OCCUPANCY-QUERY");
	assert_value(&w, "OCCUPANCY-QUERY", "queries", 1);
	assert_value(&w, "NO-OCCUPANCY-QUERY", "light", 2);
}

static void footprints(void **state)
{
	(void)state;
	struct world w = {0};
	launch(&w, GEMM, 0, 10, 50, 1);
	launch(&w, ADD, 5, 50, 60, 2);
	seal(&w);
	footprint(&w, GEMM, 0, 64, 256, 230, 98304);
	footprint(&w, ADD, 0, 64, 128, 32, 0);
	detect_world(&w);
	assert_not_applicable(&w, "OCCUPANCY-QUERY", REASON_NO_QUERIES);
	assert_fired(&w, "HEAVY-FOOTPRINT");
	assert_value(&w, "HEAVY-FOOTPRINT", "heavy", 1);
	assert_value(&w, "HEAVY-FOOTPRINT", "of_products", 1);
	assert_value(&w, "HEAVY-FOOTPRINT", "of_pointwise", 0);
	assert_first_row(&w, "HEAVY-FOOTPRINT", GEMM, 0);
	assert_fired(&w, "NO-OCCUPANCY-QUERY");
	assert_value(&w, "NO-OCCUPANCY-QUERY", "light", 1);
	assert_first_row(&w, "NO-OCCUPANCY-QUERY", "cudaLaunchKernel", 1);
	world_release(&w);

	w = (struct world){0}; /* a heavy kernel that was not asked for is planned all the same */
	queried_gemm(&w, 0, 1);
	launch(&w, GEMM, 60, 70, 80, 5);
	seal(&w);
	footprint(&w, GEMM, 1, 64, 256, 168, 200000);
	detect_world(&w);
	assert_value(&w, "NO-OCCUPANCY-QUERY", "launches", 3);
	assert_value(&w, "NO-OCCUPANCY-QUERY", "light", 1);
	world_release(&w);

	w = (struct world){0};
	launch(&w, GEMM, 0, 10, 50, 1);
	seal(&w);
	footprint(&w, GEMM, 0, 64, 256, 80, 4096);
	detect_world(&w);
	assert_not_fired(&w, "HEAVY-FOOTPRINT");
	assert_not_fired(&w, "NO-OCCUPANCY-QUERY"); /* it has shared memory */
	world_release(&w);

	w = (struct world){0};
	launch(&w, GEMM, 0, 10, 50, 1);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "HEAVY-FOOTPRINT", REASON_NO_FOOTPRINT);
	assert_not_applicable(&w, "NO-OCCUPANCY-QUERY", REASON_NO_FOOTPRINT);
	world_release(&w);
}

/* ---- the last wait ---- */

/* Steps of 100 us, a wait from 410 to `end_us`, work of the device until `busy_us`. */
static void wait_at_end(struct world *w, double end_us, double busy_us)
{
	steps(w, 0, 0);
	launch(w, ADD, 405, 410, busy_us, 9);
	made_add(&w->made, EVENT_RUNTIME, "cudaDeviceSynchronize", 410, end_us, 0);
}

static void long_waits(void **state)
{
	(void)state;
	struct world w = {0};
	wait_at_end(&w, 1410, 1400);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WAIT-AT-END", REASON_WAITED);
	assert_value(&w, "WAIT-AT-END", "wait", 1000e3);
	assert_value(&w, "WAIT-AT-END", "busy", 0.99);
	assert_gives_back(&w, "WAIT-AT-END", 0);
	world_release(&w);

	w = (struct world){0};
	wait_at_end(&w, 1410, 420);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WAIT-AT-END", REASON_IDLE);
	assert_value(&w, "WAIT-AT-END", "idle", 0.99);
	world_release(&w);

	w = (struct world){0};
	wait_at_end(&w, 1410, 420);
	made_add(&w.made, EVENT_OVERHEAD, "Buffer Flush", 500, 1300, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WAIT-AT-END", REASON_FLUSH);
	assert_value(&w, "WAIT-AT-END", "flush", 0.8);
	world_release(&w);

	w = (struct world){0};
	wait_at_end(&w, 1410, 910);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "WAIT-AT-END", REASON_MIXED);
	world_release(&w);
}

static void short_or_early_waits(void **state)
{
	(void)state;
	struct world w = {0};
	wait_at_end(&w, 430, 425);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "WAIT-AT-END");
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 0, 1000, 0);
	launch(&w, ADD, 1005, 1010, 1020, 9); /* work follows: it was not the last */
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "WAIT-AT-END");
	world_release(&w);

	w = (struct world){0};
	launch(&w, ADD, 0, 10, 20, 9);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "WAIT-AT-END", REASON_NO_SYNCS);
	world_release(&w);
}

/* ---- hidden copies ---- */

static void copy_inside_addmm(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::addmm", 0, 30, 0);
	copy(&w, "Memcpy DtoD (Device -> Device)", 5, 20, 30, 1);
	launch(&w, GEMM, 10, 32, 60, 2);
	seal(&w);
	bytes(&w, "Memcpy DtoD (Device -> Device)", 0, 8192);
	detect_world(&w);
	assert_fired_as(&w, "HIDDEN-COPY", REASON_ADDMM);
	assert_value(&w, "HIDDEN-COPY", "bytes", 8192);
	assert_text(&w, "HIDDEN-COPY", "scope", "aten::addmm");
	assert_gives_back(&w, "HIDDEN-COPY", 10);
	assert_fired(&w, "COPY-BEFORE-MATMUL");
}

/* What is added to the product: a bias could be taken along, a matrix as large as it cannot. */
static void addend_of_addmm(void **state)
{
	(void)state;
	static const char *const addend[] = {
		"[[64], [64, 32], [32, 64], [], []]", "[[64, 64], [64, 32], [32, 64], [], []]"};
	for (int full = 0; full < 2; full++) {
		struct world w = {0};
		made_add(&w.made, EVENT_OP, "aten::addmm", 0, 400, 0);
		copy(&w, "Memcpy DtoD (Device -> Device)", 5, 20, 30, 1);
		launch(&w, GEMM, 300, 302, 360, 2); /* late, but still of one operator */
		seal(&w);
		bytes(&w, "Memcpy DtoD (Device -> Device)", 0, 8192);
		inputs(&w, "aten::addmm", 0, addend[full],
			"[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", "
			"\"Scalar\"]");
		detect_world(&w);
		assert_fired_as(&w, "HIDDEN-COPY", REASON_ADDMM);
		assert_int_equal(finding(&w, "HIDDEN-COPY")->advice,
			full ? REASON_FULL_ADDEND : REASON_NONE);
		assert_fired(&w, "COPY-BEFORE-MATMUL");
		world_release(&w);
	}
}

static void copy_before_product(struct world *w)
{
	made_add(&w->made, EVENT_RUNTIME, "hostMemcpyAsync", 5, 7, 1);
	made_add(&w->made, EVENT_MEMCPY, "Memcpy HtoH (host -> host)", 20, 30, 1);
	made_add(&w->made, EVENT_RUNTIME, "hostLaunchKernel", 10, 12, 2);
	made_add(&w->made, EVENT_KERNEL, "brg:avx512_core_bf16 matmul+sum", 31, 60, 2);
	seal(w);
	detect_world(w);
}

/* The host device's addmm copies by its own copy operator; nobody wrote that one either. */
static void copying_operator_inside_addmm(void **state)
{
	(void)state;
	struct world w = {.made.label = "host queue"};
	made_add(&w.made, EVENT_OP, "tb::addmm", 0, 30, 0);
	made_add(&w.made, EVENT_OP, "tb::copy_", 4, 8, 0);
	copy_before_product(&w);
	assert_fired_as(&w, "HIDDEN-COPY", REASON_ADDMM);
	assert_text(&w, "HIDDEN-COPY", "scope", "tb::addmm");
	world_release(&w);
}

static void copy_of_compiled_code(void **state)
{
	(void)state;
	struct world w = {.made.label = "host queue"};
	made_add(&w.made, EVENT_OP, "call graph 1ed092b9aa9fa2cd", 0, 30, 0);
	copy_before_product(&w);
	assert_fired_as(&w, "HIDDEN-COPY", REASON_BEFORE_GEMM);
	world_release(&w);
}

static void written_copies(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OP, "aten::nonzero", 0, 30, 0);
	copy(&w, "Memcpy DtoD (Device -> Device)", 5, 20, 30, 1);
	seal(&w);
	bytes(&w, "Memcpy DtoD (Device -> Device)", 0, 4); /* a count */
	detect_world(&w);
	assert_not_fired(&w, "HIDDEN-COPY");
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "aten::clone", 0, 30, 0);
	made_add(&w.made, EVENT_OP, "aten::copy_", 2, 28, 0);
	copy(&w, "Memcpy DtoD (Device -> Device)", 5, 20, 30, 1);
	made_add(&w.made, EVENT_OP, "aten::to", 40, 60, 0);
	copy(&w, "Memcpy HtoD (Pageable -> Device)", 45, 60, 70, 2); /* another way */
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "HIDDEN-COPY");
	world_release(&w);

	w = (struct world){0};
	launch(&w, ADD, 0, 10, 20, 9);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "HIDDEN-COPY"); /* no copy at all is an answer */
	assert_value(&w, "HIDDEN-COPY", "copies", 0);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loader_in_the_blank),
		cmocka_unit_test(cold_start_explained),
		cmocka_unit_test(cold_start_by_our_own_spans),
		cmocka_unit_test(cold_start_by_the_allocator),
		cmocka_unit_test(cold_start_unexplained),
		cmocka_unit_test(equal_steps),
		cmocka_unit_test(late_first_call),
		cmocka_unit_test(late_first_call_of_bare_steps),
		cmocka_unit_test(planned_launches),
		cmocka_unit_test(unplanned_launches),
		cmocka_unit_test(footprints),
		cmocka_unit_test(long_waits),
		cmocka_unit_test(short_or_early_waits),
		cmocka_unit_test(copy_inside_addmm),
		cmocka_unit_test(addend_of_addmm),
		cmocka_unit_test(copying_operator_inside_addmm),
		cmocka_unit_test(copy_of_compiled_code),
		cmocka_unit_test(written_copies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
