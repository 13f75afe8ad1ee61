/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_delays.h - launch latency: for each case a strip of dots, one for every device event, at
 * its queue delay on a logarithmic axis, with a tick at the median.
 *
 * The delay is the event's start less the end of the call that launched it (struct activity). What
 * began before its call had returned (delay at or below 0) stands in a column of its own at the
 * left. Dots that would lie on each other are stacked; beyond STACK of them the rest is told apart
 * by the median only. An event was queued when an event that began before it ended after its call
 * had returned; the delays of the others are what a launch costs by itself.
 *
 * The same figure shows how long every run of a kernel took: a strip for each kernel, the durations
 * in place of the delays.
 */
#ifndef REPORT_FIGURE_LAUNCH_DELAYS_H
#define REPORT_FIGURE_LAUNCH_DELAYS_H

#include "report/figure/plot.h"
#include "report/page/document.h"
#include "report/run/run.h"

enum { MOST_DELAY_ROWS = 40 };

struct delay_row {
	const char *title;
	int64_t *delay_ns; /* (n) ascending */
	size_t n;
	double median_ns;
	size_t early; /* of them at or below 0 */
	size_t queued; /* of them: earlier work still ran when the call returned */
	int64_t *free_ns; /* (n - queued) the delays of the others */
};

struct delay_plot {
	const struct texts *texts;
	const struct fonts *fonts;
	struct delay_row *row; /* (n) */
	int n;
	int left_out; /* cases with device events beyond MOST_DELAY_ROWS */
	double low_ns, high_ns; /* of the delays above 0; 0, 0 when there is none */
	size_t events, early, queued; /* sums */
	double free_ns; /* median delay of those that were not queued, NAN if all were */
	double width, height, title_w; /* filled in by delay_plot_plan */
};

/* The delays of all device events with a launch in the file; false when no case has any. */
bool delay_plot_find(struct delay_plot *s, struct arena *a, const struct run *run);

/* The durations of the kernels with the largest totals, at most `most` of them; false without any.
 * `queued` and `free_ns` say nothing here. */
bool delay_plot_of_kernels(
	struct delay_plot *s, struct arena *a, const struct report_case *c, uint32_t most);

void delay_plot_plan(struct delay_plot *s, double width);
void delay_plot_draw(struct canvas *c, struct box box, const void *delay_plot); /* figure.draw */

extern const struct figure_kind delays_figure;

#endif
