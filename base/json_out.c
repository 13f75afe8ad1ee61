/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include "base/err.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_init(struct json_out *j, FILE *f)
{
	*j = (struct json_out){.f = f};
}

void json_finish(struct json_out *j)
{
	if (j->depth)
		bug("json: %d containers left open", j->depth);
	fputc('\n', j->f);
}

static void put_escaped(FILE *f, uint32_t c)
{
	if (c == '"' || c == '\\')
		fprintf(f, "\\%c", (char)c);
	else if (c == '\n')
		fputs("\\n", f);
	else if (c == '\t')
		fputs("\\t", f);
	else if (c == UTF8_BAD)
		fputs("\xef\xbf\xbd", f);
	else
		fprintf(f, "\\u%04x", (unsigned)c);
}

/* What stands as it is, most of it, is written in one piece. */
void json_escape(FILE *f, const char *text)
{
	const char *plain = text;
	fputc('"', f);
	for (const char *p = text; *p;) {
		const char *at = p;
		uint32_t c = utf8_next(&p);
		if (c != '"' && c != '\\' && c != UTF8_BAD && !utf8_is_obeyed(c))
			continue;
		fwrite(plain, 1, (size_t)(at - plain), f);
		put_escaped(f, c);
		plain = p;
	}
	fputs(plain, f);
	fputc('"', f);
}

static void indent(struct json_out *j, int depth)
{
	fputc('\n', j->f);
	for (int i = 0; i < depth; i++)
		fputs("  ", j->f);
}

/* Comma, line break and key in front of the next value. */
static void lead(struct json_out *j, const char *key)
{
	if (!j->depth) {
		if (key)
			bug("json: key \"%s\" outside an object", key);
		return;
	}
	bool in_object = j->stack[j->depth - 1].close == '}';
	if (in_object != (key != NULL))
		bug("json: %s", key ? "a key inside an array" : "a value without a key");
	bool inline_ = j->stack[j->depth - 1].inline_;
	if (j->stack[j->depth - 1].any)
		fputs(inline_ ? ", " : ",", j->f);
	j->stack[j->depth - 1].any = true;
	if (!inline_)
		indent(j, j->depth);
	if (key) {
		json_escape(j->f, key);
		fputs(": ", j->f);
	}
}

static void open_container(struct json_out *j, const char *key, enum json_layout layout, char first)
{
	lead(j, key);
	if (j->depth == JSON_DEPTH)
		bug("json: nested deeper than %d", JSON_DEPTH);
	bool inline_ = layout == JSON_INLINE || (j->depth && j->stack[j->depth - 1].inline_);
	j->stack[j->depth].close = first == '{' ? '}' : ']';
	j->stack[j->depth].inline_ = inline_;
	j->stack[j->depth].any = false;
	j->depth++;
	fputc(first, j->f);
}

void json_object(struct json_out *j, const char *key, enum json_layout layout)
{
	open_container(j, key, layout, '{');
}

void json_array(struct json_out *j, const char *key, enum json_layout layout)
{
	open_container(j, key, layout, '[');
}

void json_end(struct json_out *j)
{
	if (!j->depth)
		bug("json: nothing to close");
	j->depth--;
	if (j->stack[j->depth].any && !j->stack[j->depth].inline_)
		indent(j, j->depth);
	fputc(j->stack[j->depth].close, j->f);
}

void json_text(struct json_out *j, const char *key, const char *value)
{
	lead(j, key);
	json_escape(j->f, value);
}

void json_int(struct json_out *j, const char *key, int64_t value)
{
	lead(j, key);
	fprintf(j->f, "%" PRId64, value);
}

void json_bool(struct json_out *j, const char *key, bool value)
{
	lead(j, key);
	fputs(value ? "true" : "false", j->f);
}

void json_null(struct json_out *j, const char *key)
{
	lead(j, key);
	fputs("null", j->f);
}

void json_number(struct json_out *j, const char *key, double value, int decimals)
{
	lead(j, key);
	if (isfinite(value))
		fprintf(j->f, "%.*f", decimals, value);
	else
		fputs("null", j->f);
}

void json_us(struct json_out *j, const char *key, int64_t ns)
{
	lead(j, key);
	uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	fprintf(j->f, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", u / 1000, (unsigned)(u % 1000));
}
