/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/brief.h"

#include "base/number_format.h"
#include "report/analyse/breakdown.h"
#include "report/compare/compare.h"
#include "report/judge/judge.h"
#include "report/name/shorten.h"
#include "report/rules/advice.h"
#include "report/section/comparison_words.h"
#include "report/section/headline.h"
#include "report/section/parts.h"
#include "report/section/rule_words.h"

/* From which detail on something is left out. */
enum { NO_SENTENCES = 1, NO_SWITCHES = 2, BARE = 3 };
enum { ACTIONS = 3, ROWS_SHOWN = 4, TITLE_LETTERS = 60 };
static const int lines_at[SHORT_NOTE_DETAILS] = {16, 10, 6, 3};

static const char *short_title(struct document *d, const char *title)
{
	size_t n = begin_of(title, TITLE_LETTERS);
	return literal(d, title[n] ? arena_printf(d->arena, "%.*s…", (int)n, title) : title);
}

/* "6259, 6328": the first rows that prove it, each once. */
static const char *rows_of(struct document *d, const struct finding *one)
{
	const char *list = "";
	for (int i = 0; i < one->n_evidence && i < ROWS_SHOWN; i++) {
		int before = 0;
		while (one->evidence[before] != one->evidence[i])
			before++;
		if (before == i)
			list = listed(d->arena, list, ", ",
				arena_printf(d->arena, "row %u", one->evidence[i]));
	}
	return list[0] ? said(d, "short.rows", "rows", list, NULL) : "";
}

/* A sentence that stands behind another one. */
static const char *behind(struct document *d, const char *text)
{
	return text[0] ? arena_printf(d->arena, " %s", text) : "";
}

static void add_action(
	struct document *d, const struct report_case *c, const struct finding *one, int detail)
{
	struct arena *a = d->arena;
	const struct texts *t = d->texts;
	document_say(d, BLOCK_POINT, "short.action", "id", one->rule->id, "title",
		rule_title(t, one->rule), "gain", action_gain(d, c->advice, one), "sentence",
		detail < NO_SENTENCES ? behind(d, rule_sentence(t, a, one)) : "", "switch",
		detail < NO_SWITCHES ? behind(d, rule_do(t, a, one)) : "", "rows",
		detail < BARE ? rows_of(d, one) : "", NULL);
}

static const char *limit_of(struct document *d, const struct report_case *c)
{
	return c->breakdown->headline == HEADLINE_NONE
		? headline_word(d, c)
		: said(d, "short.limit", "word", headline_word(d, c), "share",
			  format_share(d->arena, headline_share(c)), NULL);
}

static void add_numbers(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	const struct time_parts *s = breakdown_window(c->breakdown);
	const char *list = "";
	for (int i = 0; i < TIME_PARTS; i++)
		if (s->ns[i])
			list = listed(a, list, ", ",
				arena_printf(a, "%s %s", time_part_name((enum time_part)i),
					format_time(a, (double)s->ns[i])));
	if (!list[0]) {
		add_spans(d, c);
		return;
	}
	document_say(d, BLOCK_TEXT, "short.numbers", "window",
		format_time(a, (double)(s->end_ns - s->start_ns)), "list", list, "steps",
		format_count(a, c->analysis->n_steps), "kernels",
		format_count(a, (int64_t)c->analysis->n_kernels), NULL);
}

/* What fired, by its id. */
static const char *fired_of(struct document *d, const struct report_case *c, int detail)
{
	const char *list = "";
	if (detail >= NO_SENTENCES || !c->readable)
		return "";
	for (int i = 0; i < c->findings.n; i++)
		if (c->findings.finding[i].state == FINDING_FIRED)
			list = listed(d->arena, list, ", ", c->findings.finding[i].rule->id);
	return list[0] ? said(d, "short.fired", "list", list, NULL) : "";
}

static void add_lone(
	struct document *d, const struct input *in, const struct report_case *c, int detail)
{
	const struct advice *x = c->advice;
	add_unread_rest(d, in);
	if (c->trace.snapshot)
		add_memory_headline(d, c);
	else if (detail < BARE)
		add_headline(d, c);
	else
		document_add(d, BLOCK_TEXT, limit_of(d, c));
	for (int i = 0; i < x->n && i < ACTIONS; i++)
		add_action(d, c, &x->action[i], detail);
	if (!c->trace.snapshot)
		add_numbers(d, c);
	const char *fired = fired_of(d, c, detail);
	if (fired[0])
		document_add(d, BLOCK_TEXT, fired);
}

static void add_more(struct document *d, int n)
{
	if (n > 0)
		document_say(d, BLOCK_TEXT, "short.more", "n", format_count(d->arena, n), NULL);
}

static void add_compared_cases(struct document *d, const struct comparison *all, int detail)
{
	int most = lines_at[detail];
	document_add(d, BLOCK_TEXT, change_counts(d, all));
	for (int i = 0; i < all->n && i < most; i++) {
		const struct pair *p = &all->pair[i];
		document_say(d, BLOCK_POINT, "short.pair", "title", short_title(d, p->id), "change",
			change_headline(d, p), "certainty",
			detail < NO_SENTENCES ? behind(d, change_certainty(d, p)) : "", NULL);
	}
	add_more(d, all->n - most);
}

/* ": 3 kept, 1 broken" of what was predicted. */
static const char *score_of(struct document *d, const struct report_case *c)
{
	const struct verdicts *v = c->verdicts;
	return v->n && c->readable ? said(d, "short.score", "score", score_words(d, v), NULL) : "";
}

static void add_cases(struct document *d, const struct input *in, int detail)
{
	int n = 0, most = lines_at[detail];
	for (const struct report_case *c = NULL; (c = next_case(in, c)); n++)
		if (n < most)
			document_say(d, BLOCK_POINT, "short.case", "title",
				short_title(d, c->title), "limit",
				c->readable ? limit_of(d, c) : literal(d, c->status), "score",
				score_of(d, c), "fired", behind(d, fired_of(d, c, detail)), NULL);
	add_more(d, n - most);
}

void brief_build(struct document *d, const struct input *in, int detail)
{
	const struct report_case *lone = input_lone(in);
	bool alone = lone && lone->readable && !in->comparison;
	d->brief = true;
	document_heading(d, 2, NULL,
		alone ? short_title(d, lone->title)
		      : said(d, in->comparison ? "short.compared" : "short.cases", NULL));
	if (in->comparison)
		add_compared_cases(d, in->comparison, detail);
	else if (alone)
		add_lone(d, in, lone, detail);
	else
		add_cases(d, in, detail);
	d->brief = false;
}
