/* SPDX-License-Identifier: Apache-2.0 */
/* Where the device works in a step and where it does not, a case a row. */
#include "report/course/drill.h"

#include "base/number_format.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/step_idle.h"
#include "report/page/table_builder.h"
#include "report/run/manifest.h"
#include "report/section/parts.h"

#include <string.h>

static const struct table_form form = {.size = 8,
	.column = {{"parts.case", .weight = 1}, {"parts.launches", COLUMN_NUMBER},
		{"parts.step", COLUMN_NUMBER}, {"parts.busy", COLUMN_NUMBER},
		{"parts.before", COLUMN_NUMBER}, {"parts.between", COLUMN_NUMBER},
		{"parts.inside", COLUMN_NUMBER}, {"parts.after", COLUMN_NUMBER}}};

static void put_part(struct rows *t, int64_t ns)
{
	put(t, ns ? format_time(t->d->arena, (double)ns) : "–");
}

static void put_case(struct rows *t, const struct report_case *c)
{
	struct document *d = t->d;
	struct arena *a = d->arena;
	struct step_idle s = step_idle_of(c->analysis, median_step(c->analysis, false));
	put(t, c->title);
	put(t, arena_printf(a, "%g", numbers_of(c->analysis).launches));
	put_part(t, s.step_ns);
	put(t,
		said(d, "parts.share", "time", format_time(a, (double)s.busy_ns), "share",
			format_share(a, (double)s.busy_ns / (double)s.step_ns), NULL));
	put_part(t, s.before_ns);
	put_part(t, s.between_ns);
	put(t,
		s.inside ? said(d, "parts.gaps", "time", format_time(a, (double)s.inside_ns), "n",
				   format_count(a, s.inside), "gap",
				   format_time(a, s.inside_gap_ns), NULL)
			 : "–");
	put_part(t, s.after_ns);
}

void add_step_parts(struct document *d, const struct run *run, const char *workload)
{
	struct rows t = {0};
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!c->work || strcmp(c->work->workload, workload) != 0 || !c->readable ||
			!c->analysis->n_steps || !c->analysis->n_device)
			continue;
		if (!t.table)
			t = rows_begin(d, &form, 0);
		put_case(&t, c);
	}
	if (t.table)
		document_say(d, BLOCK_CAPTION, "parts.caption", NULL);
}
