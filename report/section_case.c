#include "report/section.h"

#include "report/case_figures.h"
#include "report/case_tables.h"
#include "report/format.h"

#include <string.h>

enum { SETUP_ITEMS = 5 };

static const char *text_of(const cJSON *object, const char *name)
{
	const char *s = cJSON_GetStringValue(config_find(object, name));
	return s ? s : "";
}

static const char *number_of(struct arena *a, const cJSON *object, const char *name)
{
	const cJSON *m = config_find(object, name);
	return cJSON_IsNumber(m) ? format_count(a, (int64_t)m->valuedouble) : "?";
}

/* "size 64" or "batch 64, seq 128, dim 768, hidden 3072". */
static const char *shape_of(struct arena *a, const cJSON *entry)
{
	const char *text = "";
	const cJSON *m;
	cJSON_ArrayForEach(m, config_find(entry, "shape"))
	{
		if (cJSON_IsNumber(m) && m->valuedouble > 0)
			text = arena_printf(a, "%s%s%s %.0f", text, text[0] ? ", " : "", m->string,
				m->valuedouble);
	}
	return text;
}

static void add_spec(struct document *d, const struct report_case *c)
{
	if (!c->entry)
		return;
	struct arena *a = d->arena;
	const cJSON *schedule = config_find(c->entry, "schedule");
	document_add(d, BLOCK_CAPTION,
		say(d->texts, a, "case.about", "id", c->id, "mode", c->mode, "dtype",
			text_of(c->entry, "dtype"), "shape", shape_of(a, c->entry), "wait",
			number_of(a, schedule, "wait"), "warmup", number_of(a, schedule, "warmup"),
			"active", number_of(a, schedule, "active"), NULL));
	if (c->scaled[0])
		document_add(
			d, BLOCK_TEXT, say(d->texts, a, "case.scaled", "text", c->scaled, NULL));
}

static void add_question(struct document *d, const struct report_case *c)
{
	if (c->question[0])
		document_add(d, BLOCK_TEXT,
			say(d->texts, d->arena, "case.question", "text", c->question, NULL));
	if (c->guess[0])
		document_add(d, BLOCK_TEXT,
			say(d->texts, d->arena, "case.guess", "text", c->guess, NULL));
}

static void add_kpis(struct document *d, const struct report_case *c)
{
	struct case_numbers n = numbers_of(c->analysis);
	struct arena *a = d->arena;
	if (!n.n_steps)
		return;
	char key[64];
	snprintf(key, sizeof key, "regime.%s", regime_name(c->analysis->regime.regime));
	const char *kernels = n.copies > 0 ? arena_printf(a, "%g + %g", n.kernels, n.copies)
					   : arena_printf(a, "%g", n.kernels);
	const struct kpi kpis[] = {{format_time(a, n.cpu_ns), texts_find(d->texts, "case.kpi.cpu")},
		{format_time(a, n.device_ns), texts_find(d->texts, "case.kpi.device")},
		{kernels,
			texts_find(d->texts,
				n.copies > 0 ? "case.kpi.kernels_copies" : "case.kpi.kernels")},
		{format_share(a, c->analysis->window.busy_share),
			texts_find(d->texts, "case.kpi.busy")},
		{say(d->texts, a, key, NULL), texts_find(d->texts, "case.kpi.regime")}};
	struct block *b = document_add(d, BLOCK_KPIS, "");
	b->n = sizeof kpis / sizeof *kpis;
	b->kpi = memcpy(arena_alloc(a, sizeof kpis), kpis, sizeof kpis);
}

static const char *setup_list(struct document *d, const struct report_case *c, const struct step *s)
{
	struct arena *a = d->arena;
	const char *list = "";
	for (uint32_t i = 0; i < s->n_setup_sums && i < SETUP_ITEMS; i++) {
		const struct setup_sum *sum = &s->setup_sum[i];
		const char *item = say(d->texts, a,
			sum->calls > 1 ? "case.setup.item.n" : "case.setup.item", "name",
			names_text(&c->trace.names, sum->name), "time",
			format_time(a, (double)sum->ns), "n", format_count(a, sum->calls), NULL);
		list = arena_printf(a, "%s%s%s", list, i ? ", " : "", item);
	}
	return list;
}

/* A cold start that shows is explained by its own spans. */
static void add_setup(struct document *d, const struct report_case *c)
{
	struct case_numbers n = numbers_of(c->analysis);
	if (n.first_ratio < 1.5 || !c->analysis->steps[0].n_setup_sums)
		return;
	const struct step *s = &c->analysis->steps[0];
	struct arena *a = d->arena;
	document_add(d, BLOCK_TEXT,
		say(d->texts, a, "case.setup", "ratio", format_ratio(a, n.first_ratio), "time",
			format_time(a, (double)s->setup_ns), "total",
			format_time(a, (double)s->dur_ns), "list", setup_list(d, c, s), NULL));
}

static void add_health(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	for (size_t i = 0; i < c->trace.n_repairs; i++) {
		const struct repair *r = &c->trace.repairs[i];
		const char *text = say(d->texts, a, "case.repair", "what", r->what, "count",
			format_count(a, r->count), "offset", format_count(a, r->first_offset),
			NULL);
		document_add(d, BLOCK_TEXT, say(d->texts, a, "case.repairs", "text", text, NULL));
	}
}

static void head_plate(struct document *d, struct block *head, const struct report_case *c)
{
	struct arena *a = d->arena;
	int broken = c->verdicts.broken, judged = c->verdicts.broken + c->verdicts.kept;
	head->verdict = OPEN;
	if (strcmp(c->status, "done") != 0) {
		head->note = say(d->texts, a, "verdict.not_run", NULL);
	} else if (!c->readable) {
		head->note = say(d->texts, a, "verdict.unread", NULL);
	} else if (!judged) {
		head->note = c->entry ? say(d->texts, a, "verdict.none", NULL) : NULL;
	} else if (!broken) {
		head->verdict = KEPT;
		head->note = say(d->texts, a, "verdict.all_kept", NULL);
	} else {
		head->verdict = BROKEN;
		head->note = say(d->texts, a, "verdict.some_broken", "broken",
			format_count(a, broken), "n", format_count(a, judged), NULL);
	}
}

static void add_case(struct document *d, const struct input *in, const struct report_case *c)
{
	struct block *head = document_heading(d, 1, c->place, literal(d, c->title));
	head_plate(d, head, c);
	add_spec(d, c);
	add_question(d, c);
	if (!c->readable) {
		const char *key = strcmp(c->status, "done") ? "case.failed" : "case.unread";
		document_add(
			d, BLOCK_TEXT, say(d->texts, d->arena, key, "reason", c->reason, NULL));
		return;
	}
	add_verdict_table(d, in, c);
	add_kpis(d, c);
	add_health(d, c);
	add_steps_figure(d, c);
	add_setup(d, c);
	add_zoom_figure(d, c);
	add_samples_figure(d, c);
	add_kernel_table(d, c);
	add_profiler_table(d, c);
}

void section_cases(struct document *d, const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++)
			add_case(d, in, &in->runs[r].cases[i]);
}
