/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cold_start.h - the strip below a timeline whose first step is cold: that step magnified, cut into
 * what it was spent on (first_step_causes.h).
 */
#ifndef REPORT_FIGURE_COLD_START_H
#define REPORT_FIGURE_COLD_START_H

#include "report/analyse/first_step_causes.h"
#include "report/figure/timeline.h"

/* How a cause is coloured; BARS for what no span explains. */
enum bar cold_cause_bar(enum cold_cause cause);

/* Do causes share a colour, so that the bars of some are lower? */
bool cold_has_low_bars(const struct cold_start *cold);

/* The window at the width of `box`, with each cause where it happened and its sum beside its name.
 * The bracket above it spans left to right, where the window lies. */
extern const double cold_height;
void cold_draw(struct canvas *c, const struct texts *texts, const struct fonts *fonts,
	const struct cold_start *cold, struct box box, double left, double right);

#endif
