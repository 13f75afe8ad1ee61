/* SPDX-License-Identifier: Apache-2.0 */
/* What the median step does not show, in words. */
#include "base/number_format.h"
#include "report/analyse/uneven_steps.h"
#include "report/section/headline.h"

static const char *part_word(const struct document *d, enum time_part part)
{
	return time_part_is_computing(part) ? said(d, "breakdown.computing", NULL)
					    : said_by(d, "breakdown.%s", time_part_name(part));
}

void add_uneven_steps(struct document *d, const struct breakdown *p)
{
	struct uneven_steps u = uneven_steps_of(p);
	struct arena *a = d->arena;
	if (u.n) {
		double each = (double)u.more_ns / u.n, step = (double)u.more_ns / u.steady;
		document_say(d, BLOCK_TEXT, u.every ? "uneven.every" : "uneven.some", "n",
			format_count(a, u.n), "all", format_count(a, u.steady), "every",
			format_count(a, u.every), "first",
			format_count(a, p->steps[u.first].number), "each", format_time(a, each),
			"part", part_word(d, u.part), "ns", format_time(a, (double)u.part_ns / u.n),
			"step", format_time(a, step), "share",
			format_share(a, (double)u.more_ns / (double)u.all_ns), NULL);
	}
	if (u.setup_ns)
		document_say(d, BLOCK_TEXT, "uneven.setup", "ns",
			format_time(a, (double)u.setup_ns), "part", part_word(d, u.setup_part),
			"most", format_time(a, (double)u.setup_part_ns), NULL);
}
