/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/primitive_plans.h"
#include "experiments/request_checks.h"

#include <inttypes.h>
#include <stdio.h>

/* Two threads begin to win at 30 to 60 MFLOP; see primitive_plans.h. */
static const double GEMM_FLOP_PER_THREAD = 30e6;

/* A stride of a dimension of size 1 says nothing; oneDNN wants it to look like a plain layout. */
static struct layout layout_of(const struct device_matrix *m, int64_t batch)
{
	struct layout l = {m->row_stride, m->col_stride, batch > 1 ? m->batch_stride : 0};
	if (m->cols == 1)
		l.col_stride = 1;
	if (m->rows == 1)
		l.row_stride = l.col_stride == 1 ? m->cols : 1;
	return l;
}

static int addend_of(struct product *p, const struct device_gemm *g, struct err *err)
{
	const struct device_matrix *c = g->addend;
	if (!c)
		return 0;
	bool one_row;
	if (asked_addend(g, c->memory->bytes, p->m, p->n, &one_row, err))
		return -1;
	p->addend = layout_of(c, g->batch);
	p->epilogue = one_row ? EPILOGUE_BIAS : EPILOGUE_ADD;
	return 0;
}

int product_of(struct product *p, const struct device_gemm *g, struct err *err)
{
	*p = (struct product){.dtype = g->dtype, .batch = g->batch, .accumulate = g->accumulate};
	p->m = g->a.rows;
	p->k = g->a.cols;
	p->n = g->b.cols;
	if (p->m < 1 || p->n < 1 || p->k < 1 || p->batch < 1)
		return fail(err,
			"gemm: sizes must be positive, not batch %" PRId64 ", %" PRId64 "x%" PRId64
			" by %" PRId64 "x%" PRId64,
			p->batch, p->m, p->k, g->b.rows, p->n);
	if (asked_matrix(&g->a, g->a.memory->bytes, p->m, p->k, g, "a", err) ||
		asked_matrix(&g->b, g->b.memory->bytes, p->k, p->n, g, "b", err) ||
		asked_matrix(&g->d, g->d.memory->bytes, p->m, p->n, g, "the result", err))
		return -1;
	if (p->batch > 1 && !g->d.batch_stride)
		return fail(err, "gemm: the results of a batch lie on one another");
	p->a = layout_of(&g->a, p->batch);
	p->b = layout_of(&g->b, p->batch);
	p->d = layout_of(&g->d, p->batch);
	return addend_of(p, g, err);
}

static int describe(dnnl_memory_desc_t *desc, const struct product *p, const struct layout *l,
	int64_t rows, int64_t cols, struct err *err)
{
	int rank = p->batch > 1 ? 3 : 2, first = rank - 2;
	dnnl_dims_t dim, stride;
	dim[0] = l->batch_stride ? p->batch : 1;
	stride[0] = l->batch_stride ? l->batch_stride : rows * cols;
	dim[first] = rows;
	dim[first + 1] = cols;
	stride[first] = l->row_stride;
	stride[first + 1] = l->col_stride;
	dnnl_status_t status = onednn_describe(desc, rank, dim, onednn_dtype(p->dtype), stride);
	return status ? onednn_fail(err, status, "describing a matrix") : 0;
}

struct product_descs {
	dnnl_memory_desc_t a, b, d, addend;
};

static int describe_all(struct product_descs *descs, const struct product *p, struct err *err)
{
	if (describe(&descs->a, p, &p->a, p->m, p->k, err) ||
		describe(&descs->b, p, &p->b, p->k, p->n, err) ||
		describe(&descs->d, p, &p->d, p->m, p->n, err))
		return -1;
	if (!p->epilogue)
		return 0;
	int64_t rows = p->epilogue == EPILOGUE_BIAS ? 1 : p->m;
	return describe(&descs->addend, p, &p->addend, rows, p->n, err);
}

static int add_arguments(struct plan *plan, dnnl_engine_t engine, const struct product *p,
	const struct product_descs *descs, struct err *err)
{
	int addend = p->epilogue == EPILOGUE_BIAS
		? DNNL_ARG_BIAS
		: DNNL_ARG_ATTR_MULTIPLE_POST_OP(p->accumulate ? 1 : 0) | DNNL_ARG_SRC_1;
	if (plan_add_argument(plan, engine, DNNL_ARG_SRC, &descs->a, NULL, err) ||
		plan_add_argument(plan, engine, DNNL_ARG_WEIGHTS, &descs->b, NULL, err) ||
		plan_add_argument(plan, engine, DNNL_ARG_DST, &descs->d, NULL, err))
		return -1;
	if (!p->epilogue)
		return 0;
	return plan_add_argument(plan, engine, addend, &descs->addend, NULL, err);
}

static int make(struct plan *plan, struct plans *plans, const struct product *p,
	const struct product_descs *descs, const_dnnl_post_ops_t post_ops, struct err *err)
{
	bool bias = p->epilogue == EPILOGUE_BIAS;
	struct onednn_operation op = {.kind = ONEDNN_MATMUL,
		.a = &descs->a,
		.b = &descs->b,
		.bias = bias ? &descs->addend : NULL,
		.d = &descs->d};
	char operation[64];
	snprintf(operation, sizeof operation, "matmul%s%s%s", bias ? "+bias" : "",
		p->accumulate ? "+sum" : "", p->epilogue == EPILOGUE_ADD ? "+add" : "");
	return plan_make_primitive(plan, plans, &op, post_ops, operation, err);
}

static int make_described(struct plan *plan, struct plans *plans, const struct product *p,
	const struct product_descs *descs, struct err *err)
{
	if (add_arguments(plan, plans->engine, p, descs, err))
		return -1;
	dnnl_post_ops_t post_ops;
	dnnl_status_t status = dnnl_post_ops_create(&post_ops);
	if (status)
		return onednn_fail(err, status, "making post-operations");
	if (p->accumulate)
		status = onednn_then_sum(post_ops);
	if (!status && p->epilogue == EPILOGUE_ADD)
		status = onednn_then_binary(post_ops, dnnl_binary_add, &descs->addend);
	int result = status ? onednn_fail(err, status, "adding post-operations")
			    : make(plan, plans, p, descs, post_ops, err);
	dnnl_post_ops_destroy(post_ops);
	return result;
}

int threads_for_flop(double flop, int max_threads)
{
	double wanted = flop / GEMM_FLOP_PER_THREAD;
	return wanted < 2 ? 1 : wanted < max_threads ? (int)wanted : max_threads;
}

int plan_make_product(struct plan *plan, struct plans *plans, struct err *err)
{
	const struct product *p = &plan->key.of.product;
	double flop = 2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
	plan->threads = threads_for_flop(flop, plans->max_threads);
	struct product_descs descs = {0};
	int result = describe_all(&descs, p, err);
	if (!result)
		result = make_described(plan, plans, p, &descs, err);
	onednn_release(&descs.a);
	onednn_release(&descs.b);
	onednn_release(&descs.d);
	onednn_release(&descs.addend);
	return result;
}
