/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/windows_to_show.h"
#include "report/figure/figures.h"
#include "report/figure/launch_delays.h"
#include "report/figure/samples.h"
#include "report/figure/step_time.h"
#include "report/name/shorten.h"
#include "report/run/manifest.h"
#include "report/section/picture_words.h"

#include <math.h>
#include <string.h>

enum { ARROWS_IN_STEPS = 40, ARROWS_IN_ZOOM = 40, LEAST_SAMPLES = 10 };
enum { KERNELS_IN_STRIPS = 8, LEAST_RUNS = 4 };

int64_t step_end_ns(const struct step *s)
{
	int64_t end = s->start_ns + s->dur_ns;
	return s->n_device ? max64(s->device_end_ns, end) : end;
}

bool starts_cold(const struct report_case *c)
{
	enum { SHARE = 10 };
	return c->readable && c->analysis->n_steps > 1 &&
		c->analysis->steps[0].setup_ns * SHARE >= c->analysis->steps[0].dur_ns &&
		!told_work(c)->warm;
}

static struct band *bands_of(struct document *d, const struct analysis *an)
{
	struct arena *a = d->arena;
	struct band *b = arena_array(a, an->n_steps + 1, sizeof *b);
	for (uint32_t i = 0; i < an->n_steps; i++) {
		const struct step *s = &an->steps[i];
		b[i] = (struct band){.start_ns = s->start_ns, .dur_ns = s->dur_ns};
		b[i].label = said(d, "step.label", "n", format_count(a, s->number), NULL);
		const char *more = an->n_device ? "step.more" : "step.more.host";
		if (d->exercise) { /* which has it measured */
			b[i].brief = format_count(a, s->number);
			continue;
		}
		b[i].more = said(d, more, "cpu", format_time(a, (double)s->dur_ns), "device",
			format_time(a, (double)s->busy_ns), NULL);
	}
	return b;
}

static struct timeline *new_timeline(
	struct document *d, const struct report_case *c, int64_t from, int64_t to)
{
	struct timeline *tl = arena_alloc(d->arena, sizeof *tl);
	*tl = (struct timeline){.trace = &c->trace,
		.analysis = c->analysis,
		.bare = d->exercise,
		.texts = d->texts,
		.fonts = d->fonts,
		.from_ns = from,
		.to_ns = max64(to, from + 1),
		.bands = bands_of(d, c->analysis),
		.n_bands = (int)c->analysis->n_steps,
		.legend = !document_lists(d, "reading")}; /* which has that of all */
	return tl;
}

/* The step's host part; with its device work when that does not squeeze the host part to a sliver.
 */
static void zoom_window(const struct step *s, int64_t *from, int64_t *to)
{
	*from = s->start_ns;
	*to = s->start_ns + s->dur_ns + s->dur_ns / 12;
	int64_t end = step_end_ns(s);
	if (end - s->start_ns <= 4 * s->dur_ns)
		*to = end + (end - s->start_ns) / 30;
}

/* Of a trace of anybody's the step that headline and bar are about. */
static bool zooms_median(const struct report_case *c)
{
	const struct breakdown *p = c->breakdown;
	return !c->work && p->steps_by == STEPS_BY_PROFILER && p->median != NO_ROW;
}

/* Of a case of a matrix the widest step when it is twice as wide as usual and does not already fill
 * the picture above; else a typical one. */
static uint32_t zoom_step(const struct report_case *c)
{
	const struct analysis *an = c->analysis;
	if (zooms_median(c))
		return c->breakdown->median;
	struct case_numbers n = numbers_of(an);
	int64_t window = an->window.end_ns - an->window.start_ns;
	uint32_t widest = 0;
	for (uint32_t i = 1; i < an->n_steps; i++)
		if (an->steps[i].dur_ns > an->steps[widest].dur_ns)
			widest = i;
	int64_t dur = an->steps[widest].dur_ns, from, to;
	bool stands_out = widest ? (double)dur >= 2 * n.cpu_ns : n.first_ratio >= 2;
	zoom_window(&an->steps[widest], &from, &to);
	return stands_out && (to - from) * 2 < window ? widest : n.typical;
}

static const char *zoom_reason(const struct report_case *c, uint32_t which)
{
	const struct analysis *an = c->analysis;
	if (zooms_median(c))
		return "case.zoom.median";
	struct case_numbers n = numbers_of(an);
	if (which == n.typical && (double)an->steps[which].dur_ns < 2 * n.cpu_ns)
		return an->regime.regime == REGIME_COMPUTE_BOUND ? "case.zoom.typical.device"
								 : "case.zoom.typical";
	return which ? "case.zoom.widest" : "case.zoom.first";
}

/* Does the picture of all steps show what matters, so that the marks belong there? It does when no
 * step is shown again below, or when the first step fills it. */
static bool marks_on_steps(const struct analysis *an)
{
	if (an->n_steps < 2)
		return true;
	int64_t window = an->window.end_ns - an->window.start_ns;
	return numbers_of(an).first_ratio >= 2 && an->steps[0].dur_ns * 2 >= window;
}

static const char *merged_text(
	struct document *d, const struct timeline *tl, const struct timeline_counts *n)
{
	struct arena *a = d->arena;
	const char *deeper =
		tl->deeper ? said(d, "case.deeper", "n", format_count(a, tl->deeper), NULL) : "";
	bool merged = n->drawn < tl->events - tl->deeper - tl->folded_events;
	return arena_printf(a, "%s%s%s%s%s", deeper, merged ? said(d, "case.merged", NULL) : "",
		n->low ? said(d, "case.low", NULL) : "",
		n->footprints ? said(d, "case.footprints", NULL) : "",
		n->torn ? said(d, "case.torn", NULL) : "");
}

static const char *figure_id(struct document *d, const struct report_case *c, const char *suffix)
{
	return arena_printf(d->arena, "%s-%s", c->place, suffix);
}

/* The legend below the zoom is that of both. */
static struct timeline *plan_zoom(
	struct document *d, const struct report_case *c, uint32_t which, uint32_t kinds)
{
	const struct analysis *an = c->analysis;
	int64_t from, to;
	zoom_window(&an->steps[which], &from, &to);
	struct timeline *tl = new_timeline(d, c, from, to);
	tl->most_arrows = ARROWS_IN_ZOOM;
	tl->legend_kinds = kinds;
	tl->idle_device = an->n_device > 0;
	tl->whole_from_ns = an->window.start_ns;
	tl->whole_to_ns = an->window.end_ns + (an->window.end_ns - an->window.start_ns) / 100;
	timeline_plan(tl, d->arena, document_width);
	return tl;
}

static struct timeline *plan_steps(struct document *d, const struct report_case *c, bool zoomed)
{
	const struct analysis *an = c->analysis;
	int64_t from = an->window.start_ns, to = an->window.end_ns;
	struct timeline *tl = new_timeline(d, c, from, to + (to - from) / 100);
	tl->most_arrows = ARROWS_IN_STEPS;
	tl->legend = tl->legend && !zoomed; /* else the figure below has it */
	if (zoomed)
		zoom_window(&an->steps[zoom_step(c)], &tl->mark_from_ns, &tl->mark_to_ns);
	tl->cold = d->exercise ? NULL : cold_of(d->arena, c);
	timeline_plan(tl, d->arena, document_width);
	return tl;
}

struct case_pictures add_steps_figure(
	struct document *d, const struct report_case *c, bool zoom_follows)
{
	struct arena *a = d->arena;
	const struct analysis *an = c->analysis;
	bool zoomed = zoom_follows && an->n_steps > 1;
	struct case_pictures both = {0};
	if (an->window.source == WINDOW_NONE)
		return both;
	if (an->window.end_ns <= an->window.start_ns) {
		document_say(d, BLOCK_CAPTION, "case.instant", NULL);
		return both;
	}
	struct timeline *tl = plan_steps(d, c, zoomed);
	uint32_t which = zoomed ? zoom_step(c) : 0;
	both.steps = tl;
	both.zoom = zoomed ? plan_zoom(d, c, which, tl->kinds) : NULL;
	const struct pictures on = {tl, both.zoom, which, !marks_on_steps(an)};
	/* A picture that stands alone in short pages gets them only where it is their place. */
	bool marked = !d->exercise && !document_lists(d, "reading") &&
		(zoom_follows || marks_on_steps(an));
	both.marks = marked ? choose_callouts(d, c, &on) : NULL;
	struct figure *f = figure_add(d, &timeline_figure, figure_id(d, c, "steps"),
		said(d, "case.alt.steps", "title", c->title, "n", format_count(a, an->n_steps),
			NULL),
		tl);
	document_shows(d, f, steps_shown(d, an));
	const char *key = !an->n_steps ? "case.whole"
		: zoomed	       ? "case.steps"
		: an->n_steps > 1      ? "case.steps.alone"
				       : "case.steps.only";
	const struct timeline_counts n = timeline_count(tl);
	bool low = tl->cold && cold_has_low_bars(tl->cold);
	document_say(d, BLOCK_CAPTION, key, "drawn", format_count(a, n.drawn), "events",
		format_count(a, tl->events), "merged",
		arena_printf(a, "%s%s", merged_text(d, tl, &n),
			low ? said(d, "case.low.cold", NULL) : ""),
		NULL);
	if (both.marks && !d->brief)
		add_callouts(d, both.marks, tl, !zoomed);
	return both;
}

void add_zoom_figure(
	struct document *d, const struct report_case *c, const struct case_pictures *above)
{
	struct timeline *tl = above->zoom;
	struct arena *a = d->arena;
	if (!tl)
		return;
	uint32_t which = zoom_step(c);
	struct figure *f = figure_add(d, &timeline_figure, figure_id(d, c, "step"),
		said(d, "case.alt.zoom", "title", c->title, NULL), tl);
	document_shows(d, f, step_shown(d, c->analysis, which));
	const struct timeline_counts n = timeline_count(tl);
	document_say(d, BLOCK_CAPTION, "case.zoom", "label", tl->bands[which].label, "drawn",
		format_count(a, n.drawn), "events", format_count(a, tl->events), "merged",
		merged_text(d, tl, &n), "what",
		said(d, zoom_reason(c, which), "ns",
			format_time(a, (double)split_length(breakdown_window(c->breakdown))), NULL),
		NULL);
	if (above->marks && !d->brief)
		add_callouts(d, above->marks, tl, true);
}

/* From its start to the end of its device work. An exercise asks about that step: of others it
 * shows neither calls nor bands. */
static struct timeline *plan_whole_step(
	struct document *d, const struct report_case *c, uint32_t step, bool alone)
{
	const struct step *s = &c->analysis->steps[step];
	int64_t end = step_end_ns(s);
	struct timeline *tl = new_timeline(d, c, s->start_ns, end + (end - s->start_ns) / 30);
	tl->most_arrows = ARROWS_IN_ZOOM;
	if (alone) {
		tl->host_to_ns = s->start_ns + s->dur_ns;
		tl->bands += step;
		tl->n_bands = 1;
	}
	timeline_plan(tl, d->arena, document_width);
	return tl;
}

/* How many events the picture of a book has beside those of an exercise, of the same stretch. */
static int64_t calls_behind(
	struct document *d, const struct report_case *c, uint32_t step, const struct timeline *tl)
{
	return d->exercise ? plan_whole_step(d, c, step, false)->events - tl->events : 0;
}

void add_step_figure(struct document *d, const struct report_case *c)
{
	uint32_t step = step_to_show(c->analysis);
	struct timeline *tl = plan_whole_step(d, c, step, d->exercise);
	struct figure *f = figure_add(d, &timeline_figure, figure_id(d, c, "step"),
		said(d, "case.alt.zoom", "title", c->title, NULL), tl);
	document_shows(d, f, step_shown(d, c->analysis, step));
	const struct timeline_counts n = timeline_count(tl);
	int64_t later = calls_behind(d, c, step, tl);
	const char *behind =
		later ? said(d, "case.step.later", "n", format_count(d->arena, later), NULL) : "";
	document_say(d, BLOCK_CAPTION, "case.step", "title", c->title, "label",
		tl->bands[d->exercise ? 0 : step].label, "drawn", format_count(d->arena, n.drawn),
		"events", format_count(d->arena, tl->events + later), "later", behind, "merged",
		merged_text(d, tl, &n), NULL);
}

void add_read_step(struct document *d, const struct report_case *c, uint32_t step,
	const struct callout *marks, int n)
{
	enum { ALL_KINDS = (1u << (BARS + 2)) - 1 };
	struct timeline *tl = plan_whole_step(d, c, step, d->exercise);
	tl->legend_kinds = ALL_KINDS;
	tl->legend = true;
	tl->callouts = marks;
	tl->n_callouts = n;
	timeline_plan(tl, d->arena, document_width);
	struct figure *f = figure_add(d, &timeline_figure, "reading",
		said(d, "case.alt.zoom", "title", c->title, NULL), tl);
	document_shows(d, f, step_shown(d, c->analysis, step));
}

void add_runs_figure(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	struct delay_plot *s = arena_alloc(a, sizeof *s);
	*s = (struct delay_plot){.texts = d->texts, .fonts = d->fonts};
	if (!delay_plot_of_kernels(s, a, c, KERNELS_IN_STRIPS) || s->events < LEAST_RUNS)
		return;
	delay_plot_plan(s, document_width);
	struct figure *f = figure_add(d, &delays_figure, figure_id(d, c, "runs"),
		said(d, "case.alt.runs", "title", c->title, NULL), s);
	document_shows(d, f,
		said(d, "case.shows.runs", "name", s->row[0].title, "n",
			format_count(a, (int64_t)s->row[0].n), "median",
			format_time(a, s->row[0].median_ns), NULL));
	document_say(d, BLOCK_CAPTION, "case.runs", "n", format_count(a, s->n), "events",
		format_count(a, (int64_t)s->events), NULL);
}

/* What the runs of one name need not have in common: the dots are no spread of one work then. */
static const char *runs_differ(struct document *d, const struct report_case *c)
{
	const struct activity *act = &c->analysis->activities[0];
	int64_t work = analysis_inputs_of(&c->trace, act->row[0]);
	bool mixed = false;
	for (size_t i = 1; i < act->calls && !mixed; i++)
		mixed = analysis_inputs_of(&c->trace, act->row[i]) != work;
	return mixed ? said(d, "case.samples.mixed", NULL)
		: !work && (act->calls_per_step > 1 || c->analysis->compile.recompiles)
		? said(d, "case.samples.no_shapes", NULL)
		: "";
}

void add_samples_figure(struct document *d, const struct report_case *c)
{
	const struct analysis *an = c->analysis;
	const struct activity *act = an->n_activities ? &an->activities[0] : NULL;
	if (!act || act->calls < LEAST_SAMPLES)
		return;
	struct arena *a = d->arena;
	struct sample_plot *dots = arena_alloc(a, sizeof *dots);
	*dots = (struct sample_plot){.texts = d->texts,
		.fonts = d->fonts,
		.n = act->calls,
		.ns = arena_array(a, act->calls, sizeof *dots->ns),
		.median_ns = act->dur.median,
		.mean_ns = act->dur.mean,
		.height = sample_plot_height};
	for (size_t i = 0; i < act->calls; i++)
		dots->ns[i] = c->trace.dur_ns[act->row[i]];
	struct figure *f = figure_add(d, &samples_figure, figure_id(d, c, "samples"),
		said(d, "case.alt.samples", "title", c->title, NULL), dots);
	document_shows(d, f,
		said(d, "case.shows.runs", "name", brief_name(a, trace_name(&c->trace, act->name)),
			"n", format_count(a, (int64_t)act->calls), "median",
			format_time(a, act->dur.median), NULL));
	const char *differ = runs_differ(d, c);
	double off = act->dur.median > 0 ? act->dur.mean / act->dur.median - 1 : 0;
	const char *verdict = mean_misleads(&act->dur)
		? said(d, "case.samples.mean_misleads", "pct",
			  format_share(a, off < 0 ? -off : off), NULL)
		: "";
	document_say(d, BLOCK_CAPTION,
		act->calls > SAMPLES_ALL_DRAWN ? "case.samples.many" : "case.samples", "n",
		format_count(a, (int64_t)act->calls), "name",
		brief_name(a, trace_name(&c->trace, act->name)), "median",
		format_time(a, act->dur.median), "mean", format_time(a, act->dur.mean), "verdict",
		*differ ? differ : verdict, NULL);
}

static const char *row_name(
	struct document *d, const struct trace *t, const struct shown_window *w, uint32_t i)
{
	uint32_t row = i < w->n_rows ? w->row[i] : NO_ROW;
	return row == NO_ROW ? "–"
			     : brief_name(d->arena, shorten_name(d->arena, trace_row_name(t, row)));
}

/* How long before a gap begins what ends it had been launched. */
static int64_t queued_ns(const struct report_case *c, const struct shown_window *w)
{
	uint32_t call = w->occasion == OCCASION_GAP && w->n_rows > 2 ? w->row[2] : NO_ROW;
	if (call == NO_ROW)
		return 0;
	return c->analysis->idle.at[w->index].start_ns - c->trace.start_ns[call] -
		c->trace.dur_ns[call];
}

/* The end of its text's key: its reason has other words where nothing surrounds what it shows, or
 * nothing compares to it. */
static const char *variant(const struct report_case *c, const struct shown_window *w)
{
	const uint32_t *row = w->row;
	if (w->occasion == OCCASION_KERNEL && w->count == 1)
		return ".only";
	if (w->occasion == OCCASION_FIRST && (w->n_rows < 3 || row[2] == NO_ROW))
		return ".alone";
	if (w->occasion != OCCASION_GAP || (w->n_rows == 4 && row[3] != NO_ROW))
		return "";
	if (w->n_rows < 3 || row[2] == NO_ROW)
		return ".unknown";
	return queued_ns(c, w) > 0 ? ".queued" : ".alone";
}

static void add_window(
	struct document *d, const struct report_case *c, const struct shown_window *w, int number)
{
	struct arena *a = d->arena;
	const struct analysis *an = c->analysis;
	struct timeline *tl = new_timeline(d, c, w->start_ns, w->end_ns);
	tl->most_arrows = ARROWS_IN_ZOOM;
	tl->idle_device = true;
	tl->n_subjects = w->n_rows;
	for (uint32_t i = 0; i < w->n_rows; i++)
		tl->subject[i] = w->row[i];
	timeline_plan(tl, a, document_width);
	const struct timeline_counts n = timeline_count(tl);
	char key[64], suffix[32];
	snprintf(suffix, sizeof suffix, "window-%d", number);
	struct figure *f = figure_add(d, &timeline_figure, figure_id(d, c, suffix),
		said(d, "window.alt", "title", c->title, "n", format_count(a, number), NULL), tl);
	snprintf(key, sizeof key, "window.%s%s", occasion_name(w->occasion), variant(c, w));
	const char *step =
		w->occasion == OCCASION_STEP ? format_count(a, an->steps[w->index].number) : "";
	const char *what = said(d, key, "value", format_time(a, (double)w->value_ns), "typical",
		format_time(a, (double)w->typical_ns), "count", format_count(a, (int64_t)w->count),
		"step", step, "first", row_name(d, &c->trace, w, 0), "second",
		row_name(d, &c->trace, w, 1), "third", row_name(d, &c->trace, w, 2), "fourth",
		row_name(d, &c->trace, w, 3), "before", format_time(a, (double)queued_ns(c, w)),
		NULL);
	document_shows(d, f, what);
	const char *part = w->whole ? "" : said(d, "window.part", NULL);
	int64_t at_ns = w->start_ns - an->window.start_ns;
	document_say(d, BLOCK_CAPTION, "window.caption", "n", format_count(a, number), "drawn",
		format_count(a, n.drawn), "events", format_count(a, tl->events), "at",
		said(d, at_ns < 0 ? "window.at.before" : "window.at", "time",
			format_time(a, fabs((double)at_ns)), NULL),
		"merged", merged_text(d, tl, &n), "what", what, "part", part, NULL);
}

/* As wide as the picture above of all steps, or of the trace: it would be the same again. */
static bool repeats_overview(const struct analysis *an, const struct shown_window *w)
{
	enum { TENTHS = 8 };
	return (w->end_ns - w->start_ns) / TENTHS >= (an->window.end_ns - an->window.start_ns) / 10;
}

void add_window_figures(struct document *d, const struct report_case *c)
{
	const struct windows *ws = c->windows;
	int n = 0;
	for (uint32_t i = 0; i < ws->n; i++) {
		if (repeats_overview(c->analysis, &ws->window[i]))
			continue;
		if (!n++)
			document_heading(d, 3, NULL, said(d, "window.title", NULL));
		add_window(d, c, &ws->window[i], n);
	}
}
