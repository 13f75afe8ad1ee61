/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame_parts.h - what blame_of() is made of: first every piece of idle time is told by what the
 * host did, then pieces are summed by kind, by name and by gap.
 */
#ifndef REPORT_ANALYSE_BLAME_PARTS_H
#define REPORT_ANALYSE_BLAME_PARTS_H

#include "report/analyse/blame_kinds.h"

/* Idle time that one span of the host has. */
struct blamed {
	uint32_t gap; /* index into idle_causes.gaps */
	uint32_t row; /* the span, NO_ROW */
	uint8_t kind; /* enum blame_kind */
	int64_t start_ns, ns, window_ns;
};

struct blamed_list {
	struct blamed *piece; /* (n) malloc, by time */
	size_t n, room;
};

/* Whose time is it, but the device's queue's, the recorder's and what the file does not show? */
static inline bool blame_is_hosts(enum blame_kind kind)
{
	return kind <= BLAME_NOTHING;
}

struct summing_up {
	const struct analysis *a;
	const struct idle_causes *l;
	struct host_kinds *kinds;
	const struct blamed_list *list;
	struct arena *arena; /* of the result */
	struct blame *out;
};

/* Gives the pauses of Python that are another thread's to it. */
void blame_find_lock(struct blamed_list *list);

/* whole, window (but silence and rhythm), causes. */
void blame_sum_causes(const struct summing_up *u);

/* Silences, and what is rhythm. */
void blame_sum_silences(const struct summing_up *u);

#endif
