/*
 * sweep.h - bandwidth over the width of a row, a line a kernel: the figure of Lecture 1.
 *
 * Lines differ by colour and by dashes, and carry their names; the band around each holds the
 * middle three fifths of the runs.
 */
#ifndef REPORT_SWEEP_H
#define REPORT_SWEEP_H

#include "report/canvas.h"
#include "report/texts.h"
#include "report/tsv.h"

enum { SWEEP_LINES = 6 };

struct sweep_line {
	const char *name;
	int n;
	double *width, *low, *mid, *high; /* (n) by width; GB/s */
};

struct sweep {
	const struct texts *texts;
	const struct fonts *fonts;
	struct sweep_line line[SWEEP_LINES];
	int n;
	double widest, highest;
};

extern const double sweep_height;

/* From a table with the columns width, kernel, GB_per_s, GB_per_s_20, GB_per_s_80; rows that are no
 * numbers are left out, and kernels beyond SWEEP_LINES. False when fewer than two widths are left
 * of every kernel. */
bool sweep_of(struct sweep *s, struct arena *a, const struct tsv *t);

void sweep_draw(struct canvas *c, struct box box, const void *sweep);

#endif
