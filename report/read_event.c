#include "report/read_event.h"

#include "report/read_keys.h"
#include "report/read_number.h"

static void note(struct raw_event *raw, enum repair_kind kind, const char *at)
{
	if (!(raw->noted & 1u << kind)) {
		raw->noted |= 1u << kind;
		raw->note[kind].n = 0;
		raw->note[kind].at = at;
	}
	raw->note[kind].n++;
}

_Static_assert(REPAIR_KINDS <= 32, "bits of noted");

/* A value that is no string and no container ends here. */
static const char *token_end(const char *p)
{
	while ((unsigned char)*p > ' ' && *p != ',' && *p != '}' && *p != ']' && *p != '"')
		p++;
	return p;
}

static bool is_word(const char *p, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(p, word, n);
}

/* A number that the fast path does not know, or a word. */
static const char *take_token(struct raw_event *raw, const char *p, struct decimal *d, bool *number)
{
	const char *end = token_end(p);
	size_t n = (size_t)(end - p);
	*number = decimal_parse(p, n, d);
	if (!*number && !is_word(p, n, "null") && !is_word(p, n, "true") && !is_word(p, n, "false"))
		note(raw, REPAIR_WORD, p);
	return end;
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
	unsigned n;
	const char *q = p + (*p == '-');
	(void)scan_digits(&q, &n);
	if (n && *q == '.') {
		q++;
		(void)scan_digits(&q, &n);
	}
	if (n && (*q == ',' || *q == '}' || (unsigned char)*q <= ' '))
		return q;
	struct decimal d;
	bool number;
	return take_token(raw, p, &d, &number);
}

/* The text of a string in a number's place. */
struct inner {
	const char *at;
	size_t n;
};

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
		*text = (struct raw_text){
			p + 1, (uint32_t)(close - p - 1), escaped ? TEXT_ESCAPED : TEXT_PLAIN};
		*got = decimal_parse(text->at, text->n, d);
		return close + 1;
	}
	if ((*p | 32) == '{')
		return scan_container(p + 1, end, SCAN_PLAIN);
	return take_token(raw, p, d, got);
}

static const char *odd_time(
	struct raw_event *raw, const char *p, const char *end, enum raw_number i)
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

static const char *odd_int(
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
			text = (struct raw_text){p, (uint32_t)(q - p), TEXT_PLAIN};
		raw->text[as_text] = text;
		raw->seen |= RAW_SEEN_TEXT(as_text);
		raw->seen &= ~RAW_SEEN_NUMBER(i);
	}
	return q;
}

static const char *odd_real(struct raw_event *raw, const char *p, const char *end, unsigned i)
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

SCAN_STEP bool ends_number(char c)
{
	return c == ',' || c == '}' || (unsigned char)c <= ' ' || c == ']';
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
	if (!n || n > 16 || v > MOST_US || decimals > 3 || !ends_number(*q))
		return odd_time(raw, p, end, i);
	raw->number[i] = (int64_t)(v * 1000 + fraction * scan_ten_to[3 - decimals]);
	raw->seen |= RAW_SEEN_NUMBER(i);
	return q;
}

SCAN_STEP const char *take_int(
	struct raw_event *raw, const char *p, const char *end, unsigned i, bool id)
{
	unsigned n;
	bool negative = *p == '-';
	const char *q = p + negative;
	uint64_t v = scan_digits(&q, &n);
	if (!n || n > 18 || !ends_number(*q))
		return odd_int(raw, p, end, i, id);
	raw->number[i] = negative ? -(int64_t)v : (int64_t)v;
	raw->seen |= RAW_SEEN_NUMBER(i);
	if (id)
		raw->seen &= ~RAW_SEEN_TEXT(RAW_PID_TEXT + i - RAW_PID);
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
		return odd_real(raw, p, end, i);
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
	raw->seen |= RAW_SEEN_NUMBER(i);
	return q + 1 + (*p == '"');
}

SCAN_STEP const char *take_text(
	struct raw_event *raw, const char *p, const char *end, unsigned i, enum scan_path path)
{
	struct raw_text *t = &raw->text[i];
	raw->seen |= RAW_SEEN_TEXT(i);
	if (*p == '"') {
		bool escaped = false;
		const char *q = scan_string(p + 1, &escaped, path);
		*t = (struct raw_text){
			p + 1, (uint32_t)(q - p - 1), escaped ? TEXT_ESCAPED : TEXT_PLAIN};
		return q + 1;
	}
	const char *q = skip_value(raw, p, end, path);
	if (q)
		*t = (struct raw_text){p, (uint32_t)(q - p), TEXT_JSON};
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

SCAN_STEP const char *take_value(struct raw_event *raw, const struct key_slot *key, const char *p,
	const char *end, enum scan_path path)
{
	unsigned i = key->index;
	switch ((enum take)key->take) {
	case TAKE_TEXT:
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
		break;
	}
	return skip_value(raw, p, end, path);
}

static enum parsed stop(struct raw_event *raw, const char *p, const char *end)
{
	raw->end = p;
	return p >= end ? PARSED_MORE : PARSED_BROKEN;
}

/* From the quote of a key to its value. NULL, with raw->end set, when there is no key. */
SCAN_STEP const char *take_key(const struct event_keys *keys, struct raw_event *raw, const char *p,
	const char *end, int level, const struct key_slot **key, enum scan_path path)
{
	bool escaped;
	const char *q = scan_quote(p + 1, path);
	if (*q == '\\') {
		q = scan_string(p + 1, &escaped, path);
		*key = key_find_escaped(keys, p + 1, q < end ? q : end, level);
	} else {
		*key = key_find(keys, p + 1, (size_t)(q - p - 1), level);
	}
	p = scan_space(q + 1, path);
	if (*p == ':' && p < end)
		return scan_space(p + 1, path);
	raw->end = p;
	return NULL;
}

/* Closing braces at p: how many levels are left. */
SCAN_STEP const char *take_braces(const char *p, int *level, enum scan_path path)
{
	while (*p == '}') {
		p++;
		if (--*level < TOP)
			break;
		p = scan_space(p, path);
	}
	return p;
}

SCAN_STEP void raw_clear(struct raw_event *raw)
{
	raw->seen = 0;
	raw->noted = 0;
	raw->phase = 0;
	raw->fraction = false;
}

SCAN_STEP enum parsed parse(const struct event_keys *keys, enum scan_path path, const char *p,
	const char *end, struct raw_event *raw)
{
	const struct key_slot *key;
	int level = TOP;
	bool comma = false;
	raw_clear(raw);
	p = scan_space(p + 1, path);
	for (;;) {
		if (*p == '"') {
			p = take_key(keys, raw, p, end, level, &key, path);
			if (!p)
				return stop(raw, raw->end, end);
			if (key->take == TAKE_ARGS && *p == '{') {
				level = ARGS;
				comma = false;
				p = scan_space(p + 1, path);
				continue;
			}
			p = take_value(raw, key, p, end, path);
			if (!p)
				return stop(raw, end, end);
			p = scan_space(p, path);
		} else if (comma && (*p == '}' || *p == ',')) {
			note(raw, REPAIR_COMMA_EXTRA, p);
		}
		p = take_braces(p, &level, path);
		raw->end = p;
		if (level < TOP)
			return PARSED;
		comma = *p == ',';
		if (comma)
			p = scan_space(p + 1, path);
		else if (p < end && *p == '"')
			note(raw, REPAIR_COMMA_MISSING, p);
		else
			return stop(raw, p, end);
	}
}

static enum parsed parse_plain(
	const struct event_keys *keys, const char *p, const char *end, struct raw_event *raw)
{
	return parse(keys, SCAN_PLAIN, p, end, raw);
}

#ifdef __x86_64__
static enum parsed parse_sse2(
	const struct event_keys *keys, const char *p, const char *end, struct raw_event *raw)
{
	return parse(keys, SCAN_SSE2, p, end, raw);
}
#endif

enum parsed event_parse(const struct event_keys *keys, enum scan_path path, const char *p,
	const char *end, struct raw_event *raw)
{
#ifdef __x86_64__
	if (path != SCAN_PLAIN)
		return parse_sse2(keys, p, end, raw);
#endif
	return parse_plain(keys, p, end, raw);
}

enum scan_path scan_path_best(bool plain)
{
#ifdef __x86_64__
	if (!plain)
		return SCAN_SSE2;
#endif
	(void)plain;
	return SCAN_PLAIN;
}

/* One past a value at p, for text that was parsed before. */
static const char *pass_value(const char *p, const char *end)
{
	bool escaped;
	if (*p == '"')
		return scan_string(p + 1, &escaped, SCAN_PLAIN) + 1;
	if ((*p | 32) != '{')
		return token_end(p);
	const char *q = scan_container(p + 1, end, SCAN_PLAIN);
	return q ? q : end;
}

/* The next key at or after p, and its value; NULL behind the last one. */
static const char *pass_key(const char *p, const char *end, struct raw_text *key)
{
	bool escaped = false;
	while (p < end && *p != '"' && *p != '}')
		p++;
	if (p >= end || *p == '}')
		return NULL;
	const char *q = scan_string(p + 1, &escaped, SCAN_PLAIN);
	*key = (struct raw_text){p + 1, (uint32_t)(q - p - 1), escaped ? TEXT_ESCAPED : TEXT_PLAIN};
	for (q++; q < end && *q != ':'; q++)
		continue;
	return scan_space(q + 1, SCAN_PLAIN);
}

bool event_counter(const char *begin, const char *end, struct raw_text *key, double *value)
{
	bool args = false;
	for (const char *p = begin + 1; (p = pass_key(p, end, key)) && p < end;) {
		struct decimal d;
		if (!args && key->n == 4 && !memcmp(key->at, "args", 4) && *p == '{') {
			args = true;
			p++;
			continue;
		}
		const char *q = pass_value(p, end);
		if (args && decimal_parse(p, (size_t)(q - p), &d)) {
			*value = decimal_to_double(&d);
			return true;
		}
		p = q;
	}
	return false;
}
