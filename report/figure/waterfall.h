/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waterfall.h - from a step before to a step after: a bar for each part that changed, which begins
 * where the one above it ends, so that the picture adds up.
 */
#ifndef REPORT_FIGURE_WATERFALL_H
#define REPORT_FIGURE_WATERFALL_H

#include "report/figure/plot.h"
#include "report/page/document.h"

struct waterfall_row {
	const char *label;
	int64_t from_ns, to_ns; /* a whole step: from 0 */
	bool whole;
	bool largest; /* in bold */
};

struct waterfall {
	const struct texts *texts;
	const struct fonts *fonts;
	const struct waterfall_row *row; /* (n) */
	int n;
	double width, height; /* filled in by waterfall_plan */
};

void waterfall_plan(struct waterfall *w, double width);
void waterfall_draw(struct canvas *c, struct box box, const void *waterfall);

extern const struct figure_kind waterfall_figure;

#endif
