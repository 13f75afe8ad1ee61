/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ops.h - the operators: what an experiment writes its steps with.
 *
 * Each call is a SPAN_OP with the shapes of its inputs, named in the namespace `tb` (our own; no
 * row of PyTorch's dispatcher is claimed), and calls nest: tb::matmul holds tb::mm, which holds the
 * launch. Views launch nothing. While `recording` is set the same calls append to a graph and
 * leave no spans.
 *
 * Results are new tensors, owned by the caller until ops_free(). Shapes that do not fit are an
 * error that names the operator and the shapes.
 */
#ifndef EXPERIMENTS_OPS_H
#define EXPERIMENTS_OPS_H

#include "base/arena.h"
#include "base/names.h"
#include "experiments/caching_allocator.h"
#include "experiments/tensor.h"

struct graph;

enum { OPS_SHAPE_SLOTS = 64 };

struct ops {
	const struct device_ops *call;
	struct device *device;
	struct recorder *recorder; /* of the calling thread */
	struct arena *arena; /* of the shapes that spans lend */
	struct names *names; /* of the names that spans lend */
	struct storage_cache cache;
	struct graph *recording; /* NULL: calls launch */
	struct ops_shapes *shapes[OPS_SHAPE_SLOTS]; /* every distinct set of shapes once, hashed */
	uint32_t last_id; /* given to a SPAN_OP */
	uint32_t current; /* id of the innermost open SPAN_OP, 0 none */
	int frames; /* compiled functions so far */
};

void ops_init(struct ops *o, const struct device_ops *call, struct device *device,
	struct recorder *recorder, struct arena *arena, struct names *names);
/* Waits for nothing: the queue must be idle. Frees all results, also those still owned. */
void ops_release(struct ops *o);

/* ---- dispatch rows of one's own ---- */

struct op_scope {
	struct span *span; /* NULL when nothing is recorded */
	uint32_t outer; /* id of the SPAN_OP around it */
};

/* A SPAN_OP with an id of its own in `external`; `name` outlives the recorder; `in` may be NULL. */
struct op_scope ops_begin(
	struct ops *o, const char *name, int n_in, const struct tensor *const *in);
void ops_end(struct ops *o, struct op_scope scope);
/* A SPAN_SETUP, ended by span_end(). */
struct span *ops_setup(struct ops *o, const char *name);

/* ---- results ---- */

/* A dense tensor with memory from the cache. */
int ops_new(struct ops *o, enum dtype dtype, int rank, const int64_t *dim, struct tensor *t,
	struct err *err);
/* Gives the storage back, if the tensor owns one, and clears it; nothing for {0} and for views. */
void ops_free(struct tensor *t);

/* ---- views ---- */

int ops_t(struct ops *o, const struct tensor *a, struct tensor *view, struct err *err);
/* A batch of matrices, each transposed. */
int ops_transpose(struct ops *o, const struct tensor *a, struct tensor *view, struct err *err);
int ops_view(struct ops *o, const struct tensor *a, int rank, const int64_t *dim,
	struct tensor *view, struct err *err);

/* ---- products: d is new, a (m,k), b (k,n), d (m,n) ---- */

/* mm for two matrices, bmm for two batches, mm on a flattened view for a batch times a matrix. */
int ops_matmul(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err);
int ops_mm(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err);
int ops_bmm(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err);

/* bias + a b, as ATen's addmm: a bias row (n) goes into the GEMM's epilogue, a matrix (m,n) is
 * copied into the result, which the GEMM then adds to (beta = 1). */
int ops_addmm(struct ops *o, const struct tensor *bias, const struct tensor *a,
	const struct tensor *b, struct tensor *d, struct err *err);
/* The same with the matrix in the epilogue as well: one kernel, no copy. */
int ops_addmm_epilogue(struct ops *o, const struct tensor *bias, const struct tensor *a,
	const struct tensor *b, struct tensor *d, struct err *err);

/* x (..., in) times weight (out, in) transposed, plus bias (out) unless it is NULL: t, then addmm,
 * or matmul without a bias. */
int ops_linear(struct ops *o, const struct tensor *x, const struct tensor *weight,
	const struct tensor *bias, struct tensor *d, struct err *err);

/* ---- element by element: dense tensors of one shape ---- */

int ops_add(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err);
int ops_mul(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err);
/* 0.5 a (1 + tanh(sqrt(2/pi) (a + 0.044715 a^3))) */
int ops_gelu(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err);
int ops_square(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err);
/* The square by a kernel of the device's own, as struct device_pointwise names it; the operator is
 * called `op`. It cannot be compiled. */
int ops_square_by(struct ops *o, const char *op, const char *kernel, const struct tensor *a,
	struct tensor *d, struct err *err);
/* gelu(gate) * up by the hand-written kernel for any shape. It cannot be compiled. */
int ops_geglu_tanh(struct ops *o, const struct tensor *gate, const struct tensor *up,
	struct tensor *d, struct err *err);
/* Overwrites `to`. It cannot be compiled. */
int ops_copy_(struct ops *o, struct tensor *to, const struct tensor *from, struct err *err);

/* ---- by whole rows of dense batches of matrices; they cannot be compiled ---- */

/* e^(a - max) over its sum, for each row. */
int ops_softmax(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err);
/* factor a; `factor` is above 0. */
int ops_mul_scalar(
	struct ops *o, const struct tensor *a, float factor, struct tensor *d, struct err *err);
/* What lies behind a row's own place becomes minus infinity: in a copy, as PyTorch's masked_fill
 * makes one, or in place. */
int ops_causal_mask(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err);
int ops_causal_mask_(struct ops *o, struct tensor *a, struct err *err);
/* softmax(q k') v in one kernel; q, k, v of one shape (batch, rows, columns). */
int ops_attention(struct ops *o, const struct tensor *q, const struct tensor *k,
	const struct tensor *v, struct tensor *d, struct err *err);
/* The same of factor q k', where no row sees a key behind its own place. */
int ops_causal_attention(struct ops *o, const struct tensor *q, const struct tensor *k,
	const struct tensor *v, float factor, struct tensor *d, struct err *err);

/* ---- enqueueing: device calls whose spans carry the innermost SPAN_OP's id ---- */

int ops_enqueue_gemm(struct ops *o, const struct device_gemm *gemm, struct err *err);
int ops_enqueue_pointwise(struct ops *o, const struct device_pointwise *p, struct err *err);
int ops_enqueue_rows(struct ops *o, const struct device_rows *r, struct err *err);
int ops_enqueue_copy(struct ops *o, struct device_memory *to, const struct device_memory *from,
	size_t bytes, struct err *err);
int ops_enqueue_graph(struct ops *o, struct device_graph *graph, struct err *err);

#endif
