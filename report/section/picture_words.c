/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/picture_words.h"

#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/analyse/analysis.h"
#include "report/analyse/case_numbers.h"

static const char *device_shown(struct document *d, bool any, double busy_ns)
{
	return any ? said(d, "case.shows.device", "time", format_time(d->arena, busy_ns), NULL)
		   : "";
}

const char *step_shown(struct document *d, const struct analysis *an, uint32_t step)
{
	const struct step *s = &an->steps[step];
	return said(d, "case.shows.step", "label",
		said(d, "step.label", "n", format_count(d->arena, s->number), NULL), "cpu",
		format_time(d->arena, (double)s->dur_ns), "device",
		device_shown(d, an->n_device, (double)s->busy_ns), NULL);
}

const char *steps_shown(struct document *d, const struct analysis *an)
{
	const struct window *w = &an->window;
	struct case_numbers n = numbers_of(an);
	if (an->n_steps > 1)
		return said(d, "case.shows.steps", "cpu", format_time(d->arena, n.cpu_ns), "device",
			device_shown(d, an->n_device, n.device_ns), NULL);
	return said(d, "case.shows.whole", "whole",
		format_time(d->arena, (double)(w->end_ns - w->start_ns)), "device",
		device_shown(d, an->n_device, (double)w->busy_ns), NULL);
}

const char *bars_shown(struct document *d, const struct step_bars *s)
{
	struct arena *a = d->arena;
	struct text_builder list = {.arena = a};
	for (int i = 0; i < s->n; i++) {
		const struct step_bars_row *r = &s->row[i];
		text_add(&list, "%s%s", i ? " " : "",
			said(d, "step_bars.shows", "title", r->title, "note",
				r->note ? r->note : "", "cpu",
				format_time(a, (double)r->split.host_ns), "device",
				device_shown(d, r->split.device_ns > 0,
					(double)(r->split.device_ns - r->split.idle_ns)),
				NULL));
	}
	return text_built(&list);
}

const char *widest_shown(struct document *d, const struct icicle *x)
{
	const struct icicle_bar *widest = NULL;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct icicle_bar *b = &x->bar[i];
		if (b->level == 1 && b->name[0] && (!widest || b->ns > widest->ns))
			widest = b;
	}
	return !widest ? ""
		       : said(d, "icicle.shows", "name", widest->name, "time",
				 format_time(d->arena, (double)widest->ns), "share",
				 format_share(d->arena, (double)widest->ns / (double)x->whole_ns),
				 "all", format_time(d->arena, (double)x->whole_ns), NULL);
}
