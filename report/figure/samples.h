/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.h - every run of one kernel as a dot, with median and mean as lines: what a single number
 * hides.
 */
#ifndef REPORT_FIGURE_SAMPLES_H
#define REPORT_FIGURE_SAMPLES_H

#include "report/canvas/canvas.h"
#include "report/page/document.h"
#include "report/page/template_texts.h"

enum { SAMPLES_ALL_DRAWN = 1000 }; /* of more, one in each place */

struct sample_plot {
	const struct texts *texts;
	const struct fonts *fonts;
	int64_t *ns; /* (n) in the order of the runs */
	size_t n;
	double median_ns, mean_ns;
	double height; /* sample_plot_height */
};

extern const double sample_plot_height;

void sample_plot_draw(struct canvas *c, struct box box, const void *sample_plot);

extern const struct figure_kind samples_figure;

#endif
