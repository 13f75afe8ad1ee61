/* SPDX-License-Identifier: Apache-2.0 */
/*
 * primitive_plans.h - the primitives that are made, and where they are found again.
 *
 * A plan is what one kind of work needs to run: a oneDNN primitive made for its shape, strides and
 * dtype, or a hand-written kernel made for none. The first use of a shape makes its plan on the
 * calling thread (implementation chosen, code generated: the SPAN_SETUP "primitive creation
 * (JIT)"); later uses find it by its key in a hash table. Plans live until the device is closed.
 *
 * Threads: a plan is made for a number of OpenMP threads and runs with the same. Idle workers sleep
 * (environment.c tells why), and waking one takes 50 to 100 us on a virtual machine: measured on
 * two cores, a second thread breaks even at 14 MFLOP and saves 40 % at 65 MFLOP in bf16, and saves
 * a third at 4 MB of pointwise traffic. So there is one thread for each 30 MFLOP of a product or
 * 2 MiB that a chain or a copy moves, at least one, at most one a core.
 */
#ifndef EXPERIMENTS_HOST_PRIMITIVE_PLANS_H
#define EXPERIMENTS_HOST_PRIMITIVE_PLANS_H

#include "base/err.h"
#include "base/names.h"
#include "experiments/device.h"
#include "experiments/host/memory.h"
#include "experiments/host/onednn.h"
#include "experiments/host/queue_work.h"

/* A matrix product in normal form: what makes two products the same work. */
struct product {
	int64_t dtype, batch, m, n, k;
	struct layout {
		int64_t row_stride, col_stride, batch_stride; /* batch_stride 0: one matrix for
								 the whole batch */
	} a, b, d, addend;
	int64_t epilogue; /* enum epilogue */
	int64_t accumulate;
};

enum epilogue { EPILOGUE_NONE, EPILOGUE_BIAS, EPILOGUE_ADD };

/* A pointwise chain in normal form. */
struct chain {
	int64_t dtype, generic, n_steps, n_inputs;
	int64_t step[4];
	int64_t n; /* 0 when generic: such a plan fits every n */
};

/* Work on whole rows in normal form. */
struct whole_rows {
	int64_t what, dtype, batch, rows, cols, causal;
	union {
		float number;
		int64_t bits;
	} factor; /* by its bits, for comparison */
};

enum plan_kind { PLAN_PRODUCT = 1, PLAN_CHAIN, PLAN_ROWS };

struct plan_key { /* zeroed first, compared by its bytes */
	int64_t kind;
	union {
		struct product product;
		struct chain chain;
		struct whole_rows rows;
	} of;
};

enum { PLAN_MAX_ARGUMENTS = WORK_MAX_POINTERS + 2 };

struct plan {
	struct plan_key key;
	const char *name; /* of its kernels in the trace, interned */
	int threads; /* OpenMP threads; 0: by the size of the work (generic kernels) */
	dnnl_primitive_t primitive; /* NULL for a hand-written kernel */
	struct attention *attention; /* NULL for all but attention (attention.h); owned */
	dnnl_exec_arg_t argument[PLAN_MAX_ARGUMENTS]; /* memories owned */
	int n_arguments, n_pointers; /* the first n_pointers are bound anew by each work */
	struct device_memory *scratchpad; /* NULL when it needs none */
	_Alignas(16) float one; /* operand of a chain that starts with a function of one operand */
	struct plan *next; /* in its bucket */
};

enum { PLAN_BUCKETS = 256 };

struct plans {
	struct plan *bucket[PLAN_BUCKETS];
	dnnl_engine_t engine; /* NULL until the first primitive */
	struct recorder *recorder; /* lent: takes the SPAN_SETUP spans */
	struct names *names; /* lent: owns the kernels' names */
	int max_threads;
};

/* The plan of a key, made if it is new; NULL on failure. */
struct plan *plans_take(struct plans *plans, const struct plan_key *key, struct err *err);
void plans_release(struct plans *plans);

/* Checks a descriptor and brings it into normal form. */
int product_of(struct product *p, const struct device_gemm *gemm, struct err *err);
int chain_of(struct chain *c, const struct device_pointwise *pointwise, struct err *err);
int whole_rows_of(struct whole_rows *w, const struct device_rows *rows, struct err *err);

/* Fill in primitive, arguments and name. The attributes and memories that fail half-way are
 * released with the plan. */
int plan_make_product(struct plan *plan, struct plans *plans, struct err *err);
int plan_make_chain(struct plan *plan, struct plans *plans, struct err *err);
int plan_make_generic(struct plan *plan, struct plans *plans);
int plan_make_rows(struct plan *plan, struct plans *plans, struct err *err);

/* Tells a plan's primitive where its operands lie, in the order they were added. */
dnnl_status_t plan_bind(struct plan *plan, void *const *pointer);

/* Frees a plan that was filled in, wholly or half. */
void plan_release(struct plan *plan);

/* What both makers share. ---------------------------------------------------------------------- */

/* "oneDNN: <doing> failed: <status>". */
int onednn_fail(struct err *err, dnnl_status_t status, const char *doing);

/* Appends an argument; `handle` NULL: it is bound by each work. */
int plan_add_argument(struct plan *plan, dnnl_engine_t engine, int argument,
	const dnnl_memory_desc_t *desc, void *handle, struct err *err);

/* From an operation's description to a primitive with scratchpad. Its kernels are called by the
 * implementation's name and `name`. */
int plan_make_primitive(struct plan *plan, struct plans *plans,
	const struct onednn_operation *operation, const_dnnl_post_ops_t post_ops, const char *name,
	struct err *err);

dnnl_data_type_t onednn_dtype(int64_t dtype);

/* Threads for a product of so many operations. */
int threads_for_flop(double flop, int max_threads);

/* Threads for work that moves this many bytes. */
int threads_for_bytes(double bytes, int max_threads);

#endif
