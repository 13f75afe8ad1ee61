/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut.h - a part of a trace as a file of its own, which other programs open as they open the whole.
 *
 * Read again from its file, event by event: those that belong to the part (narrow.h) are copied
 * byte for byte, whatever else stands in them, but for what is no strict JSON (parse/strict.h). So
 * are metadata, all members of the top level, and the ends of spans whose begin belongs to it. A
 * flow is there as a whole, from its begin over its steps to its end, where a span that belongs to
 * the part stands at each of them, or else not at all. Other events with a time (samples, objects)
 * are there where it lies in the part.
 *
 * A member "tracebook_part" says what it is a part of, and whether that was whole; a report of it
 * says the same.
 */
#ifndef REPORT_READ_CUT_H
#define REPORT_READ_CUT_H

#include "base/err.h"
#include "base/json_out.h"
#include "report/trace/trace.h"

#define CUT_MEMBER "tracebook_part"

/* Can a part of this trace, whose file order is known, be written to a file of that name? Otherwise
 * fails in one line: the trace is no JSON, cannot be read twice, or the name ends with neither
 * .json nor .json.gz. "-" is stdout. */
int cut_check(const struct trace *t, const char *path, struct err *err);

/* Writes it; packed where the name says so. */
int cut_write(const struct trace *t, const char *path, struct err *err);

/* A part as a JSON object; what was not asked for is left out. */
void part_json(struct json_out *j, const char *key, const struct trace_part *p);

/* Fills in t->part where a file says that it is one. */
void cut_read_member(struct trace *t);

#endif
