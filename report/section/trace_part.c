/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/trace/repair.h"

/* What was asked for: steps, a range, or a stretch of time. */
static const char *part_asked(struct document *d, const struct trace_part *p)
{
	struct arena *a = d->arena;
	const char *key = p->ranges > 1		? "summary.part.range.one_of"
		: p->range			? "summary.part.range"
		: p->first_step < 0		? "summary.part.time"
		: p->first_step == p->last_step ? "summary.part.step"
						: "summary.part.steps";
	return said(d, key, "range", p->range ? p->range : "", "nth", format_count(a, p->nth),
		"ranges", format_count(a, p->ranges), "first", format_count(a, p->first_step),
		"last", format_count(a, p->last_step), "from", format_time(a, (double)p->from_ns),
		"to", format_time(a, (double)p->to_ns), NULL);
}

void add_part_line(struct document *d, const struct report_case *c)
{
	struct arena *a = d->arena;
	const struct trace_part *p = &c->trace.part;
	if (!p->of)
		return;
	bool all = p->from_ns <= 0 && p->to_ns >= p->whole_ns && p->rank >= 0;
	const char *which = all ? "" : part_asked(d, p);
	if (p->rank >= 0)
		which = said(d, all ? "summary.part.rank" : "summary.part.of_rank", "which", which,
			"rank", format_count(a, p->rank), NULL);
	document_say(d, BLOCK_TEXT, "summary.part", "of", p->of, "which", which, "whole",
		format_time(a, (double)p->whole_ns), "n", format_count(a, (int64_t)c->trace.n),
		"all", format_count(a, p->rows), NULL);
	if (p->earlier)
		document_say(d, BLOCK_TEXT, "summary.part.earlier", "n",
			format_count(a, p->earlier), "time", format_time(a, (double)p->earlier_ns),
			NULL);
	if (p->cut_off && !trace_cut(&c->trace))
		document_say(d, BLOCK_TEXT, "summary.part.cut_off", "of", p->of, NULL);
}
