/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/gzip.h"

#include <isa-l.h>
#include <stdlib.h>

enum { COMPRESSED_CHUNK = 64 * 1024 };

struct inflater {
	gzip_feed *feed;
	void *from;
	enum source_trouble trouble;
	bool ended;
	struct bad_members bad;
	int64_t fed; /* compressed bytes taken from the feed */
	int64_t given; /* bytes, before those that are being asked for */
	size_t asked;
	struct inflate_state state;
	unsigned char in[COMPRESSED_CHUNK];
};

static bool refill(struct inflater *f)
{
	if (f->state.avail_in)
		return true;
	f->state.next_in = f->in;
	f->state.avail_in = (uint32_t)f->feed(f->from, f->in, sizeof f->in);
	f->fed += f->state.avail_in;
	return f->state.avail_in > 0;
}

static void stop_at(struct inflater *f, enum source_trouble trouble)
{
	f->trouble = trouble;
	f->ended = true;
}

/* ---- the header of a member (RFC 1952), which ISA-L 2.30 reads wrongly in small pieces ---- */

/* The next byte of the input; -1 and the end of everything when there is none. */
static int header_byte(struct inflater *f)
{
	if (f->ended)
		return -1;
	if (!refill(f)) {
		stop_at(f, SOURCE_CUT);
		return -1;
	}
	f->state.avail_in--;
	return *f->state.next_in++;
}

static void skip_bytes(struct inflater *f, int n)
{
	while (n-- > 0 && header_byte(f) >= 0)
		;
}

static void skip_text(struct inflater *f)
{
	while (header_byte(f) > 0)
		;
}

static void read_header(struct inflater *f)
{
	enum { HEADER_CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16, RESERVED = 0xe0, DEFLATE = 8 };
	int first = header_byte(f), second = header_byte(f), method = header_byte(f);
	int flags = header_byte(f);
	if (f->ended)
		return;
	if (first != 0x1f || second != 0x8b || method != DEFLATE || flags & RESERVED) {
		stop_at(f, SOURCE_DAMAGED);
		return;
	}
	skip_bytes(f, 6);
	if (flags & EXTRA) {
		int low = header_byte(f), high = header_byte(f);
		skip_bytes(f, f->ended ? 0 : low + high * 256);
	}
	if (flags & NAME)
		skip_text(f);
	if (flags & COMMENT)
		skip_text(f);
	if (flags & HEADER_CRC)
		skip_bytes(f, 2);
}

/* ---- members ---- */

static void begin_member(struct inflater *f)
{
	read_header(f);
	struct inflate_state was = f->state;
	isal_inflate_init(&f->state);
	f->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
	f->state.next_in = was.next_in;
	f->state.avail_in = was.avail_in;
	f->state.next_out = was.next_out;
	f->state.avail_out = was.avail_out;
}

struct inflater *inflater_new(gzip_feed *feed, void *from)
{
	struct inflater *f = xcalloc(1, sizeof *f);
	f->feed = feed;
	f->from = from;
	begin_member(f);
	return f;
}

void inflater_free(struct inflater *f)
{
	free(f);
}

/* Behind a member: another one, or nothing, or bytes that are none. */
static void next_member(struct inflater *f)
{
	if (!refill(f))
		f->ended = true;
	else if (f->state.next_in[0] == 0x1f)
		begin_member(f);
	else
		stop_at(f, SOURCE_TRAILING);
}

/* The bytes of a member are there, and so may others be behind it. */
static void bad_member(struct inflater *f)
{
	if (!f->bad.n++)
		f->bad.offset = f->given + (int64_t)(f->asked - f->state.avail_out);
	next_member(f);
}

/* One call of the library. Without input there may still be output: a copy that did not fit. So
 * the data are cut only when neither comes any more. */
static void step(struct inflater *f)
{
	uint32_t room = f->state.avail_out;
	bool dry = !refill(f);
	int status = isal_inflate(&f->state);
	if (status == ISAL_INCORRECT_CHECKSUM)
		bad_member(f);
	else if (status < 0)
		stop_at(f, SOURCE_DAMAGED);
	else if (f->state.block_state == ISAL_BLOCK_FINISH)
		next_member(f);
	else if (dry && f->state.avail_out == room)
		stop_at(f, SOURCE_CUT);
}

static bool inflates_too_much(const struct inflater *f)
{
	return f->given >= GZIP_FREE && f->given > GZIP_RATIO * f->fed;
}

size_t inflater_fill(struct inflater *f, unsigned char *to, size_t n)
{
	if (!f->ended && inflates_too_much(f) && (f->state.avail_in || !refill(f)))
		stop_at(f, SOURCE_INFLATES);
	f->state.next_out = to;
	f->state.avail_out = (uint32_t)n;
	f->asked = n;
	while (f->state.avail_out && !f->ended)
		step(f);
	f->given += (int64_t)(n - f->state.avail_out);
	return n - f->state.avail_out;
}

enum source_trouble inflater_trouble(const struct inflater *f, struct bad_members *bad)
{
	*bad = f->bad;
	return !f->trouble && f->bad.n ? SOURCE_CHECKSUM : f->trouble;
}

const char *inflater_library(struct arena *a)
{
	return arena_printf(
		a, "ISA-L %d.%d.%d", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
}
