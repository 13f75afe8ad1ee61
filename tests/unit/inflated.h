/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inflated.h - the same gzip data inflated by our reader (ISA-L) and by zlib.
 */
#ifndef TESTS_UNIT_INFLATED_H
#define TESTS_UNIT_INFLATED_H

#include "report/parse/gzip.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* All that is inflated of n bytes fits. */
#ifndef INFLATED_ROOM
#define INFLATED_ROOM(n) (4 << 20)
#endif

struct memory {
	const unsigned char *bytes;
	size_t n, at, step; /* at most so many bytes at once */
};

static inline size_t feed(void *from, void *to, size_t n)
{
	struct memory *m = from;
	size_t k = m->n - m->at;
	k = k < n ? k : n;
	k = k < m->step ? k : m->step;
	memcpy(to, m->bytes + m->at, k);
	m->at += k;
	return k;
}

struct inflated {
	unsigned char *bytes;
	size_t n, room;
	enum source_trouble trouble;
	struct bad_members bad;
};

static inline struct inflated inflate_all(const unsigned char *bytes, size_t n, size_t step)
{
	struct memory m = {bytes, n, 0, step};
	struct inflated out = {.bytes = xalloc(INFLATED_ROOM(n)), .room = INFLATED_ROOM(n)};
	struct gzip *g = gzip_open(feed, &m, false);
	size_t k;
	while ((k = gzip_read(g, (char *)out.bytes + out.n, out.room - out.n)))
		out.n += k;
	out.trouble = gzip_trouble(g, &out.bad);
	gzip_close(g);
	return out;
}

/* What follows a member in zlib's eyes: false when that was the last one. */
static inline bool zlib_next(z_stream *z, struct inflated *out)
{
	if (!z->avail_in)
		return false;
	if (*z->next_in == 0x1f)
		return inflateReset(z) == Z_OK;
	out->trouble = SOURCE_TRAILING;
	return false;
}

/* A member whose checksum or length is wrong. zlib stops in front of the length when the checksum
 * is the wrong one. */
static inline bool zlib_bad_member(z_stream *z, struct inflated *out, bool checksum)
{
	if (!out->bad.n++)
		out->bad.offset = (int64_t)(out->room - z->avail_out);
	uInt left = checksum ? 4 : 0;
	if (z->avail_in < left) {
		out->trouble = SOURCE_CUT;
		return false;
	}
	z->next_in += left;
	z->avail_in -= left;
	return zlib_next(z, out);
}

/* One call of zlib; false at the end, or where it finds no way on. */
static inline bool zlib_step(z_stream *z, struct inflated *out)
{
	uInt room = z->avail_out, rest = z->avail_in;
	int status = inflate(z, Z_NO_FLUSH);
	bool wrong = status == Z_DATA_ERROR && z->msg;
	if (status == Z_STREAM_END)
		return zlib_next(z, out);
	if (wrong && strstr(z->msg, "data check"))
		return zlib_bad_member(z, out, true);
	if (wrong && strstr(z->msg, "length check"))
		return zlib_bad_member(z, out, false);
	if (status != Z_OK && status != Z_BUF_ERROR)
		out->trouble = SOURCE_DAMAGED;
	else if (z->avail_out == room && z->avail_in == rest)
		out->trouble = SOURCE_CUT;
	return !out->trouble;
}

static inline struct inflated inflate_by_zlib(const unsigned char *bytes, size_t n)
{
	struct inflated out = {.bytes = xalloc(INFLATED_ROOM(n)), .room = INFLATED_ROOM(n)};
	z_stream z = {.next_in = (unsigned char *)bytes, .avail_in = (uInt)n};
	z.next_out = out.bytes;
	z.avail_out = (uInt)out.room;
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		bug("zlib does not begin");
	while (zlib_step(&z, &out))
		continue;
	out.n = out.room - z.avail_out;
	if (!out.trouble && out.bad.n)
		out.trouble = SOURCE_CHECKSUM;
	inflateEnd(&z);
	return out;
}

#endif
