/*
 * read_parse.h - the parts of parsing an event, compiled once for each width of vectors.
 *
 * read_event.c takes them for vectors that every x86-64 has, read_event_avx2.c for wider ones;
 * event_parse() chooses while it runs. Nothing here has another result because of the width
 * (tests/unit/test_read_chunks.c).
 */
#ifndef REPORT_READ_PARSE_H
#define REPORT_READ_PARSE_H

#include "report/read_learn.h"
#include "report/read_value.h"

/* An event that is only counted is hardly ever longer. */
enum { SHORT_EVENT = 1024 };

struct event_parser {
	struct event_keys keys;
	struct learned learned;
	enum scan_path path;
};

SCAN_STEP enum parsed stop(struct raw_event *raw, const char *p, const char *end)
{
	raw->end = p;
	return p >= end ? PARSED_MORE : PARSED_BROKEN;
}

/* From the quote of a key to its value. NULL, with raw->end set, when there is no key. */
SCAN_STEP const char *take_key(const struct event_keys *keys, struct raw_event *raw, const char *p,
	const char *end, struct meaning *m, enum scan_path path)
{
	bool escaped;
	const char *q = scan_quote(p + 1, path);
	if (*q == '\\') {
		q = scan_string(p + 1, &escaped, path);
		*m = key_find_escaped(keys, p + 1, q < end ? q : end, m->level);
	} else {
		*m = key_find(keys, p + 1, (size_t)(q - p - 1), m->level);
	}
	p = scan_space(q + 1, path);
	if (*p == ':' && p < end)
		return scan_space(p + 1, path);
	raw->end = p;
	return NULL;
}

/* Over closing braces at p; false behind the event's own. */
SCAN_STEP bool take_braces(const char **at, uint8_t *level, enum scan_path path)
{
	for (const char *p = *at; *p == '}'; *at = p = scan_space(p, path)) {
		p++;
		if (*level == TOP) {
			*at = p;
			return false;
		}
		*level = TOP;
	}
	return true;
}

/* From behind a value (or, when `key_due`, behind the event's brace) to the next value, whose key
 * is left in m, or to the end of the event. NULL, with raw->end set, at what is no JSON. */
SCAN_STEP const char *step(const struct event_keys *keys, struct raw_event *raw, const char *p,
	const char *end, bool key_due, struct meaning *m, enum scan_path path)
{
	bool comma = false;
	p = scan_space(p, path);
	for (;; key_due = true) {
		if (key_due && *p == '"') {
			p = take_key(keys, raw, p, end, m, path);
			if (!p || m->take != TAKE_ARGS || *p != '{')
				return p;
			m->level = ARGS;
			p = scan_space(p + 1, path);
			comma = false;
			continue;
		}
		if (key_due && (*p == ',' || (comma && *p == '}')))
			raw_note(raw, REPAIR_COMMA_EXTRA, p);
		if (!take_braces(&p, &m->level, path)) {
			m->take = TAKE_END;
			return p;
		}
		comma = *p == ',';
		if (comma) {
			p = scan_space(p + 1, path);
		} else if (*p == '"' && p < end) {
			raw_note(raw, REPAIR_COMMA_MISSING, p);
		} else {
			raw->end = p;
			return NULL;
		}
	}
}

SCAN_STEP void raw_clear(struct raw_event *raw)
{
	raw->seen = 0;
	raw->noted = 0;
	raw->notes = 0;
	raw->phase = 0;
	raw->fraction = false;
}

SCAN_STEP enum parsed ended(struct raw_event *raw, const char *p)
{
	raw->end = p;
	return PARSED;
}

/* Nothing more is wanted of this event: where it ends, if that is near. Else NULL: a bracket may be
 * missing, and its members must be read to see; and *far tells that bytes behind the window would
 * not change this. */
SCAN_STEP const char *skip_rest(
	const char *p, const char *end, bool last, bool *far, enum scan_path path)
{
	*far = last || end - p >= SHORT_EVENT;
	return scan_container(p, end - p > SHORT_EVENT ? p + SHORT_EVENT : end, path);
}

#ifdef __x86_64__

/* The long way from one value to the next, and what it teaches. Nothing is learned where something
 * was mended, and nothing about args that are no object. */
static __attribute__((noinline)) const char *step_and_learn(struct event_parser *parser,
	struct raw_event *raw, const char *p, const char *end, struct node **node,
	struct meaning *m)
{
	struct learned *l = &parser->learned;
	struct node *from = *node;
	uint32_t notes = raw->notes;
	bool first = from == &l->node[LEARN_START];
	const char *q = step(&parser->keys, raw, p + first, end, first, m, SCAN_FAST);
	*node = &l->node[LEARN_NONE];
	if (q && raw->notes == notes && m->take != TAKE_ARGS)
		*node = learn(l, from, p, (size_t)(q - p), *m);
	return q;
}

/* A new context begins behind the phase and behind the category. */
SCAN_STEP unsigned context_of(const struct raw_event *raw, const struct meaning *m)
{
	if (m->take == TAKE_PHASE)
		return (unsigned char)raw->phase % LEARN_CONTEXTS;
	const struct raw_text *t = &raw->text[RAW_CATEGORY];
	uint64_t first = t->n ? load8(t->at) << (t->n < 8 ? 64 - 8 * t->n : 0) : 0;
	return (unsigned)((first + t->n) * 0x9e3779b97f4a7c15ull >> 59);
}

SCAN_STEP enum parsed parse_learned(struct event_parser *parser, const char *p, const char *end,
	bool last, struct raw_event *raw)
{
	struct learned *l = &parser->learned;
	struct meaning m = {.level = TOP};
	struct node *node = &l->node[LEARN_START];
	raw_clear(raw);
	for (;;) {
		struct edge *e = learn_match(node, p);
		struct last_number *number = NULL;
		if (e && (e->meaning.take == TAKE_END || (unsigned char)p[e->n] > ' ')) {
			p += e->n;
			m = e->meaning;
			node = e->next;
			number = &e->last;
		} else {
			p = step_and_learn(parser, raw, p, end, &node, &m);
			if (!p)
				return stop(raw, raw->end, end);
		}
		if (m.take == TAKE_END)
			return ended(raw, p);
		p = take_value(raw, m.take, m.index, p, end, l, number, SCAN_FAST);
		if (!p)
			return stop(raw, end, end);
		if (m.take == TAKE_PHASE && !phase_matters(raw->phase)) {
			bool far;
			const char *rest = skip_rest(p, end, last, &far, SCAN_FAST);
			if (rest || !far)
				return rest ? ended(raw, rest) : stop(raw, end, end);
		}
		if (m.take == TAKE_PHASE || (m.take == TAKE_TEXT && m.index == RAW_CATEGORY))
			node = learn_node(l, context_of(raw, &m), m.place);
	}
}

/* The same with AVX2 and BMI2, where the processor has them. */
enum parsed event_parse_avx2(struct event_parser *parser, const char *p, const char *end, bool last,
	struct raw_event *raw);

#endif

#endif
