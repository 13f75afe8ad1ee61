/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page/document.h"

#include "report/page/rich_text.h"

#include <string.h>

const double document_width = 595.28 - 2 * 40;

void document_init(
	struct document *d, struct arena *a, const struct texts *texts, const struct fonts *fonts)
{
	*d = (struct document){.arena = a, .texts = texts, .fonts = fonts, .paper = &papers[0]};
}

struct block *document_add(struct document *d, enum block_kind kind, const char *text)
{
	struct block *b = arena_alloc(d->arena, sizeof *b);
	*b = (struct block){.kind = kind, .text = text ? text : ""};
	if (d->last)
		d->last->next = b;
	else
		d->first = b;
	d->last = b;
	return b;
}

const char *said(const struct document *d, const char *key, ...)
{
	va_list args;
	va_start(args, key);
	const char *text = say_list(d->texts, d->arena, key, args);
	va_end(args);
	return text;
}

const char *said_by(const struct document *d, const char *key, ...)
{
	char whole[96];
	va_list args;
	va_start(args, key);
	vsnprintf(whole, sizeof whole, key, args);
	va_end(args);
	return said(d, whole, NULL);
}

struct block *document_say(struct document *d, enum block_kind kind, const char *key, ...)
{
	va_list args;
	va_start(args, key);
	const char *text = say_list(d->texts, d->arena, key, args);
	va_end(args);
	return document_add(d, kind, text);
}

struct block *document_heading(struct document *d, int level, const char *place, const char *text)
{
	struct block *b = document_add(d, BLOCK_HEADING, text);
	b->level = level;
	if (place)
		document_place(d, b, place);
	return b;
}

struct block *document_figure(struct document *d, const struct figure *figure)
{
	struct block *b = document_add(d, BLOCK_FIGURE, "");
	b->figure = arena_alloc(d->arena, sizeof *figure);
	*b->figure = *figure;
	b->figure->title = b->figure->alt = rich_plain(d->arena, figure->alt);
	b->figure->shows = "";
	return b;
}

void document_shows(struct document *d, struct figure *figure, const char *sentence)
{
	if (d->exercise || !*sentence)
		return;
	figure->shows = rich_plain(d->arena, sentence);
	figure->alt = said(d, "figure.alt", "title", figure->title, "shows", figure->shows, NULL);
}

struct table *document_table(
	struct document *d, const struct column *columns, int n_columns, int n_rows)
{
	struct block *b = document_add(d, BLOCK_TABLE, "");
	struct table *t = arena_alloc(d->arena, sizeof *t);
	*t = (struct table){.column = columns, .n_columns = n_columns, .n_rows = n_rows};
	t->cell = arena_array(d->arena, (size_t)n_columns * (size_t)n_rows, sizeof *t->cell);
	for (int i = 0; i < n_columns * n_rows; i++)
		t->cell[i].text = "";
	b->table = t;
	return t;
}

struct cell *table_cell(struct table *t, int row, int column)
{
	if (row < 0 || row >= t->n_rows || column < 0 || column >= t->n_columns)
		bug("cell %d, %d of a table of %d by %d", row, column, t->n_rows, t->n_columns);
	return &t->cell[row * t->n_columns + column];
}

void document_insert(struct document *d, struct block *behind, struct document *part)
{
	if (!part->first)
		return;
	for (struct block *b = part->first; b; b = b->next)
		if (b->place)
			document_place(d, b, b->place);
	part->last->next = behind->next;
	behind->next = part->first;
	if (d->last == behind)
		d->last = part->last;
	part->first = part->last = NULL;
	part->places = (struct text_map){0};
}

void document_place(struct document *d, struct block *b, const char *place)
{
	b->place = place;
	text_map_add(&d->places, d->arena, place, b);
}

bool document_has_place(const struct document *d, const char *place)
{
	return text_map_find(&d->places, place) != NULL;
}

bool document_lists(const struct document *d, const char *section)
{
	const cJSON *entry;
	cJSON_ArrayForEach(entry, d->sections)
	{
		if (cJSON_IsString(entry) && !strcmp(entry->valuestring, section))
			return true;
	}
	return false;
}

static void dump_table(const struct table *t, struct arena *a, FILE *f)
{
	for (int c = 0; c < t->n_columns; c++)
		fprintf(f, "%s%s", c ? " | " : "  head ", t->column[c].title);
	fputc('\n', f);
	for (int r = 0; r < t->n_rows; r++) {
		if (t->group && t->group[r])
			fprintf(f, "  group %s\n", rich_plain(a, t->group[r]));
		for (int c = 0; c < t->n_columns; c++)
			fprintf(f, "%s%s", c ? " | " : "  row ",
				rich_plain(a, t->cell[r * t->n_columns + c].text));
		fputc('\n', f);
	}
}

void document_dump(const struct document *d, FILE *f)
{
	static const char *const names[BLOCK_KINDS] = {"title", "heading", "text", "caption",
		"point", "kpis", "table", "figure", "lines", "code", "page"};
	struct arena scratch = {0};
	for (const struct block *b = d->first; b; b = b->next) {
		fprintf(f, "%s", names[b->kind]);
		if (b->kind == BLOCK_HEADING)
			fprintf(f, " %d", b->level);
		if (b->place)
			fprintf(f, " #%s", b->place);
		if (b->text[0])
			fprintf(f, " %s",
				b->kind == BLOCK_CODE ? b->text : rich_plain(&scratch, b->text));
		if (b->note)
			fprintf(f, " (%s)", rich_plain(&scratch, b->note));
		if (b->figure)
			fprintf(f, " %s %.1f x %.1f: %s", b->figure->id, document_width,
				b->figure->height, b->figure->alt);
		fputc('\n', f);
		for (int i = 0; b->kpi && i < b->n; i++)
			fprintf(f, "  %s: %s\n", b->kpi[i].label, b->kpi[i].value);
		if (b->table)
			dump_table(b->table, &scratch, f);
	}
	arena_release(&scratch);
}
