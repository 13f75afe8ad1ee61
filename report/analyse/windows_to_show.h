/* SPDX-License-Identifier: Apache-2.0 */
/*
 * windows_to_show.h - which stretches of a foreign trace to show, because something happens there.
 *
 * Each kind of occasion gives at most one window, wide enough for what it is about and narrowed
 * around it until no more than WINDOW_EVENTS rows begin inside. In the order of enum occasion, a
 * window whose subject fills an eighth of another one joins that; one that overlaps another of
 * about its own length (up to three times) by more than half of the shorter is left out. Times are
 * on the trace's axis.
 */
#ifndef REPORT_ANALYSE_WINDOWS_TO_SHOW_H
#define REPORT_ANALYSE_WINDOWS_TO_SHOW_H

#include "report/analyse/analysis.h"

struct idle_causes;

enum { WINDOWS_MOST = 5, WINDOW_ROWS = 4, WINDOW_EVENTS = 400, WINDOW_BURST = 50 };

/* What the numbers and rows of a window mean. */
enum occasion {
	/* The longest gap between two device events. rows: the event before, the event after, its
	 * launch, what the thread was in; value: its length; typical: the median gap; index: into
	 * the analysis. */
	OCCASION_GAP,
	/* The longest step of several, if a tenth longer than the median. rows: the step, the span
	 * of its thread with the most self time in it; value: its length; typical: the median step;
	 * index: into analysis.steps. */
	OCCASION_STEP,
	/* Of the kernel (name, grid and block) with the largest total its longest event that can be
	 * shown with its launch; alone, when it was launched twelve times its length before. rows:
	 * the kernel, its launch; value: this event; typical: the
	 * median of the activity; count: its events; index: into analysis.activities. */
	OCCASION_KERNEL,
	/* The first call that launches a kernel. rows: the call, the first kernel, the operator
	 * around the call; value: from the call's begin to the kernel's; typical: the median of
	 * that over all kernels. */
	OCCASION_FIRST,
	/* The densest WINDOW_BURST kernel launches in a row (a quarter of all, where that is less;
	 * from 8 on). rows: first and last call; value: from the first call's begin to the last
	 * one's end; typical: the median of as many launches in a row; count: of launches. */
	OCCASION_BURST,
	/* Only without device events: the span with the most self time (rows: it; value: self time;
	 * typical: its length), the span nested deepest (rows: it; count: spans around it), and, of
	 * the thread with most spans, the stretch where they are densest (rows: first, last; value:
	 * first begin to last begin, not 0; count: of spans). */
	OCCASION_SPAN,
	OCCASION_DEEPEST,
	OCCASION_DENSEST,
	OCCASIONS
};
const char *occasion_name(enum occasion occasion); /* "gap", "step" ... */

struct shown_window {
	int64_t start_ns, end_ns; /* not empty */
	enum occasion occasion;
	unsigned int also; /* bit set of occasions whose subject lies in it too */
	bool whole; /* shows its subject from begin to end; else its decisive part */
	size_t events; /* rows that begin in it */
	uint32_t row[WINDOW_ROWS]; /* (n_rows) evidence; NO_ROW where the file has none */
	uint32_t n_rows;
	int64_t value_ns, typical_ns; /* 0 where the occasion has none */
	size_t count;
	size_t index;
};

struct windows {
	struct shown_window window[WINDOWS_MOST]; /* (n) by start */
	uint32_t n;
};

struct windows windows_of(const struct analysis *a, const struct idle_causes *idle_causes);

void windows_dump(const struct windows *w, const struct analysis *a, FILE *f);

#endif
