/* SPDX-License-Identifier: Apache-2.0 */
/* The box of a chapter: the same number of this machine, of the recorded one, and of the posts. */
#include "report/course/chapters.h"

#include "base/number_format.h"
#include "report/course/measures.h"
#include "report/judge/judge.h"
#include "report/page/table_builder.h"
#include "report/run/manifest.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/parts.h"

#include <math.h>
#include <string.h>

/* Of a case, or of one over another. */
static double row_in(const struct input *in, const struct measure *m, const cJSON *row)
{
	const char *over = config_words(row, "over");
	double value = measure_value(in, m, config_words(row, "case"));
	return over[0] ? value / measure_value(in, m, over) : value;
}

/* The first recorded run that has it, -1: none. */
static int recorded_with(
	const struct document *d, const struct input *in, const struct measure *m, const cJSON *row)
{
	for (int i = 0; i < d->parts; i++)
		if (isfinite(row_in(&in->recorded->input[i], m, row)))
			return i;
	return -1;
}

static const char *cell_text(
	struct document *d, const struct measure *m, const cJSON *row, double value)
{
	if (!isfinite(value))
		return "–";
	return config_words(row, "over")[0] ? format_ratio(d->arena, value)
					    : measure_form(d->arena, m, value);
}

/* A number in the unit of the measure, or words. */
static const char *posts_text(struct document *d, const struct measure *m, const cJSON *row)
{
	const cJSON *posts = config_find(row, "posts");
	if (cJSON_IsString(posts))
		return posts->valuestring;
	return cell_text(d, m, row, cJSON_IsNumber(posts) ? posts->valuedouble : (double)NAN);
}

static const struct table_form box_form = {.size = 8,
	.column = {{"chapter.box.what", .weight = 1}, {"chapter.box.here", COLUMN_NUMBER},
		{"chapter.box.recorded", COLUMN_NUMBER}, {"chapter.box.posts", COLUMN_NUMBER}}};
enum { RECORDED = 1u << 2 };

static void put_value(struct rows *t, const struct measure *m, const cJSON *row, double value)
{
	put(t, cell_text(t->d, m, row, value));
}

/* With the name of its machine where that is not the one of the column's head. */
static void put_recorded(
	struct rows *t, const struct input *in, const struct measure *m, const cJSON *row)
{
	struct document *d = t->d;
	int nth = recorded_with(d, in, m, row);
	const struct input *there = nth < 0 ? NULL : &in->recorded->input[nth];
	const char *value = there ? cell_text(d, m, row, row_in(there, m, row)) : "–";
	if (there &&
		strcmp(recorded_device(&there->runs[0]),
			recorded_device(&in->recorded->input[0].runs[0])) != 0)
		value = said(d, "chapter.box.another", "device", recorded_chip(&there->runs[0]),
			"value", value, NULL);
	put(t, value);
}

static void put_row(struct rows *t, const struct input *in, const cJSON *row)
{
	struct document *d = t->d;
	const struct measure *m = measure_named(config_words(row, "measure"));
	if (!m) {
		missing_text(d->texts, d->arena, "chapters",
			arena_printf(d->arena, "measure %s", config_words(row, "measure")));
		return;
	}
	double here = row_in(in, m, row);
	if (!isfinite(here) && recorded_with(d, in, m, row) < 0)
		return;
	put(t, config_words(row, "what"));
	put_value(t, m, row, here);
	put_recorded(t, in, m, row);
	put(t, posts_text(d, m, row));
}

/* "5 held, 1 broke, 2 undecided" over the chapter's guesses, of this machine (chip: NULL) or of the
 * recorded runs of a chip, as their marks are; NULL where none was judged. */
static const char *guesses_in(
	struct document *d, const struct input *in, const cJSON *chapter, const char *chip)
{
	struct verdicts all = {0};
	const cJSON *guessed;
	cJSON_ArrayForEach(guessed, config_find(chapter, "guesses"))
	{
		const char *id = cJSON_GetStringValue(guessed);
		const struct input *of = in;
		const struct report_case *c = !id ? NULL
			: chip			  ? recorded_case(d, in, id, &of)
						  : chapter_case(in, id);
		if (chip && strcmp(recorded_chip(&of->runs[0]), chip) != 0)
			continue;
		all.kept += c ? c->verdicts->kept : 0;
		all.broken += c ? c->verdicts->broken : 0;
		all.noise += c ? c->verdicts->noise : 0;
	}
	return all.kept + all.broken + all.noise ? score_words(d, &all) : NULL;
}

/* Of each chip that was recorded, with its name where it is not the one of the column's head. */
static const char *recorded_guesses(
	struct document *d, const struct input *in, const cJSON *chapter)
{
	const char *list = "", *head = "", *chip = "";
	for (int i = 0; i < d->parts; i++) {
		const char *before = chip;
		chip = recorded_chip(&in->recorded->input[i].runs[0]);
		head = i ? head : chip;
		const char *score =
			strcmp(chip, before) != 0 ? guesses_in(d, in, chapter, chip) : NULL;
		if (score && strcmp(chip, head) != 0)
			score = said(
				d, "chapter.box.another", "device", chip, "value", score, NULL);
		list = score ? listed(d->arena, list, "; ", score) : list;
	}
	return list[0] ? list : "–";
}

static void put_guesses(struct rows *t, const struct input *in, const cJSON *chapter)
{
	struct document *d = t->d;
	put_said(t, "chapter.box.guesses");
	const char *here = guesses_in(d, in, chapter, NULL);
	put(t, here ? here : "–");
	put(t, d->parts ? recorded_guesses(d, in, chapter) : "");
	put(t, "–");
}

void add_chapter_box(struct document *d, const struct input *in, const cJSON *chapter)
{
	const cJSON *row, *box = config_find(chapter, "box");
	if (!cJSON_GetArraySize(box))
		return;
	struct rows t = rows_begin(d, &box_form, d->parts ? 0 : RECORDED);
	cJSON_ArrayForEach(row, box)
	{
		if (!in_strips(row))
			put_row(&t, in, row);
	}
	put_guesses(&t, in, chapter);
	if (!document_has_place(d, "three-machines"))
		document_place(d, document_say(d, BLOCK_CAPTION, "chapter.box.caption", NULL),
			"three-machines");
	add_chapter_strips(d, in, chapter);
}
