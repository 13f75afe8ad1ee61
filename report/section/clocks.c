/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "report/analyse/clock_readings.h"

#include <string.h>

/* Bits of NVML's nvmlClocksEventReasons (API reference, driver 580) and their texts. */
static const struct reason {
	uint32_t bit;
	const char *key;
} reasons[] = {
	{0x001, "clocks.idle"},
	{0x002, "clocks.user"},
	{0x004, "clocks.power"},
	{0x008, "clocks.hardware"},
	{0x010, "clocks.sync"},
	{0x020, "clocks.thermal"},
	{0x040, "clocks.hot"},
	{0x080, "clocks.brake"},
	{0x100, "clocks.display"},
};
enum { REASONS = sizeof reasons / sizeof *reasons };

static bool has_readings(const struct report_case *c)
{
	return c->readable && clocks_any(&c->trace);
}

bool clocks_known(const struct input *in)
{
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (has_readings(c))
			return true;
	return false;
}

/* "1 980", or "1 755 – 1 980". */
static const char *range(struct arena *a, const struct clock_readings *r, int i, double unit)
{
	if (!r->n[i])
		return "–";
	const char *low = format_count(a, (int64_t)(r->low[i] / unit + 0.5)),
		   *high = format_count(a, (int64_t)(r->high[i] / unit + 0.5));
	return strcmp(low, high) ? arena_printf(a, "%s – %s", low, high) : low;
}

static const char *held_text(struct document *d, const struct clock_readings *r)
{
	struct arena *a = d->arena;
	const char *text = "";
	uint32_t left = r->held;
	if (!r->n[CLOCK_HELD])
		return "–";
	for (int i = 0; i < REASONS; i++) {
		if (!(r->held & reasons[i].bit))
			continue;
		text = listed(a, text, ", ", said(d, reasons[i].key, NULL));
		left &= ~reasons[i].bit;
	}
	if (left)
		text = listed(a, text, ", ",
			said(d, "clocks.unknown", "bits", arena_printf(a, "0x%x", left), NULL));
	return text[0] ? text : said(d, "clocks.none", NULL);
}

static const struct table_form form = {
	.column = {{"clocks.case", .weight = 1}, {"clocks.readings", COLUMN_NUMBER},
		{"clocks.in_steps", COLUMN_NUMBER}, {"clocks.sm", COLUMN_NUMBER},
		{"clocks.memory", COLUMN_NUMBER}, {"clocks.celsius", COLUMN_NUMBER},
		{"clocks.watt", COLUMN_NUMBER}, {"clocks.held", .weight = 0.8}}};

static void put_readings(struct rows *t, const struct report_case *c)
{
	struct arena *a = t->d->arena;
	const struct clock_readings r = clock_readings_of(c->analysis);
	put(t, literal(t->d, c->title));
	put_count(t, r.n[CLOCK_SM]);
	put(t,
		said(t->d, "clocks.steps", "n", format_count(a, r.steps), "of",
			format_count(a, c->analysis->n_steps), NULL));
	put(t, range(a, &r, CLOCK_SM, 1))->bold = r.high[CLOCK_SM] > r.low[CLOCK_SM];
	put(t, range(a, &r, CLOCK_MEMORY, 1));
	put(t, range(a, &r, CLOCK_CELSIUS, 1));
	put(t, range(a, &r, CLOCK_POWER, 1000));
	put(t, held_text(t->d, &r));
}

void add_clocks_table(struct document *d, const struct input *in)
{
	enum { MOST_ROWS = 60 };
	document_heading(d, 2, NULL, said(d, "clocks.title", NULL));
	document_say(d, BLOCK_TEXT, "clocks.about", NULL)->level = 1;
	struct rows t = rows_begin(d, &form, 0);
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (has_readings(c) && t.table->n_rows < MOST_ROWS)
			put_readings(&t, c);
}
