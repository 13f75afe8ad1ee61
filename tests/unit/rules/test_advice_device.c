/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do first about what the device does: each remedy where its cause is and where it is not,
 * on traces small enough to work out by hand.
 */
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/profiler_cost.h"
#include "report/rules/advice.h"
#include "tests/unit/advising.h"

#define HALVES "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]"
#define TURING "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1>(X)"
#define UPLOAD "Memcpy HtoD (Pageable -> Device)"

/* ---- products ---- */

static struct advice product(struct world *w, const char *kernel, const char *dims)
{
	operate(w, "aten::mm", kernel, 0, 10, 1010);
	seal(w);
	device(w, h200);
	inputs(w, "aten::mm", 0, dims, HALVES);
	return advise(w);
}

/* 4096 x 768 times 768 x 50257 takes 316 GFLOP, at 0.7 of 989 TFLOP/s 457 us. */
static void an_odd_size_is_padded(void **state)
{
	TEST_WORLD(w);
	struct advice x = product(&w, TURING, "[[4096, 768], [768, 50257]]");
	const struct finding *pad = find(&x, "pad");
	assert_non_null(pad);
	assert_int_equal((int)value(pad, "odd"), 50257);
	assert_int_equal((int)value(pad, "padded"), 50304);
	double floor_ns = 2.0 * 4096 * 768 * 50257 / (0.7 * 989e12) * 1e9;
	assert_true(fabs((double)pad->give_back_ns - (1e6 - floor_ns)) < 2);
	assert_int_equal(pad->n_evidence, 1);
}

static void a_round_size_is_not(void **state)
{
	(void)state;
	static const char *const other[][2] = {
		{TURING, "[[4096, 768], [768, 50304]]"}, {HOPPER, "[[4096, 768], [768, 50257]]"}};
	for (int i = 0; i < 2; i++) {
		struct world w = {0};
		struct advice x = product(&w, other[i][0], other[i][1]);
		assert_null(find(&x, "pad"));
		world_release(&w);
	}
}

/* Products in TF32 and what is around them in fp32: half as long in half precision, each. Plain
 * products are to be TF32 first, and the Adam step keeps its type. */
static void what_is_in_fp32_is_halved(void **state)
{
	(void)state;
	static const char tf32[] = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32";
	static const char add[] =
		"void at::native::vectorized_elementwise_kernel<4, F<float> >(int)";
	static const char adam[] = "void multi_tensor_apply_kernel<F<float> >(int)";
	for (int plain = 0; plain < 2; plain++) {
		struct world w = {0};
		operate(&w, "aten::mm", plain ? "cutlass_80_simt_sgemm_128x64" : tf32, 0, 10, 1010);
		operate(&w, "aten::add", add, 20, 1010, 1410);
		operate(&w, "aten::_fused_adam_", adam, 40, 1410, 1510);
		seal(&w);
		device(&w, h200);
		struct advice x = advise(&w);
		const struct finding *half = find(&x, "half");
		assert_true((half != NULL) == !plain);
		assert_true((find(&x, "precision") != NULL) == plain);
		if (half) /* 495 and 989 TFLOP/s; half the bytes */
			assert_true(fabs((double)half->give_back_ns -
					    (1e6 * (1 - 495.0 / 989) + 400e3 / 2)) < 2);
		world_release(&w);
	}
}

/* Twenty products of 60 us, which the tensor cores would do in 15 each: launched one by one, every
 * 100 us, or all at once, with a wait for them. */
static struct advice launched_products(struct world *w, bool late)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 2000, 0);
	for (int i = 0; i < 20; i++) {
		double at = late ? 100.0 * i : 12.0 * i, start = late ? at + 10 : 60.0 * i + 10;
		operate(w, "aten::mm", "cutlass_80_simt_sgemm_128x64", at, start, start + 60);
	}
	if (!late)
		made_add(&w->made, EVENT_RUNTIME, "cudaDeviceSynchronize", 250, 1990, 0);
	seal(w);
	device(w, h200);
	return advise(w);
}

/* A step is no shorter than its host takes: behind launches that are late by themselves nothing is
 * saved, and nothing is promised. */
static void faster_kernels_wait_for_the_host(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct world w = {0};
		struct advice x = launched_products(&w, late);
		const struct finding *precision = find(&x, "precision");
		assert_true((precision == NULL) == late);
		double most = 20 * 60e3 * (1 - 67.0 / 495);
		assert_true(late || fabs((double)precision->give_back_ns - most) < 20);
		world_release(&w);
	}
}

/* A product in double precision: 34.4 GFLOP, at 0.7 of TF32's 495 TFLOP/s 99 us; the sum beside it
 * moves half. */
static void double_precision_is_told(void **state)
{
	(void)state;
	static const char wide[] = "sm90_xmma_gemm_f64f64_f64f64_f64_nt_n_tilesize64x64x16";
	struct world w = {0};
	operate(&w, "aten::mm", wide, 0, 10, 1010);
	operate(&w, "aten::add",
		"void at::native::vectorized_elementwise_kernel<2, F<double> >(int)", 20, 1010,
		1110);
	seal(&w);
	device(&w, h200);
	inputs(&w, "aten::mm", 0, "[[4096, 2048], [2048, 2048]]", "[\"double\", \"double\"]");
	struct advice x = advise(&w);
	const struct finding *fp64 = find(&x, "fp64");
	assert_non_null(fp64);
	double floor_ns = 2.0 * 4096 * 2048 * 2048 / (0.7 * 495e12) * 1e9;
	assert_true(fabs((double)fp64->give_back_ns - (1e6 - floor_ns + 50e3)) < 2);
	assert_null(find(&x, "precision"));
	world_release(&w);
}

/* One row by 8192 x 8192 weights in fp32: 268 MB, at 0.85 of 4.8 TB/s 66 us of the 90. In bf16
 * half. */
static void weights_by_a_vector_are_halved(void **state)
{
	(void)state;
	for (int rows = 1; rows <= 4096; rows += 4095) {
		struct world w = {0};
		operate(&w, "aten::mm", "void gemv2T_kernel_val<float>(int)", 0, 10,
			rows == 1 ? 100 : 4010);
		seal(&w);
		device(&w, h200);
		inputs(&w, "aten::mm", 0,
			rows == 1 ? "[[1, 8192], [8192, 8192]]" : "[[4096, 8192], [8192, 8192]]",
			"[\"float\", \"float\"]");
		struct advice x = advise(&w);
		w.l = idle_causes_of(&w.arena, &w.a);
		struct breakdown p = breakdown_of(&w.arena, &w.a, &w.l);
		assert_int_equal(p.headline, rows == 1 ? HEADLINE_MEMORY : HEADLINE_COMPUTE);
		const struct finding *half = find(&x, "half");
		assert_true((half != NULL) == (rows == 1));
		if (half) {
			assert_string_equal(half->variant, "bytes");
			assert_int_equal(half->give_back_ns, 45000);
		}
		world_release(&w);
	}
}

/* The same shapes in fp32 and in bf16: of the first 66 us of 90 are the memory's, of the second 33
 * of 100. */
static void types_tell_what_the_memory_limits(void **state)
{
	TEST_WORLD(w);
	operate(&w, "aten::mm", "void gemv2T_kernel_val<float>(int)", 0, 10, 100);
	operate(&w, "aten::mm", "void gemv2T_kernel_val<bf16>(int)", 20, 100, 200);
	seal(&w);
	device(&w, h200);
	inputs(&w, "aten::mm", 0, "[[1, 8192], [8192, 8192]]", "[\"float\", \"float\"]");
	inputs(&w, "aten::mm", 1, "[[1, 8192], [8192, 8192]]", HALVES);
	advise(&w);
	struct breakdown p = breakdown_of(&w.arena, &w.a, &w.l);
	assert_int_equal(p.whole.memory_bound_gemm_ns, 90000);
	assert_int_equal(p.headline, HEADLINE_COMPUTE);
}

/* A convolution by Fourier transforms, whose names tell nothing: told by its operator. Of 19.3
 * GFLOP a good kernel in fp32 takes 412 us, TF32 a quarter of that. */
static void fourier_transforms_are_a_convolution(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::cudnn_convolution", 0, 40, 0);
	for (int i = 0; i < 2; i++) {
		uint32_t id = 50 + (uint32_t)i;
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 2 + 10 * i, 8 + 10 * i, id);
		made_add(&w.made, EVENT_KERNEL,
			i ? "void pointwise_mult_and_sum_complex<float2, 8, 4>(float2*)"
			  : "void DSE::regular_fft_pad<0, 1, 128, 16, 32, 1, float>(float2*)",
			1000 * i + 20, 1000 * i + 1020, id);
	}
	seal(&w);
	device(&w, h200);
	inputs(&w, "aten::cudnn_convolution", 0,
		"[[4, 256, 64, 64], [256, 256, 3, 3], [], [], [], [], [], [], []]",
		"[\"float\", \"float\", \"ScalarList\", \"ScalarList\", \"ScalarList\", \"Scalar\", "
		"\"Scalar\", \"Scalar\", \"Scalar\"]");
	struct trace *t = &w.made.trace;
	t->inputs[t->n_inputs - 1].concrete = names_add_text(&t->names,
		"[\"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"1\", \"False\", \"False\", \"False\"]");
	struct advice x = advise(&w);
	for (uint32_t i = 0; i < w.a.n_device; i++)
		assert_int_equal(time_part_of(&w.a, w.a.device_rows[i]), TIME_CONVOLUTION);
	const struct finding *precision = find(&x, "precision");
	assert_non_null(precision);
	assert_string_equal(precision->variant, "fourier");
	double good = 2.0 * 4 * 64 * 64 * 256 * 256 * 9 / (0.7 * 67e12) * 1e9;
	assert_true(fabs((double)precision->give_back_ns - (2e6 - good * 67 / 495)) < 2);
}

/* ---- attention ---- */

/* The first matmul writes an operand again; the scores are copied on the device and the copy is
 * masked. */
static void masked_attention_is_fused(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::matmul", -20, 12, 0);
	operate(&w, "aten::copy_", POINTWISE, -15, 0, 20);
	operate(&w, "aten::bmm", HOPPER, 0, 20, 220);
	made_add(&w.made, EVENT_OP, "aten::copy_", 20, 30, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", 22, 28, 7);
	made_add(&w.made, EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", 220, 620, 7);
	operate(&w, "aten::masked_fill_", POINTWISE, 40, 620, 1020);
	operate(&w, "aten::_softmax", "void softmax_warp_forward<float>(float*)", 60, 1020, 1420);
	operate(&w, "aten::bmm", HOPPER, 80, 1420, 1620);
	seal(&w);
	struct advice x = advise(&w);
	const struct finding *attention = find(&x, "attention");
	assert_non_null(attention);
	assert_int_equal((int)value(attention, "kernels"), 6);
	/* 1620 us, less half of the two products' 400 */
	assert_true(fabs((double)attention->give_back_ns - 1420e3) < 2);
}

/* ---- copies ---- */

/* A tensor that is written again for 400 of 1000 us, in another order or another type. */
static struct advice rewrites(struct world *w, const char *around)
{
	made_add(&w->made, EVENT_OP, around, 0, 20, 0);
	operate(w, "aten::copy_", POINTWISE, 1, 15, 415);
	operate(w, "aten::mm", HOPPER, 100, 415, 1015);
	seal(w);
	return advise(w);
}

static void what_is_written_again_is_told(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = rewrites(&w, "aten::contiguous");
	assert_string_equal(x.action[0].rule->id, "rewrites");
	assert_string_equal(x.action[0].variant, "");
	/* The product begins when it is launched, at 100 us of a host that may be as fast as 0.8.
	 */
	assert_true(fabs((double)x.action[0].give_back_ns - 335e3) < 6e3);
	world_release(&w);
	w = (struct world){0};
	x = rewrites(&w, "aten::_to_copy");
	assert_string_equal(x.action[0].variant, "type");
	world_release(&w);
	w = (struct world){0};
	x = rewrites(&w, "aten::fill_");
	assert_null(find(&x, "rewrites"));
	world_release(&w);
}

/* Little of the device's time is spent on them, but each keeps the host, which is late: a product
 * each 60 us, behind a cast of 30 or without one. */
static void casts_count_by_the_hosts_time(void **state)
{
	(void)state;
	for (int casts = 0; casts < 2; casts++) {
		struct world w = {0};
		for (int i = 0; i < 20; i++) {
			double at = 60.0 * i;
			if (casts) {
				made_add(&w.made, EVENT_OP, "aten::_to_copy", at, at + 30, 0);
				operate(&w, "aten::copy_", POINTWISE, at + 1, at + 10, at + 12);
			}
			operate(&w, "aten::mm", HOPPER, at + 31, at + 40, at + 45);
		}
		seal(&w);
		struct advice x = advise(&w);
		const struct finding *told = find(&x, "rewrites");
		assert_true((told != NULL) == casts);
		if (told)
			assert_string_equal(told->variant, "type");
		world_release(&w);
	}
}

/* Each of n small uploads keeps the host for 50 us, and `make_us` to make what is uploaded, of 10
 * in front of it. */
static struct advice small_uploads(struct world *w, int n, double make_us)
{
	made_add(&w->made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
	for (int i = 0; i < n; i++) {
		double at = 60.0 * i;
		uint32_t id = (uint32_t)w->made.n + 1;
		if (i && make_us > 0)
			made_add(&w->made, EVENT_OP, "aten::empty", at - 9, at - 9 + make_us, 0);
		made_add(&w->made, EVENT_OP, "aten::copy_", at, at + 50, 0);
		made_add(&w->made, EVENT_RUNTIME, "cudaMemcpyAsync", at + 2, at + 45, id);
		made_add(&w->made, EVENT_MEMCPY, UPLOAD, at + 10, at + 11, id);
	}
	operate(w, "aten::mm", HOPPER, 900, 910, 990);
	seal(w);
	bytes(w, UPLOAD, 0, 1024);
	return advise(w);
}

static void many_small_uploads_are_one(void **state)
{
	(void)state;
	struct world w = {0};
	struct advice x = small_uploads(&w, 12, 0);
	const struct finding *small = find(&x, "small-copies");
	assert_non_null(small);
	assert_int_equal((int)value(small, "n"), 12);
	int64_t bare = small->give_back_ns; /* of 11, and how the host came to them */
	assert_true(bare > 11 * 58000 && bare < 11 * 60000);
	world_release(&w);
	w = (struct world){0};
	x = small_uploads(&w, 12, 2);
	small = find(&x, "small-copies");
	assert_non_null(small);
	/* what makes them goes, too: the same, but that recording it cost something */
	assert_true(labs((long)(small->give_back_ns - bare + 11 * 1200)) < 500);
	world_release(&w);
	w = (struct world){0};
	x = small_uploads(&w, 4, 0);
	assert_null(find(&x, "small-copies"));
	world_release(&w);
}

static struct advice uploads(struct world *w, const char *copy)
{
	made_add(&w->made, EVENT_OP, "aten::copy_", 0, 1000, 0);
	made_add(&w->made, EVENT_RUNTIME, "cudaMemcpyAsync", 2, 990, 1);
	made_add(&w->made, EVENT_MEMCPY, copy, 10, 980, 1);
	operate(w, "aten::mm", HOPPER, 1000, 1010, 1030);
	seal(w);
	device(w, h200);
	bytes(w, copy, 0, 5440000); /* 100 us at 0.85 of 64 GB/s */
	return advise(w);
}

static void pageable_copies_are_pinned(void **state)
{
	TEST_WORLD(w);
	struct advice x = uploads(&w, UPLOAD);
	assert_string_equal(x.action[0].rule->id, "pinned");
	/* Of 1030 us 100 of the link are left, beside which the product runs. */
	assert_true(fabs((double)x.action[0].give_back_ns - 920e3) < 10e3);
}

static void pinned_copies_are_left(void **state)
{
	TEST_WORLD(w);
	struct advice x = uploads(&w, "Memcpy HtoD (Pinned -> Device)");
	assert_null(find(&x, "pinned"));
}

/* Sixty collectives of 200 us each, for which the ranks wait for one another: small ones cost 50 us
 * of it, larger ones are no matter of buckets. */
static void few_bytes_go_in_buckets(void **state)
{
	(void)state;
	for (int large = 0; large < 2; large++) {
		struct world w = {0};
		static const char reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1300, 0);
		for (int i = 0; i < 60; i++)
			operate(&w, "c10d::allreduce_", reduce, 20 * i, 202 * i + 20,
				202 * i + 220);
		seal(&w);
		for (int i = 0; i < 60; i++)
			inputs(&w, "c10d::allreduce_", i, large ? "[[1024, 1024]]" : "[[256, 256]]",
				"[\"float\"]");
		struct advice x = advise(&w);
		const struct finding *buckets = find(&x, "buckets");
		assert_true((buckets != NULL) == !large);
		if (buckets)
			assert_true(fabs((double)buckets->give_back_ns - 59 * 50000) < 10);
		world_release(&w);
	}
}

/* Numbers that are reduced one by one, each in an operator that takes the host longer than the
 * device: the calls go, too. Fewer are no matter of buckets. */
static void reduced_one_by_one(void **state)
{
	(void)state;
	for (int n = 12; n <= 24; n += 12) {
		struct world w = {0};
		static const char reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 60.0 * n + 100, 0);
		for (int i = 0; i < n; i++) {
			double at = 60 * i;
			made_add(&w.made, EVENT_OP, "c10d::allreduce_", at, at + 55, 0);
			made_add(&w.made, EVENT_ANNOTATION, "nccl:all_reduce", at + 10, at + 40, 0);
			operate(&w, "record_param_comms", reduce, at + 20, at + 26, at + 30);
		}
		seal(&w);
		struct advice x = advise(&w);
		const struct finding *buckets = find(&x, "buckets");
		assert_true((buckets != NULL) == (n == 24));
		if (buckets)
			assert_true(buckets->give_back_ns > 4 * (n - 1) * 4000);
		world_release(&w);
	}
}

/* Copies that all computing hides already, as far as it goes: fewer bytes, not another stream. */
static void covered_copies_are_to_be_smaller(void **state)
{
	(void)state;
	for (int covered = 0; covered < 2; covered++) {
		struct world w = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
		made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", 1, 2, 9);
		made_add(&w.made, EVENT_MEMCPY, "Memcpy HtoD (Pinned -> Device)", 10,
			covered ? 990 : 500, 9)
			->track = MADE_STREAM2;
		operate(&w, "aten::mm", HOPPER, 3, covered ? 10 : 500, covered ? 300 : 990);
		made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 20, 995, 0);
		seal(&w);
		struct advice x = advise(&w);
		const struct finding *hide = find(&x, "overlap-copies"),
				     *smaller = find(&x, "smaller-copies");
		assert_true((hide != NULL) == !covered);
		assert_true((smaller != NULL) == covered);
		assert_true(fabs((double)(covered ? smaller : hide)->give_back_ns - 490e3) < 6e3);
		world_release(&w);
	}
}

/* What computes a little beside long copies, with nothing beside it yet, does not hide them. */
static void little_computing_hides_little(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 1000, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", 1, 2, 9);
	made_add(&w.made, EVENT_MEMCPY, "Memcpy HtoD (Pinned -> Device)", 10, 890, 9);
	operate(&w, "aten::mm", HOPPER, 3, 900, 990);
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 20, 995, 0);
	seal(&w);
	struct advice x = advise(&w);
	const struct finding *smaller = find(&x, "smaller-copies");
	assert_non_null(smaller);
	assert_string_equal(smaller->variant, "room");
	assert_true(fabs(finding_number(smaller, "alone") - 90e3) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_computing_hides_little),
		cmocka_unit_test(an_odd_size_is_padded),
		cmocka_unit_test(a_round_size_is_not),
		cmocka_unit_test(what_is_in_fp32_is_halved),
		cmocka_unit_test(faster_kernels_wait_for_the_host),
		cmocka_unit_test(double_precision_is_told),
		cmocka_unit_test(weights_by_a_vector_are_halved),
		cmocka_unit_test(types_tell_what_the_memory_limits),
		cmocka_unit_test(fourier_transforms_are_a_convolution),
		cmocka_unit_test(masked_attention_is_fused),
		cmocka_unit_test(what_is_written_again_is_told),
		cmocka_unit_test(casts_count_by_the_hosts_time),
		cmocka_unit_test(many_small_uploads_are_one),
		cmocka_unit_test(pageable_copies_are_pinned),
		cmocka_unit_test(pinned_copies_are_left),
		cmocka_unit_test(covered_copies_are_to_be_smaller),
		cmocka_unit_test(few_bytes_go_in_buckets),
		cmocka_unit_test(reduced_one_by_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
