/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "report/section/course.h"
#include "report/section/own_sheet.h"
#include "report/section/parts.h"

typedef void (*case_call)(struct document *d, const struct input *in, const struct report_case *c,
	const char *number);

#include <fnmatch.h>
#include <string.h>

static bool is_wanted(const struct document *d, const struct report_case *c)
{
	bool any = !d->n_only;
	for (int i = 0; i < d->n_only; i++)
		any = any || !fnmatch(d->only[i], c->id, 0) || !fnmatch(d->only[i], c->tag, 0);
	return any && c->readable && c->question[0];
}

int document_questions(const struct document *d, const struct input *in)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		n += is_wanted(d, c);
	return n;
}

/* Every case with a question and a trace that is wanted, numbered from 1. */
static void for_each_question(struct document *d, const struct input *in, case_call call)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (is_wanted(d, c))
			call(d, in, c, format_count(d->arena, ++n));
	}
}

/* Of two machines an exercise has two answers. */
static void add_machines(struct document *d, const struct input *in)
{
	if (d->parts && in->n_runs)
		document_say(d, BLOCK_TEXT, "sheet.machines", "here", recorded_device(&in->runs[0]),
			"device", recorded_device(&in->recorded->input[0].runs[0]), NULL);
}

/* What it was recorded on, as far as the run or the first trace says so. */
static void add_recorded_on(struct document *d, const struct input *in)
{
	const struct run *run = in->n_runs ? &in->runs[0] : NULL;
	const struct report_case *c = next_case(in, NULL);
	if (run && run->of_matrix)
		document_say(d, BLOCK_CAPTION, "exercises.run", "device", recorded_device(run),
			"date", arena_strndup(d->arena, run->created, strcspn(run->created, "T")),
			NULL);
	else if (c && c->readable)
		document_add(d, BLOCK_CAPTION, machine_line(d, c));
}

static const char *picture_place(struct document *d, const struct report_case *c)
{
	return arena_printf(d->arena, "exercises-%s", c->place);
}

static void add_room(struct document *d, const char *key, int n)
{
	document_say(d, BLOCK_CAPTION, key, NULL)->level = 1;
	document_add(d, BLOCK_LINES, "")->n = n;
}

static void add_exercise(
	struct document *d, const struct input *in, const struct report_case *c, const char *number)
{
	(void)in;
	struct block *head = document_heading(
		d, 2, c->place, said(d, "exercises.heading", "n", number, "title", c->title, NULL));
	head->bookmark = literal(d, c->title);
	document_say(d, BLOCK_TEXT, "exercises.question", "text", c->question, "place",
		picture_place(d, c), NULL)
		->level = 1;
	add_room(d, "exercises.guess", 3);
}

static void add_picture(
	struct document *d, const struct input *in, const struct report_case *c, const char *number)
{
	(void)in;
	document_heading(d, 3, picture_place(d, c),
		said(d, "exercises.heading", "n", number, "title", c->title, NULL));
	add_steps_figure(d, c, false);
	add_room(d, "exercises.seen", 2);
}

static void add_answer(
	struct document *d, const struct input *in, const struct report_case *c, const char *number)
{
	bool alone = !document_has_place(d, c->place);
	document_heading(d, 2, alone ? c->place : NULL,
		said(d, "exercises.heading", "n", number, "title", c->title, NULL));
	document_say(d, BLOCK_TEXT, "case.question", "text", c->question, NULL)->level = 1;
	add_guess(d, in, c);
	if (alone)
		add_steps_figure(d, c, false);
	add_verdict_table(d, in, c);
}

/* The sheet of the course, where nobody chose questions. */
static bool add_course_sheet(struct document *d, const struct input *in, bool key)
{
	return !d->n_only && d->course && in->n_runs && in->runs[0].of_matrix &&
		d->course->add_sheet(d, in, key);
}

/* The trace of anybody that the sheet is about, where none brings a question; NULL: one does. */
static const struct report_case *own_case(const struct document *d, const struct input *in)
{
	const struct report_case *c = next_case(in, NULL);
	bool foreign = in->n_runs && !in->runs[0].of_matrix;
	while (c && !c->readable)
		c = next_case(in, c);
	return foreign && !d->n_only && !document_questions(d, in) ? c : NULL;
}

static void add_name(struct document *d)
{
	document_add(d, BLOCK_LINES, said(d, "exercises.name", NULL))->n = 1;
}

/* All questions stand before the first picture, which begins a page of its own: whoever guesses has
 * not seen it. */
void section_exercises(struct document *d, const struct input *in)
{
	struct block *b = document_say(d, BLOCK_TITLE, "exercises.title", NULL);
	document_place(d, b, "summary");
	b->note = said(d, "exercises.about", NULL);
	add_recorded_on(d, in);
	if (!d->n_only)
		add_machines(d, in);
	add_name(d);
	d->exercise = 1;
	if (add_course_sheet(d, in, false)) {
		d->exercise = 0;
		return;
	}
	const struct report_case *own = own_case(d, in);
	for_each_question(d, in, add_exercise);
	if (own)
		add_own_questions(d, own);
	document_heading(d, 1, "exercises", said(d, "exercises.pictures", NULL));
	document_say(d, BLOCK_TEXT, "exercises.pictures.about", NULL);
	for_each_question(d, in, add_picture);
	if (own)
		add_own_picture(d, own);
	d->exercise = 0;
}

/* Where the sheet has predictions; else its key says something else of itself. */
static struct block *add_answers_title(struct document *d, const struct input *in)
{
	const char *about = said(d, "answers.about", NULL);
	if (d->first) {
		document_heading(d, 1, "answers", said(d, "answers.title", NULL));
		return document_add(d, BLOCK_TEXT, about);
	}
	struct block *b = document_say(d, BLOCK_TITLE, "answers.title", NULL);
	document_place(d, b, "summary");
	b->note = about;
	add_recorded_on(d, in);
	return b;
}

/* A document of their own, or behind the questions. */
void section_answers(struct document *d, const struct input *in)
{
	struct block *about = add_answers_title(d, in);
	const struct report_case *own = own_case(d, in);
	if (own)
		add_own_key(d, own);
	else if (!add_course_sheet(d, in, true)) {
		for_each_question(d, in, add_answer);
		return;
	}
	*(about->kind == BLOCK_TITLE ? &about->note : &about->text) =
		said(d, "answers.key.about", NULL);
}
