/*
 * read_value.h - the values of an event, taken into a raw_event.
 *
 * Ordinary values are read here, inline; whatever is unusual goes to read_value.c. Every step takes
 * p at the first byte of a value and gives the byte behind it, or NULL when the window ends first.
 */
#ifndef REPORT_READ_VALUE_H
#define REPORT_READ_VALUE_H

#include "report/read_learn.h"

/* Something mended inside this event. */
void raw_note(struct raw_event *raw, enum repair_kind kind, const char *at);

/* A value that is no string and no container ends here. */
const char *value_token_end(const char *p);

/* A token that is no ordinary number: skipped, and noted when it is no word of JSON. */
const char *value_odd(struct raw_event *raw, const char *p);

/* Anything but an ordinary number where a number is expected: signs, exponents, strings, words. */
const char *value_odd_time(
	struct raw_event *raw, const char *p, const char *end, enum raw_number i);
const char *value_odd_int(
	struct raw_event *raw, const char *p, const char *end, unsigned i, bool id);
const char *value_odd_real(struct raw_event *raw, const char *p, const char *end, unsigned i);

SCAN_STEP bool ends_number(char c)
{
	return c == ',' || c == '}' || (unsigned char)c <= ' ' || c == ']';
}

/* Behind the digits at p. */
SCAN_STEP const char *pass_digits(const char *p)
{
	unsigned n;
	do {
		scan_eight(p, &n);
		p += n;
	} while (n == 8);
	return p;
}

/* One past any value; NULL when the window ends first. */
SCAN_STEP const char *skip_value(
	struct raw_event *raw, const char *p, const char *end, enum scan_path path)
{
	bool escaped = false;
	if (*p == '"')
		return scan_string(p + 1, &escaped, path) + 1;
	if ((*p | 32) == '{')
		return scan_container(p + 1, end, path);
	const char *q = pass_digits(p + (*p == '-'));
	if (*q == '.')
		q = pass_digits(q + 1);
	return q > p && ends_number(q[0]) && q[-1] != '-' ? q : value_odd(raw, p);
}

static const uint64_t MOST_US = INT64_MAX / 1000 - 1;

/* The digits at *at; the first eight of a long run may be those of the last time. */
SCAN_STEP uint64_t take_digits(const char **at, unsigned *n, struct last_number *last)
{
	if (!last)
		return scan_digits(at, n);
	uint64_t bytes = load8(*at), v = (uint64_t)last->value;
	*n = 8;
	if (bytes != last->bytes || last->n != 8) {
		v = scan_eight(*at, n);
		if (*n == 8)
			*last = (struct last_number){bytes, (int64_t)v, 8};
	}
	*at += *n;
	return *n < 8 ? v : scan_more_digits(at, n, v);
}

/* Microseconds into nanoseconds: up to 16 digits, a point, up to 3 digits. */
SCAN_STEP const char *take_time(struct raw_event *raw, const char *p, const char *end,
	enum raw_number i, struct last_number *last)
{
	unsigned n, decimals = 0;
	const char *q = p;
	uint64_t v = take_digits(&q, &n, last);
	uint64_t fraction = 0;
	if (*q == '.' && n) {
		q++;
		fraction = scan_eight(q, &decimals);
		q += decimals;
		raw->fraction = true;
	}
	if (!n || n > 16 || v > MOST_US || decimals > 3 || !ends_number(*q))
		return value_odd_time(raw, p, end, i);
	raw->number[i] = (int64_t)(v * 1000 + fraction * scan_ten_to[3 - decimals]);
	raw->seen |= RAW_SEEN_NUMBER(i);
	return q;
}

SCAN_STEP void got_int(struct raw_event *raw, unsigned i, int64_t value, bool id)
{
	raw->number[i] = value;
	raw->seen |= RAW_SEEN_NUMBER(i);
	if (id)
		raw->seen &= ~RAW_SEEN_TEXT(RAW_PID_TEXT + i - RAW_PID);
}

SCAN_STEP const char *take_int(struct raw_event *raw, const char *p, const char *end, unsigned i,
	bool id, struct last_number *last)
{
	unsigned n;
	uint64_t bytes = load8(p);
	if (last && bytes == last->bytes) {
		got_int(raw, i, last->value, id);
		return p + last->n;
	}
	bool negative = *p == '-';
	const char *q = p + negative;
	uint64_t v = scan_digits(&q, &n);
	if (!n || n > 18 || !ends_number(*q))
		return value_odd_int(raw, p, end, i, id);
	got_int(raw, i, negative ? -(int64_t)v : (int64_t)v, id);
	if (last && q - p < 8)
		*last = (struct last_number){bytes, raw->number[i], (uint64_t)(q - p)};
	return q;
}

SCAN_STEP const char *take_real(struct raw_event *raw, const char *p, const char *end, unsigned i)
{
	unsigned n, decimals = 0;
	const char *q = p;
	uint64_t v = scan_digits(&q, &n), fraction = 0;
	if (*q == '.' && n) {
		q++;
		fraction = scan_digits(&q, &decimals);
	}
	if (!n || n + decimals > 19 || !ends_number(*q))
		return value_odd_real(raw, p, end, i);
	uint64_t ten = scan_ten_to[decimals];
	raw->real[i] = (double)(v * ten + fraction) / (double)ten;
	raw->seen |= RAW_SEEN_REAL(i);
	return q;
}

/* [x, y, z], also as a string. */
SCAN_STEP const char *take_triple(
	struct raw_event *raw, const char *p, const char *end, unsigned i, enum scan_path path)
{
	const char *q = p + (*p == '"');
	unsigned n = 0;
	if (*q != '[')
		return skip_value(raw, p, end, path);
	for (int k = 0; k < 3; k++) {
		q = scan_space(q + 1, path);
		raw->number[i + (unsigned)k] = (int64_t)scan_digits(&q, &n);
		q = scan_space(q, path);
		if (!n || n > 18 || *q != (k < 2 ? ',' : ']'))
			return skip_value(raw, p, end, path);
	}
	if (*p == '"' && *++q != '"')
		return skip_value(raw, p, end, path);
	raw->seen |= RAW_SEEN_NUMBER(i);
	return q + 1;
}

#ifdef __x86_64__

/* [x, y, z], which may be one that was read before. */
SCAN_STEP const char *take_known_triple(
	struct raw_event *raw, const char *p, const char *end, unsigned i, struct learned *l)
{
	uint32_t tag;
	struct memo *memo = memo_at(l, p, &tag);
	if (!memo_match(memo, p) || !memo->triple) {
		uint64_t seen = raw->seen;
		raw->seen = 0;
		const char *q = take_triple(raw, p, end, i, SCAN_FAST);
		memo = raw->seen ? memo_set(memo, tag, p, (size_t)(q - p)) : NULL;
		if (memo)
			memcpy(memo->number, &raw->number[i], sizeof memo->number);
		if (memo)
			memo->triple = true;
		raw->seen |= seen;
		return q;
	}
	memcpy(&raw->number[i], memo->number, sizeof memo->number);
	raw->seen |= RAW_SEEN_NUMBER(i);
	return p + memo->n;
}

#endif

SCAN_STEP struct raw_text raw_string(const char *begin, const char *end, bool escaped)
{
	return (struct raw_text){.at = begin,
		.n = (uint32_t)(end - begin),
		.form = escaped ? TEXT_ESCAPED : TEXT_PLAIN};
}

/* Member by member: a processor waits when it must read back whole what was written in pieces. */
SCAN_STEP void got_text(
	struct raw_text *t, const char *at, size_t n, enum text_form form, struct memo *memo)
{
	t->at = at;
	t->n = (uint32_t)n;
	t->form = form;
	t->stamp = memo ? memo->stamp : 0;
	t->memo = memo;
}

#ifdef __x86_64__

/* A list, which may be one that was read before. */
SCAN_STEP const char *take_known_list(
	struct learned *l, struct raw_text *t, const char *p, const char *end)
{
	uint32_t tag;
	struct memo *memo = memo_at(l, p, &tag);
	const char *q = p + memo->n;
	if (!memo_match(memo, p)) {
		q = scan_blocks(p + 1, end);
		if (!q)
			return NULL;
		memo = memo_set(memo, tag, p, (size_t)(q - p));
	}
	got_text(t, p, (size_t)(q - p), TEXT_JSON, memo);
	return q;
}

/* The string of n bytes at p, without a backslash, which may be one that was read before. */
SCAN_STEP struct memo *known_string(struct learned *l, const char *p, size_t n)
{
	uint32_t tag;
	if (n > MEMO_BYTES)
		return NULL;
	struct memo *memo = memo_of(l, p, n, &tag);
	return memo->n == n && memo_match(memo, p) ? memo : memo_set(memo, tag, p, n);
}

#endif

/* `l`: NULL on the plain path. */
SCAN_STEP const char *take_text(struct raw_event *raw, const char *p, const char *end, unsigned i,
	struct learned *l, enum scan_path path)
{
	struct raw_text *t = &raw->text[i];
	struct memo *memo = NULL;
	raw->seen |= RAW_SEEN_TEXT(i);
	if (*p == '"') {
		bool escaped = false;
		const char *q = scan_string(p + 1, &escaped, path);
#ifdef __x86_64__
		if (l && !escaped)
			memo = known_string(l, p, (size_t)(q + 1 - p));
#endif
		got_text(t, p + 1, (size_t)(q - p - 1), escaped ? TEXT_ESCAPED : TEXT_PLAIN, memo);
		return q + 1;
	}
#ifdef __x86_64__
	if (l && *p == '[')
		return take_known_list(l, t, p, end);
#endif
	const char *q = skip_value(raw, p, end, path);
	if (q)
		got_text(t, p, (size_t)(q - p), TEXT_JSON, NULL);
	return q;
}

/* "X", and what damaged files put there. */
SCAN_STEP const char *take_phase(struct raw_event *raw, const char *p, const char *end)
{
	if (*p != '"')
		return skip_value(raw, p, end, SCAN_PLAIN);
	bool escaped = false;
	const char *q = p[2] == '"' ? p + 2 : scan_string(p + 1, &escaped, SCAN_PLAIN);
	raw->phase = q == p + 2 ? p[1] : 0;
	return q + 1;
}

/* Flows, objects, samples and their like are counted by their phase; nothing else of them is. */
SCAN_STEP bool phase_matters(char phase)
{
	const uint32_t lower =
		1u << ('b' - 'a') | 1u << ('e' - 'a') | 1u << ('n' - 'a') | 1u << ('i' - 'a');
	const uint32_t upper = 1u << ('X' - 'A') | 1u << ('B' - 'A') | 1u << ('E' - 'A') |
		1u << ('S' - 'A') | 1u << ('F' - 'A') | 1u << ('I' - 'A') | 1u << ('R' - 'A') |
		1u << ('C' - 'A') | 1u << ('M' - 'A');
	unsigned letter = (unsigned char)phase & 31;
	return !phase || (letter && (phase & 32 ? lower : upper) >> (letter - 1) & 1);
}

/* `l` and `last` are NULL on the plain path; `last` also where nothing is known about the place. */
SCAN_STEP const char *take_value(struct raw_event *raw, unsigned take, unsigned i, const char *p,
	const char *end, struct learned *l, struct last_number *last, enum scan_path path)
{
	switch ((enum take)take) {
	case TAKE_TEXT:
		return take_text(raw, p, end, i, l, path);
	case TAKE_TIME:
		return take_time(raw, p, end, (enum raw_number)i, last);
	case TAKE_ID:
		return take_int(raw, p, end, i, true, last);
	case TAKE_INT:
		return take_int(raw, p, end, i, false, last);
	case TAKE_REAL:
		return take_real(raw, p, end, i);
	case TAKE_TRIPLE:
#ifdef __x86_64__
		if (l)
			return take_known_triple(raw, p, end, i, l);
#endif
		return take_triple(raw, p, end, i, path);
	case TAKE_PHASE:
		return take_phase(raw, p, end);
	case TAKE_SKIP:
	case TAKE_ARGS:
	case TAKE_END:
		break;
	}
	return skip_value(raw, p, end, path);
}

#endif
