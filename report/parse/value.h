/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - the values of an event, taken into a raw_event.
 *
 * Ordinary values are read here, inline; whatever is unusual goes to value.c. Every step takes
 * p at the first byte of a value and gives the byte behind it, or NULL when the window ends first.
 */
#ifndef REPORT_PARSE_VALUE_H
#define REPORT_PARSE_VALUE_H

#include "report/parse/keys.h"

/* Something mended inside this event. */
void raw_note(struct raw_event *raw, enum repair_kind kind, const char *at);

/* A value that is no string and no container ends here. */
const char *value_token_end(const char *p);

/* One past any value at p, of text up to `end` that was parsed before. */
const char *value_pass(const char *p, const char *end);

/* A token that is no ordinary number: skipped, and noted when it is no word of JSON. */
const char *value_odd(struct raw_event *raw, const char *p);

/* Anything but an ordinary number where a number is expected: signs, exponents, strings, words. */
const char *value_odd_time(
	struct raw_event *raw, const char *p, const char *end, enum raw_number i);
const char *value_odd_int(
	struct raw_event *raw, const char *p, const char *end, unsigned i, bool id);
const char *value_odd_real(struct raw_event *raw, const char *p, const char *end, unsigned i);

/* Any value as it looks seldom, space before it included. Reads it as the plain path does. */
const char *value_unusual(
	struct raw_event *raw, unsigned take, unsigned i, const char *p, const char *end);

SCAN_STEP bool ends_number(char c)
{
	return c == ',' || c == '}' || (unsigned char)c <= ' ' || c == ']';
}

/* `007`: JSON has no such number. */
SCAN_STEP bool is_padded(const char *p, unsigned digits)
{
	return *p == '0' && digits > 1;
}

/* A number from p up to q, whose first n bytes are digits, as JSON wants it. */
SCAN_STEP bool is_number(const char *p, unsigned n, const char *q)
{
	return ends_number(*q) && q[-1] != '.' && !is_padded(p, n);
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
	const char *digits = p + (*p == '-'), *q = pass_digits(digits);
	bool odd = q == digits || is_padded(digits, (unsigned)(q - digits));
	if (*q == '.') {
		digits = q + 1;
		q = pass_digits(digits);
		odd |= q == digits;
	}
	return odd || !ends_number(*q) ? value_odd(raw, p) : q;
}

static const uint64_t MOST_US = INT64_MAX / 1000 - 1;

/* Microseconds into nanoseconds: up to 16 digits, a point, up to 3 digits. */
SCAN_STEP const char *take_time(
	struct raw_event *raw, const char *p, const char *end, enum raw_number i)
{
	unsigned n, decimals = 0;
	const char *q = p;
	uint64_t v = scan_digits(&q, &n);
	uint64_t fraction = 0;
	if (*q == '.' && n) {
		q++;
		fraction = scan_eight(q, &decimals);
		q += decimals;
		raw->fraction = true;
	}
	if (!n || n > 16 || v > MOST_US || decimals > 3 || !is_number(p, n, q))
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

SCAN_STEP const char *take_int(
	struct raw_event *raw, const char *p, const char *end, unsigned i, bool id)
{
	unsigned n;
	bool negative = *p == '-';
	const char *q = p + negative;
	uint64_t v = scan_digits(&q, &n);
	if (!n || n > 18 || !is_number(p + negative, n, q))
		return value_odd_int(raw, p, end, i, id);
	got_int(raw, i, negative ? -(int64_t)v : (int64_t)v, id);
	return q;
}

SCAN_STEP double real_of(uint64_t whole, uint64_t fraction, unsigned decimals)
{
	uint64_t ten = scan_ten_to[decimals];
	return (double)(whole * ten + fraction) / (double)ten;
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
	if (!n || n + decimals > 19 || !is_number(p, n, q))
		return value_odd_real(raw, p, end, i);
	raw->real[i] = real_of(v, fraction, decimals);
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

SCAN_STEP struct raw_text raw_string(const char *begin, const char *end, bool escaped)
{
	return (struct raw_text){.at = begin,
		.n = (uint32_t)(end - begin),
		.form = escaped ? TEXT_ESCAPED : TEXT_PLAIN};
}

/* Member by member: a processor waits when it must read back whole what was written in pieces. */
SCAN_STEP void got_text(struct raw_text *t, const char *at, size_t n, enum text_form form)
{
	t->at = at;
	t->n = (uint32_t)n;
	t->form = form;
	t->known = NULL;
}

SCAN_STEP const char *take_text(
	struct raw_event *raw, const char *p, const char *end, unsigned i, enum scan_path path)
{
	struct raw_text *t = &raw->text[i];
	raw->seen |= RAW_SEEN_TEXT(i);
	if (*p == '"') {
		bool escaped = false;
		const char *q = scan_string(p + 1, &escaped, path);
		got_text(t, p + 1, (size_t)(q - p - 1), escaped ? TEXT_ESCAPED : TEXT_PLAIN);
		return q + 1;
	}
	const char *q = skip_value(raw, p, end, path);
	if (q)
		got_text(t, p, (size_t)(q - p), TEXT_JSON);
	return q;
}

/* "X", and what damaged files put there. */
SCAN_STEP const char *take_phase(struct raw_event *raw, const char *p, const char *end)
{
	if (*p != '"')
		return skip_value(raw, p, end, SCAN_PLAIN);
	bool escaped = false;
	bool plain = p[2] == '"' && p[1] != '\\';
	const char *q = plain ? p + 2 : scan_string(p + 1, &escaped, SCAN_PLAIN);
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

SCAN_STEP const char *take_value(struct raw_event *raw, unsigned take, unsigned i, const char *p,
	const char *end, enum scan_path path)
{
	switch ((enum take)take) {
	case TAKE_TEXT:
	case TAKE_CATEGORY:
		return take_text(raw, p, end, i, path);
	case TAKE_TIME:
		return take_time(raw, p, end, (enum raw_number)i);
	case TAKE_ID:
		return take_int(raw, p, end, i, true);
	case TAKE_INT:
		return take_int(raw, p, end, i, false);
	case TAKE_REAL:
		return take_real(raw, p, end, i);
	case TAKE_TRIPLE:
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
