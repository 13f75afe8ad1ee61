/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.h - the kinds of damage that reading mends or survives, and a tally of them.
 */
#ifndef REPORT_TRACE_REPAIR_H
#define REPORT_TRACE_REPAIR_H

#include "base/arena.h"
#include "report/trace/trace.h"

enum repair_kind {
	/* the text */
	REPAIR_BOM,
	REPAIR_WORD,
	REPAIR_NUMBER,
	REPAIR_COMMA_EXTRA,
	REPAIR_COMMA_MISSING,
	REPAIR_COMMENT,
	REPAIR_QUOTES,
	REPAIR_NO_EVENT,
	REPAIR_LOST,
	REPAIR_GARBAGE,
	REPAIR_SECOND_LIST,
	REPAIR_LIST_CLOSED,
	REPAIR_SECOND_DOCUMENT,
	REPAIR_LINES,
	REPAIR_CUT_EVENT,
	REPAIR_CUT,
	REPAIR_TRAILING,
	/* texts, counted once per distinct text */
	REPAIR_CONTROL,
	REPAIR_BACKSLASH,
	REPAIR_SURROGATE,
	REPAIR_UTF8,
	/* numbers and times */
	REPAIR_NO_TIME,
	REPAIR_TIME_RANGE,
	REPAIR_NEGATIVE,
	REPAIR_NO_DURATION,
	REPAIR_OTHER_CLOCK,
	/* begin and end */
	REPAIR_NO_END,
	REPAIR_NO_BEGIN,
	/* below the JSON */
	REPAIR_GZ_CUT,
	REPAIR_GZ_DAMAGED,
	REPAIR_GZ_CHECKSUM,
	REPAIR_GZ_TRAILING,
	REPAIR_UNREADABLE,
	REPAIR_KINDS
};

struct repair_tally {
	struct repair kind[REPAIR_KINDS];
};

/* Counts n of a kind at an offset; `at`, lent, points at up to `room` bytes of context, NULL for
 * none. */
void repair_note(struct repair_tally *tally, enum repair_kind kind, int64_t n, int64_t offset,
	const char *at, size_t room);

/* Adds the counts of another tally; the earlier place wins. */
void repair_merge(struct repair_tally *into, const struct repair_tally *from);

/* Those that happened, in order of their first offset. */
struct repair *repair_list(struct arena *a, const struct repair_tally *tally, size_t *n);

#endif
