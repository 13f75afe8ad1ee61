/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/run/baseline.h"
#include "report/section/parts.h"

static enum verdict_colour colour_of(enum change change)
{
	return change == CHANGE_SLOWER ? BROKEN : change == CHANGE_FASTER ? KEPT : OPEN;
}

static const struct table_form form = {.size = 7.2,
	.column = {{"summary.case", .weight = 1}, {"baseline.cpu.base", COLUMN_NUMBER},
		{"baseline.cpu.now", COLUMN_NUMBER}, {"baseline.cpu.change", COLUMN_VERDICT},
		{"baseline.device.base", COLUMN_NUMBER}, {"baseline.device.now", COLUMN_NUMBER},
		{"baseline.device.change", COLUMN_VERDICT}, {"baseline.kernels"}}};

static void put_compared(struct rows *t, const struct compared *c)
{
	char key[64];
	snprintf(key, sizeof key, "change.%s", change_name(c->change));
	put_time(t, c->base_ns);
	put_time(t, c->now_ns);
	put(t,
		c->base_ns > 0 ? said(t->d, key, "ratio", format_ratio(t->d->arena, c->ratio), NULL)
			       : "–")
		->verdict = colour_of(c->change);
}

static void add_rows(struct document *d, const struct baseline *b)
{
	struct rows t = rows_begin(d, &form, 0);
	for (int i = 0; i < b->n; i++) {
		const struct baseline_row *r = &b->row[i];
		put(&t, case_link(d, r->now));
		put_compared(&t, &r->cpu);
		put_compared(&t, &r->device);
		put_said(&t, r->other_kernels ? "baseline.kernels.other" : "baseline.kernels.same");
	}
}

void section_baseline(struct document *d, const struct input *in)
{
	if (!in->base)
		return;
	struct arena *a = d->arena;
	struct baseline b = baseline_of(a, in->base, in);
	document_heading(d, 1, "baseline", said(d, "baseline.title", NULL));
	document_say(d, BLOCK_TEXT, "baseline.about", "n", format_count(a, b.n), "slower",
		format_count(a, b.slower), "faster", format_count(a, b.faster), "least",
		format_share(a, change_least), NULL);
	if (b.only_base + b.only_now)
		document_say(d, BLOCK_TEXT, "baseline.alone", "base", format_count(a, b.only_base),
			"now", format_count(a, b.only_now), NULL);
	if (b.n)
		add_rows(d, &b);
}
