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
	LEARN_NONE = 0, /* the node that learns nothing */
	LEARN_START = 1 /* before an event's brace */
};

struct edge {
	_Alignas(16) char text[LEARN_BYTES];
	uint16_t mask[LEARN_BYTES / 16]; /* bits of the bytes that count */
	uint16_t next; /* node behind the value */
	uint8_t n;
	struct meaning meaning;
};

struct node {
	uint8_t used, turn; /* edges; which one the next new literal replaces */
	uint8_t context;
	struct edge edge[LEARN_EDGES];
};

struct learned {
	struct node node[LEARN_NODES];
	uint16_t n_nodes;
	uint16_t node_of[LEARN_CONTEXTS][KEY_PLACES]; /* 0: not made yet */
};

void learn_init(struct learned *l);

/* The node behind the value of a key; LEARN_NONE when there is no room for another. */
uint16_t learn_node(struct learned *l, unsigned context, unsigned place);

/* Remembers that the n bytes at text, behind the value of `node`, led to a key, or to the end.
 * Returns the node behind that key's value. */
uint16_t learn(
	struct learned *l, struct node *node, const char *text, size_t n, struct meaning meaning);

#ifdef __x86_64__

/* Bits of the bytes that are equal. */
SCAN_STEP unsigned same16(const char *p, const char *q)
{
	__m128i a = _mm_loadu_si128((const __m128i *)p);
	__m128i b = _mm_load_si128((const __m128i *)q);
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));
}

/* The edge whose literal stands at p, or NULL. */
SCAN_STEP const struct edge *learn_match(const struct node *node, const char *p)
{
	const struct edge *e = node->edge, *last = e + node->used;
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

#endif

#endif
