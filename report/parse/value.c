/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/value.h"

#include "report/parse/number.h"

void raw_note(struct raw_event *raw, enum repair_kind kind, const char *at)
{
	if (!(raw->noted & 1u << kind)) {
		raw->noted |= 1u << kind;
		raw->note[kind].n = 0;
		raw->note[kind].at = at;
	}
	raw->note[kind].n++;
	raw->notes++;
}

_Static_assert(REPAIR_UTF8 <= 32, "bits of noted: what is wrong with the text of an event");

/* A value that is no string and no container ends here. */
const char *value_token_end(const char *p)
{
	while ((unsigned char)*p > ' ' && *p != ',' && *p != '}' && *p != ']' && *p != '"')
		p++;
	return p;
}

const char *value_pass(const char *p, const char *end)
{
	bool escaped;
	if (*p == '"')
		return scan_string(p + 1, &escaped, SCAN_PLAIN) + 1;
	if ((*p | 32) != '{')
		return value_token_end(p);
	const char *q = scan_container(p + 1, end, SCAN_PLAIN);
	return q ? q : end;
}

static bool is_word(const char *p, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(p, word, n);
}

/* A number that the fast path does not know, or a word. */
static const char *take_token(struct raw_event *raw, const char *p, struct decimal *d, bool *number)
{
	const char *end = value_token_end(p);
	size_t n = (size_t)(end - p);
	*number = decimal_parse(p, n, d);
	if (!*number && !is_word(p, n, "null") && !is_word(p, n, "true") && !is_word(p, n, "false"))
		raw_note(raw, REPAIR_WORD, p);
	if (*number && !decimal_is_json(p, n))
		raw_note(raw, REPAIR_NUMBER, p);
	return end;
}

const char *value_odd(struct raw_event *raw, const char *p)
{
	struct decimal d;
	bool number;
	return take_token(raw, p, &d, &number);
}

/* Everything but an ordinary number where a number is expected. Returns one past the value, NULL
 * at the end of the window; *got tells whether d holds it, inner the text of a string that holds
 * none. */
static const char *odd_number(struct raw_event *raw, const char *p, const char *end,
	struct decimal *d, bool *got, struct raw_text *text)
{
	bool escaped = false;
	*got = false;
	*text = (struct raw_text){0};
	if (*p == '"') {
		const char *close = scan_string(p + 1, &escaped, SCAN_PLAIN);
		*text = raw_string(p + 1, close, escaped);
		*got = decimal_parse(text->at, text->n, d);
		return close + 1;
	}
	if ((*p | 32) == '{')
		return scan_container(p + 1, end, SCAN_PLAIN);
	return take_token(raw, p, d, got);
}

const char *value_odd_time(struct raw_event *raw, const char *p, const char *end, enum raw_number i)
{
	struct decimal d;
	struct raw_text text;
	bool got;
	const char *q = odd_number(raw, p, end, &d, &got, &text);
	if (got && !decimal_to_int(&d, 3, &raw->number[i]))
		raw->number[i] = INT64_MAX; /* out of range: found out when the event is kept */
	if (got)
		raw->seen |= RAW_SEEN_NUMBER(i);
	raw->fraction |= got && d.exponent < 0;
	return q;
}

const char *value_odd_int(
	struct raw_event *raw, const char *p, const char *end, unsigned i, bool id)
{
	struct decimal d;
	struct raw_text text;
	bool got;
	const char *q = odd_number(raw, p, end, &d, &got, &text);
	unsigned as_text = RAW_PID_TEXT + i - RAW_PID;
	if (got && decimal_to_int(&d, 0, &raw->number[i])) {
		raw->seen |= RAW_SEEN_NUMBER(i);
		if (id)
			raw->seen &= ~RAW_SEEN_TEXT(as_text);
	} else if (id && (got || text.at)) {
		if (!text.at)
			text = raw_string(p, q, false);
		raw->text[as_text] = text;
		raw->seen |= RAW_SEEN_TEXT(as_text);
		raw->seen &= ~RAW_SEEN_NUMBER(i);
	}
	return q;
}

const char *value_odd_real(struct raw_event *raw, const char *p, const char *end, unsigned i)
{
	struct decimal d;
	struct raw_text text;
	bool got;
	const char *q = odd_number(raw, p, end, &d, &got, &text);
	if (got) {
		raw->real[i] = decimal_to_double(&d);
		raw->seen |= RAW_SEEN_REAL(i);
	}
	return q;
}

const char *value_unusual(
	struct raw_event *raw, unsigned take, unsigned i, const char *p, const char *end)
{
	return take_value(raw, take, i, scan_space(p, SCAN_PLAIN), end, SCAN_PLAIN);
}
