/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/answer/sure.h"
#include "report/compare/compare.h"
#include "report/figure/figures.h"
#include "report/figure/step_time.h"
#include "report/figure/work.h"
#include "report/section/chapters.h"
#include "report/section/parts.h"

#include <math.h>
#include <string.h>

enum { MOST_SIDES = 8, ARROWS = 40 };
enum { GAP = 6, WHOLE = 2 }; /* below a panel, points; panels that stay on one page */
static const double WAITS = 0.2; /* of a step: the device waiting is what its picture shows */
static const double LONGER = 1.1; /* than its step: a picture that needs a word why */
static const double TINY = 12; /* times wider: the narrow one cannot be read on the common scale */

struct side {
	const struct report_case *c;
	const char *name; /* in its title; NULL: the case's */
	const struct step *step;
	struct case_numbers n;
	struct sure_ratio sure[2]; /* to the first side: the CPU's, the device's */
	int64_t from_ns, span_ns; /* what is drawn of it */
	const uint8_t *differs; /* (trace.n) device work to mark; NULL: none */
	bool queued; /* the device part alone: it began after the host part was over */
};

struct beside {
	struct side side[MOST_SIDES];
	int n;
	const char *which; /* key of the words for which steps are drawn */
	const char *missing; /* titles of cases that have no trace */
	const char *left_out; /* links to those for which there is no room */
};

static void show_step(struct side *s, uint32_t step, bool whole)
{
	const struct analysis *an = s->c->analysis;
	s->step = &an->steps[step];
	int64_t turn = whole || !s->step->n_device ? 0 : step_turn_ns(an, s->step);
	s->queued = turn > s->step->start_ns + s->step->dur_ns;
	s->from_ns = s->queued ? turn : s->step->start_ns;
	s->span_ns = step_end_ns(s->step) - s->from_ns;
}

/* Cold starts are compared by their first steps, all others by step_to_show. */
static void choose_steps(struct beside *cmp)
{
	bool cold = false, other = false;
	for (int i = 0; i < cmp->n; i++)
		cold = cold || starts_cold(cmp->side[i].c);
	for (int i = 0; i < cmp->n; i++) {
		struct side *s = &cmp->side[i];
		uint32_t step = cold ? 0 : step_to_show(s->c->analysis);
		other = other || step != s->n.typical;
		show_step(s, step, cold);
	}
	cmp->which = cold ? "compare.which.cold"
		: other	  ? "compare.which.first"
			  : "compare.which.typical";
}

static void collect_sides(struct document *d, const struct input *in, const struct run *run,
	const struct run_comparison *of, struct beside *cmp)
{
	cmp->missing = cmp->left_out = "";
	for (int i = 0; i < of->n; i++) {
		const struct report_case *c = input_find(in, run, of->cases[i]);
		if (!c || !c->analysis->n_steps) {
			cmp->missing = listed(d->arena, cmp->missing, ", ", of->cases[i]);
			continue;
		}
		if (cmp->n == MOST_SIDES) {
			cmp->left_out = listed(d->arena, cmp->left_out, ", ", case_link(d, c));
			continue;
		}
		cmp->side[cmp->n++] = (struct side){.c = c, .n = numbers_of(c->analysis)};
	}
	choose_steps(cmp);
}

static const char *value_cpu(struct document *d, const struct beside *cmp, int i)
{
	return format_time(d->arena, cmp->side[i].n.cpu_ns);
}

static const char *value_device(struct document *d, const struct beside *cmp, int i)
{
	return format_time(d->arena, cmp->side[i].n.device_ns);
}

static const char *value_window(struct document *d, const struct beside *cmp, int i)
{
	return format_share(d->arena, cmp->side[i].c->analysis->window.busy_share);
}

static const char *value_kernels(struct document *d, const struct beside *cmp, int i)
{
	return kernels_and_copies(d->arena, &cmp->side[i].n);
}

static const char *value_launches(struct document *d, const struct beside *cmp, int i)
{
	return arena_printf(d->arena, "%g", cmp->side[i].n.launches);
}

static const char *value_bytes(struct document *d, const struct beside *cmp, int i)
{
	const struct analysis *a = cmp->side[i].c->analysis;
	double bytes = step_bytes(cmp->side[i].c, &a->steps[steady_from(a)]);
	return isfinite(bytes) ? format_si(d->arena, bytes, "B") : "–";
}

static const char *value_ops(struct document *d, const struct beside *cmp, int i)
{
	return format_count(d->arena, cmp->side[i].n.ops);
}

static const char *value_compiled(struct document *d, const struct beside *cmp, int i)
{
	return format_count(d->arena, cmp->side[i].n.compile_rows);
}

static const char *value_first(struct document *d, const struct beside *cmp, int i)
{
	double ratio = cmp->side[i].n.first_ratio;
	return ratio > 0 ? format_ratio(d->arena, ratio) : "–";
}

static const char *value_regime(struct document *d, const struct beside *cmp, int i)
{
	return regime_word(d, cmp->side[i].c);
}

/* The first side's names; of the others, whether they are the same, or in what they differ. */
static const char *value_gemms(struct document *d, const struct beside *cmp, int i)
{
	enum { MOST_PARTS = 4 };
	const char *names = gemms_of_case(d, cmp->side[i].c);
	const char *difference =
		i ? gemm_difference(d, cmp->side[0].c, cmp->side[i].c, MOST_PARTS) : NULL;
	if (!difference)
		return names;
	if (!difference[0])
		return said(d, "compare.gemm.same", NULL);
	return said(d, "compare.gemm.other", "names", names, "difference", difference, NULL);
}

static const struct row {
	const char *key;
	const char *(*value)(struct document *d, const struct beside *cmp, int i);
	bool device; /* value is NULL: which ratio to the first side */
} rows[] = {
	{"compare.cpu", value_cpu, false},
	{"compare.cpu.ratio", NULL, false},
	{"compare.device", value_device, false},
	{"compare.device.ratio", NULL, true},
	{"compare.window", value_window, false},
	{"compare.kernels", value_kernels, false},
	{"compare.launches", value_launches, false},
	{"compare.bytes", value_bytes, false},
	{"compare.ops", value_ops, false},
	{"compare.compiled", value_compiled, false},
	{"compare.first", value_first, false},
	{"compare.regime", value_regime, false},
	{"compare.gemm", value_gemms, false},
};

static const char *cell_text(
	struct document *d, const struct beside *cmp, int i, const struct row *r)
{
	if (r->value)
		return r->value(d, cmp, i);
	return i ? sure_text(d->texts, d->arena, &cmp->side[i].sure[r->device]) : "–";
}

static void add_table(struct document *d, struct beside *cmp)
{
	enum { ROWS = sizeof rows / sizeof *rows, MANY = 5 };
	struct arena *a = d->arena;
	const char *value[ROWS][MOST_SIDES];
	const struct row *row[ROWS];
	int n_rows = 0;
	for (int i = 1; i < cmp->n; i++)
		for (int k = 0; k < 2; k++)
			cmp->side[i].sure[k] = case_ratio(a, cmp->side[i].c, cmp->side[0].c, k > 0);
	for (int r = 0; r < ROWS; r++) {
		bool any = false;
		for (int i = 0; i < cmp->n; i++) {
			value[n_rows][i] = cell_text(d, cmp, i, &rows[r]);
			any = any || strcmp(value[n_rows][i], "–") != 0;
		}
		row[n_rows] = &rows[r];
		n_rows += any;
	}
	struct column *col = arena_array(a, (size_t)cmp->n + 1, sizeof *col);
	col[0] = (struct column){.title = said(d, "compare.metric", NULL), .kind = COLUMN_TEXT};
	for (int i = 0; i < cmp->n; i++)
		col[i + 1] = (struct column){
			.kind = COLUMN_NUMBER, .weight = 1, .title = case_link(d, cmp->side[i].c)};
	col[0].weight = cmp->n >= MANY ? 2 : 0;
	struct table *t = document_table(d, col, cmp->n + 1, n_rows);
	for (int r = 0; r < n_rows; r++) {
		table_cell(t, r, 0)->text = said(d, row[r]->key, NULL);
		for (int i = 0; i < cmp->n; i++) {
			struct cell *cell = table_cell(t, r, i + 1);
			cell->text = value[r][i];
			cell->faint = i && !row[r]->value &&
				sure_is_noise(&cmp->side[i].sure[row[r]->device]);
		}
	}
}

/* "asked size 4096, ran 2048: the ..." up to the colon. */
static const char *ran_as(struct arena *a, const char *scaled)
{
	return arena_strndup(a, scaled, strcspn(scaled, ":"));
}

static const char *panel_title(struct document *d, const struct side *s)
{
	struct arena *a = d->arena;
	const char *scaled = case_scaled_untold(s->c)
		? said(d, "compare.panel.scaled", "scaled", ran_as(a, s->c->scaled), NULL)
		: "";
	struct step_split split = split_step(s->c->analysis, s->step);
	double idle = split.device_ns ? (double)split.idle_ns / (double)split.device_ns : 0;
	const char *key = s->queued ? "compare.panel.queued"
		: !split.device_ns  ? "compare.panel"
		: idle >= WAITS	    ? "compare.panel.idle"
				    : "compare.panel.busy";
	return said(d, key, "title", s->name ? s->name : s->c->title, "scaled", scaled, "n",
		format_count(a, s->step->number), "time", format_time(a, (double)s->span_ns),
		"idle", format_share(a, idle), "cpu", format_time(a, (double)s->step->dur_ns),
		"median", format_time(a, s->n.device_ns), NULL);
}

static struct timeline *panel(
	struct document *d, const struct side *s, int64_t span, bool axis, bool last)
{
	struct arena *a = d->arena;
	struct timeline *tl = arena_alloc(a, sizeof *tl);
	int64_t end = s->from_ns + s->span_ns;
	*tl = (struct timeline){.trace = &s->c->trace,
		.analysis = s->c->analysis,
		.texts = d->texts,
		.fonts = d->fonts,
		.from_ns = s->from_ns,
		.to_ns = s->from_ns + span,
		.shown_to_ns = end,
		.host_to_ns = s->queued ? end : s->step->start_ns + s->step->dur_ns,
		.most_arrows = ARROWS,
		.differs = s->differs,
		.no_axis = !axis,
		.legend = last,
		.title = panel_title(d, s)};
	timeline_plan(tl, a, document_width);
	return tl;
}

/* "12 of 15 events drawn", over the panels of a stack. */
static const char *drawn_of(struct document *d, const struct timelines *s)
{
	int64_t drawn = 0, events = 0;
	for (int i = 0; i < s->n; i++) {
		drawn += timeline_count(s->tl[i]).drawn;
		events += s->tl[i]->events;
	}
	return said(d, "compare.drawn", "drawn", format_count(d->arena, drawn), "events",
		format_count(d->arena, events), NULL);
}

/* With span 0 each panel has its own scale. Returns in words how much of the stack is drawn. */
static const char *add_stack(
	struct document *d, const struct beside *cmp, int64_t span, const char *id, const char *alt)
{
	struct timelines *s = arena_alloc(d->arena, sizeof *s);
	s->tl = arena_array(d->arena, (size_t)cmp->n, sizeof *s->tl);
	s->height = arena_array(d->arena, (size_t)cmp->n, sizeof *s->height);
	uint32_t kinds = 0;
	bool cut = cmp->n > WHOLE;
	for (int i = 0; i < cmp->n; i++) {
		int64_t own = cmp->side[i].span_ns + cmp->side[i].span_ns / 40 + 1;
		bool last = i + 1 == cmp->n && !document_lists(d, "reading");
		struct timeline *tl =
			panel(d, &cmp->side[i], span ? span : own, !span || !i || cut, last);
		kinds |= tl->kinds;
		if (last && kinds != tl->kinds) {
			tl->legend_kinds = kinds;
			timeline_plan(tl, d->arena, document_width);
		}
		s->tl[s->n] = tl;
		s->height[s->n++] = tl->height + GAP;
		s->whole += tl->height + GAP;
	}
	struct figure *figure = figure_add(d, FIGURE_TIMELINES, id, alt, s);
	figure->part_height = s->height;
	figure->n_parts = cut ? s->n : 0;
	return drawn_of(d, s);
}

static const char *titles_of(struct document *d, const struct beside *cmp, int64_t below)
{
	const char *list = "";
	for (int i = 0; i < cmp->n; i++)
		if (cmp->side[i].span_ns < below)
			list = listed(d->arena, list, ", ", cmp->side[i].c->title);
	return list;
}

static double widest_spread(const struct beside *cmp)
{
	double most = 0;
	for (int i = 0; i < cmp->n; i++)
		most = fmax(most, cmp->side[i].n.spread);
	return most;
}

/* A case with one steady step does not tell how much its steps differ. */
static bool any_alone(const struct beside *cmp)
{
	bool alone = false;
	for (int i = 0; i < cmp->n; i++)
		alone |= cmp->side[i].n.n_steps < 3;
	return alone;
}

/* Do the steps of one case differ as much as the cases do? */
static bool spread_hides(const struct beside *cmp)
{
	double least = INFINITY, most = 0;
	for (int i = 0; i < cmp->n; i++) {
		double ns = deciding_ns(cmp->side[i].c->analysis, &cmp->side[i].n);
		least = fmin(least, ns);
		most = fmax(most, ns);
	}
	return !(least > 0) || most / least - 1 <= widest_spread(cmp);
}

static void add_figures(struct document *d, const struct beside *cmp, const char *place)
{
	struct arena *a = d->arena;
	int64_t widest = 0, narrowest = INT64_MAX;
	for (int i = 0; i < cmp->n; i++) {
		int64_t span = cmp->side[i].span_ns;
		widest = span > widest ? span : widest;
		narrowest = span < narrowest ? span : narrowest;
	}
	bool tiny = (double)widest > TINY * (double)narrowest;
	const char *all = titles_of(d, cmp, INT64_MAX);
	if (tiny && document_lists(d, "chapters")) { /* the atlas has them on one scale, too */
		const char *drawn = add_stack(
			d, cmp, 0, place, said(d, "compare.alt.own", "titles", all, NULL));
		document_say(d, BLOCK_CAPTION, "compare.own_scale.alone", "drawn", drawn, "ratio",
			format_ratio(a, (double)widest / (double)narrowest), "which",
			said(d, cmp->which, NULL), NULL);
		return;
	}
	const char *drawn = add_stack(
		d, cmp, widest + widest / 40, place, said(d, "compare.alt", "titles", all, NULL));
	const char *same = tiny || any_alone(cmp) ? ""
		: spread_hides(cmp)
		? said(d, "compare.spread", "spread", format_share(a, widest_spread(cmp)), NULL)
		: said(d, "compare.same_width", NULL);
	document_say(d, BLOCK_CAPTION, tiny ? "compare.tiny" : "compare.same_scale", "span",
		format_time(a, (double)(widest + widest / 40)), "titles",
		titles_of(d, cmp, (int64_t)((double)widest / TINY)), "drawn", drawn, "same", same,
		"which", said(d, cmp->which, NULL), NULL);
	if (!tiny)
		return;
	drawn = add_stack(d, cmp, 0, arena_printf(a, "%s-own", place),
		said(d, "compare.alt.own", "titles", all, NULL));
	document_say(d, BLOCK_CAPTION, "compare.own_scale", "drawn", drawn, NULL);
}

void add_pair_timelines(struct document *d, const struct pair *p)
{
	struct beside cmp = {
		.n = 2, .which = "compare.which.typical", .missing = "", .left_out = ""};
	bool ahead = false;
	for (int i = 0; i < 2; i++) {
		const struct pair_side *its = i ? &p->after : &p->before;
		const struct report_case *c = its->recording[its->main];
		uint32_t n = c->analysis->n_steps;
		if (!n)
			return;
		cmp.side[i] = (struct side){.c = c,
			.name = said(d, i ? "baseline.after" : "baseline.before", NULL),
			.n = numbers_of(c->analysis),
			.differs = pieces_differing(d->arena, its->pieces)};
		show_step(
			&cmp.side[i], its->step < n ? its->step : step_to_show(c->analysis), true);
		ahead |= (double)cmp.side[i].span_ns > LONGER * (double)its->recorded_ns;
	}
	document_heading(d, 2, NULL, said(d, "baseline.timelines", NULL));
	add_figures(d, &cmp, "baseline-steps");
	if (ahead)
		document_say(d, BLOCK_CAPTION, "baseline.ahead", NULL);
	if (cmp.side[0].differs || cmp.side[1].differs)
		document_say(d, BLOCK_CAPTION, "baseline.marked", NULL);
}

static const char *more_work(struct document *d, const struct beside *cmp)
{
	const char *list = "";
	for (int i = 1; i < cmp->n; i++)
		list = arena_printf(
			d->arena, "%s%s", list, work_ratio(d, cmp->side[0].c, cmp->side[i].c));
	return list;
}

static const char *comparison_place(
	struct document *d, const struct input *in, const struct run *run, const char *id)
{
	return arena_printf(d->arena, "compare-%s", place_of(d->arena, id, (int)(run - in->runs)));
}

static void add_comparison(struct document *d, const struct input *in, const struct run *run,
	const struct run_comparison *of)
{
	struct beside cmp = {0};
	struct arena *a = d->arena;
	collect_sides(d, in, run, of, &cmp);
	if (cmp.n < 2 || !of->id)
		return;
	const char *place = comparison_place(d, in, run, of->id);
	if (document_has_place(d, place))
		return;
	document_heading(d, 1, place, literal(d, comparison_title(a, in, run, of)))->flows = true;
	if (of->question[0])
		document_say(d, BLOCK_TEXT, "compare.question", "text", of->question, "work",
			more_work(d, &cmp), NULL);
	add_table(d, &cmp);
	add_figures(d, &cmp, place);
	if (cmp.left_out[0])
		document_say(d, BLOCK_CAPTION, "compare.left_out", "titles", cmp.left_out, NULL);
	if (cmp.missing[0])
		document_say(d, BLOCK_CAPTION, "compare.missing", "titles", cmp.missing, NULL);
}

void add_comparison_picture(
	struct document *d, const struct input *in, const struct run *run, const char *id)
{
	const struct run_comparison *of = comparison_named(run, id);
	struct beside cmp = {0};
	if (of)
		collect_sides(d, in, run, of, &cmp);
	if (cmp.n < 2)
		return;
	const char *place = comparison_place(d, in, run, id);
	if (!d->label) { /* beside a recorded one, which shows the same */
		struct block *head = document_say(d, BLOCK_TEXT, "compare.picture", "title",
			comparison_title(d->arena, in, run, of), "text", of->question, "work",
			more_work(d, &cmp), NULL);
		head->level = 1;
		document_place(d, head, place);
	}
	add_figures(d, &cmp, place);
}

void section_comparisons(struct document *d, const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		for (int i = 0; i < run->comparisons.n; i++)
			if (!chapter_of_comparison(d, in, &run->comparisons.of[i]))
				add_comparison(d, in, run, &run->comparisons.of[i]);
	}
}
