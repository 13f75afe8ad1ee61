/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/sheets.h"

#include "base/number_format.h"
#include "report/course/chapters.h"
#include "report/course/drill.h"
#include "report/course/measures.h"
#include "report/course/parts.h"
#include "report/course/usual_error.h"
#include "report/figure/figures.h"
#include "report/figure/plot.h"
#include "report/page/layout.h"
#include "report/page/table_builder.h"
#include "report/section/parts.h"
#include "report/section/template_sections.h"

#include <stddef.h>
#include <string.h>

enum { LEAST_EXERCISES = 6 };

static const cJSON *exercises(const struct document *d)
{
	return config_find(texts_data(d->texts, "exercises"), "exercises");
}

/* Has the run the cases of its picture, or of its numbers? */
static bool can_ask(const struct input *in, const cJSON *e)
{
	static const char *const of_case[] = {"step", "steps", "samples"};
	const cJSON *picture = config_find(e, "picture"), *v;
	for (size_t i = 0; i < sizeof of_case / sizeof *of_case; i++) {
		const char *id = config_words(picture, of_case[i]);
		if (id[0] && !chapter_case(in, id))
			return false;
	}
	cJSON_ArrayForEach(v, config_find(e, "values"))
	{
		const char *id = cJSON_GetStringValue(cJSON_GetArrayItem(v, 1));
		if (!id || !chapter_case(in, id))
			return false;
	}
	return true;
}

/* ---- room to draw ---- */

struct axes {
	const struct texts *texts;
	const struct fonts *fonts;
	const cJSON *lanes;
	double width, height;
};

static const double LANE = 26, LANE_NAME = 38;

static void draw_axes(struct canvas *c, struct box box, const void *axes)
{
	const struct axes *x = axes;
	struct arena scratch = {0};
	struct plot p = {c, x->texts, x->fonts, &scratch};
	double y = box.y, left = box.x + LANE_NAME, right = box.x + x->width;
	const cJSON *lane;
	cJSON_ArrayForEach(lane, x->lanes)
	{
		plot_text(&p, box.x, y + LANE / 2 + 3, FACE_BOLD, 7.6, "secondary", ANCHOR_START,
			cJSON_GetStringValue(lane));
		plot_line(&p, (struct pt){left, y}, (struct pt){left, y + LANE}, 0.6, "axis", 0);
		y += LANE;
		plot_line(&p, (struct pt){left, y}, (struct pt){right, y}, 0.6, "axis", 0);
	}
	plot_text(&p, right, y + 9, FACE_SANS, plot_small, "secondary", ANCHOR_END,
		say(x->texts, &scratch, "sheet.time", NULL));
	arena_release(&scratch);
}

static const struct figure_kind axes_figure = {
	.draw = draw_axes, .height = offsetof(struct axes, height)};

static void add_axes(struct document *d, const cJSON *e)
{
	const cJSON *lanes = config_find(e, "axes");
	if (!cJSON_GetArraySize(lanes))
		return;
	struct axes *x = arena_alloc(d->arena, sizeof *x);
	*x = (struct axes){
		d->texts, d->fonts, lanes, document_width, cJSON_GetArraySize(lanes) * LANE + 11};
	figure_add(d, &axes_figure, arena_printf(d->arena, "sheet-axes-%s", config_words(e, "id")),
		said(d, "sheet.axes.alt", NULL), x);
	d->last->joined = true;
}

/* ---- a question ---- */

static const char *heading(struct document *d, const cJSON *e, int n)
{
	return said(d, "sheet.heading", "n", format_count(d->arena, n), "title",
		config_words(e, "title"), "kind", config_words(e, "kind"), NULL);
}

static const char *picture_place(struct document *d, const cJSON *e)
{
	return arena_printf(d->arena, "sheet-picture-%s", config_words(e, "id"));
}

static void add_room(struct document *d, const char *key, bool more)
{
	struct block *b = document_add(d, BLOCK_LINES, said(d, key, NULL));
	b->n = 1;
	b->level = more;
}

static void add_exercise(struct document *d, const struct input *in, const cJSON *e, int n)
{
	const cJSON *line;
	bool opened = false, pictured = config_find(e, "picture") != NULL;
	document_heading(d, 2, NULL, heading(d, e, n));
	document_say(d, BLOCK_TEXT, pictured ? "sheet.question" : "sheet.question.alone", "text",
		words_with_numbers(d, in, e, "exercises", "question"), "place", picture_place(d, e),
		NULL)
		->level = 1;
	cJSON_ArrayForEach(line, config_find(e, "lines"))
	{
		struct block *b = document_add(d, BLOCK_CODE, cJSON_GetStringValue(line));
		b->opens_code = !opened;
		b->joined = true; /* with the room to answer */
		opened = true;
	}
	add_axes(d, e);
	add_room(d, "sheet.number", true);
	add_room(d, "sheet.why", true);
	add_room(d, "sheet.sure", false);
}

/* What stands below where all that an exercise asks for is long enough to be measured in its
 * picture, some of it, or none. */
static const char *text_below(struct document *d, const struct input *in, const cJSON *e)
{
	static const double LEAST = 0.05; /* of the picture's width, where it names no other part */
	const cJSON *legible = config_find(e, "legible"), *measure;
	const cJSON *own = config_find(legible, "least");
	double least = cJSON_IsNumber(own) ? own->valuedouble : LEAST;
	const char *id = config_words(legible, "case");
	int all = 0, n = 0;
	cJSON_ArrayForEach(measure, config_find(legible, "each"))
	{
		double whole = measure_of(in, config_words(legible, "of"), id);
		n += measure_of(in, cJSON_GetStringValue(measure), id) >= least * whole;
		all++;
	}
	bool some = n && config_words(e, "partly")[0];
	return words_with_numbers(d, in, e, "exercises",
		n && n == all  ? "beside"
			: some ? "partly"
			       : "below");
}

/* The recorded machine that the exercise can ask about, too; NULL: none. */
static const struct input *asked_there(
	const struct document *d, const struct input *in, const cJSON *e)
{
	for (int i = 0; i < d->parts; i++)
		if (can_ask(&in->recorded->input[i], e))
			return &in->recorded->input[i];
	return NULL;
}

/* What is too short to be measured in the picture, on either machine; the same of both once. */
static void add_below(struct document *d, const struct input *in, const cJSON *e)
{
	const struct input *recorded = asked_there(d, in, e);
	const char *here = text_below(d, in, e),
		   *there = recorded ? text_below(d, recorded, e) : "";
	bool same = !strcmp(here, there);
	if (here[0] || there[0])
		d->last->joined = true;
	if (here[0])
		document_say(d, BLOCK_TEXT,
			d->parts && !same ? "sheet.below.recorded" : "sheet.below", "device",
			machine_on_sheet(d, &in->runs[0]), "text", here, NULL);
	if (there[0] && !same)
		document_say(d, BLOCK_TEXT, "sheet.below.recorded", "device",
			machine_on_sheet(d, &recorded->runs[0]), "text", there, NULL);
}

static void add_picture(struct document *d, const struct input *in, const cJSON *e, int n)
{
	const cJSON *picture = config_find(e, "picture");
	if (!picture) {
		document_say(d, BLOCK_TEXT, "sheet.alone", "n", format_count(d->arena, n), NULL);
		return;
	}
	document_heading(d, 2, picture_place(d, e), heading(d, e, n));
	if (asked_there(d, in, e))
		document_say(d, BLOCK_TEXT, "chapter.recorded", "device",
			machine_on_sheet(d, &in->runs[0]), NULL)
			->level = 1;
	d->exercise = n;
	add_picture_of_both(d, in, picture);
	add_below(d, in, e);
}

/* ---- the key ---- */

/* With the numbers of one machine, and of a comparison its order. */
static const char *key_of(struct document *d, const struct input *in, const cJSON *e)
{
	const char *order = cJSON_IsTrue(config_find(e, "ordered"))
		? comparison_order(d, in, config_find(e, "picture"))
		: "";
	return said(d, order[0] ? "sheet.key.ordered" : "sheet.below", "order", order, "text",
		words_with_numbers(d, in, e, "exercises", "key"), NULL);
}

static const struct table_form key_form = {
	.size = 8, .column = {{"sheet.key.what"}, {"sheet.key.text", .weight = 1}}};

/* The book of the same runs on the same paper, laid out to know its pages; NULL: there is none. */
static const struct layout *book_of(const struct document *d, const struct input *in)
{
	struct err err = {0};
	struct document *book = arena_alloc(d->arena, sizeof *book);
	cJSON *template = texts_template(d->texts, "report", &err);
	document_init(book, d->arena, d->texts, d->fonts);
	book->course = d->course;
	book->paper = d->paper;
	bool built = template && !document_build(book, in, template, "report", &err);
	cJSON_Delete(template);
	return built ? layout_document(d->arena, book) : NULL;
}

/* The page of one place of the book: of a question's answer or of any other; 0: it has none. */
static int page_in_book(struct document *d, const cJSON *where, const struct layout *book)
{
	const char *answer = config_words(where, "answer");
	return !book ? 0
		     : places_find(book->places,
			       answer[0] ? chapter_answer_place(d->arena, answer)
					 : config_words(where, "place"));
}

/* Chapters, or headings of another name, each once with its pages. */
static const char *where_in_book(
	struct document *d, const struct input *in, const cJSON *e, const struct layout *book)
{
	const char *list = "", *last = "";
	int last_page = 0;
	const cJSON *where;
	cJSON_ArrayForEach(where, config_find(e, "book"))
	{
		const char *title = config_words(where, "title");
		int page = page_in_book(d, where, book);
		if (!title[0])
			title = chapter_title(d, in, config_words(where, "chapter"));
		if (strcmp(title, last) != 0)
			list = listed(d->arena, list, "; ", title);
		else if (page == last_page)
			continue;
		if (page)
			list = said(d, "sheet.key.page", "title", list, "page",
				format_count(d->arena, page), NULL);
		last = title;
		last_page = page;
	}
	return list;
}

/* What the picture of this machine decides and, where it is something else, that of a recorded
 * one. */
static void put_answers(struct rows *t, const struct input *in, const cJSON *e)
{
	struct document *d = t->d;
	const struct input *recorded = asked_there(d, in, e);
	const char *here = key_of(d, in, e), *there = recorded ? key_of(d, recorded, e) : here;
	bool same = !strcmp(here, there);
	if (same)
		put_said(t, "sheet.key.number");
	else
		put(t, machine_on_sheet(d, &in->runs[0]));
	put(t, here);
	if (same)
		return;
	put(t, machine_on_sheet(d, &recorded->runs[0]));
	put(t, there);
}

static void add_key(struct document *d, const struct input *in, const cJSON *e, int n,
	const struct layout *book)
{
	document_heading(d, 2, NULL, heading(d, e, n));
	struct rows t = rows_begin(d, &key_form, 0);
	put_answers(&t, in, e);
	put_said(&t, "sheet.key.why");
	put(&t, config_words(e, "why"));
	const char *wrong = usual_error(d, in, asked_there(d, in, e), e);
	if (wrong[0]) {
		put_said(&t, "sheet.key.wrong");
		put(&t, wrong);
	}
	put_said(&t, "sheet.key.book");
	put(&t, where_in_book(d, in, e, book));
}

bool add_sheet(struct document *d, const struct input *in, bool key)
{
	const cJSON *e;
	int all = 0, n = 0;
	cJSON_ArrayForEach(e, exercises(d))
	{
		all += can_ask(in, e);
	}
	if (all < LEAST_EXERCISES)
		return false;
	const struct layout *book = key ? book_of(d, in) : NULL;
	if (key)
		document_say(d, BLOCK_TEXT, "sheet.key.measured", NULL);
	cJSON_ArrayForEach(e, exercises(d))
	{
		if (can_ask(in, e) && key)
			add_key(d, in, e, ++n, book);
		else if (can_ask(in, e))
			add_exercise(d, in, e, ++n);
	}
	if (key)
		return true;
	document_heading(d, 1, "exercises", said(d, "exercises.pictures", NULL));
	document_say(d, BLOCK_TEXT, "sheet.pictures.about", NULL);
	n = 0;
	cJSON_ArrayForEach(e, exercises(d))
	{
		if (can_ask(in, e))
			add_picture(d, in, e, ++n);
	}
	return true;
}
