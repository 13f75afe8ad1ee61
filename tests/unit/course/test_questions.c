/* SPDX-License-Identifier: Apache-2.0 */
/* The questions: that every one is asked, in order, in words without numbers of their own, and what
 * is said when a case is missing. What they are answered with: test_answers.c. */
#include "collect/matrix.h"
#include "report/course/answers.h"
#include "report/course/parts.h"
#include "report/page/rich_text.h"
#include "report/section/template_sections.h"
#include "tests/unit/questions_world.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

enum { QUESTIONS = 43, GROUPS = 9 };

/* ---- the table ---- */

static bool matrix_has(const char *id)
{
	static const char *const files[] = {"experiments/matrix.json", "experiments/gpu.json"};
	bool found = false;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct matrix m;
		struct err err = {0};
		if (matrix_read(&m, files[i], &err))
			fail_msg("%s", err.text);
		found |= matrix_find(&m, id) != NULL;
		for (size_t k = 0; k < m.n_comparisons; k++)
			found |= !strcmp(m.comparisons[k].id, id);
		matrix_release(&m);
	}
	return found;
}

/* Cases of PyTorch's are in no matrix that collect runs. */
static bool recorded_has(const char *id)
{
	char path[512];
	snprintf(path, sizeof path, "experiments/recorded/nvidia-h100-pytorch/%s.pt.trace.json.gz",
		id);
	return !access(path, R_OK);
}

static void assert_known_cases(const struct question *q)
{
	struct document d = {.texts = texts};
	assert_in_range(q->n_cases, 1, QUESTION_CASES);
	assert_non_null(q->outcome[0]);
	for (int i = 0; i < q->n_cases; i++)
		if (!matrix_has(question_case(&d, q, i)))
			fail_msg(
				"%s needs %s, which no matrix has", q->id, question_case(&d, q, i));
	if (q->compare && !matrix_has(q->compare))
		fail_msg("%s names the comparison %s", q->id, q->compare);
	if (q->instead) {
		assert_string_equal(q->instead->id, q->id);
		assert_known_cases(q->instead);
	}
}

static void test_table(void **state)
{
	(void)state;
	int groups = 0;
	assert_int_equal(n_questions, QUESTIONS);
	assert_non_null(questions[0].group);
	for (int i = 0; i < n_questions; i++) {
		groups += questions[i].group != NULL;
		assert_ptr_equal(find_question(questions[i].id), &questions[i]);
		assert_known_cases(&questions[i]);
	}
	assert_int_equal(groups, GROUPS);
}

/* What the templates name is in a matrix: of chapters, their exercises and page one. */
static void test_book(void **state)
{
	(void)state;
	const cJSON *book = texts_data(texts, "chapters"), *chapter, *id;
	int named = 0;
	cJSON_ArrayForEach(id, config_find(book, "pair"))
	{
		named += matrix_has(id->valuestring);
	}
	assert_int_equal(named, 2);
	cJSON_ArrayForEach(chapter, config_find(book, "chapters"))
	{
		cJSON_ArrayForEach(id, config_find(chapter, "worked"))
		{
			if (!matrix_has(id->valuestring) && !recorded_has(id->valuestring))
				fail_msg("%s: no matrix has %s", config_words(chapter, "id"),
					id->valuestring);
			named++;
		}
	}
	assert_in_range(named, 3, 100);
}

/* ---- the words ---- */

/* Numbers that are names: of sizes, types, sources. */
static bool is_name(const char *p, size_t *n)
{
	static const char *const names[] = {"A100", "Lecture 1", "bf16", "fp32"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		*n = strlen(names[i]);
		if (!strncmp(p, names[i], *n))
			return true;
	}
	return false;
}

static void assert_no_number(const char *id, const char *name, const char *text)
{
	for (const char *p = text; *p; p++) {
		size_t n;
		if (*p == '{')
			p += strcspn(p, "}");
		else if (*p == '`')
			p += 1 + strcspn(p + 1, "`");
		else if (is_name(p, &n))
			p += n - 1;
		else if (isdigit((unsigned char)*p))
			fail_msg("%s.%s holds a number: %s", id, name, p);
	}
}

static bool is_known_text(const struct question *q, const char *name)
{
	if (!strcmp(name, "ask") || !strcmp(name, "missing"))
		return true;
	for (int i = 0; i < QUESTION_OUTCOMES && q->outcome[i]; i++)
		if (!strcmp(q->outcome[i], name))
			return true;
	return q->instead && is_known_text(q->instead, name);
}

/* Those that another question asked instead has too count once. */
static int count_outcomes(const struct question *q)
{
	int n = q->instead ? count_outcomes(q->instead) : 0;
	for (int i = 0; i < QUESTION_OUTCOMES && q->outcome[i]; i++)
		n += !q->instead || !is_known_text(q->instead, q->outcome[i]);
	return n;
}

/* At most four sentences, for that is what one reads. */
static void assert_short(const char *id, const char *name, const char *text)
{
	enum { MOST_SENTENCES = 5 };
	int ends = 0;
	for (const char *p = text; *p; p++)
		ends += *p == '.' && (p[1] == ' ' || !p[1]);
	if (ends > MOST_SENTENCES)
		fail_msg("%s.%s has %d sentences", id, name, ends);
}

static void test_words(void **state)
{
	(void)state;
	const cJSON *all = texts_data(texts, "questions"), *m;
	for (int i = 0; i < n_questions; i++) {
		const cJSON *own = config_find(all, questions[i].id);
		assert_int_equal(cJSON_GetArraySize(own),
			3 + !!questions[i].instead + count_outcomes(&questions[i]));
		assert_int_equal(
			cJSON_GetArraySize(config_find(own, "cases")), questions[i].n_cases);
		cJSON_ArrayForEach(m, own)
		{
			if (!strcmp(m->string, "cases") || !strcmp(m->string, "instead"))
				continue;
			assert_true(cJSON_IsString(m));
			if (!is_known_text(&questions[i], m->string))
				fail_msg("%s.%s is no outcome", questions[i].id, m->string);
			assert_no_number(questions[i].id, m->string, m->valuestring);
			assert_short(questions[i].id, m->string, m->valuestring);
		}
		const char *missing = cJSON_GetStringValue(config_find(own, "missing"));
		assert_null(strchr(missing, '{'));
		const char *ask = cJSON_GetStringValue(config_find(own, "ask"));
		assert_int_equal(ask[strlen(ask) - 1], '?');
	}
	enum { NOT_QUESTIONS = 4 }; /* about, words, groups, costs */
	assert_int_equal(cJSON_GetArraySize(all), n_questions + NOT_QUESTIONS);
	assert_int_equal(cJSON_GetArraySize(config_find(all, "groups")), GROUPS);
}

/* ---- the section ---- */

/* Every link of the form (#place) leads to a place. */
static void assert_links(const struct document *d, const char *text)
{
	for (const char *p = text; (p = strstr(p, "](#")); p++) {
		const char *name = arena_strndup(d->arena, p + 3, strcspn(p + 3, ")"));
		if (!document_has_place(d, name))
			fail_msg("a link to %s in: %s", name, text);
	}
}

/* Every question once, in order below each heading, answered and with links that lead somewhere: at
 * the end of the first case of its evidence, or in the section when that is not there. */
static void assert_section(struct world *w)
{
	struct document *d = &w->document;
	bool seen[QUESTIONS + 1] = {false};
	const char *under = "";
	long before = 0;
	int n = 0;
	section_questions(d, &w->input);
	for (struct block *b = d->first; b; b = b->next) {
		if (b->kind == BLOCK_HEADING && b->level < 3) {
			under = b->level == 1 ? b->place : under;
			before = 0;
		}
		if (b->kind != BLOCK_HEADING || b->level != 3)
			continue;
		long number = strtol(b->text, NULL, 10);
		assert_in_range(number, before + 1, QUESTIONS);
		assert_string_equal(b->place, question_place(&w->arena, (int)number));
		assert_false(seen[number]);
		seen[number] = true;
		before = number;
		n++;
		struct answered answer = question_answer(d, &w->input, &questions[number - 1]);
		assert_string_equal(under, answer.c[0] ? answer.c[0]->place : "questions");
		assert_int_equal(b->next->kind, BLOCK_TEXT);
		assert_links(d, b->next->text);
	}
	assert_int_equal(n, QUESTIONS);
	assert_texts();
}

/* Without pages of cases all stand in the section, in groups. */
static void test_section_alone(void **state)
{
	(void)state;
	use_plans();
	struct world *w = make_world("host", changed, N_PLANS);
	struct document alone;
	document_init(&alone, &w->arena, texts, fonts);
	section_questions(&alone, &w->input);
	int n = 0, groups = 0;
	for (struct block *b = alone.first; b; b = b->next) {
		groups += b->kind == BLOCK_HEADING && b->level == 2;
		assert_int_not_equal(b->kind, BLOCK_TABLE);
		if (b->kind == BLOCK_HEADING && b->level == 3)
			assert_int_equal(strtol(b->text, NULL, 10), ++n);
	}
	assert_int_equal(n, QUESTIONS);
	assert_int_equal(groups, GROUPS);
	release_world(w);
}

static void test_section(void **state)
{
	(void)state;
	use_plans();
	struct world *w = make_world("host", changed, N_PLANS);
	assert_section(w);
	for (struct block *b = w->document.first; b; b = b->next)
		if (strstr(b->text, "make report") || strstr(b->text, "do not show it"))
			fail_msg("not answered: %s", b->text);
	release_world(w);
}

/* Each case missing in turn: only what needs it says so, and names it. */
static void test_missing(void **state)
{
	(void)state;
	for (int left_out = 0; left_out < N_PLANS; left_out++) {
		use_plans();
		const char *id = changed[left_out].id;
		changed[left_out] = changed[N_PLANS - 1];
		struct world *w = make_world("host", changed, N_PLANS - 1);
		assert_section(w);
		int told = 0;
		for (struct block *b = w->document.first; b; b = b->next)
			if (strstr(b->text, "make report")) {
				told++;
				assert_says(b->text, left_out == N_PLANS - 1 ? "" : id);
			}
		int needing = 0;
		for (int i = 0; i < n_questions; i++)
			for (int k = 0; k < questions[i].n_cases; k++)
				needing += !strcmp(question_case(&w->document, &questions[i], k),
						   id) &&
					!questions[i].instead;
		assert_int_equal(told, needing);
		release_world(w);
	}
}

/* A trace without steps, or without device work, shows nothing; it is said, and nothing fails. */
static void test_unseen(void **state)
{
	(void)state;
	use_plans();
	SMALL->n_steps = 0;
	struct world *w = make_world("host", changed, N_PLANS);
	assert_section(w);
	int told = 0;
	for (struct block *b = w->document.first; b; b = b->next)
		told += strstr(b->text, "do not show it") != NULL;
	assert_in_range(told, 5, QUESTIONS);
	release_world(w);
}

/* Nothing is asked of a run that holds none of the cases, nor of foreign traces. */
static void test_nothing_to_ask(void **state)
{
	(void)state;
	use_plans();
	changed[0].id = "my/own";
	struct world *w = make_world("host", changed, 1);
	section_questions(&w->document, &w->input);
	assert_null(questions_run(&w->document, &w->input));
	assert_null(w->document.first->next);
	release_world(w);
	use_plans();
	w = make_world("host", changed, 1);
	w->run.of_matrix = false;
	section_questions(&w->document, &w->input);
	assert_null(w->document.first->next);
	release_world(w);
}

static void test_of_a_case(void **state)
{
	(void)state;
	use_plans();
	struct world *w = make_world("host", changed, N_PLANS);
	struct document *d = &w->document;
	add_questions_of(d, &w->input, &w->c[1]);
	assert_string_equal(d->last->text, w->c[w->n - 1].title); /* no such section: no line */
	cJSON *list = cJSON_Parse("[\"cases\", \"questions\"]");
	d->sections = list;
	add_questions_of(d, &w->input, &w->c[1]);
	assert_string_equal(d->last->text,
		"Answers questions [7](#question-7), [8](#question-8), [13](#question-13).");
	add_questions_of(d, &w->input, &w->c[5]);
	assert_string_equal(d->last->text, "Answers question [22](#question-22).");
	cJSON_Delete(list);
	release_world(w);
}

/* A run on a GPU answers what it alone can, and says that it is another device. */
static void test_second_run(void **state)
{
	(void)state;
	use_plans();
	struct world *w = make_world("host", changed, N_PLANS);
	AT_ONCE->request_us = 2500;
	struct world *gpu = make_world("cuda", changed, N_PLANS);
	struct run runs[] = {w->run, gpu->run};
	for (int i = 0; i < N_PLANS; i++) {
		w->c[i].run = &runs[0];
		gpu->c[i].run = &runs[1];
	}
	struct input both = {.runs = runs, .n_runs = 2};
	struct answered answer = question_answer(&w->document, &both, find_question("late_lane"));
	assert_string_equal(answer.outcome, "request");
	assert_ptr_equal(answer.run, &runs[1]);
	answer = question_answer(&w->document, &both, find_question("hotspot"));
	assert_ptr_equal(answer.run, &runs[0]);
	section_questions(&w->document, &both);
	int elsewhere = 0;
	for (struct block *b = w->document.first; b; b = b->next)
		elsewhere += strstr(b->text, "Measured on the device cuda.") != NULL;
	int asked = 0;
	for (int i = 0; i < n_questions; i++)
		asked += questions[i].gpu;
	assert_int_equal(elsewhere, asked);
	assert_texts();
	release_world(w);
	release_world(gpu);
}

/* Of two cases that ran at different sizes nothing is compared that depends on the size. */
static void test_sizes_apart(void **state)
{
	(void)state;
	use_plans();
	LARGE_COMPILED->entry = ENTRY("\"size\": 2048", "9", ", \"asked\": {\"size\": 4096}");
	struct world *w = make_world("host", changed, N_PLANS);
	w->c[7].scaled = "too slow";
	static const char *const unanswered[] = {"bias", "limits"};
	for (size_t i = 0; i < sizeof unanswered / sizeof *unanswered; i++)
		assert_string_equal(
			question_answer(&w->document, &w->input, find_question(unanswered[i]))
				.outcome,
			"missing");
	section_questions(&w->document, &w->input);
	int told = 0;
	for (struct block *b = w->document.first; b; b = b->next)
		told += strstr(b->text, "Made smaller: asked size 4096, ran 2048.") != NULL;
	assert_in_range(told, 5, 8);
	release_world(w);
}

/* ---- two machines ---- */

static struct answered priced(struct answer *a, double price_ns, double hand_ns, int recompiles)
{
	*a = (struct answer){.arena = &arena, .texts = texts};
	fill_in_time(a, "price", price_ns);
	fill_in_time(a, "hand", hand_ns);
	fill_in_count(a, "recompiles", recompiles);
	return (struct answered){
		.question = find_question("packaged"), .outcome = "price", .answer = a};
}

/* A new shape costs both much, or one of them almost nothing: the same outcome, and another answer.
 * What the text does not tell does not count. */
static void the_same_is_the_same(void **state)
{
	(void)state;
	struct answer a, b;
	struct document d = {.texts = texts};
	const struct answered here = priced(&a, 59e6, 80e6, 1);
	struct answered there = priced(&b, 58e6, 0.89e6, 1);
	assert_false(answers_agree(&d, &here, &there));
	there = priced(&b, 5.8e6, 8.9e6, 2);
	assert_true(answers_agree(&d, &here, &there));
	there.outcome = "free";
	assert_false(answers_agree(&d, &here, &there));
	there = here;
	b = a;
	there.answer = &b;
	b.told[0] = a.told[0] = (struct quoted_value){TOLD_RATIO, 0.69, 0.69};
	assert_true(answers_agree(&d, &here, &there));
	b.told[0].number = 1; /* noise */
	assert_false(answers_agree(&d, &here, &there));
	a.told[0].number = 1;
	assert_true(answers_agree(&d, &here, &there));
	b.told[0].printed = 1.22; /* both noise, on either side of 1 */
	assert_false(answers_agree(&d, &here, &there));
	b.told[0] = (struct quoted_value){TOLD_EXACTLY, 1, 1};
	a.told[0] = (struct quoted_value){TOLD_EXACTLY, 2, 2};
	assert_false(answers_agree(&d, &here, &there));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_table, clear_arena),
		cmocka_unit_test_teardown(test_book, clear_arena),
		cmocka_unit_test_teardown(test_words, clear_arena),
		cmocka_unit_test_teardown(test_section, clear_arena),
		cmocka_unit_test_teardown(test_section_alone, clear_arena),
		cmocka_unit_test_teardown(test_missing, clear_arena),
		cmocka_unit_test_teardown(test_unseen, clear_arena),
		cmocka_unit_test_teardown(test_nothing_to_ask, clear_arena),
		cmocka_unit_test_teardown(test_of_a_case, clear_arena),
		cmocka_unit_test_teardown(test_second_run, clear_arena),
		cmocka_unit_test_teardown(test_sizes_apart, clear_arena),
		cmocka_unit_test_teardown(the_same_is_the_same, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
