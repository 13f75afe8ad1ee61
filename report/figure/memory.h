/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - the memory of each device over the time of a trace: what the allocator had given out
 * and, where it says so, what it held, as `[memory]` instants tell it; the peak, and the operator
 * or line in which it came; and, where blocks are known, who asked for them (memory_bands.h).
 */
#ifndef REPORT_FIGURE_MEMORY_H
#define REPORT_FIGURE_MEMORY_H

#include "report/figure/memory_bands.h"
#include "report/figure/plot.h"
#include "report/page/document.h"

enum { MOST_MEMORIES = 4 };

struct memory_point {
	int64_t at_ns, allocated, reserved; /* from then on; reserved: -1 unknown */
};

struct memory_line {
	int32_t device; /* -1: the CPU */
	const struct memory_point *point; /* (n) by time, the first of what there was before */
	size_t n, peak; /* index of the first with most */
	const char *peak_op; /* the innermost operator that ran then on its thread, or the line of a
				snapshot; NULL: none */
	const struct memory_bands *bands; /* who asked for it; NULL: not told */
	double height; /* of its panel */
};

struct memory_lines {
	const struct texts *texts;
	const struct fonts *fonts;
	struct memory_line line[MOST_MEMORIES]; /* (n) devices first, then the CPU */
	int n;
	int64_t start_ns, end_ns; /* that the changes span */
	int64_t zero_ns; /* where the axis is 0 */
	bool records; /* time counts the records of a file without stamps */
	double height; /* filled in by memory_find */
};

/* The memories that changed; false when the trace tells of none. */
bool memory_find(struct memory_lines *m, struct arena *arena, const struct analysis *a,
	const struct memory_use *use);

void memory_draw(struct canvas *c, struct box box, const void *memory_lines); /* figure.draw */

extern const struct figure_kind memory_figure;

#endif
