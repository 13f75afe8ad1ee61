/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip.h - gzip files of any number of members, inflated here or on a thread of its own.
 */
#ifndef REPORT_PARSE_GZIP_H
#define REPORT_PARSE_GZIP_H

#include "report/parse/source.h"

struct gzip;

/* Where the compressed bytes come from: up to n of them, 0 at the end. */
typedef size_t gzip_feed(void *from, void *to, size_t n);

/* With `thread`, a thread inflates ahead of the reader; if it cannot be started, all happens here.
 * `plain`: by zlib. */
struct gzip *gzip_open(gzip_feed *feed, void *from, bool thread, bool plain);

/* Up to n inflated bytes, 0 at the end or where the damage begins. */
size_t gzip_read(struct gzip *g, char *to, size_t n);

/* After gzip_read gave 0. */
enum source_trouble gzip_trouble(const struct gzip *g);
struct bad_members gzip_bad_members(const struct gzip *g);

void gzip_close(struct gzip *g);

#endif
