/*
 * read_bits.h - a stream of bits, lowest first, out of bytes.
 *
 * Behind the last byte there must be BITS_PAD zeros: bits may be looked at, but not taken, from
 * there.
 */
#ifndef REPORT_READ_BITS_H
#define REPORT_READ_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITS_PAD = 32 };

/* The next bits: n of `bits`, then the bytes from p on. Above the n bits stand the first of those
 * bytes already; they are read again. */
struct bits {
	const unsigned char *p, *end;
	uint64_t bits;
	unsigned n;
};

/* At least 56 bits, of which some may stand behind the end. */
static inline void bits_refill(struct bits *b)
{
	uint64_t w;
	memcpy(&w, b->p, 8);
	b->bits |= w << b->n;
	b->p += (63 - b->n) >> 3;
	b->n |= 56;
}

/* The next n, still there. */
static inline uint64_t bits_look(const struct bits *b, unsigned n)
{
	return b->bits & ((1ull << n) - 1);
}

static inline void bits_drop(struct bits *b, unsigned n)
{
	b->bits >>= n;
	b->n -= n;
}

/* Were more taken than there are? */
static inline bool bits_overrun(const struct bits *b)
{
	return b->p > b->end && (size_t)(b->p - b->end) * 8 > b->n;
}

/* To the next whole byte: what is in `bits` goes back to the bytes. */
static inline void bits_align(struct bits *b)
{
	b->p -= b->n >> 3;
	b->bits = 0;
	b->n = 0;
}

#endif
