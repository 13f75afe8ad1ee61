/* SPDX-License-Identifier: Apache-2.0 */
/* The sheet of anybody's trace: questions that every trace can be asked, as far as it holds the
 * answer, one picture for all of them, and a key with the numbers of page one. */
#include "report/section/own_sheet.h"

#include "base/number_format.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/case_numbers.h"
#include "report/page/table_builder.h"
#include "report/rules/advice.h"
#include "report/section/headline.h"
#include "report/section/parts.h"
#include "report/section/rule_words.h"

#include <stddef.h>
#include <string.h>

/* An answer, or NULL where the trace does not decide the question. */
typedef const char *(*own_answer)(struct document *d, const struct report_case *c);

static const char *limit(struct document *d, const struct report_case *c)
{
	if (!c->breakdown || c->breakdown->headline == HEADLINE_NONE)
		return NULL;
	const char *key = headline_key(c);
	if (key && !strcmp(key, headline_name(HEADLINE_UNSEEN))) /* nor does the picture */
		return NULL;
	return said(d, "own.limit.key", "word", headline_word(d, c), "share",
		format_share(d->arena, headline_share(c)), "means",
		said_by(d, "headline.%s.means", key ? key : "mixed"), NULL);
}

static const char *busy(struct document *d, const struct report_case *c)
{
	const struct analysis *a = c->analysis;
	if (!a->n_device || a->window.end_ns <= a->window.start_ns)
		return NULL;
	return said(d, "own.busy.key", "share", format_share(d->arena, a->window.busy_share),
		"busy", format_time(d->arena, (double)a->window.busy_ns), "window",
		format_time(d->arena, (double)(a->window.end_ns - a->window.start_ns)), NULL);
}

static const char *hottest(struct document *d, const struct report_case *c)
{
	struct top_name top = top_name_of(d, c);
	if (!(top.share > 0))
		return NULL;
	return said(d, "own.hottest.key", "name", top.name, "time", format_time(d->arena, top.ns),
		"share", format_share(d->arena, top.share), "side",
		said(d, top.device ? "own.side.device" : "own.side.host", NULL), NULL);
}

static const char *count(struct document *d, const struct report_case *c)
{
	struct case_numbers n = numbers_of(c->analysis);
	if (c->analysis->n_steps < 2 || !c->analysis->n_device)
		return NULL;
	return said(d, "own.count.key", "kernels", format_count(d->arena, (int64_t)n.kernels),
		"copies", format_count(d->arena, (int64_t)n.copies), "launches",
		format_count(d->arena, (int64_t)n.launches), NULL);
}

static const char *first(struct document *d, const struct report_case *c)
{
	const struct advice *x = c->advice;
	if (!x || !x->n)
		return NULL;
	return said(d, "own.first.key", "title", rule_title(d->texts, x->action[0].rule), "gain",
		action_gain(d, x, &x->action[0]), NULL);
}

static const struct own_question {
	const char *id;
	own_answer answer;
} own[] = {
	{"limit", limit}, {"busy", busy}, {"hottest", hottest}, {"count", count}, {"first", first}};

static const char *part(struct document *d, const struct own_question *q, const char *what)
{
	return said(d, arena_printf(d->arena, "own.%s.%s", q->id, what), NULL);
}

static const char *heading(struct document *d, const struct own_question *q, int n)
{
	return said(d, "exercises.heading", "n", format_count(d->arena, n), "title",
		part(d, q, "title"), NULL);
}

static void ask_one(struct document *d, const struct own_question *q, int n)
{
	static const char *const room[] = {"sheet.number", "sheet.why", "sheet.sure"};
	document_heading(d, 2, NULL, heading(d, q, n));
	document_add(d, BLOCK_TEXT, part(d, q, "ask"))->level = 1;
	for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
		struct block *b = document_add(d, BLOCK_LINES, said(d, room[i], NULL));
		b->n = 1;
		b->level = i + 1 < sizeof room / sizeof *room;
	}
}

void add_own_questions(struct document *d, const struct report_case *c)
{
	int n = 0;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i].answer(d, c))
			ask_one(d, &own[i], ++n);
}

void add_own_picture(struct document *d, const struct report_case *c)
{
	document_heading(d, 2, NULL, literal(d, c->title));
	add_steps_figure(d, c, false);
}

static const struct table_form key_form = {
	.size = 8, .column = {{"sheet.key.what"}, {"own.key", .weight = 1}}};

void add_own_key(struct document *d, const struct report_case *c)
{
	int n = 0;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		const char *answer = own[i].answer(d, c);
		if (!answer)
			continue;
		document_heading(d, 2, NULL, heading(d, &own[i], ++n));
		struct rows t = rows_begin(d, &key_form, 0);
		put_said(&t, "sheet.key.number");
		put(&t, answer);
		put_said(&t, "sheet.key.why");
		put(&t, part(d, &own[i], "why"));
		put_said(&t, "sheet.key.wrong");
		put(&t, part(d, &own[i], "wrong"));
	}
}
