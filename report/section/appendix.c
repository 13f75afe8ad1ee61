/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/recorded.h"
#include "report/section/kernel_source.h"
#include "report/section/section.h"

#include "report/section/thresholds.h"

#include <string.h>

static struct column *two_columns(struct document *d, const char *left, const char *right)
{
	struct column *col = arena_array(d->arena, 2, sizeof *col);
	col[0] = (struct column){.title = say(d->texts, d->arena, left, NULL), .kind = COLUMN_TEXT};
	col[1] = (struct column){
		.title = say(d->texts, d->arena, right, NULL), .kind = COLUMN_TEXT, .weight = 1};
	return col;
}

static void add_environment(struct document *d, const struct run *run)
{
	const cJSON *environment = config_find(run->manifest, "environment"), *e;
	if (!cJSON_IsObject(environment) || !environment->child)
		return;
	document_heading(d, 2, NULL,
		say(d->texts, d->arena, "appendix.environment", "device", run->device, NULL));
	struct table *table = document_table(d, two_columns(d, "appendix.what", "appendix.value"),
		2, cJSON_GetArraySize(environment));
	table->size = 6.8;
	int row = 0;
	cJSON_ArrayForEach(e, environment)
	{
		const char *value = cJSON_GetStringValue(e);
		table_cell(table, row, 0)->text =
			say(d->texts, d->arena, "literal", "text", e->string, NULL);
		table_cell(table, row++, 1)->text =
			say(d->texts, d->arena, "literal", "text", value ? value : "", NULL);
	}
}

static bool has_run(const struct input *in)
{
	for (int i = 0; i < in->n_runs; i++)
		if (in->runs[i].manifest)
			return true;
	return false;
}

/* Only runs of ours lie as they are said to. */
static void add_files(struct document *d, const struct input *in)
{
	if (!has_run(in))
		return;
	document_heading(d, 2, NULL, say(d->texts, d->arena, "appendix.files", NULL));
	document_add(d, BLOCK_TEXT, say(d->texts, d->arena, "appendix.files.about", NULL));
}

/* What there is to define numbers of, by the words of a metric's "needs". */
static bool case_has(const struct report_case *c, const char *what)
{
	if (!strcmp(what, "judged"))
		return case_expects(c) != NULL;
	if (!c->readable)
		return false;
	const struct analysis *a = c->analysis;
	return !strcmp(what, "steps")	  ? a->n_steps > 0
		: !strcmp(what, "device") ? a->n_device > 0
		: !strcmp(what, "table")  ? a->averages.n > 0
					  : false;
}

static bool input_has(const struct input *in, const char *what)
{
	if (has_run(in) || (!strcmp(what, "judged") && in->base))
		return true;
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++)
			if (case_has(&in->runs[r].cases[i], what))
				return true;
	return false;
}

/* `needs`: words with a space between them. */
static bool is_asked_for(struct document *d, const struct input *in, const char *needs)
{
	char *words = arena_strdup(d->arena, needs), *rest = NULL;
	for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		if (!input_has(in, w))
			return false;
	return true;
}

static int count_asked_for(struct document *d, const struct input *in, const cJSON *list)
{
	int n = 0;
	const cJSON *m;
	cJSON_ArrayForEach(m, list) n += is_asked_for(d, in, config_words(m, "needs"));
	return n;
}

static void add_definitions(struct document *d, const struct input *in)
{
	const struct texts *t = d->texts;
	const cJSON *list = config_find(texts_data(t, "metrics"), "metrics"), *m;
	document_heading(d, 2, "definitions", say(t, d->arena, "appendix.definitions", NULL));
	document_add(d, BLOCK_TEXT, say(t, d->arena, "appendix.definitions.about", NULL))->level =
		1;
	struct column *col = arena_array(d->arena, 4, sizeof *col);
	col[0] = (struct column){.title = say(t, d->arena, "appendix.number", NULL),
		.kind = COLUMN_TEXT,
		.weight = 20};
	col[1] = (struct column){.title = say(t, d->arena, "appendix.formula", NULL),
		.kind = COLUMN_TEXT,
		.weight = 50};
	col[2] = (struct column){
		.title = say(t, d->arena, "appendix.unit", NULL), .kind = COLUMN_TEXT};
	col[3] = (struct column){.title = say(t, d->arena, "appendix.source", NULL),
		.kind = COLUMN_TEXT,
		.weight = 24};
	struct table *table = document_table(d, col, 4, count_asked_for(d, in, list));
	table->size = 6.8;
	int row = 0;
	cJSON_ArrayForEach(m, list)
	{
		if (!is_asked_for(d, in, config_words(m, "needs")))
			continue;
		*table_cell(table, row, 0) =
			(struct cell){.text = config_words(m, "name"), .bold = true};
		table_cell(table, row, 1)->text = say(t, d->arena, "appendix.formula.cell",
			"formula", config_words(m, "formula"), "window", config_words(m, "window"),
			"note", config_words(m, "note"), NULL);
		table_cell(table, row, 2)->text = config_words(m, "unit");
		table_cell(table, row++, 3)->text = config_words(m, "source");
	}
}

/* Of a single trace only what it could be asked. */
static void add_thresholds(struct document *d, const struct input *in)
{
	const struct report_case *lone = input_lone(in);
	const char *about = lone ? "thresholds.about.lone" : "thresholds.about";
	document_heading(d, 2, NULL, say(d->texts, d->arena, "thresholds.title", NULL));
	document_add(d, BLOCK_TEXT, say(d->texts, d->arena, about, NULL))->level = 1;
	add_thresholds_table(d, in->settings, lone && lone->readable ? &lone->findings : NULL);
}

void section_appendix(struct document *d, const struct input *in)
{
	document_heading(d, 1, "appendix", say(d->texts, d->arena, "appendix.title", NULL))->flows =
		true;
	for (int i = 0; i < in->n_runs; i++)
		if (in->runs[i].manifest)
			add_environment(d, &in->runs[i]);
	if (in->recorded && !recorded_shown(in))
		document_add(d, BLOCK_TEXT, say(d->texts, d->arena, "recorded.left_out", NULL));
	add_files(d, in);
	add_thresholds(d, in);
	add_definitions(d, in);
	for (int i = 0; i < in->n_runs; i++)
		add_made_source(d, &in->runs[i]);
}

void section_environment(struct document *d, const struct input *in)
{
	document_heading(d, 1, "environment", say(d->texts, d->arena, "environment.title", NULL))
		->flows = true;
	for (int i = 0; i < in->n_runs; i++)
		if (in->runs[i].manifest)
			add_environment(d, &in->runs[i]);
	for (int i = 0; i < in->n_runs; i++)
		add_made_source(d, &in->runs[i]);
}
