/*
 * read_inflate.h - gzip inflated by our own hand, because traces are large and zlib is in no hurry.
 *
 * RFC 1951 and 1952, written for what traces are: megabytes of text that repeats itself, read from
 * the first byte to the last. It gives exactly the bytes that zlib gives, up to the first damaged
 * symbol too (tests/unit/test_read_gzip.c compares them); zlib remains as the plain path.
 */
#ifndef REPORT_READ_INFLATE_H
#define REPORT_READ_INFLATE_H

#include "report/read_gzip.h"

enum {
	INFLATE_HISTORY = 32 * 1024, /* bytes that may be repeated */
	INFLATE_SLACK =
		320 /* bytes that may be written, or even given, behind what was asked for */
};

struct inflater;

struct inflater *inflater_new(gzip_feed *feed, void *from);
void inflater_free(struct inflater *f);

/* Writes n bytes, or a few more (INFLATE_SLACK), to `to`, and says how many; fewer than n at the
 * end or where the damage begins. The INFLATE_HISTORY bytes before `to` must be the last ones that
 * it gave. */
size_t inflater_fill(struct inflater *f, unsigned char *to, size_t n);

/* After it gave fewer bytes than asked for. */
enum source_trouble inflater_trouble(const struct inflater *f);

#endif
