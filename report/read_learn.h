/*
 * read_learn.h - what stands between two values, learned while reading.
 *
 * Profilers print events by rote: behind the value of "ts" comes `, "dur": ` thousands of times.
 * For every key, in the context of the phase and category of the event, the few literals that
 * followed its value are kept, with what they led to. One comparison then replaces reading
 * separators, braces, a key and a colon. A literal that does not match costs nothing but the
 * comparison: the bytes are read as always (and learned), so the result never depends on what was
 * learned.
 *
 * Two rules make that true. A literal ends where its value begins, so a byte above ' ' must follow
 * it (`"a": ` is no prefix of `"a":  `); and args that are no object are never learned
 * (`"args": ` would be a prefix of `"args": {"External id": `).
 */
#ifndef REPORT_READ_LEARN_H
#define REPORT_READ_LEARN_H

#include "report/read_keys.h"

enum {
	LEARN_BYTES = 48, /* of the longest literal */
	LEARN_EDGES = 4, /* literals kept behind one value */
	LEARN_NODES = 512,
	LEARN_CONTEXTS = 32,
	MEMOS = 256,
	MEMO_BYTES = 64, /* of the longest list that is remembered */
	LEARN_NONE = 0, /* the node that learns nothing */
	LEARN_START = 1 /* before an event's brace */
};

/* The last number behind a literal. Where its bytes stand again, the number is the same; pids and
 * streams repeat, and so do the leading digits of stamps. */
struct last_number {
	uint64_t bytes; /* the first eight; 0: none */
	int64_t value; /* of the digits among them */
	uint64_t n; /* how many these are */
};

struct node;

struct edge {
	_Alignas(16) char text[LEARN_BYTES];
	uint16_t mask[LEARN_BYTES / 16]; /* bits of the bytes that count */
	struct node *next; /* behind the value */
	uint8_t n;
	struct meaning meaning;
	struct last_number last;
};

struct node {
	uint8_t used, turn; /* edges; which one the next new literal replaces */
	uint8_t context;
	struct edge edge[LEARN_EDGES];
};

/* A list that was read before: where the same bytes begin again, they end at the same place. A list
 * is remembered when it comes for the second time, so that those that come once cost little. */
struct memo {
	_Alignas(16) char text[MEMO_BYTES];
	uint16_t mask[MEMO_BYTES / 16];
	uint8_t n; /* 0: free */
	bool triple; /* it is [x, y, z], whose numbers follow */
	int64_t number[3];
	uint32_t tag; /* of the last text that came here and was not remembered */
	uint32_t stamp; /* changes whenever the text does */
	uint32_t id; /* of the text, once some part gave it one; 0 before */
};

struct learned {
	struct memo memo[MEMOS];
	struct node node[LEARN_NODES];
	uint16_t n_nodes;
	struct node *node_of[LEARN_CONTEXTS][KEY_PLACES]; /* NULL: not made yet */
};

void learn_init(struct learned *l);

/* The node behind the value of a key; that of LEARN_NONE when there is no room for another. */
struct node *learn_node(struct learned *l, unsigned context, unsigned place);

/* Remembers that the n bytes at text, behind the value of `node`, led to a key, or to the end.
 * Returns the node behind that key's value. */
struct node *learn(
	struct learned *l, struct node *node, const char *text, size_t n, struct meaning meaning);

/* Remembers the n bytes at text, if they are not too many and come for the second time; NULL if
 * not.
 */
struct memo *memo_set(struct memo *memo, uint32_t tag, const char *text, size_t n);

#ifdef __x86_64__

/* Bits of the bytes that are equal. */
SCAN_STEP unsigned same16(const char *p, const char *q)
{
	__m128i a = _mm_loadu_si128((const __m128i *)p);
	__m128i b = _mm_load_si128((const __m128i *)q);
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));
}

/* The edge whose literal stands at p, or NULL. */
SCAN_STEP struct edge *learn_match(struct node *node, const char *p)
{
	struct edge *e = node->edge, *last = e + node->used;
	for (; e < last; e++) {
		if (e->mask[0] & ~same16(p, e->text))
			continue;
		if (e->mask[1] && e->mask[1] & ~same16(p + 16, e->text + 16))
			continue;
		if (e->mask[2] && e->mask[2] & ~same16(p + 32, e->text + 32))
			continue;
		return e;
	}
	return NULL;
}

/* Where the text at p would be remembered. */
SCAN_STEP struct memo *memo_at(struct learned *l, const char *p, uint32_t *tag)
{
	uint64_t h = load8(p) ^ load8(p + 8) * 0x9e3779b97f4a7c15ull ^
		load8(p + 16) * 0xc2b2ae3d27d4eb4full;
	h *= 0x9e3779b97f4a7c15ull;
	*tag = (uint32_t)h | 1;
	return &l->memo[h >> 56];
}

_Static_assert(MEMOS == 256, "eight bits of the hash");

SCAN_STEP bool memo_match(const struct memo *m, const char *p)
{
	unsigned other = m->mask[0] & ~same16(p, m->text);
	other |= m->mask[1] & ~same16(p + 16, m->text + 16);
	if (m->n > 32) {
		other |= m->mask[2] & ~same16(p + 32, m->text + 32);
		other |= m->mask[3] & ~same16(p + 48, m->text + 48);
	}
	return m->n && !other;
}

#endif

#endif
