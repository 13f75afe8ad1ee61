/* SPDX-License-Identifier: Apache-2.0 */

#include "report/page/document_links.h"
#include "base/text_builder.h"

#include <string.h>

static void change_heads(struct arena *a, struct table *t, text_change *change, const void *data)
{
	size_t n = (size_t)t->n_columns;
	struct column *column = arena_array(a, n, sizeof *column);
	for (size_t i = 0; i < n; i++) {
		column[i] = t->column[i];
		column[i].title = change(data, column[i].title);
	}
	t->column = column;
}

static void change_table(struct arena *a, struct table *t, text_change *change, const void *data)
{
	const char **group = t->group;
	change_heads(a, t, change, data);
	if (group)
		t->group = arena_array(a, (size_t)t->n_rows, sizeof *t->group);
	for (int row = 0; row < t->n_rows && group; row++)
		t->group[row] = group[row] ? change(data, group[row]) : NULL;
	for (int i = 0; i < t->n_rows * t->n_columns; i++)
		t->cell[i].text = change(data, t->cell[i].text);
}

void block_change_texts(struct arena *a, struct block *b, text_change *change, const void *data)
{
	if (b->kind == BLOCK_CODE)
		return;
	b->text = b->text ? change(data, b->text) : NULL;
	b->note = b->note ? change(data, b->note) : NULL;
	if (b->table)
		change_table(a, b->table, change, data);
}

const char *link_place(struct arena *a, const char *p)
{
	if (strncmp(p, "](#", 3) != 0)
		return NULL;
	const char *name = p + 3;
	size_t n = strcspn(name, ")");
	return name[n] ? arena_strndup(a, name, n) : NULL;
}

struct loosening {
	struct document *d;
	place_is_elsewhere *is_elsewhere;
	const void *data;
	bool whole;
};

/* What a label says without its page: "Title, page ¶" becomes "Title, in the atlas". */
static const char *label_without_page(const struct document *d, const char *label)
{
	static const char SIGN[] = "\xc2\xb6";
	struct arena *a = d->arena;
	if (!strcmp(label, SIGN))
		return texts_find(d->texts, "link.elsewhere.alone");
	const char *page = texts_find(d->texts, "link.page");
	const char *at = strstr(label, page);
	const char *end = at ? at + strlen(page) : NULL;
	if (!at && (at = strstr(label, SIGN)))
		end = at + strlen(SIGN);
	return at ? arena_printf(a, "%.*s%s%s", (int)(at - label), label,
			    texts_find(d->texts, "link.elsewhere"), end)
		  : label;
}

/* The end of a label that begins at `p`, behind its bracket; NULL: it is none. */
static const char *label_end(const char *p)
{
	for (; *p && *p != ']'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p : NULL;
}

static const char *loosened(const void *data, const char *text)
{
	const struct loosening *l = data;
	struct arena *a = l->d->arena;
	struct text_builder result = {.arena = a};
	const char *from = text;
	bool code = false;
	if (!strstr(text, "](#"))
		return text;
	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
			continue;
		}
		code = *p == '`' ? !code : code;
		const char *end = *p == '[' && !code ? label_end(p + 1) : NULL;
		const char *place = end ? link_place(a, end) : NULL;
		if (!place || document_has_place(l->d, place))
			continue;
		bool elsewhere = l->is_elsewhere(l->data, place);
		if (!elsewhere && !l->whole)
			continue;
		if (!elsewhere && !l->d->lost_link)
			l->d->lost_link = place;
		const char *label = arena_strndup(a, p + 1, (size_t)(end - p - 1));
		text_add(&result, "%.*s%s", (int)(p - from), from,
			elsewhere ? label_without_page(l->d, label) : label);
		from = end + strlen("](#)") + strlen(place);
		p = from - 1;
	}
	text_add(&result, "%s", from);
	return text_built(&result);
}

void document_loosen_links(
	struct document *d, place_is_elsewhere *is_elsewhere, const void *data, bool whole)
{
	const struct loosening l = {d, is_elsewhere, data, whole};
	for (struct block *b = d->first; b; b = b->next)
		block_change_texts(d->arena, b, loosened, &l);
}
