/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/section/parts.h"

typedef void (*case_call)(struct document *d, const struct input *in, const struct report_case *c,
	const char *number);

/* Every case with a question and a trace, numbered from 1. */
static void for_each_question(struct document *d, const struct input *in, case_call call)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (c->readable && c->question[0])
			call(d, in, c, format_count(d->arena, ++n));
	}
}

static void add_exercise(
	struct document *d, const struct input *in, const struct report_case *c, const char *number)
{
	(void)in;
	struct block *head = document_heading(
		d, 2, c->place, said(d, "exercises.heading", "n", number, "title", c->title, NULL));
	head->bookmark = literal(d, c->title);
	document_say(d, BLOCK_TEXT, "case.question", "text", c->question, NULL);
	document_say(d, BLOCK_CAPTION, "exercises.guess", NULL)->level = 1;
	document_add(d, BLOCK_LINES, "")->n = 2;
	add_steps_figure(d, c, false);
}

static void add_answer(
	struct document *d, const struct input *in, const struct report_case *c, const char *number)
{
	document_heading(
		d, 3, NULL, said(d, "exercises.heading", "n", number, "title", c->title, NULL));
	add_guess(d, NULL, c);
	add_verdict_table(d, in, c);
}

void section_exercises(struct document *d, const struct input *in)
{
	struct block *b = document_say(d, BLOCK_TITLE, "exercises.title", NULL);
	b->place = "summary";
	b->note = said(d, "exercises.about", NULL);
	d->exercise = true;
	for_each_question(d, in, add_exercise);
	d->exercise = false;
}

void section_answers(struct document *d, const struct input *in)
{
	document_heading(d, 1, "answers", said(d, "answers.title", NULL));
	document_say(d, BLOCK_TEXT, "answers.about", NULL);
	for_each_question(d, in, add_answer);
}
