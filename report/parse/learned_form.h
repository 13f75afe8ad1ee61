/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learned_form.h - what stands between two values, learned while reading.
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
 *
 * A phrase is more of the same: literals with the values between them, where these repeat as well,
 * as in `{"ph": "X", "cat": "kernel", "name": ` and `, "pid": 0, "tid": 7, "ts": `. It stands in
 * front of the literal that it begins with, and one comparison replaces taking all of them. Now
 * and then an event is looked at for phrases, once it is parsed.
 */
#ifndef REPORT_PARSE_LEARNED_FORM_H
#define REPORT_PARSE_LEARNED_FORM_H

#include "report/parse/keys.h"

enum {
	LEARN_BYTES = 64, /* of the longest literal */
	LEARN_EDGES = 4, /* literals kept behind one value */
	LEARN_PHRASES = 4, /* and phrases */
	PHRASE_NUMBERS = 4, /* most in one */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	LEARN_NODES = 12, /* so that small inputs fill all, too */
	LEARN_LOOK = 2, /* an event is looked at for phrases after so many, and later */
	LEARN_LOOK_MOST = 8, /* after so many */
	MEMO_BITS = 4,
#else
	LEARN_NODES = 512,
	LEARN_LOOK = 13,
	LEARN_LOOK_MOST = 1021,
	MEMO_BITS = 10,
#endif
	LEARN_CONTEXTS = 32,
	MEMOS = 1 << MEMO_BITS,
	MEMO_BYTES = 128, /* of the longest list or string that is remembered */
	LEARN_NONE = 0, /* the node that learns nothing */
	LEARN_START = 1 /* before an event's brace */
};

/* The last value behind a literal. Where the bytes of a number stand again, the number is the same;
 * pids and streams repeat, and so do the leading digits of stamps. */
struct last_value {
	uint64_t bytes; /* the first eight */
	int64_t value; /* of the digits among them */
	uint64_t n; /* how many these are; of a string its bytes, of a list its memo */
};

/* What a text is called: its id, once some part gave it one, 0 before. */
struct known {
	uint32_t stamp; /* changes whenever the text does */
	uint32_t id;
};

struct node;

struct edge {
	_Alignas(64) char text[LEARN_BYTES];
	uint64_t mask; /* bits of the bytes that count */
	struct node *next; /* behind the value */
	uint64_t set, keep; /* bits of raw_event.seen, when the value was taken; all others stay */
	uint8_t n;
	uint8_t phrase; /* of the node, + 1; 0: it is a literal */
	struct meaning meaning;
	struct last_value last;
};

/* Values that stand between the first and the last byte of a phrase. */
struct phrase {
	uint64_t set, keep; /* as those of an edge */
	struct known category;
	uint8_t category_at, category_n; /* where it stands in the phrase; n 0: it has none */
	char phase; /* 0: it has none */
	uint8_t n;
	uint8_t used; /* how often it was seen again, about */
	uint8_t index[PHRASE_NUMBERS]; /* (n) enum raw_number */
	int64_t number[PHRASE_NUMBERS]; /* (n) */
};

struct node {
	struct edge *first, *last; /* in use: phrases, the latest first, and literals behind them */
	uint8_t turn; /* which literal the next new one replaces */
	uint8_t context;
	struct edge edge[LEARN_PHRASES + LEARN_EDGES];
	struct phrase phrase[LEARN_PHRASES];
	uint64_t looked_at[LEARN_EDGES]; /* bytes of the value behind a literal, when it was last
					    looked at */
};

/* A list or a string that was read before: where the same bytes begin again, they end at the same
 * place. It is remembered when it comes for the second time, so that those that come once cost
 * little. */
struct memo {
	_Alignas(64) char text[MEMO_BYTES];
	uint64_t mask, mask_far; /* bits of the bytes that count, behind the first 64 too */
	uint8_t n; /* 0: free */
	bool triple; /* it is [x, y, z], whose numbers follow */
	int64_t number[3];
	uint32_t tag; /* of the last text that came here and was not remembered */
	struct known known;
};

/* The id of a text that is known, 0 if it is not, or no longer. */
static inline uint32_t known_id(const struct raw_text *t)
{
	return t->known && t->known->stamp == t->stamp ? t->known->id : 0;
}

struct learned {
	struct memo memo[MEMOS];
	struct edge passing; /* where a literal led that is not remembered */
	uint16_t n_nodes;
	uint16_t look_every, until_look; /* events */
	uint32_t n_phrases; /* so many were made */
	struct node *node_of[LEARN_CONTEXTS][KEY_PLACES]; /* NULL: not made yet */
	struct node node[LEARN_NODES]; /* (n_nodes) the others are not written yet */
};

/* The nodes may be any bytes, and a small file never touches most of them; the rest is zeroed. */
void learn_init(struct learned *l);

/* The node behind the value of a key, made when it is not there yet. */
struct node *learn_node_new(struct learned *l, unsigned context, unsigned place);

/* The node behind the value of a key; that of LEARN_NONE when there is no room for another. */
static inline struct node *learn_node(struct learned *l, unsigned context, unsigned place)
{
	struct node *node = l->node_of[context][place];
	return node ? node : learn_node_new(l, context, place);
}

/* Remembers that the n bytes at text, behind the value of `node`, led to a key, or to the end.
 * Returns that edge; where nothing is remembered, because the node is LEARN_NONE or the literal too
 * long, one that is good until the next call. */
struct edge *learn(
	struct learned *l, struct node *node, const char *text, size_t n, struct meaning meaning);

/* Looks at an event that was just parsed, whose brace is at p, for phrases. */
void learn_phrases(struct learned *l, const char *p, const struct raw_event *raw);

/* A new context begins behind the phase and behind the category. */
static inline struct node *node_of_phase(
	struct learned *l, const struct raw_event *raw, unsigned place)
{
	return learn_node(l, (unsigned char)raw->phase % LEARN_CONTEXTS, place);
}

static inline struct node *node_of_category(
	struct learned *l, const struct raw_event *raw, unsigned place)
{
	const struct raw_text *t = &raw->text[RAW_CATEGORY];
	uint64_t first = t->n ? load8(t->at) << (t->n < 8 ? 64 - 8 * t->n : 0) : 0;
	return learn_node(l, (unsigned)((first + t->n) * 0x9e3779b97f4a7c15ull >> 59), place);
}

/* Remembers the n bytes at text, if they are not too many and come for the second time; NULL if
 * not.
 */
struct memo *memo_set(struct memo *memo, uint32_t tag, const char *text, size_t n);

#ifdef __x86_64__

/* Do the bytes at p whose bits are in the mask equal those at q? */
#ifdef __AVX512BW__

SCAN_STEP bool same_bytes(const char *p, const char *q, uint64_t mask)
{
	__m512i a = _mm512_loadu_si512(p), b = _mm512_load_si512(q);
	return !(_mm512_cmpneq_epi8_mask(a, b) & mask);
}

#elif defined __AVX2__

SCAN_STEP uint32_t other32(const char *p, const char *q)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)p);
	__m256i b = _mm256_load_si256((const __m256i *)q);
	return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b));
}

SCAN_STEP bool same_bytes(const char *p, const char *q, uint64_t mask)
{
	if ((uint32_t)mask & other32(p, q))
		return false;
	return !(mask >> 32) || !((uint32_t)(mask >> 32) & other32(p + 32, q + 32));
}

#else

SCAN_STEP uint64_t other16(const char *p, const char *q)
{
	__m128i a = _mm_loadu_si128((const __m128i *)p);
	__m128i b = _mm_load_si128((const __m128i *)q);
	return 0xffff ^ (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));
}

SCAN_STEP bool same_bytes(const char *p, const char *q, uint64_t mask)
{
	for (; mask; mask >>= 16, p += 16, q += 16)
		if (mask & other16(p, q))
			return false;
	return true;
}

#endif

/* The edge whose phrase or literal stands at p, or NULL. */
SCAN_STEP struct edge *learn_match(struct node *node, const char *p)
{
	for (struct edge *e = node->first, *last = node->last; e != last; e++)
		if (same_bytes(p, e->text, e->mask))
			return e;
	return NULL;
}

/* Which memo would remember the list at p. Lists of types begin alike for long; behind short ones
 * the next key stands, which is mostly the same. */
SCAN_STEP uint64_t memo_at(const char *p, uint32_t *tag)
{
	uint64_t h = load8(p) ^ load8(p + 8) * 0x9e3779b97f4a7c15ull ^
		load8(p + 16) * 0xc2b2ae3d27d4eb4full ^ load8(p + 32) * 0x165667b19e3779f9ull;
	h *= 0x9e3779b97f4a7c15ull;
	*tag = (uint32_t)h | 1;
	return h >> (64 - MEMO_BITS);
}

/* The same for a text whose length is known. */
SCAN_STEP uint64_t memo_of(const char *p, size_t n, uint32_t *tag)
{
	uint64_t first = load8(p), last = load8(p + n - (n < 8 ? n : 8));
	uint64_t cut = n < 8 ? 64 - 8 * n : 0;
	uint64_t h = first << cut ^ (last << cut) * 0x9e3779b97f4a7c15ull ^ n << 20;
	h *= 0x9e3779b97f4a7c15ull;
	*tag = (uint32_t)h | 1;
	return h >> (64 - MEMO_BITS);
}

_Static_assert(MEMO_BITS < 32, "the tag has the other bits");

SCAN_STEP bool memo_match(const struct memo *m, const char *p)
{
	if (!same_bytes(p, m->text, m->mask))
		return false;
	return m->n <= 64 ? m->n : same_bytes(p + 64, m->text + 64, m->mask_far);
}

#endif

#endif
