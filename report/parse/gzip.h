/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip.h - gzip files of any number of members, inflated here or on a thread of its own.
 */
#ifndef REPORT_PARSE_GZIP_H
#define REPORT_PARSE_GZIP_H

#include "base/arena.h"
#include "report/parse/source.h"

/* Of a file of which a megabyte makes a gigabyte nobody waits for the end: from GZIP_FREE inflated
 * bytes on, it is read no further once they are more than GZIP_RATIO times what went in. Traces
 * have 20 to 50, deflate's most is 1032. */
#define GZIP_FREE ((int64_t)256 << 20)
enum { GZIP_RATIO = 100 };

/* Where the compressed bytes come from: up to n of them, 0 at the end. */
typedef size_t gzip_feed(void *from, void *to, size_t n);

/* ---- inflate.c: by ISA-L (libisal), about three times as fast as zlib on traces ---- */

struct inflater;

/* Both are the caller's: the feed is asked until inflater_free(). */
struct inflater *inflater_new(gzip_feed *feed, void *from);
void inflater_free(struct inflater *f);

/* Writes up to n bytes to `to`, and says how many; fewer than n at the end or where the damage
 * begins. */
size_t inflater_fill(struct inflater *f, unsigned char *to, size_t n);

/* After it gave fewer bytes than asked for: what is wrong with the file as a whole, and, in `bad`,
 * with single members of it. */
enum source_trouble inflater_trouble(const struct inflater *f, struct bad_members *bad);

/* "ISA-L 2.30.0": what inflates, as it says to the compiler; it tells nobody else. */
const char *inflater_library(struct arena *a);

/* ---- gzip.c: the same, a few slots ahead of the reader ---- */

struct gzip;

/* With `thread`, a thread inflates ahead of the reader; if it cannot be started, all happens in
 * gzip_read. */
struct gzip *gzip_open(gzip_feed *feed, void *from, bool thread);

/* Up to n inflated bytes, 0 at the end or where the damage begins. */
size_t gzip_read(struct gzip *g, char *to, size_t n);

/* The same bytes where they lie, until the next call; as source_lend(). */
char *gzip_lend(struct gzip *g, const char *kept, size_t n_kept, size_t most, size_t *n);

/* After gzip_read gave 0: as inflater_trouble. */
enum source_trouble gzip_trouble(const struct gzip *g, struct bad_members *bad);

/* Stops the thread, wherever it is, and frees everything. */
void gzip_close(struct gzip *g);

#endif
