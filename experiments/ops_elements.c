/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that go element by element, and by whole rows. */
#include "experiments/ops.h"

#include "experiments/graph.h"

static int elements_fit(const char *name, int n_in, const struct tensor *const *in, struct err *err)
{
	for (int i = 0; i < n_in; i++)
		if (!tensor_is_dense(in[i]))
			return fail(err, "%s: operand %d is a view with holes or swapped strides",
				name, i);
	if (n_in < 2 || (tensor_same_shape(in[0], in[1]) && in[0]->dtype == in[1]->dtype))
		return 0;
	char left[TENSOR_TEXT], right[TENSOR_TEXT];
	return fail(err, "%s: %s %s and %s %s differ", name, dtype_name(in[0]->dtype),
		tensor_text(in[0], left), dtype_name(in[1]->dtype), tensor_text(in[1], right));
}

/* Launches kernel p, of which steps and name are set, on the operands. */
static int launch_elements(struct ops *o, struct device_pointwise p, const struct tensor *const *in,
	struct tensor *d, struct err *err)
{
	struct tensor made;
	if (ops_new(o, in[0]->dtype, in[0]->rank, in[0]->dim, &made, err))
		return -1;
	p.dtype = made.dtype;
	p.n = tensor_elements(&made);
	p.out = made.memory;
	for (int i = 0; i < p.n_inputs; i++)
		p.in[i] = in[i]->memory;
	if (ops_enqueue_pointwise(o, &p, err)) {
		ops_free(&made);
		return -1;
	}
	*d = made;
	return 0;
}

static int element_op(struct ops *o, const char *name, enum pointwise step, int n_in,
	const struct tensor *const *in, struct tensor *d, struct err *err)
{
	if (elements_fit(name, n_in, in, err))
		return -1;
	if (o->recording)
		return graph_pointwise(o->recording, step, n_in, in, d, err);
	struct device_pointwise p = {.n_steps = 1, .step = {step}, .n_inputs = n_in};
	struct op_scope scope = ops_begin(o, name, n_in, in);
	int rc = launch_elements(o, p, in, d, err);
	ops_end(o, scope);
	return rc;
}

int ops_add(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err)
{
	const struct tensor *in[] = {a, b};
	return element_op(o, "tb::add", POINTWISE_ADD, 2, in, d, err);
}

int ops_mul(struct ops *o, const struct tensor *a, const struct tensor *b, struct tensor *d,
	struct err *err)
{
	const struct tensor *in[] = {a, b};
	return element_op(o, "tb::mul", POINTWISE_MUL, 2, in, d, err);
}

int ops_gelu(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err)
{
	const struct tensor *in[] = {a};
	return element_op(o, "tb::gelu", POINTWISE_GELU_TANH, 1, in, d, err);
}

int ops_square(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err)
{
	const struct tensor *in[] = {a};
	return element_op(o, "tb::square", POINTWISE_SQUARE, 1, in, d, err);
}

int ops_square_by(struct ops *o, const char *op, const char *kernel, const struct tensor *a,
	struct tensor *d, struct err *err)
{
	const struct tensor *in[] = {a};
	if (elements_fit(op, 1, in, err))
		return -1;
	if (o->recording)
		return fail(err, "%s: a hand-written kernel cannot be compiled", op);
	struct device_pointwise p = {
		.n_steps = 1,
		.step = {POINTWISE_SQUARE},
		.n_inputs = 1,
		.generic = true,
		.row = a->dim[a->rank - 1],
		.name = kernel,
	};
	struct op_scope scope = ops_begin(o, op, 1, in);
	int rc = launch_elements(o, p, in, d, err);
	ops_end(o, scope);
	return rc;
}

int ops_geglu_tanh(struct ops *o, const struct tensor *gate, const struct tensor *up,
	struct tensor *d, struct err *err)
{
	const struct tensor *in[] = {gate, up};
	if (elements_fit("tb::geglu_tanh", 2, in, err))
		return -1;
	if (o->recording)
		return fail(err, "tb::geglu_tanh: a hand-written kernel cannot be compiled");
	struct device_pointwise p = {
		.n_steps = 2,
		.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
		.n_inputs = 2,
		.generic = true,
		.row = gate->dim[gate->rank - 1],
		.name = "tracebook_geglu_tanh_generic",
	};
	struct op_scope scope = ops_begin(o, "tb::geglu_tanh", 2, in);
	int rc = launch_elements(o, p, in, d, err);
	ops_end(o, scope);
	return rc;
}

int ops_copy_(struct ops *o, struct tensor *to, const struct tensor *from, struct err *err)
{
	const struct tensor *in[] = {to, from};
	if (elements_fit("tb::copy_", 2, in, err))
		return -1;
	if (o->recording)
		return fail(err, "tb::copy_: overwriting a tensor cannot be compiled");
	struct op_scope scope = ops_begin(o, "tb::copy_", 2, in);
	int rc = ops_enqueue_copy(o, to->memory, from->memory, tensor_bytes(to), err);
	ops_end(o, scope);
	return rc;
}

static struct device_rows rows_of(const struct tensor *t, enum rows_kind what)
{
	return (struct device_rows){
		.what = what,
		.dtype = t->dtype,
		.batch = t->dim[0],
		.rows = t->dim[1],
		.cols = t->dim[2],
		.out = t->memory,
	};
}

static int rows_fit(struct ops *o, const char *name, const struct tensor *a, struct err *err)
{
	if (a->rank != 3)
		return fail(err, "%s: a batch of matrices is wanted, not a tensor of rank %d", name,
			a->rank);
	return o->recording ? fail(err, "%s: it cannot be compiled", name) : 0;
}

/* The kernel `like`, of which what, factor and causal are set, into a new tensor. */
static int rows_op(struct ops *o, const char *name, struct device_rows like, int n_in,
	const struct tensor *const *in, struct tensor *d, struct err *err)
{
	if (rows_fit(o, name, in[0], err))
		return -1;
	struct tensor made;
	struct op_scope scope = ops_begin(o, name, n_in, in);
	int rc = ops_new(o, in[0]->dtype, 3, in[0]->dim, &made, err);
	if (!rc) {
		struct device_rows r = rows_of(&made, like.what);
		r.factor = like.factor;
		r.causal = like.causal;
		for (int i = 0; i < n_in; i++)
			r.in[i] = in[i]->memory;
		rc = ops_enqueue_rows(o, &r, err);
		if (rc)
			ops_free(&made);
		else
			*d = made;
	}
	ops_end(o, scope);
	return rc;
}

int ops_softmax(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err)
{
	const struct tensor *in[] = {a};
	struct device_rows like = {.what = ROWS_SOFTMAX};
	if (elements_fit("tb::softmax", 1, in, err))
		return -1;
	return rows_op(o, "tb::softmax", like, 1, in, d, err);
}

int ops_mul_scalar(
	struct ops *o, const struct tensor *a, float factor, struct tensor *d, struct err *err)
{
	const struct tensor *in[] = {a};
	struct device_rows like = {.what = ROWS_SCALE, .factor = factor};
	if (elements_fit("tb::mul", 1, in, err))
		return -1;
	return rows_op(o, "tb::mul", like, 1, in, d, err);
}

int ops_causal_mask_(struct ops *o, struct tensor *a, struct err *err)
{
	static const char name[] = "tb::masked_fill_";
	const struct tensor *in[] = {a};
	if (elements_fit(name, 1, in, err) || rows_fit(o, name, a, err))
		return -1;
	struct op_scope scope = ops_begin(o, name, 1, in);
	struct device_rows r = rows_of(a, ROWS_MASK);
	int rc = ops_enqueue_rows(o, &r, err);
	ops_end(o, scope);
	return rc;
}

static int copied_and_masked(
	struct ops *o, const struct tensor *a, struct tensor *copy, struct err *err)
{
	if (ops_new(o, a->dtype, a->rank, a->dim, copy, err))
		return -1;
	if (!ops_copy_(o, copy, a, err) && !ops_causal_mask_(o, copy, err))
		return 0;
	ops_free(copy);
	return -1;
}

int ops_causal_mask(struct ops *o, const struct tensor *a, struct tensor *d, struct err *err)
{
	static const char name[] = "tb::masked_fill";
	const struct tensor *in[] = {a};
	if (elements_fit(name, 1, in, err) || rows_fit(o, name, a, err))
		return -1;
	struct tensor copy = {0};
	struct op_scope scope = ops_begin(o, name, 1, in);
	int rc = copied_and_masked(o, a, &copy, err);
	ops_end(o, scope);
	if (!rc)
		*d = copy;
	return rc;
}

static int attention_op(struct ops *o, struct device_rows like, const struct tensor *const *in,
	struct tensor *d, struct err *err)
{
	static const char name[] = "tb::scaled_dot_product_attention";
	if (elements_fit(name, 2, in, err) || elements_fit(name, 2, in + 1, err))
		return -1;
	return rows_op(o, name, like, 3, in, d, err);
}

int ops_attention(struct ops *o, const struct tensor *q, const struct tensor *k,
	const struct tensor *v, struct tensor *d, struct err *err)
{
	struct device_rows like = {.what = ROWS_ATTENTION};
	return attention_op(o, like, (const struct tensor *const[]){q, k, v}, d, err);
}

int ops_causal_attention(struct ops *o, const struct tensor *q, const struct tensor *k,
	const struct tensor *v, float factor, struct tensor *d, struct err *err)
{
	struct device_rows like = {.what = ROWS_ATTENTION, .factor = factor, .causal = true};
	return attention_op(o, like, (const struct tensor *const[]){q, k, v}, d, err);
}
