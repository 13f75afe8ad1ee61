/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ratio_strips.h - the ratios of a chapter beside a line at 1×: a dot with its interval for each
 * machine.
 *
 * A row is one time over another. Left of the line less time is taken, right of it more; what
 * crosses the line is grey, since nothing shows that there is a difference. The scale is
 * logarithmic, so that half and twice are as far.
 */
#ifndef REPORT_COURSE_RATIO_STRIPS_H
#define REPORT_COURSE_RATIO_STRIPS_H

#include "report/judge/judge.h"
#include "report/page/document.h"

enum { STRIP_MACHINES = 2, MOST_STRIPS = 12 };

struct ratio_strips {
	const struct texts *texts;
	const struct fonts *fonts;
	const char
		*machine[STRIP_MACHINES]; /* their names above the numbers; NULL: no such machine */
	struct ratio_strip {
		const char *what, *posts; /* posts: what the posts say, "" for nothing */
		struct sure_ratio at[STRIP_MACHINES]; /* ratio 0: not measured there */
	} row[MOST_STRIPS];
	int n;
	/* Filled in by ratio_strips_plan. */
	double height;
	bool posts; /* some row has a word of theirs */
};

void ratio_strips_plan(struct ratio_strips *s);

/* Where a ratio lies from the left end of the strip, as a share of its width; intervals end at its
 * ends. */
double ratio_strips_place(const struct ratio_strips *s, double ratio);

extern const struct figure_kind ratio_strips_figure;

#endif
