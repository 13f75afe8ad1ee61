/* SPDX-License-Identifier: Apache-2.0 */
/*
 * windows_parts.h - what could be shown, before it is fitted and chosen.
 */
#ifndef REPORT_ANALYSE_WINDOWS_PARTS_H
#define REPORT_ANALYSE_WINDOWS_PARTS_H

#include "report/analyse/windows.h"

/* A subject with room around it. When that holds too many events, the room goes first, then the
 * subject shrinks towards its decisive moment. */
struct subject {
	int64_t room_from_ns, room_to_ns;
	int64_t from_ns, to_ns; /* within the room */
	int64_t moment_ns; /* within the subject */
	struct shown_window window; /* without start, end, whole and events */
};

/* Each fills in one subject; false when the trace has none. */
bool find_gap(const struct analysis *a, const struct ledger *l, struct subject *s);
bool find_step(const struct analysis *a, const struct ledger *l, struct subject *s);
bool find_kernel(const struct analysis *a, const struct ledger *l, struct subject *s);
bool find_first(const struct analysis *a, const struct ledger *l, struct subject *s);
bool find_burst(const struct analysis *a, const struct ledger *l, struct subject *s);
bool find_span(const struct analysis *a, const struct ledger *l, struct subject *s);
bool find_deepest(const struct analysis *a, const struct ledger *l, struct subject *s);
bool find_densest(const struct analysis *a, const struct ledger *l, struct subject *s);

/* Rows that begin in [from_ns, to_ns). */
size_t events_between(const struct trace *t, int64_t from_ns, int64_t to_ns);

#endif
