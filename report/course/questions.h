/* SPDX-License-Identifier: Apache-2.0 */
/*
 * questions.h - the room of answers: what a reader asks of a profile, and what a run's own cases
 * answer.
 *
 * In comes the input of a report; out goes a `struct answered` for each question, with its text
 * made and the cases that prove it. A case that is missing, or whose trace does not show the
 * answer, is the outcome "missing", no error. The one struct is `struct question`.
 *
 * A question is a row of a const table: the cases whose traces hold its answer, and a function that
 * takes the values out of them and says which of the question's texts is the true one. The words
 * are in templates/<lang>/questions.json under the question's id: `cases`, and `instead` with
 * others for runs that lack one of them; `ask`, one text for each outcome, and `missing` for a run
 * that lacks a case. The texts hold no numbers but sizes and sources: every number is computed.
 *
 * The questions are those of Hugging Face's "Profiling in PyTorch" 1 and 2 and of GPU MODE's
 * Lecture 1, in the order in which these ask them; their numbers are their places in the table,
 * from 1.
 */
#ifndef REPORT_COURSE_QUESTIONS_H
#define REPORT_COURSE_QUESTIONS_H

#include "report/page/document.h"
#include "report/run/run.h"

enum { QUESTION_CASES = 3, QUESTION_OUTCOMES = 4 };

struct answer;

typedef const char *answer_function(struct answer *a);

struct question {
	const char *id;
	int n_cases; /* whose traces hold its answer: question_case */
	const char *outcome[QUESTION_OUTCOMES]; /* its texts */
	answer_function *answer; /* says one of them; NULL: the traces do not show it */
	const char *group; /* of the first one of a group: its id; else NULL */
	const char *compare; /* a comparison that shows it too, or NULL */
	bool gpu; /* asked of a run on a GPU, when there is one with these cases */
	int other; /* 0: its "cases"; else which of the lists of its "instead", from 1 */
	const struct question *instead; /* with other cases, for inputs that lack one of these */
};

extern const struct question questions[];
extern const int n_questions;

/* The run that answers: of ours, the first that holds a case of any question; NULL: there is none,
 * and nothing is asked. */
const struct run *questions_run(const struct document *d, const struct input *in);

/* The id of its ith case, evidence in this order. */
const char *question_case(const struct document *d, const struct question *q, int i);

/* Has a run every case of a question? */
bool question_has_all(const struct document *d, const struct question *q, const struct run *run);

/* Which outcome the traces show, and its text with their values. There must be a questions_run().
 */
struct answered {
	const struct question *question; /* the one that was asked, or what it has instead */
	const struct run *run;
	const struct report_case *c[QUESTION_CASES]; /* (n) NULL: not in this run */
	int n;
	const char *outcome; /* "missing" where a case is not there or shows nothing */
	const char *text; /* marked up, in the document's arena */
	const struct answer *answer; /* what its text was made of */
};
struct answered question_answer(
	struct document *d, const struct input *in, const struct question *q);

/* Do the answers of two machines agree, in all that the text of their one outcome tells: in counts
 * and regimes, in the order of its times, in the verdict of its ratios and on which side of 1 they
 * are printed, in which shares are the larger part? */
bool answers_agree(
	const struct document *d, const struct answered *one, const struct answered *other);

/* "question-7", a place of the document. */
const char *question_place(struct arena *a, int number);

/* A line on a case's own page: the questions that it answers. Nothing when it answers none, or when
 * the document has no questions. */
void add_questions_of(struct document *d, const struct input *in, const struct report_case *c);

/* A text of questions.json. */
const char *question_text(const struct texts *t, struct arena *a, const char *id, const char *name,
	const struct text_value *values, int n);

#endif
