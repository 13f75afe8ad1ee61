/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline.h - every case of a run on one plot: how much it computes for each byte it has to touch,
 * and how fast it computed.
 *
 * x is flop_per_step / bytes_per_step of run.json, y is flop_per_step over the median device busy
 * time of a step; both logarithmic. The roofs are measured, never taken from a datasheet: for each
 * data type the fastest single product of the run (operations of work_of() over its duration, a
 * split product with its sum; where it is all the device does in a step, the step's operations),
 * and the fastest single copy or pointwise kernel (bytes over duration) of at least
 * ROOF_LEAST_BYTES: less is in the caches, and its duration is near the clock's resolution. Small
 * tensors stay in caches, so where it differs there is a second memory roof, of large tensors: of
 * the kernels that move at least ten times what set the first one, or half of what any moves where
 * that is less. Where the run says how large the
 * device's level-2 cache is ("GPU level-2 cache"), what fits into it is no measure of the memory.
 * Only where nothing larger was run these count as well. (Williams, Waterman, Patterson: Roofline,
 * CACM 52(4), 2009.)
 */
#ifndef REPORT_COURSE_ROOFLINE_H
#define REPORT_COURSE_ROOFLINE_H

#include "base/dtype.h"
#include "report/figure/plot.h"
#include "report/page/document.h"
#include "report/run/run.h"

enum { ROOF_LEAST_BYTES = 1000000 };
enum { LEAST_POINTS = 3, MOST_POINTS = 40, MOST_ROOFS = 4 };

struct roof {
	double rate; /* FLOP or bytes a second; 0: there is none */
	double amount; /* FLOP or bytes of the event that reached it */
	int64_t ns; /* its duration */
	const struct report_case *c;
	const char *kernel;
	enum dtype dtype; /* of a product */
	/* Filled in by roofline_plan, from the top left of the figure. */
	struct pt from, to;
	struct box label;
	const char *text;
};

struct roof_point {
	const struct report_case *c;
	double intensity, rate; /* FLOP a byte, FLOP a second */
	double share; /* of the roof above it: the lower one of its data type's and of the memory
			 roof's, of large tensors where the step moves more than what set the
			 other; at most 1. NAN above the memory roof: its data stay in caches */
	int dtype; /* index into compute; -1: no product of its type */
};

struct roofline {
	const struct texts *texts;
	const struct fonts *fonts;
	struct roof compute[MOST_ROOFS]; /* (n_compute) one for each data type, in order of
					    appearance */
	int n_compute;
	struct roof memory, large; /* large.rate is 0 when it is no other roof */
	struct roof_point *point; /* (n) in the order of the cases, of the same work only one */
	int n;
	double cache_bytes; /* size of the level-2 cache, when no more than that did not count for
			       the memory; else 0 */
	double least_bytes; /* what counted for the memory moved more */
	double large_bytes; /* what counted for large tensors moved as much or more */
	/* Filled in by roofline_plan. */
	double width, height;
	bool bare; /* without rates and shares: they are asked for */
	struct scale x, y;
	struct plot_label *label; /* (n) */
};

/* False when fewer than LEAST_POINTS cases have numbers, or no roof of a kind was measured. */
bool roofline_find(struct roofline *r, struct arena *a, const struct run *run);

/* What the memory gave at most, in bytes a second: with large tensors, since smaller ones stay in
 * caches. The one rate that a book calls reachable. */
double roofline_memory(const struct roofline *r);

/* Places everything; texts and fonts must be there. The figure's data: keep it as long. */
void roofline_plan(struct roofline *r, struct arena *a, double width);

void roofline_draw(struct canvas *c, struct box box, const void *roofline); /* figure.draw */

extern const struct figure_kind roofline_figure;

#endif
