/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drill.h - a chapter of exercises: many short ones over the same cases, whose key stands with the
 * answers.
 *
 * Each is a member of "drill" of the chapter: what is asked, and its key.
 */
#ifndef REPORT_COURSE_DRILL_H
#define REPORT_COURSE_DRILL_H

#include "report/page/document.h"
#include "report/run/run.h"

/* The words of an exercise of templates/<lang>/<file>.json by their name ("key"), filled in with
 * its "values": numbers by name, ["measure", "case"] or ["measure", "case", "over"], as the box has
 * them (chapters.h), of this run or, where it lacks a case, of the first recorded one that has it.
 */
const char *words_with_numbers(struct document *d, const struct input *in, const cJSON *e,
	const char *file, const char *name);

/* What is asked, numbered, with room to answer; nothing where the chapter has no such exercises. */
void add_drill(struct document *d, const cJSON *chapter);

/* The key in the same order; false where the chapter has none. */
bool add_drill_key(struct document *d, const struct input *in, const cJSON *chapter);

/* What the adviser says of each case of a workload: what limits it, and what to do first. Nothing
 * when the run has none. */
void add_advice_table(struct document *d, const struct run *run, const char *workload);

/* Where the device works in a step of each case of a workload, and where it does not. Nothing when
 * the run has none. */
void add_step_parts(struct document *d, const struct run *run, const char *workload);

#endif
