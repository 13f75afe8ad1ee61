/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - the bytes of a trace file, plain or from gzip, in order and in pieces.
 *
 * The form is told by the first bytes, never by the name. A gzip file may have any number of
 * members; what is wrong with it is remembered and asked for after the last byte, because the
 * bytes before the damage are good.
 */
#ifndef REPORT_PARSE_SOURCE_H
#define REPORT_PARSE_SOURCE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source;

/* Members of a gzip file whose checksum or length is wrong: their bytes are used nevertheless. */
struct bad_members {
	int64_t n;
	int64_t offset; /* where the first of them ends, in inflated bytes */
};

/* What went wrong below the JSON. */
enum source_trouble {
	SOURCE_SOUND,
	SOURCE_CUT, /* compressed data end early */
	SOURCE_DAMAGED, /* compressed data make no sense from some point on */
	SOURCE_CHECKSUM, /* all there, but length or checksum of a member differ */
	SOURCE_INFLATES, /* to more than GZIP_RATIO times what is compressed: read no further */
	SOURCE_TRAILING, /* bytes behind the last member that are no member */
	SOURCE_UNREADABLE /* the system reported an error while reading */
};

/* Opens a regular file or a pipe. `threads` of 2 lets a gzip file be inflated on a thread of its
 * own, of 0 a large one. NULL on failure. */
struct source *source_open(const char *path, int threads, struct err *err);

/* Up to n bytes into `to`; 0 at the end, also at an end that came too early. */
size_t source_read(struct source *s, char *to, size_t n);

/* Of a gzip file: the next bytes where they lie, *n of them, at most `most`. In front of them stand
 * n_kept bytes that lay at `kept`, behind them SOURCE_PAD that may be written. They are lent until
 * the next call of this or source_read(). NULL where that cannot be (a plain file, too many bytes
 * to keep), and at the end: then those lent before stay. */
enum { SOURCE_PAD = 256 };
char *source_lend(struct source *s, const char *kept, size_t n_kept, size_t most, size_t *n);

/* After source_read gave 0: what is wrong with the file, and, in `bad`, with members of it. */
enum source_trouble source_trouble(const struct source *s, struct bad_members *bad);

bool source_compressed(const struct source *s); /* is it gzip? */
int64_t source_file_bytes(const struct source *s); /* as stored; -1 for a pipe */

/* A second reader of the same plain regular file, from an offset on; NULL for all others. It must
 * be closed first. */
struct source *source_split(const struct source *s, int64_t offset);

void source_close(struct source *s); /* NULL is fine */

#endif
