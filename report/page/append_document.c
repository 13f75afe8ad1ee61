/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/append_document.h"

#include "base/text_builder.h"
#include "report/page/document_links.h"

#include <string.h>

struct joining {
	struct arena *a;
	const struct document *part;
	const char *prefix;
};

/* The text with its links to places of the part renamed. Signs of markup as in rich_text.h. */
static const char *renamed(const void *data, const char *text)
{
	const struct joining *j = data;
	if (!text || !strstr(text, "](#"))
		return text;
	struct text_builder result = {.arena = j->a};
	const char *from = text;
	bool code = false;
	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
			continue;
		}
		code = *p == '`' ? !code : code;
		const char *name = code ? NULL : link_place(j->a, p);
		if (!name || !document_has_place(j->part, name))
			continue;
		text_add(&result, "%.*s](#%s%s", (int)(p - from), from, j->prefix, name);
		from = p + 3 + strlen(name);
	}
	text_add(&result, "%s", from);
	return text_built(&result);
}

const char *part_text(
	struct arena *a, const struct document *part, const char *prefix, const char *text)
{
	return renamed(&(struct joining){a, part, prefix}, text);
}

void document_join(struct document *d, struct document *part, const char *prefix, const char *band)
{
	const struct joining j = {d->arena, part, prefix};
	for (struct block *b = part->first; b; b = b->next)
		block_change_texts(j.a, b, renamed, &j);
	for (struct block *b = part->first; b; b = b->next) {
		b->band = band;
		if (b->place)
			document_place(d, b, arena_printf(j.a, "%s%s", prefix, b->place));
		if (b->figure)
			b->figure->id = arena_printf(j.a, "%s%s", prefix, b->figure->id);
	}
	if (d->last)
		d->last->next = part->first;
	else
		d->first = part->first;
	d->last = part->last ? part->last : d->last;
	part->first = part->last = NULL;
	part->places = (struct text_map){0};
}
