/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakdown_bar.h - where the time of a window went: one bar as long as the window, cut into the
 * parts of its breakdown (analyse/breakdown.h), which fill it exactly. Below it each part with its
 * time and its share.
 */
#ifndef REPORT_FIGURE_BREAKDOWN_BAR_H
#define REPORT_FIGURE_BREAKDOWN_BAR_H

#include "report/analyse/breakdown.h"
#include "report/figure/plot.h"
#include "report/page/document.h"

struct breakdown_bar {
	const struct texts *texts;
	const struct fonts *fonts;
	const struct time_parts *split;
	/* Filled in by breakdown_bar_plan. */
	double width, height;
};

void breakdown_bar_plan(struct breakdown_bar *s, struct arena *a, double width);
void breakdown_bar_draw(
	struct canvas *c, struct box box, const void *breakdown_bar); /* figure.draw */

extern const struct figure_kind breakdown_bar_figure;

#endif
