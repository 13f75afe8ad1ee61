/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiled_functions.h - functions for the graph compiler to compile, and what it must make of
 * them.
 */
#ifndef TESTS_UNIT_COMPILED_FUNCTIONS_H
#define TESTS_UNIT_COMPILED_FUNCTIONS_H

#include "experiments/graph_compiler.h"
#include "tests/unit/fake_world.h"

/* ---- functions ---- */

typedef int function_call(struct ops *, const struct tensor *, struct tensor *, struct err *);

/* out = f(g(...)): the steps stop at the first failure, and what lies between is freed. */
static inline int after(int rc, struct tensor *used)
{
	ops_free(used);
	return rc;
}

static inline int matmul_add(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_matmul(o, &in[0], &in[1], &t, err))
		return -1;
	return after(ops_add(o, &t, &in[2], out, err), &t);
}

static inline int add_matmul(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_matmul(o, &in[0], &in[1], &t, err))
		return -1;
	return after(ops_add(o, &in[2], &t, out, err), &t);
}

static inline int two_products(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err) || ops_mm(o, &in[0], &in[2], &u, err))
		return -1;
	int rc = ops_add(o, &t, &u, out, err);
	return after(after(rc, &t), &u);
}

/* The product is read twice: by both adds. */
static inline int read_twice(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err) || ops_add(o, &t, &in[2], &u, err))
		return -1;
	int rc = ops_add(o, &u, &t, out, err);
	return after(after(rc, &t), &u);
}

/* gelu(a b + c) a */
static inline int chain(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0}, v = {0};
	if (ops_mul(o, &in[0], &in[1], &t, err) || ops_add(o, &in[2], &t, &u, err) ||
		ops_gelu(o, &u, &v, err))
		return -1;
	int rc = ops_mul(o, &v, &in[0], out, err);
	return after(after(after(rc, &t), &u), &v);
}

/* Five steps, one more than a kernel takes. */
static inline int long_chain(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (chain(o, in, &t, err))
		return -1;
	return after(ops_gelu(o, &t, out, err), &t);
}

static inline int gelu_squared(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_gelu(o, &in[0], &t, err))
		return -1;
	return after(ops_mul(o, &t, &t, out, err), &t);
}

static inline int four_products(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0}, v = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err) || ops_mm(o, &t, &in[1], &u, err) ||
		ops_mm(o, &u, &in[1], &v, err))
		return -1;
	int rc = ops_mm(o, &v, &in[1], out, err);
	return after(after(after(rc, &t), &u), &v);
}

static inline int linear(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_linear(o, &in[0], &in[1], &in[2], out, err);
}

static inline int mlp(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor gate = {0}, up = {0}, g = {0}, h = {0};
	int rc = ops_linear(o, &in[0], &in[1], NULL, &gate, err) ||
			ops_linear(o, &in[0], &in[2], NULL, &up, err) ||
			ops_gelu(o, &gate, &g, err) || ops_mul(o, &g, &up, &h, err) ||
			ops_linear(o, &h, &in[3], NULL, out, err)
		? -1
		: 0;
	return after(after(after(after(rc, &gate), &up), &g), &h);
}

static inline int identity(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	(void)o;
	(void)err;
	*out = in[1];
	return 0;
}

static inline int overwrite(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err))
		return -1;
	*out = t;
	return ops_copy_(o, out, &in[2], err);
}

static inline int by_hand(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_geglu_tanh(o, &in[0], &in[1], out, err);
}

static inline int endless(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	for (int i = 0; i < 1000; i++)
		if (ops_mm(o, &in[0], &in[1], out, err))
			return -1;
	return 0;
}

static inline struct function of(function_call *call, int n_inputs)
{
	return (struct function){
		.n_inputs = n_inputs,
		.input = {{"x", {"rows", "width"}}, {"y", {"width", "size"}},
			{"z", {"size", "size"}}, {"w", {"size", "size"}}},
		.call = call,
	};
}

/* ---- the result is the same ---- */

static inline void expect_same(const struct tensor *a, const struct tensor *b)
{
	assert_true(tensor_same_layout(a, b));
	for (int64_t i = 0; i < tensor_elements(a); i++) {
		double x = fake_load(a->memory, a->dtype, i), y = fake_load(b->memory, b->dtype, i);
		if (!(fabs(x - y) <= 1e-5 * (fabs(x) + 1)))
			fail_msg("element %d: %g eagerly, %g compiled", (int)i, x, y);
	}
}

/* Runs a function eagerly, compiled (twice: the second call goes through the guard) and replayed;
 * the program must be `expected`. Everything is square. */
static inline void expect_program(struct world *w, function_call *call, const char *expected)
{
	struct function f = of(call, 4);
	struct tensor in[4], out[3];
	struct compiled launched, replayed;
	w->recorder.on = false;
	for (int i = 0; i < 4; i++)
		in[i] = counting(w, 2, DIM(3, 3), -0.9 + 0.1 * i);
	compiled_init(&launched, &w->ops, &f, false);
	compiled_init(&replayed, &w->ops, &f, true);
	assert_int_equal(f.call(&w->ops, in, &out[0], &w->err), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(compiled_call(&launched, in, &out[1], &w->err), 0);
		expect_same(&out[0], &out[1]);
		assert_int_equal(compiled_call(&replayed, in, &out[2], &w->err), 0);
		expect_same(&out[0], &out[2]);
	}
	assert_string_equal(compiled_program(&launched)->text, expected);
	compiled_release(&launched);
	compiled_release(&replayed);
}

#endif
