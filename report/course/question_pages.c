/* SPDX-License-Identifier: Apache-2.0 */
/* The questions, each a bookmark, answered at the end of the case that proves it; and an index. */
#include "base/text_builder.h"
#include "report/section/parts.h"
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "report/course/chapters.h"
#include "report/course/parts.h"
#include "report/course/questions.h"
#include "report/page/append_document.h"
#include "report/page/table_builder.h"
#include "report/run/place_names.h"
#include "report/run/recorded_elsewhere.h"
#include "report/run/shrunk_title.h"

#include <string.h>

static const char *word(
	struct document *d, const char *name, const struct text_value *values, int n)
{
	return question_text(d->texts, d->arena, "words", name, values, n);
}

/* Links lead only to what stands in the document; what the text names already needs the page alone.
 */
static const char *with_link(struct document *d, const char *list, const char *title,
	const char *place, const char *text)
{
	const struct text_value values[] = {{"title", title}, {"place", place}};
	if (!document_has_place(d, place))
		return list;
	bool named = strstr(text, arena_printf(d->arena, "(#%s)", place));
	return arena_printf(d->arena, "%s%s%s", list, list[0] ? word(d, "and", NULL, 0) : "",
		word(d, named ? "link_page" : "link", values, 2));
}

static const char *with_comparison(struct document *d, const char *list, const struct input *in,
	const struct run *run, const char *id)
{
	int number = (int)(run - in->runs);
	const struct run_comparison *of = comparison_named(run, id);
	if (!of)
		return list;
	return with_link(d, list, comparison_title(d->arena, in, run, of),
		arena_printf(d->arena, "compare-%s", place_of(d->arena, id, number)), "");
}

static const char *missing_cases(struct document *d, const struct answered *answer)
{
	struct text_builder list = {.arena = d->arena};
	for (int i = 0; i < answer->n; i++) {
		const struct text_value name = {"name", question_case(d, answer->question, i)};
		if (!answer->c[i])
			text_add(&list, "%s%s", text_separator(&list, word(d, "and", NULL, 0)),
				word(d, "code", &name, 1));
	}
	return text_built(&list);
}

static bool is_same_change(const struct work_change *a, const struct work_change *b)
{
	bool same_name = !a->name == !b->name && (!a->name || !strcmp(a->name, b->name));
	return same_name && !strcmp(a->asked, b->asked) && !strcmp(a->ran, b->ran);
}

/* Is all that was made smaller of a case said of another, which says more or comes first? */
static bool says_more(struct document *d, const struct answered *answer, int i)
{
	struct arena *a = d->arena;
	struct work_change mine[MOST_CHANGES], others[MOST_CHANGES];
	int n = work_changes(a, told_work(answer->c[i]), mine);
	for (int k = 0; k < answer->n; k++) {
		if (k == i || !answer->c[k] || !case_scaled_untold(answer->c[k]))
			continue;
		int m = work_changes(a, told_work(answer->c[k]), others), found = 0;
		for (int x = 0; x < n; x++)
			for (int y = 0; y < m; y++)
				found += is_same_change(&mine[x], &others[y]);
		if (found == n && (m > n || k < i))
			return true;
	}
	return false;
}

/* "asked size 4096, ran 2048" of each, once for all that were made smaller alike and whose titles
 * do not say it. */
static const char *scaled_cases(struct document *d, const struct answered *answer)
{
	struct text_builder list = {.arena = d->arena};
	for (int i = 0; i < answer->n; i++) {
		const struct report_case *c = answer->c[i];
		const char *text = c && case_scaled_untold(c) ? changes_in_words(d, c) : "";
		const struct text_value scaled = {"scaled", text};
		if (text[0] && !says_more(d, answer, i))
			text_add(&list, "%s", word(d, "scaled", &scaled, 1));
	}
	return text_built(&list);
}

static const char *links_of(
	struct document *d, const struct input *in, const struct answered *answer, bool at_home)
{
	const char *links = "", *compare = answer->question->compare;
	for (int i = at_home; i < answer->n; i++)
		if (answer->c[i])
			links = with_link(
				d, links, answer->c[i]->title, answer->c[i]->place, answer->text);
	if (!compare)
		return links;
	return with_comparison(d, links, in, answer->run, compare);
}

/* The first recorded run that has the cases of a question and shows its answer; -1: none. */
static int recorded_that_answers(
	struct document *d, const struct input *in, const struct question *q)
{
	for (int i = 0; i < d->parts && d->part; i++) {
		const struct input *recorded = &in->recorded->input[i];
		struct document asking = d->part[i];
		if (!questions_run(d, recorded) ||
			!question_has_all(d, q, questions_run(d, recorded)))
			continue;
		struct answered there = question_answer(&asking, recorded, q);
		if (strcmp(there.outcome, "missing") != 0 && there.c[0])
			return i;
	}
	return -1;
}

/* Why there is no answer, or where the answer was measured, and where it is to be seen. */
static const char *evidence(
	struct document *d, const struct input *in, const struct answered *answer, bool at_home)
{
	const char *missing = missing_cases(d, answer), *links = links_of(d, in, answer, at_home);
	const struct text_value values[] = {
		{"links", links}, {"list", missing}, {"device", answer->run->device}};
	const char *see = links[0] ? word(d, "see", values, 3) : "", *why = "";
	bool unanswered = !strcmp(answer->outcome, "missing");
	if (unanswered && recorded_that_answers(d, in, answer->question) < 0)
		why = word(d, missing[0] ? "unmeasured" : "unseen", values, 3);
	else if (!unanswered && answer->run != questions_run(d, in))
		why = word(d, "elsewhere", values, 3);
	return arena_printf(d->arena, "%s%s%s", why, scaled_cases(d, answer), see);
}

static const char *asked(struct document *d, int number)
{
	return question_text(d->texts, d->arena, questions[number - 1].id, "ask", NULL, 0);
}

/* What a recorded run answers, with its page: in full where it says anything else than the answer
 * here or that is asked for, and else that it is the same, behind the answer here. */
static void add_recorded_answer(struct document *to, struct document *d, const struct input *in,
	int nth, const struct answered *here, bool in_full)
{
	struct arena *a = d->arena;
	const struct document *part = &d->part[nth];
	struct document asking = *part; /* whose places the answer shall name */
	const struct answered there =
		question_answer(&asking, &in->recorded->input[nth], here->question);
	const char *prefix = recorded_prefix(a, nth);
	bool same = !in_full && answers_agree(d, &there, here);
	bool shown = document_has_place(part, there.c[0]->place);
	const char *key = shown ? (same ? "recorded_same" : "recorded")
				: (same ? "recorded_same_alone" : "recorded_alone");
	const struct text_value values[] = {{"device", recorded_device(there.run)},
		{"title", there.c[0]->title}, {"place", there.c[0]->place}, {"answer", there.text}};
	const char *text = part_text(a, part, prefix, word(d, key, values, 4));
	if (same && !shown)
		to->last->text = arena_printf(a, "%s %s", to->last->text, text);
	else
		document_add(to, BLOCK_TEXT, text);
}

static void add_recorded(struct document *to, struct document *d, const struct input *in,
	int number, const struct answered *here, bool in_full)
{
	const struct question *q = &questions[number - 1];
	int nth = recorded_that_answers(d, in, q);
	struct answered answer = *here;
	if (nth < 0)
		return;
	if (answer.question != q) /* with other cases, which is another answer */
		answer.outcome = "";
	answer.question = q;
	add_recorded_answer(to, d, in, nth, &answer, in_full);
}

/* The question and its answer into `to`, whose links lead to what stands in d. */
static void add_asked(
	struct document *to, struct document *d, const struct input *in, int number, bool at_home)
{
	struct arena *a = d->arena;
	const struct text_value values[] = {
		{"n", format_count(a, number)}, {"ask", asked(d, number)}};
	document_heading(to, 3, question_place(a, number), word(d, "heading", values, 2));
	struct answered answer = question_answer(d, in, &questions[number - 1]);
	document_add(to, BLOCK_TEXT,
		arena_printf(a, "%s%s", answer.text, evidence(d, in, &answer, at_home)));
	add_recorded(to, d, in, number, &answer, false);
}

const char *chapter_answer_place(struct arena *a, const char *id)
{
	return arena_printf(a, "chapter-answer-%s", id);
}

void add_chapter_answer(struct document *d, const struct input *in, const char *id, bool in_full)
{
	int number = 1;
	while (number <= n_questions && strcmp(questions[number - 1].id, id) != 0)
		number++;
	if (number > n_questions) {
		missing_text(d->texts, d->arena, "chapters", id);
		return;
	}
	if (!questions_run(d, in))
		return;
	struct answered answer = question_answer(d, in, &questions[number - 1]);
	const struct text_value ask = {"ask", asked(d, number)};
	struct block *b = document_add(d, BLOCK_TEXT, word(d, "asked", &ask, 1));
	b->level = 1;
	document_place(d, b, chapter_answer_place(d->arena, id));
	document_add(d, BLOCK_TEXT,
		arena_printf(d->arena, "%s%s", answer.text, evidence(d, in, &answer, false)));
	add_recorded(d, d, in, number, &answer, in_full);
}

/* The first case of its evidence, when that has pages of its own here; else NULL. */
static const struct report_case *home_of(
	struct document *d, const struct input *in, const struct question *q)
{
	struct answered answer = question_answer(d, in, q);
	const struct report_case *c = answer.n ? answer.c[0] : NULL;
	return c && document_has_place(d, c->place) ? c : NULL;
}

/* The last block of the pages that begin with a place. */
static struct block *end_of(struct document *d, const char *place)
{
	struct block *b = d->first;
	while (b && (!b->place || strcmp(b->place, place) != 0))
		b = b->next;
	while (b && b->next && b->next->kind != BLOCK_PAGE &&
		(b->next->kind != BLOCK_HEADING || b->next->level > 1))
		b = b->next;
	return b;
}

static void answer_at_home(struct document *d, const struct input *in,
	const struct report_case *const home[], const struct report_case *c)
{
	struct document part;
	document_init(&part, d->arena, d->texts, d->fonts);
	for (int i = 0; i < n_questions; i++) {
		if (!home[i] || home[i] != c)
			continue;
		if (!part.first)
			document_heading(&part, 2, NULL, word(d, "at_home", NULL, 0));
		add_asked(&part, d, in, i + 1, true);
	}
	struct block *behind = part.first ? end_of(d, c->place) : NULL;
	if (behind)
		document_insert(d, behind, &part);
}

static const char *group_title(struct document *d, int i)
{
	const char *group = questions[i].group;
	return group ? question_text(d->texts, d->arena, "groups", group, NULL, 0) : NULL;
}

static const struct table_form index_form = {.size = 8,
	.column = {{"", COLUMN_NUMBER}, {"questions.ask", .weight = 1}, {"questions.where"}}};

/* All questions, and where their answers stand. */
static void add_index(struct document *d, const struct report_case *const home[])
{
	struct rows t = rows_begin(d, &index_form, 0);
	for (int i = 0; i < n_questions; i++) {
		const struct text_value values[] = {{"title", home[i] ? home[i]->title : ""},
			{"place", question_place(d->arena, i + 1)}};
		rows_group(&t, group_title(d, i));
		put_count(&t, i + 1);
		put(&t, asked(d, i + 1));
		put(&t, word(d, home[i] ? "link" : "link_page", values, 2));
	}
}

void section_questions(struct document *d, const struct input *in)
{
	if (!questions_run(d, in))
		return;
	const struct report_case **home = arena_array(d->arena, (size_t)n_questions, sizeof *home);
	int at_home = 0;
	for (int i = 0; i < n_questions; i++)
		at_home += (home[i] = home_of(d, in, &questions[i])) != NULL;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		answer_at_home(d, in, home, c);
	document_heading(d, 1, "questions", word(d, "title", NULL, 0))->flows = true;
	document_add(d, BLOCK_TEXT, word(d, "about", NULL, 0));
	if (at_home)
		add_index(d, home);
	for (int i = 0; i < n_questions; i++) {
		if (home[i])
			continue;
		if (!at_home && group_title(d, i))
			document_heading(d, 2, NULL, group_title(d, i));
		add_asked(d, d, in, i + 1, false);
	}
}
