/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_events.h - the events behind the pictures of a page of HTML, so that its script can show
 * each of them: those that paper has no room for, too. Private to html*.c.
 *
 * Of every trace that a timeline of the document shows: what has a duration, on the host and on
 * the device. Where all have no room, there are those that begin or end in the windows of the
 * pictures of a part, and of the rest the longest; where these windows alone hold too many, the
 * longest of them. How many of how many there are is written beside them.
 */
#ifndef REPORT_HTML_EVENTS_H
#define REPORT_HTML_EVENTS_H

#include "report/figure/timeline.h"

/* A timeline in a picture, and where it stands there. */
struct html_view {
	const struct timeline *of;
	double y; /* points, from the top of the picture */
};

/* The timelines of a picture, in the arena; *n is 0 where it has none. */
const struct html_view *html_views(struct arena *a, const struct figure *figure, int *n);

/* A trace that the page has the events of. */
struct html_trace {
	const struct trace *trace;
	const struct analysis *analysis;
	const struct html_view *window; /* (n_windows) pictures of a part of it */
	int n_windows, room;
};

struct html_traces {
	struct html_trace *trace; /* (n) in the order in which the document shows them */
	int n, room;
};

/* As what a "<" stands in the page's data; html_events_write() counts it as that long. */
#define HTML_LESS "\\u003c"

struct html_traces html_traces_of(struct arena *a, const struct document *d);

/* Its number on the page; -1: it is none of them. */
int html_trace_number(const struct html_traces *all, const struct trace *t);

/* Writes them as one array of JSON of at most `most_bytes`, but for what their names and lanes
 * alone take. A trace is an object: "names", [text, number of its bar]; "tracks", 0 or {"name",
 * "detail", "events": four numbers each: start after the one before and duration in ns, name, and
 * of what was launched 1 + the number of the launch in its track, else 0; "from": of these the
 * track}; "end" in ns; "shown" of "all" events. */
void html_events_write(const struct html_traces *all, size_t most_bytes, FILE *f);

#endif
