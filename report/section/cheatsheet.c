/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/section/marks.h"
#include "report/section/thresholds.h"

#include <string.h>

/* Which rows there are, and what of them is said. */
enum extent {
	ALL_ROWS, /* a sheet by itself */
	ALL_WITH_PAGES, /* a run of ours: those that were not seen are grey */
	SEEN_ROWS /* traces that anybody sent: what they do not show is left out */
};

static enum extent extent_of(const struct document *d, const struct input *in)
{
	if (!in->n_runs || !d->has_cases)
		return ALL_ROWS;
	for (int r = 0; r < in->n_runs; r++)
		if (in->runs[r].manifest)
			return ALL_WITH_PAGES;
	return SEEN_ROWS;
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

static int rows_in(
	struct document *d, const struct input *in, const cJSON *sections_list, enum extent extent)
{
	int n = 0;
	const cJSON *s, *r;
	cJSON_ArrayForEach(s, sections_list)
	{
		cJSON_ArrayForEach(r, config_find(s, "rows"))
		{
			n += extent != SEEN_ROWS || seen_in(d, in, config_words(r, "id"))[0];
		}
	}
	return n;
}

static void add_row(struct document *d, const struct input *in, struct table *table, int row,
	const cJSON *r, enum extent extent)
{
	const char *id = config_words(r, "id"), *means = config_words(r, "means");
	/* What the pattern looks like on our own devices. */
	const char *here = extent == SEEN_ROWS ? "" : config_words(r, "here");
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

static void add_rows(
	struct document *d, const struct input *in, const cJSON *sheet, enum extent extent, int n)
{
	static const char *const keys[] = {"cheatsheet.id", "cheatsheet.pattern",
		"cheatsheet.means", "cheatsheet.do", "cheatsheet.seen"};
	static const double weights[] = {0, 28, 46, 28, 0};
	int columns = extent == ALL_ROWS ? 4 : 5;
	struct column *col = arena_array(d->arena, 5, sizeof *col);
	for (int i = 0; i < columns; i++)
		col[i] = (struct column){.title = say(d->texts, d->arena, keys[i], NULL),
			.kind = COLUMN_TEXT,
			.weight = weights[i]};
	const cJSON *list = config_find(sheet, "sections"), *s, *r;
	struct table *table = document_table(d, col, columns, n);
	table->size = columns == 5 ? 6.6 : 6.8;
	table->group = arena_array(d->arena, (size_t)table->n_rows, sizeof *table->group);
	int row = 0;
	cJSON_ArrayForEach(s, list)
	{
		const char *title = config_words(s, "title");
		cJSON_ArrayForEach(r, config_find(s, "rows"))
		{
			if (extent == SEEN_ROWS && !seen_in(d, in, config_words(r, "id"))[0])
				continue;
			table->group[row] = title;
			title = NULL;
			add_row(d, in, table, row++, r, extent);
		}
	}
}

static bool holds_any(const char *name, const cJSON *pieces)
{
	const cJSON *piece;
	cJSON_ArrayForEach(piece, pieces)
	{
		if (cJSON_IsString(piece) && strstr(name, piece->valuestring))
			return true;
	}
	return false;
}

/* Does a kernel, copy or fill have one of the pieces of names in `seen`? */
static bool case_has_name(const struct report_case *c, const cJSON *seen)
{
	for (uint32_t i = 0; c->readable && i < c->analysis->n_activities; i++)
		if (holds_any(trace_name(&c->trace, c->analysis->activities[i].name), seen))
			return true;
	return false;
}

static bool name_applies(const struct input *in, const cJSON *name, enum extent extent)
{
	if (extent != SEEN_ROWS)
		return true;
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++)
			if (case_has_name(&in->runs[r].cases[i], config_find(name, "seen")))
				return true;
	return false;
}

static void add_names(
	struct document *d, const struct input *in, const cJSON *sheet, enum extent extent)
{
	const cJSON *list = config_find(sheet, "names"), *n;
	int rows = 0;
	cJSON_ArrayForEach(n, list) rows += name_applies(in, n, extent);
	if (!rows)
		return;
	document_heading(d, 2, NULL, say(d->texts, d->arena, "cheatsheet.names", NULL));
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
	struct table *table = document_table(d, col, 3, rows);
	int row = 0;
	cJSON_ArrayForEach(n, list)
	{
		if (!name_applies(in, n, extent))
			continue;
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
	int all = rows_in(d, in, list, ALL_ROWS), n = 0;
	const struct detector **of = arena_array(d->arena, (size_t)all, sizeof *of);
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

static void add_about(struct document *d, enum extent extent, int n, int all)
{
	const char *key = extent == ALL_ROWS ? "cheatsheet.about"
		: extent == ALL_WITH_PAGES   ? "cheatsheet.about.seen"
		: n			     ? "cheatsheet.about.some"
					     : "cheatsheet.about.none";
	document_add(d, BLOCK_TEXT,
		say(d->texts, d->arena, key, "n", format_count(d->arena, n), "all",
			format_count(d->arena, all), NULL));
}

void section_cheatsheet(struct document *d, const struct input *in)
{
	const struct texts *t = d->texts;
	const cJSON *sheet = texts_data(t, "cheatsheet"), *list = config_find(sheet, "sections");
	enum extent extent = extent_of(d, in);
	int n = rows_in(d, in, list, extent);
	document_heading(d, 1, "cheatsheet", say(t, d->arena, "cheatsheet.title", NULL))->flows =
		true;
	add_about(d, extent, n, rows_in(d, in, list, ALL_ROWS));
	if (n)
		add_rows(d, in, sheet, extent, n);
	add_names(d, in, sheet, extent);
	document_heading(d, 2, NULL, say(t, d->arena, "cheatsheet.glossary", NULL));
	add_glossary(d, sheet);
	if (n)
		add_limits(d, in, sheet);
}
