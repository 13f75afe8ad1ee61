#include "report/section.h"

#include "report/findings.h"
#include "report/format.h"
#include "report/thresholds.h"

#include <string.h>

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

/* Where a row was seen in this run: links to the first pages, or nothing. */
static const char *seen_in(struct document *d, const struct input *in, const char *id)
{
	enum { MOST_LINKS = 2 };
	struct arena *a = d->arena;
	const char *list = "";
	int n = 0;
	for (int r = 0; r < in->n_runs; r++) {
		for (int i = 0; i < in->runs[r].n_cases; i++) {
			const struct report_case *c = &in->runs[r].cases[i];
			if (!case_is_shown(c) || !case_fired(c, id) || ++n > MOST_LINKS)
				continue;
			list = arena_printf(a, "%s%s%s", list, n > 1 ? ", " : "",
				say(d->texts, a, "cheatsheet.seen.link", "place", c->place, NULL));
		}
	}
	if (n > MOST_LINKS)
		list = arena_printf(a, "%s%s", list,
			say(d->texts, a, "cheatsheet.seen.more", "n",
				format_count(a, n - MOST_LINKS), NULL));
	return list;
}

static void add_row(
	struct document *d, const struct input *in, struct table *table, int row, const cJSON *r)
{
	const char *id = config_words(r, "id"), *here = config_words(r, "here"),
		   *means = config_words(r, "means");
	*table_cell(table, row, 0) = (struct cell){.text = id, .bold = true};
	table_cell(table, row, 1)->text = config_words(r, "pattern");
	table_cell(table, row, 2)->text = here[0]
		? say(d->texts, d->arena, "cheatsheet.here", "means", means, "here", here, NULL)
		: means;
	table_cell(table, row, 3)->text = config_words(r, "do");
	if (table->n_columns < 5)
		return;
	table_cell(table, row, 4)->text = seen_in(d, in, id);
	bool never = !table_cell(table, row, 4)->text[0];
	for (int i = 0; never && i < 4; i++)
		table_cell(table, row, i)->faint = true;
}

static void add_rows(struct document *d, const struct input *in, const cJSON *sheet)
{
	static const char *const keys[] = {"cheatsheet.id", "cheatsheet.pattern",
		"cheatsheet.means", "cheatsheet.do", "cheatsheet.seen"};
	static const double weights[] = {0, 28, 46, 28, 0};
	int columns = in->n_runs && d->has_cases ? 5 : 4;
	struct column *col = arena_array(d->arena, 5, sizeof *col);
	for (int i = 0; i < columns; i++)
		col[i] = (struct column){.title = say(d->texts, d->arena, keys[i], NULL),
			.kind = COLUMN_TEXT,
			.weight = weights[i]};
	const cJSON *list = config_find(sheet, "sections"), *s, *r;
	struct table *table = document_table(d, col, columns, rows_in(list));
	table->size = columns == 5 ? 6.6 : 6.8;
	table->group = arena_array(d->arena, (size_t)table->n_rows, sizeof *table->group);
	int row = 0;
	cJSON_ArrayForEach(s, list)
	{
		if (row < table->n_rows)
			table->group[row] = config_words(s, "title");
		cJSON_ArrayForEach(r, config_find(s, "rows"))
		{
			add_row(d, in, table, row++, r);
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
		table_cell(table, row, 0)->text = config_words(n, "family");
		table_cell(table, row, 1)->text = config_words(n, "example");
		table_cell(table, row++, 2)->text = config_words(n, "parts");
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
			(struct cell){.text = config_words(g, "term"), .bold = true};
		table_cell(table, row++, 1)->text = config_words(g, "text");
	}
}

/* Of the rows that a detector looks for. */
static void add_limits(struct document *d, const struct input *in, const cJSON *sheet)
{
	const cJSON *list = config_find(sheet, "sections"), *s, *r;
	const struct detector **of = arena_array(d->arena, (size_t)rows_in(list), sizeof *of);
	int n = 0;
	cJSON_ArrayForEach(s, list)
	{
		cJSON_ArrayForEach(r, config_find(s, "rows"))
		{
			of[n] = detector_find(config_words(r, "id"));
			n += of[n] != NULL;
		}
	}
	document_add(d, BLOCK_CAPTION,
		say(d->texts, d->arena, "cheatsheet.limits", "list",
			thresholds_in_force(d, of, n, in->settings), NULL));
}

void section_cheatsheet(struct document *d, const struct input *in)
{
	const struct texts *t = d->texts;
	const cJSON *sheet = texts_data(t, "cheatsheet");
	document_heading(d, 1, "cheatsheet", say(t, d->arena, "cheatsheet.title", NULL));
	document_add(d, BLOCK_TEXT,
		say(t, d->arena,
			in->n_runs && d->has_cases ? "cheatsheet.about.seen" : "cheatsheet.about",
			NULL));
	add_rows(d, in, sheet);
	document_heading(d, 2, NULL, say(t, d->arena, "cheatsheet.names", NULL));
	add_names(d, sheet);
	document_heading(d, 2, NULL, say(t, d->arena, "cheatsheet.glossary", NULL));
	add_glossary(d, sheet);
	add_limits(d, in, sheet);
}
