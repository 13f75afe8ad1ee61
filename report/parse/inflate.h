/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inflate.h - gzip inflated by ISA-L (libisal), which is about three times as fast as zlib on
 * traces; zlib remains as the plain path.
 */
#ifndef REPORT_PARSE_INFLATE_H
#define REPORT_PARSE_INFLATE_H

#include "report/parse/gzip.h"

struct inflater;

struct inflater *inflater_new(gzip_feed *feed, void *from);
void inflater_free(struct inflater *f);

/* Writes up to n bytes to `to`, and says how many; fewer than n at the end or where the damage
 * begins. */
size_t inflater_fill(struct inflater *f, unsigned char *to, size_t n);

/* After it gave fewer bytes than asked for. */
enum source_trouble inflater_trouble(const struct inflater *f);
struct bad_members inflater_bad_members(const struct inflater *f);

#endif
