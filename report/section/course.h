/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course.h - the seam to the course: what the pages of a run of our own matrix have beyond those of
 * any trace (chapters, questions and their answers, comparisons, plots over all cases).
 *
 * The program hands it to the document (document.course), and the sections ask there. A program
 * without it shows any trace with the same pages, and refuses a run of a matrix in one line.
 */
#ifndef REPORT_SECTION_COURSE_H
#define REPORT_SECTION_COURSE_H

#include "report/page/document.h"
#include "report/run/run.h"

struct course {
	/* Its sections, ended by a NULL name; template_sections.c has their places. */
	const struct course_section {
		const char *name;
		void (*build)(struct document *d, const struct input *in);
	} * sections;
	/* What page one of a run has for its title, in sentences, and in pictures with them; NULL
	 * or nothing where it has none. */
	const char *(*title)(struct document *d, const struct input *in);
	void (*add_sentences)(struct document *d, const struct input *in);
	void (*add_front)(struct document *d, const struct input *in);
	/* A line on a case's own page: the questions that it answers. */
	void (*add_questions_of)(
		struct document *d, const struct input *in, const struct report_case *c);
	/* The plot over all cases that shows this one as a point, so that its page is short: the id
	 * of the plot, and the key of what is said of it. False: none. */
	bool (*is_point)(const struct report_case *c, const char **figure, const char **key);
	/* The sheet for a class, or its key: the exercises of the course. False, and nothing is
	 * added: this run cannot fill them. */
	bool (*add_sheet)(struct document *d, const struct input *in, bool key);
	/* The source of the kernels that a run made; nothing when it has none. */
	void (*add_made_source)(struct document *d, const struct run *run);
};

#endif
