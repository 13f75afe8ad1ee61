/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/strict.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

static const char SPACE[] = " \t\n\r", OUTSIDE[] = " \t\n\r\",:{}[]",
		  OUTSIDE_VALUES[] = " \t\n\r,:}]";

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

/* Of the escape at p, whose backslash it is; 0: it is none. */
static size_t escape_length(const char *p, const char *end)
{
	enum { HEX = 4 };
	if (end - p < 2 || !p[1] || !strchr("\"\\/bfnrtu", p[1]))
		return 0;
	if (p[1] != 'u')
		return 2;
	if (end - p < 2 + HEX)
		return 0;
	for (int i = 0; i < HEX; i++)
		if (!strchr("0123456789abcdefABCDEF", p[2 + i]) || !p[2 + i])
			return 0;
	return 2 + HEX;
}

/* Writes what stands at p, and returns what is behind it. */
static const char *put_character(FILE *f, const char *p, const char *end)
{
	size_t n = *p == '\\' ? escape_length(p, end) : 0;
	if (n) {
		fwrite(p, 1, n, f);
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

static const char *put_word(FILE *f, const char *p, const char *end)
{
	const char *from = p;
	while (p < end && !(*p && strchr(OUTSIDE, *p)))
		p++;
	bool value = is_value(from, p);
	fputs(value ? "" : "\"", f);
	if (value)
		fwrite(from, 1, (size_t)(p - from), f);
	else
		strict_put_text(f, from, (size_t)(p - from));
	fputs(value ? "" : "\"", f);
	return p;
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* A comma is due only where a value follows, and one stands in front of it. */
static bool is_due(char before, const char *p, const char *end)
{
	while (p < end && is_one_of(*p, SPACE))
		p++;
	return p < end && !is_one_of(*p, ",]}") && !is_one_of(before, "[{,");
}

void strict_put(FILE *f, const char *value, size_t n)
{
	char before = '[';
	for (const char *p = value, *end = value + n; p < end;) {
		char c = *p;
		if (!is_one_of(c, OUTSIDE_VALUES) && !is_one_of(before, "[{,:"))
			fputc(',', f);
		if (c == '"') {
			p = put_string(f, p, end);
		} else if (!is_one_of(c, OUTSIDE)) {
			p = put_word(f, p, end);
		} else {
			p++;
			if (c == ',' && !is_due(before, p, end))
				continue;
			fputc(c, f);
		}
		before = is_one_of(c, SPACE) ? before : c;
	}
}
