/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/steps_on_one_scale.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/analyse/steps_in_order.h"
#include "report/compare/compare.h"
#include "report/figure/figures.h"
#include "report/figure/step_time.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <string.h>

enum { ARROWS = 40, NO_HOST = 1 }; /* ns: nothing of the host begins before */
enum { GAP = 6, WHOLE = 4 }; /* below a panel, points; panels that stay on one page */
static const double WAITS = 0.2; /* of a step: the device waiting is what its picture shows */
static const double PART = 0.005; /* of what is drawn, in which the device waits: it is told */
static const double FAR = 0.2; /* from its median: a drawn step that a reader is told of */
static const double OFF = 0.05; /* the same where lengths are measured and compared with medians */
static const double LONGER = 1.1; /* than its step: a picture that needs a word why */
static const double TINY = 12; /* times wider: the narrow one cannot be read on the common scale */

void show_step(struct side *s, uint32_t step, bool whole)
{
	const struct analysis *an = s->c->analysis;
	s->step = &an->steps[step];
	int64_t turn = whole || !s->step->n_device ? 0 : step_turn_ns(an, s->step);
	s->queued = turn > s->step->start_ns + s->step->dur_ns;
	s->from_ns = s->queued ? turn : s->step->start_ns;
	s->span_ns = step_end_ns(s->step) - s->from_ns;
}

static void show_part_of(struct side *s, enum step_part part, uint32_t step)
{
	s->step = &s->c->analysis->steps[step];
	s->part = part == PART_DEVICE && !s->step->n_device ? PART_HOST : part;
	bool device = s->part == PART_DEVICE;
	s->from_ns = device ? s->step->device_start_ns : s->step->start_ns;
	s->span_ns = device ? s->step->device_end_ns - s->from_ns : s->step->dur_ns;
}

void show_part(struct beside *cmp, enum step_part part)
{
	const struct analysis *of[MOST_SIDES];
	uint32_t step[MOST_SIDES];
	for (int i = 0; i < cmp->n; i++)
		of[i] = cmp->side[i].c->analysis;
	cmp->disordered = !steps_in_order(of, cmp->n, part == PART_DEVICE, step);
	for (int i = 0; i < cmp->n; i++)
		show_part_of(&cmp->side[i], part, step[i]);
}

/* Of two steady steps none need be near their median: then a reader is told which step he sees. */
static double off_median(const struct side *s)
{
	bool device = s->part == PART_DEVICE;
	double drawn = (double)(device ? s->step->busy_ns : s->span_ns);
	return drawn / (device ? s->n.device_ns : s->n.cpu_ns) - 1;
}

static bool is_far(const struct side *s)
{
	return fabs(off_median(s)) > FAR;
}

/* Which way the step of an exercise lies from its median, and how far: what is drawn is measured.
 */
static const char *off_in_words(struct document *d, const struct side *s)
{
	double off = s->part == PART_BOTH ? 0 : off_median(s);
	if (!(fabs(off) >= OFF))
		return "";
	return said(d, off < 0 ? "compare.panel.bare.below" : "compare.panel.bare.above", "share",
		format_share(d->arena, fabs(off)), NULL);
}

static const char *side_name(const struct side *s)
{
	return s->name ? s->name : s->c->title;
}

static const char *part_title(struct document *d, const struct side *s, const char *scaled)
{
	struct arena *a = d->arena;
	bool device = s->part == PART_DEVICE;
	bool waits = device && (double)s->step->busy_ns < (1 - PART) * (double)s->span_ns;
	const char *key = waits ? "compare.panel.device.waits"
		: device	? "compare.panel.device"
				: "compare.panel.cpu";
	return said(d, key, "title", side_name(s), "scaled", scaled, "span",
		format_time(a, (double)s->span_ns), "n", format_count(a, s->step->number), "time",
		format_time(a, (double)(device ? s->step->busy_ns : s->span_ns)), "far",
		said(d, is_far(s) ? "compare.panel.far" : "compare.panel.near", NULL), "median",
		format_time(a, device ? s->n.device_ns : s->n.cpu_ns), NULL);
}

/* Of the drawn step a reader sees the times; of the case its text quotes the medians. */
static const char *medians_of(struct document *d, const struct side *s)
{
	const struct analysis *an = s->c->analysis;
	bool first = s->step == an->steps && steady_from(an);
	if (!s->medians)
		return "";
	return said(d, first ? "compare.panel.medians.first" : "compare.panel.medians", "cpu",
		format_time(d->arena, s->n.cpu_ns), "device", format_time(d->arena, s->n.device_ns),
		NULL);
}

static const char *panel_title(struct document *d, const struct side *s)
{
	struct arena *a = d->arena;
	const char *changes = case_scaled_untold(s->c) ? changes_in_words(d, s->c) : "";
	const char *scaled =
		changes[0] ? said(d, "compare.panel.scaled", "scaled", changes, NULL) : "";
	if (d->exercise) /* which has its length measured */
		return said(d, "compare.panel.bare", "title", side_name(s), "scaled", scaled, "n",
			format_count(a, s->step->number), "off", off_in_words(d, s), NULL);
	if (s->part != PART_BOTH)
		return part_title(d, s, scaled);
	struct step_split split = split_step(s->c->analysis, s->step);
	double idle = split.device_ns ? (double)split.idle_ns / (double)split.device_ns : 0;
	const char *key = s->queued ? "compare.panel.queued"
		: !split.device_ns  ? "compare.panel"
		: idle >= WAITS	    ? "compare.panel.idle"
				    : "compare.panel.busy";
	/* The step as its bar has it: without the device's earlier work, which the picture shows.
	 */
	int64_t pair_ns = max64(split.host_ns, split.device_ns);
	int64_t ns = !s->queued && split.device_ns && idle >= WAITS ? pair_ns : s->span_ns;
	return said(d, key, "title", side_name(s), "scaled", scaled, "n",
		format_count(a, s->step->number), "time", format_time(a, (double)ns), "idle",
		format_share(a, idle), "cpu", format_time(a, (double)s->step->dur_ns), "medians",
		medians_of(d, s), NULL);
}

static struct timeline *panel(
	struct document *d, const struct beside *cmp, int i, int64_t span, bool axis, bool last)
{
	const struct side *s = &cmp->side[i];
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
		.host_to_ns = s->part == PART_DEVICE ? NO_HOST
			: s->queued		     ? end
						     : s->step->start_ns + s->step->dur_ns,
		.most_arrows = s->part == PART_HOST ? 0 : ARROWS,
		.host_alone = s->part == PART_HOST,
		.differs = s->differs,
		.bare = d->exercise,
		.unnamed = cmp->unnamed,
		.no_axis = !axis,
		.legend = last,
		.title = panel_title(d, s)};
	timeline_plan(tl, a, document_width);
	return tl;
}

/* "12 of 15 events drawn", over the panels of a stack, and that bars are low where they are. */
static const char *drawn_of(struct document *d, const struct timelines *s)
{
	int64_t drawn = 0, events = 0, low = 0;
	for (int i = 0; i < s->n; i++) {
		struct timeline_counts n = timeline_count(s->tl[i]);
		drawn += n.drawn;
		low += n.low;
		events += s->tl[i]->events;
	}
	if (drawn == events && !low && (d->exercise || document_lists(d, "chapters")))
		return "";
	return said(d, "compare.drawn", "drawn", format_count(d->arena, drawn), "events",
		format_count(d->arena, events), "low", low ? said(d, "case.low", NULL) : "", NULL);
}

/* With span 0 each panel has its own scale. Returns in words how much of the stack is drawn. */
static const char *add_stack(
	struct document *d, const struct beside *cmp, int64_t span, const char *id, const char *alt)
{
	struct timelines *s = arena_alloc(d->arena, sizeof *s);
	s->tl = arena_array(d->arena, (size_t)cmp->n, sizeof *s->tl);
	s->height = arena_array(d->arena, (size_t)cmp->n, sizeof *s->height);
	struct text_builder lengths = {.arena = d->arena};
	uint32_t kinds = 0;
	bool cut = cmp->n > WHOLE;
	for (int i = 0; i < cmp->n; i++) {
		int64_t own = cmp->side[i].span_ns + cmp->side[i].span_ns / 40 + 1;
		bool last = i + 1 == cmp->n && !document_lists(d, "reading");
		struct timeline *tl = panel(d, cmp, i, span ? span : own, !span || !i || cut, last);
		text_add(&lengths, "%s%s", i ? "; " : "", tl->title);
		kinds |= tl->kinds;
		if (last && kinds != tl->kinds) {
			tl->legend_kinds = kinds;
			timeline_plan(tl, d->arena, document_width);
		}
		s->tl[s->n] = tl;
		s->height[s->n++] = tl->height + GAP;
		s->whole += tl->height + GAP;
	}
	struct figure *figure = figure_add(d, &timelines_figure, id, alt, s);
	document_shows(d, figure, text_built(&lengths));
	figure->part_height = s->height;
	figure->n_parts = cut ? s->n : 0;
	return drawn_of(d, s);
}

static const char *titles_of(struct document *d, const struct beside *cmp, int64_t below)
{
	const char *list = "";
	for (int i = 0; i < cmp->n; i++)
		if (cmp->side[i].span_ns < below)
			list = listed(d->arena, list, ", ", side_name(&cmp->side[i]));
	return list;
}

/* The time that a picture shows of a case: of the part that it draws; of both, what the case's
 * speed hangs on. */
static double shown_ns(const struct side *s)
{
	return s->part == PART_BOTH	 ? deciding_ns(s->c->analysis, &s->n)
		: s->part == PART_DEVICE ? s->n.device_ns
					 : s->n.cpu_ns;
}

/* How much its steady steps differ in that time. */
static double spread_of(const struct side *s)
{
	return s->part == PART_BOTH ? s->n.spread
				    : steps_spread(s->c->analysis, s->part == PART_DEVICE);
}

/* The one whose steps differ most. */
static const struct side *widest_spread(const struct beside *cmp)
{
	const struct side *most = &cmp->side[0];
	for (int i = 1; i < cmp->n; i++)
		if (spread_of(&cmp->side[i]) > spread_of(most))
			most = &cmp->side[i];
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
		double ns = shown_ns(&cmp->side[i]);
		least = fmin(least, ns);
		most = fmax(most, ns);
	}
	return !(least > 0) || most / least - 1 <= spread_of(widest_spread(cmp));
}

static const char *pair_in_words(struct document *d, const struct beside *cmp, int i, int k)
{
	const char *of[] = {format_count(d->arena, i + 1), format_count(d->arena, k + 1)};
	int place[] = {i, k};
	for (int n = 0; n < 2 && cmp->side[0].name; n++)
		of[n] = said(d, "compare.spread.name", "title", cmp->side[place[n]].name, NULL);
	return said(d, "compare.spread.pair", "one", of[0], "other", of[1], NULL);
}

/* A ratio that the book calls noise is none that widths show; of both parts together it has none.
 */
static bool is_noise(struct document *d, const struct side *one, const struct side *other)
{
	if (one->part == PART_BOTH || one->part != other->part || one->c->run != other->c->run)
		return false;
	const struct sure_ratio r =
		case_ratio(d->arena, other->c, one->c, one->part == PART_DEVICE);
	return r.ratio > 0 && sure_is_noise(&r);
}

bool sides_are_alike(struct document *d, const struct side *one, const struct side *other)
{
	struct beside two = {.side = {*one, *other}, .n = 2};
	return is_noise(d, one, other) || (!any_alone(&two) && spread_hides(&two));
}

/* Of two that are alike the widths tell nothing. All such pairs are named where the drawn lengths
 * of one of them look different. */
static const char *misleading_pairs(struct document *d, const struct beside *cmp)
{
	const struct side *widest = NULL;
	const char *pairs = "";
	bool looks = false;
	for (int i = 0; i < cmp->n; i++)
		for (int k = i + 1; k < cmp->n; k++) {
			const struct side *one = &cmp->side[i], *other = &cmp->side[k];
			struct beside two = {.side = {*one, *other}, .n = 2};
			if (any_alone(&two) || !sides_are_alike(d, one, other))
				continue;
			double drawn = (double)one->span_ns / (double)other->span_ns;
			looks |= fabs(log(drawn)) > log(LONGER);
			pairs = listed(d->arena, pairs, "; ", pair_in_words(d, cmp, i, k));
			const struct side *wider = spread_of(one) < spread_of(other) ? other : one;
			if (!widest || spread_of(widest) < spread_of(wider))
				widest = wider;
		}
	const char *top = cmp->side[0].name ? "compare.spread.named" : "compare.spread.top";
	return !looks ? ""
		      : said(d, "compare.spread.pairs", "pairs", pairs, "of", side_name(widest),
				"top", said(d, top, NULL), "spread",
				format_share(d->arena, spread_of(widest)), NULL);
}

/* What the widths do not say. */
static const char *widths_in_words(struct document *d, const struct beside *cmp, bool tiny)
{
	if (cmp->disordered)
		return said(d, "compare.disordered", NULL);
	if (tiny)
		return "";
	if (!any_alone(cmp) && spread_hides(cmp))
		return said(d, "compare.spread", "of", side_name(widest_spread(cmp)), "spread",
			format_share(d->arena, spread_of(widest_spread(cmp))), NULL);
	return misleading_pairs(d, cmp);
}

void add_beside(struct document *d, const struct beside *cmp, const char *place)
{
	struct arena *a = d->arena;
	int64_t widest = 0, narrowest = INT64_MAX;
	for (int i = 0; i < cmp->n; i++) {
		int64_t span = cmp->side[i].span_ns;
		widest = max64(span, widest);
		narrowest = min64(span, narrowest);
	}
	bool tiny = (double)widest > TINY * (double)narrowest;
	const char *all = titles_of(d, cmp, INT64_MAX);
	bool book = document_lists(d, "chapters");
	/* A book says once, before its first chapter, which steps it draws, a sheet before its
	 * first picture. */
	bool told = book || d->exercise;
	const char *which = !told ? said(d, cmp->which, NULL)
		: strcmp(cmp->which, "compare.which.cold") != 0
		? ""
		: said(d, "compare.which.cold.book", NULL);
	if (tiny && book) { /* the atlas has them on one scale, too */
		const char *drawn = add_stack(
			d, cmp, 0, place, said(d, "compare.alt.own", "titles", all, NULL));
		document_say(d, BLOCK_CAPTION, "compare.own_scale.book", "drawn", drawn, "ratio",
			format_ratio(a, (double)widest / (double)narrowest), "which", which, NULL);
		return;
	}
	const char *drawn = add_stack(
		d, cmp, widest + widest / 40, place, said(d, "compare.alt", "titles", all, NULL));
	const char *same = widths_in_words(d, cmp, tiny);
	/* A book says once, before its first chapter, that such steps are on one scale. */
	if (book && !drawn[0] && !same[0] && !which[0])
		return;
	document_say(d, BLOCK_CAPTION,
		tiny	       ? "compare.tiny"
			: told ? "compare.same_scale.book"
			       : "compare.same_scale",
		"span", format_time(a, (double)(widest + widest / 40)), "titles",
		titles_of(d, cmp, (int64_t)((double)widest / TINY)), "drawn", drawn, "same", same,
		"which", which, NULL);
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
	add_beside(d, &cmp, "baseline-steps");
	if (ahead)
		document_say(d, BLOCK_CAPTION, "baseline.ahead", NULL);
	if (cmp.side[0].differs || cmp.side[1].differs)
		document_say(d, BLOCK_CAPTION, "baseline.marked", NULL);
}
