/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/analyse/analysis.h"
#include "report/name/shorten.h"
#include "report/page/rich_text.h"
#include "report/rules/advice.h"
#include "report/section/rule_words.h"
#include "report/section/value_words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Where a finding's mark stands: in which picture, and on what. */
struct place {
	const struct finding *f;
	int rank;
	struct timeline *tl;
	struct callout mark;
	bool cut; /* what it stands on goes on behind the picture's edge */
};

struct callouts {
	struct place place[MOST_CALLOUTS]; /* (n) mark i + 1 */
	int n;
	const struct finding **rest; /* (n_rest) fired, without a mark */
	bool *unseen; /* (n_rest) because no picture shows what it is about */
	int n_rest;
};

/* ---- words ---- */

/* Its sentence with its values, then what to do about it. */
static const char *finding_text(struct document *d, const struct finding *f)
{
	const char *todo = rule_do(d->texts, d->arena, f);
	return said(d, *todo ? "finding.line" : "finding.line.short", "label", rule_label(f->rule),
		"title", rule_title(d->texts, f->rule), "sentence",
		rule_sentence(d->texts, d->arena, f), "do", todo, NULL);
}

/* The same without what to do: there is nothing. */
static const char *described_text(struct document *d, const struct finding *f)
{
	return said(d, "finding.line.short", "label", rule_label(f->rule), "title",
		rule_title(d->texts, f->rule), "sentence", rule_sentence(d->texts, d->arena, f),
		NULL);
}

const char *finding_named(struct document *d, const char *id)
{
	const struct rule *one = rule_find(id);
	const char *title = one ? rule_title(d->texts, one) : "";
	return said(d, *title ? "finding.named" : "finding.unnamed", "title", title, "label",
		one ? rule_label(one) : id, NULL);
}

const char *finding_missed(struct document *d, const struct finding *f)
{
	const struct rule *one = f->rule;
	struct text_builder list = {.arena = d->arena};
	const char *words = rule_text(d->texts, one, "missed");
	if (*words)
		return rule_filled(d->texts, d->arena, f, words);
	for (int i = 0; i < RULE_VALUES && one->value[i].name; i++)
		if (f->value[i].known)
			text_add(&list, "%s%s %s", text_separator(&list, ", "), one->value[i].name,
				value_in_words(d->arena, one->value[i].unit, f->value[i].number,
					f->value[i].text));
	return list.n ? said(d, "finding.measured", "list", text_built(&list), NULL) : "";
}

/* ---- marks ---- */

static const double SEEN = 1.5, SEEN_IDLE = 4, SEEN_CUT = 14;

/* A finding whose mark looks for a place among the pictures of its case. */
struct trial {
	const struct report_case *c;
	const struct pictures *on;
	const struct finding *f;
	int64_t top; /* weight of the most telling event */
};

/* True for a row of another step than the one that the zoom is about. */
static bool is_beside(const struct trial *q, uint32_t row)
{
	const struct trace *t = &q->c->trace;
	uint32_t call = event_on_device(t->kind[row]) ? analysis_launch_of(t, row) : row;
	uint32_t step = analysis_step_at(q->c->analysis, t->start_ns[call == NO_ROW ? row : call]);
	return step != NO_ROW && step != q->on->step;
}

static bool fits(const struct trial *q, struct timeline *tl, struct place *p, bool may_be_cut)
{
	bool gap = p->mark.gap_from_ns < p->mark.gap_to_ns;
	double w = timeline_place_width(tl, &p->mark, &p->cut);
	if (!gap && tl == q->on->zoom && is_beside(q, p->mark.row))
		return false;
	p->tl = tl;
	return w >= (p->cut ? SEEN_CUT : gap ? SEEN_IDLE : SEEN) && (may_be_cut || !p->cut);
}

/* Takes the longest gap of the finding that the picture shows. */
static bool find_gap_place(const struct trial *q, struct timeline *tl, bool cut, struct place *p)
{
	for (int i = 0; i < q->f->n_gaps; i++) {
		const struct finding_gap *g = &q->f->gap[i];
		if (g->end_ns - g->start_ns < (q->f->gap[0].end_ns - q->f->gap[0].start_ns) / 2)
			break;
		p->mark = (struct callout){
			.row = g->beside, .gap_from_ns = g->start_ns, .gap_to_ns = g->end_ns};
		if (fits(q, tl, p, cut))
			return true;
	}
	return false;
}

/* Takes the first event that the picture shows and that is about as telling as the most telling
 * one. */
static bool find_row_place(
	const struct trial *q, struct timeline *tl, bool cut, double share, struct place *p)
{
	for (int i = 0; i < q->f->n_evidence; i++) {
		bool weighs = q->top > 0 && q->top < INT64_MAX;
		if (weighs && (double)q->f->weight[i] < share * (double)q->top)
			break;
		p->mark = (struct callout){.row = q->f->evidence[i]};
		if (fits(q, tl, p, cut))
			return true;
	}
	return false;
}

/* Weight of the most telling event that a timeline can show: steps are bands. */
static int64_t top_weight(const struct report_case *c, const struct finding *f)
{
	for (int i = 0; i < f->n_evidence; i++)
		if (c->analysis->class[f->evidence[i]] != CLASS_STEP)
			return f->weight[i];
	return 0;
}

/* Tries a place that is whole in the better picture, then one whole in any, then one cut by an
 * edge. */
static bool find_place(const struct trial *q, struct place *p)
{
	static const struct {
		int pictures;
		double share;
		bool cut;
	} pass[] = {{1, 0.9, false}, {2, 0.5, false}, {2, 0.5, true}};
	struct timeline *first = q->on->steps, *other = q->on->zoom;
	if (q->on->prefers_zoom && other) {
		first = other;
		other = q->on->steps;
	}
	for (size_t i = 0; i < sizeof pass / sizeof *pass; i++)
		for (int k = 0; k < pass[i].pictures; k++) {
			struct timeline *tl = k ? other : first;
			if (tl &&
				(q->f->n_gaps ? find_gap_place(q, tl, pass[i].cut, p)
					      : find_row_place(
							q, tl, pass[i].cut, pass[i].share, p)))
				return true;
		}
	return false;
}

/* The wider picture first, in it what saves most; of pages that list both together, that alone. */
static int by_picture(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int64_t dx = x->tl->to_ns - x->tl->from_ns, dy = y->tl->to_ns - y->tl->from_ns;
	if (x->tl == y->tl || dx == dy)
		return x->rank - y->rank;
	return dx < dy ? 1 : -1;
}

static void give_marks(struct document *d, struct callouts *chosen, struct timeline *tl)
{
	if (!tl)
		return;
	struct callout *mark = arena_array(d->arena, MOST_CALLOUTS, sizeof *mark);
	tl->n_callouts = 0;
	for (int i = 0; i < chosen->n; i++)
		if (chosen->place[i].tl == tl) {
			mark[tl->n_callouts] = chosen->place[i].mark;
			mark[tl->n_callouts++].number = i + 1;
		}
	tl->callouts = mark;
}

/* The fired findings (n_fired), what saves most first; of equal ones as they were ranked. */
static const struct finding **fired_by_saving(struct arena *arena, const struct report_case *c)
{
	const struct findings *all = &c->findings;
	const struct finding **f = arena_array(arena, (size_t)all->n_fired + 1, sizeof *f);
	for (int i = 0; i < all->n_fired; i++) {
		int at = i;
		const struct finding *one = &all->finding[all->ranked[i]];
		int64_t saves = finding_saves(c, one);
		for (; at && finding_saves(c, f[at - 1]) < saves; at--)
			f[at] = f[at - 1];
		f[at] = one;
	}
	return f;
}

struct callouts *choose_callouts(
	struct document *d, const struct report_case *c, const struct pictures *on)
{
	const struct findings *all = &c->findings;
	struct callouts *chosen = arena_alloc(d->arena, sizeof *chosen);
	chosen->rest = arena_array(d->arena, (size_t)all->n_fired + 1, sizeof *chosen->rest);
	chosen->unseen = arena_array(d->arena, (size_t)all->n_fired + 1, sizeof *chosen->unseen);
	const struct finding **by_saving = fired_by_saving(d->arena, c);
	for (int i = 0; i < all->n_fired; i++) {
		const struct finding *f = by_saving[i];
		if (finding_repeats(f, all) || (d->brief && !finding_is_worth(c, f)))
			continue;
		struct trial q = {c, on, f, top_weight(c, f)};
		struct place p = {.f = f, .rank = i};
		bool seen = find_place(&q, &p);
		if (seen && chosen->n < MOST_CALLOUTS) {
			chosen->place[chosen->n++] = p;
			continue;
		}
		chosen->unseen[chosen->n_rest] = !seen;
		chosen->rest[chosen->n_rest++] = f;
	}
	if (!d->brief)
		qsort(chosen->place, (size_t)chosen->n, sizeof *chosen->place, by_picture);
	give_marks(d, chosen, on->steps);
	give_marks(d, chosen, on->zoom);
	return chosen;
}

/* By which thresholds these fired, where they are not the usual ones. */
static void add_limits(struct document *d, const struct finding *const *fired, int n)
{
	const char *list = thresholds_of(d, fired, n);
	if (list[0])
		document_say(d, BLOCK_CAPTION, "finding.limits", "list", list, NULL);
}

static void add_rest_line(
	struct document *d, const struct callouts *chosen, bool unseen, const char *key)
{
	struct arena *a = d->arena;
	struct text_builder list = {.arena = a};
	for (int i = 0; i < chosen->n_rest; i++) {
		const struct rule *one = chosen->rest[i]->rule;
		if (chosen->unseen[i] != unseen)
			continue;
		text_add(&list, "%s%s (%s)", text_separator(&list, ", "),
			rich_plain(a, rule_title(d->texts, one)), rule_label(one));
	}
	if (list.n)
		document_say(d, BLOCK_CAPTION, key, "list", text_built(&list), NULL);
}

static void add_rest(struct document *d, const struct callouts *chosen)
{
	add_rest_line(d, chosen, false, "finding.rest");
	add_rest_line(d, chosen, true, "finding.unseen");
}

static const char *disc(int i)
{
	static const char *const discs[] = {"①", "②", "③", "④", "⑤", "⑥", "⑦", "⑧", "⑨"};
	return discs[i];
}

static const char *place_text(struct document *d, const struct place *p)
{
	const char *text = finding_text(d, p->f);
	bool idle = p->mark.gap_from_ns < p->mark.gap_to_ns;
	return p->cut ? said(d, idle ? "finding.cut.idle" : "finding.cut", "line", text, NULL)
		      : text;
}

static void add_line(struct document *d, const char *note, const char *text)
{
	struct block *b = document_add(d, BLOCK_POINT, text);
	b->note = note;
	b->small = true;
}

static void add_limits_of(struct document *d, const struct callouts *chosen)
{
	int n = chosen->n + chosen->n_rest;
	const struct finding **all = arena_array(d->arena, (size_t)n + 1, sizeof *all);
	for (int i = 0; i < n; i++)
		all[i] = i < chosen->n ? chosen->place[i].f : chosen->rest[i - chosen->n];
	add_limits(d, all, n);
}

void add_callouts(
	struct document *d, const struct callouts *chosen, const struct timeline *tl, bool last)
{
	for (int i = 0; i < chosen->n; i++)
		if (chosen->place[i].tl == tl)
			add_line(d, disc(i), place_text(d, &chosen->place[i]));
	if (!last)
		return;
	add_rest(d, chosen);
	add_limits_of(d, chosen);
}

static void add_saving(struct document *d, const struct report_case *c, const struct finding *f,
	const char *note, const char *text)
{
	const char *key = c->advice->steps ? "advice.gain.step" : "advice.gain.whole";
	const char *gain = said(d, key, "time", format_time(d->arena, (double)finding_saves(c, f)),
		"times", "", NULL);
	add_line(d, note, said(d, "finding.line.gain", "line", text, "gain", gain, NULL));
}

/* By rank: those with a mark come first only where they save as much. */
void add_worth(struct document *d, const struct report_case *c, const struct callouts *chosen)
{
	int i = 0, k = 0;
	while (i < chosen->n || k < chosen->n_rest) {
		const struct place *p = i < chosen->n ? &chosen->place[i] : NULL;
		const struct finding *rest = k < chosen->n_rest ? chosen->rest[k] : NULL;
		assert(p || rest);
		if (p && (!rest || finding_saves(c, p->f) >= finding_saves(c, rest))) {
			add_saving(d, c, p->f, disc(i++), place_text(d, p));
		} else if (rest) {
			add_saving(d, c, rest, "·", finding_text(d, rest));
			k++;
		}
	}
	add_limits_of(d, chosen);
}

void add_described(struct document *d, const struct report_case *c)
{
	const struct findings *all = &c->findings;
	const struct finding **said_of = arena_array(d->arena, (size_t)all->n + 1, sizeof *said_of);
	int n = 0;
	for (int i = 0; i < all->n; i++) {
		const struct finding *f = &all->finding[i];
		if (f->state != FINDING_FIRED || !finding_describes(c, f))
			continue;
		add_line(d, "·", described_text(d, f));
		said_of[n++] = f;
	}
	add_limits(d, said_of, n);
}

static bool has_fired(const struct findings *all, const char *detector)
{
	const struct finding *f = findings_find(all, detector);
	return f && f->state == FINDING_FIRED;
}

bool case_fired(const struct report_case *c, const char *detector)
{
	if (c->readable && has_fired(&c->findings, detector))
		return true;
	for (const struct compared_case *one = c->compared; one; one = one->next)
		if (has_fired(&one->findings, detector))
			return true;
	return false;
}

void add_compared(struct document *d, const struct report_case *c)
{
	const struct finding **fired =
		arena_array(d->arena, (size_t)rule_findings(), sizeof *fired);
	for (const struct compared_case *one = c->compared; one; one = one->next) {
		const struct findings *all = &one->findings;
		for (int i = 0; i < all->n_fired; i++) {
			fired[i] = &all->finding[all->ranked[i]];
			struct block *b = document_say(d, BLOCK_POINT, "finding.beside", "case",
				one->base->title, "line", finding_text(d, fired[i]), NULL);
			b->note = "⇄";
			b->small = true;
		}
		add_limits(d, fired, all->n_fired);
	}
}
