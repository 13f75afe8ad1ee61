/* SPDX-License-Identifier: Apache-2.0 */
/* The book: a chapter for each question that the posts ask, a row each of chapters.json. */
#include "report/course/chapters.h"

#include "base/number_format.h"
#include "report/course/drill.h"
#include "report/course/parts.h"
#include "report/course/questions.h"
#include "report/course/worked_exercises.h"
#include "report/page/append_document.h"
#include "report/page/table_builder.h"
#include "report/run/manifest.h"
#include "report/run/place_names.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/parts.h"
#include "report/section/template_sections.h"

#include <string.h>

/* ---- which chapters there are ---- */

static const cJSON *book(const struct document *d)
{
	return config_find(texts_data(d->texts, "chapters"), "chapters");
}

const struct report_case *chapter_case(const struct input *in, const char *id)
{
	const struct run *run = in->n_runs ? &in->runs[0] : NULL;
	const struct report_case *c = run && run->of_matrix ? input_find(in, run, id) : NULL;
	return c && c->analysis->n_steps ? c : NULL;
}

static bool has_a_case(const struct input *in, const cJSON *chapter)
{
	const cJSON *id;
	cJSON_ArrayForEach(id, config_find(chapter, "cases"))
	{
		if (cJSON_IsString(id) && chapter_case(in, id->valuestring))
			return true;
	}
	return false;
}

/* Has this run one of the cases that a chapter is about, or, where it says so, one that is shown
 * beside it? */
static bool can_fill(const struct input *in, const cJSON *chapter)
{
	bool filled = has_a_case(in, chapter);
	int n = cJSON_IsTrue(config_find(chapter, "recorded")) ? recorded_shown(in) : 0;
	for (int i = 0; i < n && !filled; i++)
		filled = has_a_case(&in->recorded->input[i], chapter);
	return filled;
}

const char *chapter_place(struct arena *a, const cJSON *chapter)
{
	return arena_printf(a, "chapter-%s", config_words(chapter, "id"));
}

/* ---- the lines of the program ---- */

static const struct table_form code_form = {.size = 8,
	.column = {{"chapter.code.torch", COLUMN_CODE, 1}, {"chapter.code.here", COLUMN_CODE, 1}}};

const char *code_line(struct document *d, const char *line)
{
	const char *indent = "";
	for (; line && *line == ' '; line++)
		indent = arena_printf(d->arena, "%s\u00a0", indent);
	return line ? arena_printf(d->arena, "%s%s", indent, literal(d, line)) : "";
}

static const char *line_of(struct document *d, const cJSON *lines, int i)
{
	return code_line(d, cJSON_GetStringValue(cJSON_GetArrayItem(lines, i)));
}

static void add_code(struct document *d, const cJSON *chapter)
{
	const cJSON *torch = config_find(chapter, "torch"), *here = config_find(chapter, "here");
	int n = cJSON_GetArraySize(torch), m = cJSON_GetArraySize(here);
	if (!n && !m)
		return;
	struct rows t = rows_begin(d, &code_form, m ? 0 : 1u << 1);
	for (int i = 0; i < n || i < m; i++) {
		put(&t, line_of(d, torch, i));
		put(&t, line_of(d, here, i));
	}
}

/* ---- the pictures ---- */

static const double PAIR = 0.8, WORDS = 24; /* of a page; points of what stands around a picture */

static void add_all_steps(struct document *d, const struct report_case *c)
{
	add_steps_figure(d, c, false);
}

/* A picture of chapters.json is one member: its kind, and the name of what it shows; of a
 * comparison also the part of a step that it compares. */
static const struct {
	const char *kind;
	void (*of_case)(struct document *, const struct report_case *); /* or */
	void (*of_run)(struct document *, const struct input *, const struct run *, const cJSON *);
} pictures[] = {
	{"comparison", .of_run = add_comparison_picture},
	{"steps", .of_case = add_all_steps},
	{"step", .of_case = add_step_figure},
	{"causes", .of_case = add_cold_table},
	{"samples", .of_case = add_samples_figure},
	{"run", .of_run = add_run_picture},
};

static void add_one(struct document *d, const struct input *in, const cJSON *picture)
{
	const cJSON *member = picture->child;
	const char *name = cJSON_GetStringValue(member);
	for (size_t i = 0; member && i < sizeof pictures / sizeof *pictures; i++) {
		if (!member->string || strcmp(member->string, pictures[i].kind) != 0)
			continue;
		const struct report_case *c = pictures[i].of_case ? chapter_case(in, name) : NULL;
		if (pictures[i].of_run)
			pictures[i].of_run(d, in, &in->runs[0], picture);
		else if (c)
			pictures[i].of_case(d, c);
	}
}

static bool is_said(const struct block *from, const struct block *b)
{
	bool words = b->kind == BLOCK_HEADING || b->kind == BLOCK_TEXT || b->kind == BLOCK_CAPTION;
	for (; words && from; from = from->next)
		if (from->kind == b->kind && !strcmp(from->text, b->text))
			return true;
	return false;
}

/* Takes out of a part, behind `head`, what stands from `from` on in the same words. */
static void leave_out_said(struct document *part, struct block *head, const struct block *from)
{
	struct block *last = head;
	for (struct block *b = head->next; b; b = b->next)
		if (!is_said(from, b)) {
			last->next = b;
			last = b;
		}
	last->next = NULL;
	part->last = last;
}

enum { NONE_ALONE = -1 };

/* The same picture of the first recorded run that has it, which says whose it is. What this
 * machine's says, from `from` on (NULL: nothing), is not said again; nor is whose it is, where the
 * picture before was of that run alone (*alone, NONE_ALONE), as this one is. */
static void add_recorded(struct document *d, const struct input *in, const cJSON *picture,
	const struct block *from, int *alone)
{
	int before = *alone;
	*alone = NONE_ALONE;
	for (int i = 0; i < d->parts; i++) {
		const struct input *recorded = &in->recorded->input[i];
		struct document part = d->part[i];
		part.exercise = d->exercise;
		if (from || before != i)
			document_add(&part, BLOCK_TEXT,
				said(d,
					d->exercise    ? "sheet.recorded"
						: from ? "chapter.recorded"
						       : "chapter.recorded.alone",
					"device", recorded_device(&recorded->runs[0]), "n",
					format_count(d->arena, d->exercise), NULL))
				->level = 1;
		struct block *head = part.last;
		add_one(&part, recorded, picture);
		if (from)
			leave_out_said(&part, head, from);
		if (part.last == head)
			continue;
		*alone = from ? NONE_ALONE : i;
		document_join_recorded(d, &part, in, i);
		return;
	}
}

/* The two pictures of one thing, from `first` on, stay on one page where there is room for both. */
static void join_pair(struct document *d, struct block *first)
{
	double h = 0;
	int figures = 0;
	for (const struct block *b = first; b; b = b->next) {
		if (b->kind == BLOCK_TABLE || (b->figure && b->figure->n_parts))
			return;
		figures += b->kind == BLOCK_FIGURE;
		h += b->kind == BLOCK_FIGURE ? b->figure->height : WORDS;
	}
	bool fits = figures == 2 && h <= PAIR * d->paper->h;
	for (struct block *b = first; fits && b != d->last; b = b->next)
		b->joined = true;
}

static void add_picture(
	struct document *d, const struct input *in, const cJSON *picture, int *alone)
{
	struct block *before = d->last;
	add_one(d, in, picture);
	add_recorded(d, in, picture, before ? before->next : d->first, alone);
	join_pair(d, before ? before->next : d->first);
}

void add_picture_of_both(struct document *d, const struct input *in, const cJSON *picture)
{
	add_picture(d, in, picture, &(int){NONE_ALONE});
}

static void add_pictures(struct document *d, const struct input *in, const cJSON *chapter)
{
	const cJSON *picture;
	int alone = NONE_ALONE;
	cJSON_ArrayForEach(picture, config_find(chapter, "pictures"))
	{
		add_picture(d, in, picture, &alone);
	}
}

/* ---- a chapter ---- */

static void add_answers(struct document *d, const struct input *in, const cJSON *list, bool in_full)
{
	const cJSON *id;
	cJSON_ArrayForEach(id, list)
	{
		if (cJSON_IsString(id))
			add_chapter_answer(d, in, id->valuestring, in_full);
	}
}

static const char *numbered_title(const struct document *d, const cJSON *chapter, int n)
{
	return said(d, "chapter.title", "n", format_count(d->arena, n), "title",
		config_words(chapter, "title"), NULL);
}

static void add_chapter(struct document *d, const struct input *in, const cJSON *chapter, int n)
{
	struct arena *a = d->arena;
	document_heading(d, 1, chapter_place(a, chapter), numbered_title(d, chapter, n))->flows =
		true;
	document_add(d, BLOCK_TEXT, config_words(chapter, "about"));
	add_code(d, chapter);
	add_chapter_guesses(d, in, chapter);
	add_pictures(d, in, chapter);
	if (cJSON_GetArraySize(config_find(chapter, "happened")))
		document_heading(d, 2, NULL, said(d, "chapter.happened", NULL));
	add_answers(d, in, config_find(chapter, "happened"), true);
	add_chapter_box(d, in, chapter);
	add_answers(d, in, config_find(chapter, "also"), false);
	document_heading(d, 2, NULL, said(d, "chapter.exercise", "n", format_count(a, n), NULL));
	document_add(d, BLOCK_TEXT, config_words(chapter, "exercise"));
	add_drill(d, chapter);
}

void section_chapters(struct document *d, const struct input *in)
{
	const cJSON *chapter;
	int n = 0;
	cJSON_ArrayForEach(chapter, book(d))
	{
		if (can_fill(in, chapter))
			add_chapter(d, in, chapter, ++n);
	}
	if (!n) /* experiments of one's own */
		section_overview(d, in);
}

/* ---- the way to them ---- */

static bool holds(const cJSON *list, const char *text)
{
	const cJSON *entry;
	cJSON_ArrayForEach(entry, list)
	{
		if (cJSON_IsString(entry) && !strcmp(entry->valuestring, text))
			return true;
	}
	return false;
}

const char *chapter_about(const struct document *d, const struct input *in, const char *id)
{
	const cJSON *chapter;
	cJSON_ArrayForEach(chapter, book(d))
	{
		if (can_fill(in, chapter) &&
			(holds(config_find(chapter, "cases"), id) ||
				holds(config_find(chapter, "guesses"), id)))
			return chapter_place(d->arena, chapter);
	}
	return NULL;
}

const char *chapter_of_case(const struct document *d, const struct input *in, const char *id)
{
	return document_lists(d, "chapters") ? chapter_about(d, in, id) : NULL;
}

/* The first chapter with the picture of a comparison, of this part of a step (NULL: of any); NULL:
 * none. A picture that names no part has all. */
static const char *chapter_that_shows(
	const struct document *d, const struct input *in, const char *comparison, const char *part)
{
	const cJSON *chapter, *picture;
	if (!comparison || !document_lists(d, "chapters"))
		return NULL;
	cJSON_ArrayForEach(chapter, book(d))
	{
		cJSON_ArrayForEach(picture, config_find(chapter, "pictures"))
		{
			const char *of = config_words(picture, "of");
			bool shown = !part || !of[0] || !strcmp(of, part);
			if (!strcmp(config_words(picture, "comparison"), comparison) && shown &&
				can_fill(in, chapter))
				return chapter_place(d->arena, chapter);
		}
	}
	return NULL;
}

const char *chapter_of_comparison(
	const struct document *d, const struct input *in, const struct run_comparison *of)
{
	const char *place = chapter_that_shows(d, in, of->id, NULL);
	for (int i = 0; i < of->n && !place; i++)
		place = chapter_of_case(d, in, of->cases[i]);
	return place;
}

static bool has_case(const struct run_comparison *of, const char *id)
{
	for (int i = 0; i < of->n; i++)
		if (!strcmp(of->cases[i], id))
			return true;
	return false;
}

const char *picture_of_both(const struct document *d, const struct input *in, const char *one,
	const char *other, bool device)
{
	const struct run_comparisons *all = in->runs[0].comparisons;
	for (int i = 0; i < all->n; i++) {
		const struct run_comparison *of = &all->of[i];
		if (has_case(of, one) && has_case(of, other) &&
			chapter_that_shows(d, in, of->id, device ? "device" : "cpu"))
			return arena_printf(d->arena, "compare-%s", place_of(d->arena, of->id, 0));
	}
	return NULL;
}

static const struct table_form map_form = {.size = 8.6,
	.column = {{"", COLUMN_NUMBER}, {"map.chapter"}, {"map.about", .weight = 1},
		{"summary.page", COLUMN_NUMBER}}};

void add_chapter_map(struct document *d, const struct input *in)
{
	const cJSON *chapter;
	struct rows t = {0};
	cJSON_ArrayForEach(chapter, book(d))
	{
		if (!can_fill(in, chapter))
			continue;
		if (!t.table) {
			document_heading(d, 2, NULL, said(d, "map.title", NULL));
			t = rows_begin(d, &map_form, 0);
		}
		const char *place = chapter_place(d->arena, chapter);
		put_count(&t, t.table->n_rows + 1);
		put(&t,
			said(d, "summary.case.link", "title", config_words(chapter, "title"),
				"place", place, NULL));
		put(&t, config_words(chapter, "about"));
		put(&t, said(d, "summary.page.link", "place", place, NULL));
	}
}

const char *chapter_title(const struct document *d, const struct input *in, const char *id)
{
	const cJSON *chapter;
	int n = 0;
	cJSON_ArrayForEach(chapter, book(d))
	{
		n += can_fill(in, chapter);
		if (!strcmp(config_words(chapter, "id"), id))
			return numbered_title(d, chapter, n);
	}
	return "";
}

/* ---- behind them ---- */

static bool answers(const cJSON *chapter, const char *id)
{
	return holds(config_find(chapter, "happened"), id) ||
		holds(config_find(chapter, "also"), id) ||
		!strcmp(config_words(chapter, "answer"), id);
}

static const struct table_form index_form = {.size = 8,
	.column = {{"", COLUMN_NUMBER}, {"questions.ask", .weight = 1}, {"map.chapter"},
		{"summary.page", COLUMN_NUMBER}}};

static void add_index(struct document *d, const struct input *in)
{
	struct rows t = {0};
	for (int i = 0; i < n_questions; i++) {
		const cJSON *chapter;
		cJSON_ArrayForEach(chapter, book(d))
		{
			if (!can_fill(in, chapter) || !answers(chapter, questions[i].id))
				continue;
			if (!t.table) {
				document_heading(d, 2, NULL, said(d, "solutions.index", NULL));
				t = rows_begin(d, &index_form, 0);
			}
			const char *place = chapter_answer_place(d->arena, questions[i].id);
			if (!document_has_place(d, place))
				place = chapter_place(d->arena, chapter);
			put_count(&t, i + 1);
			put(&t, question_text(d->texts, d->arena, questions[i].id, "ask", NULL, 0));
			put(&t, config_words(chapter, "title"));
			put(&t, said(d, "summary.page.link", "place", place, NULL));
		}
	}
}

void section_solutions(struct document *d, const struct input *in)
{
	const cJSON *chapter;
	struct block *head = NULL;
	int n = 0;
	cJSON_ArrayForEach(chapter, book(d))
	{
		const char *id = config_words(chapter, "answer");
		if (!can_fill(in, chapter))
			continue;
		n++;
		if (!head)
			head = document_heading(
				d, 1, "solutions", said(d, "solutions.title", NULL));
		head->flows = true;
		if (config_find(chapter, "drill")) {
			add_worked_title(d, chapter, n);
			add_drill_key(d, in, chapter);
		}
		if (add_worked(d, in, chapter, n) || !id[0])
			continue;
		add_worked_title(d, chapter, n);
		add_chapter_answer(d, in, id, false);
	}
	add_index(d, in);
}
