/* SPDX-License-Identifier: Apache-2.0 */
/* The cuda device on a GPU that is none: what its products compute. */
#include "tests/unit/cuda_rig.h"

#ifdef CUDA_TESTS

#include "experiments/reference_results.h"
#include "tests/unit/cuda_reference.h"

static void check_gemm(struct rig *r, const struct shape *s)
{
	size_t n_d = (size_t)(s->batch * s->m * s->n);
	struct array a = array_new(r, (size_t)(s->batch * s->m * s->k), s->dtype, 1);
	struct array b = array_new(r, (size_t)(s->batch * s->k * s->n), s->dtype, 2);
	struct array c = array_new(r, s->addend == 1 ? (size_t)s->n : n_d, s->dtype, 3);
	struct array d = array_new(r, n_d, s->dtype, 4);
	struct device_matrix addend =
		reference_matrix(c.memory, s->addend == 1 ? 1 : s->m, s->n, false);
	if (s->addend == 1)
		addend.batch_stride = 0;
	struct device_gemm g = {.dtype = s->dtype,
		.batch = s->batch,
		.a = reference_matrix(a.memory, s->m, s->k, s->a_turned),
		.b = reference_matrix(b.memory, s->k, s->n, s->b_turned),
		.d = reference_matrix(d.memory, s->m, s->n, false),
		.addend = s->addend ? &addend : NULL,
		.accumulate = s->accumulate,
		.tune = s->tune};
	ok(r, call->gemm(r->device, &g, &r->err));
	ok(r, call->synchronise(r->device, &r->err));
	double *got = array_got(r, &d), *want = calloc(n_d, sizeof *want);
	double *left = s->a_turned ? reference_turned(a.value, s->batch, s->m, s->k) : NULL;
	double *right = s->b_turned ? reference_turned(b.value, s->batch, s->k, s->n) : NULL;
	check_product(want,
		&(struct check_product){.batch = s->batch,
			.m = s->m,
			.n = s->n,
			.k = s->k,
			.a = left ? left : a.value,
			.b = right ? right : b.value});
	if (s->addend)
		check_add(want, n_d, c.value, c.n);
	if (s->accumulate)
		check_add(want, n_d, d.value, n_d);
	assert_true(check_error(got, want, n_d) < limit(s->dtype));
	free(got);
	free(want);
	free(left);
	free(right);
	array_free(r, &a);
	array_free(r, &b);
	array_free(r, &c);
	array_free(r, &d);
}

static void check_gemms(struct rig *r)
{
	for (int bits = 0; bits < 96; bits++) {
		struct shape s = {.batch = bits & 16 ? 3 : 1,
			.m = 17,
			.n = 9,
			.k = 12,
			.a_turned = bits & 1,
			.b_turned = bits & 2,
			.accumulate = bits & 4,
			.dtype = bits & 8 ? DTYPE_BF16 : DTYPE_F32,
			.addend = bits / 32};
		if (s.accumulate && s.addend == 2)
			continue; /* two sums at once, refused */
		check_gemm(r, &s);
	}
}

static void test_products(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	check_gemms(&r);
	rig_close(&r);
}

/* Where cuBLASLt has no kernel, ours. */
static void test_products_without_cublas(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "noheuristic");
	check_gemms(&r);
	rig_close(&r);
}

static void test_tuned_products(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	/* d must be what it was before the trials */
	check_gemm(&r,
		&(struct shape){.batch = 1,
			.m = 5,
			.n = 6,
			.k = 7,
			.accumulate = true,
			.tune = true,
			.dtype = DTYPE_F32});
	check_gemm(
		&r, &(struct shape){.batch = 2, .m = 5, .n = 6, .k = 7, .addend = 1, .tune = true});
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_products_without_cublas),
		cmocka_unit_test(test_tuned_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
