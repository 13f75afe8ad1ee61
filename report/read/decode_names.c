/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* A text being decoded; the result is never longer than three times the source. */
struct decoding {
	char *text;
	size_t n, room;
	uint32_t found; /* bit per enum repair_kind */
};

static void put(struct decoding *d, uint32_t c)
{
	if (!c)
		c = 0xfffd; /* a NUL would end the name */
	d->n += (size_t)utf8_put(d->text + d->n, c);
}

static int hex4(const char *p, const char *end)
{
	int v = 0;
	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int digit = c >= '0' && c <= '9'	     ? c - '0'
			: (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
							     : -1;
		if (digit < 0)
			return -1;
		v = v * 16 + digit;
	}
	return v;
}

/* \uXXXX at p, behind the u; surrogate pairs are joined. */
static const char *put_unicode(struct decoding *d, const char *p, const char *end)
{
	uint32_t c = (uint32_t)hex4(p, end);
	p += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		int low = hex4(p + 2, end);
		if (low >= 0xdc00 && low < 0xe000) {
			put(d, 0x10000 + ((c - 0xd800) << 10) + ((uint32_t)low - 0xdc00));
			return p + 6;
		}
	}
	if (c >= 0xd800 && c < 0xe000) {
		d->found |= 1u << REPAIR_SURROGATE;
		c = 0xfffd;
	}
	put(d, c);
	return p;
}

static const char escape_letters[] = "\"\\/bfnrt", escape_values[] = "\"\\/\b\f\n\r\t";

static bool escapes_are_json(const char *p, const char *end)
{
	for (; (p = memchr(p, '\\', (size_t)(end - p))); p += 2) {
		if (end - p < 2)
			return false;
		if (p[1] == 'u' ? hex4(p + 2, end) < 0 : !p[1] || !strchr(escape_letters, p[1]))
			return false;
		if (end - p == 2)
			break;
	}
	return true;
}

static const char *put_escape(struct decoding *d, const char *p, const char *end)
{
	if (p[1] == 'u')
		return put_unicode(d, p + 2, end);
	put(d, (unsigned char)escape_values[strchr(escape_letters, p[1]) - escape_letters]);
	return p + 2;
}

/* The entry's text ends with a NUL, so utf8_next never reads behind it. */
static inline const char *put_one(struct decoding *d, const char *p)
{
	if (*p >= ' ' && *p < 0x7f) { /* nearly all */
		d->text[d->n++] = *p;
		return p + 1;
	}
	if (!*p) {
		d->found |= 1u << REPAIR_CONTROL;
		put(d, 0);
		return p + 1;
	}
	if ((unsigned char)*p < ' ')
		d->found |= 1u << REPAIR_CONTROL;
	uint32_t c = utf8_next(&p);
	if (c == UTF8_BAD) {
		d->found |= 1u << REPAIR_UTF8;
		c = 0xfffd;
	}
	put(d, c);
	return p;
}

static void decode(struct decoding *d, const struct text_entry *e)
{
	const char *p = e->text, *end = p + e->length;
	bool escaped = e->form == TEXT_ESCAPED;
	bool escapes = escaped && escapes_are_json(p, end);
	if (escaped && !escapes)
		d->found |= 1u << REPAIR_BACKSLASH;
	while (p < end) {
		if (escapes && *p == '\\')
			p = put_escape(d, p, end);
		else if (escaped && *p == '\\' && p + 1 < end && p[1] == '"')
			p++;
		else
			p = put_one(d, p);
	}
}

/* A list as Kineto writes it, whatever its line breaks were: "[[64, 64], []]". */
static void decode_json(struct decoding *d, const struct text_entry *e)
{
	bool inside = false;
	for (const char *p = e->text, *end = p + e->length; p < end;) {
		char c = *p;
		if (!inside && (unsigned char)c <= ' ') {
			p++;
			continue;
		}
		if (c == '"')
			inside = !inside;
		if (inside && c == '\\' && p + 1 < end)
			p = put_one(d, p);
		p = put_one(d, p);
		if (!inside && (c == ',' || c == ':'))
			put(d, ' ');
	}
}

/* Bytes of a name: the longest that a compiler has made were 200 kB. */
enum { LONGEST_NAME = 1 << 18 };

static bool is_plain(const struct text_entry *e)
{
	unsigned char odd = 0;
	for (uint32_t i = 0; i < e->length; i++) {
		unsigned char c = (unsigned char)e->text[i];
		odd |= (unsigned char)(c >= 0x80 || c < ' ');
	}
	return !odd && e->form == TEXT_PLAIN;
}

static name_id name_of(struct names *names, struct decoding *d, const struct text_entry *text,
	struct repair_counts *repairs)
{
	struct text_entry cut = *text, *e = &cut;
	if (e->length > LONGEST_NAME && e->form != TEXT_JSON) {
		cut.length = LONGEST_NAME;
		repair_note(repairs, REPAIR_LONG, 1, e->offset, e->text, e->length);
	}
	if (is_plain(e))
		return names_add(names, e->text, e->length);
	if (d->room < 3 * (size_t)e->length + 4) {
		d->room = 3 * (size_t)e->length + 4;
		d->text = xrealloc(d->text, d->room, 1);
	}
	d->n = 0;
	d->found = 0;
	if (e->form == TEXT_JSON)
		decode_json(d, e);
	else
		decode(d, e);
	for (unsigned kind = REPAIR_UTF8; kind <= REPAIR_CONTROL; kind++)
		if (d->found & 1u << kind)
			repair_note(repairs, kind, 1, e->offset, e->text, e->length);
	return names_add(names, d->text, d->n);
}

char *name_decode(struct arena *a, const char *text, size_t n, bool json)
{
	struct text_entry e = {
		.text = text, .length = (uint32_t)n, .form = json ? TEXT_JSON : TEXT_ESCAPED};
	struct decoding d = {.text = arena_alloc(a, 3 * n + 4)};
	if (json)
		decode_json(&d, &e);
	else
		decode(&d, &e);
	d.text[d.n] = '\0';
	return d.text;
}

name_id *names_of_texts(
	struct names *names, const struct strings *texts, struct repair_counts *repairs)
{
	struct decoding d = {0};
	name_id *map = xalloc(texts->n * sizeof *map);
	map[0] = 0;
	for (uint32_t id = 1; id < texts->n; id++)
		map[id] = name_of(names, &d, &texts->entry[id], repairs);
	free(d.text);
	return map;
}
