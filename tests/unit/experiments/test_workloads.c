/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads: what a step does in every mode, the checks, the shapes. */
#include "experiments/prepared_case.h"
#include "tests/unit/cases.h"
#include "tests/unit/fake_world.h"

static struct bench bench_of(struct world *w, const struct case_spec *spec)
{
	return (struct bench){
		.ops = &fake_device,
		.device = w->device,
		.recorder = &w->recorder,
		.arena = &w->arena,
		.names = &w->names,
		.spec = spec,
	};
}

static void prepare(struct bench *b, struct world *w)
{
	w->recorder.on = false;
	if (workload_find(b->spec->workload)->prepare(b, &w->err))
		fail_msg("%s", w->err.text);
	w->recorder.on = true;
	w->device->log[0] = '\0';
}

static void step(struct bench *b, struct world *w, long number)
{
	if (workload_find(b->spec->workload)->step(b, number, &w->err))
		fail_msg("%s", w->err.text);
}

static void release(struct bench *b, struct world *w)
{
	workload_find(b->spec->workload)->release(b);
	assert_null(b->state);
	assert_int_equal(w->device->alive, 0);
}

/* The rows of a warm step, and the device calls of it. */
static void expect_step(struct world *w, struct case_spec spec, const char *rows, const char *calls)
{
	struct bench b = bench_of(w, &spec);
	prepare(&b, w);
	step(&b, w, 0);
	w->recorder.n = 0;
	w->device->log[0] = '\0';
	step(&b, w, 1);
	expect_rows(w, rows);
	expect_calls(w, calls);
	release(&b, w);
}

/* ---- what a step does ---- */

static void test_matmul_add(void **state)
{
	expect_step(*state, square,
		"tb::matmul\n"
		"  tb::mm\n"
		"    > gemm\n"
		"tb::add\n"
		"  > pointwise\n",
		"gemm bf16 1x 24x24x24\n"
		"pointwise 576 add \n");
	expect_step(*state, in_mode(square, MODE_COMPILE),
		"cache lookup\n"
		"guard check\n"
		"compiled region 0/0\n"
		"  call graph #\n"
		"    > copy\n"
		"    > gemm\n",
		"copy 1152\n"
		"gemm bf16 1x 24x24x24 accumulate\n");
	expect_step(*state, in_mode(square, MODE_FUSED),
		"tb::addmm_epilogue\n"
		"  > gemm\n",
		"gemm bf16 1x 24x24x24 addend\n");
	expect_step(*state, in_mode(square, MODE_GRAPH),
		"cache lookup\n"
		"guard check\n"
		"compiled region 0/0\n"
		"  replay graph #\n"
		"    > graph launch\n",
		"graph launch of 2\n");
}

static void test_addmm(void **state)
{
	expect_step(*state, named(square, "addmm"),
		"tb::addmm\n"
		"  tb::copy_\n"
		"    > copy\n"
		"  > gemm\n",
		"copy 1152\n"
		"gemm bf16 1x 24x24x24 accumulate\n");
}

static void test_bmm_add(void **state)
{
	expect_step(*state, batched,
		"tb::matmul\n"
		"  tb::bmm\n"
		"    > gemm\n"
		"tb::add\n"
		"  > pointwise\n",
		"gemm bf16 3x 12x12x12\n"
		"pointwise 432 add \n");
}

static void test_linear(void **state)
{
	const char *calls = "gemm bf16 1x 16x4x8 b transposed addend row\n";
	expect_step(*state, layer,
		"tb::linear\n"
		"  tb::t\n"
		"  tb::addmm\n"
		"    > gemm\n",
		calls);
	expect_step(*state, in_mode(layer, MODE_COMPILE),
		"cache lookup\n"
		"guard check\n"
		"compiled region 0/0\n"
		"  call graph #\n"
		"    > gemm\n",
		calls);
}

#define LINEAR_ROWS \
	"tb::linear\n" \
	"  tb::t\n" \
	"  tb::matmul\n" \
	"    tb::view\n" \
	"    tb::mm\n" \
	"      > gemm\n" \
	"    tb::view\n"
#define UP_CALL "gemm bf16 1x 8x16x8 b transposed\n"
#define DOWN_CALL "gemm bf16 1x 8x8x16 b transposed\n"

static void test_mlp(void **state)
{
	expect_step(*state, mlp,
		LINEAR_ROWS LINEAR_ROWS "tb::gelu\n"
					"  > pointwise\n"
					"tb::mul\n"
					"  > pointwise\n" LINEAR_ROWS,
		UP_CALL UP_CALL "pointwise 128 gelu \npointwise 128 mul \n" DOWN_CALL);
	expect_step(*state, in_mode(mlp, MODE_COMPILE),
		"cache lookup\n"
		"guard check\n"
		"compiled region 0/0\n"
		"  call graph #\n"
		"    > gemm\n"
		"    > gemm\n"
		"    > pointwise\n"
		"    > gemm\n",
		UP_CALL UP_CALL "pointwise 128 gelu mul \n" DOWN_CALL);
	expect_step(*state, in_mode(mlp, MODE_HANDWRITTEN),
		LINEAR_ROWS LINEAR_ROWS "tb::geglu_tanh\n"
					"  > pointwise\n" LINEAR_ROWS,
		UP_CALL UP_CALL
		"pointwise 128 gelu mul generic tracebook_geglu_tanh_generic\n" DOWN_CALL);
	expect_step(*state, in_mode(mlp, MODE_GRAPH),
		"cache lookup\n"
		"guard check\n"
		"compiled region 0/0\n"
		"  replay graph #\n"
		"    > graph launch\n",
		"graph launch of 4\n");
}

static void test_attention(void **state)
{
	expect_step(*state, heads,
		"tb::transpose\n"
		"tb::matmul\n"
		"  tb::bmm\n"
		"    > gemm\n"
		"tb::softmax\n"
		"  > rows\n"
		"tb::matmul\n"
		"  tb::bmm\n"
		"    > gemm\n",
		"gemm bf16 3x 6x6x4 b transposed\n"
		"softmax bf16 3x 6x6\n"
		"gemm bf16 3x 6x4x6\n");
	expect_step(*state, in_mode(heads, MODE_FUSED),
		"tb::scaled_dot_product_attention\n"
		"  > rows\n",
		"attention bf16 3x 6x4\n");
}

static void test_cold_steps_allocate(void **state)
{
	struct world *w = *state;
	struct bench b = bench_of(w, &square);
	prepare(&b, w);
	step(&b, w, 0);
	expect_rows(w,
		"tb::matmul\n"
		"  tb::mm\n"
		"    ~ allocate 1536 bytes\n"
		"    > gemm\n"
		"tb::add\n"
		"  ~ allocate 1536 bytes\n"
		"  > pointwise\n");
	release(&b, w);
}

/* ---- another batch halfway ---- */

static int count(const struct world *w, const char *name)
{
	int n = 0;
	for (size_t i = 0; i < w->recorder.n; i++)
		n += !strncmp(w->recorder.span[i].name, name, strlen(name));
	return n;
}

static void test_then_batch(void **state)
{
	struct world *w = *state;
	struct case_spec spec = in_mode(mlp, MODE_COMPILE);
	spec.then_batch = 2;
	spec.schedule = (struct schedule){1, 1, 3, 2}; /* steps 2, 3 and then 4; 7, 8 and 9 */
	struct bench b = bench_of(w, &spec);
	prepare(&b, w);
	step(&b, w, -3); /* warm calls come before step 0 */
	for (long i = 0; i < 4; i++)
		step(&b, w, i);
	assert_int_equal(count(w, "graph compile"), 1);
	w->device->log[0] = '\0';
	step(&b, w, 4);
	assert_int_equal(count(w, "recompile: batch 4 -> 2"), 1);
	assert_non_null(strstr(w->device->log, "gemm bf16 1x 4x16x8 b transposed\n"));
	for (long i = 5; i < 10; i++)
		step(&b, w, i);
	assert_int_equal(count(w, "graph compile"), 2);
	assert_int_equal(count(w, "compiled region 0/0"), 8 + 1);
	assert_int_equal(count(w, "compiled region 0/1"), 2);
	release(&b, w);
}

static void test_then_batch_elsewhere(void **state)
{
	struct world *w = *state;
	const enum mode modes[] = {MODE_EAGER, MODE_HANDWRITTEN, MODE_GRAPH};
	for (int m = 0; m < 3; m++) {
		struct case_spec spec = in_mode(mlp, modes[m]);
		spec.then_batch = 2;
		struct bench b = bench_of(w, &spec);
		prepare(&b, w);
		w->recorder.n = 0;
		for (long i = 0; i < 4; i++)
			step(&b, w, i);
		bool captures = modes[m] == MODE_GRAPH;
		assert_int_equal(count(w, "capture graph"), captures ? 2 : 0);
		assert_int_equal(count(w, "recompile"), captures ? 1 : 0);
		release(&b, w);
	}
}

/* ---- the check ---- */

static void test_check(void **state)
{
	struct world *w = *state;
	struct cases all = all_cases();
	assert_int_equal(all.n, 5 + 1 + 1 + 3 + 5 + 2);
	for (int i = 0; i < 2 * all.n; i++) {
		struct case_spec spec = all.spec[i / 2];
		spec.dtype = i % 2 ? DTYPE_F32 : DTYPE_BF16;
		if (spec.batch)
			spec.then_batch = spec.batch + 1;
		struct bench b = bench_of(w, &spec);
		double error = -1;
		if (workload_find(spec.workload)->check(&b, &error, &w->err))
			fail_msg("%s", w->err.text);
		if (!(error < (i % 2 ? 1e-6 : 5e-3)))
			fail_msg("%s %s: error %g", spec.workload, mode_name(spec.mode), error);
		assert_int_equal(w->device->alive, 0);
		assert_int_equal(w->recorder.n, 0);
		assert_true(w->recorder.on);
		assert_null(b.state);
	}
}

/* A device that forgets the addend is found out wherever there is one, as is one without a softmax.
 */
static void test_check_sees_a_wrong_device(void **state)
{
	struct world *w = *state;
	struct cases all = all_cases();
	w->device->wrong = true;
	for (int i = 0; i < all.n; i++) {
		const struct case_spec *spec = &all.spec[i];
		struct bench b = bench_of(w, spec);
		double error = -1;
		assert_int_equal(workload_find(spec->workload)->check(&b, &error, &w->err), 0);
		bool adds_apart = !strcmp(spec->workload, "geglu_mlp") ||
			(spec->mode == MODE_EAGER && strstr(spec->workload, "_add"));
		assert_int_equal(error > 0.05, !adds_apart);
	}
}

static void test_check_does_not_touch_the_timed_shape(void **state)
{
	struct world *w = *state;
	struct case_spec spec = square;
	spec.size = 33;
	struct bench b = bench_of(w, &spec);
	double error;
	assert_int_equal(workload_find("matmul_add")->check(&b, &error, &w->err), 0);
	assert_null(strstr(w->device->log, "33x33"));
	assert_non_null(strstr(w->device->log, "gemm"));
}

static void test_no_room(void **state)
{
	struct world *w = *state;
	struct cases all = all_cases();
	for (int i = 0; i < all.n; i++)
		for (int room = 1; room < 12; room++) {
			struct bench b = bench_of(w, &all.spec[i]);
			w->device->allocations = 0;
			w->device->fail_alloc_after = room;
			double error;
			int rc = workload_find(all.spec[i].workload)->check(&b, &error, &w->err);
			assert_int_equal(rc, w->err.set ? -1 : 0);
			rc = workload_find(all.spec[i].workload)->prepare(&b, &w->err);
			assert_int_equal(rc, w->err.set ? -1 : 0);
			if (!rc)
				workload_find(all.spec[i].workload)->release(&b);
			assert_int_equal(w->device->alive, 0);
			w->err = (struct err){0};
		}
}

/* ---- shapes ---- */

static void expect_bad(struct case_spec spec, const char *message)
{
	struct err err = {0};
	assert_int_equal(workload_find(spec.workload)->shape_ok(&spec, &err), -1);
	assert_string_equal(err.text, message);
}

/* The case with one field changed. */
#define WITH(spec, field, value) \
	({ \
		struct case_spec changed = (spec); \
		changed.field = (value); \
		changed; \
	})

static void test_shape_ok(void **state)
{
	(void)state;
	struct cases all = all_cases();
	struct err err = {0};
	for (int i = 0; i < all.n; i++)
		assert_int_equal(
			workload_find(all.spec[i].workload)->shape_ok(&all.spec[i], &err), 0);
	expect_bad(WITH(mlp, hidden, 0), "geglu_mlp: \"hidden\" is missing");
	expect_bad(WITH(square, size, -4), "matmul_add: \"size\" must be at least 1, not -4");
	expect_bad(WITH(square, size, 1L << 40),
		"matmul_add: \"size\" must be at most 1073741824, not 1099511627776");
	expect_bad(WITH(square, size, 1L << 30),
		"matmul_add: its tensors take 1.15e+19 bytes, "
		"more than 1e+12: choose smaller sizes");
	expect_bad(WITH(square, hidden, 5),
		"matmul_add: \"hidden\" means nothing here; its sizes are \"size\"");
	expect_bad(in_mode(layer, MODE_GRAPH),
		"linear has no mode \"graph\"; it knows eager, compile, autotune");
	expect_bad(WITH(square, then_batch, 5),
		"matmul_add: \"then_batch\" means nothing without a \"batch\"");
	expect_bad(WITH(mlp, then_batch, 4),
		"geglu_mlp: \"then_batch\" must differ from \"batch\", not be 4 too");
	expect_bad(
		WITH(mlp, then_batch, -1), "geglu_mlp: \"then_batch\" must be at least 1, not -1");
	struct case_spec brief = WITH(mlp, then_batch, 2);
	brief.schedule.active = 1;
	expect_bad(brief, "geglu_mlp: \"then_batch\" needs at least 2 active steps, not 1");
	assert_null(workload_find("matmul"));
}

static void test_flop_and_bytes(void **state)
{
	(void)state;
	const struct case_spec big = WITH(square, size, 4096);
	const struct workload *w = workload_find("matmul_add");
	assert_true(w->flop(&big) == 2.0 * 4096 * 4096 * 4096 + 4096.0 * 4096);
	assert_true(w->bytes(&big) == 5.0 * 4096 * 4096 * 2);
	struct case_spec fused = in_mode(big, MODE_FUSED);
	fused.dtype = DTYPE_F32;
	assert_true(w->bytes(&fused) == 4.0 * 4096 * 4096 * 4);
	assert_true(workload_find("bmm_add")->flop(&batched) == 3.0 * (2 * 12 * 12 * 12 + 144));
	assert_true(workload_find("linear")->flop(&layer) == 2.0 * 16 * 8 * 4 + 16 * 4);
	/* gate, up, down; gelu 9 and the product 1 per element */
	assert_true(workload_find("geglu_mlp")->flop(&mlp) == 3 * 2.0 * 8 * 8 * 16 + 8 * 16 * 10);
	/* x, y; gate, up, gelu, h; three weights; 2 bytes each */
	assert_true(workload_find("geglu_mlp")->bytes(&mlp) ==
		2.0 * (2 * 8 * 8 + 4 * 8 * 16 + 3 * 8 * 16));
}

static void test_shrink(void **state)
{
	(void)state;
	struct case_spec s = WITH(square, size, 3);
	const struct workload *w = workload_find("geglu_mlp");
	assert_true(workload_find("matmul_add")->shrink(&s));
	assert_int_equal(s.size, 1);
	assert_false(workload_find("matmul_add")->shrink(&s));
	s = WITH(mlp, then_batch, 2);
	assert_true(w->shrink(&s));
	assert_int_equal(s.batch, 2);
	assert_int_equal(s.then_batch, 1);
	assert_true(w->shrink(&s)); /* two batches must stay two: seq halves */
	assert_int_equal(s.batch, 2);
	assert_int_equal(s.seq, 1);
	struct err err = {0};
	int times = 0;
	for (; w->shrink(&s); times++)
		assert_int_equal(w->shape_ok(&s, &err), 0);
	assert_int_equal(times, 4 + 3); /* hidden 16 and dim 8, down to 1 */
	assert_int_equal(s.hidden * s.dim, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(matmul_add),
		TEST(addmm),
		TEST(bmm_add),
		TEST(linear),
		TEST(mlp),
		TEST(attention),
		TEST(cold_steps_allocate),
		TEST(then_batch),
		TEST(then_batch_elsewhere),
		TEST(check),
		TEST(check_sees_a_wrong_device),
		TEST(check_does_not_touch_the_timed_shape),
		TEST(no_room),
		cmocka_unit_test(test_shape_ok),
		cmocka_unit_test(test_flop_and_bytes),
		cmocka_unit_test(test_shrink),
	};
	return cmocka_run_group_tests_name("workloads", tests, NULL, NULL);
}
