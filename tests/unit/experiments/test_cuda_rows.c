/* SPDX-License-Identifier: Apache-2.0 */
/* The cuda device on a GPU that is none: softmax and attention, whose threads work together. */
#include "tests/unit/cuda_rig.h"

#ifdef CUDA_TESTS

#include "experiments/request_checks.h"
#include "tests/unit/rows_reference.h"

static void check_rows(struct rig *r, struct device_rows rows)
{
	size_t n = (size_t)(rows.batch * rows.rows * rows.cols);
	struct array in[ROWS_INPUTS], out = array_new(r, n, rows.dtype, 99);
	const double *value[ROWS_INPUTS] = {0};
	double *want = calloc(n, sizeof *want);
	for (int i = 0; i < rows_inputs(rows.what); i++) {
		in[i] = array_new(r, n, rows.dtype, (uint64_t)i + 1);
		rows.in[i] = in[i].memory;
		value[i] = in[i].value;
	}
	rows.out = out.memory;
	reference_rows(&rows, value, want);
	if (rows.what == ROWS_SOFTMAX && rows.causal) {
		struct device_rows mask = rows;
		mask.what = ROWS_MASK;
		mask.out = rows.in[0];
		ok(r, call->rows(r->device, &mask, &r->err));
	}
	ok(r, call->rows(r->device, &rows, &r->err));
	ok(r, call->synchronise(r->device, &r->err));
	double *got = array_got(r, &out);
	assert_in_range((uint64_t)(check_error(got, want, n) * 1e9), 0,
		(uint64_t)(limit(rows.dtype) * 1e9));
	free(got);
	free(want);
	for (int i = 0; i < rows_inputs(rows.what); i++)
		array_free(r, &in[i]);
	array_free(r, &out);
}

static void test_softmax(void **state)
{
	(void)state;
	static const int64_t sizes[][3] = {
		{1, 1, 1}, {5, 7, 7}, {1, 4, 64}, {1, 5, 781}, {3, 3, 1600}};
	struct rig r;
	rig_open(&r, "");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int dtype = 0; dtype < DTYPES; dtype++) {
			struct device_rows rows = {.what = ROWS_SOFTMAX,
				.dtype = (enum dtype)dtype,
				.batch = sizes[i][0],
				.rows = sizes[i][1],
				.cols = sizes[i][2]};
			check_rows(&r, rows);
			rows.causal = true;
			check_rows(&r, rows);
			rows.what = ROWS_SCALE;
			rows.factor = 0.125f;
			check_rows(&r, rows);
		}
	rig_close(&r);
}

/* One key, less than a tile, a tile, one more, more queries than a block has; rows that are whole
 * vectors of 64 elements, and rows that are not. */
static void test_attention(void **state)
{
	(void)state;
	static const int64_t sizes[][3] = {{1, 1, 1}, {5, 7, 19}, {2, 64, 64}, {1, 65, 64},
		{2, 150, 63}, {1, 200, 8}, {3, 300, 64}, {1, 129, 64}};
	struct rig r;
	rig_open(&r, "");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct device_rows rows = {.what = ROWS_ATTENTION,
			.dtype = DTYPE_BF16,
			.batch = sizes[i][0],
			.rows = sizes[i][1],
			.cols = sizes[i][2]};
		check_rows(&r, rows);
		rows.factor = 0.125f;
		rows.causal = true;
		check_rows(&r, rows);
	}
	rig_close(&r);
}

static void refused(struct rig *r, const struct device_rows *rows, const char *why)
{
	r->err = (struct err){0};
	assert_int_equal(call->rows(r->device, rows, &r->err), -1);
	says(r, why);
}

static void test_refused(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	struct array x = array_new(&r, 1000, DTYPE_F32, 1);
	struct device_rows rows = {.what = ROWS_ATTENTION,
		.dtype = DTYPE_F32,
		.batch = 1,
		.rows = 10,
		.cols = 10,
		.in = {x.memory, x.memory, x.memory},
		.out = x.memory};
	refused(&r, &rows, "takes bf16 and rows of at most 64 elements, not fp32 and 10");
	rows.dtype = DTYPE_BF16;
	rows.cols = 65;
	refused(&r, &rows, "not bf16 and 65");
	rows.rows = 1000;
	refused(&r, &rows, "attention: 1x1000x65 ends outside its memory");
	rows.what = ROWS_SOFTMAX;
	rows.rows = 0;
	refused(&r, &rows, "softmax: sizes must be positive, not 1x0x65");
	array_free(&r, &x);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_softmax),
		cmocka_unit_test(test_attention),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
