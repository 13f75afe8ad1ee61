/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crossover.h - who is the limit at which size: what a step costs the CPU to launch and the device
 * to do, over the size of its matrices, and the size at which the two are equal.
 *
 * From the cases of a run: those with the same workload, mode and type that differ in `size`, were
 * recorded warm, and have at least CROSSOVER_STEPS steady steps (one case a size, that with most of
 * them). At least CROSSOVER_SIZES sizes make a picture. A point is the median over the steady
 * steps, its bar reaches from the 20 % to the 80 % quantile. CPU time is the duration of the step
 * on the thread that launches, device time the time in which the device worked for it
 * (case_numbers.h).
 *
 * Where the two lines cross is found between neighbours, straight on the logarithmic scales that
 * are drawn.
 */
#ifndef REPORT_COURSE_CROSSOVER_H
#define REPORT_COURSE_CROSSOVER_H

#include "report/figure/plot.h"
#include "report/page/document.h"
#include "report/run/run.h"

enum { CROSSOVER_SIZES = 4, CROSSOVER_STEPS = 4, CROSSOVER_MOST = 24 };

/* What a busy minute makes of a time: under load one quantity of one process came out as 1.02, 1.26
 * and 1.72 times another. Three runs of one commit had crossings at 36, below all sizes, and none.
 */
enum { CROSSOVER_MINUTE = 2 };

struct crossover_time {
	double low, median, high; /* ns; quantiles of 20, 50 and 80 % */
};

struct crossover_point {
	double size; /* elements along an edge */
	struct crossover_time cpu, device;
	uint32_t n; /* steady steps */
	const struct report_case *c;
};

struct crossover {
	const struct texts *texts;
	const struct fonts *fonts;
	struct crossover_point point[CROSSOVER_MOST]; /* (n) by size */
	int n;
	double crossing; /* the size; 0: the lines do not cross in the sizes that were measured */
	bool level; /* at the smallest size the two bars overlap, or one takes less than
		       CROSSOVER_MINUTE times the other: the next run may say the opposite */
	const char *title; /* whose it is, above the picture; NULL: nothing */
	const struct crossover *beside; /* drawn to its right, as wide; NULL: it stands alone */
	double width, height; /* points, filled in by crossover_plan */
};

/* False when the run has no such cases. Of several series the first is taken. */
bool crossover_find(struct crossover *x, struct arena *a, const struct run *run);

/* Is the case a point of the picture, so that its own pages may be short? */
bool crossover_has(const struct run *run, const struct report_case *c);

/* The crossing as it is told: it lies between two sizes that were measured, of which the curve says
 * two digits at most. 0: there is none. */
double crossover_about(const struct crossover *x);

/* From which point on the device surely takes longer: CROSSOVER_MINUTE times the CPU's at least. n:
 * from none. */
int crossover_device_from(const struct crossover *x);

void crossover_plan(struct crossover *x, double width);
void crossover_draw(struct canvas *c, struct box box, const void *crossover); /* figure.draw */

extern const struct figure_kind crossover_figure;

#endif
