/* SPDX-License-Identifier: Apache-2.0 */
/* MASKED by the row and ONE-BLOCK: one trace where each must fire and one where it must not. */
#include "tests/unit/detecting.h"

/* One kernel of 100 us over a matrix of `rows` rows. */
static void one_row_kernel(struct world *w, const char *kernel, int32_t grid, const char *shape)
{
	made_add(&w->made, EVENT_OP, "tb::square", 0, 20, 0);
	launch(w, kernel, 5, 30, 130, 1);
	seal(w);
	footprint(w, kernel, 0, grid, 128, 18, 0);
	inputs(w, "tb::square", 0, shape, "[\"float\"]");
	device(w, a100);
	detect_world(w);
}

static void columns_and_lanes(void **state)
{
	(void)state;
	static const struct {
		const char *kernel, *shape;
		int32_t grid;
		double columns, lanes;
	} fires[] = {
		/* the Lecture's ragged width: 781 of 1024; Liger's 3072 of 4096 */
		{"square_kernel_0d1d234", "[[1823, 781]]", 1823, 781, 1024},
		{"_geglu_tanh_forward_kernel", "[[64, 128, 3072], [64, 128, 3072]]", 8192, 3072,
			4096},
		{"tracebook_square_row", "[[10000, 10000]]", 10000, 10000, 16384},
		{"triton_per_fused_native_layer_norm_3", "[[], [512, 700]]", 512, 700, 1024},
	};
	for (size_t i = 0; i < sizeof fires / sizeof *fires; i++) {
		struct world w = {0};
		one_row_kernel(&w, fires[i].kernel, fires[i].grid, fires[i].shape);
		double idle = 1 - fires[i].columns / fires[i].lanes;
		assert_fired_as(&w, "MASKED", REASON_ROWS);
		assert_value(&w, "MASKED", "columns", fires[i].columns);
		assert_value(&w, "MASKED", "lanes", fires[i].lanes);
		assert_value(&w, "MASKED", "idle", idle);
		assert_value(&w, "MASKED", "share", idle);
		assert_true(
			llabs(finding(&w, "MASKED")->give_back_ns - (int64_t)(idle * 100e3)) <= 1);
		world_release(&w);
	}
}

static void no_lane_to_spare(void **state)
{
	(void)state;
	static const struct {
		const char *kernel, *shape;
		int32_t grid;
	} not [] = {
		{"tracebook_square_row_loop", "[[10000, 10000]]", 10000}, /* 240 of 10240: 2 % */
		{"tracebook_square_row", "[[512, 4096]]", 512}, /* a power of two */
		{"tracebook_square_row", "[[512, 3000]]", 600}, /* blocks are no rows */
		{"tracebook_square_row", "[[3000]]", 1}, /* no rows */
		{"vectorized_elementwise_kernel<4>", "[[512, 3000]]", 512}, /* by accident */
	};
	for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
		struct world w = {0};
		one_row_kernel(&w, not [i].kernel, not [i].grid, not [i].shape);
		assert_not_fired(&w, "MASKED");
		world_release(&w);
	}
}

/* ---- ONE-BLOCK ---- */

static void one_kernel(
	struct world *w, const char *kernel, int32_t threads, int32_t registers, int32_t shared)
{
	launch(w, kernel, 0, 10, 20, 1);
	seal(w);
	footprint(w, kernel, 0, 4000, threads, registers, shared);
	device(w, a100);
	detect_world(w);
}

static void alone(void **state)
{
	(void)state;
	struct world w = {0};
	one_kernel(&w, "reduce_kernel<512, 1>", 512, 72, 16384); /* by registers */
	assert_fired(&w, "ONE-BLOCK");
	assert_value(&w, "ONE-BLOCK", "alone", 1);
	assert_value(&w, "ONE-BLOCK", "share", 1);
	assert_value(&w, "ONE-BLOCK", "registers", 72);
	assert_value(&w, "ONE-BLOCK", "shared", 16384);
	world_release(&w);
	w = (struct world){0};
	one_kernel(&w, "reduce_kernel<512, 1>", 256, 32, 100 << 10); /* by shared memory */
	assert_fired(&w, "ONE-BLOCK");
	world_release(&w);
}

static void in_company(void **state)
{
	(void)state;
	static const struct {
		const char *kernel;
		int32_t threads, registers, shared;
	} not [] = {{"reduce_kernel<512, 1>", 512, 40, 16384}, /* three fit */
		{"reduce_kernel<512, 1>", 512, 72, 0}, /* nothing is shared */
		{"reduce_kernel<32, 1>", 32, 40, 100 << 10}, /* one warp */
		{GEMM, 512, 72, 16384}, {"bmm_MxE4m3_t128x16", 576, 96, 121312},
		{"flash_fwd_kernel", 128, 255, 100 << 10}};
	for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
		struct world w = {0};
		one_kernel(&w, not [i].kernel, not [i].threads, not [i].registers, not [i].shared);
		assert_not_fired(&w, "ONE-BLOCK");
		world_release(&w);
	}
	struct world w = {0};
	launch(&w, ADD, 0, 10, 20, 1);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "ONE-BLOCK", REASON_NO_PROPERTIES);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_and_lanes),
		cmocka_unit_test(no_lane_to_spare),
		cmocka_unit_test(alone),
		cmocka_unit_test(in_company),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
