/* SPDX-License-Identifier: Apache-2.0 */
/* What cuBLASLt is told about each product, read back from its own descriptors. No GPU needed. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "experiments/cuda/cublaslt_product.h"

#include <cmocka.h>

static struct device_memory room = {(void *)(uintptr_t)0x7f0000000000, (size_t)1 << 40};

static struct device_matrix rows(int64_t n_rows, int64_t n_cols)
{
	return (struct device_matrix){.memory = &room,
		.rows = n_rows,
		.cols = n_cols,
		.row_stride = n_cols,
		.col_stride = 1,
		.batch_stride = n_rows * n_cols};
}

/* A view through a transposition: (n_rows, n_cols) of a matrix stored as (n_cols, n_rows). */
static struct device_matrix transposed(int64_t n_rows, int64_t n_cols)
{
	return (struct device_matrix){.memory = &room,
		.rows = n_rows,
		.cols = n_cols,
		.row_stride = 1,
		.col_stride = n_rows,
		.batch_stride = n_rows * n_cols};
}

static struct device_gemm gemm(struct device_matrix a, struct device_matrix b)
{
	return (struct device_gemm){
		.dtype = DTYPE_BF16, .batch = 1, .a = a, .b = b, .d = rows(a.rows, b.cols)};
}

static struct product turned(const struct device_gemm *g)
{
	struct product p;
	struct err err = {0};
	if (product_of(&p, g, &err))
		fail_msg("%s", err.text);
	return p;
}

static void refused(const struct device_gemm *g, const char *says)
{
	struct product p;
	struct err err = {0};
	assert_int_equal(product_of(&p, g, &err), -1);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" is not in \"%s\"", says, err.text);
}

/* ---- turning round ---- */

static void test_layouts(void **state)
{
	(void)state;
	struct device_gemm g = gemm(rows(5, 7), rows(7, 3));
	struct product p = turned(&g);
	assert_string_equal(product_letters(&p), "nn");
	assert_int_equal(p.m, 3);
	assert_int_equal(p.n, 5);
	assert_int_equal(p.k, 7);
	assert_int_equal(p.first.rows, 3);
	assert_int_equal(p.first.cols, 7);
	assert_int_equal(p.first.ld, 3);
	assert_int_equal(p.second.ld, 7);
	assert_int_equal(p.d.ld, 3);
	/* a Linear's weight */
	g = gemm(rows(1024, 32), transposed(32, 64));
	p = turned(&g);
	assert_string_equal(product_letters(&p), "tn");
	assert_int_equal(p.first.ld, 32);
	g = gemm(transposed(5, 7), rows(7, 3));
	p = turned(&g);
	assert_string_equal(product_letters(&p), "nt");
	g = gemm(transposed(5, 7), transposed(7, 3));
	p = turned(&g);
	assert_string_equal(product_letters(&p), "tt");
}

static void test_thin_matrices(void **state)
{
	(void)state;
	/* strides of dimensions of size 1 say nothing */
	struct device_gemm g = gemm(rows(1, 7), rows(7, 1));
	g.a.row_stride = 0;
	g.b.col_stride = 99;
	g.d.row_stride = 0;
	struct product p = turned(&g);
	assert_true(p.first.ld >= p.first.rows && p.second.ld >= p.second.rows);
	assert_true(p.d.ld >= p.d.rows);
}

static void test_alignment(void **state)
{
	(void)state;
	struct device_gemm g = gemm(rows(5, 7), rows(7, 3));
	struct product p = turned(&g);
	assert_int_equal(p.first.alignment, 256);
	g.b.offset = 3;
	p = turned(&g);
	assert_int_equal(p.first.alignment, 2);
	g.b.offset = 24;
	p = turned(&g);
	assert_int_equal(p.first.alignment, 16);
}

static void test_epilogues(void **state)
{
	(void)state;
	struct device_gemm g = gemm(rows(5, 7), rows(7, 3));
	struct device_matrix bias = rows(1, 3), matrix = rows(5, 3);
	assert_int_equal(turned(&g).epilogue, PRODUCT_PLAIN);
	bias.offset = 100;
	bias.batch_stride = 0;
	g.addend = &bias;
	assert_int_equal(turned(&g).epilogue, PRODUCT_BIAS);
	assert_int_equal(turned(&g).bias_alignment, 8);
	matrix.offset = 1000;
	g.addend = &matrix;
	assert_int_equal(turned(&g).epilogue, PRODUCT_ADDEND);
	g.addend = NULL;
	g.accumulate = true;
	assert_int_equal(turned(&g).accumulate, 1);
}

static void test_refusals(void **state)
{
	(void)state;
	struct device_gemm good = gemm(rows(5, 7), rows(7, 3)), g = good;
	struct device_matrix addend = rows(5, 3);
	addend.offset = 1000;
	g.a.rows = 0;
	refused(&g, "sizes must be positive");
	g = good;
	g.b.rows = 8;
	refused(&g, "b is 8x3 where 7x3 is wanted");
	g = good;
	g.d = rows(5, 4);
	refused(&g, "the result is 5x4");
	g = good;
	g.a.col_stride = 2;
	g.a.row_stride = 14;
	refused(&g, "neither rows nor columns of a");
	g = good;
	g.a.row_stride = 3;
	refused(&g, "the rows of a overlap");
	g = good;
	g.d = transposed(5, 3);
	refused(&g, "the rows of the result must be contiguous");
	g = good;
	g.a.offset = (int64_t)1 << 45;
	refused(&g, "a ends outside its memory");
	g = good;
	g.batch = 2;
	g.d.batch_stride = 0;
	refused(&g, "lie on one another");
	g = good;
	g.addend = &g.d;
	refused(&g, "use accumulate");
	g = good;
	g.addend = &addend;
	g.accumulate = true;
	refused(&g, "two sums");
	g = good;
	addend = transposed(5, 3);
	addend.offset = 1000;
	g.addend = &addend;
	refused(&g, "rows of the addend must be contiguous");
}

/* ---- cuBLASLt's descriptors ---- */

struct rig {
	struct arena arena;
	struct blaslt blas;
	struct product_form form;
};

static void rig_open(struct rig *r)
{
	struct err err = {0};
	*r = (struct rig){0};
	if (blaslt_open(&r->blas, &r->arena, &err)) {
		print_message("%s\n", err.text);
		arena_release(&r->arena);
		skip();
	}
}

static void describe(struct rig *r, const struct device_gemm *g, const void *bias)
{
	struct err err = {0};
	struct product p = turned(g);
	if (product_describe(&r->blas, &p, bias, 32 << 20, &r->form, &err))
		fail_msg("%s", err.text);
}

static int64_t layout_number(
	struct rig *r, cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute)
{
	int64_t value = 0;
	size_t written = 0, bytes = 8;
	if (attribute == CUBLASLT_MATRIX_LAYOUT_TYPE ||
		attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
		bytes = 4;
	assert_int_equal(r->blas.cublasLtMatrixLayoutGetAttribute(
				 layout, attribute, &value, bytes, &written),
		0);
	return value;
}

static int64_t operation_number(struct rig *r, cublasLtMatmulDescAttributes_t attribute)
{
	int32_t value = 0;
	size_t written = 0;
	assert_int_equal(r->blas.cublasLtMatmulDescGetAttribute(
				 r->form.operation, attribute, &value, sizeof value, &written),
		0);
	return value;
}

static void assert_layout(struct rig *r, cublasLtMatrixLayout_t layout, int64_t type,
	int64_t n_rows, int64_t n_cols, int64_t ld)
{
	assert_int_equal(layout_number(r, layout, CUBLASLT_MATRIX_LAYOUT_TYPE), type);
	assert_int_equal(layout_number(r, layout, CUBLASLT_MATRIX_LAYOUT_ROWS), n_rows);
	assert_int_equal(layout_number(r, layout, CUBLASLT_MATRIX_LAYOUT_COLS), n_cols);
	assert_int_equal(layout_number(r, layout, CUBLASLT_MATRIX_LAYOUT_LD), ld);
}

static void test_every_experiment(void **state)
{
	(void)state;
	static const struct {
		int64_t m, n, k; /* rows and columns of d */
		bool linear; /* b is a weight, seen through a transposition */
	} products[] = {
		{64, 64, 64, false},
		{1024, 1024, 1024, false},
		{4096, 4096, 4096, false},
		{1024, 64, 32, true},
		{8192, 3072, 768, true},
		{8192, 768, 3072, true},
	};
	struct rig r;
	rig_open(&r);
	for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
		int64_t m = products[i].m, n = products[i].n, k = products[i].k;
		struct device_gemm g =
			gemm(rows(m, k), products[i].linear ? transposed(k, n) : rows(k, n));
		describe(&r, &g, NULL);
		if (products[i].linear)
			assert_layout(&r, r.form.first, CUDA_R_16BF, k, n, k);
		else
			assert_layout(&r, r.form.first, CUDA_R_16BF, n, k, n);
		assert_layout(&r, r.form.second, CUDA_R_16BF, k, m, k);
		assert_layout(&r, r.form.d, CUDA_R_16BF, n, m, n);
		assert_int_equal(operation_number(&r, CUBLASLT_MATMUL_DESC_TRANSA),
			products[i].linear ? CUBLAS_OP_T : CUBLAS_OP_N);
		assert_int_equal(operation_number(&r, CUBLASLT_MATMUL_DESC_TRANSB), CUBLAS_OP_N);
		assert_int_equal(operation_number(&r, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
			CUBLAS_COMPUTE_32F);
		assert_int_equal(operation_number(&r, CUBLASLT_MATMUL_DESC_SCALE_TYPE), CUDA_R_32F);
		assert_int_equal(operation_number(&r, CUBLASLT_MATMUL_DESC_EPILOGUE),
			CUBLASLT_EPILOGUE_DEFAULT);
		product_form_release(&r.blas, &r.form);
	}
	arena_release(&r.arena);
}

static void test_fp32_bias_and_addend(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r);
	struct device_gemm g = gemm(rows(5, 8), rows(8, 16));
	struct device_matrix bias = rows(1, 16), addend = rows(5, 16);
	const void *where = (const void *)(uintptr_t)0x7f0000001000;
	void *there = NULL;
	size_t written;
	g.dtype = DTYPE_F32;
	bias.offset = 4096;
	g.addend = &bias;
	describe(&r, &g, where);
	assert_layout(&r, r.form.first, CUDA_R_32F, 16, 8, 16);
	assert_int_equal(
		operation_number(&r, CUBLASLT_MATMUL_DESC_EPILOGUE), CUBLASLT_EPILOGUE_BIAS);
	assert_int_equal(r.blas.cublasLtMatmulDescGetAttribute(r.form.operation,
				 CUBLASLT_MATMUL_DESC_BIAS_POINTER, &there, sizeof there, &written),
		0);
	assert_ptr_equal(there, where);
	product_form_release(&r.blas, &r.form);
	/* C is not D: its rows may even lie farther apart */
	addend.offset = 4096;
	addend.row_stride = 20;
	g.addend = &addend;
	describe(&r, &g, NULL);
	assert_layout(&r, r.form.c, CUDA_R_32F, 16, 5, 20);
	assert_layout(&r, r.form.d, CUDA_R_32F, 16, 5, 16);
	product_form_release(&r.blas, &r.form);
	arena_release(&r.arena);
}

static void test_batches(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r);
	struct device_gemm g = gemm(rows(64, 64), rows(64, 64));
	g.batch = 8;
	g.b.batch_stride = 0; /* the same for all */
	describe(&r, &g, NULL);
	assert_int_equal(layout_number(&r, r.form.d, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT), 8);
	assert_int_equal(
		layout_number(&r, r.form.second, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET),
		4096);
	assert_int_equal(
		layout_number(&r, r.form.first, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET), 0);
	product_form_release(&r.blas, &r.form);
	arena_release(&r.arena);
}

/* Without a driver cuBLASLt itself does not start, and says so. */
static void test_errors_have_words(void **state)
{
	(void)state;
	struct rig r;
	struct err err = {0};
	rig_open(&r);
	assert_true(r.blas.version > 120000);
	assert_int_equal(blaslt_fail(&r.blas, CUBLAS_STATUS_NOT_SUPPORTED, "trying", &err), -1);
	assert_non_null(strstr(err.text, "trying: cuBLASLt says"));
	assert_non_null(strstr(err.text, "(15)"));
	arena_release(&r.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_thin_matrices),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_epilogues),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_every_experiment),
		cmocka_unit_test(test_fp32_bias_and_addend),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_errors_have_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
