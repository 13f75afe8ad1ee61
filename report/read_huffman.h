/*
 * read_huffman.h - the codes of deflate as tables to look up.
 *
 * A table is indexed by the next bits of the stream. Codes longer than the root lead to a second
 * table behind it. An entry says all about its symbol: bits to take, what it is, extra bits, base.
 */
#ifndef REPORT_READ_HUFFMAN_H
#define REPORT_READ_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

enum { LITERAL_ROOT = 11, DISTANCE_ROOT = 9, LENGTHS_ROOT = 7, LONGEST_CODE = 15 };

/* Entries of a table and its second tables: a second table has at most 2^(15 - root) entries, and
 * there are at most as many as codes. */
enum {
	LITERAL_ENTRIES = (1 << LITERAL_ROOT) + 288 * 16,
	DISTANCE_ENTRIES = (1 << DISTANCE_ROOT) + 32 * 64
};

/* bits 0-7: bits of the code; 8-11: extra bits; 12-15: what it is; 16-31: base, literal, or the
 * place of the second table, whose index takes `extra` bits */
typedef uint32_t huffman_entry;

enum {
	HUFFMAN_LITERAL = 1 << 12, /* also the symbols of the lengths' own code */
	HUFFMAN_END = 1 << 13,
	HUFFMAN_SECOND = 1 << 14,
	HUFFMAN_INVALID = 1 << 15
};

enum huffman_kind { HUFFMAN_LITERALS, HUFFMAN_DISTANCES, HUFFMAN_LENGTHS };

static inline unsigned huffman_bits(huffman_entry e)
{
	return e & 0xff;
}

static inline unsigned huffman_extra(huffman_entry e)
{
	return e >> 8 & 15;
}

/* Builds the table of n symbols from the lengths of their codes (0: none). False when the lengths
 * make no code: too many, or too few for any but a single one. */
bool huffman_build(huffman_entry *table, enum huffman_kind kind, const uint8_t *length, unsigned n);

#endif
