/* SPDX-License-Identifier: Apache-2.0 */
/* The cuda device on a GPU that is none: what its element-wise kernels compute. */
#include "tests/unit/cuda_rig.h"

#ifdef CUDA_TESTS

#include "experiments/cuda/kernels.h"
#include "experiments/reference_results.h"
#include "tests/unit/cuda_reference.h"

static bool binary(enum pointwise step)
{
	return step == POINTWISE_ADD || step == POINTWISE_MUL;
}

static void check_pointwise(struct rig *r, struct device_pointwise p)
{
	struct array in[4], out = array_new(r, (size_t)p.n, p.dtype, 99);
	double *want = calloc((size_t)p.n, sizeof *want);
	for (int i = 0; i < p.n_inputs; i++) {
		in[i] = array_new(r, (size_t)p.n, p.dtype, (uint64_t)i + 1);
		p.in[i] = in[i].memory;
	}
	p.out = out.memory;
	for (size_t i = 0; i < (size_t)p.n; i++) {
		int next = 1;
		want[i] = in[0].value[i];
		for (int s = 0; s < p.n_steps; s++)
			want[i] = reference_step(
				p.step[s], want[i], binary(p.step[s]) ? in[next++].value[i] : 0);
	}
	ok(r, call->pointwise(r->device, &p, &r->err));
	ok(r, call->synchronise(r->device, &r->err));
	double *got = array_got(r, &out);
	near(got, want, (size_t)p.n, limit(p.dtype) * p.n_steps);
	free(got);
	free(want);
	for (int i = 0; i < p.n_inputs; i++)
		array_free(r, &in[i]);
	array_free(r, &out);
}

static void test_single_steps(void **state)
{
	(void)state;
	static const int64_t sizes[] = {1, 7, 8, 9, 4095, 4096, 4097, 8200, 10007};
	struct rig r;
	rig_open(&r, "");
	ok(&r, r.device ? 0 : -1);
	for (int step = 0; step < 4; step++)
		for (int dtype = 0; dtype < DTYPES; dtype++)
			for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
				check_pointwise(&r,
					(struct device_pointwise){.dtype = (enum dtype)dtype,
						.n = sizes[i],
						.n_steps = 1,
						.step = {(enum pointwise)step},
						.n_inputs = 1 + binary((enum pointwise)step)});
	rig_close(&r);
}

static void test_fused_chains(void **state)
{
	(void)state;
	static const struct device_pointwise chains[] = {
		{.dtype = DTYPE_BF16,
			.n = 8192,
			.n_steps = 2,
			.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
			.n_inputs = 2},
		{.dtype = DTYPE_F32,
			.n = 5003,
			.n_steps = 4,
			.step = {POINTWISE_ADD, POINTWISE_SQUARE, POINTWISE_MUL, POINTWISE_ADD},
			.n_inputs = 4},
		{.dtype = DTYPE_BF16,
			.n = 3,
			.n_steps = 2,
			.step = {POINTWISE_SQUARE, POINTWISE_GELU_TANH},
			.n_inputs = 1},
	};
	struct rig r;
	rig_open(&r, "");
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
		check_pointwise(&r, chains[i]);
	rig_close(&r);
}

/* Hand-written kernels: Liger's counterpart in its vector and its scalar form, and every square of
 * the first lecture. */
static void test_hand_written(void **state)
{
	(void)state;
	static const char *const squares[] = {
		"square_naive", "square_powf", "square_tile", "square_row", "square_row_loop"};
	static const int64_t widths[] = {1, 31, 781, 1024, 1600};
	struct rig r;
	rig_open(&r, "");
	for (int dtype = 0; dtype < DTYPES; dtype++)
		for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
			check_pointwise(&r,
				(struct device_pointwise){.dtype = (enum dtype)dtype,
					.n = widths[i] * 5,
					.row = widths[i],
					.n_steps = 2,
					.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
					.n_inputs = 2,
					.generic = true,
					.name = "tracebook_geglu_tanh_generic"});
	for (size_t s = 0; s < sizeof squares / sizeof *squares; s++)
		for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
			check_pointwise(&r,
				(struct device_pointwise){.dtype = DTYPE_F32,
					.n = widths[i] * 7,
					.row = widths[i],
					.n_steps = 1,
					.step = {POINTWISE_SQUARE},
					.n_inputs = 1,
					.generic = true,
					.name = squares[s]});
	rig_close(&r);
}

static void test_in_place(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	struct array x = array_new(&r, 5000, DTYPE_F32, 1), one = array_new(&r, 5000, DTYPE_F32, 2);
	struct device_pointwise p = {.dtype = DTYPE_F32,
		.n = 5000,
		.n_steps = 1,
		.step = {POINTWISE_ADD},
		.n_inputs = 2,
		.in = {x.memory, one.memory},
		.out = x.memory};
	ok(&r, call->pointwise(r.device, &p, &r.err));
	double *got = array_got(&r, &x);
	for (size_t i = 0; i < x.n; i++)
		x.value[i] += one.value[i];
	near(got, x.value, x.n, limit(DTYPE_F32));
	free(got);
	array_free(&r, &x);
	array_free(&r, &one);
	rig_close(&r);
}

static void test_wrong_pointwise(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	struct array x = array_new(&r, 16, DTYPE_F32, 1);
	struct device_pointwise good = {.dtype = DTYPE_F32,
		.n = 16,
		.n_steps = 1,
		.step = {POINTWISE_SQUARE},
		.n_inputs = 1,
		.in = {x.memory},
		.out = x.memory};
	struct device_pointwise p = good;
	p.n = 17;
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "too few for 17 elements");
	r.err = (struct err){0};
	p = good;
	p.n_inputs = 2;
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "the steps take 1 inputs, not 2");
	r.err = (struct err){0};
	p = good;
	p.generic = true;
	p.name = "square_round";
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "no hand-written fp32 kernel square_round");
	r.err = (struct err){0};
	p = good;
	p.n_steps = 5;
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "wants 1 to 4 steps");
	array_free(&r, &x);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_steps),
		cmocka_unit_test(test_fused_chains),
		cmocka_unit_test(test_hand_written),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_wrong_pointwise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
