/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "report/figure/figures.h"
#include "report/figure/waterfall.h"
#include "report/section/comparison_words.h"
#include "report/section/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIFFERENCES = 8, MOST_WORSE = 4, MOST_KERNELS = 18, PART_LETTERS = 22 };
static const double PART_LEAST = 0.002; /* of a step: smaller parts are one bar */

static void put_kpis(struct document *d, const struct pair *p)
{
	struct arena *a = d->arena;
	const struct kpi kpis[] = {
		{format_time(a, (double)p->step.before_ns), said(d, "baseline.part.before", NULL)},
		{format_time(a, (double)p->step.after_ns), said(d, "baseline.part.after", NULL)},
		{format_ratio(a, p->step.ratio), said(d, "baseline.change", NULL)}};
	struct block *b = document_add(d, BLOCK_KPIS, "");
	b->n = sizeof kpis / sizeof *kpis;
	b->kpi = memcpy(arena_array(a, (size_t)b->n, sizeof *kpis), kpis, sizeof kpis);
}

/* ---- the waterfall ---- */

struct falling {
	struct document *d;
	struct waterfall *w;
	struct waterfall_row *row;
	int64_t at_ns;
};

static void fall(struct falling *f, const char *label, int64_t by_ns, bool largest)
{
	f->row[f->w->n++] = (struct waterfall_row){
		.label = label, .from_ns = f->at_ns, .to_ns = f->at_ns + by_ns, .largest = largest};
	f->at_ns += by_ns;
}

static void add_rows(struct falling *f, const struct pair *p, const struct part_bar *bar)
{
	struct document *d = f->d;
	int64_t length = p->before.split.end_ns - p->before.split.start_ns, rest = 0;
	const struct part_bar *most = largest_bar(bar);
	f->row[f->w->n++] = (struct waterfall_row){
		.label = said(d, "baseline.part.before", NULL), .to_ns = length, .whole = true};
	f->at_ns = length;
	for (int i = 0; i < PART_BARS; i++) {
		int64_t by = bar[i].after_ns - bar[i].before_ns;
		if (by && (double)llabs(by) >= PART_LEAST * (double)length)
			fall(f, part_word(d, &bar[i]), by, &bar[i] == most);
		else
			rest += by;
	}
	if (rest)
		fall(f, said(d, "baseline.part.rest", NULL), rest, false);
	f->row[f->w->n++] = (struct waterfall_row){
		.label = said(d, "baseline.part.after", NULL), .to_ns = f->at_ns, .whole = true};
}

/* `most`: NULL where nothing differs. */
static const char *difference_shown(
	struct document *d, const struct pair *p, const struct part_bar *most)
{
	struct arena *a = d->arena;
	return said(d, most ? "baseline.parts.shows" : "baseline.parts.shows.equal", "before",
		format_time(a, (double)p->step.before_ns), "after",
		format_time(a, (double)p->step.after_ns), "part", most ? part_word(d, most) : "",
		"change", most ? signed_time(a, most->after_ns - most->before_ns) : "", NULL);
}

/* `number`: of the pair in a run, below 0 the only one. */
static void add_waterfall(struct document *d, const struct pair *p, int number)
{
	struct part_bar bar[PART_BARS];
	struct arena *a = d->arena;
	if (!pair_bars(p, bar)) {
		document_say(d, BLOCK_TEXT, "baseline.no_parts", NULL);
		return;
	}
	struct waterfall *w = arena_alloc(a, sizeof *w);
	struct falling f = {.d = d, .w = w};
	w->row = f.row = arena_array(a, PART_BARS + 3, sizeof *f.row);
	w->texts = d->texts;
	w->fonts = d->fonts;
	add_rows(&f, p, bar);
	waterfall_plan(w, document_width);
	document_say(d, BLOCK_CAPTION,
		p->after.whole ? "baseline.parts.whole" : "baseline.parts.about", NULL)
		->level = 1;
	struct figure *picture = figure_add(d, &waterfall_figure,
		number < 0 ? "baseline-parts" : arena_printf(a, "baseline-parts-%d", number + 1),
		said(d, "baseline.parts.alt", NULL), w);
	document_shows(d, picture, difference_shown(d, p, largest_bar(bar)));
}

/* ---- tables ---- */

static void put_measure(struct rows *t, const char *key, const struct ratio *r)
{
	struct arena *a = t->d->arena;
	if (!(r->ratio > 0))
		return;
	put_said(t, key);
	put_time(t, (double)r->before_ns);
	put_time(t, (double)r->after_ns);
	put_change(t, r);
	put(t,
		r->level > 0 ? arena_printf(a, "%s – %s, %s", format_ratio(a, r->low),
				       format_ratio(a, r->high), format_share(a, r->level))
			     : "–");
	put(t, arena_printf(a, "%zu, %zu", r->n_before, r->n_after));
}

static void add_measures(struct document *d, const struct pair *p)
{
	static const struct table_form form = {
		.column = {{"baseline.measure", .weight = 1}, {"baseline.before", COLUMN_NUMBER},
			{"baseline.after", COLUMN_NUMBER}, {"baseline.change", COLUMN_VERDICT},
			{"baseline.range", COLUMN_NUMBER}, {"baseline.samples", COLUMN_NUMBER}}};
	document_heading(d, 2, NULL, said(d, "baseline.measures", NULL));
	struct rows t = measures_begin(d, p, &form);
	put_measure(&t, "baseline.measure.recorded", &p->recorded);
	if (p->unrecorded.level > 0)
		put_measure(&t, "baseline.measure.unrecorded", &p->unrecorded);
	put_measure(&t, "baseline.measure.cpu", &p->cpu);
	put_measure(&t, "baseline.measure.device", &p->device);
}

static void put_kernel(struct rows *t, const struct compared_kernel *k)
{
	struct document *d = t->d;
	struct arena *a = d->arena;
	const char *now = k->n_parts ? short_name(d, k->name, PART_LETTERS)
				     : event_name(d, k->name),
		   *parts = "";
	for (int i = 0; i < k->n_parts; i++)
		parts = listed(a, parts, ", ", short_name(d, k->part[i], PART_LETTERS));
	put(t,
		k->n_parts ? said(d, arena_printf(a, "baseline.kernel.%s", fate_name(k->fate)),
				     "name", now, "parts", parts, NULL)
			: k->was ? said(d, "baseline.kernel.was", "now", now, "was",
					   event_name(d, k->was), NULL)
				 : now);
	put(t, literal(d, k->op));
	put(t, k->fate == FATE_SAME ? "" : said_by(d, "fate.%s", fate_name(k->fate)));
	put(t,
		k->calls_before == k->calls_after
			? arena_printf(a, "%g", k->calls_after)
			: arena_printf(a, "%.3g → %.3g", k->calls_before, k->calls_after));
	put(t, k->before_ns ? format_time(a, (double)k->before_ns) : "–");
	put(t, k->after_ns ? format_time(a, (double)k->after_ns) : "–");
	put(t, signed_time(a, k->after_ns - k->before_ns));
	put_change(t, &k->time);
}

static void add_kernels(struct document *d, const struct pair *p)
{
	static const struct table_form form = {
		.column = {{"baseline.kernel", COLUMN_CODE, .weight = 3, .max_lines = 3},
			{"baseline.kernel.operator", COLUMN_CODE, .weight = 1, .max_lines = 2},
			{"baseline.kernel.state"}, {"baseline.kernel.calls", COLUMN_NUMBER},
			{"baseline.before", COLUMN_NUMBER}, {"baseline.after", COLUMN_NUMBER},
			{"baseline.kernel.difference", COLUMN_NUMBER},
			{"baseline.change", COLUMN_VERDICT}}};
	const char *least = format_share(d->arena, KERNEL_LEAST);
	document_heading(d, 2, NULL, said(d, "baseline.kernels", NULL));
	size_t n = 0;
	for (size_t i = 0; i < p->n_kernels; i++)
		n += kernel_matters(p, &p->kernel[i]);
	document_say(d, BLOCK_CAPTION, n ? "baseline.kernels.about" : "baseline.kernels.none",
		"least", least, "unit", change_unit(d, p), NULL)
		->level = n > 0;
	if (!n)
		return;
	struct rows t = rows_begin(d, &form, 0);
	for (size_t i = 0; i < p->n_kernels && t.table->n_rows < MOST_KERNELS; i++)
		if (kernel_matters(p, &p->kernel[i]))
			put_kernel(&t, &p->kernel[i]);
	if (n > MOST_KERNELS)
		document_say(d, BLOCK_CAPTION, "baseline.kernels.more", "n",
			format_count(d->arena, (int64_t)n - MOST_KERNELS), NULL);
}

/* ---- pages ---- */

static void add_text(struct document *d, const char *text)
{
	if (*text)
		document_add(d, BLOCK_TEXT, text);
}

static void add_pair(struct document *d, const struct input *in, const struct pair *p)
{
	add_differences(d, p, MOST_DIFFERENCES);
	add_text(d, change_alone(d, in->comparison));
	struct block *verdict = document_add(d, BLOCK_HEADING, change_headline(d, p));
	verdict->level = 2;
	if (p->identical)
		return;
	if (!pair_is_unlike(p))
		put_kpis(d, p);
	add_text(d, change_gain(d, p));
	add_text(d, change_certainty(d, p));
	add_text(d, change_weight(d, p));
	if (pair_change(p) == CHANGE_SLOWER)
		add_worse_kernels(d, p, MOST_WORSE);
	add_changes(d, in, p);
	if (!pair_is_unlike(p)) {
		document_heading(d, 2, NULL, said(d, "baseline.parts", NULL));
		add_waterfall(d, p, -1);
		add_measures(d, p);
	}
	add_kernels(d, p);
	add_pair_timelines(d, p);
}

/* Pairs that became slower or faster, or whose findings or predictions changed, the slower ones
 * first. */
static void add_told(struct document *d, const struct input *in, const struct comparison *all)
{
	enum { MOST_TOLD = 8 };
	static const enum change order[] = {
		CHANGE_SLOWER, CHANGE_FASTER, CHANGE_INCONCLUSIVE, CHANGE_SAME};
	int left = MOST_TOLD;
	for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
		bool told = order[k] == CHANGE_SLOWER || order[k] == CHANGE_FASTER;
		for (int i = 0; i < all->n && left; i++) {
			const struct pair *p = &all->pair[i];
			if (pair_change(p) != order[k] ||
				!(told || p->n_came || p->n_went || p->n_broke))
				continue;
			const struct report_case *c = p->after.recording[p->after.main];
			document_heading(
				d, 2, NULL, d->has_cases ? case_link(d, c) : literal(d, c->title));
			add_worse_kernels(d, p, MOST_WORSE);
			add_changes(d, in, p);
			if (told && p->step.change == order[k])
				add_waterfall(d, p, i);
			left--;
		}
	}
}

static void add_run(struct document *d, const struct input *in, const struct comparison *all)
{
	struct arena *a = d->arena;
	if (all->identical) {
		document_say(d, BLOCK_TEXT, "baseline.identical", NULL);
		return;
	}
	add_differences(d, &all->pair[0], MOST_DIFFERENCES);
	document_say(d, BLOCK_TEXT, "baseline.about", "n", format_count(a, all->n), "counts",
		change_counts(d, all), NULL);
	add_text(d, certainty_of_all(d, all));
	add_text(d, change_alone(d, all));
	add_pairs(d, all, 0, all->n);
	add_told(d, in, all);
}

void section_baseline(struct document *d, const struct input *in)
{
	const struct comparison *all = in->comparison;
	if (!all)
		return;
	const struct pair *p = lone_pair(in);
	if (p && !document_lists(d, "summary")) {
		struct block *b = document_say(d, BLOCK_TITLE, "baseline.title", NULL);
		document_place(d, b, "baseline");
		b->note = said(d, "baseline.note", "before",
			p->before.recording[p->before.main]->title, "after",
			p->after.recording[p->after.main]->title, NULL);
	} else
		document_heading(d, 1, "baseline", said(d, "baseline.title", NULL));
	if (!document_lists(d, "summary"))
		add_unread_rest(d, in);
	add_unread_rest(d, in->base);
	if (p)
		add_pair(d, in, p);
	else
		add_run(d, in, all);
}
