/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_parts.h - what ledger_of() is made of: the gaps by device, and what the threads were in.
 */
#ifndef REPORT_ANALYSE_LEDGER_PARTS_H
#define REPORT_ANALYSE_LEDGER_PARTS_H

#include "report/analyse/ledger.h"

/* devices, gaps with launch; nothing else of them. */
void ledger_gaps(struct ledger *l, const struct analysis *a, struct arena *arena);

/* waits; needs no device. */
void ledger_gather_waits(struct ledger *l, const struct analysis *a, struct arena *arena);

/* wait (n_gaps): the wait of the launch's thread that was open when the device fell idle and ended
 * before the launch began; NO_ROW. */
void ledger_waits(const struct ledger *l, const struct analysis *a, uint32_t *wait);

/* Sets `waited`; the causes must be known. */
void ledger_spans(struct ledger *l, const struct analysis *a);

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
