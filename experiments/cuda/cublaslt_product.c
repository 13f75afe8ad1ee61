/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cublaslt_product.h"

#include "experiments/request_checks.h"

#include <inttypes.h>
#include <string.h>

enum { BEST_ALIGNMENT = 256 };

/* ---- turning a descriptor round ---- */

static const char *address(const struct device_matrix *m, enum dtype dtype)
{
	return (const char *)m->memory->pointer + m->offset * (int64_t)dtype_bytes(dtype);
}

static uint32_t alignment_of(const struct device_matrix *m, enum dtype dtype)
{
	uintptr_t bits = (uintptr_t)address(m, dtype) | BEST_ALIGNMENT;
	return (uint32_t)(bits & -bits);
}

/* Rows one after the other, or columns one after the other; the stride of a dimension of size 1
 * says nothing. */
static int layout_of(struct product_layout *l, const struct device_matrix *m,
	const struct device_gemm *g, const char *what, struct err *err)
{
	bool in_rows = m->cols == 1 || m->col_stride == 1;
	bool in_columns = !in_rows && (m->rows == 1 || m->row_stride == 1);
	int64_t ld = in_rows ? m->row_stride : m->col_stride;
	int64_t inner = in_rows ? m->cols : m->rows, outer = in_rows ? m->rows : m->cols;
	if (!in_rows && !in_columns)
		return fail(err, "gemm: neither rows nor columns of %s are contiguous", what);
	if (outer == 1 && ld < inner)
		ld = inner;
	if (ld < inner)
		return fail(err, "gemm: the rows of %s overlap", what);
	l->rows = inner;
	l->cols = outer;
	l->ld = ld;
	l->batch_stride = g->batch > 1 ? m->batch_stride : 0;
	l->transposed = !in_rows;
	l->alignment = alignment_of(m, g->dtype);
	return 0;
}

static int result_of(struct product *p, const struct device_gemm *g, struct err *err)
{
	if (asked_matrix(&g->d, g->d.memory->bytes, p->n, p->m, g, "the result", err) ||
		layout_of(&p->d, &g->d, g, "the result", err))
		return -1;
	if (p->d.transposed)
		return fail(err, "gemm: the rows of the result must be contiguous");
	if (p->batch > 1 && !p->d.batch_stride)
		return fail(err, "gemm: the results of a batch lie on one another");
	return 0;
}

static int addend_of(struct product *p, const struct device_gemm *g, struct err *err)
{
	const struct device_matrix *c = g->addend;
	if (!c)
		return 0;
	bool one_row;
	if (asked_addend(g, c->memory->bytes, p->n, p->m, &one_row, err))
		return -1;
	if (one_row) {
		p->epilogue = PRODUCT_BIAS;
		p->bias_alignment = alignment_of(c, g->dtype);
		return 0;
	}
	p->epilogue = PRODUCT_ADDEND;
	if (p->accumulate)
		return fail(err, "gemm: adding onto the result and adding a matrix are two sums");
	if (layout_of(&p->addend, c, g, "the addend", err))
		return -1;
	if (p->addend.transposed)
		return fail(err, "gemm: the rows of the addend must be contiguous");
	return 0;
}

int product_of(struct product *p, const struct device_gemm *g, struct err *err)
{
	memset(p, 0, sizeof *p);
	p->dtype = g->dtype;
	p->batch = g->batch;
	p->m = g->b.cols;
	p->n = g->a.rows;
	p->k = g->a.cols;
	p->accumulate = g->accumulate;
	if (p->m < 1 || p->n < 1 || p->k < 1 || p->batch < 1)
		return fail(err,
			"gemm: sizes must be positive, not batch %" PRId64 ", %" PRId64 "x%" PRId64
			" by %" PRId64 "x%" PRId64,
			p->batch, g->a.rows, p->k, g->b.rows, p->m);
	if (asked_matrix(&g->a, g->a.memory->bytes, p->n, p->k, g, "a", err) ||
		asked_matrix(&g->b, g->b.memory->bytes, p->k, p->m, g, "b", err) ||
		layout_of(&p->first, &g->b, g, "b", err) ||
		layout_of(&p->second, &g->a, g, "a", err))
		return -1;
	return result_of(p, g, err) || addend_of(p, g, err) ? -1 : 0;
}

const char *product_letters(const struct product *p)
{
	static const char *const letters[2][2] = {{"nn", "nt"}, {"tn", "tt"}};
	return letters[p->first.transposed != 0][p->second.transposed != 0];
}

/* ---- describing it to cuBLASLt ---- */

struct describing {
	const struct blaslt *b;
	const struct product *p;
	cublasStatus_t status; /* the first that is not a success */
};

static void note(struct describing *d, cublasStatus_t status)
{
	if (!d->status)
		d->status = status;
}

static void set_operation(struct describing *d, cublasLtMatmulDesc_t operation,
	cublasLtMatmulDescAttributes_t attribute, const void *value, size_t bytes)
{
	note(d, d->b->cublasLtMatmulDescSetAttribute(operation, attribute, value, bytes));
}

static void describe_operation(struct describing *d, struct product_form *form, const void *bias)
{
	const struct product *p = d->p;
	/* sums in f32; no TF32, whatever the inputs */
	note(d, d->b->cublasLtMatmulDescCreate(&form->operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	if (d->status)
		return;
	cublasOperation_t first = p->first.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasOperation_t second = p->second.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
	cublasLtEpilogue_t epilogue =
		p->epilogue == PRODUCT_BIAS ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
	set_operation(d, form->operation, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first);
	set_operation(d, form->operation, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second);
	set_operation(
		d, form->operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
	if (p->epilogue == PRODUCT_BIAS)
		set_operation(
			d, form->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
}

static void describe_layout(
	struct describing *d, cublasLtMatrixLayout_t *layout, const struct product_layout *l)
{
	cudaDataType_t type = d->p->dtype == DTYPE_BF16 ? CUDA_R_16BF : CUDA_R_32F;
	int32_t batch = (int32_t)d->p->batch;
	note(d,
		d->b->cublasLtMatrixLayoutCreate(
			layout, type, (uint64_t)l->rows, (uint64_t)l->cols, l->ld));
	if (d->status || batch == 1)
		return;
	note(d,
		d->b->cublasLtMatrixLayoutSetAttribute(
			*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
	note(d,
		d->b->cublasLtMatrixLayoutSetAttribute(*layout,
			CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &l->batch_stride,
			sizeof l->batch_stride));
}

static void describe_preference(
	struct describing *d, struct product_form *form, size_t workspace_bytes)
{
	const struct product *p = d->p;
	const struct product_layout *c = p->epilogue == PRODUCT_ADDEND ? &p->addend : &p->d;
	const struct {
		cublasLtMatmulPreferenceAttributes_t attribute;
		uint32_t bytes;
	} alignment[] = {
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, p->first.alignment},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, p->second.alignment},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, c->alignment},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, p->d.alignment},
	};
	note(d, d->b->cublasLtMatmulPreferenceCreate(&form->preference));
	if (d->status)
		return;
	note(d,
		d->b->cublasLtMatmulPreferenceSetAttribute(form->preference,
			CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
			sizeof workspace_bytes));
	for (size_t i = 0; i < sizeof alignment / sizeof *alignment; i++)
		note(d,
			d->b->cublasLtMatmulPreferenceSetAttribute(form->preference,
				alignment[i].attribute, &alignment[i].bytes,
				sizeof alignment[i].bytes));
}

int product_describe(const struct blaslt *b, const struct product *p, const void *bias,
	size_t workspace_bytes, struct product_form *form, struct err *err)
{
	struct describing d = {.b = b, .p = p};
	*form = (struct product_form){0};
	describe_operation(&d, form, bias);
	describe_layout(&d, &form->first, &p->first);
	describe_layout(&d, &form->second, &p->second);
	describe_layout(&d, &form->c, p->epilogue == PRODUCT_ADDEND ? &p->addend : &p->d);
	describe_layout(&d, &form->d, &p->d);
	describe_preference(&d, form, workspace_bytes);
	if (!d.status)
		return 0;
	product_form_release(b, form);
	return blaslt_fail(b, d.status, "describing a product", err);
}

void product_form_release(const struct blaslt *b, struct product_form *form)
{
	cublasLtMatrixLayout_t layout[] = {form->first, form->second, form->c, form->d};
	for (size_t i = 0; i < sizeof layout / sizeof *layout; i++)
		if (layout[i])
			b->cublasLtMatrixLayoutDestroy(layout[i]);
	if (form->operation)
		b->cublasLtMatmulDescDestroy(form->operation);
	if (form->preference)
		b->cublasLtMatmulPreferenceDestroy(form->preference);
	*form = (struct product_form){0};
}
