/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/page/table_builder.h"

/* As it is written in --set, with its unit: few digits, no padding. */
static const char *number_text(struct arena *a, enum finding_unit unit, double v)
{
	static const struct {
		double ns;
		const char *unit;
	} times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {0, "ns"}};
	int i = 0;
	switch (unit) {
	case UNIT_SHARE:
		return arena_printf(a, "%.6g %%", 100 * v);
	case UNIT_RATIO:
		return arena_printf(a, "%.6g×", v);
	case UNIT_NS:
		while (v < times[i].ns)
			i++;
		return arena_printf(
			a, "%.6g %s", times[i].ns > 0 ? v / times[i].ns : v, times[i].unit);
	case UNIT_BYTES:
		return arena_printf(a, "%.6g B", v);
	default:
		return arena_printf(a, "%.6g", v);
	}
}

static const char *one_text(struct document *d, const struct rule *t, int i, double value)
{
	const char *now = number_text(d->arena, t->threshold[i].unit, value);
	const char *name = t->threshold[i].name;
	if (value == t->threshold[i].value)
		return said(d, "threshold", "name", name, "value", now, NULL);
	return said(d, "threshold.set", "name", name, "value", now, "default",
		number_text(d->arena, t->threshold[i].unit, t->threshold[i].value), NULL);
}

/* "ratio 10×, busy 50 %"; of those that were set only, when asked. */
static const char *list_text(
	struct document *d, const struct rule *t, const double *value, bool only_set)
{
	const char *list = "";
	for (int i = 0; i < RULE_THRESHOLDS && t->threshold[i].name; i++)
		if (!only_set || value[i] != t->threshold[i].value)
			list = listed(d->arena, list, ", ", one_text(d, t, i, value[i]));
	return list;
}

/* Adds one more detector to a list in words. */
static const char *with(struct document *d, const char *all, const char *id, const char *list)
{
	if (!list[0])
		return all;
	const char *one = said(d, "threshold.of", "id", id, "list", list, NULL);
	return listed(d->arena, all, "; ", one);
}

/* What --set takes, with the number by which pages mark it. */
static const char *id_words(struct document *d, const struct rule *t)
{
	return t->label ? said(d, "thresholds.id.label", "id", t->id, "label", t->label, NULL)
			: t->id;
}

const char *thresholds_of(struct document *d, const struct finding *const *finding, int n)
{
	const char *all = "";
	for (int i = 0; i < n; i++)
		all = with(d, all, id_words(d, finding[i]->rule),
			list_text(d, finding[i]->rule, finding[i]->threshold, true));
	return all;
}

static void in_force(const struct rule_settings *settings, const struct rule *t, double *value)
{
	for (int i = 0; i < RULE_THRESHOLDS && t->threshold[i].name; i++)
		value[i] = rule_threshold_used(settings, t, i);
}

const char *thresholds_in_force(struct document *d, const struct rule *const *detector, int n,
	const struct rule_settings *settings)
{
	const char *all = "";
	double value[RULE_THRESHOLDS] = {0};
	for (int i = 0; i < n; i++) {
		in_force(settings, detector[i], value);
		all = with(
			d, all, id_words(d, detector[i]), list_text(d, detector[i], value, false));
	}
	return all;
}

void add_thresholds_set(struct document *d, const struct rule_settings *settings)
{
	const char *all = "";
	double value[RULE_THRESHOLDS] = {0};
	for (int i = 0; i < rule_count(); i++) {
		in_force(settings, rule_at(i), value);
		all = with(d, all, id_words(d, rule_at(i)), list_text(d, rule_at(i), value, true));
	}
	if (all[0])
		document_say(d, BLOCK_CAPTION, "thresholds.set", "list", all, NULL);
}

static const char *texts_with(const struct rule *t)
{
	return t->kind == RULE_FINDING ? "findings" : "advice";
}

static const cJSON *words_of(const struct document *d, const struct rule *t)
{
	return rule_words(texts_data(d->texts, texts_with(t)), t);
}

/* When it counts, in words, with the thresholds in force. */
static const char *counts_when(struct document *d, const struct rule *t, const double *value)
{
	struct text_value v[RULE_THRESHOLDS];
	const cJSON *words = words_of(d, t);
	int n = 0;
	for (; n < RULE_THRESHOLDS && t->threshold[n].name; n++)
		v[n] = (struct text_value){
			arena_printf(d->arena, "threshold.%s", t->threshold[n].name),
			number_text(d->arena, t->threshold[n].unit, value[n])};
	return fill_text(
		d->texts, d->arena, texts_with(t), t->id, config_words(words, "definition"), v, n);
}

const char *threshold_definition(struct document *d, const struct finding *f)
{
	return counts_when(d, f->rule, f->threshold);
}

static const char *definition(struct document *d, const struct rule *t, const double *value)
{
	return said(d, "thresholds.definition", "title", config_words(words_of(d, t), "title"),
		"definition", counts_when(d, t, value), NULL);
}

/* "share 50 %, lead 2×; gain at most the row's time". */
static const char *limits_and_gain(struct document *d, const struct rule *t, const double *value)
{
	const char *list = list_text(d, t, value, false);
	if (t->kind == RULE_LEAVE || (t->kind == RULE_FINDING && t->gain == GAIN_NOTHING))
		return list;
	return listed(d->arena, list, "; ",
		said(d, "thresholds.gain", "at_most", config_words(words_of(d, t), "at_most"),
			NULL));
}

static bool has_answer(const struct findings *seen, const struct rule *t)
{
	const struct finding *f = findings_find(seen, t->id);
	return f && f->state != FINDING_NOT_APPLICABLE;
}

static const struct table_form form = {
	.column = {{"thresholds.id"}, {"thresholds.what", .weight = 72},
		{"thresholds.value", .weight = 28}}};

void add_thresholds_table(
	struct document *d, const struct rule_settings *settings, const struct findings *seen)
{
	struct rows t = rows_begin(d, &form, 0);
	double value[RULE_THRESHOLDS] = {0};
	for (int i = 0; i < rule_count(); i++) {
		const struct rule *one = rule_at(i);
		if (seen && !has_answer(seen, one))
			continue;
		in_force(settings, one, value);
		put(&t, id_words(d, one))->bold = true;
		put(&t, definition(d, one, value));
		put(&t, limits_and_gain(d, one, value));
	}
}
