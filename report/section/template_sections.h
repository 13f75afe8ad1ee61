/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template_sections.h - the room of chapters: what a report says, in which order, made of all other
 * rooms.
 *
 * In come `struct input` (run/run.h) and a template that lists sections by name; out goes a
 * `struct document` (page/document.h) with their blocks. The one struct is `struct section`, a row
 * for each chapter. A chapter with nothing to say adds nothing, so none of them can fail; only a
 * template that names an unknown one does.
 */
#ifndef REPORT_SECTION_TEMPLATE_SECTIONS_H
#define REPORT_SECTION_TEMPLATE_SECTIONS_H

#include "report/page/document.h"
#include "report/run/run.h"

struct section {
	const char *name;
	void (*build)(struct document *d, const struct input *in); /* NULL: of the course */
	const char *places; /* what it calls its places, or begins their names with before a "-",
			       with a blank between; cases have their own: "" */
	bool of_cases; /* it has the pages of the cases */
};

extern const struct section sections[]; /* ends with a NULL name */

/* Appends the sections that a template lists, and for each recorded run, in a part of its own,
 * those that it lists under "recorded" (an empty list: no such parts, but sections show those runs
 * beside this one); an unknown one is an error, and so is a run of a matrix without a course
 * (course.h). Links to places of sections
 * that are not listed become plain words (document_links.h). */
int document_build(struct document *d, const struct input *in, const cJSON *layout,
	const char *name, struct err *err);

/* How many questions a handout of this document has: those of its cases that it wants. */
int document_questions(const struct document *d, const struct input *in);

/* Joins what a section has made of the nth recorded run, a document like d->part[nth] with its own
 * links and figures. */
void document_join_recorded(
	struct document *d, struct document *part, const struct input *in, int nth);

/* A few foreign traces get all their pages; of many the first get one, and a place to link to. */
bool case_is_in_full(const struct report_case *c);
bool case_is_shown(const struct report_case *c);

/* Every case of a run with all that can be said of it. */
void add_cases_of_run(struct document *d, const struct input *in, const struct run *run);

/* How many cases of a run have no page: of a matrix those behind the first thousand, which take
 * some 1 GB and 2000 pages. */
void add_more_cases(struct document *d, const struct run *run);

void section_ranks(struct document *d, const struct input *in);
void section_baseline(struct document *d, const struct input *in);
void section_brief(struct document *d, const struct input *in);
void section_comment(struct document *d, const struct input *in);
void section_summary(struct document *d, const struct input *in);
void section_trace(struct document *d, const struct input *in);
void section_cases(struct document *d, const struct input *in);
void section_surprises(struct document *d, const struct input *in);
void section_note(struct document *d, const struct input *in);
void section_machine(struct document *d, const struct input *in);
void section_kernels(struct document *d, const struct input *in);
void section_cheatsheet(struct document *d, const struct input *in);
void section_appendix(struct document *d, const struct input *in);
void section_environment(struct document *d, const struct input *in);
void section_exercises(struct document *d, const struct input *in);
void section_answers(struct document *d, const struct input *in);

#endif
