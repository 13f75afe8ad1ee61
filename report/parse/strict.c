/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/strict.h"

#include "base/err.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char SPACE[] = " \t\n\r", OUTSIDE[] = "\",:{}[]";

static size_t digits_at(const char *p, const char *end)
{
	const char *from = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return (size_t)(p - from);
}

static bool is_number(const char *p, const char *end)
{
	p += p < end && *p == '-';
	size_t n = digits_at(p, end);
	if (!n || (n > 1 && *p == '0'))
		return false;
	p += n;
	if (p < end && *p == '.') {
		if (!(n = digits_at(p + 1, end)))
			return false;
		p += 1 + n;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		if (!(n = digits_at(p, end)))
			return false;
		p += n;
	}
	return p == end;
}

static bool is_value(const char *p, const char *end)
{
	static const char *const words[] = {"true", "false", "null"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if ((size_t)(end - p) == strlen(words[i]) &&
			!memcmp(p, words[i], (size_t)(end - p)))
			return true;
	return is_number(p, end);
}

enum { HEX = 4, UNICODE = 2 + HEX };

/* Of the four digits of \uXXXX at p; -1: it is none. */
static long unit_at(const char *p, const char *end)
{
	char digits[HEX + 1] = {0};
	if (end - p < UNICODE || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (int i = 0; i < HEX; i++)
		if (!(digits[i] = p[2 + i]) || !strchr("0123456789abcdefABCDEF", digits[i]))
			return -1;
	return strtol(digits, NULL, 16);
}

/* Of the escape at p, whose backslash it is; 0: it is none. A pair of surrogates is one. */
static size_t escape_length(const char *p, const char *end)
{
	long high = unit_at(p, end);
	if (high >= 0) {
		long low = high >> 10 == 0xd800 >> 10 ? unit_at(p + UNICODE, end) : -1;
		return low >> 10 == 0xdc00 >> 10 ? 2 * UNICODE : UNICODE;
	}
	return end - p >= 2 && p[1] && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
}

/* Half of a pair of surrogates: the grammar lets it stand, readers do not. */
static bool is_half(const char *p, const char *end, size_t length)
{
	return length == UNICODE && unit_at(p, end) >> 11 == 0xd800 >> 11;
}

/* Writes what stands at p, and returns what is behind it. */
static const char *put_character(FILE *f, const char *p, const char *end)
{
	size_t n = *p == '\\' ? escape_length(p, end) : 0;
	if (n) {
		bool half = is_half(p, end, n);
		fwrite(half ? "\\ufffd" : p, 1, n, f);
		return p + n;
	}
	unsigned char c = (unsigned char)*p;
	if (c == '\\' || c < 0x20 || c == '"') {
		fprintf(f, c < 0x20 ? "\\u%04x" : "\\%c", c);
		return p + 1;
	}
	const char *next = p;
	if (utf8_next(&next) == UTF8_BAD || next > end) {
		fputs("\xef\xbf\xbd", f);
		return p + 1;
	}
	fwrite(p, 1, (size_t)(next - p), f);
	return next;
}

void strict_put_text(FILE *f, const char *text, size_t n)
{
	for (const char *p = text, *end = text + n; p < end;)
		p = put_character(f, p, end);
}

static const char *put_string(FILE *f, const char *p, const char *end)
{
	const char *close = p + 1;
	while (close < end && *close != '"')
		close += *close == '\\' && close + 1 < end && (close[1] == '"' || close[1] == '\\')
			? 2
			: 1;
	close = close < end ? close : end;
	fputc('"', f);
	strict_put_text(f, p + 1, (size_t)(close - p - 1));
	fputc('"', f);
	return close < end ? close + 1 : end;
}

/* Outside of texts: space, or what is neither that nor anything else. */
static bool is_space(char c)
{
	return (unsigned char)c <= ' ';
}

/* The end of a word, which is at least a byte long. */
static const char *word_end(const char *p, const char *end)
{
	for (p++; p < end && !is_space(*p) && !strchr(OUTSIDE, *p); p++)
		;
	return p;
}

/* What the grammar lets come next. */
enum due { DUE_VALUE, DUE_KEY, DUE_COLON, DUE_NOTHING };

struct writer {
	FILE *f;
	enum due due; /* of an object a value is due behind its colon alone */
	bool any;
	const char *comma; /* behind one that stands once it is known that more comes; or NULL */
	char *open; /* (depth) brackets */
	size_t depth, room;
};

static bool in_object(const struct writer *w)
{
	return w->depth && w->open[w->depth - 1] == '{';
}

static void put_space(const struct writer *w, const char *from, const char *to)
{
	for (; from < to; from++)
		if (*from && strchr(SPACE, *from))
			fputc(*from, w->f);
}

/* The comma in front of p, or not, and the space behind it. */
static void settle_comma(struct writer *w, const char *p, bool stands)
{
	if (!w->comma)
		return;
	fputs(stands ? "," : "", w->f);
	put_space(w, w->comma, p);
	w->comma = NULL;
}

/* A member that was begun and has no value. */
static void end_member(struct writer *w)
{
	if (w->due == DUE_COLON)
		fputs(":null", w->f);
	else if (w->due == DUE_VALUE && in_object(w))
		fputs("null", w->f);
	else
		return;
	w->due = DUE_NOTHING;
}

/* Something begins at p that is a key, or a value: what is due in front of it. */
static void begin(struct writer *w, const char *p, bool bracket)
{
	settle_comma(w, p, true);
	if (w->due == DUE_COLON)
		end_member(w);
	if (w->due == DUE_NOTHING) {
		fputc(',', w->f);
		w->due = in_object(w) ? DUE_KEY : DUE_VALUE;
	}
	if (w->due == DUE_KEY && bracket) {
		fputs("\"\":", w->f);
		w->due = DUE_VALUE;
	}
	w->any = true;
}

static const char *put_token(struct writer *w, const char *p, const char *end)
{
	begin(w, p, false);
	bool key = w->due == DUE_KEY;
	w->due = key ? DUE_COLON : DUE_NOTHING;
	if (*p == '"')
		return put_string(w->f, p, end);
	const char *to = word_end(p, end);
	bool value = !key && is_value(p, to);
	fputs(value ? "" : "\"", w->f);
	if (value)
		fwrite(p, 1, (size_t)(to - p), w->f);
	else
		strict_put_text(w->f, p, (size_t)(to - p));
	fputs(value ? "" : "\"", w->f);
	return to;
}

static void put_open(struct writer *w, const char *p)
{
	begin(w, p, true);
	if (w->depth == w->room) {
		w->room = 2 * w->room + 64;
		w->open = xrealloc(w->open, w->room, 1);
	}
	fputc(*p, w->f);
	w->open[w->depth++] = *p;
	w->due = *p == '{' ? DUE_KEY : DUE_VALUE;
}

static void close_last(struct writer *w)
{
	end_member(w);
	fputc(w->open[--w->depth] == '{' ? '}' : ']', w->f);
	w->due = DUE_NOTHING;
}

/* With all that is open in it; one that closes nothing is left out. */
static void put_close(struct writer *w, const char *p)
{
	char opened = *p == '}' ? '{' : '[';
	if (!w->depth || !memchr(w->open, opened, w->depth))
		return;
	settle_comma(w, p, false);
	while (w->open[w->depth - 1] != opened)
		close_last(w);
	close_last(w);
}

static void put_comma(struct writer *w, const char *p)
{
	end_member(w);
	if (w->due != DUE_NOTHING || w->comma)
		return;
	w->comma = p + 1;
	w->due = in_object(w) ? DUE_KEY : DUE_VALUE;
}

void strict_put(FILE *f, const char *value, size_t n)
{
	struct writer w = {.f = f};
	const char *end = value + n;
	/* Behind the value stands nothing. */
	for (const char *p = value; p < end && !(w.any && !w.depth && !is_space(*p));) {
		char c = *p;
		if (c == '"' || (!is_space(c) && !strchr(OUTSIDE, c))) {
			p = put_token(&w, p, end);
			continue;
		}
		if (is_space(c) && !w.comma)
			put_space(&w, p, p + 1);
		else if (c == '[' || c == '{')
			put_open(&w, p);
		else if (c == ']' || c == '}')
			put_close(&w, p);
		else if (c == ',' && w.depth)
			put_comma(&w, p);
		else if (c == ':' && w.due == DUE_COLON) {
			fputc(c, f);
			w.due = DUE_VALUE;
		}
		p++;
	}
	settle_comma(&w, end, false);
	while (w.depth)
		close_last(&w);
	fputs(w.any ? "" : "null", f);
	free(w.open);
}
