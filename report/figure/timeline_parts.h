/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_parts.h - what the files that draw a timeline share. Private to timeline*.c.
 */
#ifndef REPORT_FIGURE_TIMELINE_PARTS_H
#define REPORT_FIGURE_TIMELINE_PARTS_H

#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/figure/plot.h"
#include "report/figure/timeline.h"

static const double timeline_device_text = 7, timeline_least_bar = 0.6;

/* Where words stand already: marks keep off them. */
struct words_seen {
	struct box *box; /* (n) */
	int n, room;
};

/* What is being drawn, and where. */
struct pen {
	struct plot on; /* its arena is scratch for labels */
	const struct timeline *tl;
	struct box box; /* of the whole figure */
	double x0, w; /* the time axis */
	struct bar_colours bar[BARS];
	struct words_seen *words;
	struct timeline_counts *counts;
};

/* Time outside of the window that the numbers are about is not idle. */
static inline int64_t idle_from(const struct timeline *tl)
{
	int64_t start = tl->analysis->window.start_ns;
	return max64(tl->from_ns, start);
}

static inline int64_t idle_to(const struct timeline *tl)
{
	int64_t to = min64(tl->to_ns, tl->end_ns);
	int64_t end = tl->analysis->window.end_ns;
	return min64(to, end);
}

/* Of analysis.device_rows the first that may reach a time. */
static inline size_t device_reaching(const struct timeline *tl, int64_t time_ns)
{
	const struct analysis *a = tl->analysis;
	size_t row = trace_reaching(tl->trace, 0, time_ns);
	return first_where(k, 0, a->n_device, a->device_rows[k] >= row);
}

/* Room for the line below what differs, points. */
static inline double timeline_below(const struct timeline *tl)
{
	return tl->differs ? 2.5 : 0;
}

/* Where a time lies on an axis of that width. */
static inline double timeline_x(const struct timeline *tl, double w, int64_t ns)
{
	int64_t from = tl->from_ns, to = tl->to_ns;
	int64_t at = clip64(ns, from, to);
	return w * ((double)(at - from) / (double)(to - from));
}

static inline double x_of(const struct pen *p, int64_t ns)
{
	return p->x0 + timeline_x(p->tl, p->w, ns);
}

/* Where a row of a lane lies; x and width are left to the caller. */
struct box row_box(const struct pen *p, const struct lane *l, int row);

void draw_bar(const struct pen *p, struct box box, enum bar bar);

void draw_arrow(const struct pen *p, struct pt from, struct pt to);

/* From launches to what they launched, when there are few. */
void draw_arrows(const struct pen *p);

/* From launches whose work begins behind the right edge, with when it does. */
void draw_beyond(const struct pen *p);

/* Keeps a box in mind in which words stand. */
void keep_words(const struct pen *p, struct box box);

/* The numbered marks, after everything that has words. */
void draw_callouts(const struct pen *p);

/* What goes on behind an edge of the picture, and reaches it, ends there as if torn off. */
void tear(const struct pen *p, struct box box, bool from_left, bool to_right);

/* Counters (timeline_counters.c): which are shown, the room that they take below the lanes, and
 * their curves from there on. */
void counters_plan(struct timeline *tl);
double counters_height(const struct timeline *tl);
void draw_counters(const struct pen *p, double top);

/* Fills in the bars of planned rows. */
void timeline_merge(struct timeline *tl, struct arena *a);

/* All of them, with their labels. */
void draw_events(const struct pen *p);

#endif
