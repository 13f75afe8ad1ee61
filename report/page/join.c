/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/join.h"

#include <string.h>

struct joining {
	struct arena *a;
	const struct document *part;
	const char *prefix;
};

/* The name of a link "](#name)" at its bracket; NULL when none is there. */
static const char *linked_name(const struct joining *j, const char *p)
{
	if (strncmp(p, "](#", 3) != 0)
		return NULL;
	const char *name = p + 3;
	size_t n = strcspn(name, ")");
	return name[n] ? arena_strndup(j->a, name, n) : NULL;
}

/* The text with its links to places of the part renamed. Signs of markup as in rich.h. */
static const char *renamed(const struct joining *j, const char *text)
{
	if (!text || !strstr(text, "](#"))
		return text;
	const char *result = "", *from = text;
	bool code = false;
	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
			continue;
		}
		code = *p == '`' ? !code : code;
		const char *name = code ? NULL : linked_name(j, p);
		if (!name || !document_has_place(j->part, name))
			continue;
		result = arena_printf(
			j->a, "%s%.*s](#%s%s", result, (int)(p - from), from, j->prefix, name);
		from = p + 3 + strlen(name);
	}
	return arena_printf(j->a, "%s%s", result, from);
}

const char *part_text(
	struct arena *a, const struct document *part, const char *prefix, const char *text)
{
	return renamed(&(struct joining){a, part, prefix}, text);
}

static void rename_heads(const struct joining *j, struct table *t)
{
	size_t n = (size_t)t->n_columns;
	struct column *column = arena_array(j->a, n, sizeof *column);
	for (size_t i = 0; i < n; i++) {
		column[i] = t->column[i];
		column[i].title = renamed(j, column[i].title);
	}
	t->column = column;
}

static void rename_table(const struct joining *j, struct table *t)
{
	const char **group = t->group;
	rename_heads(j, t);
	if (group)
		t->group = arena_array(j->a, (size_t)t->n_rows, sizeof *t->group);
	for (int row = 0; row < t->n_rows && group; row++)
		t->group[row] = renamed(j, group[row]);
	for (int i = 0; i < t->n_rows * t->n_columns; i++)
		t->cell[i].text = renamed(j, t->cell[i].text);
}

static void rename_links(const struct joining *j, struct block *b)
{
	b->text = renamed(j, b->text);
	b->note = renamed(j, b->note);
	if (b->table)
		rename_table(j, b->table);
}

void document_join(struct document *d, struct document *part, const char *prefix, const char *band)
{
	const struct joining j = {d->arena, part, prefix};
	for (struct block *b = part->first; b; b = b->next)
		rename_links(&j, b);
	for (struct block *b = part->first; b; b = b->next) {
		b->band = band;
		if (b->place)
			b->place = arena_printf(j.a, "%s%s", prefix, b->place);
		if (b->figure)
			b->figure->id = arena_printf(j.a, "%s%s", prefix, b->figure->id);
	}
	if (d->last)
		d->last->next = part->first;
	else
		d->first = part->first;
	d->last = part->last ? part->last : d->last;
	part->first = part->last = NULL;
}
