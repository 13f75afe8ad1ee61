/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_figures.h - the pictures of one case.
 */
#ifndef REPORT_SECTION_CASE_FIGURES_H
#define REPORT_SECTION_CASE_FIGURES_H

#include "report/analyse/case_numbers.h"
#include "report/figure/timeline.h"
#include "report/page/document.h"
#include "report/run/run.h"

struct callouts; /* marks.h */

/* The pictures of all steps and of one, planned together so that each mark stands in the one that
 * shows its event. */
struct case_pictures {
	struct timeline *zoom; /* NULL: none follows */
	const struct callouts *marks; /* NULL: none */
};

/* All recorded steps; without steps, the whole trace. When a zoom follows, and
 * there are two steps and more, it has no legend itself and frames the zoom's place. Returns what
 * the zoom below is drawn from. */
struct case_pictures add_steps_figure(
	struct document *d, const struct report_case *c, bool zoom_follows);

/* One step: the first when it is at least twice as wide as the others, else a typical one. */
void add_zoom_figure(
	struct document *d, const struct report_case *c, const struct case_pictures *above);

/* Every run of the kernels with the largest totals, a strip each. */
void add_runs_figure(struct document *d, const struct report_case *c);

/* Every run of the device activity that takes most time, when there are at least ten. */
void add_samples_figure(struct document *d, const struct report_case *c);

/* Three to five windows of a trace, chosen because something happens there, each with the reason.
 */
void add_window_figures(struct document *d, const struct report_case *c);

/* From a step's start to the end of its own device work. */
int64_t step_end_ns(const struct step *s);

/* Was a tenth of the first step set-up, or more, and was nothing called before? */
bool starts_cold(const struct report_case *c);

#endif
