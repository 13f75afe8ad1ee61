/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels move and compute, told from the shape; the costs of adding a matrix, with
 * numbers worked out by hand. */
#include "report/course/addition_costs.h"
#include "report/course/case_work.h"
#include "report/section/ratio_words.h"

#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

#include <math.h>

static struct made_run run;

static int tear_down(void **state)
{
	made_run_release(&run);
	run = (struct made_run){0};
	return clear_arena(state);
}

#define BIG(name, workload, mode, warm) \
	SQUARE_CASE(name, workload, mode, warm, "4096", "137455730688", "167772160", "[]")

static void steps(struct made_trace *t, int n, const struct made_work *work)
{
	double at = 0;
	for (int i = 0; i < n; i++)
		at = made_step(t, i, at + 10, 40, work) + 10;
}

static struct work work(int c, uint32_t nth)
{
	return work_of(&run.c[c], &run.c[c].analysis->steps[0], nth);
}

static void assert_work(int c, uint32_t nth, double flop, double read, double write)
{
	struct work w = work(c, nth);
	assert_true(w.flop == flop);
	assert_true(w.read_bytes == read);
	assert_true(w.write_bytes == write);
}

static const double T = 4096.0 * 4096 * 2; /* one matrix: 33.55 MB */

static void kernels_of_an_addition(void **state)
{
	(void)state;
	steps(made_case(&run, BIG("eager", "matmul_add", "eager", "true")), 1,
		(struct made_work[]){{GEMM_NN, 580}, {ADD, 50}, {NULL, 0}});
	steps(made_case(&run, BIG("compile", "matmul_add", "compile", "true")), 1,
		(struct made_work[]){{COPY, 33}, {GEMM_NN, 590}, {NULL, 0}});
	steps(made_case(&run, BIG("fused", "matmul_add", "fused", "true")), 1,
		(struct made_work[]){{GEMM_NN, 585}, {SPLITK, 5}, {NULL, 0}});
	run.copy_bytes[1] = (int64_t)T;
	made_run_seal(&run, "{}");
	assert_work(0, 0, 2.0 * 4096 * 4096 * 4096, 2 * T, T);
	assert_work(0, 1, 4096.0 * 4096, 2 * T, T);
	assert_work(1, 0, 0, T, T);
	assert_work(1, 1, 2.0 * 4096 * 4096 * 4096, 3 * T, T);
	assert_work(2, 0, 2.0 * 4096 * 4096 * 4096, 3 * T, T);
	/* 100.7 MB for the addition, by a kernel or by a copy; 33.6 MB in the product. */
	double eager = step_bytes(&run.c[0], &run.c[0].analysis->steps[0]);
	double copied = step_bytes(&run.c[1], &run.c[1].analysis->steps[0]);
	double fused = step_bytes(&run.c[2], &run.c[2].analysis->steps[0]);
	assert_true(eager == copied);
	assert_true(eager - 3 * T == 3 * T && fabs(3 * T - 100.7e6) < 0.1e6);
	assert_true(fused - 3 * T == T);
}

static void kernels_of_an_mlp(void **state)
{
	(void)state;
	steps(made_case(&run, MLP_CASE("mlp", "eager", "[]")), 1,
		(struct made_work[]){{GEMM_NN, 190}, {GEMM_NN, 190}, {GELU, 60}, {MUL, 60},
			{GEMM_NN, 170}, {NULL, 0}});
	steps(made_case(&run, MLP_CASE("compiled", "compile", "[]")), 1,
		(struct made_work[]){
			{GEMM_NN, 190}, {GEMM_NN, 190}, {FUSED, 89}, {GEMM_NN, 170}, {NULL, 0}});
	steps(made_case(&run, LINEAR_CASE("linear", "eager")), 1,
		(struct made_work[]){{GEMM_TN, 5}, {NULL, 0}});
	made_run_seal(&run, "{}");
	double h = 8192.0 * 3072 * 2, x = 8192.0 * 768 * 2, w = 768.0 * 3072 * 2;
	assert_true(fabs(h - 50.3e6) < 0.1e6);
	assert_work(0, 0, 2.0 * 8192 * 768 * 3072, x + w, h);
	assert_work(0, 1, 2.0 * 8192 * 768 * 3072, x + w, h);
	assert_work(0, 4, 2.0 * 8192 * 768 * 3072, h + w, x);
	double unfused = work(0, 2).read_bytes + work(0, 2).write_bytes + work(0, 3).read_bytes +
		work(0, 3).write_bytes;
	double fused = work(1, 2).read_bytes + work(1, 2).write_bytes;
	assert_true(fabs(unfused - 251.7e6) < 0.1e6);
	assert_true(fabs(fused - 151.0e6) < 0.1e6);
	assert_work(2, 0, 2.0 * 1024 * 32 * 64, (1024 * 32 + 32 * 64 + 64) * 2.0, 1024 * 64 * 2.0);
}

static void what_the_shape_does_not_tell(void **state)
{
	(void)state;
	struct made_trace *t = made_case(&run, BIG("eager", "matmul_add", "eager", "true"));
	steps(t, 1, (struct made_work[]){{"mystery", 5}, {COPY, 1}, {NULL, 0}});
	steps(made_case(&run,
		      "{\"id\": \"a\", \"workload\": \"tower\", \"dtype\": \"bf16\", "
		      "\"shape\": {\"size\": 8}}"),
		1, (struct made_work[]){{GEMM_NN, 5}, {NULL, 0}});
	steps(made_case(&run,
		      "{\"id\": \"b\", \"workload\": \"matmul_add\", \"dtype\": \"int4\", "
		      "\"shape\": {\"size\": 8}}"),
		1, (struct made_work[]){{GEMM_NN, 5}, {NULL, 0}});
	steps(made_case(&run,
		      "{\"id\": \"c\", \"workload\": \"geglu_mlp\", \"dtype\": \"bf16\", "
		      "\"shape\": {\"batch\": 8, \"seq\": 8, \"dim\": 8, \"hidden\": 8, "
		      "\"then_batch\": 4}}"),
		1, (struct made_work[]){{GEMM_NN, 5}, {NULL, 0}});
	run.copy_bytes[0] = -1;
	made_run_seal(&run, "{}");
	assert_true(isnan(work(0, 0).flop) && isnan(work(0, 1).read_bytes));
	assert_true(isnan(step_bytes(&run.c[0], &run.c[0].analysis->steps[0])));
	for (int c = 1; c < 4; c++)
		assert_true(isnan(work(c, 0).flop) && isnan(work(c, 0).write_bytes));
	struct report_case foreign = run.c[0];
	foreign.work = NULL;
	assert_true(isnan(work_of(&foreign, &foreign.analysis->steps[0], 0).flop));
	assert_true(told_work(&foreign)->flop == 0);
}

/* ---- the costs of adding a matrix ---- */

/* Three steps; the first is no steady one. */
static void three(struct made_trace *t, double gemm, const char *other, double other_us)
{
	double at = 0, ratio[] = {9, 1, 1.1};
	for (int i = 0; i < 3; i++) {
		bool copy = other && !strncmp(other, "Memcpy", 6);
		struct made_work first = {
			copy ? other : GEMM_NN, ratio[i] * (copy ? other_us : gemm)};
		struct made_work second = {
			copy ? GEMM_NN : other, ratio[i] * (copy ? gemm : other_us)};
		at = made_step(t, i, at + 10, 40, (struct made_work[]){first, second, {NULL, 0}}) +
			10;
	}
}

static void all_ways(void)
{
	three(made_case(&run, BIG("cold", "matmul_add", "eager", "false")), 900, ADD, 90);
	three(made_case(&run, BIG("eager", "matmul_add", "eager", "true")), 580, ADD, 50);
	three(made_case(&run, BIG("compile", "matmul_add", "compile", "true")), 590, COPY, 33);
	three(made_case(&run, BIG("fused", "matmul_add", "fused", "true")), 800, NULL, 0);
	three(made_case(&run,
		      SQUARE_CASE("small", "matmul_add", "eager", "true", "64", "528384", "40960",
			      "[]")),
		6, ADD, 3);
	three(made_case(&run,
		      SQUARE_CASE("large", "matmul_add", "eager", "true", "8192", "1", "1", "[]")),
		6000, ADD, 300);
	three(made_case(&run, LINEAR_CASE("linear", "eager")), 5, NULL, 0);
	for (int i = 0; i < run.n; i++)
		run.copy_bytes[i] = (int64_t)T;
	made_run_seal(&run, "{}");
}

static void the_ledger_counts_bytes_and_time(void **state)
{
	(void)state;
	all_ways();
	struct addition_costs l = {0};
	assert_true(addition_costs_find(&l, &arena, &run.run));
	assert_true(l.m == 4096 && l.n == 4096 && l.element_bytes == 2);
	assert_int_equal(l.dtype, DTYPE_BF16);
	assert_true(l.cost[ADD_KERNEL].bytes == 3 * T && l.cost[ADD_COPY].bytes == 3 * T);
	assert_true(l.cost[ADD_EPILOGUE].bytes == T && l.cost[ADD_BIAS].bytes == 8192);
	assert_ptr_equal(l.cost[ADD_KERNEL].c, &run.c[1]); /* the warm one */
	assert_ptr_equal(l.cost[ADD_COPY].c, &run.c[2]);
	assert_ptr_equal(l.cost[ADD_EPILOGUE].c, &run.c[3]);
	assert_null(l.cost[ADD_BIAS].c);
	/* medians of the two steady steps: 1.05 times */
	assert_close(l.cost[ADD_KERNEL].kernel_ns / 1e3, 52.5);
	assert_close(l.cost[ADD_COPY].kernel_ns / 1e3, 34.65);
	assert_close(l.cost[ADD_COPY].product_ns / 1e3, 10.5);
	/* Steps that differ by a tenth do not tell 590 from 580. */
	assert_close(l.cost[ADD_COPY].product.ratio, 590.0 / 580);
	assert_true(sure_is_noise(&l.cost[ADD_COPY].product));
	/* A matmul is no surer than its step. */
	const struct sure_ratio *matmul = &l.cost[ADD_EPILOGUE].product;
	const struct sure_ratio step = case_ratio(&arena, &run.c[3], &run.c[1], true);
	assert_true(
		matmul->certainty.low / matmul->ratio <= step.certainty.low / step.ratio + 1e-9);
	assert_true(
		matmul->certainty.high / matmul->ratio >= step.certainty.high / step.ratio - 1e-9);
	assert_close(l.cost[ADD_EPILOGUE].product_ns / 1e3, 231);
	assert_false(l.cost[ADD_KERNEL].compared);
	assert_true(l.cost[ADD_EPILOGUE].kernel_ns == 0);
}

static void absurd_sizes_are_no_ledger(void **state)
{
	static const char *const entries[] = {
		SQUARE_CASE("a", "matmul_add", "eager", "true", "1e200", "1", "1", "[]"),
		SQUARE_CASE("b", "matmul_add", "fused", "true", "1e200", "1", "1", "[]"),
		SQUARE_CASE("c", "matmul_add", "eager", "true", "-4", "1", "1", "[]"),
		SQUARE_CASE("d", "matmul_add", "fused", "true", "-4", "1", "1", "[]")};
	struct addition_costs l = {0};
	(void)state;
	for (int i = 0; i < 4; i++)
		three(made_case(&run, entries[i]), 580, i % 2 ? NULL : ADD, 50);
	made_run_seal(&run, "{}");
	assert_false(addition_costs_find(&l, &arena, &run.run));
}

static void one_way_alone_is_no_ledger(void **state)
{
	(void)state;
	struct addition_costs l = {0};
	three(made_case(&run, BIG("eager", "matmul_add", "eager", "true")), 580, ADD, 50);
	three(made_case(&run,
		      SQUARE_CASE("small", "matmul_add", "fused", "true", "64", "528384", "32768",
			      "[]")),
		6, NULL, 0);
	made_run_seal(&run, "{}");
	assert_false(addition_costs_find(&l, &arena, &run.run));
}

static void the_figure_writes_it_out(void **state)
{
	(void)state;
	all_ways();
	struct addition_costs l = {.texts = texts, .fonts = fonts, .bandwidth = 2e12};
	assert_true(addition_costs_find(&l, &arena, &run.run));
	const char *drawn =
		draw_figure(addition_costs_draw, &l, document_width, addition_costs_height);
	assert_says(drawn, "3 × 4096 × 4096 × 2 B = 101 MB");
	assert_says(drawn, "1 × 4096 × 4096 × 2 B = 33.6 MB");
	assert_says(drawn, "\"4096 × 2 B = 8.19 kB\"");
	assert_says(drawn, "52.5 µs");
	assert_says(drawn, "matmul: no difference seen"); /* 1.02× within its interval */
	assert_says(drawn, "+231 µs");
	assert_says(drawn, "50.3 µs"); /* 100.7 MB at 2 TB/s */
	assert_says(drawn, "2.00 TB/s");
	assert_int_equal(count_calls(drawn, "rect"), 8); /* matrices, and a row */
	/* The bytes are those of any machine: another one is a column of times more. */
	struct addition_costs there = l;
	there.bandwidth = 4e12;
	l.beside = &there;
	l.machine = "another machine";
	drawn = draw_figure(addition_costs_draw, &l, document_width, addition_costs_height);
	assert_says(drawn, "another machine");
	assert_says(drawn, "at 2.00 TB/s: 50.3 µs");
	assert_says(drawn, "at 4.00 TB/s: 25.2 µs");
	assert_int_equal(count_calls(drawn, "rect"), 8);
	struct err err = {0};
	assert_int_equal(texts_error(texts, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(kernels_of_an_addition, tear_down),
		cmocka_unit_test_teardown(kernels_of_an_mlp, tear_down),
		cmocka_unit_test_teardown(what_the_shape_does_not_tell, tear_down),
		cmocka_unit_test_teardown(the_ledger_counts_bytes_and_time, tear_down),
		cmocka_unit_test_teardown(absurd_sizes_are_no_ledger, tear_down),
		cmocka_unit_test_teardown(one_way_alone_is_no_ledger, tear_down),
		cmocka_unit_test_teardown(the_figure_writes_it_out, tear_down),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
