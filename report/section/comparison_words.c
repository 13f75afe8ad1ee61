/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/comparison_words.h"
#include "report/analyse/analysis.h"
#include "report/rules/advice.h"
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/name/shorten.h"

#include <stdlib.h>
#include <string.h>

const char *signed_time(struct arena *a, int64_t ns)
{
	const char *time = format_time(a, (double)llabs(ns));
	return ns ? arena_printf(a, "%s%s", ns < 0 ? "\xe2\x88\x92" : "+", time) : "0";
}

const char *part_word(struct document *d, const struct part_bar *bar)
{
	return said_by(d, "breakdown.%s", bar->part);
}

enum verdict_colour change_colour(enum change change)
{
	return change == CHANGE_SLOWER ? BROKEN : change == CHANGE_FASTER ? KEPT : OPEN;
}

static const char *time_of(struct document *d, int64_t ns)
{
	return format_time(d->arena, (double)ns);
}

const char *change_unit(struct document *d, const struct pair *p)
{
	return said(d, p->after.whole ? "baseline.unit.whole" : "baseline.unit", NULL);
}

struct rows measures_begin(struct document *d, const struct pair *p, const struct table_form *form)
{
	struct table_form of = *form;
	of.column[0].title = p->after.whole ? "baseline.measure.whole" : "baseline.measure";
	return rows_begin(d, &of, 0);
}

/* Kernels that became slower, if that counts. */
static int64_t slower_kernels(const struct pair *p)
{
	int64_t n = 0;
	for (size_t i = 0; i < p->n_kernels; i++)
		n += kernel_is_worse(p, &p->kernel[i]);
	return n;
}

/* What is slower where the step does not tell. */
static const char *slower_where(struct document *d, const struct pair *p)
{
	int64_t n = p->device.change == CHANGE_FASTER ? 0 : slower_kernels(p);
	return n ? said(d, "baseline.slower.kernels", "n", format_count(d->arena, n), NULL)
		: p->device.change == CHANGE_SLOWER ? said(d, "baseline.slower.device", NULL)
						    : said(d, "baseline.slower.host", NULL);
}

const char *change_headline(struct document *d, const struct pair *p)
{
	struct arena *a = d->arena;
	if (p->identical)
		return said(d, "baseline.identical", NULL);
	enum change change = pair_change(p);
	bool part = p->step.change != change;
	const char *key = p->before.whole && !p->after.whole ? "baseline.only_after"
		: pair_is_unlike(p)			     ? "baseline.only_before"
		: part ? arena_printf(a, "baseline.%s.part", change_name(change))
		       : arena_printf(a, "baseline.%s", change_name(change));
	return said(d, key, "unit", change_unit(d, p), "where",
		part && change == CHANGE_SLOWER ? slower_where(d, p) : "", "n",
		format_count(a, slower_kernels(p)), "estimated",
		p->estimated ? said(d, "baseline.by_estimate", NULL) : "", "before",
		time_of(d, p->step.before_ns), "after", time_of(d, p->step.after_ns), "ratio",
		format_ratio(a, p->step.ratio), NULL);
}

const char *change_gain(struct document *d, const struct pair *p)
{
	struct part_bar bar[PART_BARS];
	const struct part_bar *most = pair_bars(p, bar) ? largest_bar(bar) : NULL;
	bool told = p->step.change == CHANGE_FASTER || p->step.change == CHANGE_SLOWER;
	if (!most || p->identical || pair_is_unlike(p))
		return "";
	const char *key = !p->saved_ns ? "baseline.equal"
		: !told		       ? "baseline.apart"
		: p->saved_ns < 0      ? "baseline.added"
				       : "baseline.saved";
	return said(d, p->after.whole && told ? arena_printf(d->arena, "%s.whole", key) : key, "ns",
		time_of(d, llabs(p->saved_ns)), "part", part_word(d, most), "change",
		signed_time(d->arena, most->after_ns - most->before_ns), NULL);
}

const char *change_doubt(struct arena *a, const struct texts *t, const struct pair *p)
{
	const char *why = pair_doubt(p);
	return why ? say(t, a, arena_printf(a, "doubt.%s", why), "recorded",
			     format_ratio(a, p->recorded.ratio), "unrecorded",
			     format_ratio(a, p->unrecorded.ratio), "kernel",
			     p->unsteady ? p->unsteady : "", "pace",
			     format_ratio(a, p->pace.middle), "low", format_ratio(a, p->step.low),
			     "high", format_ratio(a, p->step.high), NULL)
		   : "";
}

const char *change_needs(struct arena *a, const struct texts *t, const struct pair *p)
{
	enum { MOST = 1000 };
	bool single = p->before.n == 1 && p->after.n == 1;
	bool turn = p->step.in_turn || (single && !pair_single_tells(p));
	const char *unit = turn ? "rounds" : single ? "steps" : "recordings";
	if (!p->needs || pair_is_unlike(p) || p->contradicted)
		return "";
	return say(t, a, p->needs >= MOST ? "needs.many" : arena_printf(a, "needs.%s", unit), "n",
		format_count(a, (int64_t)p->needs), NULL);
}

/* Of a step that tells nothing: what one recording a side is sure of. */
static const char *what_is_sure(struct document *d, const struct pair *p)
{
	struct arena *a = d->arena;
	const struct ratio *r = &p->device;
	double work = p->pace.work;
	if (pair_change(p) != CHANGE_INCONCLUSIVE || !pair_is_single(p))
		return "";
	const char *device = !ratio_tells(r)
		? ""
		: said(d, "baseline.sure.device", "before", time_of(d, r->before_ns), "after",
			  time_of(d, r->after_ns), "ratio", format_ratio(a, r->ratio), NULL);
	bool told = work > 0 && (work <= 1 - p->least || work >= 1 + p->least);
	const char *host =
		told ? said(d, "baseline.sure.host", "ratio", format_ratio(a, work), NULL) : "";
	return arena_printf(a, "%s%s%s%s", *device ? " " : "", device, *host ? " " : "", host);
}

static const char *interval_how(const struct document *d, const struct ratio *r)
{
	return said(d, r->student ? "baseline.how.student" : "baseline.how.ranks", NULL);
}

const char *change_certainty(struct document *d, const struct pair *p)
{
	struct arena *a = d->arena;
	const struct ratio *r = &p->step;
	const char *n = format_count(a, (int64_t)r->n_before),
		   *m = format_count(a, (int64_t)r->n_after);
	bool single = p->before.n == 1 || p->after.n == 1, told = r->level > 0;
	if (pair_is_unlike(p))
		return said(d, "baseline.unlike", NULL);
	if (!told && single && !pair_single_tells(p))
		return arena_printf(a, "%s %s", said(d, "baseline.one_run", NULL),
			change_needs(a, d->texts, p));
	if (!told)
		return arena_printf(a, "%s %s",
			said(d, r->in_turn ? "baseline.few.turn" : "baseline.few", "n", n, "m", m,
				NULL),
			change_needs(a, d->texts, p));
	const char *interval = said(d, r->in_turn ? "baseline.interval.turn" : "baseline.interval",
		"low", format_ratio(a, r->low), "high", format_ratio(a, r->high), "level",
		arena_printf(a, "%.6g %%", 100 * r->level), "n", n, "m", m, "how",
		interval_how(d, r), NULL);
	bool noise = pair_doubt(p) && !strcmp(pair_doubt(p), "noise");
	const char *more = single && (noise || !pair_doubt(p))
		? said(d, "baseline.one_process", NULL)
		: change_doubt(a, d->texts, p);
	const char *needs = change_needs(a, d->texts, p);
	if (pair_is_unrelated(p))
		needs = said(d, "baseline.unrelated", NULL);
	return arena_printf(a, "%s%s%s%s%s%s", interval, *more ? " " : "", more, *needs ? " " : "",
		needs, what_is_sure(d, p));
}

const char *certainty_of_all(struct document *d, const struct comparison *all)
{
	const struct ratio *r = &all->pair[0].step;
	if (!(r->level > 0))
		return change_certainty(d, &all->pair[0]);
	struct arena *a = d->arena;
	return said(d, r->in_turn ? "baseline.each.turn" : "baseline.each", "level",
		arena_printf(a, "%.6g %%", 100 * r->level), "n",
		format_count(a, (int64_t)r->n_before), "m", format_count(a, (int64_t)r->n_after),
		"how", interval_how(d, r), NULL);
}

const char *change_weight(struct document *d, const struct pair *p)
{
	static const double LEAST = 0.1; /* of a recorded step */
	const struct pair_side *b = &p->before, *n = &p->after;
	const char *cost = said(d, "baseline.cost", "before",
		time_of(d, b->recording[b->main]->advice->recording_ns), "after",
		time_of(d, n->recording[n->main]->advice->recording_ns), NULL);
	if (p->estimated)
		return said(d, "baseline.estimated", "before", time_of(d, p->recorded.before_ns),
			"after", time_of(d, p->recorded.after_ns), "cost", cost, NULL);
	bool weighs = (double)b->recorder_ns > LEAST * (double)b->recorded_ns ||
		(double)n->recorder_ns > LEAST * (double)n->recorded_ns;
	if (!weighs || p->identical || !(p->unrecorded.ratio > 0))
		return "";
	int64_t saved = p->unrecorded.before_ns - p->unrecorded.after_ns;
	return said(d, saved < 0 ? "baseline.weight.more" : "baseline.weight", "before",
		b->recorder_ns ? time_of(d, b->recorder_ns) : "0", "after",
		n->recorder_ns ? time_of(d, n->recorder_ns) : "0", "saved",
		time_of(d, llabs(saved)), "cost", cost, NULL);
}

static const char *short_text(struct document *d, const char *text, size_t letters)
{
	size_t n = begin_of(text, letters);
	return literal(d, text[n] ? arena_printf(d->arena, "%.*s…", (int)n, text) : text);
}

const char *short_name(struct document *d, const char *name, size_t letters)
{
	return short_text(d, brief_name(d->arena, name), letters);
}

void put_change(struct rows *t, const struct ratio *r)
{
	if (!(r->ratio > 0)) {
		put(t, "–");
		return;
	}
	const char *key = arena_printf(t->d->arena, "change.%s", change_name(r->change));
	put(t, said(t->d, key, "ratio", format_ratio(t->d->arena, r->ratio), NULL))->verdict =
		change_colour(r->change);
}

const struct pair *lone_pair(const struct input *in)
{
	return in->comparison && in->comparison->n == 1 && in->n_runs == 1 && !in->runs[0].of_matrix
		? &in->comparison->pair[0]
		: NULL;
}

const char *change_counts(struct document *d, const struct comparison *all)
{
	const struct {
		const char *key;
		int n;
	} count[] = {{"counts.slower", all->slower}, {"counts.faster", all->faster},
		{"counts.same", all->same}, {"counts.inconclusive", all->inconclusive}};
	const char *list = "";
	for (size_t i = 0; i < sizeof count / sizeof *count; i++)
		if (count[i].n)
			list = listed(d->arena, list, ", ",
				said(d, count[i].key, "n", format_count(d->arena, count[i].n),
					NULL));
	return list;
}

const char *change_alone(struct document *d, const struct comparison *all)
{
	const int n[2] = {all->only_before, all->only_after};
	static const char *const key[2] = {"baseline.alone.before", "baseline.alone.after"};
	const char *list = "";
	for (int i = 0; i < 2; i++)
		if (n[i])
			list = listed(d->arena, list, ", ",
				said(d, key[i], "n", format_count(d->arena, n[i]), NULL));
	return *list ? said(d, "baseline.alone", "list", list, NULL) : "";
}

void add_differences(struct document *d, const struct pair *p, int most)
{
	static const struct table_form form = {
		.column = {{"baseline.differs.what"}, {"baseline.differs.before", .weight = 1},
			{"baseline.differs.after", .weight = 1}}};
	if (!p->n_differs)
		return;
	document_heading(d, 3, NULL, said(d, "baseline.differs", NULL));
	document_say(d, BLOCK_CAPTION, "baseline.differs.about", NULL)->level = 1;
	struct rows t = rows_begin(d, &form, 0);
	for (int i = 0; i < p->n_differs && i < most; i++) {
		const struct difference *one = &p->differs[i];
		put(&t, one->own ? literal(d, one->what) : said(d, one->what, NULL));
		put(&t, *one->before ? literal(d, one->before) : "–");
		put(&t, *one->after ? literal(d, one->after) : "–");
	}
	if (p->n_differs > most)
		document_say(d, BLOCK_CAPTION, "baseline.differs.more", "n",
			format_count(d->arena, p->n_differs - most), NULL);
}

const char *change_differences(struct document *d, const struct pair *p, int most)
{
	enum { VALUE_LETTERS = 60 };
	const char *list = "";
	for (int i = 0; i < p->n_differs && i < most; i++) {
		const struct difference *one = &p->differs[i];
		const char *side[2] = {one->before, one->after};
		for (int s = 0; s < 2; s++)
			side[s] = *side[s] ? short_text(d, side[s], VALUE_LETTERS) : "–";
		list = listed(d->arena, list, "; ",
			said(d, "baseline.differs.one", "what",
				one->own ? literal(d, one->what) : said(d, one->what, NULL),
				"before", side[0], "after", side[1], NULL));
	}
	return !p->n_differs
		? ""
		: said(d, "baseline.differs.line", "list", list, "more",
			  format_count(d->arena, p->n_differs > most ? p->n_differs - most : 0),
			  NULL);
}

void add_worse_kernels(struct document *d, const struct pair *p, int most)
{
	struct arena *a = d->arena;
	const char *last = "";
	for (size_t i = 0; i < p->n_kernels && most; i++) {
		const struct compared_kernel *k = &p->kernel[i];
		if (!kernel_is_worse(p, k))
			continue;
		const char *text = said(d, *k->op ? "baseline.worse.of" : "baseline.worse", "name",
			tidy_name(a, k->name), "op", k->op, "ratio", format_ratio(a, k->time.ratio),
			"low", format_ratio(a, k->time.low), "high", format_ratio(a, k->time.high),
			NULL);
		if (!strcmp(text, last)) /* another shape of it */
			continue;
		document_add(d, BLOCK_TEXT, text);
		last = text;
		most--;
	}
}

static void add_findings(
	struct document *d, const char *key, const struct rule *const *detector, int n)
{
	const char *list = "";
	for (int i = 0; i < n; i++)
		list = listed(d->arena, list, ", ", finding_named(d, detector[i]->id));
	if (n)
		document_say(d, BLOCK_TEXT, key, "findings", list, NULL);
}

void add_changes(struct document *d, const struct input *in, const struct pair *p)
{
	add_findings(d, "baseline.came", p->came, p->n_came);
	add_findings(d, "baseline.went", p->went, p->n_went);
	for (int i = 0; i < p->n_broke; i++) {
		const struct verdict *v = p->broke[i];
		document_say(d, BLOCK_TEXT, "baseline.broke", "what",
			verdict_text(d, in, p->after.recording[0], v), "expected",
			verdict_expected(d, v), "observed", verdict_observed(d, v), NULL);
	}
}

/* Slower ones first, then by how far they are from 1. */
static int by_interest(const void *left, const void *right)
{
	const struct pair *a = *(const struct pair *const *)left,
			  *b = *(const struct pair *const *)right;
	static const int order[CHANGES] = {[CHANGE_SLOWER] = 0,
		[CHANGE_FASTER] = 1,
		[CHANGE_INCONCLUSIVE] = 2,
		[CHANGE_SAME] = 3};
	int x = order[pair_change(a)], y = order[pair_change(b)];
	return x != y ? x - y : (a > b) - (a < b);
}

void add_pairs(struct document *d, const struct comparison *all, int from, int to)
{
	static const struct table_form form = {
		.column = {{"baseline.case", .weight = 1}, {"baseline.before", COLUMN_NUMBER},
			{"baseline.after", COLUMN_NUMBER}, {"baseline.change", COLUMN_VERDICT},
			{"baseline.range", COLUMN_NUMBER}, {"baseline.measure.cpu", COLUMN_VERDICT},
			{"baseline.measure.device", COLUMN_VERDICT}, {"baseline.part"}}};
	struct arena *a = d->arena;
	const struct pair **order = arena_array(a, (size_t)all->n, sizeof *order);
	for (int i = 0; i < all->n; i++)
		order[i] = &all->pair[i];
	qsort(order, (size_t)all->n, sizeof *order, by_interest);
	struct rows t = rows_begin(d, &form, 0);
	for (int i = from; i < all->n && i < to; i++) {
		const struct pair *p = order[i];
		struct part_bar bar[PART_BARS];
		const struct part_bar *largest = pair_bars(p, bar) ? largest_bar(bar) : NULL;
		const struct report_case *c = p->after.recording[p->after.main];
		put(&t, d->has_cases ? case_link(d, c) : literal(d, c->title));
		put_time(&t, (double)p->step.before_ns);
		put_time(&t, (double)p->step.after_ns);
		put_change(&t, &p->step);
		put(&t,
			p->step.level > 0 ? arena_printf(a, "%s – %s", format_ratio(a, p->step.low),
						    format_ratio(a, p->step.high))
					  : "–");
		put_change(&t, &p->cpu);
		put_change(&t, &p->device);
		put(&t,
			largest ? said(d, "baseline.part.value", "part", part_word(d, largest),
					  "change",
					  signed_time(a, largest->after_ns - largest->before_ns),
					  NULL)
				: "–");
	}
}
