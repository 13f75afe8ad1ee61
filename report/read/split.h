/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - the second half of a file, read by a second thread.
 *
 * The other thread starts at a place in the middle that looks like the beginning of an event, and
 * reads to the end of the event list. The first one verifies the guess: only when it arrives there
 * itself, exactly between two events, does it take over what the other made and go on behind it.
 * Otherwise the other's work is thrown away, and the result is as if it had never been.
 */
#ifndef REPORT_READ_SPLIT_H
#define REPORT_READ_SPLIT_H

#include "report/read/file.h"

struct split; /* NULL: none */

/* Starts the other thread on a plain file of at least `least` bytes; NULL when that cannot be. */
struct split *split_start(const struct source *s, int64_t least, size_t chunk, enum scan_path path);

/* Where the other thread began; -1 for NULL. */
int64_t split_offset(const struct split *split);

/* Waits for the other thread and gives its reader, which stands behind the event list, and its
 * part. */
struct reader *split_join(struct split *split);

/* The source of that reader's window, now the caller's. */
struct source *split_take_source(struct split *split);

/* Stops the other thread, if it still runs, and frees everything. */
void split_free(struct split *split);

#endif
