/* SPDX-License-Identifier: Apache-2.0 */
/* The run at a glance: launch latency, what each case runs, and a section that holds for any run.
 */
#include "report/course/parts.h"
#include "report/figure/launch_delays.h"
#include "report/page/rich_text.h"
#include "report/section/parts.h"
#include "report/section/template_sections.h"
#include "tests/unit/made_run.h"
#include "tests/unit/made_run_names.h"

#include <math.h>

static struct made_run run;
static struct document doc;

static int tear_down(void **state)
{
	made_run_release(&run);
	run = (struct made_run){0};
	return clear_arena(state);
}

#define BIG(name, workload, mode, warm, step) \
	SQUARE_CASE(name, workload, mode, warm, "4096", "137455730688", "167772160", step)

static void steps(const char *entry, int n, const struct made_work *work)
{
	struct made_trace *t = made_case(&run, entry);
	double at = 0;
	run.copy_bytes[run.n - 1] = 4096 * 4096 * 2;
	for (int i = 0; i < n; i++)
		at = made_step(t, i, at + 10, 20, work) + 10;
}

static const struct made_work EAGER[] = {{GEMM_NN, 580}, {ADD, 50}, {NULL, 0}},
			      COPIED[] = {{COPY, 33}, {GEMM_SMALL, 590}, {NULL, 0}},
			      ALONE[] = {{GEMM_NN, 585}, {NULL, 0}},
			      MLP[] = {{GEMM_NN, 190}, {GEMM_NN, 190}, {GELU, 60}, {MUL, 60},
				      {GEMM_NN, 170}, {NULL, 0}},
			      MLP_FUSED[] = {{GEMM_NN, 190}, {GEMM_NN, 190}, {FUSED, 89},
				      {GEMM_NN, 170}, {NULL, 0}};

static void all_cases(void)
{
	steps(BIG("cold", "matmul_add", "eager", "false", "[\"gemm\", \"add\"]"), 3, EAGER);
	steps(BIG("eager", "matmul_add", "eager", "true", "[\"gemm\", \"add\"]"), 3, EAGER);
	steps(BIG("compiled", "matmul_add", "compile", "true", "[\"gemm\"]"), 3, COPIED);
	steps(BIG("fused", "matmul_add", "fused", "true", "[\"gemm\"]"), 3, ALONE);
	steps(LINEAR_CASE("linear", "eager"), 3, (struct made_work[]){{GEMM_TN, 5}, {NULL, 0}});
	steps(MLP_CASE("mlp", "eager", "[\"gemm\", \"gemm\", \"gelu\", \"mul\", \"gemm\"]"), 3,
		MLP);
	steps(MLP_CASE("mlp2", "compile", "[\"gemm\", \"gemm\", \"fused\", \"gemm\"]"), 3,
		MLP_FUSED);
	made_run_seal(&run,
		"{\"comparisons\": [{\"id\": \"ways\", \"title\": \"Ways\", \"cases\": "
		"[\"eager\", \"compiled\", \"fused\", \"nowhere\"]}, "
		"{\"id\": \"alone\", \"cases\": [\"eager\", \"nowhere\"]}, {\"cases\": 3}, 7]}");
	document_init(&doc, &arena, texts, fonts);
}

static const char *dump(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	assert_non_null(f);
	document_dump(&doc, f);
	fclose(f);
	const char *kept = arena_strdup(&arena, text);
	free(text);
	struct err err = {0};
	if (texts_error(texts, &err))
		fail_msg("%s", err.text);
	return kept;
}

/* ---- launch latency ---- */

static void delays_of_every_event(void **state)
{
	(void)state;
	struct made_trace *t = made_case(&run, LINEAR_CASE("a", "eager"));
	made_add(t, EVENT_ANNOTATION, "step", 0, 100, 0);
	made_add(t, EVENT_RUNTIME, "cudaLaunchKernel", 0, 10, 1);
	made_add(t, EVENT_KERNEL, GEMM_NN, 14, 50, 1); /* 4, free */
	made_add(t, EVENT_RUNTIME, "cudaLaunchKernel", 12, 20, 2);
	made_add(t, EVENT_KERNEL, GEMM_NN, 50, 60, 2); /* 30, queued */
	made_add(t, EVENT_RUNTIME, "cudaLaunchKernel", 70, 80, 3);
	made_add(t, EVENT_KERNEL, GEMM_NN, 78, 85, 3); /* -2, free and early */
	made_add(t, EVENT_KERNEL, GEMM_NN, 90, 95, 4); /* without a launch */
	steps(LINEAR_CASE("none", "eager"), 1, (struct made_work[]){{NULL, 0}});
	made_run_seal(&run, "{}");
	struct delay_plot s = {.texts = texts, .fonts = fonts};
	assert_true(delay_plot_find(&s, &arena, &run.run));
	assert_int_equal(s.n, 1);
	assert_int_equal(s.row[0].n, 3);
	assert_int_equal(s.row[0].delay_ns[0], -2000);
	assert_int_equal(s.row[0].delay_ns[2], 30000);
	assert_close(s.row[0].median_ns, 4000);
	assert_int_equal(s.events, 3);
	assert_int_equal(s.early, 1);
	assert_int_equal(s.queued, 1);
	assert_close(s.free_ns, 1000);
	assert_close(s.low_ns, 4000);
	assert_close(s.high_ns, 30000);
	delay_plot_plan(&s, document_width);
	const char *drawn = draw_figure(delay_plot_draw, &s, s.width, s.height);
	assert_says(drawn, "\"≤ 0\"");
	assert_says(drawn, "\"10 µs\"");
	assert_int_equal(count_calls(drawn, "fill #005A8E70"), 3);
}

static void a_run_without_launches_has_no_strips(void **state)
{
	(void)state;
	steps(LINEAR_CASE("none", "eager"), 2, (struct made_work[]){{NULL, 0}});
	made_run_seal(&run, "{}");
	struct delay_plot s = {.texts = texts, .fonts = fonts};
	assert_false(delay_plot_find(&s, &arena, &run.run));
}

static void every_strip_can_be_read(void **state)
{
	(void)state;
	all_cases();
	struct delay_plot s = {.texts = texts, .fonts = fonts};
	assert_true(delay_plot_find(&s, &arena, &run.run));
	assert_int_equal(s.n, 7);
	delay_plot_plan(&s, document_width);
	const char *drawn = draw_figure(delay_plot_draw, &s, s.width, s.height);
	assert_says(drawn, "\"Case compiled\"");
	assert_null(strstr(drawn, "≤ 0"));
}

/* ---- what each case runs ---- */

static void assert_sentence(int c, const char *wanted)
{
	assert_string_equal(rich_plain(&arena, closing_sentence(&doc, &run.c[c])), wanted);
}

static void sentences_are_computed(void **state)
{
	(void)state;
	all_cases();
	assert_sentence(1,
		"The matmul's result (33.6 MB) goes to memory, and the kernel that adds reads it "
		"back: 101 MB for the addition.");
	assert_sentence(2,
		"The addend is copied into the result (33.6 MB), and the matmul adds onto it: 101 "
		"MB for the addition. The GEMM kernels are not those of the eager case: tile "
		"128x256 → 64x64 · stages 3 → 5.");
	assert_sentence(3,
		"The matmul reads the addend itself: no kernel, no copy, and nothing is written "
		"twice. All of it moves 134 MB. The GEMM kernels are those of the eager case.");
	assert_sentence(
		4, "The bias (128 B) is added inside the matmul: one kernel moves 201 kB in all.");
	assert_sentence(5,
		"The activated tensor (50.3 MB) goes to memory and comes back: two kernels move 252 "
		"MB.");
	assert_sentence(6,
		"Activation and multiplication are one kernel: the activated tensor (50.3 MB) stays "
		"in registers, and 151 MB move. The GEMM kernels are those of the eager case.");
}

static void what_no_rule_knows_is_counted(void **state)
{
	(void)state;
	steps(BIG("odd", "matmul_add", "eager", "true", "[]"), 2,
		(struct made_work[]){{"mystery", 5}, {GEMM_NN, 5}, {ADD, 2}, {NULL, 0}});
	steps(MLP_CASE("mlp", "eager", "[]"), 2, ALONE);
	made_run_seal(&run, "{}");
	document_init(&doc, &arena, texts, fonts);
	assert_sentence(0, "A step has 3 device events.");
	assert_sentence(1, "A step has 1 device event.");
}

static void gemm_names_are_compared_in_order(void **state)
{
	(void)state;
	all_cases();
	assert_string_equal(gemm_difference(&doc, &run.c[1], &run.c[3], 4), "");
	assert_says(gemm_difference(&doc, &run.c[1], &run.c[2], 4), "64x64");
	assert_string_equal(gemm_difference(&doc, &run.c[1], &run.c[5], 4), "1 → 3 matmuls");
	assert_string_equal(gemm_difference(&doc, &run.c[5], &run.c[6], 4), "");
}

static void one_line_for_each_workload_and_mode(void **state)
{
	(void)state;
	all_cases();
	add_closing_table(&doc, &run.run, NULL);
	const struct table *t = doc.last->table;
	assert_non_null(t);
	assert_int_equal(t->n_rows, 6);
	assert_says(t->cell[0].text, "Case eager"); /* the warm one */
	assert_string_equal(t->cell[1].text, "gemm, add");
	assert_int_equal(t->cell[2].verdict, KEPT);
	assert_says(t->cell[1 * 5 + 2].text, "copy, gemm");
	assert_int_equal(t->cell[1 * 5 + 2].verdict, BROKEN);
	dump();
}

/* The same recording stands for the other machine: it has each case, and says nothing otherwise. */
static void one_line_for_both_machines(void **state)
{
	(void)state;
	all_cases();
	add_closing_table(&doc, &run.run, NULL);
	const struct table *alone = doc.last->table;
	add_closing_table(&doc, &run.run, &run.in);
	const struct table *t = doc.last->table;
	assert_int_equal(t->n_rows, alone->n_rows);
	for (int row = 0; row < t->n_rows; row++) {
		assert_string_equal(t->cell[row * 5 + 3].text, t->cell[row * 5 + 2].text);
		assert_int_equal(t->cell[row * 5 + 3].verdict, t->cell[row * 5 + 2].verdict);
		assert_string_equal(t->cell[row * 5 + 4].text, alone->cell[row * 5 + 4].text);
	}
}

/* ---- the section ---- */

static void figure_ids_are_unique(void)
{
	for (const struct block *b = doc.first; b; b = b->next)
		for (const struct block *o = b->next; b->figure && o; o = o->next)
			if (o->figure)
				assert_string_not_equal(b->figure->id, o->figure->id);
}

static void the_section_shows_a_run(void **state)
{
	(void)state;
	all_cases();
	section_overview(&doc, &run.in);
	const char *text = dump();
	assert_says(text, "#overview ");
	assert_says(text, "overview-roofline ");
	assert_says(text, "overview-latency ");
	assert_says(text, "overview-time-ways ");
	assert_says(text, "overview-bytes ");
	assert_null(strstr(text, "overview-time-alone")); /* one case compares with none */
	assert_null(strstr(text, "overview-time-cold")); /* nothing was set up */
	figure_ids_are_unique();
	for (const struct block *b = doc.first; b; b = b->next)
		if (b->figure)
			draw_figure(b->figure->draw, b->figure->data, document_width,
				b->figure->height);
}

static void two_runs_have_two_places(void **state)
{
	(void)state;
	all_cases();
	struct run both[2] = {run.run, run.run};
	struct input in = {.runs = both, .n_runs = 2};
	section_overview(&doc, &in);
	figure_ids_are_unique();
	assert_says(dump(), "#overview-1 ");
}

static void few_cases_get_a_sentence(void **state)
{
	(void)state;
	steps(BIG("eager", "matmul_add", "eager", "true", "[]"), 3, EAGER);
	made_run_seal(&run, "{}");
	document_init(&doc, &arena, texts, fonts);
	section_overview(&doc, &run.in);
	const char *text = dump();
	assert_says(text, "and this run has 1.");
	assert_null(strstr(text, "overview-roofline"));
	assert_null(strstr(text, "overview-bytes"));
}

static void nothing_to_tell_tells_nothing(void **state)
{
	(void)state;
	struct made_trace *t = made_case(&run, LINEAR_CASE("empty", "eager"));
	made_add(t, EVENT_OP, "aten::mm", 0, 10, 0);
	made_run_seal(&run, "{}");
	document_init(&doc, &arena, texts, fonts);
	section_overview(&doc, &run.in);
	assert_null(doc.first);
	struct input in = {0};
	section_overview(&doc, &in);
	assert_null(doc.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(delays_of_every_event, tear_down),
		cmocka_unit_test_teardown(a_run_without_launches_has_no_strips, tear_down),
		cmocka_unit_test_teardown(every_strip_can_be_read, tear_down),
		cmocka_unit_test_teardown(sentences_are_computed, tear_down),
		cmocka_unit_test_teardown(what_no_rule_knows_is_counted, tear_down),
		cmocka_unit_test_teardown(gemm_names_are_compared_in_order, tear_down),
		cmocka_unit_test_teardown(one_line_for_each_workload_and_mode, tear_down),
		cmocka_unit_test_teardown(one_line_for_both_machines, tear_down),
		cmocka_unit_test_teardown(the_section_shows_a_run, tear_down),
		cmocka_unit_test_teardown(two_runs_have_two_places, tear_down),
		cmocka_unit_test_teardown(few_cases_get_a_sentence, tear_down),
		cmocka_unit_test_teardown(nothing_to_tell_tells_nothing, tear_down),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
