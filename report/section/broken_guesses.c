/* SPDX-License-Identifier: Apache-2.0 */
/* The guesses that broke: the most surprising first, each with what the traces show of its cause.
 */
#include "report/section/broken_guesses.h"

#include "base/number_format.h"
#include "base/sort.h"
#include "base/text_builder.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/step_idle.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/section/parts.h"
#include "report/section/template_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which, and how surprising ---- */

/* How far beyond its limit a number is, noise taken off, as the logarithm of a ratio; 0 for what is
 * no number. */
static double surprise_of(const struct verdict *v)
{
	bool above = v->value > v->max;
	double limit = above ? v->max : v->min, seen = v->value;
	if (v->certainty.n_mine)
		seen = above ? v->certainty.low : v->certainty.high;
	return isfinite(limit) && limit > 0 && seen > 0 ? fabs(log(seen / limit)) : 0;
}

static bool is_first_of_its_fact(const struct report_case *c, int nth)
{
	const struct verdict *v = &c->verdicts->verdict[nth];
	for (int i = nth - 1; i >= 0; i--) {
		const struct verdict *o = &c->verdicts->verdict[i];
		if (c->n_sentences && o->sentence != v->sentence)
			return true; /* those of a sentence stand together */
		if (o->state == VERDICT_BROKEN)
			return false;
	}
	return true;
}

/* Of a guess in sentences: what the program fixes, whatever the machine. */
static bool is_shape(const struct report_case *c, const struct verdict *v)
{
	return c->n_sentences && v->sentence == NO_SENTENCE;
}

static bool is_fact(const struct report_case *c, int nth)
{
	const struct verdict *v = &c->verdicts->verdict[nth];
	const struct sentence *s = tested_sentence(c, v);
	return v->state == VERDICT_BROKEN && (!s || s->state == SENTENCE_BROKE) &&
		is_first_of_its_fact(c, nth);
}

ORDER(by_surprise, struct surprise, DOWN(size) ?: UP(order));

struct surprise *surprises_of(struct arena *a, const struct input *in, int *n)
{
	struct surprise *all = NULL;
	for (int filling = 0; filling < 2; filling++) {
		if (filling)
			all = arena_array(a, (size_t)*n, sizeof *all);
		*n = 0;
		for (const struct report_case *c = NULL; (c = next_case(in, c));)
			for (int i = 0; i < c->verdicts->n; i++) {
				const struct verdict *v = &c->verdicts->verdict[i];
				if (!is_fact(c, i) || is_shape(c, v))
					continue;
				if (filling)
					all[*n] = (struct surprise){c, v, surprise_of(v), *n};
				++*n;
			}
	}
	if (*n)
		qsort(all, (size_t)*n, sizeof *all, by_surprise);
	return all;
}

/* ---- why ---- */

/* Device time of a steady step by kind of work, in nanoseconds. */
static void time_part_by_kind(const struct report_case *c, double ns[TIME_PARTS])
{
	const struct analysis *a = c->analysis;
	uint32_t from = steady_from(a), n = a->n_steps - from;
	for (int p = 0; p < TIME_PARTS; p++)
		ns[p] = 0;
	for (uint32_t i = from; i < a->n_steps; i++)
		for (uint32_t k = 0; k < a->steps[i].n_device; k++) {
			uint32_t row = a->steps[i].device[k];
			ns[time_part_of(a, row)] += (double)c->trace.dur_ns[row] / n;
		}
}

/* The longest device event of a kind in the first steady step, by its name; "". */
static const char *kernel_of(const struct report_case *c, enum time_part part)
{
	const struct analysis *a = c->analysis;
	const struct step *s = &a->steps[steady_from(a)];
	uint32_t longest = NO_ROW;
	for (uint32_t k = 0; k < s->n_device; k++) {
		uint32_t row = s->device[k];
		if (time_part_of(a, row) == part &&
			(longest == NO_ROW || c->trace.dur_ns[row] > c->trace.dur_ns[longest]))
			longest = row;
	}
	return longest == NO_ROW ? "" : trace_row_name(&c->trace, longest);
}

/* The same kernel on more or fewer bytes: at which rates. "" where the bytes are the same. */
static const char *cause_of_bytes(
	struct document *d, const struct report_case *c, const struct report_case *o)
{
	struct arena *a = d->arena;
	double mine = told_work(c)->bytes, others = told_work(o)->bytes;
	double ns = numbers_of(c->analysis).device_ns, other_ns = numbers_of(o->analysis).device_ns;
	if (!(mine > 0) || !(others > 0) || mine == others || !(ns > 0) || !(other_ns > 0))
		return "";
	return said(d, "surprise.bytes", "bytes", format_si(a, mine, "B"), "others",
		format_si(a, others, "B"), "rate", format_si(a, mine / ns * 1e9, "B/s"),
		"others_rate", format_si(a, others / other_ns * 1e9, "B/s"), NULL);
}

/* The kind of device work that most of a difference is, and whether its kernel is the same. */
static const char *cause_on_device(struct document *d, const struct input *in,
	const struct report_case *c, const struct verdict *v)
{
	struct arena *a = d->arena;
	const struct report_case *o = v->other ? input_find(in, c->run, v->other) : NULL;
	double mine[TIME_PARTS], others[TIME_PARTS], all = 0;
	int most = 0;
	if (!o || !o->analysis->n_steps || !c->analysis->n_steps)
		return "";
	time_part_by_kind(c, mine);
	time_part_by_kind(o, others);
	for (int p = 0; p < TIME_PARTS; p++) {
		all += mine[p] - others[p];
		most = fabs(mine[p] - others[p]) > fabs(mine[most] - others[most]) ? p : most;
	}
	const char *one = kernel_of(c, most), *other = kernel_of(o, most);
	const char *key = !*one || !*other ? "surprise.work"
		: strcmp(one, other)	   ? "surprise.kernel"
					   : "surprise.same_kernel";
	const char *bytes = strcmp(one, other) ? "" : cause_of_bytes(d, c, o);
	if (*bytes || !(fabs(all) > 0))
		return bytes;
	return said(d, key, "part", said_by(d, "breakdown.%s", time_part_name(most)), "mine",
		format_time(a, mine[most]), "others", format_time(a, others[most]), "share",
		format_share(a, fmin(fabs((mine[most] - others[most]) / all), 1)), "kernel",
		event_name(d, one), "other", event_name(d, other), NULL);
}

/* What a step of a case did that the others need not do. */
static const char *setup_of(struct document *d, const struct report_case *c, uint32_t nth,
	const char *key, const char *other)
{
	const struct analysis *a = c->analysis;
	if (nth == NO_ROW || nth >= a->n_steps)
		return "";
	const struct step *s = &a->steps[nth];
	if (!s->n_setup || 2 * s->setup_ns < s->dur_ns) /* that is not what makes it wide */
		return "";
	uint32_t longest = s->setup[0];
	for (uint32_t i = 1; i < s->n_setup; i++)
		if (c->trace.dur_ns[s->setup[i]] > c->trace.dur_ns[longest])
			longest = s->setup[i];
	return said(d, key, "title", c->title, "n", format_count(d->arena, s->number), "time",
		format_time(d->arena, (double)s->setup_ns), "all",
		format_time(d->arena, (double)s->dur_ns), "longest",
		event_name(d, trace_row_name(&c->trace, longest)), "longest_time",
		format_time(d->arena, (double)c->trace.dur_ns[longest]), "other", other, NULL);
}

/* The step, and of a ratio of first steps the other one. */
static const char *cause_in_step(struct document *d, const struct input *in,
	const struct report_case *c, const struct verdict *v)
{
	const struct report_case *o = v->other ? input_find(in, c->run, v->other) : NULL;
	const char *other = o ? setup_of(d, o, 0, "surprise.setup.other", "") : "";
	return setup_of(
		d, c, !strcmp(v->key, "widest_step") ? v->step : 0, "surprise.setup", other);
}

static const char *cause_in_finding(
	struct document *d, const struct report_case *c, const struct verdict *v)
{
	const struct finding *f = finding_asked_for(c, v);
	const char *measured = f ? finding_missed(d, f) : "";
	return *measured ? said(d, "surprise.finding", "measured", measured, NULL) : "";
}

/* The device has less to do than was guessed, and most of its idle time is its own. */
static const char *cause_inside(
	struct document *d, const struct report_case *c, const struct verdict *v)
{
	struct arena *a = d->arena;
	if (!c->analysis->n_steps || !(v->value < v->min))
		return "";
	struct step_idle s = step_idle_of(c->analysis, median_step(c->analysis, false));
	if (!idle_is_inside(&s))
		return "";
	return said(d, "surprise.inside", "step", format_time(a, (double)s.step_ns), "idle",
		format_time(a, (double)(s.step_ns - s.busy_ns)), "inside",
		format_time(a, (double)s.inside_ns), "n", format_count(a, s.inside), "gap",
		format_time(a, s.inside_gap_ns), NULL);
}

/* What the trace shows of the cause; else that it is unknown, and what to try. */
static const char *cause_of(struct document *d, const struct input *in, const struct surprise *s)
{
	const struct verdict *v = s->v;
	const char *cause = "";
	if (!strcmp(v->key, "device_time_ratio"))
		cause = cause_on_device(d, in, s->c, v);
	else if (!strncmp(v->key, "first_step", strlen("first_step")) ||
		!strcmp(v->key, "widest_step"))
		cause = cause_in_step(d, in, s->c, v);
	else if (!strcmp(v->key, "device_busy"))
		cause = cause_inside(d, s->c, v);
	else if (!strcmp(v->key, "must_fire"))
		cause = cause_in_finding(d, s->c, v);
	return *cause
		? cause
		: said(d, "surprise.unknown", "next", verdict_hint(d->arena, d->texts, v), NULL);
}

/* ---- on the page ---- */

/* Of findings only the one that answered otherwise. */
static void wanted_and_seen(
	struct document *d, const struct verdict *v, const char **wanted, const char **saw)
{
	*wanted = verdict_expected(d, v);
	*saw = verdict_observed(d, v);
	if (!verdict_of_findings(v) || v->element >= v->n_asked)
		return;
	const char *finding = finding_named(d, v->asked[v->element].id);
	bool missing = !strcmp(v->key, "must_fire");
	*wanted = missing ? finding : said(d, "summary.finding.expected", "finding", finding, NULL);
	*saw = missing ? said(d, "summary.finding.none", NULL) : finding;
}

static void add_line(struct document *d, const char *text)
{
	struct block *b = document_add(d, BLOCK_POINT, text);
	b->note = "✗";
	b->verdict = BROKEN;
	b->small = true;
}

static void add_surprise(struct document *d, const struct input *in, const struct surprise *s)
{
	struct arena *a = d->arena;
	const struct report_case *c = s->c;
	const struct verdict *v = s->v;
	const struct sentence *guess = tested_sentence(c, v);
	const char *where = verdict_of_findings(v) ? "" : verdict_where(a, d->texts, c, v);
	const char *wanted, *saw;
	wanted_and_seen(d, v, &wanted, &saw);
	const char *because = guess ? said(d, "surprise.because", "says", guess->says, NULL) : "";
	int more = c->n_sentences ? 0 : c->verdicts->broken - 1;
	const char *rest =
		more > 0 ? said(d, "summary.point.rest", "n", format_count(a, more), NULL) : "";
	add_line(d,
		said(d, *where ? "summary.point.where" : "summary.point", "title", c->title, "what",
			verdict_text(d, in, c, v), "expected", wanted, "because", because,
			"observed", saw, "where", where, "event",
			arena_printf(
				a, "%s%s", verdict_event(a, d->texts, c, v), cause_of(d, in, s)),
			"rest", rest, "place", case_is_shown(c) ? c->place : "summary", NULL));
}

/* What the program fixes is no surprise of the machine's: all such cases in one line. */
static void add_shapes(struct document *d, const struct input *in)
{
	struct text_builder list = {.arena = d->arena};
	int64_t n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		int i = 0;
		while (i < c->verdicts->n &&
			!(c->verdicts->verdict[i].state == VERDICT_BROKEN &&
				is_shape(c, &c->verdicts->verdict[i])))
			i++;
		if (i == c->verdicts->n)
			continue;
		const struct verdict *v = &c->verdicts->verdict[i];
		n++;
		const char *wanted, *saw;
		wanted_and_seen(d, v, &wanted, &saw);
		text_add(&list, "%s%s", text_separator(&list, " "),
			said(d, "surprise.shape", "title", c->title, "what",
				verdict_text(d, in, c, v), "expected", wanted, "observed", saw,
				"because", cause_in_finding(d, c, v), NULL));
	}
	if (n)
		add_line(d,
			said(d, n == 1 ? "surprise.shapes.one" : "surprise.shapes", "n",
				format_count(d->arena, n), "list", text_built(&list), NULL));
}

void add_surprises(struct document *d, const struct input *in, int most)
{
	int n;
	const struct surprise *all = surprises_of(d->arena, in, &n);
	for (int i = 0; i < n && i < most; i++)
		add_surprise(d, in, &all[i]);
	add_shapes(d, in);
	if (n > most)
		document_say(d, BLOCK_TEXT, n - most == 1 ? "summary.more.one" : "summary.more",
			"n", format_count(d->arena, n - most), NULL);
}
