/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/run/baseline.h"

static enum verdict_colour colour_of(enum change change)
{
	return change == CHANGE_SLOWER ? BROKEN : change == CHANGE_FASTER ? KEPT : OPEN;
}

static void put_compared(
	struct document *d, struct table *t, int row, int first, const struct compared *c)
{
	struct arena *a = d->arena;
	char key[64];
	snprintf(key, sizeof key, "change.%s", change_name(c->change));
	table_cell(t, row, first)->text = format_time(a, c->base_ns);
	table_cell(t, row, first + 1)->text = format_time(a, c->now_ns);
	*table_cell(t, row, first + 2) = (struct cell){.verdict = colour_of(c->change),
		.text = c->base_ns > 0
			? say(d->texts, a, key, "ratio", format_ratio(a, c->ratio), NULL)
			: "–"};
}

static void add_rows(struct document *d, const struct baseline *b)
{
	static const char *const keys[] = {"summary.case", "baseline.cpu.base", "baseline.cpu.now",
		"baseline.cpu.change", "baseline.device.base", "baseline.device.now",
		"baseline.device.change", "baseline.kernels"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	struct arena *a = d->arena;
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	for (int i = 0; i < COLUMNS; i++)
		col[i] = (struct column){.title = say(d->texts, a, keys[i], NULL),
			.kind = i == 3 || i == 6 ? COLUMN_VERDICT : COLUMN_NUMBER};
	col[0].kind = col[COLUMNS - 1].kind = COLUMN_TEXT;
	col[0].weight = 1;
	struct table *t = document_table(d, col, COLUMNS, b->n);
	t->size = 7.2;
	for (int i = 0; i < b->n; i++) {
		const struct baseline_row *r = &b->row[i];
		table_cell(t, i, 0)->text = say(d->texts, a, "summary.case.link", "title",
			r->now->title, "place", r->now->place, NULL);
		put_compared(d, t, i, 1, &r->cpu);
		put_compared(d, t, i, 4, &r->device);
		table_cell(t, i, 7)->text = say(d->texts, a,
			r->other_kernels ? "baseline.kernels.other" : "baseline.kernels.same",
			NULL);
	}
}

void section_baseline(struct document *d, const struct input *in)
{
	if (!in->base)
		return;
	struct arena *a = d->arena;
	struct baseline b = baseline_of(a, in->base, in);
	document_heading(d, 1, "baseline", say(d->texts, a, "baseline.title", NULL));
	document_add(d, BLOCK_TEXT,
		say(d->texts, a, "baseline.about", "n", format_count(a, b.n), "slower",
			format_count(a, b.slower), "faster", format_count(a, b.faster), "least",
			format_share(a, change_least), NULL));
	if (b.only_base + b.only_now)
		document_add(d, BLOCK_TEXT,
			say(d->texts, a, "baseline.alone", "base", format_count(a, b.only_base),
				"now", format_count(a, b.only_now), NULL));
	if (b.n)
		add_rows(d, &b);
}
