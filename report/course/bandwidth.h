/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bandwidth.h - bandwidth over the width of a row: one kernel, rows of several widths, how many
 * bytes a second it moves.
 *
 * From the cases of a run: those with the same workload, mode, type and number of rows whose shapes
 * differ in `dim`, and whose steady steps run one kernel. A dot is one run of that kernel: the
 * bytes that it reads and writes (case_work.h) over its time. Per width the median, and the band
 * from the 20 % to the 80 % quantile. At least WIDTHS_FROM widths make a curve.
 *
 * From sweep.tsv beside run.json or in tables/ there, as tests/gpu/tables sweep prints it (columns
 * width, kernel, GB_per_s, GB_per_s_20, GB_per_s_80): medians and bands without dots.
 *
 * The dashed line is the copy in the device that moved most bytes in the same run, at its median; a
 * copy moves each byte twice.
 */
#ifndef REPORT_COURSE_BANDWIDTH_H
#define REPORT_COURSE_BANDWIDTH_H

#include "report/figure/plot.h"
#include "report/page/document.h"
#include "report/run/run.h"

enum { WIDTHS_FROM = 3, MOST_SERIES = 6, MOST_FOUND = 32, MOST_WIDTHS = 64 };

struct width_point {
	double width; /* elements of a row */
	double *rate; /* (n) bytes a second, ascending; NULL when only the three below are known */
	size_t n;
	double low, median, high;
	const struct report_case *c; /* NULL: from the table */
};

struct width_series {
	const char *title; /* the workload, or the kernel of the table */
	double rows; /* 0: not known */
	struct width_point *point; /* (n) by width */
	int n;
	bool measured_apart; /* from the table, not from traces of this run */
};

struct bandwidth_plot {
	const struct texts *texts;
	const struct fonts *fonts;
	struct width_series series[MOST_FOUND];
	int n; /* at most MOST_SERIES */
	int left_out; /* curves beyond those */
	double copy_rate, copy_bytes; /* 0: no copy in the run */
	double high_rate; /* of all, the copy's too */
	double width, height; /* filled in by bandwidth_plot_plan */
};

/* False when there is no curve. */
bool bandwidth_plot_find(struct bandwidth_plot *w, struct arena *a, const struct run *run);

/* Bytes a second of the copy within the device that moves most bytes in a run, read and written:
 * the median of its runs; 0 without a copy. *bytes: what it moves. */
double largest_copy_rate(const struct run *run, double *bytes);

/* Is the case one of a curve, so that its own pages may be short? */
bool bandwidth_plot_has(const struct run *run, const struct report_case *c);

void bandwidth_plot_plan(struct bandwidth_plot *w, double width);
void bandwidth_plot_draw(
	struct canvas *c, struct box box, const void *bandwidth_plot); /* figure.draw */

extern const struct figure_kind bandwidth_figure;

#endif
