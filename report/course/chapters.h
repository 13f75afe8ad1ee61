/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chapters.h - the parts of a chapter of the book: where it stands, and its box of numbers.
 *
 * A chapter is a row of templates/<lang>/chapters.json, which says what its members are: lines of
 * the program, the cases whose guesses it quotes, pictures, the questions (questions.h) that it
 * answers, a box with the same numbers of this machine, of a recorded one and of the posts, and an
 * exercise. It appears when the run has one of its cases, with what those can fill.
 */
#ifndef REPORT_COURSE_CHAPTERS_H
#define REPORT_COURSE_CHAPTERS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* "chapter-waits", a place of the document. */
const char *chapter_place(struct arena *a, const cJSON *chapter);

/* A case of the first run, by its id; NULL: the run has none such with steps. */
const struct report_case *chapter_case(const struct input *in, const char *id);

/* The same of the first recorded input that has it, which `of` names then; NULL: none has. */
const struct report_case *recorded_case(
	const struct document *d, const struct input *in, const char *id, const struct input **of);

/* The place in the book of the first chapter that is about a case; NULL: none is. */
const char *chapter_about(const struct document *d, const struct input *in, const char *id);

/* The same; NULL: the document has no chapters. */
const char *chapter_of_case(const struct document *d, const struct input *in, const char *id);

/* The same of the first of a comparison's cases that has one. */
const char *chapter_of_comparison(
	const struct document *d, const struct input *in, const struct run_comparison *of);

/* The place of the first picture in a chapter that shows the steps of both cases of this run, on
 * the device or on the CPU; NULL: there is none. */
const char *picture_of_both(const struct document *d, const struct input *in, const char *one,
	const char *other, bool device);

/* A line of a program for a table, indented by signs that no line is broken at; "" for NULL. */
const char *code_line(struct document *d, const char *line);

/* A picture that chapters.json describes, of this run and of the first recorded one that has it. */
void add_picture_of_both(struct document *d, const struct input *in, const cJSON *picture);

/* The title of a chapter by its id, with the number that it has in the book of this run; "". */
const char *chapter_title(const struct document *d, const struct input *in, const char *id);

/* What each chapter is about, and its page. */
void add_chapter_map(struct document *d, const struct input *in);

/* What was guessed of its cases, each sentence with a mark for each machine and what was measured.
 */
void add_chapter_guesses(struct document *d, const struct input *in, const cJSON *chapter);

/* The box: a row for each number that this machine or a recorded one has, and what became of the
 * guesses. */
void add_chapter_box(struct document *d, const struct input *in, const cJSON *chapter);

/* Below it those of its rows that are one time over another, beside a line at 1×; a row that stands
 * there does not stand in the box. */
void add_chapter_strips(struct document *d, const struct input *in, const cJSON *chapter);
bool in_strips(const cJSON *row);

/* Where the answer to a question stands in the book. */
const char *chapter_answer_place(struct arena *a, const char *id);

/* A question by its id (answer/questions.h), its answer, and what recorded runs answer: in_full
 * also where that is the same. */
void add_chapter_answer(struct document *d, const struct input *in, const char *id, bool in_full);

#endif
