/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - the steps of reading, in their order; read.c takes them one after the other.
 *
 * A reader (file.h) fills a part (columns.h), on two threads where the file is large; the part is
 * refused or sealed into the trace. Nothing here fails but refuse(): running out of memory ends the
 * program.
 */
#ifndef REPORT_READ_PARTS_H
#define REPORT_READ_PARTS_H

#include "report/read/file.h"

/* ---- two_halves.c: the second half of a file, read by a second thread ----
 *
 * The other thread starts at a place in the middle that looks like the beginning of an event, and
 * reads to the end of the event list. The first one verifies the guess: only when it arrives there
 * itself, exactly between two events, does it take over what the other made and go on behind it.
 * Otherwise the other's work is thrown away, and the result is as if it had never been.
 */

struct time_parts; /* NULL: none */

/* Starts the other thread on a plain file of at least `least` bytes; NULL when that cannot be. */
struct time_parts *split_start(
	const struct source *s, int64_t least, size_t chunk, enum scan_path path, size_t memory);

/* Where the other thread began, in bytes of the file; -1 for NULL. */
int64_t split_offset(const struct time_parts *split);

/* Waits for the other thread and gives its reader, which stands behind the event list, and its
 * part. */
struct reader *split_join(struct time_parts *split);

/* The source of that reader's window, now the caller's. */
struct source *split_take_source(struct time_parts *split);

/* Stops the other thread, if it still runs, and frees everything. */
void split_free(struct time_parts *split);

/* Adds all of `later`, which was read from bytes behind those of `part`, and releases it. The
 * result is what one reader would have made of both (append.c). */
void part_append(struct part *part, struct part *later);

/* ---- events into columns ---- */

/* What a category is that no single kind belongs to: its events are told apart by their names. */
enum { KIND_BY_NAME = EVENT_KINDS };

/* What an event is, by its category (event_kind.c): an enum event_kind, EVENT_OTHER for a category
 * that no era of Kineto has, KIND_BY_NAME for mtia_ccp_events. */
int event_kind_of(const char *category, size_t n);

/* The same by the name of such an event: what the queues of an MTIA do. Its waits and marks are no
 * work. */
enum event_kind event_kind_by_name(const char *name, size_t n);

/* Of an event without a category, by its process: torch.autograd.profiler, in front of Kineto,
 * wrote operators into one process and what it timed of the device into another. */
enum event_kind event_kind_by_process(const char *process, size_t n);

/* ---- the whole file has been read ---- */

/* Does the file begin as a known other kind of file does, in which no event is looked for? */
bool refuse_known(const struct reader *r);

/* 0 when the reader found a trace, maybe an empty one; otherwise fails in one line that says what
 * the file looks like. */
int refuse(const struct reader *r, const char *path, struct err *err);

/* Fills t->meta, t->devices, t->rank and t->world from the members of the top level
 * (metadata_events.c). */
void meta_take(struct trace *t, const struct reader *r);

/* Moves the part's columns into the trace and releases the part; its repairs, and those found on
 * the way, are left in `repairs`. `threads`: on two of them, with the same result. `file_order`:
 * t->file is filled in. Its steps follow. */
void seal(struct trace *t, struct part *part, bool threads, bool file_order,
	struct repair_counts *repairs);

/* The first row begins at 0, and all times that follow from the rows' are worked out. */
void measure_times(struct trace *t);

/* Decodes every text into `names` (initialised) and gives the name of each text id; the caller
 * frees it. Escapes are resolved; a text with an escape that JSON does not know is taken to hold
 * plain backslashes throughout. What is not UTF-8 becomes U+FFFD. Mended texts are counted. */
name_id *names_of_texts(
	struct names *names, const struct strings *texts, struct repair_counts *repairs);

/* One text, decoded alike: `json` keeps a list or an object, on one line. */
char *name_decode(struct arena *a, const char *text, size_t n, bool json);

/* Gives the rows of begins their durations, by their ends (begin_end_pairs.c).
 *
 * `B` and `E` pair on their thread, `b`/`e` and `S`/`F` by category, id and scope. Files need not
 * be in order of time: marks are paired in that order, equal stamps in order of the file. An end
 * with a name closes the innermost open begin of that name. Begins above it last until then too,
 * unless an end of their name comes later, one that closes no other: then the two cross. Begins
 * that nothing closes last until the last mark of their thread. All without an end are counted.
 *
 * A thread and a stream of the same numbers are two; an end without a category closes what fits on
 * either. */
void marks_pair(struct part *p);

/* Fills t->tracks in display order from the lanes and labels of a part, whose texts became `name`.
 * Returns the track of every lane; the caller frees it. */
uint32_t *tracks_of_lanes(struct trace *t, const struct part *part, const name_id *name);

/* Fills t->launch: device events and their runtime or driver call, by correlation
 * (join_launches.c). When several calls carry one correlation (files of several processes put
 * together), the last one that began before the device event counts, or else the first. Rows must
 * be in order. `scratch` has room for one element a row. */
void join_launches(struct trace *t, uint64_t *scratch);

/* Fills t->parent and t->depth: nesting on host tracks, sub-rows on all others. */
void join_tracks(struct trace *t);

#endif
