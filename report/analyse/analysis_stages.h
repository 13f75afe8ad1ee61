/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis_stages.h - what the files of the room share: the stages of analysis_of(), in the order
 * in which they run (each reads what the earlier ones filled in), the walk over busy time, and the
 * halves of windows_of() and ranks_of().
 */
#ifndef REPORT_ANALYSE_ANALYSIS_STAGES_H
#define REPORT_ANALYSE_ANALYSIS_STAGES_H

#include "report/analyse/analysis.h"
#include "report/analyse/ranks.h"
#include "report/analyse/windows_to_show.h"

void analyse_classes(struct analysis *a, struct arena *arena); /* class, device_rows, counts */
void analyse_shapes(struct analysis *a, struct arena *arena); /* shapes */
void analyse_steps(struct analysis *a, struct arena *arena); /* main_track, steps */
void analyse_window(struct analysis *a, struct arena *arena); /* window, busy, gaps */
void analyse_activities(struct analysis *a, struct arena *arena); /* activities */
void analyse_launches(struct analysis *a); /* delay, call: of all launches */
void analyse_table(
	struct analysis *a, struct arena *arena); /* the profiler table, device, by class */

/* Rows that nest on another lane than their track (n, by row). A row of the recorder's overhead,
 * which the file puts on a thread of its own, stands on the thread that a span of contains it
 * whole: the one that begins the file, where PyTorch puts it, else the only one. Where none does,
 * or several others, it stays on its own. The caller frees. */
struct profiler_lane *moved_overheads(const struct trace *t, size_t *n);

/* A span of a thread, where they nest: what a file has that is nobody's profile of operators. */
bool is_plain_span(const struct trace *t, size_t row);

void analyse_compile(struct analysis *a, struct arena *arena); /* compile */
void analyse_regime(struct analysis *a); /* regime */

/* The union of device events as disjoint spans, one after the other, clipped to [from_ns, to_ns).
 */
struct busy_walk {
	const struct analysis *a;
	size_t next; /* index into device_rows */
	int64_t from_ns, to_ns;
	bool kernels_only;

	int64_t start_ns, end_ns; /* the present span */
	uint32_t first, last; /* rows: the one it begins with, the one that ends it */
};

struct busy_walk busy_walk(
	const struct analysis *a, int64_t from_ns, int64_t to_ns, bool kernels_only);
bool busy_walk_next(struct busy_walk *w);
int64_t busy_between(const struct analysis *a, int64_t from_ns, int64_t to_ns, bool kernels_only);

/* ---- windows_to_show_find.c: what could be shown, before it is fitted and chosen ---- */

/* A subject with room around it. When that holds too many events, the room goes first, then the
 * subject shrinks towards its decisive moment. */
struct subject {
	int64_t room_from_ns, room_to_ns;
	int64_t from_ns, to_ns; /* within the room */
	int64_t moment_ns; /* within the subject */
	struct shown_window window; /* without start, end, whole and events */
};

/* Each fills in one subject; false when the trace has none. */
bool find_gap(const struct analysis *a, const struct idle_causes *l, struct subject *s);
bool find_step(const struct analysis *a, const struct idle_causes *l, struct subject *s);
bool find_kernel(const struct analysis *a, const struct idle_causes *l, struct subject *s);
bool find_first(const struct analysis *a, const struct idle_causes *l, struct subject *s);
bool find_burst(const struct analysis *a, const struct idle_causes *l, struct subject *s);
bool find_span(const struct analysis *a, const struct idle_causes *l, struct subject *s);
bool find_deepest(const struct analysis *a, const struct idle_causes *l, struct subject *s);
bool find_densest(const struct analysis *a, const struct idle_causes *l, struct subject *s);

/* Rows that begin in [from_ns, to_ns). */
size_t events_between(const struct trace *t, int64_t from_ns, int64_t to_ns);

/* ---- ranks_straggler.c: the second half of ranks_of() ---- */

/* Sets straggler and the rows' steps_led; the rows must be filled in and in order. */
void ranks_compare(struct ranks *r, const struct rank_part *part, struct arena *arena);

#endif
