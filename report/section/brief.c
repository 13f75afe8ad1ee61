/* SPDX-License-Identifier: Apache-2.0 */
/* A run in at most 40 lines and 3 kB, for a pull request: the result, what broke, how to repeat it.
 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/section/front.h"
#include "report/section/parts.h"

#include <string.h>

enum { MOST_SURPRISES = 6 };

static const struct table_form form = {
	.column = {{"summary.case", .weight = 1}, {"brief.predicted", .weight = 1},
		{"brief.expected"}, {"brief.saw"}}};

static const struct verdict *first_broken(const struct report_case *c)
{
	for (int i = 0; i < c->verdicts.n; i++)
		if (c->verdicts.verdict[i].state == VERDICT_BROKEN)
			return &c->verdicts.verdict[i];
	return NULL;
}

struct score {
	int64_t kept, broken, cases, surprising;
};

static struct score score_of(const struct input *in)
{
	struct score s = {0};
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		s.cases++;
		s.kept += c->verdicts.kept;
		s.broken += c->verdicts.broken;
		s.surprising += c->verdicts.broken > 0;
	}
	return s;
}

static void add_surprises(struct document *d, const struct input *in)
{
	struct rows t = rows_begin(d, &form, 0);
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		const struct verdict *v = first_broken(c);
		if (!v || t.table->n_rows == MOST_SURPRISES)
			continue;
		put(&t, literal(d, c->title));
		put(&t, verdict_text(d, in, c, v));
		put(&t, verdict_expected(d, v));
		put(&t, verdict_observed(d, v));
	}
}

static void add_unread(struct document *d, const struct input *in)
{
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (!c->readable)
			document_say(d, BLOCK_TEXT,
				strcmp(c->status, "done") ? "summary.failed" : "summary.unread",
				"title", c->title, "reason", c->reason, NULL);
}

void section_brief(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	struct score s = score_of(in);
	const char *result = front_title(d, in);
	document_add(d, BLOCK_HEADING, result ? result : said(d, "document.title", NULL))->level =
		2;
	document_say(d, BLOCK_TEXT, s.broken ? "brief.score" : "brief.score.all", "kept",
		format_count(a, s.kept), "n", format_count(a, s.kept + s.broken), "cases",
		format_count(a, s.cases), "broken", format_count(a, s.surprising), "device",
		in->runs[0].device, NULL);
	add_unread_rest(d, in);
	add_front_sentences(d, in);
	add_unread(d, in);
	if (s.broken)
		add_surprises(d, in);
	if (s.surprising > MOST_SURPRISES)
		document_say(d, BLOCK_TEXT, "brief.more", "n",
			format_count(a, s.surprising - MOST_SURPRISES), NULL);
	document_say(d, BLOCK_TEXT, "brief.reproduce", NULL);
}
