/* SPDX-License-Identifier: Apache-2.0 */
/* The pages before the chapters: how a timeline is read, what each chapter is about, what the
 * device is here. */
#include "report/course/parts.h"

#include "base/number_format.h"
#include "report/course/chapters.h"
#include "report/figure/figures.h"
#include "report/figure/step_time.h"
#include "report/page/table_builder.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/parts.h"

#include <string.h>

static const cJSON *reading(const struct document *d)
{
	return config_find(texts_data(d->texts, "chapters"), "reading");
}

/* A mark on the first event of a class in a step, or on the idle time before its device work. */
static bool find_mark(
	const struct analysis *a, const struct step *s, const char *what, struct callout *mark)
{
	const struct trace *t = a->trace;
	int64_t end = s->start_ns + s->dur_ns;
	if (!strcmp(what, "idle")) {
		*mark = (struct callout){.row = s->device[0],
			.gap_from_ns = s->start_ns,
			.gap_to_ns = t->start_ns[s->device[0]]};
		return mark->gap_to_ns > mark->gap_from_ns;
	}
	if (!strcmp(what, "kernel")) {
		*mark = (struct callout){.row = s->device[0]};
		return true;
	}
	for (size_t i = s->row; i < t->n && t->start_ns[i] < end; i++) {
		if (t->track[i] != t->track[s->row] ||
			strcmp(event_class_name(a->class[i]), what) != 0)
			continue;
		*mark = (struct callout){.row = (uint32_t)i};
		return true;
	}
	return false;
}

static const struct table_form words_form = {.size = 8,
	.column = {{"", COLUMN_NUMBER}, {"cheatsheet.term"}, {"cheatsheet.text", .weight = 1}}};

static const char *meaning_of(const struct document *d, const char *term)
{
	const cJSON *g;
	cJSON_ArrayForEach(g, config_find(texts_data(d->texts, "cheatsheet"), "glossary"))
	{
		if (!strcmp(config_words(g, "term"), term))
			return config_words(g, "text");
	}
	return missing_text(d->texts, d->arena, "cheatsheet", term);
}

/* The words, those first that have a mark in the picture. */
static void add_words(struct document *d, const struct analysis *a, const struct step *s,
	struct callout *marks, int *n)
{
	struct rows t = rows_begin(d, &words_form, 0);
	const cJSON *w;
	cJSON_ArrayForEach(w, config_find(reading(d), "words"))
	{
		const char *term = config_words(w, "term"), *on = config_words(w, "on");
		struct callout mark;
		bool marked =
			on[0] && s->n_device && *n < MOST_CALLOUTS && find_mark(a, s, on, &mark);
		if (marked) {
			mark.number = *n + 1;
			marks[(*n)++] = mark;
		}
		put(&t, marked ? format_count(d->arena, *n) : "");
		put(&t, term)->bold = true;
		put(&t, meaning_of(d, term));
	}
}

static const struct table_form program_form = {
	.size = 8, .column = {{"reading.program", COLUMN_CODE, 1}}};

static void add_program(struct document *d)
{
	const cJSON *line;
	struct rows t = rows_begin(d, &program_form, 0);
	cJSON_ArrayForEach(line, config_find(reading(d), "program"))
	{
		put(&t, code_line(d, cJSON_GetStringValue(line)));
	}
}

static const struct report_case *case_to_read(const struct document *d, const struct input *in)
{
	const char *id = config_words(reading(d), "case");
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (!strcmp(c->id, id) && c->readable && c->analysis->n_steps &&
			c->analysis->n_device)
			return c;
	return NULL;
}

static void add_timeline(struct document *d, const struct report_case *c)
{
	struct callout *marks = arena_array(d->arena, MOST_CALLOUTS, sizeof *marks);
	uint32_t step = step_on_one_clock(c->analysis);
	int n = 0;
	struct document words;
	document_init(&words, d->arena, d->texts, d->fonts);
	add_words(&words, c->analysis, &c->analysis->steps[step], marks, &n);
	add_read_step(d, c, step, marks, n);
	document_insert(d, d->last, &words);
}

/* Said once for all of them: when they were written, and what their marks mean. */
static void add_about_guesses(struct document *d, const struct run *run)
{
	bool late = *run->guessed && strcmp(run->guessed, run->created) > 0;
	document_say(d, BLOCK_TEXT, "guesses.about", "day",
		*run->guessed && !late ? said(d, "guesses.day", "day", run->guessed, NULL) : "",
		NULL);
}

void section_reading(struct document *d, const struct input *in)
{
	const struct run *run = in->n_runs && in->runs[0].of_matrix ? &in->runs[0] : NULL;
	const struct report_case *c = run ? case_to_read(d, in) : NULL;
	if (!run)
		return;
	document_heading(d, 1, "reading", said(d, "reading.title", NULL));
	if (c) {
		document_say(d, BLOCK_TEXT, "reading.about", "title", c->title, NULL);
		add_timeline(d, c);
	}
	document_say(d, BLOCK_TEXT, "reading.steps", NULL);
	add_program(d);
	document_add(d, BLOCK_PAGE, "");
	add_chapter_map(d, in);
	document_heading(d, 2, NULL, said(d, "reading.device", NULL));
	document_say(d, BLOCK_TEXT, run->is_gpu ? "reading.device.gpu" : "reading.device.host",
		"device", recorded_device(run), NULL);
	for (int i = 0; i < d->parts && i < 1; i++)
		document_say(d, BLOCK_TEXT, "reading.recorded", "label",
			recorded_label(d, &in->recorded->input[i].runs[0]), "device",
			recorded_device(&in->recorded->input[i].runs[0]), NULL);
	for (int i = 1; i < d->parts; i++)
		if (recorded_is_another(in->recorded, i))
			document_say(d, BLOCK_TEXT, "reading.recorded.another", "label",
				recorded_label(d, &in->recorded->input[i].runs[0]), NULL);
	document_heading(d, 2, NULL, said(d, "reading.ours", NULL));
	document_say(d, BLOCK_TEXT, "reading.ours.about", NULL);
	add_about_guesses(d, run);
}
