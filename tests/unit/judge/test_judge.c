/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts: each expectation of the matrix kept, broken and open, on made traces. */
#include "tests/unit/judge_world.h"

#include <math.h>

static void counts_and_order_kept(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w,
		"{\"step\": [\"gemm\", \"add\"], \"kernels\": 2, \"copies\": 0, "
		"\"launches\": 2}");
	assert_int_equal(w.all.kept, 4);
	assert_verdict(&w.v[0], VERDICT_KEPT, "gemm, add", "gemm, add");
	assert_verdict(&w.v[1], VERDICT_KEPT, "2", "2");
	assert_int_equal(w.v[0].step, NO_ROW);
	assert_int_equal(w.v[0].element, NO_ROW);
	assert_int_equal(w.v[1].n_evidence, 2);
	assert_int_equal(w.v[1].evidence[0], made_find(&w.cases[0].made.trace, "brg matmul", 1));
	release(&w);
}

static void counts_and_order_broken(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	w.cases[0].work[2][2] = "jit gelu_tanh";
	judge_text(&w,
		"{\"step\": [\"gemm\", \"add\"], \"kernels\": 2, \"launches\": 2, "
		"\"copies\": 1}");
	assert_int_equal(w.all.broken, 4);
	assert_verdict(&w.v[0], VERDICT_BROKEN, "gemm, add", "gemm, add, gelu");
	assert_int_equal(w.v[0].step, 2);
	assert_int_equal(w.v[0].element, 2);
	assert_verdict(&w.v[1], VERDICT_BROKEN, "2",
		"2\xe2\x80\x93"
		"3");
	assert_int_equal(w.v[1].step, 2);
	assert_int_equal(w.v[1].n_evidence, 3);
	assert_verdict(&w.v[3], VERDICT_BROKEN, "1", "0");
	release(&w);
}

/* What the first step does is not steady. */
static void the_first_step_may_differ(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	w.cases[0].work[0][2] = "jit add";
	judge_text(&w, "{\"step\": [\"gemm\", \"add\"], \"kernels\": 2}");
	assert_int_equal(w.all.kept, 2);
	release(&w);
}

static void a_missing_element_breaks(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w, "{\"step\": [\"gemm\", \"add\", \"copy\"]}");
	assert_verdict(&w.v[0], VERDICT_BROKEN, "gemm, add, copy", "gemm, add");
	assert_int_equal(w.v[0].step, 1);
	assert_int_equal(w.v[0].element, 2);
	release(&w);
}

static void split_k_counts_with_its_gemm(void **state)
{
	(void)state;
	struct world w = {.cases[0] = {.id = "x", .kernel_us = 4, .step_us = {100, 100}}};
	for (int i = 0; i < 2; i++) {
		w.cases[0].work[i][0] = "nvjet_tst_64x64_splitK_TNN";
		w.cases[0].work[i][1] = "void cublasLt::splitKreduce_kernel<32>";
		w.cases[0].work[i][2] = "something_else";
	}
	judge_text(&w, "{\"step\": [\"gemm\", \"other\"], \"kernels\": 2, \"launches\": 2}");
	assert_int_equal(w.all.kept, 3);
	release(&w);
}

static void a_counter_is_cleared_for_a_gemm(void **state)
{
	(void)state;
	static const char wanted[] =
		"{\"step\": [\"gemm\", \"add\"], \"kernels\": 2, \"launches\": 2}";
	struct world w = {.cases[0] = {.id = "x", .kernel_us = 4, .step_us = {100, 100}}};
	for (int i = 0; i < 2; i++) {
		w.cases[0].region[i] = "aten::mm";
		w.cases[0].work[i][0] = "0";
		w.cases[0].work[i][1] = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT";
		w.cases[0].work[i][2] = "jit add";
	}
	struct world big = w, apart = w;
	judge_text(&w, wanted);
	assert_verdict(&w.v[0], VERDICT_KEPT, "gemm, add", "gemm (+ fill), add");
	assert_int_equal(w.all.kept, 3);
	release(&w);

	/* more than a counter */
	big.cases[0].work[1][0] = "9";
	judge_text(&big, wanted);
	assert_verdict(&big.v[0], VERDICT_BROKEN, "gemm, add", "fill, gemm, add");
	release(&big);

	/* nobody says that both are of one operator */
	apart.cases[0].region[1] = NULL;
	judge_text(&apart, wanted);
	assert_verdict(&apart.v[0], VERDICT_BROKEN, "gemm, add", "fill, gemm, add");
	release(&apart);
}

static void a_ratio_is_not_rounded_onto_its_limit(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	w.cases[0].kernel_us = 10.004;
	w.cases[1].kernel_us = 10;
	char text[128];
	snprintf(text, sizeof text, "{\"device_time_ratio\": {\"case\": \"%s\", \"max\": 1}}",
		w.cases[1].id);
	judge_text(&w, text);
	assert_verdict(&w.v[0], VERDICT_BROKEN, "\xe2\x89\xa4 1\xc3\x97", "1.0004\xc3\x97");
	release(&w);
}

static void regime_and_first_step(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w, "{\"regime\": \"overhead-bound\", \"first_step\": \"wider\"}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "overhead-bound", "overhead-bound");
	assert_int_equal(w.v[0].n_evidence, 4);
	assert_verdict(&w.v[1], VERDICT_KEPT, "wider", "wider, 4.00\xc3\x97 (+300 \xc2\xb5s)");
	assert_int_equal(w.v[1].n_evidence, 1);
	assert_true(w.v[1].mine > 399.9 && w.v[1].others < 100.1);
	release(&w);

	w = eager_and_compiled();
	judge_text(&w, "{\"regime\": \"compute-bound\", \"first_step\": \"equal\"}");
	assert_int_equal(w.all.broken, 2);
	release(&w);
}

/* Twice as wide and less than 30 us more is neither wider nor equal. */
static void a_first_step_a_little_wider_is_noise(void **state)
{
	(void)state;
	struct world w = {.cases[0] = {.step_us = {50, 20, 20}}};
	judge_text(&w, "{\"first_step\": \"wider\"}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "wider", "wider, 2.50\xc3\x97 (+30.0 \xc2\xb5s)");
	release(&w);
	w = (struct world){.cases[0] = {.step_us = {49, 20, 20}}};
	judge_text(&w, "{\"first_step\": \"equal\"}");
	assert_verdict(&w.v[0], VERDICT_NOISE, "equal", "equal, 2.45\xc3\x97 (+29.0 \xc2\xb5s)");
	release(&w);
	w = (struct world){.cases[0] = {.step_us = {49, 20, 20}}};
	judge_text(&w, "{\"first_step\": \"wider\"}");
	assert_int_equal(w.v[0].state, VERDICT_NOISE);
	release(&w);
	w = (struct world){.cases[0] = {.step_us = {39, 20, 20}}};
	judge_text(&w, "{\"first_step\": \"equal\"}");
	assert_int_equal(w.v[0].state, VERDICT_KEPT);
	release(&w);
	w = (struct world){.cases[0] = {.step_us = {199, 100, 100}}};
	judge_text(&w, "{\"first_step\": \"wider\"}");
	assert_int_equal(w.v[0].state, VERDICT_BROKEN);
	release(&w);
}

static void against_another_case(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w,
		"{\"fewer_kernels_than\": {\"case\": \"x/compile\", \"by\": -1},"
		" \"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.5, \"max\": 2.5},"
		" \"device_time_ratio\": {\"case\": \"x/compile\", \"max\": 0.6}}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "-1", "-1");
	assert_string_equal(w.v[0].other, "x/compile");
	assert_verdict(&w.v[1], VERDICT_KEPT,
		"1.5\xe2\x80\x93"
		"2.5\xc3\x97",
		"2.00\xc3\x97 (1.80\xe2\x80\x93"
		"2.20\xc3\x97)");
	assert_verdict(&w.v[2], VERDICT_KEPT, "\xe2\x89\xa4 0.6\xc3\x97", "0.50\xc3\x97");
	assert_int_equal(w.v[1].n_evidence, 3);
	assert_true(isinf(w.v[2].min));
	release(&w);

	w = eager_and_compiled();
	judge_text(&w,
		"{\"fewer_kernels_than\": {\"case\": \"x/compile\", \"by\": 1},"
		" \"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 1},"
		" \"device_time_ratio\": {\"case\": \"x/compile\", \"min\": 0.51}}");
	assert_int_equal(w.all.broken, 3);
	assert_verdict(&w.v[2], VERDICT_BROKEN, "\xe2\x89\xa5 0.51\xc3\x97", "0.50\xc3\x97");
	release(&w);
}

struct example {
	const char *expect; /* of the eager case, beside the compiled one */
	enum verdict_state state;
};

static void assert_states(const struct example *of, size_t n, bool of_matrix)
{
	for (size_t i = 0; i < n; i++) {
		struct world w = eager_and_compiled();
		w.of_matrix = of_matrix;
		judge_text(&w, of[i].expect);
		assert_int_equal(w.v[0].state, of[i].state);
		assert_int_equal(w.all.noise, of[i].state == VERDICT_NOISE);
		assert_int_equal(w.v[0].reason, OPEN_NOT);
		assert_int_equal(w.v[0].certainty.processes, 1);
		release(&w);
	}
}

/* Steps of 90, 100 and 110 beside 50: the ratio is 1.8 to 2.2, and no more is known. */
static void a_ratio_within_its_noise(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 1.9}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 2.1}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 1.7}}", VERDICT_BROKEN},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 2.3}}", VERDICT_BROKEN},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.9}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 2.1}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.7}}", VERDICT_KEPT},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.7, \"max\": 2.3}}",
			VERDICT_KEPT},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.7, \"max\": 2.1}}",
			VERDICT_NOISE},
	};
	assert_states(examples, sizeof examples / sizeof *examples, false);
}

/* Of a case of a matrix one process breaks a ratio that is out by more than a busy minute makes
 * alone. */
static void one_process_breaks_little(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 1.9}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 1.7}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 2.3}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 0.8}}", VERDICT_BROKEN},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 5}}", VERDICT_BROKEN},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.9}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"max\": 2.1}}", VERDICT_NOISE},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.7}}", VERDICT_KEPT},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.7, \"max\": 2.3}}",
			VERDICT_KEPT},
		{"{\"step_time_ratio\": {\"case\": \"x/compile\", \"min\": 1.7, \"max\": 2.1}}",
			VERDICT_NOISE},
	};
	assert_states(examples, sizeof examples / sizeof *examples, true);
}

static void kernel_names(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w, "{\"same_gemm_as\": \"x/compile\", \"same_kernel_every_step\": true}");
	assert_verdict(&w.v[0], VERDICT_BROKEN, "brg matmul+sum", "brg matmul");
	assert_int_equal(w.v[0].element, 0);
	assert_int_equal(w.v[0].n_evidence, 1);
	assert_verdict(&w.v[1], VERDICT_KEPT, "brg matmul, jit add", "brg matmul, jit add");
	release(&w);

	w = eager_and_compiled();
	for (int i = 0; i < MOST_STEPS; i++)
		w.cases[1].work[i][0] = "brg matmul", w.cases[1].work[i][1] = NULL;
	w.cases[0].work[3][1] = "jit mul";
	judge_text(&w, "{\"same_gemm_as\": \"x/compile\", \"same_kernel_every_step\": true}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "brg matmul", "brg matmul");
	assert_verdict(&w.v[1], VERDICT_BROKEN, "brg matmul, jit add", "brg matmul, jit mul");
	assert_int_equal(w.v[1].step, 3);
	assert_int_equal(w.v[1].element, 1);
	release(&w);
}

static void a_long_list_of_names_is_cut(void **state)
{
	(void)state;
	struct world w = {.cases[0] = {.id = "x", .kernel_us = 1, .step_us = {200, 200}}};
	static char name[7][160];
	for (int k = 0; k < 7; k++) {
		memset(name[k], 'a' + k, sizeof name[k] - 1);
		w.cases[0].work[0][k] = w.cases[0].work[1][k] = name[k];
	}
	judge_text(&w, "{\"same_kernel_every_step\": true}");
	size_t n = strlen(w.v[0].observed);
	assert_true(n < 400);
	assert_string_equal(w.v[0].observed + n - 3, "\xe2\x80\xa6");
	release(&w);
}

static void recompilations(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	for (int i = 0; i < MOST_STEPS; i++)
		w.cases[0].region[i] = i < 2 ? "compiled region 0/0" : "compiled region 0/1";
	judge_text(&w, "{\"recompiles\": 1}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "1", "1");
	assert_int_equal(w.v[0].n_evidence, 2);
	assert_int_equal(
		w.v[0].evidence[1], made_find(&w.cases[0].made.trace, "compiled region 0/1", 0));
	release(&w);
	w = eager_and_compiled();
	judge_text(&w, "{\"recompiles\": 1}");
	assert_verdict(&w.v[0], VERDICT_BROKEN, "1", "0");
	release(&w);
}

static void open_verdicts(void **state)
{
	(void)state;
	assert_open("{\"kernels\": 2}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"step\": [\"gemm\"]}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"first_step\": \"wider\"}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"first_step\": \"wider\"}", OPEN_ONE_STEP, true, "k");
	assert_open("{\"regime\": \"mixed\"}", OPEN_NO_DEVICE, true, NULL);
	assert_open("{\"same_kernel_every_step\": true}", OPEN_NO_DEVICE, true, NULL);
	assert_open("{\"same_gemm_as\": \"nowhere\"}", OPEN_NO_CASE, true, "k");
	assert_open("{\"same_gemm_as\": \"x\"}", OPEN_NO_GEMM, true, "k");
	assert_open("{\"step_time_ratio\": {\"case\": \"nowhere\", \"min\": 1}}", OPEN_NO_CASE,
		true, "k");
	assert_open("{\"device_time_ratio\": {\"case\": \"x\", \"min\": 1}}", OPEN_NO_DEVICE, true,
		NULL);
	assert_open("{\"fewer_kernels_than\": {\"case\": \"nowhere\", \"by\": 1}}", OPEN_NO_CASE,
		true, "k");
	assert_open("{\"colour\": 2}", OPEN_UNKNOWN, true, "k");
	assert_open("{\"kernels\": \"two\"}", OPEN_MALFORMED, true, "k");
	assert_open("{\"step\": \"gemm\"}", OPEN_MALFORMED, true, "k");
	assert_open("{\"step\": [1]}", OPEN_MALFORMED, true, "k");
	assert_open("{\"regime\": 1}", OPEN_MALFORMED, true, "k");
	assert_open("{\"first_step\": \"broader\"}", OPEN_MALFORMED, true, "k");
	assert_open("{\"step_time_ratio\": {\"case\": \"x\"}}", OPEN_MALFORMED, true, "k");
	assert_open("{\"step_time_ratio\": 2}", OPEN_MALFORMED, true, "k");
	assert_open("{\"fewer_kernels_than\": {\"case\": \"x\"}}", OPEN_MALFORMED, true, "k");
	assert_open("{\"same_kernel_every_step\": 1}", OPEN_MALFORMED, true, "k");
	assert_open("{\"recompiles\": true}", OPEN_MALFORMED, true, "k");
}

static void no_expectations(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w, "{}");
	assert_int_equal(w.all.n, 0);
	assert_int_equal(judge_cases(&w, NULL).n, 0);
	release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_order_kept),
		cmocka_unit_test(counts_and_order_broken),
		cmocka_unit_test(the_first_step_may_differ),
		cmocka_unit_test(a_missing_element_breaks),
		cmocka_unit_test(split_k_counts_with_its_gemm),
		cmocka_unit_test(a_counter_is_cleared_for_a_gemm),
		cmocka_unit_test(a_ratio_is_not_rounded_onto_its_limit),
		cmocka_unit_test(regime_and_first_step),
		cmocka_unit_test(a_first_step_a_little_wider_is_noise),
		cmocka_unit_test(a_ratio_within_its_noise),
		cmocka_unit_test(one_process_breaks_little),
		cmocka_unit_test(against_another_case),
		cmocka_unit_test(kernel_names),
		cmocka_unit_test(a_long_list_of_names_is_cut),
		cmocka_unit_test(recompilations),
		cmocka_unit_test(open_verdicts),
		cmocka_unit_test(no_expectations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
