#include "report/read_symbols.h"

/* Input that decode_many() needs for one symbol, in bytes. */
enum { PLENTY = 16 };

/* Repeats n bytes from `distance` back; may write up to 15 bytes more. */
static inline unsigned char *copy_match(unsigned char *out, size_t distance, unsigned n)
{
	const unsigned char *from = out - distance;
	unsigned char *end = out + n;
	if (distance >= 16) {
		do {
			memcpy(out, from, 16);
			out += 16;
			from += 16;
		} while (out < end);
	} else if (distance >= 8) {
		do {
			memcpy(out, from, 8);
			out += 8;
			from += 8;
		} while (out < end);
	} else if (distance == 1) {
		memset(out, *from, n);
	} else {
		while (out < end)
			*out++ = *from++;
	}
	return end;
}

/* A length or a distance: its base and extra bits. */
static inline size_t with_extra(struct bits *b, huffman_entry e)
{
	bits_drop(b, huffman_bits(e));
	unsigned n = huffman_extra(e);
	size_t value = (e >> 16) + (size_t)bits_look(b, n);
	bits_drop(b, n);
	return value;
}

static inline huffman_entry look(const struct bits *b, const huffman_entry *table, unsigned root)
{
	huffman_entry e = table[bits_look(b, root)];
	if (e & HUFFMAN_SECOND)
		e = table[(e >> 16) + (b->bits >> root & ((1u << huffman_extra(e)) - 1))];
	return e;
}

static enum decoded decode_match(
	const struct symbols *s, struct bits *b, struct making *m, huffman_entry e)
{
	size_t n = with_extra(b, e);
	huffman_entry d = look(b, s->distances, DISTANCE_ROOT);
	size_t distance = with_extra(b, d);
	if (bits_overrun(b))
		return DECODED_CUT;
	if (d & HUFFMAN_INVALID || distance > (size_t)(m->out - m->lowest))
		return DECODED_DAMAGED;
	m->out = copy_match(m->out, distance, (unsigned)n);
	return DECODED_FULL;
}

/* One symbol, with every check. DECODED_FULL: done. */
static enum decoded decode_one(const struct symbols *s, struct bits *b, struct making *m)
{
	bits_refill(b);
	huffman_entry e = look(b, s->literals, LITERAL_ROOT);
	if (e & HUFFMAN_INVALID)
		return DECODED_DAMAGED;
	if (!(e & (HUFFMAN_LITERAL | HUFFMAN_END)))
		return decode_match(s, b, m, e);
	bits_drop(b, huffman_bits(e));
	if (bits_overrun(b))
		return DECODED_CUT;
	if (e & HUFFMAN_END)
		return DECODED_END;
	*m->out++ = (unsigned char)(e >> 16);
	return DECODED_FULL;
}

/* Symbols while there is plenty of input and room. What is no ordinary one is left where it stands.
 */
static void decode_many(const struct symbols *s, struct bits *from, struct making *m)
{
	struct bits b = *from;
	const unsigned char *plenty = b.end - PLENTY;
	unsigned char *out = m->out, *limit = m->limit;
	while (b.p < plenty && out < limit) {
		bits_refill(&b);
		huffman_entry e = look(&b, s->literals, LITERAL_ROOT);
		if (e & HUFFMAN_LITERAL) {
			bits_drop(&b, huffman_bits(e));
			*out++ = (unsigned char)(e >> 16);
			e = s->literals[bits_look(&b, LITERAL_ROOT)];
			if (!(e & HUFFMAN_LITERAL))
				continue;
			bits_drop(&b, huffman_bits(e));
			*out++ = (unsigned char)(e >> 16);
			continue;
		}
		struct bits before = b;
		size_t n = with_extra(&b, e);
		huffman_entry d = look(&b, s->distances, DISTANCE_ROOT);
		size_t distance = with_extra(&b, d);
		if ((e | d) & (HUFFMAN_END | HUFFMAN_INVALID) ||
			distance > (size_t)(out - m->lowest)) {
			b = before;
			break;
		}
		out = copy_match(out, distance, (unsigned)n);
	}
	*from = b;
	m->out = out;
}

enum decoded symbols_decode(const struct symbols *s, struct bits *b, struct making *m, bool last)
{
	while (m->out < m->limit) {
		decode_many(s, b, m);
		if (m->out >= m->limit)
			break;
		if (b->end - b->p < BITS_PAD && !last)
			return DECODED_LOW;
		enum decoded one = decode_one(s, b, m);
		if (one != DECODED_FULL)
			return one;
	}
	return DECODED_FULL;
}
