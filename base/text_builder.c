/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_builder.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_ROOM = 64 };

static void make_room(struct text_builder *t, size_t bytes)
{
	if (t->n + bytes < t->room)
		return;
	t->room = 2 * (t->n + bytes) + LEAST_ROOM;
	char *longer = arena_alloc(t->arena, t->room);
	if (t->n)
		memcpy(longer, t->text, t->n);
	t->text = longer;
}

void text_add(struct text_builder *t, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int bytes = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (bytes < 0)
		bug("a format that cannot be printed: %s", fmt);
	make_room(t, (size_t)bytes);
	vsnprintf(t->text + t->n, (size_t)bytes + 1, fmt, again);
	va_end(again);
	t->n += (size_t)bytes;
}

void text_add_bytes(struct text_builder *t, const char *bytes, size_t n)
{
	make_room(t, n);
	memcpy(t->text + t->n, bytes, n);
	t->n += n;
	t->text[t->n] = '\0';
}

const char *text_separator(const struct text_builder *t, const char *between)
{
	return t->n ? between : "";
}

const char *text_built(const struct text_builder *t)
{
	return t->text ? t->text : "";
}
