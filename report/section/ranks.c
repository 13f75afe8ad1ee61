/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/template_sections.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/ranks.h"
#include "report/page/table_builder.h"
#include "report/rules/advice.h"
#include "report/run/manifest.h"
#include "report/run/ranks_of_run.h"
#include "report/section/headline.h"
#include "report/section/parts.h"
#include "report/section/ranks_scale.h"
#include "report/section/rule_words.h"

#include <string.h>

enum { MOST_RANK_ROWS = 24, MOST_OUTLIERS = 16, MOST_LEFT_OUT = 12 };

static void add_left_out(struct document *d, const struct run *run)
{
	struct arena *a = d->arena;
	const char *list = "";
	int n = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const char *why = rank_left_out(&run->cases[i]);
		if (!why || n++ >= MOST_LEFT_OUT)
			continue;
		list = listed(a, list, ", ", said(d, why, "name", run->cases[i].title, NULL));
	}
	if (n > MOST_LEFT_OUT)
		list = said(d, "ranks.out.more", "list", list, "n",
			format_count(a, n - MOST_LEFT_OUT), NULL);
	if (n)
		document_say(d, BLOCK_TEXT, "ranks.out", "list", list, NULL);
}

static const struct table_form form = {
	.column = {{"ranks.rank", .weight = 1}, {"ranks.step", COLUMN_NUMBER},
		{"ranks.window", COLUMN_NUMBER}, {"ranks.busy", COLUMN_NUMBER},
		{"ranks.compute", COLUMN_NUMBER}, {"ranks.communication", COLUMN_NUMBER},
		{"ranks.exposed", COLUMN_NUMBER}, {"ranks.kernel", COLUMN_NUMBER},
		{"ranks.idle", COLUMN_NUMBER}}};

static void put_rank(struct rows *t, const struct rank_row *row)
{
	struct arena *a = t->d->arena;
	put(t,
		said(t->d, "ranks.row", "rank", format_count(a, row->rank), "steps",
			format_count(a, row->n_steps), NULL));
	for (int k = 0; k < RANK_COLUMNS; k++)
		put(t, row->value[k] ? format_time(a, (double)row->value[k]) : "–");
}

/* Of more than fit, those that differ, and the median of all. */
static void add_rows(struct document *d, const struct ranks *r)
{
	struct arena *a = d->arena;
	bool all = r->n <= MOST_RANK_ROWS;
	uint32_t n = r->n, *few = all ? NULL : ranks_apart(a, r, MOST_OUTLIERS, &n);
	if (!all)
		document_say(d, BLOCK_TEXT, n ? "ranks.few" : "ranks.alike", "n",
			format_count(a, n), "all", format_count(a, r->n), NULL);
	struct rows t = rows_begin(d, &form, 0);
	for (uint32_t i = 0; i < n; i++)
		put_rank(&t, &r->row[all ? i : few[i]]);
	if (!all) {
		put_said(&t, "ranks.median")->bold = true;
		for (int k = 0; k < RANK_COLUMNS; k++)
			put_time(&t, r->spread[k].median)->bold = true;
	}
	put_said(&t, "ranks.spread")->bold = true;
	for (int k = 0; k < RANK_COLUMNS; k++)
		put(&t, format_share(a, r->spread[k].share))->bold = true;
}

/* "2, 6": who is late like the straggler. */
static const char *also_late(struct document *d, const struct ranks *r)
{
	const struct straggler *s = &r->straggler;
	const char *list = "";
	for (uint32_t i = 0; i < s->n_also; i++)
		list = listed(
			d->arena, list, ", ", format_count(d->arena, r->row[s->also[i]].rank));
	return s->n_also ? said(d, s->n_also > 1 ? "straggler.also" : "straggler.also.one", "list",
				   list, NULL)
			 : "";
}

static void add_straggler(struct document *d, const struct ranks *r)
{
	struct arena *a = d->arena;
	const struct straggler *s = &r->straggler;
	char key[64];
	const char *rank = s->row == NO_ROW ? "–" : format_count(a, r->row[s->row].rank);
	snprintf(key, sizeof key,
		s->reason == STRAGGLER_FOUND ? "straggler.found.%d" : "straggler.%d",
		s->reason == STRAGGLER_FOUND ? (int)s->rule : (int)s->reason);
	document_say(d, BLOCK_TEXT, key, "rank", rank, "led", format_count(a, s->steps_led),
		"steps", format_count(a, s->n_steps), "own", format_time(a, s->own_ns), "others",
		format_time(a, s->others_ns), "margin", format_time(a, s->margin_ns), "also",
		also_late(d, r), NULL);
}

bool many_ranks(const struct run *run)
{
	int n = 0;
	for (int i = 0; i < run->n_cases; i++)
		n += !rank_left_out(&run->cases[i]);
	return !run->of_matrix && n > MOST_RANK_ROWS;
}

static struct ranks ranks_in(struct document *d, const struct run *run)
{
	uint32_t n;
	struct rank_part *part = rank_parts_of(d->arena, run, &n);
	return ranks_of(d->arena, part, n);
}

const struct report_case *straggler_of(struct document *d, const struct run *run)
{
	if (run->of_matrix || run->n_cases < 2)
		return NULL;
	const struct ranks r = ranks_in(d, run);
	return r.n < 2 || r.straggler.reason != STRAGGLER_FOUND
		? NULL
		: case_of_rank_part(run, r.row[r.straggler.row].part);
}

static int64_t communicates_ns(const struct report_case *c)
{
	return breakdown_window(c->breakdown)->ns[TIME_COMMUNICATION];
}

bool waits_for_rank(const struct report_case *c, const struct report_case *late)
{
	return late && c != late && c->readable &&
		c->breakdown->headline == HEADLINE_COMMUNICATION &&
		communicates_ns(c) >= 2 * communicates_ns(late);
}

void add_wait_for_rank(
	struct document *d, const struct report_case *c, const struct report_case *late)
{
	struct arena *a = d->arena;
	if (waits_for_rank(c, late))
		document_say(d, BLOCK_TEXT, "straggler.here", "rank",
			format_count(a, late->trace.rank), "time",
			format_time(a, (double)communicates_ns(c)), "own",
			format_time(a, (double)communicates_ns(late)), "place", late->place, NULL);
}

const char *straggler_title(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	const struct run *run = in->n_runs == 1 ? &in->runs[0] : NULL;
	if (!run || !straggler_of(d, run))
		return NULL;
	const struct ranks r = ranks_in(d, run);
	const struct straggler *s = &r.straggler;
	const char *key = s->rule == STRAGGLER_BY_STEP ? "straggler.title.step"
		: s->windows			       ? "straggler.title.window"
						       : "straggler.title";
	return said(d, key, "rank", format_count(a, r.row[s->row].rank), "n",
		format_count(a, (int64_t)(r.n - 1 - s->n_also)), "time",
		format_time(a, s->margin_ns), NULL);
}

const char *trace_title(struct document *d, const struct report_case *c)
{
	int64_t same = 0;
	for (int i = 0; i < c->run->n_cases; i++)
		same += c->run->cases[i].trace.rank == c->trace.rank;
	return c->run->of_matrix || c->run->n_cases < 2 || c->trace.rank < 0 || same > 1
		? NULL
		: said(d, "ranks.name", "rank", format_count(d->arena, c->trace.rank), NULL);
}

/* ---- the verdict of a folder ---- */

const char *limit_beside(
	struct document *d, const struct report_case *c, const struct report_case *late)
{
	return waits_for_rank(c, late)
		? said(d, "straggler.waits", "rank", format_count(d->arena, late->trace.rank), NULL)
		: headline_word(d, c);
}

struct counted_word {
	const char *word;
	int n;
};

/* "launch-bound 5 of 8, mixed 3 of 8", the most frequent first. */
static const char *limits_of(
	struct document *d, const struct run *run, const struct report_case *late)
{
	struct counted_word *w = arena_array(d->arena, (size_t)run->n_cases + 1, sizeof *w);
	int n = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		const char *word = c->readable ? limit_beside(d, c, late) : NULL;
		int k = 0;
		while (word && k < n && strcmp(w[k].word, word) != 0)
			k++;
		if (word && k == n)
			w[n++] = (struct counted_word){word, 0};
		if (word)
			w[k].n++;
		for (; word && k && w[k].n > w[k - 1].n; k--) {
			struct counted_word swapped = w[k];
			w[k] = w[k - 1];
			w[k - 1] = swapped;
		}
	}
	const char *list = "";
	for (int k = 0; k < n; k++)
		list = listed(d->arena, list, ", ",
			said(d, "folder.limit", "word", w[k].word, "n",
				format_count(d->arena, w[k].n), "all",
				format_count(d->arena, run->n_cases), NULL));
	return list;
}

/* The remedy that stands first in most traces, and the trace in which it saves most. */
static void add_first_remedy(struct document *d, const struct run *run)
{
	const struct report_case *best = NULL;
	int most = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i], *largest = c;
		int n = 0;
		if (!c->readable || !c->advice->n)
			continue;
		for (int k = 0; k < run->n_cases; k++) {
			const struct report_case *o = &run->cases[k];
			if (!o->readable || !o->advice->n ||
				strcmp(o->advice->action[0].rule->id,
					c->advice->action[0].rule->id) != 0)
				continue;
			n++;
			if (o->advice->action[0].give_back_ns >
				largest->advice->action[0].give_back_ns)
				largest = o;
		}
		best = n > most ? largest : best;
		most = max_int(n, most);
	}
	if (!best)
		return;
	const struct finding *one = &best->advice->action[0];
	document_say(d, BLOCK_TEXT, "folder.first", "n", format_count(d->arena, most), "all",
		format_count(d->arena, run->n_cases), "title", rule_title(d->texts, one->rule),
		"gain", action_gain(d, best->advice, one), "trace", best->title, NULL);
}

/* Of several parts or ranks, that which waits most for its data. */
static void add_longest_wait(struct document *d, const struct run *run)
{
	const struct report_case *most = NULL;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (c->loading && (!most || c->loading->wait_ms > most->loading->wait_ms))
			most = c;
	}
	if (most)
		add_loading(d, most);
}

/* What keeps the rank that the others wait for, and what to do about it: in place of the remedies
 * of those that wait. */
static void add_cause(struct document *d, const struct report_case *late)
{
	const struct advice *x = late->advice;
	document_say(d, BLOCK_TEXT, "straggler.why", "rank",
		format_count(d->arena, late->trace.rank), NULL)
		->level = 1;
	add_headline(d, late);
	add_verdict_rule(d, late);
	if (!x->n)
		return;
	const struct finding *one = &x->action[0];
	document_say(d, BLOCK_TEXT, "straggler.first", "rank",
		format_count(d->arena, late->trace.rank), "title", rule_title(d->texts, one->rule),
		"gain", action_gain(d, x, one), "sentence", rule_sentence(d->texts, d->arena, one),
		"switch", rule_do(d->texts, d->arena, one), NULL);
}

void add_folder_verdict(struct document *d, const struct run *run)
{
	enum { MOST_COMPARED = 2000 };
	const struct ranks r = ranks_in(d, run);
	const struct report_case *late = straggler_of(d, run);
	const char *limits = limits_of(d, run, late);
	if (*limits)
		document_say(d, BLOCK_TEXT, "folder.limits", "list", limits, NULL);
	add_longest_wait(d, run);
	if (r.n >= 2)
		add_straggler(d, &r);
	if (late)
		add_cause(d, late);
	else if (run->n_cases <= MOST_COMPARED)
		add_first_remedy(d, run);
}

void section_ranks(struct document *d, const struct input *in)
{
	for (int i = 0; i < in->n_runs; i++) {
		if (in->runs[i].of_matrix || in->runs[i].n_cases < 2)
			continue;
		uint32_t n;
		const struct rank_part *part = rank_parts_of(d->arena, &in->runs[i], &n);
		const struct ranks r = ranks_of(d->arena, part, n);
		if (r.n < 2)
			continue;
		document_heading(d, 2, "ranks", said(d, "ranks.title", NULL));
		document_say(d, BLOCK_TEXT, "ranks.about", NULL);
		add_rows(d, &r);
		add_nodes(d, &r, part);
		add_meetings(d, &r, part);
		add_bubbles(d, &r, part);
		add_left_out(d, &in->runs[i]);
	}
}
