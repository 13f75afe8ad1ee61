#include "report/read_inflate.h"

#include "report/read_symbols.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { IN_ROOM = 64 * 1024 };

_Static_assert(INFLATE_SLACK >= LONGEST_MATCH + WRITTEN_BEHIND, "what a symbol may write");

enum state { AT_MEMBER, AT_BLOCK, IN_STORED, IN_CODES, AT_TRAILER, ENDED };

struct inflater {
	gzip_feed *feed;
	void *from;
	enum source_trouble trouble;
	enum state state;
	bool last; /* of the member's blocks */
	bool any; /* a member began */
	struct bits b;
	bool eof; /* nothing comes behind b.end */
	unsigned stored; /* bytes left of a stored block */
	uint64_t produced; /* bytes of this member that earlier calls gave */
	uint32_t crc, size; /* of this member */
	struct symbols symbols;
	unsigned char in[IN_ROOM + BITS_PAD];
};

struct inflater *inflater_new(gzip_feed *feed, void *from)
{
	struct inflater *f = xcalloc(1, sizeof *f);
	f->feed = feed;
	f->from = from;
	f->b.p = f->b.end = f->in;
	return f;
}

void inflater_free(struct inflater *f)
{
	free(f);
}

enum source_trouble inflater_trouble(const struct inflater *f)
{
	return f->trouble;
}

static bool stop(struct inflater *f, enum source_trouble trouble)
{
	f->trouble = trouble;
	f->state = ENDED;
	return false;
}

/* ---- input ---- */

/* More bytes behind the unread ones, when these run low. Behind the last byte stand zeros. */
static void fetch(struct inflater *f)
{
	struct bits *b = &f->b;
	if (f->eof || b->end - b->p >= BITS_PAD)
		return;
	size_t kept = (size_t)(b->end - b->p);
	memmove(f->in, b->p, kept);
	while (!f->eof && kept < BITS_PAD) {
		size_t n = f->feed(f->from, f->in + kept, IN_ROOM - kept);
		f->eof = !n;
		kept += n;
	}
	b->p = f->in;
	b->end = f->in + kept;
	memset(f->in + kept, 0, BITS_PAD);
}

/* The next n bits, at most 32. False, and the state ENDED, when the file has not so many. */
static bool take(struct inflater *f, unsigned n, uint32_t *value)
{
	fetch(f);
	if (f->b.n < n && f->b.p <= f->b.end)
		bits_refill(&f->b);
	if (f->b.n < n)
		return stop(f, SOURCE_CUT);
	*value = (uint32_t)bits_look(&f->b, n);
	bits_drop(&f->b, n);
	return !bits_overrun(&f->b) || stop(f, SOURCE_CUT);
}

/* ---- gzip ---- */

static bool take_byte(struct inflater *f, uint32_t *value)
{
	if (!take(f, 8, value))
		return false;
	unsigned char c = (unsigned char)*value;
	f->crc = (uint32_t)crc32(f->crc, &c, 1);
	return true;
}

static bool skip_text(struct inflater *f)
{
	uint32_t c;
	do
		if (!take_byte(f, &c))
			return false;
	while (c);
	return true;
}

static bool skip_extra(struct inflater *f)
{
	uint32_t low, high, c;
	if (!take_byte(f, &low) || !take_byte(f, &high))
		return false;
	for (uint32_t n = low | high << 8; n; n--)
		if (!take_byte(f, &c))
			return false;
	return true;
}

/* The optional fields of a header, by its flags. */
static bool skip_fields(struct inflater *f, uint32_t flags)
{
	enum { HEADER_CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16 };
	uint32_t sum;
	if (flags & EXTRA && !skip_extra(f))
		return false;
	if (flags & NAME && !skip_text(f))
		return false;
	if (flags & COMMENT && !skip_text(f))
		return false;
	uint32_t crc = f->crc & 0xffff;
	if (flags & HEADER_CRC && !take(f, 16, &sum))
		return false;
	return !(flags & HEADER_CRC) || sum == crc || stop(f, SOURCE_DAMAGED);
}

/* Nothing more, or another member, or bytes that are none. */
static bool is_member(struct inflater *f)
{
	bits_align(&f->b);
	fetch(f);
	if (f->b.p >= f->b.end && f->any) {
		f->state = ENDED;
		return false;
	}
	if (f->any && *f->b.p != 0x1f)
		return stop(f, SOURCE_TRAILING);
	return true;
}

static bool begin_member(struct inflater *f)
{
	uint32_t c, flags;
	if (!is_member(f))
		return false;
	f->any = true;
	f->crc = 0;
	static const unsigned char magic[] = {0x1f, 0x8b, 8};
	for (size_t i = 0; i < sizeof magic; i++) {
		if (!take_byte(f, &c))
			return false;
		if (c != magic[i])
			return stop(f, SOURCE_DAMAGED);
	}
	if (!take_byte(f, &flags))
		return false;
	if (flags & 0xe0)
		return stop(f, SOURCE_DAMAGED);
	for (int i = 0; i < 6; i++) /* time, level, system */
		if (!take_byte(f, &c))
			return false;
	if (!skip_fields(f, flags))
		return false;
	f->crc = f->size = 0;
	f->produced = 0;
	f->state = AT_BLOCK;
	return true;
}

static bool end_member(struct inflater *f)
{
	uint32_t crc, size;
	bits_drop(&f->b, f->b.n & 7);
	if (!take(f, 32, &crc) || !take(f, 32, &size))
		return false;
	f->state = AT_MEMBER;
	return (crc == f->crc && size == f->size) || stop(f, SOURCE_CHECKSUM);
}

/* ---- blocks ---- */

static bool begin_stored(struct inflater *f)
{
	uint32_t length, inverse;
	bits_drop(&f->b, f->b.n & 7);
	if (!take(f, 16, &length) || !take(f, 16, &inverse))
		return false;
	if (length != (inverse ^ 0xffff))
		return stop(f, SOURCE_DAMAGED);
	bits_align(&f->b);
	f->stored = length;
	f->state = IN_STORED;
	return true;
}

static bool begin_fixed(struct inflater *f)
{
	uint8_t length[288];
	for (unsigned i = 0; i < 288; i++)
		length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	huffman_build(f->symbols.literals, HUFFMAN_LITERALS, length, 288);
	memset(length, 5, 32);
	huffman_build(f->symbols.distances, HUFFMAN_DISTANCES, length, 32);
	f->state = IN_CODES;
	return true;
}

/* One symbol of the lengths' code, and what it repeats. */
static bool take_lengths(struct inflater *f, const huffman_entry *table, uint8_t *length,
	unsigned *n, unsigned total)
{
	uint32_t more = 0;
	fetch(f);
	if (f->b.n < 16)
		bits_refill(&f->b);
	huffman_entry e = table[bits_look(&f->b, LENGTHS_ROOT)];
	if (e & HUFFMAN_INVALID)
		return stop(f, f->b.p > f->b.end ? SOURCE_CUT : SOURCE_DAMAGED);
	bits_drop(&f->b, huffman_bits(e));
	unsigned symbol = e >> 16, times = 1;
	uint8_t value = (uint8_t)symbol;
	if (bits_overrun(&f->b))
		return stop(f, SOURCE_CUT);
	if (symbol >= 16) {
		static const uint8_t bits[] = {2, 3, 7}, least[] = {3, 3, 11};
		if (!take(f, bits[symbol - 16], &more))
			return false;
		times = least[symbol - 16] + more;
		if (symbol == 16 && !*n)
			return stop(f, SOURCE_DAMAGED);
		value = symbol == 16 ? length[*n - 1] : 0;
	}
	if (*n + times > total)
		return stop(f, SOURCE_DAMAGED);
	memset(length + *n, value, times);
	*n += times;
	return true;
}

static bool begin_dynamic(struct inflater *f)
{
	static const uint8_t order[19] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	uint32_t literals, distances, lengths, bits;
	uint8_t length[320] = {0};
	huffman_entry table[1 << LENGTHS_ROOT];
	if (!take(f, 5, &literals) || !take(f, 5, &distances) || !take(f, 4, &lengths))
		return false;
	literals += 257;
	distances += 1;
	if (literals > 286 || distances > 30)
		return stop(f, SOURCE_DAMAGED);
	for (unsigned i = 0; i < lengths + 4; i++) {
		if (!take(f, 3, &bits))
			return false;
		length[order[i]] = (uint8_t)bits;
	}
	if (!huffman_build(table, HUFFMAN_LENGTHS, length, 19))
		return stop(f, SOURCE_DAMAGED);
	memset(length, 0, sizeof length);
	for (unsigned n = 0; n < literals + distances;)
		if (!take_lengths(f, table, length, &n, literals + distances))
			return false;
	if (!length[256] ||
		!huffman_build(f->symbols.literals, HUFFMAN_LITERALS, length, literals) ||
		!huffman_build(
			f->symbols.distances, HUFFMAN_DISTANCES, length + literals, distances))
		return stop(f, SOURCE_DAMAGED);
	f->state = IN_CODES;
	return true;
}

static bool begin_block(struct inflater *f)
{
	uint32_t last, kind;
	if (f->last) {
		f->last = false;
		f->state = AT_TRAILER;
		return true;
	}
	if (!take(f, 1, &last) || !take(f, 2, &kind))
		return false;
	f->last = last;
	switch (kind) {
	case 0:
		return begin_stored(f);
	case 1:
		return begin_fixed(f);
	case 2:
		return begin_dynamic(f);
	default:
		return stop(f, SOURCE_DAMAGED);
	}
}

static unsigned char *take_stored(struct inflater *f, unsigned char *out, unsigned char *limit)
{
	while (f->stored && out < limit) {
		fetch(f);
		size_t n = (size_t)(f->b.end - f->b.p), room = (size_t)(limit - out);
		n = n < f->stored ? n : f->stored;
		n = n < room ? n : room;
		if (!n) {
			stop(f, SOURCE_CUT);
			return out;
		}
		memcpy(out, f->b.p, n);
		out += n;
		f->b.p += n;
		f->stored -= (unsigned)n;
	}
	if (!f->stored)
		f->state = AT_BLOCK;
	return out;
}

static unsigned char *take_codes(
	struct inflater *f, unsigned char *out, unsigned char *limit, const unsigned char *lowest)
{
	struct making m = {out, limit, lowest};
	for (;;) {
		fetch(f);
		switch (symbols_decode(&f->symbols, &f->b, &m, f->eof)) {
		case DECODED_LOW:
			continue;
		case DECODED_END:
			f->state = AT_BLOCK;
			break;
		case DECODED_CUT:
			stop(f, SOURCE_CUT);
			break;
		case DECODED_DAMAGED:
			stop(f, SOURCE_DAMAGED);
			break;
		case DECODED_FULL:
			break;
		}
		return m.out;
	}
}

/* ---- all of it ---- */

/* Bytes of the member that is going on. */
static void count(struct inflater *f, const unsigned char *from, const unsigned char *to)
{
	f->crc = (uint32_t)crc32(f->crc, from, (uInt)(to - from));
	f->size += (uint32_t)(to - from);
	f->produced += (uint64_t)(to - from);
}

size_t inflater_fill(struct inflater *f, unsigned char *to, size_t n)
{
	unsigned char *out = to, *limit = to + n, *from = to;
	uint64_t before = f->produced < INFLATE_HISTORY ? f->produced : INFLATE_HISTORY;
	const unsigned char *lowest = to - before;
	while (out < limit && f->state != ENDED) {
		switch (f->state) {
		case AT_MEMBER:
			if (begin_member(f))
				lowest = from = out;
			break;
		case AT_BLOCK:
			begin_block(f);
			break;
		case IN_STORED:
			out = take_stored(f, out, limit);
			break;
		case IN_CODES:
			out = take_codes(f, out, limit, lowest);
			break;
		case AT_TRAILER:
			count(f, from, out);
			from = out;
			end_member(f);
			break;
		case ENDED:
			break;
		}
	}
	count(f, from, out);
	return (size_t)(out - to);
}
