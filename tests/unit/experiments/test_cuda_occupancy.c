/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy from a kernel's footprint, against numbers worked out elsewhere. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "experiments/cuda/occupancy.h"
#include "report/analyse/kernel_fit.h"
#include "tests/unit/gpu_properties.h"

#include <math.h>

#include <cmocka.h>

static const struct device_properties a100 = {
	.major = 8,
	.multiprocessors = 108,
	.warp = 32,
	.threads_per_block = 1024,
	.threads_per_multiprocessor = 2048,
	.registers_per_block = 65536,
	.registers_per_multiprocessor = 65536,
	.shared_per_block = 49152,
	.shared_per_block_optin = 166912,
	.shared_per_multiprocessor = 167936,
};

static struct span_kernel kernel(int grid, int block, int registers, int shared)
{
	return (struct span_kernel){.grid = {grid, 1, 1},
		.block = {block, 1, 1},
		.registers = registers,
		.dynamic_shared_bytes = shared};
}

static void test_both_answers(void **state)
{
	(void)state;
	static const struct {
		const struct device_properties *device;
		int grid, block, registers, shared, kineto, right;
		const char *limit;
	} examples[] = {
		/* nvjet: one block of 384 threads with 213 KB */
		{&h200, 132, 384, 168, 213 * 1000, 0, 19, "registers"},
		/* an Ampere GEMM */
		{&h200, 512, 256, 238, 98 * 1024, 0, 13, "registers"},
		/* an add that fills the device */
		{&h200, 8192, 256, 22, 0, 100, 100, "warps"},
		/* a 64 x 64 product: one block for 132 multiprocessors */
		{&h200, 1, 128, 90, 0, 0, 0, "registers"},
		/* a stored A100 trace */
		{&a100, 128, 128, 32, 0, 7, 7, "warps"},
	};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct span_kernel k = kernel(examples[i].grid, examples[i].block,
			examples[i].registers, examples[i].shared);
		occupancy_of(&k, examples[i].device);
		assert_int_equal(k.kineto_occupancy_pct, examples[i].kineto);
		assert_int_equal(k.occupancy_pct, examples[i].right);
		assert_string_equal(k.limit, examples[i].limit);
	}
}

/* Blocks a multiprocessor holds and waves on an A100, as ncu printed them in GPU MODE's
 * Lecture 1. */
static void test_against_ncu(void **state)
{
	(void)state;
	static const struct {
		int grid, block, registers;
		double waves;
	} examples[] = {{1823, 128, 18, 1.05}, {2781, 128, 16, 1.61}, {864, 256, 38, 1.33},
		{174, 512, 32, 0.40}};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct span_kernel k =
			kernel(examples[i].grid, examples[i].block, examples[i].registers, 0);
		occupancy_of(&k, &a100);
		assert_true(fabs(k.waves - examples[i].waves) < 0.006);
	}
}

static void test_tail(void **state)
{
	(void)state;
	/* 192 tiles, one a multiprocessor: 1.45 waves, of which 27 % stand empty */
	struct span_kernel down = kernel(192, 384, 168, 213 * 1000);
	occupancy_of(&down, &h200);
	assert_true(fabs(down.waves - 192 / 132.0) < 1e-9);
	assert_true(fabs(down.tail_pct - 27.27) < 0.01);
	struct span_kernel small = kernel(60, 384, 168, 213 * 1000);
	occupancy_of(&small, &h200);
	assert_true(small.waves < 1 && small.tail_pct <= 0);
	struct span_kernel whole = kernel(264, 384, 168, 213 * 1000);
	occupancy_of(&whole, &h200);
	assert_true(fabs(whole.waves - 2) < 1e-9 && fabs(whole.tail_pct) < 1e-9);
}

/* What report works out from a trace alone is what the toolkit's calculator says. */
static void assert_fits(const struct device_properties *p, const struct span_kernel *k)
{
	static const char *const words[FIT_LIMITS] = {
		"warps", "registers", "shared memory", "blocks"};
	const struct trace_device d = {.sms = p->multiprocessors,
		.threads_per_sm = p->threads_per_multiprocessor,
		.registers_per_sm = p->registers_per_multiprocessor,
		.shared_per_sm = (int32_t)p->shared_per_multiprocessor,
		.major = p->major,
		.minor = p->minor,
		.warp = p->warp};
	const struct kernel seen = {.grid = {k->grid[0], 1, 1},
		.block = {k->block[0], 1, 1},
		.registers = k->registers,
		.shared_bytes = k->dynamic_shared_bytes};
	const struct fit f = fit_of(&seen, &d);
	if (f.resident != k->resident_blocks || fabs(f.waves - k->waves) > 1e-9 ||
		fabs(100 * f.estimate - k->occupancy_pct) > 0.5 + 1e-9 ||
		(k->resident_blocks && strcmp(words[f.limit], k->limit) != 0) ||
		fabs(100 * f.empty / ceil(f.waves + 1e-12) - k->tail_pct) > 1e-6)
		fail_msg("%d blocks of %d threads, %d registers, %d bytes: %d (%s), the calculator "
			 "says %d (%s)",
			k->grid[0], k->block[0], k->registers, k->dynamic_shared_bytes, f.resident,
			words[f.limit], k->resident_blocks, k->limit ? k->limit : "none");
}

static void test_report_says_the_same(void **state)
{
	(void)state;
	const struct device_properties *const devices[] = {&h200, &a100};
	int compared = 0;
	for (int n = 0; n < 2; n++)
		for (int block = 1; block <= 1024; block += block < 64 ? 21 : 61)
			for (int registers = 16; registers <= 255; registers += 7)
				for (int shared = 0; shared <= 160 * 1024; shared += 9973) {
					struct span_kernel k =
						kernel(block * 3, block, registers, shared);
					occupancy_of(&k, devices[n]);
					assert_fits(devices[n], &k);
					compared += k.resident_blocks > 0;
				}
	assert_true(compared > 10000);
}

static void test_impossible_numbers(void **state)
{
	(void)state;
	struct span_kernel k = kernel(10, 4096, 300, 1 << 30);
	struct device_properties none = {0};
	occupancy_of(&k, &h200);
	assert_int_equal(k.resident_blocks, 0);
	assert_true(k.waves <= 0 && !k.limit);
	k = kernel(10, 128, 32, 0);
	occupancy_of(&k, &none);
	assert_true(k.blocks_per_sm <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_answers),
		cmocka_unit_test(test_against_ncu),
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_report_says_the_same),
		cmocka_unit_test(test_impossible_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
