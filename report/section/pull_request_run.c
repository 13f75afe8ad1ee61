/* SPDX-License-Identifier: Apache-2.0 */
/* A run in at most 40 lines and 3 kB, for a pull request: the result, what broke, how to repeat it.
 */
#include "report/section/template_sections.h"

#include "base/number_format.h"
#include "report/judge/judge.h"
#include "report/section/broken_guesses.h"
#include "report/section/course.h"
#include "report/section/parts.h"

#include <string.h>

enum { MOST_SURPRISES = 6 };

static const struct table_form form = {
	.column = {{"summary.case", .weight = 1}, {"brief.predicted", .weight = 1},
		{"brief.expected"}, {"brief.saw"}}};

struct score {
	int64_t kept, broken, cases;
};

static struct score score_of(const struct input *in)
{
	struct score s = {0};
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		s.cases++;
		s.kept += c->verdicts->kept;
		s.broken += c->verdicts->broken;
	}
	return s;
}

/* What the program itself fixes is no surprise. */
static int64_t surprising_cases(const struct surprise *all, int n)
{
	int64_t cases = 0;
	for (int i = 0; i < n; i++) {
		bool seen = false;
		for (int k = 0; k < i && !seen; k++)
			seen = all[k].c == all[i].c;
		cases += !seen;
	}
	return cases;
}

static void add_table(struct document *d, const struct input *in, const struct surprise *all, int n)
{
	struct rows t = rows_begin(d, &form, 0);
	for (int i = 0; i < n && i < MOST_SURPRISES; i++) {
		put(&t, literal(d, all[i].c->title));
		put(&t, verdict_text(d, in, all[i].c, all[i].v));
		put(&t, verdict_expected(d, all[i].v));
		put(&t, verdict_observed(d, all[i].v));
	}
}

static void add_unread(struct document *d, const struct input *in)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (!c->readable && n++ < MOST_UNREAD)
			document_say(d, BLOCK_TEXT,
				strcmp(c->status, "done") ? "summary.failed" : "summary.unread",
				"title", c->title, "reason", c->reason, NULL);
	if (n > MOST_UNREAD)
		document_say(d, BLOCK_TEXT, "summary.unread.more", "n",
			format_count(d->arena, n - MOST_UNREAD), NULL);
}

static const struct table_form experiments_form = {
	.column = {{"brief.experiment", .weight = 1}, {"brief.cases", COLUMN_NUMBER},
		{"brief.kept", COLUMN_NUMBER}, {"brief.broken", COLUMN_NUMBER},
		{"brief.noise", COLUMN_NUMBER}}};

/* The rest, experiment by experiment: the cases of one follow each other. */
static void add_experiments(struct document *d, const struct input *in)
{
	enum { MOST_EXPERIMENTS = 12 };
	struct rows t = rows_begin(d, &experiments_form, 0);
	const struct report_case *c = next_case(in, NULL);
	while (c && t.table->n_rows < MOST_EXPERIMENTS) {
		const char *name = c->experiment;
		int64_t n = 0, kept = 0, broken = 0, noise = 0;
		for (; c && !strcmp(c->experiment, name); c = next_case(in, c)) {
			n++;
			kept += c->verdicts->kept;
			broken += c->verdicts->broken;
			noise += c->verdicts->noise;
		}
		put(&t, literal(d, name));
		put_count(&t, n);
		put_count(&t, kept);
		put_count(&t, broken);
		put_count(&t, noise);
	}
}

void section_brief(struct document *d, const struct input *in)
{
	struct arena *a = d->arena;
	struct score s = score_of(in);
	int n;
	const struct surprise *all = surprises_of(a, in, &n);
	const char *result = d->course ? d->course->title(d, in) : NULL;
	document_add(d, BLOCK_HEADING, result ? result : said(d, "document.title", NULL))->level =
		2;
	document_say(d, BLOCK_TEXT, s.broken ? "brief.score" : "brief.score.all", "kept",
		format_count(a, s.kept), "n", format_count(a, s.kept + s.broken), "cases",
		format_count(a, s.cases), "broken", format_count(a, surprising_cases(all, n)),
		"device", in->runs[0].device, NULL);
	add_unread_rest(d, in);
	add_unread(d, in);
	if (n)
		add_table(d, in, all, n);
	if (n > MOST_SURPRISES)
		document_say(d, BLOCK_TEXT, "brief.more", "n", format_count(a, n - MOST_SURPRISES),
			NULL);
	if (d->course)
		d->course->add_sentences(d, in);
	document_say(d, BLOCK_TEXT, "brief.reproduce", NULL);
	document_heading(d, 3, NULL, said(d, "brief.rest", NULL))->folds = true;
	add_experiments(d, in);
}
