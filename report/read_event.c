#include "report/read_event.h"

#include "base/err.h"
#include "report/read_number.h"

#include <stdlib.h>

/* How the value of a key is taken. */
enum take {
	TAKE_SKIP,
	TAKE_PHASE,
	TAKE_ARGS,
	TAKE_TIME,
	TAKE_ID, /* a number, or a text beside it */
	TAKE_INT,
	TAKE_REAL,
	TAKE_TRIPLE,
	TAKE_TEXT,
};

enum { TOP, ARGS, LONGEST_KEY = 32, KEY_SLOTS = 256 };

static const struct spec {
	const char *key;
	uint8_t level, take, index;
} specs[] = {
	{"ph", TOP, TAKE_PHASE, 0},
	{"cat", TOP, TAKE_TEXT, RAW_CATEGORY},
	{"name", TOP, TAKE_TEXT, RAW_NAME},
	{"pid", TOP, TAKE_ID, RAW_PID},
	{"tid", TOP, TAKE_ID, RAW_TID},
	{"ts", TOP, TAKE_TIME, RAW_TS},
	{"dur", TOP, TAKE_TIME, RAW_DUR},
	{"args", TOP, TAKE_ARGS, 0},
	{"id", TOP, TAKE_ID, RAW_ID},
	{"scope", TOP, TAKE_TEXT, RAW_SCOPE},
	{"External id", ARGS, TAKE_ID, RAW_EXTERNAL},
	{"external id", ARGS, TAKE_ID, RAW_EXTERNAL},
	{"correlation", ARGS, TAKE_ID, RAW_CORRELATION},
	{"stream", ARGS, TAKE_INT, RAW_STREAM},
	{"device", ARGS, TAKE_INT, RAW_DEVICE},
	{"context", ARGS, TAKE_INT, RAW_CONTEXT},
	{"registers per thread", ARGS, TAKE_INT, RAW_REGISTERS},
	{"shared memory", ARGS, TAKE_INT, RAW_SHARED},
	{"est. achieved occupancy %", ARGS, TAKE_INT, RAW_OCCUPANCY},
	{"bytes", ARGS, TAKE_INT, RAW_BYTES},
	{"graph node id", ARGS, TAKE_INT, RAW_GRAPH_NODE},
	{"sort_index", ARGS, TAKE_INT, RAW_SORT_INDEX},
	{"grid", ARGS, TAKE_TRIPLE, RAW_GRID},
	{"block", ARGS, TAKE_TRIPLE, RAW_BLOCK},
	{"blocks per SM", ARGS, TAKE_REAL, RAW_BLOCKS_PER_SM},
	{"warps per SM", ARGS, TAKE_REAL, RAW_WARPS_PER_SM},
	{"memory bandwidth (GB/s)", ARGS, TAKE_REAL, RAW_BANDWIDTH},
	{"Input Dims", ARGS, TAKE_TEXT, RAW_DIMS},
	{"Input dims", ARGS, TAKE_TEXT, RAW_DIMS},
	{"Input type", ARGS, TAKE_TEXT, RAW_TYPES},
	{"Input Strides", ARGS, TAKE_TEXT, RAW_STRIDES},
	{"Concrete Inputs", ARGS, TAKE_TEXT, RAW_CONCRETE},
	{"kind", ARGS, TAKE_TEXT, RAW_KIND},
	{"name", ARGS, TAKE_TEXT, RAW_LABEL},
	{"labels", ARGS, TAKE_TEXT, RAW_LABEL},
};

/* A key of up to 32 bytes as four overlapping words: equal words and length are equal keys. */
struct key_words {
	uint64_t first, last, second, third;
	uint64_t shape; /* length, and the level above it */
};

struct key_slot {
	struct key_words words;
	uint8_t take, index;
};

struct event_keys {
	struct key_slot slot[KEY_SLOTS];
};

/* Reads up to 32 bytes at key, which the pad allows. */
SCAN_STEP struct key_words words_of(const char *key, size_t n, int level)
{
	struct key_words w = {.shape = n << 1 | (uint64_t)level};
	w.first = load8(key);
	if (n < 8) {
		w.first &= (1ull << 8 * n) - 1;
		return w;
	}
	w.last = load8(key + n - 8);
	if (n > 16) {
		w.second = load8(key + 8);
		w.third = load8(key + n - 16);
	}
	return w;
}

SCAN_STEP unsigned slot_of(const struct key_words *w)
{
	uint64_t h = (w->first ^ w->last << 1 ^ w->shape << 17) * 0x9e3779b97f4a7c15ull;
	return (unsigned)(h >> 56);
}

SCAN_STEP bool same_key(const struct key_words *a, const struct key_words *b)
{
	return a->first == b->first && a->last == b->last && a->shape == b->shape &&
		a->second == b->second && a->third == b->third;
}

struct event_keys *event_keys_new(void)
{
	struct event_keys *keys = xcalloc(1, sizeof *keys);
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		char key[LONGEST_KEY + 8] = "";
		size_t n = strlen(specs[i].key);
		memcpy(key, specs[i].key, n);
		struct key_words w = words_of(key, n, specs[i].level);
		unsigned at = slot_of(&w);
		while (keys->slot[at].words.shape)
			at = (at + 1) % KEY_SLOTS;
		keys->slot[at] = (struct key_slot){w, specs[i].take, specs[i].index};
	}
	return keys;
}

void event_keys_free(struct event_keys *keys)
{
	free(keys);
}

static const struct key_slot unknown_key = {.take = TAKE_SKIP};

SCAN_STEP const struct key_slot *key_find(
	const struct event_keys *keys, const char *key, size_t n, int level)
{
	if (n > LONGEST_KEY || !n)
		return &unknown_key;
	struct key_words w = words_of(key, n, level);
	for (unsigned at = slot_of(&w);; at = (at + 1) % KEY_SLOTS) {
		if (same_key(&keys->slot[at].words, &w))
			return &keys->slot[at];
		if (!keys->slot[at].words.shape)
			return &unknown_key;
	}
}

/* "\u0070h": decodes plain characters only; every other key is unknown anyway. */
static const struct key_slot *key_find_escaped(
	const struct event_keys *keys, const char *key, const char *end, int level)
{
	char plain[LONGEST_KEY + 8] = "";
	size_t n = 0;
	while (key < end && n < LONGEST_KEY) {
		unsigned c = (unsigned char)*key++;
		if (c == '\\' && end - key >= 5 && *key == 'u') {
			char hex[5] = "";
			memcpy(hex, key + 1, 4);
			c = (unsigned)strtoul(hex, NULL, 16);
			key += 5;
		}
		if (c == '\\' || c > 127)
			return &unknown_key;
		plain[n++] = (char)c;
	}
	return key < end ? &unknown_key : key_find(keys, plain, n, level);
}

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
		*text = (struct raw_text){p + 1, (uint32_t)(close - p - 1), escaped};
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
			text = (struct raw_text){p, (uint32_t)(q - p), false};
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
		*t = (struct raw_text){p + 1, (uint32_t)(q - p - 1), escaped};
		return q + 1;
	}
	const char *q = skip_value(raw, p, end, path);
	if (q)
		*t = (struct raw_text){p, (uint32_t)(q - p), false};
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
