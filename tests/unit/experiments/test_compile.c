/* SPDX-License-Identifier: Apache-2.0 */
/* The graph compiler: what it makes of a function, that the result is the same, and what it says
 * about itself. */
#include "experiments/compile.h"
#include "tests/unit/fake_world.h"

/* ---- functions ---- */

typedef int function_call(struct ops *, const struct tensor *, struct tensor *, struct err *);

/* out = f(g(...)): the steps stop at the first failure, and what lies between is freed. */
static int after(int rc, struct tensor *used)
{
	ops_free(used);
	return rc;
}

static int matmul_add(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_matmul(o, &in[0], &in[1], &t, err))
		return -1;
	return after(ops_add(o, &t, &in[2], out, err), &t);
}

static int add_matmul(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_matmul(o, &in[0], &in[1], &t, err))
		return -1;
	return after(ops_add(o, &in[2], &t, out, err), &t);
}

static int two_products(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err) || ops_mm(o, &in[0], &in[2], &u, err))
		return -1;
	int rc = ops_add(o, &t, &u, out, err);
	return after(after(rc, &t), &u);
}

/* The product is read twice: by both adds. */
static int read_twice(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err) || ops_add(o, &t, &in[2], &u, err))
		return -1;
	int rc = ops_add(o, &u, &t, out, err);
	return after(after(rc, &t), &u);
}

/* gelu(a b + c) a */
static int chain(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0}, v = {0};
	if (ops_mul(o, &in[0], &in[1], &t, err) || ops_add(o, &in[2], &t, &u, err) ||
		ops_gelu(o, &u, &v, err))
		return -1;
	int rc = ops_mul(o, &v, &in[0], out, err);
	return after(after(after(rc, &t), &u), &v);
}

/* Five steps, one more than a kernel takes. */
static int long_chain(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (chain(o, in, &t, err))
		return -1;
	return after(ops_gelu(o, &t, out, err), &t);
}

static int gelu_squared(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_gelu(o, &in[0], &t, err))
		return -1;
	return after(ops_mul(o, &t, &t, out, err), &t);
}

static int four_products(
	struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0}, u = {0}, v = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err) || ops_mm(o, &t, &in[1], &u, err) ||
		ops_mm(o, &u, &in[1], &v, err))
		return -1;
	int rc = ops_mm(o, &v, &in[1], out, err);
	return after(after(after(rc, &t), &u), &v);
}

static int linear(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_linear(o, &in[0], &in[1], &in[2], out, err);
}

static int mlp(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
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

static int identity(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	(void)o;
	(void)err;
	*out = in[1];
	return 0;
}

static int overwrite(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct tensor t = {0};
	if (ops_mm(o, &in[0], &in[1], &t, err))
		return -1;
	*out = t;
	return ops_copy_(o, out, &in[2], err);
}

static int by_hand(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	return ops_geglu_tanh(o, &in[0], &in[1], out, err);
}

static int endless(struct ops *o, const struct tensor *in, struct tensor *out, struct err *err)
{
	for (int i = 0; i < 1000; i++)
		if (ops_mm(o, &in[0], &in[1], out, err))
			return -1;
	return 0;
}

static struct function of(function_call *call, int n_inputs)
{
	return (struct function){
		.n_inputs = n_inputs,
		.input = {{"x", {"rows", "width"}}, {"y", {"width", "size"}},
			{"z", {"size", "size"}}, {"w", {"size", "size"}}},
		.call = call,
	};
}

/* ---- the result is the same ---- */

static void expect_same(const struct tensor *a, const struct tensor *b)
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
static void expect_program(struct world *w, function_call *call, const char *expected)
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

static void test_product_and_add(void **state)
{
	const char *expected = "inputs 4\n"
			       "buffer %4 36 bytes\n"
			       "copy 36 bytes %4 = %2\n"
			       "gemm fp32 batch=1 d+=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
			       "b=%1[3,3 +0 by 0,3,1]\n"
			       "return %4 fp32 3x3\n";
	expect_program(*state, matmul_add, expected);
	expect_program(*state, add_matmul, expected);
}

static void test_two_products_and_add(void **state)
{
	expect_program(*state, two_products,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%2[3,3 +0 by 0,3,1]\n"
		"copy 36 bytes %5 = %4\n"
		"gemm fp32 batch=1 d+=%5[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"return %5 fp32 3x3\n");
}

static void test_product_read_twice(void **state)
{
	expect_program(*state, read_twice,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"pointwise fp32 n=9 %5 = add add %4 %2 %4\n"
		"return %5 fp32 3x3\n");
}

static void test_chain(void **state)
{
	expect_program(*state, chain,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"pointwise fp32 n=9 %4 = mul add gelu_tanh mul %0 %1 %2 %0\n"
		"return %4 fp32 3x3\n");
	expect_program(*state, long_chain,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"pointwise fp32 n=9 %4 = mul add gelu_tanh mul %0 %1 %2 %0\n"
		"pointwise fp32 n=9 %5 = gelu_tanh %4\n"
		"return %5 fp32 3x3\n");
	expect_program(*state, gelu_squared,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"pointwise fp32 n=9 %4 = gelu_tanh %0\n"
		"pointwise fp32 n=9 %5 = mul %4 %4\n"
		"return %5 fp32 3x3\n");
}

static void test_buffers_are_used_again(void **state)
{
	struct world *w = *state;
	expect_program(w, four_products,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"gemm fp32 batch=1 d=%5[3,3 +0 by 0,3,1] a=%4[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%5[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"gemm fp32 batch=1 d=%5[3,3 +0 by 0,3,1] a=%4[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,3,1]\n"
		"return %5 fp32 3x3\n");
}

static void test_mlp(void **state)
{
	expect_program(*state, mlp,
		"inputs 4\n"
		"buffer %4 36 bytes\n"
		"buffer %5 36 bytes\n"
		"buffer %6 36 bytes\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%1[3,3 +0 by 0,1,3]\n"
		"gemm fp32 batch=1 d=%5[3,3 +0 by 0,3,1] a=%0[3,3 +0 by 0,3,1] "
		"b=%2[3,3 +0 by 0,1,3]\n"
		"pointwise fp32 n=9 %6 = gelu_tanh mul %4 %5\n"
		"gemm fp32 batch=1 d=%4[3,3 +0 by 0,3,1] a=%6[3,3 +0 by 0,3,1] "
		"b=%3[3,3 +0 by 0,1,3]\n"
		"return %4 fp32 3x3\n");
}

static void test_nothing_to_do(void **state)
{
	expect_program(*state, identity, "inputs 4\nreturn %1 fp32 3x3\n");
}

static void test_linear(void **state)
{
	struct world *w = *state;
	struct function f = of(linear, 3);
	struct tensor in[] = {counting(w, 3, DIM(2, 2, 3), 1), counting(w, 2, DIM(4, 3), -1),
		counting(w, 1, DIM(4), 5)};
	struct tensor eager, out;
	struct compiled c;
	compiled_init(&c, &w->ops, &f, false);
	assert_int_equal(compiled_call(&c, in, &out, &w->err), 0);
	assert_int_equal(linear(&w->ops, in, &eager, &w->err), 0);
	expect_same(&eager, &out);
	assert_string_equal(compiled_program(&c)->text,
		"inputs 3\n"
		"buffer %3 64 bytes\n"
		"gemm fp32 batch=1 d=%3[4,4 +0 by 0,4,1] a=%0[4,3 +0 by 0,3,1] "
		"b=%1[3,4 +0 by 0,1,3] addend=%2[1,4 +0 by 0,4,1]\n"
		"return %3 fp32 2x2x4\n");
	compiled_release(&c);
}

/* ---- what it says about itself ---- */

struct scene {
	struct function f;
	struct compiled c;
	struct tensor in[3];
};

static void scene_begin(struct scene *s, struct world *w, bool replay, int64_t rows)
{
	s->f = (struct function){
		.n_inputs = 3,
		.input = {{"x", {"rows", "width"}}, {"weight", {"out", "width"}},
			{"bias", {"out"}}},
		.call = linear,
	};
	s->in[0] = counting(w, 2, DIM(rows, 3), 1);
	s->in[1] = counting(w, 2, DIM(4, 3), -1);
	s->in[2] = counting(w, 1, DIM(4), 5);
	compiled_init(&s->c, &w->ops, &s->f, replay);
}

static void call(struct scene *s, struct world *w)
{
	struct tensor out;
	assert_int_equal(compiled_call(&s->c, s->in, &out, &w->err), 0);
}

static void test_rows_of_a_call(void **state)
{
	struct world *w = *state;
	struct scene s;
	scene_begin(&s, w, false, 64);
	call(&s, w);
	expect_rows(w,
		"cache lookup\n"
		"~ graph compile\n"
		"  ~ record\n"
		"  ~ fuse\n"
		"  ~ plan\n"
		"    ~ allocate 1024 bytes\n"
		"  ~ make kernels\n"
		"compiled region 0/0\n"
		"  call graph #\n"
		"    > gemm\n");
	compiled_release(&s.c);
}

static void test_recompiles(void **state)
{
	struct world *w = *state;
	struct scene s;
	scene_begin(&s, w, false, 64);
	call(&s, w);
	w->recorder.n = 0;
	call(&s, w);
	expect_rows(w,
		"cache lookup\nguard check\n"
		"compiled region 0/0\n  call graph #\n    > gemm\n");
	struct tensor wide = s.in[0];
	s.in[0] = counting(w, 2, DIM(32, 3), 1);
	call(&s, w);
	expect_rows(w,
		"cache lookup\n"
		"~ recompile: rows 64 -> 32\n"
		"  ~ graph compile\n"
		"    ~ record\n"
		"    ~ fuse\n"
		"    ~ plan\n"
		"      ~ allocate 512 bytes\n"
		"    ~ make kernels\n"
		"compiled region 0/1\n  call graph #\n    > gemm\n");
	struct tensor narrow = s.in[0];
	s.in[0] = wide;
	call(&s, w); /* both programs are kept */
	expect_rows(w,
		"cache lookup\nguard check\n"
		"compiled region 0/0\n  call graph #\n    > gemm\n");
	assert_int_equal(s.c.n_compiled, 2);
	assert_null(strstr(w->device->log, "graph free")); /* it may wait for the queue */
	ops_free(&narrow);
	compiled_release(&s.c);
}

static void test_names_what_changed(void **state)
{
	struct world *w = *state;
	struct scene s;
	scene_begin(&s, w, false, 64);
	call(&s, w);
	s.in[0] = counting(w, 2, DIM(8, 5), 1);
	s.in[1] = counting(w, 2, DIM(4, 5), 1);
	w->recorder.n = 0;
	call(&s, w);
	assert_string_equal(w->recorder.span[1].name, "recompile: rows 64 -> 8, width 3 -> 5");
	s.in[1] = tensor_transposed(&s.in[1]);
	s.in[1].dim[0] = 4;
	s.in[1].dim[1] = 5;
	w->recorder.n = 0;
	call(&s, w);
	assert_string_equal(w->recorder.span[1].name, "recompile: the inputs' layout");
	compiled_release(&s.c);
}

static void test_replay(void **state)
{
	struct world *w = *state;
	struct scene s;
	scene_begin(&s, w, true, 64);
	call(&s, w);
	expect_calls(w,
		"alloc 1024\n"
		"capture begin\n"
		"gemm fp32 1x 64x4x3 b transposed addend row\n"
		"capture end\n"
		"graph launch of 1\n");
	w->recorder.n = 0;
	call(&s, w);
	expect_rows(w,
		"cache lookup\nguard check\n"
		"compiled region 0/0\n  replay graph #\n    > graph launch\n");
	expect_calls(w, "graph launch of 1\n");
	compiled_release(&s.c);
}

static void test_replay_of_moved_inputs(void **state)
{
	struct world *w = *state;
	struct scene s;
	struct tensor out, eager;
	scene_begin(&s, w, true, 64);
	call(&s, w);
	s.in[2] = counting(w, 1, DIM(4), 100);
	w->recorder.n = 0;
	assert_int_equal(compiled_call(&s.c, s.in, &out, &w->err), 0);
	expect_rows(w,
		"cache lookup\nguard check\n~ capture graph\n"
		"compiled region 0/0\n  replay graph #\n    > graph launch\n");
	assert_int_equal(linear(&w->ops, s.in, &eager, &w->err), 0);
	expect_same(&eager, &out);
	assert_int_equal(s.c.n_compiled, 1);
	compiled_release(&s.c);
}

static void test_hash(void **state)
{
	struct world *w = *state;
	struct scene s, again, other;
	scene_begin(&s, w, false, 64);
	scene_begin(&again, w, false, 64);
	scene_begin(&other, w, false, 63);
	call(&s, w);
	call(&again, w);
	call(&other, w);
	uint64_t hash = compiled_program(&s.c)->hash;
	assert_true(hash == compiled_program(&again.c)->hash);
	assert_true(hash != compiled_program(&other.c)->hash);
	/* The same in every process: it is FNV-1a of the text, worked out apart from this code. */
	assert_true(hash == UINT64_C(0x6616a83548c6458d));
	assert_int_equal(other.c.frame, 2);
	compiled_release(&s.c);
	compiled_release(&again.c);
	compiled_release(&other.c);
}

static void expect_refused(struct world *w, function_call *f, const char *message)
{
	struct scene s;
	struct tensor out;
	scene_begin(&s, w, false, 3);
	s.f.call = f;
	s.in[1] = counting(w, 2, DIM(3, 3), 1);
	s.in[0] = counting(w, 2, DIM(3, 3), 1);
	s.in[2] = counting(w, 2, DIM(3, 3), 1);
	assert_int_equal(compiled_call(&s.c, s.in, &out, &w->err), -1);
	assert_string_equal(w->err.text, message);
	assert_null(w->ops.recording);
	assert_null(compiled_program(&s.c));
	w->err = (struct err){0};
	compiled_release(&s.c);
}

static void test_refused(void **state)
{
	expect_refused(*state, overwrite, "tb::copy_: overwriting a tensor cannot be compiled");
	expect_refused(*state, by_hand, "tb::geglu_tanh: a hand-written kernel cannot be compiled");
	expect_refused(*state, endless, "the step has more than 64 operators: too many to compile");
}

static void test_no_room(void **state)
{
	struct world *w = *state;
	struct scene s;
	struct tensor out;
	scene_begin(&s, w, false, 64);
	w->device->fail_alloc_after = w->device->allocations;
	assert_int_equal(compiled_call(&s.c, s.in, &out, &w->err), -1);
	assert_string_equal(w->err.text, "the fake device has no room for 1024 bytes");
	w->device->fail_alloc_after = 0;
	w->err = (struct err){0};
	call(&s, w);
	compiled_release(&s.c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(product_and_add),
		TEST(two_products_and_add),
		TEST(product_read_twice),
		TEST(chain),
		TEST(buffers_are_used_again),
		TEST(mlp),
		TEST(nothing_to_do),
		TEST(linear),
		TEST(rows_of_a_call),
		TEST(recompiles),
		TEST(names_what_changed),
		TEST(replay),
		TEST(replay_of_moved_inputs),
		TEST(hash),
		TEST(refused),
		TEST(no_room),
	};
	return cmocka_run_group_tests_name("compile", tests, NULL, NULL);
}
