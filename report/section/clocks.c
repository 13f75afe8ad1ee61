/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/clocks.h"

#include "base/format.h"
#include "report/section/case_tables.h"

#include <string.h>

enum clock_series { SERIES_SM, SERIES_MEMORY, SERIES_CELSIUS, SERIES_POWER, SERIES_HELD, SERIES };

static const char *const series_names[SERIES] = {"SM clock (MHz)", "memory clock (MHz)",
	"temperature (C)", "power (mW)", "throttle reasons"};

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

/* Of one case. */
struct readings {
	int n[SERIES];
	double low[SERIES], high[SERIES];
	uint32_t held; /* all bits seen */
	uint32_t steps; /* in which a reading fell */
};

static int series_of(const struct trace *t, size_t row)
{
	if (t->kind[row] != EVENT_COUNTER || t->side[row] == NO_ROW)
		return SERIES;
	const char *name = names_text(&t->names, t->name[row]);
	int i = 0;
	while (i < SERIES && strcmp(name, series_names[i]) != 0)
		i++;
	return i;
}

static void take(struct readings *r, int i, double value)
{
	r->low[i] = r->n[i] && r->low[i] < value ? r->low[i] : value;
	r->high[i] = r->n[i] && r->high[i] > value ? r->high[i] : value;
	r->n[i]++;
	if (i == SERIES_HELD && value >= 0 && value <= UINT32_MAX)
		r->held |= (uint32_t)value;
}

static struct readings readings_of(const struct report_case *c)
{
	const struct trace *t = &c->trace;
	struct readings r = {0};
	uint32_t step, last = NO_ROW;
	for (size_t i = 0; i < t->n && t->n_counters; i++) {
		int series = series_of(t, i);
		if (series == SERIES)
			continue;
		take(&r, series, t->counters[t->side[i]].value);
		step = analysis_step_at(c->analysis, t->start_ns[i]);
		r.steps += step != NO_ROW && step != last;
		last = step != NO_ROW ? step : last;
	}
	return r;
}

static bool has_readings(const struct report_case *c)
{
	const struct trace *t = &c->trace;
	for (size_t i = 0; c->readable && t->n_counters && i < t->n; i++)
		if (series_of(t, i) != SERIES)
			return true;
	return false;
}

bool clocks_known(const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++)
			if (has_readings(&in->runs[r].cases[i]))
				return true;
	return false;
}

/* "1 980", or "1 755 – 1 980". */
static const char *range(struct arena *a, const struct readings *r, int i, double unit)
{
	if (!r->n[i])
		return "–";
	const char *low = format_count(a, (int64_t)(r->low[i] / unit + 0.5)),
		   *high = format_count(a, (int64_t)(r->high[i] / unit + 0.5));
	return strcmp(low, high) ? arena_printf(a, "%s – %s", low, high) : low;
}

static const char *held_text(struct document *d, const struct readings *r)
{
	struct arena *a = d->arena;
	const char *text = "";
	uint32_t left = r->held;
	if (!r->n[SERIES_HELD])
		return "–";
	for (int i = 0; i < REASONS; i++) {
		if (!(r->held & reasons[i].bit))
			continue;
		text = arena_printf(a, "%s%s%s", text, text[0] ? ", " : "",
			say(d->texts, a, reasons[i].key, NULL));
		left &= ~reasons[i].bit;
	}
	if (left)
		text = arena_printf(a, "%s%s%s", text, text[0] ? ", " : "",
			say(d->texts, a, "clocks.unknown", "bits", arena_printf(a, "0x%x", left),
				NULL));
	return text[0] ? text : say(d->texts, a, "clocks.none", NULL);
}

static void clocks_row(struct document *d, struct table *t, int row, const struct report_case *c)
{
	struct arena *a = d->arena;
	struct readings r = readings_of(c);
	bool changed = r.high[SERIES_SM] > r.low[SERIES_SM];
	table_cell(t, row, 0)->text = literal(d, c->title);
	table_cell(t, row, 1)->text = format_count(a, r.n[SERIES_SM]);
	table_cell(t, row, 2)->text = say(d->texts, a, "clocks.steps", "n",
		format_count(a, r.steps), "of", format_count(a, c->analysis->n_steps), NULL);
	*table_cell(t, row, 3) = (struct cell){.text = range(a, &r, SERIES_SM, 1), .bold = changed};
	table_cell(t, row, 4)->text = range(a, &r, SERIES_MEMORY, 1);
	table_cell(t, row, 5)->text = range(a, &r, SERIES_CELSIUS, 1);
	table_cell(t, row, 6)->text = range(a, &r, SERIES_POWER, 1000);
	table_cell(t, row, 7)->text = held_text(d, &r);
}

void add_clocks_table(struct document *d, const struct input *in)
{
	static const char *const keys[] = {"clocks.case", "clocks.readings", "clocks.in_steps",
		"clocks.sm", "clocks.memory", "clocks.celsius", "clocks.watt", "clocks.held"};
	enum { COLUMNS = sizeof keys / sizeof *keys, MOST_ROWS = 60 };
	struct arena *a = d->arena;
	struct column *col = arena_array(a, COLUMNS, sizeof *col);
	const struct report_case *shown[MOST_ROWS];
	int n = 0;
	for (int i = 0; i < COLUMNS; i++)
		col[i] = (struct column){
			.title = say(d->texts, a, keys[i], NULL), .kind = COLUMN_NUMBER};
	col[0].kind = col[COLUMNS - 1].kind = COLUMN_TEXT;
	col[0].weight = 1;
	col[COLUMNS - 1].weight = 0.8;
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases && n < MOST_ROWS; i++)
			if (has_readings(&in->runs[r].cases[i]))
				shown[n++] = &in->runs[r].cases[i];
	document_heading(d, 2, NULL, say(d->texts, a, "clocks.title", NULL));
	document_add(d, BLOCK_TEXT, say(d->texts, a, "clocks.about", NULL))->level = 1;
	struct table *t = document_table(d, col, COLUMNS, n);
	t->size = 6.8;
	for (int i = 0; i < n; i++)
		clocks_row(d, t, i, shown[i]);
}
