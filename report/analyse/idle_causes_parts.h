/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_causes_parts.h - what idle_causes_of() is made of: the gaps by device, and what the threads
 * were in.
 */
#ifndef REPORT_ANALYSE_IDLE_CAUSES_PARTS_H
#define REPORT_ANALYSE_IDLE_CAUSES_PARTS_H

#include "report/analyse/idle_causes.h"

/* devices, gaps with launch; nothing else of them. */
void idle_causes_gaps(struct idle_causes *l, const struct analysis *a, struct arena *arena);

/* waits; needs no device. */
void idle_causes_gather_waits(struct idle_causes *l, const struct analysis *a, struct arena *arena);

/* wait (n_gaps): the wait of the launch's thread that was open when the device fell idle and ended
 * before the launch began; NO_ROW. */
void idle_causes_waits(const struct idle_causes *l, const struct analysis *a, uint32_t *wait);

/* Sets `waited`; the causes must be known. */
void idle_causes_spans(struct idle_causes *l, const struct analysis *a);

/* Overhead rows, those that touch merged into one span: the profiler's own, or what the driver did
 * for the program (loading and compiling code, waiting for room among its commands). */
struct overhead {
	int64_t start_ns, end_ns;
	uint32_t row; /* the longest of its rows */
};

struct overheads {
	struct overhead *span; /* (n) disjoint, by start */
	size_t n;
};

struct overheads overheads_of(const struct analysis *a, bool profilers);
void overheads_release(struct overheads *o);

/* The row of the span with the most of [from_ns, to_ns) when all together cover at least half of
 * it, else NO_ROW. */
uint32_t overheads_half(const struct overheads *o, int64_t from_ns, int64_t to_ns);

#endif
