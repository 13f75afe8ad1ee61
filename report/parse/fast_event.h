/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fast_event.h - parsing an event by what was learned of those before, compiled once for each width
 * of vectors.
 *
 * event.c takes it for vectors that every x86-64 has, event_avx2.c and
 * event_avx512.c for wider ones; event_parse() chooses while it runs. Nothing here has another
 * result because of the width (tests/unit/parse/test_event.c, test_read_chunks.c).
 *
 * A fast_ function takes the value at p as it looks almost always and gives the byte behind it. It
 * gives NULL at whatever looks otherwise, or ends behind the window: that is for value_unusual().
 */
#ifndef REPORT_PARSE_FAST_EVENT_H
#define REPORT_PARSE_FAST_EVENT_H

#ifdef __x86_64__

#include "report/parse/digits.h"
#include "report/parse/learned_form.h"
#include "report/parse/next_value.h"

struct event_parser {
	struct event_keys keys;
	enum scan_path path;
	void *memory; /* owned; the parser begins in it where its lines of the cache do */
	/* From here on absent in SCAN_PLAIN. */
	const char *at; /* where step_and_learn() led */
	struct digit_places places;
	struct learned learned;
};

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The number at p may be the one that stood here last. */
SCAN_STEP const char *fast_int(
	const struct event_parser *parser, int64_t *to, const char *p, struct edge *e)
{
	struct last_value *last = &e->last;
	uint64_t bytes = load8(p);
	if (bytes == last->bytes) {
		*to = last->value;
		return p + last->n;
	}
	const char *q = digits_int(&parser->places, p, to);
	if (LIKELY(q && q < p + 8))
		*last = (struct last_value){bytes, *to, (uint64_t)(q - p)};
	return q;
}

SCAN_STEP const char *fast_skip(
	const struct event_parser *parser, const char *p, const char *end, struct edge *e)
{
	int64_t number;
	if (*p == '"') {
		const char *q = scan_quote(p + 1, SCAN_FAST);
		return LIKELY(*q == '"') ? q + 1 : NULL;
	}
	if ((*p | 32) == '{')
		return scan_blocks(p + 1, end);
	return fast_int(parser, &number, p, e);
}

/* [x, y, z] that was read before. */
SCAN_STEP const char *fast_triple(int64_t *to, const char *p, struct learned *l)
{
	uint32_t tag;
	struct memo *memo = &l->memo[memo_at(p, &tag)];
	if (!memo_match(memo, p) || !memo->triple)
		return NULL;
	memcpy(to, memo->number, sizeof memo->number);
	return p + memo->n;
}

/* n, which is often `last` again. The next step then starts from the one that is known, while the
 * processor still finds out that the other is the same: the branch is guessed, and guessed right.
 */
SCAN_STEP uint64_t again(uint64_t n, uint64_t *last)
{
	uint64_t known = *last, same = known;
	*last = n;
	__asm__("" : "+r"(same)); /* else n and known are one to the compiler */
	if (n != same)
		return n;
	__asm__ volatile("" : "+r"(known)); /* and no conditional move is made of it */
	return known;
}

/* A text that is known, or is not (NULL). */
SCAN_STEP void got_known_text(
	struct raw_text *t, const char *at, size_t n, enum text_form form, struct known *known)
{
	got_text(t, at, n, form);
	t->known = known;
	if (known)
		t->stamp = known->stamp;
}

/* The same with what a memo holds. */
SCAN_STEP void got_memo_text(
	struct raw_text *t, const char *at, size_t n, enum text_form form, struct memo *memo)
{
	got_known_text(t, at, n, form, memo ? &memo->known : NULL);
}

/* A list, which may be one that was read before. */
SCAN_STEP const char *fast_list(
	struct raw_text *t, const char *p, const char *end, struct learned *l, struct edge *e)
{
	uint32_t tag;
	struct memo *memo = &l->memo[again(memo_at(p, &tag), &e->last.n)];
	if (LIKELY(memo_match(memo, p))) {
		got_memo_text(t, p, memo->n, TEXT_JSON, memo);
		return p + memo->n;
	}
	const char *q = scan_blocks(p + 1, end);
	if (q)
		got_memo_text(
			t, p, (size_t)(q - p), TEXT_JSON, memo_set(memo, tag, p, (size_t)(q - p)));
	return q;
}

/* A string without a backslash, which may be one that was read before. */
SCAN_STEP const char *fast_string(
	struct raw_text *t, const char *p, struct learned *l, struct edge *e)
{
	uint32_t tag;
	const char *q = scan_quote(p + 1, SCAN_FAST);
	if (UNLIKELY(*p != '"' || *q != '"'))
		return NULL;
	size_t n = again((uint64_t)(q + 1 - p), &e->last.n);
	struct memo *memo = &l->memo[memo_of(p, n, &tag)];
	if (UNLIKELY(memo->n != n || !memo_match(memo, p)))
		memo = memo_set(memo, tag, p, n);
	got_memo_text(t, p + 1, n - 2, TEXT_PLAIN, memo);
	return p + n;
}

/* Any value; a triple is remembered. */
static __attribute__((noinline)) const char *take_unusual(struct event_parser *parser,
	struct raw_event *raw, const struct edge *e, const char *p, const char *end)
{
	uint32_t tag;
	uint64_t seen = raw->seen;
	unsigned i = e->meaning.index;
	if (e->meaning.take != TAKE_TRIPLE || *p != '[')
		return value_unusual(raw, e->meaning.take, i, p, end);
	raw->seen = 0;
	const char *q = value_unusual(raw, TAKE_TRIPLE, i, p, end);
	struct memo *memo = &parser->learned.memo[memo_at(p, &tag)];
	memo = raw->seen ? memo_set(memo, tag, p, (size_t)(q - p)) : NULL;
	if (memo) {
		memcpy(memo->number, &raw->number[i], sizeof memo->number);
		memo->triple = true;
	}
	raw->seen |= seen;
	return q;
}

/* The long way from one value to the next, and what it teaches. Nothing is learned where something
 * was mended, and nothing about args that are no object. NULL, with raw->end set, at what is no
 * JSON. */
static __attribute__((noinline)) struct edge *step_and_learn(struct event_parser *parser,
	struct raw_event *raw, const char *p, const char *end, struct node *from, unsigned level)
{
	struct learned *l = &parser->learned;
	struct meaning m = {.level = (uint8_t)level};
	uint32_t notes = raw->notes;
	bool first = from == &l->node[LEARN_START];
	const char *q = step(&parser->keys, raw, p + first, end, first, &m, SCAN_FAST);
	if (!q)
		return NULL;
	parser->at = q;
	bool sound = raw->notes == notes && m.take != TAKE_ARGS;
	return learn(l, sound ? from : &l->node[LEARN_NONE], p, (size_t)(q - p), m);
}

SCAN_STEP const char *fast_phase(struct raw_event *raw, const char *p)
{
	if (UNLIKELY(p[0] != '"' || p[2] != '"' || p[1] == '\\'))
		return NULL;
	raw->phase = p[1];
	return p + 3;
}

SCAN_STEP const char *fast_value(struct event_parser *parser, struct raw_event *raw, struct edge *e,
	const char *p, const char *end)
{
	struct learned *l = &parser->learned;
	unsigned i = e->meaning.index;
	switch (e->meaning.take) {
	case TAKE_TEXT:
		return *p == '[' ? fast_list(&raw->text[i], p, end, l, e)
				 : fast_string(&raw->text[i], p, l, e);
	case TAKE_CATEGORY:
		return fast_string(&raw->text[i], p, l, e);
	case TAKE_TIME:
		return digits_time(&parser->places, p, &raw->number[i], &e->last, &raw->fraction);
	case TAKE_ID:
	case TAKE_INT:
		return fast_int(parser, &raw->number[i], p, e);
	case TAKE_TRIPLE:
		return fast_triple(&raw->number[i], p, l);
	case TAKE_REAL:
		return digits_real(&parser->places, p, &raw->real[i]);
	case TAKE_SKIP:
		return fast_skip(parser, p, end, e);
	case TAKE_PHASE:
		return fast_phase(raw, p);
	case TAKE_ARGS:
	case TAKE_END:
		return NULL;
	default:
		__builtin_unreachable(); /* so the processor need not ask */
	}
}

/* The values of a phrase that stands at p: what has been seen with them. */
SCAN_STEP uint64_t take_phrase(
	struct phrase *f, struct raw_event *raw, const char *p, uint64_t seen)
{
	if (f->phase)
		raw->phase = f->phase;
	if (f->category_n)
		got_known_text(&raw->text[RAW_CATEGORY], p + f->category_at, f->category_n,
			TEXT_PLAIN, &f->category);
	for (unsigned k = 0; k < f->n; k++)
		raw->number[f->index[k]] = f->number[k];
	return (seen | f->set) & f->keep;
}

/* Behind the phase nothing more may be wanted: the event's end then, or NULL where its members must
 * be read to see. */
SCAN_STEP const char *behind_phase(const struct event_parser *parser, const struct raw_event *raw,
	const char *p, const char *end, bool last, bool *far)
{
	*far = false;
	if (LIKELY(phase_matters(raw->phase)) || parser->keys.whole)
		return NULL;
	const char *rest = skip_rest(p, end, last, far, SCAN_FAST);
	*far = !rest && !*far;
	return rest;
}

SCAN_STEP enum parsed learned_from(
	struct event_parser *parser, const char *begin, const char *p, struct raw_event *raw)
{
	raw->end = p;
	if (UNLIKELY(!--parser->learned.until_look))
		learn_phrases(&parser->learned, begin, raw);
	return PARSED;
}

SCAN_STEP enum parsed parse_learned(struct event_parser *parser, const char *begin, const char *end,
	bool last, struct raw_event *raw)
{
	const char *p = begin;
	struct learned *l = &parser->learned;
	struct node *node = &l->node[LEARN_START];
	struct edge *e, *from = &l->passing;
	uint64_t seen = 0; /* what raw->seen is to be, in a register */
	from->meaning.level = LEVEL_TOP;
	raw_clear(raw);
	for (;; from = e) {
		e = learn_match(node, p);
		if (LIKELY(e)) {
			if (e->phrase)
				seen = take_phrase(&node->phrase[e->phrase - 1], raw, p, seen);
			p += e->n;
		} else {
			e = step_and_learn(parser, raw, p, end, node, from->meaning.level);
			if (!e)
				return stop(raw, raw->end, end);
			p = parser->at;
		}
		unsigned take = e->meaning.take;
		const char *q = fast_value(parser, raw, e, p, end);
		if (LIKELY(q)) {
			seen = (seen | e->set) & e->keep;
		} else {
			raw->seen = seen;
			if (take == TAKE_END)
				return learned_from(parser, begin, p, raw);
			q = take_unusual(parser, raw, e, p, end);
			if (!q)
				return stop(raw, end, end);
			seen = raw->seen;
		}
		p = q;
		node = e->next;
		if (LIKELY(take < TAKE_CATEGORY))
			continue;
		if (take == TAKE_CATEGORY) {
			node = node_of_category(l, raw, e->meaning.place);
			continue;
		}
		bool far;
		node = node_of_phase(l, raw, e->meaning.place);
		q = behind_phase(parser, raw, p, end, last, &far);
		raw->seen = seen;
		if (q || far)
			return q ? ended(raw, q) : stop(raw, end, end);
	}
}

/* The same with AVX2 and BMI2, and with AVX-512, where the processor has them. */
enum parsed event_parse_avx2(struct event_parser *parser, const char *p, const char *end, bool last,
	struct raw_event *raw);
enum parsed event_parse_avx512(struct event_parser *parser, const char *p, const char *end,
	bool last, struct raw_event *raw);

#endif

#endif
