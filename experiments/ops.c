/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/ops.h"

#include "base/hash.h"

#include "experiments/graph.h"

#include <string.h>

/* One distinct set of input shapes; the set is what spans lend. */
struct ops_shapes {
	struct span_shapes shapes;
	uint64_t hash;
	struct ops_shapes *next;
};

void ops_init(struct ops *o, const struct device_ops *call, struct device *device,
	struct recorder *recorder, struct arena *arena, struct names *names)
{
	*o = (struct ops){
		.call = call,
		.device = device,
		.recorder = recorder,
		.arena = arena,
		.names = names,
		.cache = {.call = call, .device = device, .recorder = recorder, .names = names},
	};
}

void ops_release(struct ops *o)
{
	storage_cache_release(&o->cache);
}

/* ---- spans ---- */

static void shapes_fill(struct span_shapes *s, int n_in, const struct tensor *const *in)
{
	memset(s, 0, sizeof *s);
	s->n = n_in;
	for (int i = 0; i < n_in; i++) {
		s->tensor[i].rank = in[i]->rank;
		s->tensor[i].dtype = dtype_torch_name(in[i]->dtype);
		memcpy(s->tensor[i].dim, in[i]->dim, sizeof in[i]->dim);
		memcpy(s->tensor[i].stride, in[i]->stride, sizeof in[i]->stride);
	}
}

static uint64_t shapes_hash(const struct span_shapes *s)
{
	uint64_t hash = HASH_START;
	for (int i = 0; i < s->n; i++)
		for (int j = 0; j < s->tensor[i].rank; j++) {
			hash = hash_word(hash, (uint64_t)s->tensor[i].dim[j]);
			hash = hash_word(hash, (uint64_t)s->tensor[i].stride[j]);
		}
	return hash;
}

static const struct span_shapes *shapes_intern(
	struct ops *o, int n_in, const struct tensor *const *in)
{
	struct span_shapes wanted;
	shapes_fill(&wanted, n_in, in);
	uint64_t hash = shapes_hash(&wanted);
	struct ops_shapes **slot = &o->shapes[(hash ^ hash >> 32) % OPS_SHAPE_SLOTS];
	for (struct ops_shapes *s = *slot; s; s = s->next)
		if (s->hash == hash && !memcmp(&s->shapes, &wanted, sizeof wanted))
			return &s->shapes;
	struct ops_shapes *s = arena_alloc(o->arena, sizeof *s);
	*s = (struct ops_shapes){.hash = hash, .next = *slot};
	memcpy(&s->shapes, &wanted, sizeof wanted); /* with its padding, for memcmp */
	*slot = s;
	return &s->shapes;
}

struct op_scope ops_begin(struct ops *o, const char *name, int n_in, const struct tensor *const *in)
{
	struct op_scope scope = {.outer = o->current};
	if (o->recording)
		return scope;
	scope.span = span_begin(o->recorder, SPAN_OP, name);
	if (!scope.span)
		return scope;
	if (n_in > 0)
		scope.span->shapes = shapes_intern(o, n_in, in);
	o->last_id = o->last_id % INT32_MAX + 1;
	o->current = o->last_id;
	scope.span->external = o->current;
	if (o->call->enter)
		o->call->enter(o->device, SCOPE_OPERATOR, o->current);
	return scope;
}

void ops_end(struct ops *o, struct op_scope scope)
{
	o->current = scope.outer;
	if (scope.span && o->call->leave)
		o->call->leave(o->device, SCOPE_OPERATOR);
	span_end(scope.span);
}

struct span *ops_setup(struct ops *o, const char *name)
{
	struct span *s = span_begin(o->recorder, SPAN_SETUP, name);
	if (s)
		s->external = o->current;
	return s;
}

/* ---- enqueueing ---- */

/* What the device has recorded since row `first` belongs to the innermost operator. */
static void tag(struct ops *o, size_t first)
{
	for (size_t i = first; i < o->recorder->n; i++)
		o->recorder->span[i].external = o->current;
}

int ops_enqueue_gemm(struct ops *o, const struct device_gemm *gemm, struct err *err)
{
	size_t first = o->recorder->n;
	int rc = o->call->gemm(o->device, gemm, err);
	tag(o, first);
	return rc;
}

int ops_enqueue_pointwise(struct ops *o, const struct device_pointwise *p, struct err *err)
{
	size_t first = o->recorder->n;
	int rc = o->call->pointwise(o->device, p, err);
	tag(o, first);
	return rc;
}

int ops_enqueue_rows(struct ops *o, const struct device_rows *r, struct err *err)
{
	size_t first = o->recorder->n;
	int rc = o->call->rows(o->device, r, err);
	tag(o, first);
	return rc;
}

int ops_enqueue_copy(struct ops *o, struct device_memory *to, const struct device_memory *from,
	size_t bytes, struct err *err)
{
	size_t first = o->recorder->n;
	int rc = o->call->copy(o->device, to, from, bytes, err);
	tag(o, first);
	return rc;
}

int ops_enqueue_graph(struct ops *o, struct device_graph *graph, struct err *err)
{
	size_t first = o->recorder->n;
	int rc = o->call->graph_launch(o->device, graph, err);
	tag(o, first);
	return rc;
}

/* ---- results ---- */

int ops_new(struct ops *o, enum dtype dtype, int rank, const int64_t *dim, struct tensor *t,
	struct err *err)
{
	struct tensor made = tensor_dense(dtype, rank, dim);
	size_t first = o->recorder->n;
	made.storage = storage_take(&o->cache, tensor_bytes(&made), err);
	tag(o, first);
	if (!made.storage)
		return -1;
	made.memory = made.storage->memory;
	*t = made;
	return 0;
}

void ops_free(struct tensor *t)
{
	if (t->storage)
		storage_give_back(t->storage);
	*t = (struct tensor){0};
}

/* ---- views ---- */

int ops_t(struct ops *o, const struct tensor *a, struct tensor *view, struct err *err)
{
	if (a->rank != 2)
		return fail(err, "tb::t: a matrix is wanted, not a tensor of rank %d", a->rank);
	struct op_scope scope = ops_begin(o, "tb::t", 1, (const struct tensor *const[]){a});
	*view = tensor_transposed(a);
	ops_end(o, scope);
	return 0;
}

int ops_transpose(struct ops *o, const struct tensor *a, struct tensor *view, struct err *err)
{
	if (a->rank != 3)
		return fail(err,
			"tb::transpose: a batch of matrices is wanted, not a tensor of rank %d",
			a->rank);
	struct op_scope scope = ops_begin(o, "tb::transpose", 1, (const struct tensor *const[]){a});
	*view = tensor_transposed(a);
	ops_end(o, scope);
	return 0;
}

int ops_view(struct ops *o, const struct tensor *a, int rank, const int64_t *dim,
	struct tensor *view, struct err *err)
{
	struct op_scope scope = ops_begin(o, "tb::view", 1, (const struct tensor *const[]){a});
	bool fits = tensor_viewed(a, rank, dim, view);
	ops_end(o, scope);
	if (fits)
		return 0;
	struct tensor wanted = tensor_dense(a->dtype, rank, dim);
	char from[TENSOR_TEXT], to[TENSOR_TEXT];
	return fail(err, "tb::view: %s cannot be seen as %s", tensor_text(a, from),
		tensor_text(&wanted, to));
}

/* ---- products ---- */

/* A row (n), or a matrix of the result's shape. */
static bool addend_fits(const struct tensor *addend, const struct tensor *a, const struct tensor *b)
{
	if (addend->rank == 1)
		return addend->dim[0] == b->dim[1];
	return addend->rank == 2 && addend->dim[0] == a->dim[0] && addend->dim[1] == b->dim[1];
}

static bool product_fits(
	int rank, const struct tensor *a, const struct tensor *b, const struct tensor *addend)
{
	if (a->rank != rank || b->rank != rank || a->dtype != b->dtype ||
		a->dim[rank - 1] != b->dim[rank - 2] || tensor_batch(a) != tensor_batch(b))
		return false;
	return !addend || (addend->dtype == a->dtype && addend_fits(addend, a, b));
}

static int product_misfit(const char *name, int rank, const struct tensor *a,
	const struct tensor *b, const struct tensor *addend, struct err *err)
{
	char left[TENSOR_TEXT], right[TENSOR_TEXT], sum[TENSOR_TEXT];
	tensor_text(a, left);
	tensor_text(b, right);
	if (a->rank != rank || b->rank != rank)
		return fail(err, "%s: both factors must be of rank %d, not %s and %s", name, rank,
			left, right);
	if (addend && product_fits(rank, a, b, NULL))
		return fail(err, "%s: %s %s does not fit the product of %s %s and %s", name,
			dtype_name(addend->dtype), tensor_text(addend, sum), dtype_name(a->dtype),
			left, right);
	return fail(err, "%s: %s %s and %s %s do not multiply", name, dtype_name(a->dtype), left,
		dtype_name(b->dtype), right);
}

static int launch_product(struct ops *o, const struct tensor *a, const struct tensor *b,
	enum addend how, const struct tensor *addend, const struct tensor *d, struct err *err)
{
	struct device_matrix add;
	struct device_gemm gemm = {
		.dtype = a->dtype,
		.batch = tensor_batch(a),
		.a = tensor_matrix(a),
		.b = tensor_matrix(b),
		.d = tensor_matrix(d),
		.accumulate = how == ADDEND_COPIED,
	};
	if (how == ADDEND_EPILOGUE) {
		add = tensor_matrix(addend);
		gemm.addend = &add;
	}
	return ops_enqueue_gemm(o, &gemm, err);
}

/* d = a b + addend, recorded or launched. */
static int product(struct ops *o, const struct tensor *a, const struct tensor *b, enum addend how,
	const struct tensor *addend, struct tensor *d, struct err *err)
{
	if (how == ADDEND_COPIED && !tensor_is_dense(addend))
		return fail(err, "tb::addmm: the matrix to add is a view that cannot be copied");
	if (o->recording)
		return graph_gemm(o->recording, a, b, how, addend, d, err);
	int64_t dim[TENSOR_RANK];
	memcpy(dim, a->dim, sizeof dim);
	dim[a->rank - 1] = b->dim[b->rank - 1];
	struct tensor made;
	if (ops_new(o, a->dtype, a->rank, dim, &made, err))
		return -1;
	if (how == ADDEND_COPIED && ops_copy_(o, &made, addend, err))
		goto out;
	if (launch_product(o, a, b, how, addend, &made, err))
		goto out;
	*d = made;
	return 0;
out:
	ops_free(&made);
	return -1;
}

/* One operator that is one product. */
static int product_op(struct ops *o, const char *name, int rank, const struct tensor *a,
	const struct tensor *b, enum addend how, const struct tensor *addend, struct tensor *d,
	struct err *err)
{
	if (!product_fits(rank, a, b, addend))
		return product_misfit(name, rank, a, b, addend, err);
	const struct tensor *in[] = {addend ? addend : a, addend ? a : b, b};
	struct op_scope scope = ops_begin(o, name, addend ? 3 : 2, in);
	int rc = product(o, a, b, how, addend, d, err);
	ops_end(o, scope);
	return rc;
}

int ops_mm(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err)
{
	return product_op(o, "tb::mm", 2, a, b, ADDEND_NONE, NULL, d, err);
}

int ops_bmm(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err)
{
	return product_op(o, "tb::bmm", 3, a, b, ADDEND_NONE, NULL, d, err);
}

int ops_addmm(struct ops *o, const struct tensor *bias, const struct tensor *a,
	const struct tensor *b, struct tensor *d, struct err *err)
{
	enum addend how = bias->rank == 1 ? ADDEND_EPILOGUE : ADDEND_COPIED;
	return product_op(o, "tb::addmm", 2, a, b, how, bias, d, err);
}

int ops_addmm_epilogue(struct ops *o, const struct tensor *bias, const struct tensor *a,
	const struct tensor *b, struct tensor *d, struct err *err)
{
	return product_op(o, "tb::addmm_epilogue", 2, a, b, ADDEND_EPILOGUE, bias, d, err);
}

/* The rows of a batch are rows of one tall matrix: view, multiply, view back. */
static int flattened(struct ops *o, const struct tensor *x, const struct tensor *b,
	const struct tensor *bias, struct tensor *d, struct err *err)
{
	struct tensor flat, tall = {0}, view;
	int64_t rows[] = {x->dim[0] * x->dim[1], x->dim[2]};
	if (ops_view(o, x, 2, rows, &flat, err))
		return -1;
	if (bias ? ops_addmm(o, bias, &flat, b, &tall, err) : ops_mm(o, &flat, b, &tall, err))
		return -1;
	int64_t dim[] = {x->dim[0], x->dim[1], tall.dim[1]};
	if (ops_view(o, &tall, 3, dim, &view, err)) {
		ops_free(&tall);
		return -1;
	}
	view.storage = tall.storage;
	*d = view;
	return 0;
}

int ops_matmul(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err)
{
	const struct tensor *in[] = {a, b};
	struct op_scope scope = ops_begin(o, "tb::matmul", 2, in);
	int rc;
	if (a->rank == 3 && b->rank == 3)
		rc = ops_bmm(o, a, b, d, err);
	else if (a->rank == 3)
		rc = flattened(o, a, b, NULL, d, err);
	else
		rc = ops_mm(o, a, b, d, err);
	ops_end(o, scope);
	return rc;
}

static int linear_body(struct ops *o, const struct tensor *x, const struct tensor *weight,
	const struct tensor *bias, struct tensor *d, struct err *err)
{
	struct tensor w;
	if (ops_t(o, weight, &w, err))
		return -1;
	if (!bias)
		return ops_matmul(o, x, &w, d, err);
	if (x->rank == 3)
		return flattened(o, x, &w, bias, d, err);
	return ops_addmm(o, bias, x, &w, d, err);
}

int ops_linear(struct ops *o, const struct tensor *x, const struct tensor *weight,
	const struct tensor *bias, struct tensor *d, struct err *err)
{
	const struct tensor *in[] = {x, weight, bias};
	struct op_scope scope = ops_begin(o, "tb::linear", bias ? 3 : 2, in);
	int rc = linear_body(o, x, weight, bias, d, err);
	ops_end(o, scope);
	return rc;
}
