/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - the stages of analysis_of(), in the order in which they run; each reads what
 * the earlier ones filled in.
 */
#ifndef REPORT_ANALYSE_PARTS_H
#define REPORT_ANALYSE_PARTS_H

#include "report/analyse/analysis.h"

void analyse_classes(struct analysis *a, struct arena *arena); /* class, device_rows, counts */
void analyse_steps(struct analysis *a, struct arena *arena); /* main_track, steps */
void analyse_window(struct analysis *a, struct arena *arena); /* window, busy, gaps */
void analyse_activities(struct analysis *a, struct arena *arena); /* activities */
void analyse_launches(struct analysis *a); /* delay, call: of all launches */
void analyse_table(
	struct analysis *a, struct arena *arena); /* the profiler table, device, by class */
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

#endif
