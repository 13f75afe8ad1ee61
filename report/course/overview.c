/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/parts.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/course/addition_costs.h"
#include "report/course/backends.h"
#include "report/course/bandwidth.h"
#include "report/course/book_first_page.h"
#include "report/course/case_work.h"
#include "report/course/chapters.h"
#include "report/course/drill.h"
#include "report/course/roofline.h"
#include "report/figure/figures.h"
#include "report/figure/launch_delays.h"
#include "report/figure/step_time.h"
#include "report/name/shorten.h"
#include "report/run/manifest.h"
#include "report/run/place_names.h"
#include "report/run/recorded_elsewhere.h"
#include "report/section/parts.h"
#include "report/section/picture_words.h"

#include <math.h>
#include <string.h>

uint32_t step_on_one_clock(const struct analysis *a)
{
	enum { SHARE = 10 };
	uint32_t best = step_to_show(a);
	const struct step *s = &a->steps[best], *first = &a->steps[0];
	bool cold = first->setup_ns * SHARE >= first->dur_ns;
	bool late = s->n_device && step_turn_ns(a, s) != s->start_ns;
	bool free = first->n_device && step_turn_ns(a, first) == first->start_ns;
	return late && free && !cold ? 0 : best;
}

enum { MOST_BARS = 8 };

static const char *figure_id(struct document *d, int nth, const char *name)
{
	return place_of(d->arena, arena_printf(d->arena, "overview-%s", name), nth);
}

/* ---- launch latency ---- */

/* How many waited for earlier work, and what the others tell. */
static const char *waits_of(struct document *d, const struct delay_plot *s)
{
	struct arena *a = d->arena;
	const char *queued = "", *others = "";
	if (s->queued)
		queued = said(d, "delays.queued", "queued", format_count(a, (int64_t)s->queued),
			"events", format_count(a, (int64_t)s->events), NULL);
	if (s->queued < s->events)
		others = said(d, s->free_ns > 0 ? "delays.free" : "delays.free.early", "free",
			format_time(a, s->free_ns), "n",
			format_count(a, (int64_t)(s->events - s->queued)), NULL);
	return arena_printf(a, "%s%s", queued, others);
}

static void add_strips(struct document *d, const struct run *run, int nth)
{
	struct arena *a = d->arena;
	struct delay_plot *s = arena_alloc(a, sizeof *s);
	*s = (struct delay_plot){.texts = d->texts, .fonts = d->fonts};
	if (!delay_plot_find(s, a, run))
		return;
	const struct delay_row *low = &s->row[0], *high = low;
	for (int i = 0; i < s->n; i++) {
		low = s->row[i].median_ns < low->median_ns ? &s->row[i] : low;
		high = s->row[i].median_ns > high->median_ns ? &s->row[i] : high;
	}
	delay_plot_plan(s, document_width);
	document_heading(d, 2, NULL, said(d, "delays.title", NULL));
	const char *finding = said(d, "delays.finding", "low", low->title, "low_time",
		format_time(a, low->median_ns), "high", high->title, "high_time",
		format_time(a, high->median_ns), "waits", waits_of(d, s), NULL);
	document_add(d, BLOCK_TEXT, finding)->level = 1;
	struct figure *f = figure_add(d, &delays_figure, figure_id(d, nth, "latency"),
		said(d, "delays.alt", "n", format_count(a, s->n), NULL), s);
	document_shows(d, f, finding);
	const char *early = s->early
		? said(d, "delays.caption.early", "n", format_count(a, (int64_t)s->early), NULL)
		: "";
	document_say(d, BLOCK_CAPTION, "delays.caption", "events",
		format_count(a, (int64_t)s->events), "early", early, "left_out",
		s->left_out ? said(d, "roofline.more", "n", format_count(a, s->left_out), NULL)
			    : "",
		NULL);
}

/* ---- bandwidth over the width of a row ---- */

/* "square, fp32: 1.2 GB/s at a width of 64, most 40 GB/s at 4096, 9 GB/s at 65536." */
static const char *curve_in_words(struct document *d, const struct width_series *s)
{
	struct arena *a = d->arena;
	const struct width_point *first = &s->point[0], *last = &s->point[s->n - 1], *best = first;
	for (int i = 0; i < s->n; i++)
		best = s->point[i].median > best->median ? &s->point[i] : best;
	const char *key = best == last ? "bandwidth.finding.rises"
		: best == first	       ? "bandwidth.finding.falls"
				       : "bandwidth.finding";
	return said(d, key, "title", s->title, "first", format_si(a, first->median, "B/s"),
		"first_width", format_count(a, (int64_t)first->width), "best",
		format_si(a, best->median, "B/s"), "best_width",
		format_count(a, (int64_t)best->width), "last", format_si(a, last->median, "B/s"),
		"last_width", format_count(a, (int64_t)last->width), NULL);
}

/* Is the memory's own rate reached at last? Of the first curve, which is of the run's cases. */
static const char *of_copy_in_words(struct document *d, const struct bandwidth_plot *w)
{
	const struct width_series *s = &w->series[0];
	if (!(w->copy_rate > 0) || s->measured_apart)
		return "";
	return said(d, "bandwidth.of_memory", "title", s->title, "share",
		format_share(d->arena, s->point[s->n - 1].median / w->copy_rate), NULL);
}

static void add_widths(struct document *d, const struct run *run, int nth)
{
	struct arena *a = d->arena;
	struct bandwidth_plot *w = arena_alloc(a, sizeof *w);
	*w = (struct bandwidth_plot){.texts = d->texts, .fonts = d->fonts};
	if (!bandwidth_plot_find(w, a, run))
		return;
	document_heading(d, 2, figure_id(d, nth, "widths"), said(d, "bandwidth.title", NULL));
	struct text_builder list = {.arena = a};
	bool apart = false;
	for (int i = 0; i < w->n; i++) {
		apart = apart || w->series[i].measured_apart;
		if (!w->series[i].measured_apart || !document_lists(d, "chapters"))
			text_add(&list, "%s ", curve_in_words(d, &w->series[i]));
	}
	text_add(&list, "%s", of_copy_in_words(d, w));
	const char *finding = text_built(&list);
	document_add(d, BLOCK_TEXT, finding)->level = 1;
	bandwidth_plot_plan(w, document_width);
	struct figure *f = figure_add(d, &bandwidth_figure, figure_id(d, nth, "widths"),
		said(d, "bandwidth.alt", "n", format_count(a, w->n), NULL), w);
	document_shows(d, f, finding);
	const char *copy = w->copy_rate > 0
		? said(d, "bandwidth.caption.copy", "bytes", format_si(a, w->copy_bytes, "B"), NULL)
		: said(d, "bandwidth.caption.no_copy", NULL);
	document_say(d, BLOCK_CAPTION, "bandwidth.caption", "copy", copy, "apart",
		apart ? said(d, "bandwidth.caption.apart", NULL) : "", "others",
		w->n > 1 ? said(d, "bandwidth.caption.others", NULL) : "", "left_out",
		w->left_out ? said(d, "bandwidth.caption.left_out", "n",
				      format_count(a, w->left_out), NULL)
			    : "",
		NULL);
}

/* ---- where a step's time goes ---- */

enum { MOST_STACKS = 48 };

/* They share one legend, so none is planned before the last is known. */
struct stacks {
	struct step_bars *stack[MOST_STACKS]; /* (n) */
	const char *id[MOST_STACKS];
	int n;
	struct step_bars_key *key;
};

static struct step_bars *new_stack(struct document *d, const struct stacks *all, const char *title)
{
	struct step_bars *s = arena_alloc(d->arena, sizeof *s);
	*s = (struct step_bars){.texts = d->texts,
		.fonts = d->fonts,
		.title = title,
		.key = all->key,
		.row = arena_array(d->arena, MOST_BARS, sizeof *s->row)};
	return s;
}

static void keep_stack(struct stacks *all, struct step_bars *s, const char *id)
{
	if (!s->n || all->n == MOST_STACKS)
		return;
	step_bars_count(s);
	all->stack[all->n] = s;
	all->id[all->n++] = id;
}

static void add_row(struct document *d, struct step_bars *s, const struct report_case *c,
	uint32_t step, const char *note)
{
	if (s->n == MOST_BARS) {
		s->left_out++;
		return;
	}
	s->row[s->n++] = (struct step_bars_row){.title = case_label(d->arena, c),
		.note = note,
		.split = split_step(c->analysis, &c->analysis->steps[step])};
}

/* Words a step by its number and what is special about it: "step 0, the first". */
static const char *step_note(
	struct document *d, const struct report_case *c, uint32_t step, const char *key)
{
	return said(d, key, "n", format_count(d->arena, c->analysis->steps[step].number), NULL);
}

static void add_stack_figure(struct document *d, struct step_bars *s, const char *id)
{
	if (s->left_out)
		s->title = said(d, "step_bars.more", "title", s->title, "n",
			format_count(d->arena, s->left_out), NULL);
	step_bars_plan(s, d->arena, document_width);
	struct figure *f = figure_add(
		d, &step_time_figure, id, said(d, "step_bars.alt", "title", s->title, NULL), s);
	f->legend = s->key;
	document_shows(d, f, bars_shown(d, s));
}

/* The first step beside a typical one. */
static void add_cold(struct document *d, struct stacks *all, const struct run *run, int nth)
{
	struct step_bars *s = new_stack(d, all, said(d, "step_bars.cold", NULL));
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!starts_cold(c))
			continue;
		uint32_t typical = numbers_of(c->analysis).typical;
		add_row(d, s, c, 0, step_note(d, c, 0, "step_bars.step.first"));
		add_row(d, s, c, typical, step_note(d, c, typical, "step_bars.step"));
	}
	keep_stack(all, s, figure_id(d, nth, "time-cold"));
}

static void add_comparison(struct document *d, struct stacks *all, const struct input *in,
	const struct run *run, const struct run_comparison *of, int nth)
{
	if (!of->id)
		return;
	struct step_bars *s = new_stack(d, all, comparison_title(d->arena, in, run, of));
	for (int i = 0; i < of->n; i++) {
		const struct report_case *c = input_find(in, run, of->cases[i]);
		if (c && c->analysis->n_steps) {
			uint32_t step = step_on_one_clock(c->analysis);
			add_row(d, s, c, step, step_note(d, c, step, "step_bars.step"));
		}
	}
	if (s->n > 1)
		keep_stack(all, s, figure_id(d, nth, arena_printf(d->arena, "time-%s", of->id)));
}

/* ---- the pair of the first page ---- */

static void add_pair_rows(
	struct document *d, struct step_bars *s, const struct input *in, const char *where)
{
	const cJSON *id;
	cJSON_ArrayForEach(id, config_find(texts_data(d->texts, "chapters"), "pair"))
	{
		const struct report_case *c =
			cJSON_IsString(id) ? input_find(in, &in->runs[0], id->valuestring) : NULL;
		if (!c || !c->analysis->n_steps || !c->analysis->n_device)
			continue;
		uint32_t step = step_on_one_clock(c->analysis);
		bool first = step < steady_from(c->analysis);
		add_row(d, s, c, step,
			said(d, first ? "front.pair.row.first" : "front.pair.row", "where", where,
				"n", format_count(d->arena, c->analysis->steps[step].number),
				NULL));
	}
}

/* Does the device wait for most of the first, small step of the pair? */
static bool small_step_waits(struct document *d, const struct input *in)
{
	const char *id = cJSON_GetStringValue(
		cJSON_GetArrayItem(config_find(texts_data(d->texts, "chapters"), "pair"), 0));
	const struct report_case *c = id ? input_find(in, &in->runs[0], id) : NULL;
	return c && c->analysis->regime.regime == REGIME_OVERHEAD_BOUND;
}

static const char *lesson(struct document *d, const struct input *in)
{
	const struct input *there = d->parts ? &in->recorded->input[0] : NULL;
	if (small_step_waits(d, in))
		return said(d, "front.lesson.waits", NULL);
	if (there && small_step_waits(d, there))
		return said(
			d, "front.lesson.there", "device", recorded_device(&there->runs[0]), NULL);
	return said(d, "front.lesson.busy", NULL);
}

void add_pair(struct document *d, const struct input *in)
{
	struct stacks all = {.key = arena_alloc(d->arena, sizeof *all.key)};
	struct step_bars *s = new_stack(d, &all, said(d, "front.pair", NULL));
	add_pair_rows(d, s, in, said(d, "front.pair.here", NULL));
	if (s->n < 2)
		return;
	if (d->parts)
		add_pair_rows(d, s, &in->recorded->input[0],
			recorded_device(&in->recorded->input[0].runs[0]));
	keep_stack(&all, s, "front-pair");
	add_stack_figure(d, s, "front-pair");
	document_say(d, BLOCK_CAPTION,
		d->parts ? "front.pair.caption.recorded" : "front.pair.caption", "lesson",
		lesson(d, in), "label",
		d->parts ? recorded_label(d, &in->recorded->input[0].runs[0]) : "", NULL);
}

static bool anything_to_compare(const struct run *run)
{
	for (int i = 0; i < run->n_cases; i++)
		if (run->cases[i].readable && run->cases[i].analysis->n_steps)
			return true;
	return false;
}

static void add_stacks(struct document *d, const struct input *in, const struct run *run, int nth)
{
	if (!anything_to_compare(run))
		return;
	document_heading(d, 2, NULL, said(d, "step_bars.heading", NULL));
	document_say(d, BLOCK_TEXT, "step_bars.about", NULL)->level = 1;
	struct stacks all = {.key = arena_alloc(d->arena, sizeof *all.key)};
	add_cold(d, &all, run, nth);
	for (int i = 0; i < run->comparisons->n; i++)
		add_comparison(d, &all, in, run, &run->comparisons->of[i], nth);
	for (int i = 0; i < all.n; i++)
		add_stack_figure(d, all.stack[i], all.id[i]);
}

/* ---- bytes, and the end ---- */

/* 0: the run has no roofline. */
static double memory_of(struct document *d, const struct run *run)
{
	struct roofline r = {0};
	return roofline_find(&r, d->arena, run) ? roofline_memory(&r) : 0;
}

/* Of a run, or NULL where it adds no matrix in several ways. */
static struct addition_costs *costs_of(struct document *d, const struct run *run, double bandwidth)
{
	struct addition_costs *l = arena_alloc(d->arena, sizeof *l);
	*l = (struct addition_costs){.texts = d->texts, .fonts = d->fonts, .bandwidth = bandwidth};
	return addition_costs_find(l, d->arena, run) ? l : NULL;
}

/* Beside it the same matrix on the machine that was recorded, NULL: alone. */
static void add_addition_costs(struct document *d, const struct run *run, int nth, double bandwidth,
	const struct run *recorded)
{
	struct arena *a = d->arena;
	struct addition_costs *l = costs_of(d, run, bandwidth);
	if (!l)
		return;
	const struct addition_costs *o =
		recorded ? costs_of(d, recorded, memory_of(d, recorded)) : NULL;
	if (o && o->m == l->m && o->n == l->n && o->element_bytes == l->element_bytes) {
		l->beside = o;
		l->machine = recorded_device(recorded);
	}
	const char *matrix = format_si(a, l->m * l->n * l->element_bytes, "B");
	document_heading(d, 2, NULL, said(d, "additions.title", NULL));
	const char *about = said(d, "additions.about", "m", format_count(a, (int64_t)l->m), "n",
		format_count(a, (int64_t)l->n), "dtype", dtype_name(l->dtype), "matrix", matrix,
		"add", format_si(a, l->cost[ADD_KERNEL].bytes, "B"), "copy",
		format_si(a, l->cost[ADD_COPY].bytes, "B"), "epilogue",
		format_si(a, l->cost[ADD_EPILOGUE].bytes, "B"), "row",
		format_si(a, l->cost[ADD_BIAS].bytes, "B"), NULL);
	document_add(d, BLOCK_TEXT, about)->level = 1;
	struct figure *f = figure_add(d, &additions_figure, figure_id(d, nth, "bytes"),
		said(d, "additions.alt", NULL), l);
	document_shows(d, f, about);
	document_say(d, BLOCK_CAPTION, "additions.caption", NULL);
}

void add_run_picture(
	struct document *d, const struct input *in, const struct run *run, const cJSON *picture)
{
	const char *name = config_words(picture, "run");
	int nth = (int)(run - in->runs);
	if (!strcmp(name, "roofline"))
		add_roofline(d, in, run, figure_id(d, nth, "roofline"),
			config_words(picture, "without"));
	else if (!strcmp(name, "latency"))
		add_strips(d, run, nth);
	else if (!strcmp(name, "widths"))
		add_widths(d, run, nth);
	else if (!strcmp(name, "bytes") && !d->label) /* one picture for both machines */
		add_addition_costs(d, run, nth, memory_of(d, run),
			d->parts ? &in->recorded->input[0].runs[0] : NULL);
	else if (!strcmp(name, "crossover"))
		add_crossover(d, run, figure_id(d, nth, "crossover"), NULL);
	else if (!strcmp(name, "closing") && !d->label) /* one table for both machines */
		add_closing_table(d, run, d->parts ? &in->recorded->input[0] : NULL);
	else if (!strcmp(name, "backends"))
		add_backends_table(d, run);
	else if (!strcmp(name, "advice"))
		add_advice_table(d, run, "block");
	else if (!strcmp(name, "parts"))
		add_step_parts(d, run, "block");
}

void section_overview(struct document *d, const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		if (!run->of_matrix || !anything_to_compare(run))
			continue;
		document_heading(
			d, 1, place_of(d->arena, "overview", r), said(d, "overview.title", NULL))
			->flows = true;
		const char *crossover = figure_id(d, r, "crossover");
		if (!document_has_place(d, crossover))
			add_crossover(d, run, crossover, NULL);
		double bandwidth = add_roofline(d, in, run, figure_id(d, r, "roofline"), "");
		add_addition_costs(d, run, r, bandwidth, NULL);
		add_strips(d, run, r);
		add_widths(d, run, r);
		add_stacks(d, in, run, r);
		add_closing_table(d, run, NULL);
	}
}
