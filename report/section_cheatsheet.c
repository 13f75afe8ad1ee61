#include "report/section.h"

#include <string.h>

static const char *text_of(const cJSON *object, const char *name)
{
	const char *s = cJSON_GetStringValue(config_find(object, name));
	return s ? s : "";
}

static int rows_in(const cJSON *sections_list)
{
	int n = 0;
	const cJSON *s;
	cJSON_ArrayForEach(s, sections_list)
	{
		n += cJSON_GetArraySize(config_find(s, "rows"));
	}
	return n;
}

static void add_rows(struct document *d, const cJSON *sheet)
{
	const struct texts *t = d->texts;
	struct column *col = arena_array(d->arena, 4, sizeof *col);
	col[0] = (struct column){
		.title = say(t, d->arena, "cheatsheet.id", NULL), .kind = COLUMN_TEXT};
	col[1] = (struct column){.title = say(t, d->arena, "cheatsheet.pattern", NULL),
		.kind = COLUMN_TEXT,
		.weight = 28};
	col[2] = (struct column){.title = say(t, d->arena, "cheatsheet.means", NULL),
		.kind = COLUMN_TEXT,
		.weight = 46};
	col[3] = (struct column){.title = say(t, d->arena, "cheatsheet.do", NULL),
		.kind = COLUMN_TEXT,
		.weight = 30};
	const cJSON *list = config_find(sheet, "sections"), *s, *r;
	struct table *table = document_table(d, col, 4, rows_in(list));
	table->size = 6.8;
	table->group = arena_array(d->arena, (size_t)table->n_rows, sizeof *table->group);
	int row = 0;
	cJSON_ArrayForEach(s, list)
	{
		if (row < table->n_rows)
			table->group[row] = text_of(s, "title");
		cJSON_ArrayForEach(r, config_find(s, "rows"))
		{
			*table_cell(table, row, 0) =
				(struct cell){.text = text_of(r, "id"), .bold = true};
			table_cell(table, row, 1)->text = text_of(r, "pattern");
			const char *here = text_of(r, "here");
			table_cell(table, row, 2)->text = here[0]
				? say(t, d->arena, "cheatsheet.here", "means", text_of(r, "means"),
					  "here", here, NULL)
				: text_of(r, "means");
			table_cell(table, row, 3)->text = text_of(r, "do");
			row++;
		}
	}
}

static void add_names(struct document *d, const cJSON *sheet)
{
	const cJSON *list = config_find(sheet, "names"), *n;
	struct column *col = arena_array(d->arena, 3, sizeof *col);
	const struct texts *t = d->texts;
	col[0] = (struct column){
		.title = say(t, d->arena, "cheatsheet.family", NULL), .kind = COLUMN_TEXT};
	col[1] = (struct column){.title = say(t, d->arena, "cheatsheet.example", NULL),
		.kind = COLUMN_CODE,
		.weight = 42};
	col[2] = (struct column){.title = say(t, d->arena, "cheatsheet.parts", NULL),
		.kind = COLUMN_TEXT,
		.weight = 58};
	struct table *table = document_table(d, col, 3, cJSON_GetArraySize(list));
	int row = 0;
	cJSON_ArrayForEach(n, list)
	{
		table_cell(table, row, 0)->text = text_of(n, "family");
		table_cell(table, row, 1)->text = text_of(n, "example");
		table_cell(table, row++, 2)->text = text_of(n, "parts");
	}
}

static void add_glossary(struct document *d, const cJSON *sheet)
{
	const cJSON *list = config_find(sheet, "glossary"), *g;
	struct column *col = arena_array(d->arena, 2, sizeof *col);
	const struct texts *t = d->texts;
	col[0] = (struct column){
		.title = say(t, d->arena, "cheatsheet.term", NULL), .kind = COLUMN_TEXT};
	col[1] = (struct column){.title = say(t, d->arena, "cheatsheet.text", NULL),
		.kind = COLUMN_TEXT,
		.weight = 1};
	struct table *table = document_table(d, col, 2, cJSON_GetArraySize(list));
	int row = 0;
	cJSON_ArrayForEach(g, list)
	{
		*table_cell(table, row, 0) =
			(struct cell){.text = text_of(g, "term"), .bold = true};
		table_cell(table, row++, 1)->text = text_of(g, "text");
	}
}

void section_cheatsheet(struct document *d, const struct input *in)
{
	(void)in;
	const struct texts *t = d->texts;
	const cJSON *sheet = texts_data(t, "cheatsheet");
	document_heading(d, 1, "cheatsheet", say(t, d->arena, "cheatsheet.title", NULL));
	document_add(d, BLOCK_TEXT, say(t, d->arena, "cheatsheet.about", NULL));
	add_rows(d, sheet);
	document_heading(d, 2, NULL, say(t, d->arena, "cheatsheet.names", NULL));
	add_names(d, sheet);
	document_heading(d, 2, NULL, say(t, d->arena, "cheatsheet.glossary", NULL));
	add_glossary(d, sheet);
}
