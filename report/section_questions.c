/* The questions, each a bookmark, with the answer of this run and the pages that prove it. */
#include "report/section.h"

#include "report/format.h"
#include "report/questions.h"

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

static const char *with_comparison(
	struct document *d, const char *list, const struct run *run, const char *id, int number)
{
	const cJSON *entry;
	cJSON_ArrayForEach(entry, config_find(run->manifest, "comparisons"))
	{
		const char *name = cJSON_GetStringValue(config_find(entry, "id"));
		const char *title = cJSON_GetStringValue(config_find(entry, "title"));
		if (name && title && !strcmp(name, id))
			return with_link(d, list, title,
				arena_printf(
					d->arena, "compare-%s", place_of(d->arena, id, number)),
				"");
	}
	return list;
}

static const char *missing_cases(struct document *d, const struct answered *answer)
{
	const char *list = "";
	for (int i = 0; i < answer->n; i++) {
		const struct text_value name = {"name", answer->question->needs[i]};
		if (!answer->c[i])
			list = arena_printf(d->arena, "%s%s%s", list,
				list[0] ? word(d, "and", NULL, 0) : "", word(d, "code", &name, 1));
	}
	return list;
}

/* "asked size 4096, ran 2048: the ..." up to the colon, once for all that were made smaller alike.
 */
static const char *scaled_cases(struct document *d, const struct answered *answer)
{
	const char *list = "";
	for (int i = 0; i < answer->n; i++) {
		const char *text = answer->c[i] ? answer->c[i]->scaled : "";
		const struct text_value scaled = {
			"scaled", arena_strndup(d->arena, text, strcspn(text, ":"))};
		const char *sentence = text[0] ? word(d, "scaled", &scaled, 1) : "";
		if (!strstr(list, sentence))
			list = arena_printf(d->arena, "%s%s", list, sentence);
	}
	return list;
}

static const char *links_of(
	struct document *d, const struct input *in, const struct answered *answer)
{
	const char *links = "", *compare = answer->question->compare;
	for (int i = 0; i < answer->n; i++)
		if (answer->c[i])
			links = with_link(
				d, links, answer->c[i]->title, answer->c[i]->place, answer->text);
	if (!compare)
		return links;
	return with_comparison(d, links, answer->run, compare, (int)(answer->run - in->runs));
}

/* Why there is no answer, or where the answer was measured, and where it is to be seen. */
static const char *evidence(
	struct document *d, const struct input *in, const struct answered *answer)
{
	const char *missing = missing_cases(d, answer), *links = links_of(d, in, answer);
	const struct text_value values[] = {
		{"links", links}, {"list", missing}, {"device", answer->run->device}};
	const char *see = links[0] ? word(d, "see", values, 3) : "", *why = "";
	if (!strcmp(answer->outcome, "missing"))
		why = word(d, missing[0] ? "unmeasured" : "unseen", values, 3);
	else if (answer->run != questions_run(in))
		why = word(d, "elsewhere", values, 3);
	return arena_printf(d->arena, "%s%s%s", why, scaled_cases(d, answer), see);
}

static void add_question(struct document *d, const struct input *in, int number)
{
	const struct question *q = &questions[number - 1];
	struct arena *a = d->arena;
	const char *ask = question_text(d->texts, a, q->id, "ask", NULL, 0);
	const struct text_value values[] = {{"n", format_count(a, number)}, {"ask", ask}};
	document_heading(d, 3, question_place(a, number), word(d, "heading", values, 2));
	struct answered answer = question_answer(d, in, q);
	document_add(d, BLOCK_TEXT, arena_printf(a, "%s%s", answer.text, evidence(d, in, &answer)));
}

void section_questions(struct document *d, const struct input *in)
{
	if (!questions_run(in))
		return;
	document_heading(d, 1, "questions", word(d, "title", NULL, 0));
	document_add(d, BLOCK_TEXT, word(d, "about", NULL, 0));
	for (int i = 0; i < n_questions; i++) {
		if (questions[i].group)
			document_heading(d, 2, NULL,
				question_text(
					d->texts, d->arena, "groups", questions[i].group, NULL, 0));
		add_question(d, in, i + 1);
	}
}
