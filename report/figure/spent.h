/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent.h - where the time of a window went: one bar as long as the window, cut into the parts of
 * its partition (analyse/partition.h), which fill it exactly. Below it each part with its time and
 * its share.
 */
#ifndef REPORT_FIGURE_SPENT_H
#define REPORT_FIGURE_SPENT_H

#include "report/analyse/partition.h"
#include "report/figure/plot.h"
#include "report/page/document.h"

struct spent_bar {
	const struct texts *texts;
	const struct fonts *fonts;
	const struct split *split;
	/* Filled in by spent_plan. */
	double width, height;
};

void spent_plan(struct spent_bar *s, struct arena *a, double width);
void spent_draw(struct canvas *c, struct box box, const void *spent_bar); /* figure.draw */

extern const struct figure_kind spent_figure;

#endif
