/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame_parts.h - what blame_of() is made of: pieces of idle time told by what the host did, one
 * after the other, and their sums by kind, by name and by gap.
 */
#ifndef REPORT_ANALYSE_BLAME_PARTS_H
#define REPORT_ANALYSE_BLAME_PARTS_H

#include "report/analyse/blame_kinds.h"

/* Idle time that one span of the host has. */
struct blamed {
	uint32_t gap; /* of the analysis */
	uint32_t row; /* the span, NO_ROW */
	uint8_t kind; /* enum blame_kind */
	int64_t start_ns, ns, window_ns;
};

/* Whose time is it, but the device's queue's, the recorder's and what the file does not show? */
static inline bool blame_is_hosts(enum blame_kind kind)
{
	return kind <= BLAME_NOTHING;
}

/* Sums that pieces are added to, in the order of time. */
struct blame_sums;

/* lock: pauses of Python that are multiples of LOCK_NS are another thread's. `scratch` has to last
 * until the end. */
struct blame_sums *blame_sums_begin(struct arena *scratch, const struct analysis *a,
	const struct idle_causes *l, struct host_kinds *kinds, bool lock);
void blame_sums_add(struct blame_sums *s, const struct blamed *x);

/* Are there so many such pauses that they are the lock's? */
bool blame_sums_tell_lock(const struct blame_sums *s);

/* whole, window, causes, silences; what the sums hold of their own is freed, which is all that
 * blame_sums_drop() does. */
void blame_sums_end(struct blame_sums *s, struct arena *arena, struct blame *out);
void blame_sums_drop(struct blame_sums *s);

#endif
