/* SPDX-License-Identifier: Apache-2.0 */
/* What the graph compiler says about itself: the rows of a call, recompiles and why, replays,
 * hashes. */
#include "tests/unit/compiled_functions.h"

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
		TEST(rows_of_a_call),
		TEST(recompiles),
		TEST(names_what_changed),
		TEST(replay),
		TEST(replay_of_moved_inputs),
		TEST(hash),
		TEST(refused),
		TEST(no_room),
	};
	return cmocka_run_group_tests_name("compile calls", tests, NULL, NULL);
}
