#include "report/read_huffman.h"

static const uint16_t length_base[29] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31,
	35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[30] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129,
	193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

/* What a symbol is, without the bits of its code. */
static huffman_entry meaning_of(enum huffman_kind kind, unsigned symbol)
{
	if (kind == HUFFMAN_LENGTHS || (kind == HUFFMAN_LITERALS && symbol < 256))
		return symbol << 16 | HUFFMAN_LITERAL;
	if (kind == HUFFMAN_LITERALS) {
		if (symbol == 256)
			return HUFFMAN_END;
		symbol -= 257;
		return symbol < 29 ? (huffman_entry)length_base[symbol] << 16 |
				(huffman_entry)length_extra[symbol] << 8
				   : HUFFMAN_INVALID;
	}
	if (symbol >= 30)
		return HUFFMAN_INVALID;
	unsigned extra = symbol < 4 ? 0 : symbol / 2 - 1;
	return (huffman_entry)distance_base[symbol] << 16 | extra << 8;
}

/* Whether lengths make a code that can be decoded. */
static bool is_code(const uint16_t *count, bool may_be_single)
{
	int left = 1;
	unsigned longest = 0;
	for (unsigned bits = 1; bits <= LONGEST_CODE; bits++) {
		left = 2 * left - count[bits];
		if (left < 0)
			return false;
		longest = count[bits] ? bits : longest;
	}
	return !left || !longest || (may_be_single && longest == 1);
}

static unsigned reversed(unsigned code, unsigned bits)
{
	unsigned r = 0;
	for (; bits; bits--, code >>= 1)
		r = r << 1 | (code & 1);
	return r;
}

struct building {
	huffman_entry *table;
	unsigned root, used; /* entries */
	uint8_t second[1 << LITERAL_ROOT]; /* bits of the second table of each root index */
};

/* Puts one code at all places that its unused bits lead to. */
static void place(struct building *b, unsigned code, unsigned bits, huffman_entry entry)
{
	unsigned mask = (1u << b->root) - 1;
	if (bits <= b->root) {
		for (unsigned i = code; i <= mask; i += 1u << bits)
			b->table[i] = entry | bits;
		return;
	}
	huffman_entry *first = &b->table[code & mask];
	unsigned more = b->second[code & mask];
	if (!(*first & HUFFMAN_SECOND)) {
		*first = b->used << 16 | HUFFMAN_SECOND | more << 8 | b->root;
		for (unsigned i = 0; i < 1u << more; i++)
			b->table[b->used + i] = HUFFMAN_INVALID;
		b->used += 1u << more;
	}
	huffman_entry *table = &b->table[*first >> 16];
	for (unsigned i = code >> b->root; i < 1u << more; i += 1u << (bits - b->root))
		table[i] = entry | bits;
}

/* The first code of every length. */
static void first_codes(const uint16_t *count, uint16_t *next)
{
	unsigned code = 0;
	for (unsigned bits = 1; bits <= LONGEST_CODE; bits++) {
		next[bits] = (uint16_t)code;
		code = (code + count[bits]) << 1;
	}
}

bool huffman_build(huffman_entry *table, enum huffman_kind kind, const uint8_t *length, unsigned n)
{
	static const uint8_t roots[] = {LITERAL_ROOT, DISTANCE_ROOT, LENGTHS_ROOT};
	uint16_t count[LONGEST_CODE + 1] = {0}, next[LONGEST_CODE + 1], code[320];
	struct building b = {.table = table, .root = roots[kind], .used = 1u << roots[kind]};
	for (unsigned i = 0; i < n; i++)
		count[length[i]]++;
	count[0] = 0;
	if (!is_code(count, kind != HUFFMAN_LENGTHS))
		return false;
	first_codes(count, next);
	for (unsigned i = 0; i < n; i++) {
		unsigned bits = length[i];
		code[i] = bits ? (uint16_t)reversed(next[bits]++, bits) : 0;
		uint8_t *second = &b.second[code[i] & ((1u << b.root) - 1)];
		if (bits > b.root && bits - b.root > *second)
			*second = (uint8_t)(bits - b.root);
	}
	for (unsigned i = 0; i < 1u << b.root; i++)
		table[i] = HUFFMAN_INVALID;
	for (unsigned i = 0; i < n; i++)
		if (length[i])
			place(&b, code[i], length[i], meaning_of(kind, i));
	return true;
}
