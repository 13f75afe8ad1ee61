/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/manifest.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/course.h"
#include "report/section/parts.h"
#include "report/section/template_sections.h"

#include <string.h>

static const struct table_form environment_form = {
	.size = 8, .column = {{"appendix.what"}, {"appendix.value", .weight = 1}}};

void add_environment(struct document *d, const struct run *run)
{
	if (!run->machine->n)
		return;
	document_heading(d, 2, NULL, said(d, "appendix.environment", "device", run->device, NULL));
	struct rows t = rows_begin(d, &environment_form, 0);
	for (int i = 0; i < run->machine->n; i++) {
		const struct machine_fact *f = &run->machine->fact[i];
		put(&t, literal(d, f->name));
		put(&t, literal(d, f->value ? f->value : ""));
	}
}

static bool has_run(const struct input *in)
{
	for (int i = 0; i < in->n_runs; i++)
		if (in->runs[i].of_matrix)
			return true;
	return false;
}

/* Only the files of a run lie where the text says that they do; a trace may lie anywhere. */
static void add_files(struct document *d, const struct input *in)
{
	if (!has_run(in))
		return;
	document_heading(d, 2, NULL, said(d, "appendix.files", NULL));
	document_say(d, BLOCK_TEXT, "appendix.files.about", NULL);
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
		: !strcmp(what, "table")  ? a->profiler_table.n > 0
					  : false;
}

static bool input_has(const struct input *in, const char *what)
{
	if (has_run(in) || (!strcmp(what, "judged") && in->base))
		return true;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (case_has(c, what))
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

static const struct table_form definitions_form = {
	.column = {{"appendix.number", .weight = 20}, {"appendix.formula", .weight = 50},
		{"appendix.unit"}, {"appendix.source", .weight = 24}}};

static void add_definitions(struct document *d, const struct input *in)
{
	const struct texts *t = d->texts;
	const cJSON *list = config_find(texts_data(t, "metrics"), "metrics"), *m;
	document_heading(d, 2, "definitions", said(d, "appendix.definitions", NULL));
	document_say(d, BLOCK_TEXT, "appendix.definitions.about", NULL)->level = 1;
	struct rows to = rows_begin(d, &definitions_form, 0);
	cJSON_ArrayForEach(m, list)
	{
		if (!is_asked_for(d, in, config_words(m, "needs")))
			continue;
		put(&to, config_words(m, "name"))->bold = true;
		put(&to,
			said(d, "appendix.formula.cell", "formula", config_words(m, "formula"),
				"window", config_words(m, "window"), "note",
				config_words(m, "note"), NULL));
		put(&to, config_words(m, "unit"));
		put(&to, config_words(m, "source"));
	}
}

/* Of a single trace only what it could be asked. */
static void add_thresholds(struct document *d, const struct input *in)
{
	const struct report_case *lone = input_lone(in);
	const char *about = lone ? "thresholds.about.lone" : "thresholds.about";
	document_heading(d, 2, NULL, said(d, "thresholds.title", NULL));
	document_say(d, BLOCK_TEXT, about, NULL)->level = 1;
	add_thresholds_table(d, in->settings, lone && lone->readable ? &lone->findings : NULL);
}

void section_appendix(struct document *d, const struct input *in)
{
	document_heading(d, 1, "appendix", said(d, "appendix.title", NULL))->flows = true;
	for (int i = 0; i < in->n_runs; i++)
		if (in->runs[i].of_matrix || in->runs[i].of_program)
			add_environment(d, &in->runs[i]);
	if (in->recorded && !recorded_shown(in))
		document_say(d, BLOCK_TEXT, "recorded.left_out", NULL);
	add_files(d, in);
	add_thresholds(d, in);
	add_definitions(d, in);
	for (int i = 0; i < in->n_runs && d->course; i++)
		d->course->add_made_source(d, &in->runs[i]);
}

void section_environment(struct document *d, const struct input *in)
{
	document_heading(d, 1, "environment", said(d, "environment.title", NULL))->flows = true;
	for (int i = 0; i < in->n_runs; i++)
		if (in->runs[i].of_matrix || in->runs[i].of_program)
			add_environment(d, &in->runs[i]);
	for (int i = 0; i < in->n_runs && d->course; i++)
		d->course->add_made_source(d, &in->runs[i]);
}

static const struct table_form machines_form = {.size = 8,
	.column = {{"appendix.what"}, {"chapter.box.here", .weight = 1},
		{"chapter.box.recorded", .weight = 1}, {"machine.another", .weight = 1}}};
enum { ANOTHER = 1u << 3 };

static void put_fact(struct rows *t, const struct run *run, const char *name)
{
	const char *value = machine_fact(run->machine, name);
	put(t, value ? literal(t->d, value) : "–");
}

/* This machine, the one that stands beside it and one that some runs are of instead (NULL: none):
 * what any of them tells, in the order of the first. */
static void add_machines(struct document *d, const struct run *here, const struct run *there,
	const struct run *another)
{
	const struct run *all[] = {here, there, another};
	struct rows t = rows_begin(d, &machines_form, another ? 0 : ANOTHER);
	for (int i = 0; i < (another ? 3 : 2); i++)
		for (int k = 0; k < all[i]->machine->n; k++) {
			const char *name = all[i]->machine->fact[k].name;
			bool told =
				!strcmp(name, "tracebook commit"); /* at the foot of each page */
			for (int before = 0; before < i && !told; before++)
				told = machine_fact(all[before]->machine, name);
			if (told)
				continue;
			put(&t, literal(d, name));
			put_fact(&t, here, name);
			put_fact(&t, there, name);
			if (another)
				put_fact(&t, another, name);
		}
}

/* The first recorded run of another device than the one in front; NULL: none. */
static const struct run *another_machine(const struct document *d, const struct input *in)
{
	for (int i = 1; i < d->parts; i++)
		if (recorded_is_another(in->recorded, i))
			return &in->recorded->input[i].runs[0];
	return NULL;
}

void section_machine(struct document *d, const struct input *in)
{
	document_heading(d, 1, "machine", said(d, "machine.title", NULL))->flows = true;
	if (in->n_runs == 1 && d->parts) {
		add_machines(
			d, &in->runs[0], &in->recorded->input[0].runs[0], another_machine(d, in));
		return;
	}
	for (int i = 0; i < in->n_runs; i++)
		add_environment(d, &in->runs[i]);
}
