/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/drill.h"

#include "base/number_format.h"
#include "report/analyse/breakdown.h"
#include "report/course/chapters.h"
#include "report/course/exercise_facts.h"
#include "report/course/measures.h"
#include "report/judge/judge.h"
#include "report/page/table_builder.h"
#include "report/run/manifest.h"
#include "report/section/headline.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"
#include "report/section/rule_words.h"

#include <math.h>
#include <string.h>

enum { MOST_VALUES = 12 };

static const char *word_at(const cJSON *list, int i)
{
	const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(list, i));
	return text ? text : "";
}

/* The input that has both cases of a number; NULL: none. */
static const struct input *input_with(
	const struct document *d, const struct input *in, const char *id, const char *over)
{
	for (int i = -1; i < d->parts; i++) {
		const struct input *x = i < 0 ? in : &in->recorded->input[i];
		if (chapter_case(x, id) && (!over[0] || chapter_case(x, over)))
			return x;
	}
	return NULL;
}

/* Can the device times of two cases not be told apart? */
static bool is_unsure(struct document *d, const struct input *in, const char *id, const char *over)
{
	struct sure_ratio r =
		case_ratio(d->arena, chapter_case(in, id), chapter_case(in, over), true);
	return sure_is_noise(&r);
}

static const char *number(struct document *d, const struct input *in, const cJSON *of)
{
	const char *measure = word_at(of, 0), *id = word_at(of, 1), *over = word_at(of, 2);
	const struct input *x = input_with(d, in, id, over);
	if (!x)
		return "–";
	if (!strcmp(measure, "kernel_list"))
		return kernels_in_order(d, chapter_case(x, id));
	if (!over[0])
		return measure_text(d, x, measure, id);
	if (!strcmp(measure, "unsure_device"))
		return is_unsure(d, x, id, over) ? "1" : "0";
	double ratio = measure_of(x, measure, id) / measure_of(x, measure, over);
	return isfinite(ratio) ? format_ratio(d->arena, ratio) : "–";
}

const char *words_with_numbers(struct document *d, const struct input *in, const cJSON *e,
	const char *file, const char *name)
{
	struct text_value value[MOST_VALUES];
	int n = 0;
	const cJSON *v;
	cJSON_ArrayForEach(v, config_find(e, "values"))
	{
		if (n < MOST_VALUES)
			value[n++] = (struct text_value){v->string, number(d, in, v)};
	}
	return fill_text(
		d->texts, d->arena, file, config_words(e, "id"), config_words(e, name), value, n);
}

static const struct table_form asked_form = {.size = 8.6,
	.column = {{"", COLUMN_NUMBER}, {"drill.ask", .weight = 30}, {"drill.mine", .weight = 18}}};

void add_drill(struct document *d, const cJSON *chapter)
{
	const cJSON *one;
	struct rows t = {0};
	cJSON_ArrayForEach(one, config_find(chapter, "drill"))
	{
		if (!t.table)
			t = rows_begin(d, &asked_form, 0);
		put_count(&t, t.table->n_rows + 1);
		put(&t, config_words(one, "ask"));
		put(&t, "");
	}
}

static const struct table_form key_form = {
	.size = 8, .column = {{"", COLUMN_NUMBER}, {"drill.key", .weight = 1}}};

bool add_drill_key(struct document *d, const struct input *in, const cJSON *chapter)
{
	const cJSON *one;
	struct rows t = {0};
	cJSON_ArrayForEach(one, config_find(chapter, "drill"))
	{
		if (!t.table)
			t = rows_begin(d, &key_form, 0);
		put_count(&t, t.table->n_rows + 1);
		put(&t, words_with_numbers(d, in, one, "chapters", "key"));
	}
	return t.table != NULL;
}

/* ---- the adviser ---- */

static const struct table_form advice_form = {.size = 8,
	.column = {{"drill.case", .weight = 12}, {"drill.limit", .weight = 9},
		{"drill.recorded", COLUMN_NUMBER}, {"drill.step", COLUMN_NUMBER},
		{"drill.first", .weight = 30}}};

static const char *actions(struct document *d, const struct report_case *c)
{
	const char *list = "";
	const struct advice *x = c->advice;
	for (int i = 0; x && i < x->n && i < ADVICE_ON_PAGE; i++)
		list = listed(d->arena, list, " · ",
			said(d, "drill.action", "title", rule_title(d->texts, x->action[i].rule),
				"gain", action_gain(d, x, &x->action[i]), NULL));
	return list[0] ? list : said(d, "drill.nothing", NULL);
}

/* Two whose order turns when the recorder's cost is taken off: none of both is the surer. */
static const char *turned(
	struct document *d, const struct report_case *one, const struct report_case *other)
{
	if (!one || !other || !one->advice || !other->advice)
		return "";
	const struct advice *x = one->advice, *y = other->advice;
	bool recorded = x->window_ns > y->window_ns,
	     unrecorded = x->unrecorded_ns > y->unrecorded_ns;
	if (recorded == unrecorded || x->measured || y->measured)
		return "";
	return said(d, "drill.open", "first", one->title, "second", other->title, NULL);
}

/* Of a device that computes, the share is of all that it computes, and the word of most of it. */
static const char *limit_key(const struct report_case *c)
{
	return breakdown_computes(c->breakdown) ? "drill.limited.device" : "drill.limited";
}

void add_advice_table(struct document *d, const struct run *run, const char *workload)
{
	struct rows t = {0};
	const struct report_case *before = NULL;
	const char *open = "";
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!c->work || strcmp(c->work->workload, workload) != 0 || !c->readable)
			continue;
		if (!t.table)
			t = rows_begin(d, &advice_form, 0);
		put(&t, c->title);
		put(&t,
			said(d, limit_key(c), "word", headline_word(d, c), "share",
				format_share(d->arena, headline_share(c)), NULL));
		put_time(&t, c->advice ? (double)c->advice->window_ns : (double)NAN);
		put_time(&t, c->advice ? (double)c->advice->unrecorded_ns : (double)NAN);
		put(&t, actions(d, c));
		open = open[0] ? open : turned(d, before, c);
		before = c;
	}
	if (t.table)
		document_say(d, BLOCK_CAPTION, "drill.caption", "open", open, NULL);
}
