/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/figure/figures.h"
#include "report/figure/sketch.h"
#include "report/page/table_builder.h"
#include "report/section/parts.h"

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
		if (in->runs[r].of_matrix)
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
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (!case_is_shown(c) || !case_fired(c, id) || ++n > MOST_LINKS)
			continue;
		list = listed(
			a, list, ", ", said(d, "cheatsheet.seen.link", "place", c->place, NULL));
	}
	if (n > MOST_LINKS)
		list = arena_printf(a, "%s%s", list,
			said(d, "cheatsheet.seen.more", "n", format_count(a, n - MOST_LINKS),
				NULL));
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

static const double WALL = 6.4; /* points: the print of tables of the sheet for the wall */

enum { SEEN = 1u << 4 }; /* a sheet by itself says of no row where it was seen */

static const struct table_form sheet_form = {.size = 8,
	.column = {{"cheatsheet.id"}, {"cheatsheet.pattern", .weight = 27},
		{"cheatsheet.means", .weight = 40}, {"cheatsheet.do", .weight = 33},
		{"cheatsheet.seen"}}};

static void put_row(struct rows *t, const struct input *in, const cJSON *r, enum extent extent)
{
	struct document *d = t->d;
	const char *id = config_words(r, "id"), *means = config_words(r, "means");
	const char *seen = extent == ALL_ROWS ? "" : seen_in(d, in, id);
	/* What the pattern looks like on the host device. */
	bool host =
		extent != SEEN_ROWS && in->n_runs && in->runs[0].of_matrix && !in->runs[0].is_gpu;
	const char *here = host ? config_words(r, "here") : "";
	bool never = extent != ALL_ROWS && !seen[0];
	if (here[0])
		means = said(d, "cheatsheet.here", "means", means, "here", here, NULL);
	put_cell(t, (struct cell){.text = id, .bold = true, .faint = never});
	put(t, config_words(r, "pattern"))->faint = never;
	put(t, means)->faint = never;
	put(t, config_words(r, "do"))->faint = never;
	put(t, seen);
}

static void add_rows(
	struct document *d, const struct input *in, const cJSON *sheet, enum extent extent)
{
	const cJSON *list = config_find(sheet, "sections"), *s, *r;
	struct rows t = rows_begin(d, &sheet_form, extent == ALL_ROWS ? SEEN : 0);
	if (!in->n_runs)
		t.table->size = WALL;
	cJSON_ArrayForEach(s, list)
	{
		const char *title = config_words(s, "title");
		cJSON_ArrayForEach(r, config_find(s, "rows"))
		{
			if (extent == SEEN_ROWS && !seen_in(d, in, config_words(r, "id"))[0])
				continue;
			rows_group(&t, title);
			title = NULL;
			put_row(&t, in, r, extent);
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
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (case_has_name(c, config_find(name, "seen")))
			return true;
	return false;
}

static const struct table_form names_form = {
	.column = {{"cheatsheet.family"}, {"cheatsheet.example", COLUMN_CODE, 42},
		{"cheatsheet.parts", .weight = 58}}};

static void add_names(
	struct document *d, const struct input *in, const cJSON *sheet, enum extent extent)
{
	const cJSON *n;
	struct rows t = {0};
	cJSON_ArrayForEach(n, config_find(sheet, "names"))
	{
		bool wall = extent == ALL_ROWS && !in->n_runs;
		if (!name_applies(in, n, extent) || (wall && cJSON_IsFalse(config_find(n, "wall"))))
			continue;
		if (!t.table) {
			if (in->n_runs)
				document_heading(
					d, 2, "kernel-names", said(d, "cheatsheet.names", NULL));
			t = rows_begin(d, &names_form, 0);
			t.table->size = in->n_runs ? t.table->size : WALL;
		}
		put(&t, config_words(n, "family"));
		put(&t, config_words(n, "example"));
		put(&t, config_words(n, "parts"));
	}
}

static const struct table_form glossary_form = {
	.column = {{"cheatsheet.term"}, {"cheatsheet.text", .weight = 1}}};

static void add_glossary(struct document *d, const cJSON *sheet)
{
	const cJSON *g;
	struct rows t = rows_begin(d, &glossary_form, 0);
	cJSON_ArrayForEach(g, config_find(sheet, "glossary"))
	{
		put(&t, config_words(g, "term"))->bold = true;
		put(&t, config_words(g, "text"));
	}
}

/* Lists the thresholds of those rows of the sheet that a detector looks for. */
static void add_limits(struct document *d, const struct input *in, const cJSON *sheet)
{
	const cJSON *list = config_find(sheet, "sections"), *s, *r;
	int all = rows_in(d, in, list, ALL_ROWS), n = 0;
	const struct rule **of = arena_array(d->arena, (size_t)all, sizeof *of);
	cJSON_ArrayForEach(s, list)
	{
		cJSON_ArrayForEach(r, config_find(s, "rows"))
		{
			of[n] = rule_find(config_words(r, "id"));
			n += of[n] != NULL;
		}
	}
	document_say(d, BLOCK_CAPTION, "cheatsheet.limits", "list",
		thresholds_in_force(d, of, n, in->settings), NULL);
}

static void add_about(struct document *d, enum extent extent, int n, int all)
{
	const char *key = extent == ALL_ROWS ? "cheatsheet.about"
		: extent == ALL_WITH_PAGES   ? "cheatsheet.about.seen"
		: n			     ? "cheatsheet.about.some"
					     : "cheatsheet.about.none";
	document_say(d, BLOCK_TEXT, key, "n", format_count(d->arena, n), "all",
		format_count(d->arena, all), NULL);
}

/* ---- the sheet for the wall: two sides ---- */

static void add_sketch(struct document *d, const cJSON *sheet)
{
	struct sketch *s = arena_alloc(d->arena, sizeof *s);
	*s = (struct sketch){
		.texts = d->texts, .fonts = d->fonts, .data = config_find(sheet, "sketch")};
	sketch_plan(s, document_width);
	figure_add(d, &sketch_figure, "sketch", said(d, "cheatsheet.sketch.alt", NULL), s);
	document_add(d, BLOCK_CAPTION, config_words(s->data, "caption"));
}

static const struct table_form tree_form = {
	.column = {{"cheatsheet.ask", .weight = 30}, {"cheatsheet.yes", .weight = 56},
		{"cheatsheet.no", .weight = 14}}};

static void add_tree(struct document *d, const cJSON *sheet)
{
	const cJSON *q;
	struct rows t = rows_begin(d, &tree_form, 0);
	t.table->size = WALL;
	cJSON_ArrayForEach(q, config_find(sheet, "tree"))
	{
		put(&t, config_words(q, "ask"))->bold = true;
		put(&t, config_words(q, "yes"));
		put(&t, config_words(q, "no"));
	}
}

static const struct table_form verdicts_form = {
	.column = {{"cheatsheet.verdict.report"}, {"cheatsheet.verdict.book"},
		{"cheatsheet.verdict.posts"}, {"cheatsheet.verdict.nsight"},
		{"cheatsheet.verdict.means", .weight = 1}}};

/* What a trace report, the book, the posts and Nsight call the same thing. */
static void add_verdict_words(struct document *d, const cJSON *sheet, bool wall)
{
	const cJSON *v;
	struct rows t = rows_begin(d, &verdicts_form, 0);
	t.table->size = wall ? WALL : 0;
	cJSON_ArrayForEach(v, config_find(sheet, "verdicts"))
	{
		const char *of = config_words(v, "of");
		if ((wall || document_lists(d, "chapters")) &&
			cJSON_IsFalse(config_find(v, "wall")))
			continue;
		put(&t, said_by(d, "headline.%s", of))->bold = true;
		put(&t, config_words(v, "book"));
		put(&t, config_words(v, "posts"));
		put(&t, config_words(v, "nsight"));
		put(&t, said_by(d, "headline.%s.means", of));
	}
}

/* The words in one paragraph, each behind the other. */
static void add_words(struct document *d, const cJSON *sheet)
{
	const cJSON *g;
	struct text_builder list = {.arena = d->arena};
	cJSON_ArrayForEach(g, config_find(sheet, "glossary"))
	{
		if (!cJSON_IsFalse(config_find(g, "wall"))) /* else the sheet says it elsewhere */
			text_add(&list, "%s%s", text_separator(&list, " "),
				said(d, "cheatsheet.word", "term", config_words(g, "term"), "text",
					config_words(g, "text"), NULL));
	}
	document_add(d, BLOCK_CAPTION, text_built(&list));
}

static void add_wall_sheet(struct document *d, const struct input *in, const cJSON *sheet)
{
	add_sketch(d, sheet);
	add_tree(d, sheet);
	add_rows(d, in, sheet, ALL_ROWS);
	add_verdict_words(d, sheet, true);
	add_names(d, in, sheet, ALL_ROWS);
	document_add(d, BLOCK_CAPTION, config_words(sheet, "formulas"));
	document_add(d, BLOCK_CAPTION, config_words(sheet, "keys"));
	add_words(d, sheet);
}

void section_cheatsheet(struct document *d, const struct input *in)
{
	const struct texts *t = d->texts;
	const cJSON *sheet = texts_data(t, "cheatsheet"), *list = config_find(sheet, "sections");
	enum extent extent = extent_of(d, in);
	int n = rows_in(d, in, list, extent);
	bool wall = extent == ALL_ROWS && !in->n_runs;
	document_heading(d, 1, "cheatsheet", said(d, "cheatsheet.title", NULL))->flows = true;
	add_about(d, extent, n, rows_in(d, in, list, ALL_ROWS));
	if (wall) {
		add_wall_sheet(d, in, sheet);
	} else {
		if (n)
			add_rows(d, in, sheet, extent);
		add_names(d, in, sheet, extent);
		add_verdict_words(d, sheet, false);
		document_heading(d, 2, NULL, said(d, "cheatsheet.glossary", NULL));
		add_glossary(d, sheet);
	}
	if (n && (d->has_cases || (in->settings && in->settings->n)))
		add_limits(d, in, sheet);
}
