/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - what several pages of the course show, and its sections.
 */
#ifndef REPORT_COURSE_PARTS_H
#define REPORT_COURSE_PARTS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* The pictures of one of the run's comparisons, without its head and table: `picture` is one of
 * chapters.json. Nothing when fewer than two of its cases ran. */
void add_comparison_picture(
	struct document *d, const struct input *in, const struct run *run, const cJSON *picture);

/* What such a picture decides: its cases from the shortest median to the longest, each with the
 * length that is drawn, and which neighbours nothing tells apart; "" where it is not shown. */
const char *comparison_order(struct document *d, const struct input *in, const cJSON *picture);

/* May that order begin with this case: is nothing shorter that can be told apart from it? */
bool comparison_may_begin(
	struct document *d, const struct input *in, const cJSON *picture, const char *id);

/* Can all of its cases be told apart? */
bool comparison_is_told(struct document *d, const struct input *in, const cJSON *picture);

/* A picture over all cases of a run, with its heading and small print: "roofline", "latency",
 * "widths", "bytes", "crossover", "closing", "backends", "advice". Nothing when the run has no
 * cases for it.
 */
void add_run_picture(
	struct document *d, const struct input *in, const struct run *run, const cJSON *picture);

/* The roofline of a run with its heading, of a book with the cases that its chapters are about. As
 * an exercise it has neither rates nor shares, nor the cases that match the glob `without`. Returns
 * what its memory reached in bytes a second, 0 without a roofline. */
double add_roofline(struct document *d, const struct input *in, const struct run *run,
	const char *id, const char *without);

/* What the numbers of a run cannot tell apart, and whether its machine was too loaded; NULL where
 * nothing is known of it. */
const char *noise_sentence(struct document *d, const struct run *run);

/*
 * The table that ends the series: what each kind of case runs, predicted and
 * seen, and what became of its intermediate.
 *
 * One row for each workload and mode of a run: its largest case, a warm one if there is one. What
 * is said of it is told from the device events of its first steady step and from the bytes of
 * case_work.h.
 */

/* Appends it with its heading; nothing when the run has no case to tell of. `there`: the same cases
 * on another machine, in a column of their own, with what became of them otherwise; NULL: none. */
void add_closing_table(struct document *d, const struct run *run, const struct input *there);

/* The sentence of one case, with markup. */
const char *closing_sentence(struct document *d, const struct report_case *c);

/* How much more or less a step of a case computes than one of the first, of what ran; "" for as
 * much. */
const char *work_ratio(
	struct document *d, const struct report_case *first, const struct report_case *c);

/* The names of the GEMM kernels of a case, each once; "–" for none. */
const char *gemms_of_case(struct document *d, const struct report_case *c);

/* The GEMM kernels of two cases, those of their first steady steps in order: NULL when one of them
 * has none, "" when all are the same, else the differences in words. */
const char *gemm_difference(struct document *d, const struct report_case *from,
	const struct report_case *to, int most_parts);

/* The step by which a picture shows host and device on one clock: that of step_time.h or, where the
 * device was never free as a steady one was asked for, the first recorded one if nothing was set up
 * in it. It is no sample of any number: the picture says which step it is. */
uint32_t step_on_one_clock(const struct analysis *a);

/*
 * Rows of course.c.
 */
void section_reading(struct document *d, const struct input *in);
void section_solutions(struct document *d, const struct input *in);
void section_noise(struct document *d, const struct input *in);
void section_chapters(struct document *d, const struct input *in);
void section_comparisons(struct document *d, const struct input *in);
void section_traces(struct document *d, const struct input *in);
void section_tables(struct document *d, const struct input *in);
void section_questions(struct document *d, const struct input *in);
void section_overview(struct document *d, const struct input *in);

#endif
