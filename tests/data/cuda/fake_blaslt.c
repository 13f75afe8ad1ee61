/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLASLt: descriptors are lists of attributes, a product is three loops over columns. */
#include "tests/data/cuda/fake.h"

#include <cublasLt.h>
#include <cupti_driver_cbid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 48 };

struct attributes {
	uint64_t value[ATTRIBUTES]; /* small ones, zero-extended */
	bool set[ATTRIBUTES];
};

static cublasStatus_t put(struct attributes *a, int number, const void *value, size_t bytes)
{
	if (number >= ATTRIBUTES || bytes > 8)
		return CUBLAS_STATUS_INVALID_VALUE;
	a->value[number] = 0;
	memcpy(&a->value[number], value, bytes);
	a->set[number] = true;
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const struct attributes *a, int number, void *value, size_t bytes)
{
	if (number >= ATTRIBUTES || bytes > 8)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(value, &a->value[number], bytes);
	return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
	return 130100;
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
	return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : "a fake failure";
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	*handle = malloc(1);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(
	cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType_t scale)
{
	struct attributes *a = calloc(1, sizeof *a);
	put(a, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &compute, sizeof compute);
	put(a, CUBLASLT_MATMUL_DESC_SCALE_TYPE, &scale, sizeof scale);
	*desc = (cublasLtMatmulDesc_t)a;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
	free(desc);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
	cublasLtMatmulDescAttributes_t number, const void *value, size_t bytes)
{
	return put((struct attributes *)desc, (int)number, value, bytes);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc,
	cublasLtMatmulDescAttributes_t number, void *value, size_t bytes, size_t *written)
{
	if (written)
		*written = bytes;
	return get((struct attributes *)desc, (int)number, value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutCreate(
	cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	struct attributes *a = calloc(1, sizeof *a);
	int32_t batch = 1;
	put(a, CUBLASLT_MATRIX_LAYOUT_TYPE, &type, sizeof type);
	put(a, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows);
	put(a, CUBLASLT_MATRIX_LAYOUT_COLS, &cols, sizeof cols);
	put(a, CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld);
	put(a, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
	*layout = (cublasLtMatrixLayout_t)a;
	return ld < (int64_t)rows ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
	free(layout);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
	cublasLtMatrixLayoutAttribute_t number, const void *value, size_t bytes)
{
	return put((struct attributes *)layout, (int)number, value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
	cublasLtMatrixLayoutAttribute_t number, void *value, size_t bytes, size_t *written)
{
	if (written)
		*written = bytes;
	return get((struct attributes *)layout, (int)number, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
	*preference = calloc(1, sizeof(struct attributes));
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
	free(preference);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
	cublasLtMatmulPreferenceAttributes_t number, const void *value, size_t bytes)
{
	return put((struct attributes *)preference, (int)number, value, bytes);
}

/* Three kernels, of which the second is the fastest. */
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
	cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
	cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int wanted,
	cublasLtMatmulHeuristicResult_t results[], int *found)
{
	(void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference;
	*found = 0;
	if (fake_is("noheuristic"))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	for (int i = 0; i < 3 && i < wanted; i++) {
		memset(&results[i], 0, sizeof results[i]);
		results[i].algo.data[0] = (uint64_t)i;
		(*found)++;
	}
	return CUBLAS_STATUS_SUCCESS;
}

/* ---- the product ---- */

struct operand {
	const void *pointer;
	int64_t rows, cols, ld, stride;
	bool bf16, transposed;
};

struct matmul {
	struct operand a, b, c, d;
	void *to;
	const void *bias;
	int64_t batch;
	float alpha, beta;
};

static float value_at(const struct operand *o, int64_t batch, int64_t i, int64_t j)
{
	int64_t at = batch * o->stride + (o->transposed ? i * o->ld + j : j * o->ld + i);
	float f;
	if (!o->bf16)
		return ((const float *)o->pointer)[at];
	uint32_t bits = (uint32_t)((const uint16_t *)o->pointer)[at] << 16;
	memcpy(&f, &bits, sizeof f);
	return f;
}

static void set_at(const struct operand *o, void *to, int64_t at, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	if (o->bf16)
		((uint16_t *)to)[at] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
	else
		((float *)to)[at] = value;
}

static void multiply(void *context)
{
	struct matmul *m = context;
	int64_t k = m->a.transposed ? m->a.rows : m->a.cols;
	struct operand bias = {m->bias, m->d.rows, 1, m->d.rows, 0, m->d.bf16, false};
	for (int64_t batch = 0; batch < m->batch; batch++)
		for (int64_t j = 0; j < m->d.cols; j++)
			for (int64_t i = 0; i < m->d.rows; i++) {
				float sum = 0;
				for (int64_t l = 0; l < k; l++)
					sum += value_at(&m->a, batch, i, l) *
						value_at(&m->b, batch, l, j);
				sum *= m->alpha;
				if (m->beta != 0)
					sum += m->beta * value_at(&m->c, batch, i, j);
				if (m->bias)
					sum += value_at(&bias, 0, i, 0);
				set_at(&m->d, m->to, batch * m->d.stride + j * m->d.ld + i, sum);
			}
}

static struct operand operand_of(
	cublasLtMatrixLayout_t layout, const void *pointer, bool transposed)
{
	const struct attributes *a = (const struct attributes *)layout;
	return (struct operand){
		.pointer = pointer,
		.rows = (int64_t)a->value[CUBLASLT_MATRIX_LAYOUT_ROWS],
		.cols = (int64_t)a->value[CUBLASLT_MATRIX_LAYOUT_COLS],
		.ld = (int64_t)a->value[CUBLASLT_MATRIX_LAYOUT_LD],
		.stride = (int64_t)a->value[CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET],
		.bf16 = a->value[CUBLASLT_MATRIX_LAYOUT_TYPE] == CUDA_R_16BF,
		.transposed = transposed,
	};
}

static const char *kernel_name(const struct matmul *m, uint64_t algo)
{
	static char names[64][96];
	static unsigned next;
	char *name = names[next++ % 64];
	const char *type = m->d.bf16 ? "tst" : "sss";
	snprintf(name, 96, "nvjet_sm90_%s_%s_1x2_h_%s%s_%c%cT", type,
		algo == 1 ? "128x128_64x6" : "256x128_64x4", m->beta != 0 ? "badd" : "bz",
		m->bias ? "_bias" : "", m->a.transposed ? 'T' : 'N', m->b.transposed ? 'T' : 'N');
	return name;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
	const void *A, cublasLtMatrixLayout_t a, const void *B, cublasLtMatrixLayout_t b,
	const void *beta, const void *C, cublasLtMatrixLayout_t c, void *D,
	cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *algo, void *workspace, size_t bytes,
	cudaStream_t stream)
{
	struct fake_call call = fake_call_begin(false, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
	const struct attributes *op = (const struct attributes *)desc;
	struct matmul product;
	struct matmul *m = &product;
	(void)handle, (void)workspace, (void)bytes, (void)stream;
	m->a = operand_of(a, A, op->value[CUBLASLT_MATMUL_DESC_TRANSA] == CUBLAS_OP_T);
	m->b = operand_of(b, B, op->value[CUBLASLT_MATMUL_DESC_TRANSB] == CUBLAS_OP_T);
	m->c = operand_of(c, C, false);
	m->d = operand_of(d, D, false);
	m->to = D;
	m->batch = (int64_t)((struct attributes *)d)->value[CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT];
	memcpy(&m->alpha, alpha, sizeof m->alpha);
	memcpy(&m->beta, beta, sizeof m->beta);
	uintptr_t bias = op->value[CUBLASLT_MATMUL_DESC_EPILOGUE] == CUBLASLT_EPILOGUE_BIAS
		? op->value[CUBLASLT_MATMUL_DESC_BIAS_POINTER]
		: 0;
	m->bias = (const void *)bias;
	struct fake_work w = {.kind = FAKE_KERNEL, .run = multiply, .registers = 168};
	memcpy(w.context, m, sizeof *m);
	w.name = kernel_name(m, algo->data[0]);
	w.grid[0] = 132;
	w.grid[1] = w.grid[2] = w.block[1] = w.block[2] = 1;
	w.block[0] = 384;
	w.dynamic_shared_bytes = 213000;
	w.stream = 13;
	fake_work_put(&w, &call);
	fake_call_end(&call, 0);
	return CUBLAS_STATUS_SUCCESS;
}
