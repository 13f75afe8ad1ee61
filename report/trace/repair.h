/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.h - the kinds of damage that reading mends or survives, and a counts of them.
 */
#ifndef REPORT_TRACE_REPAIR_H
#define REPORT_TRACE_REPAIR_H

#include "base/arena.h"
#include "base/enum_names.h"
#include "report/trace/trace.h"

/* A kind, and the last word of its key in the templates: "repair.bom" says what it was. In this
 * order repairs of one place are told. */
#define REPAIR_LIST(X) \
	/* below the JSON: told first, because what stands at the same place follows from it */ \
	X(REPAIR_GZ_CUT, "gz_cut") \
	X(REPAIR_GZ_DAMAGED, "gz_damaged") \
	X(REPAIR_GZ_CHECKSUM, "gz_checksum") \
	X(REPAIR_GZ_INFLATES, "gz_inflates") \
	X(REPAIR_GZ_TRAILING, "gz_trailing") \
	X(REPAIR_UNREADABLE, "unreadable") \
	X(REPAIR_MEMORY, "memory") \
	X(REPAIR_DATABASE, "database") \
	X(REPAIR_PACKET, "packet") \
	X(REPAIR_STATE, "state") \
	/* the text */ \
	X(REPAIR_BOM, "bom") \
	X(REPAIR_HEAD, "head") \
	X(REPAIR_WORD, "word") \
	X(REPAIR_NUMBER, "number") \
	X(REPAIR_COMMA_EXTRA, "comma_extra") \
	X(REPAIR_COMMA_MISSING, "comma_missing") \
	X(REPAIR_COMMENT, "comment") \
	X(REPAIR_QUOTES, "quotes") \
	X(REPAIR_NO_EVENT, "no_event") \
	X(REPAIR_LOST, "lost") \
	X(REPAIR_GARBAGE, "garbage") \
	X(REPAIR_SECOND_LIST, "second_list") \
	X(REPAIR_LIST_CLOSED, "list_closed") \
	X(REPAIR_LINES, "lines") \
	X(REPAIR_SECOND_DOCUMENT, "second_document") \
	X(REPAIR_CUT_EVENT, "cut_event") \
	X(REPAIR_CUT, "cut") \
	X(REPAIR_TRAILING, "trailing") \
	/* texts, counted once per distinct text */ \
	X(REPAIR_UTF8, "utf8") \
	X(REPAIR_SURROGATE, "surrogate") \
	X(REPAIR_BACKSLASH, "backslash") \
	X(REPAIR_CONTROL, "control") \
	X(REPAIR_LONG, "long") \
	/* numbers and times */ \
	X(REPAIR_NO_TIME, "no_time") \
	X(REPAIR_TIME_RANGE, "time_range") \
	X(REPAIR_NEGATIVE, "negative") \
	X(REPAIR_NO_DURATION, "no_duration") \
	X(REPAIR_OTHER_CLOCK, "other_clock") \
	/* begin and end */ \
	X(REPAIR_NO_END, "no_end") \
	X(REPAIR_NO_BEGIN, "no_begin")

enum repair_kind { REPAIR_LIST(KIND_MEMBER) REPAIR_KINDS };

/* That word, lent for ever. */
const char *repair_key(enum repair_kind kind);

/* That of a sealed trace; NULL when it did not happen. */
const struct repair *trace_repair(const struct trace *t, enum repair_kind kind);

/* What has been mended so far; kinds that did not happen have a count of 0. */
struct repair_counts {
	struct repair kind[REPAIR_KINDS];
};

/* What a trace ends early by (trace.h), where it is damage of the file and no limit of the
 * reader's: the cut with its place. NULL: it does not, or for such a limit. */
const struct repair *trace_cut(const struct trace *t);

/* Counts n of a kind at an offset; `at`, lent, points at up to `room` bytes of context, NULL for
 * none. */
void repair_note(struct repair_counts *counts, enum repair_kind kind, int64_t n, int64_t offset,
	const char *at, size_t room);

/* Adds the counts of another counts; the earlier place wins. */
void repair_merge(struct repair_counts *into, const struct repair_counts *from);

/* Those that happened, in order of their first offset, equal ones in that of the list above. */
struct repair *repair_list(struct arena *a, const struct repair_counts *counts, size_t *n);

#endif
