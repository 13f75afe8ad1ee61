/* SPDX-License-Identifier: Apache-2.0 */
/* X3, X9, X10, X11, TC-UNUSED and Lecture 1's rules: one trace where each must fire and one where
 * it must not. */
#include "tests/unit/detecting.h"

#define SGEMM "ampere_sgemm_128x64_tn"
#define NVJET "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_TNT"
#define HALVES "[\"c10::BFloat16\", \"c10::BFloat16\"]"
#define FLOATS "[\"float\", \"float\"]"

/* The nth product of the trace, m x k times k x n, in `took` us. */
static void product(struct world *w, const char *kernel, int nth, double took)
{
	double at = 1000.0 * nth;
	made_add(&w->made, EVENT_OP, "aten::mm", at, at + 20, 0);
	launch(w, kernel, at + 5, at + 30, at + 30 + took, (uint32_t)nth + 1);
}

/* ---- X3, X11 ---- */

static void twins(struct world *w, const char *second_dims)
{
	product(w, GEMM, 0, 100);
	product(w, NVJET, 1, 80);
	seal(w);
	inputs(w, "aten::mm", 0, "[[512, 256], [256, 1024]]", HALVES);
	inputs(w, "aten::mm", 1, second_dims, HALVES);
	footprint(w, GEMM, 0, 64, 256, 90, 0);
	footprint(w, NVJET, 0, 32, 384, 168, 200000);
	w->made.trace.kernels[0].occupancy_pct = 50;
	w->made.trace.kernels[1].occupancy_pct = 19;
	detect_world(w);
}

static void equal_work_other_kernel(void **state)
{
	TEST_WORLD(w);
	twins(&w, "[[512, 1024], [1024, 256]]");
	double flop = 2.0 * 512 * 256 * 1024;
	assert_fired(&w, "EQUAL-WORK");
	assert_value(&w, "EQUAL-WORK", "flop", flop);
	assert_text(&w, "EQUAL-WORK", "fast", NVJET);
	assert_text(&w, "EQUAL-WORK", "slow", GEMM);
	assert_value(&w, "EQUAL-WORK", "fast_rate", flop / 80e-6);
	assert_value(&w, "EQUAL-WORK", "slow_rate", flop / 100e-6);
	assert_gives_back(&w, "EQUAL-WORK", 20);
	assert_fired(&w, "LOW-OCCUPANCY-FASTEST");
	assert_value(&w, "LOW-OCCUPANCY-FASTEST", "fast_occupancy", 0.19);
	assert_value(&w, "LOW-OCCUPANCY-FASTEST", "slow_occupancy", 0.5);
}

/* 214 and 205 TFLOP/s: nobody gains by the other kernel. */
static void nearly_as_fast(void **state)
{
	(void)state;
	struct world w = {0};
	product(&w, GEMM, 0, 100);
	product(&w, NVJET, 1, 90);
	seal(&w);
	inputs(&w, "aten::mm", 0, "[[512, 256], [256, 1024]]", HALVES);
	inputs(&w, "aten::mm", 1, "[[512, 256], [256, 1024]]", HALVES);
	detect_world(&w);
	assert_not_fired(&w, "EQUAL-WORK");
	world_release(&w);

	w = (struct world){0};
	product(&w, GEMM, 0, 100);
	product(&w, NVJET, 1, 50);
	launch(&w, ADD, 2000, 2030, 12030, 9); /* 50 us are nothing beside 10 ms */
	seal(&w);
	inputs(&w, "aten::mm", 0, "[[512, 256], [256, 1024]]", HALVES);
	inputs(&w, "aten::mm", 1, "[[512, 256], [256, 1024]]", HALVES);
	detect_world(&w);
	assert_not_fired(&w, "EQUAL-WORK");
	world_release(&w);
}

/* Three kernels for the same work, the first with its sum split: the kernel that adds up the parts
 * is part of its time. It is compared with the fastest, though the other takes longer in all. */
static void split_sum_against_the_fastest(void **state)
{
	TEST_WORLD(w);
	product(&w, GEMM, 0, 50);
	launch(&w, "void cublasLt::splitKreduce_kernel<32, 16, int>", 10, 85, 135, 20);
	product(&w, NVJET, 1, 60);
	product(&w, NVJET "_long", 2, 70);
	product(&w, NVJET "_long", 3, 70);
	seal(&w);
	for (int i = 0; i < 4; i++)
		inputs(&w, "aten::mm", i, "[[512, 256], [256, 1024]]", HALVES);
	detect_world(&w);
	double flop = 2.0 * 512 * 256 * 1024;
	assert_fired(&w, "EQUAL-WORK");
	assert_text(&w, "EQUAL-WORK", "fast", NVJET);
	assert_text(&w, "EQUAL-WORK", "slow", GEMM);
	assert_value(&w, "EQUAL-WORK", "slow_rate", flop / 100e-6);
	assert_gives_back(&w, "EQUAL-WORK", 40);
}

static void other_work(void **state)
{
	(void)state;
	struct world w = {0};
	twins(&w, "[[512, 1024], [1024, 1024]]");
	assert_not_fired(&w, "EQUAL-WORK");
	assert_value(&w, "EQUAL-WORK", "products", 2);
	assert_not_fired(&w, "LOW-OCCUPANCY-FASTEST");
	world_release(&w);

	w = (struct world){0};
	product(&w, GEMM, 0, 100);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "EQUAL-WORK", REASON_NO_SHAPES);
	assert_not_applicable(&w, "HALF-ON-CUDA-CORES", REASON_NO_TYPES);
	world_release(&w);
}

/* An operator with two products: neither can be told the work of. */
static void two_products_in_one_operator(void **state)
{
	TEST_WORLD(w);
	product(&w, GEMM, 0, 100);
	launch(&w, NVJET, 10, 140, 200, 9);
	seal(&w);
	inputs(&w, "aten::mm", 0, "[[512, 256], [256, 1024]]", HALVES);
	detect_world(&w);
	assert_not_applicable(&w, "EQUAL-WORK", REASON_NO_GEMM);
}

/* ---- X9, TC-UNUSED ---- */

static void one_product(struct world *w, const char *kernel, const char *types, int generation)
{
	struct trace_device d = a100;
	d.major = generation;
	product(w, kernel, 0, 100);
	seal(w);
	inputs(w, "aten::mm", 0, "[[512, 256], [256, 1024]]", types);
	device(w, d);
	detect_world(w);
}

static void half_precision_on_plain_units(void **state)
{
	(void)state;
	struct world w = {0};
	one_product(&w, SGEMM, HALVES, 8);
	assert_fired(&w, "HALF-ON-CUDA-CORES");
	assert_text(&w, "HALF-ON-CUDA-CORES", "name", SGEMM);
	assert_gives_back(&w, "HALF-ON-CUDA-CORES", 100);
	assert_fired(&w, "TC-UNUSED");
	assert_value(&w, "TC-UNUSED", "share", 1);
	world_release(&w);

	w = (struct world){0};
	one_product(&w, SGEMM, HALVES, 7);
	assert_fired(&w, "TC-UNUSED");
	world_release(&w);
}

static void full_precision(void **state)
{
	(void)state;
	struct world w = {0};
	one_product(&w, SGEMM, FLOATS, 8);
	assert_fired_as(&w, "TC-UNUSED", REASON_FP32);
	assert_not_applicable(&w, "HALF-ON-CUDA-CORES", REASON_NO_GEMM);
	world_release(&w);

	w = (struct world){0};
	one_product(&w, SGEMM, FLOATS, 7); /* its tensor cores take no fp32 */
	assert_not_fired(&w, "TC-UNUSED");
	world_release(&w);
}

static void tensor_cores_used(void **state)
{
	(void)state;
	static const char *const names[] = {GEMM, NVJET,
		"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32_stage3_warpsize2x2x1_"
		"tensor16x8x16_kernel",
		"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32>",
		"volta_h884gemm_64x128_ldg8_nn"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct world w = {0};
		one_product(&w, names[i], HALVES, 8);
		assert_not_fired(&w, "TC-UNUSED");
		assert_value(&w, "TC-UNUSED", "tensor", 100e3);
		assert_not_fired(&w, "HALF-ON-CUDA-CORES");
		world_release(&w);
	}
}

static void unknown_chip_or_kernel(void **state)
{
	(void)state;
	struct world w = {0};
	product(&w, SGEMM, 0, 100);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "TC-UNUSED", REASON_NO_PROPERTIES);
	world_release(&w);

	/* Thin products have nothing for tensor cores to do. */
	static const char *const thin[] = {"void gemv2T_kernel_val<int, int, __nv_bfloat16>",
		"void gemmSN_TN_kernel<float, 128>(cublasGemmSmallNParams<float>)"};
	for (int i = 0; i < 2; i++) {
		w = (struct world){0};
		one_product(&w, thin[i], HALVES, 8);
		assert_not_fired(&w, "TC-UNUSED");
		assert_not_fired(&w, "HALF-ON-CUDA-CORES");
		world_release(&w);
	}
}

/* ---- the grid ---- */

/* One kernel of the Lecture's: 18 registers, 128 threads, on an A100: 16 blocks fit by warps, 21
 * by registers. */
static void one_grid(struct world *w, int32_t grid, int32_t block, int32_t registers)
{
	launch(w, "square_kernel_0d1d234", 0, 10, 20, 1);
	seal(w);
	footprint(w, "square_kernel_0d1d234", 0, grid, block, registers, 0);
	device(w, a100);
	detect_world(w);
}

static void tail_of_the_lecture(void **state)
{
	TEST_WORLD(w);
	one_grid(&w, 1823, 128, 18);
	assert_fired(&w, "TAIL");
	/* 1823 / (16 * 108) = 1.05 waves, two in time: even blocks would take 1.05 of the two */
	double even = 1 - 1823.0 / (16 * 108) / 2;
	assert_true(fabs(finding_value(finding(&w, "TAIL"), "waves")->number - 1.055) < 0.001);
	assert_true(fabs(finding_value(finding(&w, "TAIL"), "gain")->number - even) < 1e-6);
	assert_true(llabs(finding(&w, "TAIL")->give_back_ns - (int64_t)(even * 10000)) <= 1);
	assert_not_fired(&w, "GRID-SMALL");
	assert_not_fired(&w, "MASKED");
	assert_not_applicable(&w, "OCCUPANCY", REASON_NO_COUNTERS);
}

/* The other grids of the Lecture's log: waves 1.61 with 16 registers, 1.33 with 38 and 256
 * threads. */
static void waves_of_the_lecture(void **state)
{
	(void)state;
	static const struct {
		int32_t grid, block, registers;
		double waves;
	} log[] = {{2781, 128, 16, 1.609}, {864, 256, 38, 1.333}};
	for (size_t i = 0; i < sizeof log / sizeof *log; i++) {
		struct world w = {0};
		one_grid(&w, log[i].grid, log[i].block, log[i].registers);
		double waves = finding_value(finding(&w, "TAIL"), "waves")->number;
		if (fabs(waves - log[i].waves) > 0.001)
			fail_msg("%d blocks are %.3f waves, not %.3f", log[i].grid, waves,
				log[i].waves);
		world_release(&w);
	}
}

static void small_grid(void **state)
{
	(void)state;
	struct world w = {0};
	one_grid(&w, 174, 512, 30); /* the Lecture's reduction: 0.40 waves */
	assert_fired(&w, "GRID-SMALL");
	assert_true(
		fabs(finding_value(finding(&w, "GRID-SMALL"), "waves")->number - 0.403) < 0.001);
	assert_value(&w, "GRID-SMALL", "below_sms", 0);
	assert_not_fired(&w, "TAIL");
	world_release(&w);

	w = (struct world){0};
	one_grid(&w, 40, 512, 30);
	assert_value(&w, "GRID-SMALL", "below_sms", 1);
	world_release(&w);

	w = (struct world){0};
	one_grid(&w, 16 * 108 - 60, 128, 18); /* 0.97 waves: nothing to win by more blocks */
	assert_not_fired(&w, "GRID-SMALL");
	world_release(&w);
}

static void whole_waves(void **state)
{
	(void)state;
	struct world w = {0};
	one_grid(&w, 2 * 16 * 108, 128, 16);
	assert_not_fired(&w, "TAIL");
	assert_not_fired(&w, "GRID-SMALL");
	world_release(&w);

	w = (struct world){0}; /* no device: no waves */
	launch(&w, ADD, 0, 10, 20, 1);
	seal(&w);
	footprint(&w, ADD, 0, 100, 128, 16, 0);
	detect_world(&w);
	assert_not_applicable(&w, "TAIL", REASON_NO_PROPERTIES);
	assert_not_applicable(&w, "GRID-SMALL", REASON_NO_PROPERTIES);
	assert_not_applicable(&w, "MASKED", REASON_NO_PROPERTIES);
	assert_not_applicable(&w, "OCCUPANCY-UNKNOWN", REASON_NO_PROPERTIES);
	assert_not_applicable(&w, "BANDWIDTH", REASON_NO_PEAK);
	world_release(&w);
}

static void masked(void **state)
{
	TEST_WORLD(w);
	one_grid(&w, 2000, 48, 18); /* two warps for 48 threads: a quarter is masked */
	assert_fired(&w, "MASKED");
	assert_value(&w, "MASKED", "idle", 0.25);
	assert_value(&w, "MASKED", "share", 0.25);
	assert_gives_back(&w, "MASKED", 2.5);
}

/* ---- X10 ---- */

static void estimate_of(struct world *w, const char *call, int32_t grid, int32_t pct)
{
	made_add(&w->made, EVENT_DRIVER, call, 0, 2, 1);
	made_add(&w->made, EVENT_KERNEL, GEMM, 5, 25, 1);
	seal(w);
	footprint(w, GEMM, 0, grid, 256, 128, 0);
	w->made.trace.kernels[0].occupancy_pct = pct;
	device(w, a100);
	detect_world(w);
}

static void missing_estimate(void **state)
{
	TEST_WORLD(w);
	estimate_of(&w, "cuLaunchKernelEx", 216, 0);
	assert_fired(&w, "OCCUPANCY-UNKNOWN");
	/* 2 blocks of 256 threads on each multiprocessor: a quarter of 2048 */
	assert_value(&w, "OCCUPANCY-UNKNOWN", "occupancy", 0.25);
}

static void true_zero_estimate(void **state)
{
	(void)state;
	struct world w = {0};
	estimate_of(&w, "cuLaunchKernelEx", 1, 0); /* one block in all: 0 is right */
	assert_not_fired(&w, "OCCUPANCY-UNKNOWN");
	world_release(&w);

	w = (struct world){0};
	estimate_of(&w, "cuLaunchKernelEx", 216, 25);
	assert_not_fired(&w, "OCCUPANCY-UNKNOWN");
	world_release(&w);

	w = (struct world){0};
	estimate_of(&w, "cudaLaunchKernel", 216, 0);
	assert_not_fired(&w, "OCCUPANCY-UNKNOWN");
	world_release(&w);
}

/* ---- bandwidth ---- */

/* An addition of two matrices of 4096 x 4096 in bf16 moves 100.7 MB, 49.4 us at the peak. */
static void one_addition(struct world *w, double took)
{
	made_add(&w->made, EVENT_OP, "aten::add", 0, 20, 0);
	launch(w, ADD, 5, 30, 30 + took, 1);
	seal(w);
	inputs(w, "aten::add", 0, "[[4096, 4096], [4096, 4096], []]",
		"[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]");
	device(w, a100);
	detect_world(w);
}

static void near_the_roof(void **state)
{
	(void)state;
	struct world w = {0};
	one_addition(&w, 60);
	assert_fired_as(&w, "BANDWIDTH", REASON_NEAR_ROOF);
	assert_value(&w, "BANDWIDTH", "share", 3 * 4096.0 * 4096 * 2 / 60e-6 / 2.039e12);
	assert_value(&w, "BANDWIDTH", "modelled", 1);
	world_release(&w);

	w = (struct world){0};
	one_addition(&w, 70); /* 71 %: much, but not all */
	assert_fired(&w, "BANDWIDTH");
	world_release(&w);
}

static void far_from_the_roof(void **state)
{
	(void)state;
	struct world w = {0};
	one_addition(&w, 200);
	assert_not_fired(&w, "BANDWIDTH");
	world_release(&w);

	w = (struct world){0};
	one_addition(&w, 20); /* faster than the memory can be: out of a cache */
	assert_not_applicable(&w, "BANDWIDTH", REASON_NO_SHAPES);
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "aten::clone", 0, 20, 0);
	copy(&w, "Memcpy DtoD (Device -> Device)", 5, 30, 63, 1); /* the posts' 33 us */
	seal(&w);
	bytes(&w, "Memcpy DtoD (Device -> Device)", 0, 33554432);
	device(&w, a100);
	detect_world(&w);
	assert_fired_as(&w, "BANDWIDTH", REASON_NEAR_ROOF);
	assert_value(&w, "BANDWIDTH", "share", 2 * 33554432.0 / 33e-6 / 2.039e12);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_work_other_kernel),
		cmocka_unit_test(nearly_as_fast),
		cmocka_unit_test(split_sum_against_the_fastest),
		cmocka_unit_test(other_work),
		cmocka_unit_test(two_products_in_one_operator),
		cmocka_unit_test(half_precision_on_plain_units),
		cmocka_unit_test(full_precision),
		cmocka_unit_test(tensor_cores_used),
		cmocka_unit_test(unknown_chip_or_kernel),
		cmocka_unit_test(tail_of_the_lecture),
		cmocka_unit_test(waves_of_the_lecture),
		cmocka_unit_test(small_grid),
		cmocka_unit_test(whole_waves),
		cmocka_unit_test(masked),
		cmocka_unit_test(missing_estimate),
		cmocka_unit_test(true_zero_estimate),
		cmocka_unit_test(near_the_roof),
		cmocka_unit_test(far_from_the_roof),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
