/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/judge/judge.h"
#include "report/run/place_names.h"
#include "report/run/shrunk_title.h"
#include "report/section/course.h"
#include "report/section/headline.h"
#include "report/section/parts.h"

#include <math.h>
#include <string.h>

/* Foreign traces: with up to MOST_IN_FULL each gets all its pages; of more, those that have one
 * (ranks_of_run.h) a half page. */
enum { MOST_IN_FULL = 2, KERNELS_IN_SHORT = 5 };

static const char *steps_text(struct arena *a, double n)
{
	return isfinite(n) ? format_count(a, (int64_t)n) : "?";
}

/* "size 64" or "batch 64, seq 128, dim 768, hidden 3072". */
static const char *shape_of(struct arena *a, const struct work_sizes *s)
{
	struct text_builder text = {.arena = a};
	for (int i = 0; i < s->n; i++)
		if (s->size[i].n > 0)
			text_add(&text, "%s%s %.0f", text_separator(&text, ", "), s->size[i].name,
				s->size[i].n);
	return text_built(&text);
}

const char *changes_in_words(struct document *d, const struct report_case *c)
{
	struct work_change change[MOST_CHANGES];
	int n = work_changes(d->arena, told_work(c), change);
	const char *list = "";
	for (int i = 0; i < n; i++)
		list = listed(d->arena, list, "; ",
			said(d, change[i].name ? "scaled.size" : "scaled.type", "name",
				change[i].name ? change[i].name : "", "asked", change[i].asked,
				"ran", change[i].ran, NULL));
	return list;
}

static void add_spec(struct document *d, const struct report_case *c)
{
	if (!c->work)
		return;
	struct arena *a = d->arena;
	const struct work_schedule *s = &c->work->schedule;
	document_say(d, BLOCK_CAPTION, "case.about", "id", c->id, "mode", c->mode, "dtype",
		dtype_name(c->work->dtype), "shape", shape_of(a, &c->work->shape), "wait",
		steps_text(a, s->wait), "warmup", steps_text(a, s->warmup), "active",
		steps_text(a, s->active), NULL);
	if (c->scaled[0])
		document_say(d, BLOCK_TEXT, "case.scaled", "text", c->scaled, NULL);
}

void add_question(struct document *d, const struct input *in, const struct report_case *c)
{
	if (c->question[0])
		document_say(d, BLOCK_TEXT, "case.question", "text", c->question, NULL)->level =
			c->n_sentences > 0;
	add_guess(d, in, c);
}

/* The numbers of the summary's row again, on one line. What limits a trace of anybody's has a line
 * of its own. */
static void add_numbers(struct document *d, const struct report_case *c)
{
	static const char *const keys[2][3] = {
		{"case.numbers.one", "case.numbers.one.foreign", "case.numbers.one.host"},
		{"case.numbers", "case.numbers.foreign", "case.numbers.host"}};
	struct case_numbers n = numbers_of(c->analysis);
	struct arena *a = d->arena;
	if (!c->work)
		add_headline(d, c);
	if (!n.n_steps || c->trace.ends_early) /* what is missing looks idle */
		return;
	int of = !c->analysis->n_device ? 2 : !c->work;
	document_say(d, BLOCK_TEXT, keys[n.n_steps > 1][of], "cpu", format_time(a, n.cpu_ns),
		"device", format_time(a, n.device_ns), "busy",
		format_share(a, c->analysis->window.busy_share), "regime", regime_word(d, c), NULL)
		->level = 1;
}

static void add_health(struct document *d, const struct report_case *c)
{
	for (size_t i = 0; i < c->trace.n_repairs; i++) {
		const char *text = repair_text(d, &c->trace.repairs[i]);
		document_say(d, BLOCK_TEXT, "case.repairs", "text", text, NULL);
	}
}

static void head_plate(struct document *d, struct block *head, const struct report_case *c)
{
	struct arena *a = d->arena;
	int broken = c->verdicts->broken, judged = c->verdicts->broken + c->verdicts->kept;
	head->verdict = OPEN;
	if (strcmp(c->status, "done") != 0) {
		head->note = said(d, "verdict.not_run", NULL);
	} else if (!c->readable) {
		head->note = said(d, "verdict.unread", NULL);
	} else if (!judged) {
		head->note = c->work ? verdict_of_none(d, c) : NULL;
	} else if (!broken) {
		head->verdict = KEPT;
		head->note = said(d, "verdict.all_kept", "n", format_count(a, judged), NULL);
	} else {
		head->verdict = BROKEN;
		head->note = said(d, "verdict.some_broken", "broken", format_count(a, broken), "n",
			format_count(a, judged), NULL);
	}
}

/* All that can be said of a trace that belongs to no run of ours. */
static void add_foreign(struct document *d, const struct input *in, const struct report_case *c)
{
	add_verdict_table(d, in, c);
	add_numbers(d, c);
	add_health_table(d, c);
	struct case_pictures pictures = add_steps_figure(d, c, true);
	add_cold_table(d, c);
	add_zoom_figure(d, c, &pictures);
	add_kernel_table(d, c);
	add_runs_figure(d, c);
	add_window_figures(d, c);
	add_memory(d, c);
	add_profiler_table(d, c);
	add_totals_table(d, c);
	add_busy_table(d, c);
	add_idle_cause_tables(d, c);
	add_launch_tables(d, c);
	add_device_tables(d, c);
	add_samples_figure(d, c);
}

/* A case that is one point of a curve: what matters is the curve, and that its kernel is the only
 * one. */
static void add_point(struct document *d, const struct input *in, const struct report_case *c,
	const char *figure, const char *key)
{
	struct arena *a = d->arena;
	add_verdict_table(d, in, c);
	if (d->course)
		d->course->add_questions_of(d, in, c);
	add_numbers(d, c);
	add_health(d, c);
	int nth = (int)(c->run - in->runs);
	if (document_lists(d, "overview"))
		document_say(d, BLOCK_TEXT, key, "place", place_of(a, figure, nth), NULL);
	add_steps_figure(d, c, false);
	add_kernel_rows(d, c, KERNELS_IN_SHORT);
}

static void add_ours(struct document *d, const struct input *in, const struct report_case *c)
{
	add_verdict_table(d, in, c);
	if (d->course)
		d->course->add_questions_of(d, in, c);
	add_numbers(d, c);
	add_health(d, c);
	struct case_pictures pictures = add_steps_figure(d, c, true);
	add_cold_table(d, c);
	add_zoom_figure(d, c, &pictures);
	add_compared(d, c);
	add_samples_figure(d, c);
	add_kernel_table(d, c);
	add_profiler_table(d, c);
	add_totals_line(d, c);
}

static void add_case(struct document *d, const struct input *in, const struct report_case *c)
{
	if (c != input_lone(in)) {
		struct block *head = document_heading(d, 1, c->place, literal(d, c->title));
		head->flows = head->detail = true;
		head_plate(d, head, c);
	}
	add_spec(d, c);
	add_question(d, NULL, c);
	const char *figure, *key;
	if (!c->readable) {
		key = strcmp(c->status, "done") ? "case.failed" : "case.unread";
		document_say(d, BLOCK_TEXT, key, "reason", c->reason, NULL);
	} else if (d->course && d->course->is_point(c, &figure, &key)) {
		add_point(d, in, c, figure, key);
	} else if (c->work) {
		add_ours(d, in, c);
	} else {
		add_foreign(d, in, c);
	}
}

/* A case that is one of many has half a page: what was predicted of it, its picture, its kernels.
 */
static void add_in_short(struct document *d, const struct input *in, const struct report_case *c)
{
	document_heading(d, 2, c->place, literal(d, c->title));
	add_question(d, NULL, c);
	if (!c->readable) {
		document_say(d, BLOCK_TEXT, "case.unread", "reason", c->reason, NULL);
		return;
	}
	add_verdict_table(d, in, c);
	add_numbers(d, c);
	add_steps_figure(d, c, false);
	add_kernel_rows(d, c, KERNELS_IN_SHORT);
}

bool case_is_in_full(const struct report_case *c)
{
	return c->run->of_matrix ? c->paged : c->run->n_cases <= MOST_IN_FULL;
}

bool case_is_shown(const struct report_case *c)
{
	return c->paged;
}

void add_more_cases(struct document *d, const struct run *run)
{
	if (run->n_cases > run->n_paged)
		document_say(d, BLOCK_TEXT, run->of_matrix ? "cases.more" : "compact.more", "n",
			format_count(d->arena, run->n_cases - run->n_paged), NULL);
}

static void add_foreign_cases(struct document *d, const struct input *in, const struct run *run)
{
	if (run->n_cases <= MOST_IN_FULL) {
		add_cases_of_run(d, in, run);
		return;
	}
	document_add(d, BLOCK_PAGE, "");
	document_say(d, BLOCK_TEXT, "compact.about", NULL);
	for (int i = 0; i < run->n_paged; i++)
		add_in_short(d, in, run->paged[i]);
	add_more_cases(d, run);
}

void add_cases_of_run(struct document *d, const struct input *in, const struct run *run)
{
	for (int i = 0; i < run->n_paged; i++)
		add_case(d, in, run->paged[i]);
}

void section_cases(struct document *d, const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++)
		if (in->runs[r].of_matrix)
			add_cases_of_run(d, in, &in->runs[r]);
		else
			add_foreign_cases(d, in, &in->runs[r]);
}
