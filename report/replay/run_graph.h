/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_graph.h - runs the graph of replay.h: its window once, its window as a step that recurs, or
 * all of the file. Each point and event is looked at once, in the order of the graph, in constant
 * time; only what a change spares the host is sought, from where it was sought last.
 */
#ifndef REPORT_REPLAY_RUN_GRAPH_H
#define REPORT_REPLAY_RUN_GRAPH_H

#include "report/replay/graph.h"

enum run_kind { RUN_PLAIN /* by the graph alone: replay.h */, RUN_WINDOW, RUN_STEP };

/* Fills in r->pace, once the graph is built, and anew for another r->cost: most points are not
 * touched by a change, and take the same time in every run. */
void run_graph_pace(struct replay *r, struct arena *arena);

/* How long the window is, at least 0. NULL: with no change. */
int64_t run_graph(const struct replay *r, const struct replay_change *change, enum run_kind kind);

/* How far n pairs of moments lie apart when nobody records. */
void run_graph_moments(
	const struct replay *r, const struct time_moments *of, uint32_t n, int64_t *length_ns);

#endif
