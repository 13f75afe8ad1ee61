/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tables/parts.h"

#include "base/terminal.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE TABLE_PAGE
#define DATA TABLE_DATA
#define ROOM TABLE_ROOM

/* Columns that several tables have in common. */
/* clang-format off */
#define PROFILER_COLUMNS \
	{"calls", UNIT_COUNT, PAGE}, {"self_cpu_ns", UNIT_NS, PAGE}, {"cpu_ns", UNIT_NS, ROOM}, \
	{"self_device_ns", UNIT_NS, PAGE}, {"device_ns", UNIT_NS, PAGE}, {"flop", UNIT_FLOP, PAGE}, \
	{"self_cpu_bytes", UNIT_BYTES, ROOM}, {"cpu_bytes", UNIT_BYTES, DATA}, \
	{"self_device_bytes", UNIT_BYTES, PAGE}, {"device_bytes", UNIT_BYTES, DATA}

#define RATE_COLUMNS \
	{{"operator", UNIT_TEXT, PAGE}, {"shapes", UNIT_TEXT, PAGE}, {"types", UNIT_TEXT, DATA}, \
	 {"strides", UNIT_TEXT, DATA}, {"calls", UNIT_COUNT, PAGE}, {"device_ns", UNIT_NS, PAGE}, \
	 {"flop", UNIT_FLOP, DATA}, {"bytes", UNIT_BYTES, DATA}, {"flop_per_s", UNIT_FLOP_PER_S, PAGE}, \
	 {"flop_share", UNIT_SHARE, PAGE}, {"bytes_per_s", UNIT_BYTES_PER_S, PAGE}, \
	 {"bytes_share", UNIT_SHARE, PAGE}}

#define CALLER_COLUMNS \
	{"calls", UNIT_COUNT, PAGE}, {"cpu_ns", UNIT_NS, PAGE}, {"self_cpu_ns", UNIT_NS, ROOM}, \
	{"backward_cpu_ns", UNIT_NS, DATA}, {"events", UNIT_COUNT, PAGE}, {"device_ns", UNIT_NS, PAGE}, \
	{"self_device_ns", UNIT_NS, PAGE}, {"backward_device_ns", UNIT_NS, ROOM}, \
	{"share", UNIT_SHARE, PAGE}
/* clang-format on */

const struct tables_form result_tables[] = {
	{"operators", {{"name", UNIT_TEXT, PAGE}, {"where", UNIT_TEXT, DATA}, PROFILER_COLUMNS},
		tables_operators, false},
	{"shapes", {{"name", UNIT_TEXT, PAGE}, {"shapes", UNIT_TEXT, PAGE}, PROFILER_COLUMNS},
		tables_shapes, true},
	{"kernels",
		{{"kernel", UNIT_TEXT, DATA}, {"operator", UNIT_TEXT, DATA},
			{"kind", UNIT_TEXT, DATA}, {"grid", UNIT_TEXT, DATA},
			{"block", UNIT_TEXT, DATA}, {"calls", UNIT_COUNT, DATA},
			{"device_ns", UNIT_NS, DATA}, {"median_ns", UNIT_NS, DATA},
			{"share", UNIT_SHARE, DATA}, {"registers", UNIT_COUNT, DATA},
			{"shared_bytes", UNIT_BYTES, DATA}},
		tables_kernels, false},
	{"gemm", RATE_COLUMNS, tables_gemm, true},
	{"convolution", RATE_COLUMNS, tables_convolution, true},
	{"attention", RATE_COLUMNS, tables_attention, true},
	{"pointwise", RATE_COLUMNS, tables_pointwise, true},
	{"kinds",
		{{"kind", UNIT_TEXT, PAGE}, {"events", UNIT_COUNT, PAGE},
			{"device_ns", UNIT_NS, PAGE}, {"share", UNIT_SHARE, PAGE},
			{"not_hidden_ns", UNIT_NS, PAGE}},
		tables_kinds, true},
	{"uses",
		{{"use", UNIT_TEXT, PAGE}, {"why", UNIT_TEXT, PAGE}, {"window_ns", UNIT_NS, PAGE},
			{"share", UNIT_SHARE, PAGE}, {"whole_ns", UNIT_NS, DATA},
			{"largest", UNIT_TEXT, PAGE}, {"phase", UNIT_TEXT, PAGE},
			{"module", UNIT_TEXT, PAGE}, {"roof_share", UNIT_SHARE, PAGE}},
		tables_uses, true},
	{"purposes",
		{{"use", UNIT_TEXT, DATA}, {"why", UNIT_TEXT, DATA}, {"phase", UNIT_TEXT, DATA},
			{"operator", UNIT_TEXT, DATA}, {"module", UNIT_TEXT, DATA},
			{"shapes", UNIT_TEXT, DATA}, {"kernel", UNIT_TEXT, DATA},
			{"events", UNIT_COUNT, DATA}, {"busy_ns", UNIT_NS, DATA},
			{"rest_ns", UNIT_NS, DATA}, {"window_ns", UNIT_NS, DATA},
			{"window_rest_ns", UNIT_NS, DATA}, {"device_ns", UNIT_NS, DATA},
			{"roof_share", UNIT_SHARE, DATA}},
		tables_purposes, false},
	{"modules",
		{{"node", UNIT_COUNT, DATA}, {"parent", UNIT_COUNT, DATA},
			{"module", UNIT_TEXT, DATA}, CALLER_COLUMNS},
		tables_modules, false},
	{"functions", {{"function", UNIT_TEXT, DATA}, CALLER_COLUMNS}, tables_functions, false},
	{"ranges", {{"range", UNIT_TEXT, PAGE}, CALLER_COLUMNS}, tables_ranges, true},
	{"steps",
		{{"step", UNIT_COUNT, DATA}, {"start_ns", UNIT_NS, DATA}, {"cpu_ns", UNIT_NS, DATA},
			{"busy_ns", UNIT_NS, DATA}, {"kernels", UNIT_COUNT, DATA},
			{"copies", UNIT_COUNT, DATA}, {"fills", UNIT_COUNT, DATA},
			{"launches", UNIT_COUNT, DATA}, {"syncs", UNIT_COUNT, DATA},
			{"sync_ns", UNIT_NS, DATA}},
		tables_steps, false},
	{"collectives",
		{{"collective", UNIT_TEXT, PAGE}, {"type", UNIT_TEXT, PAGE},
			{"ranks", UNIT_COUNT, PAGE}, {"bytes", UNIT_BYTES, PAGE},
			{"calls", UNIT_COUNT, PAGE}, {"device_ns", UNIT_NS, PAGE},
			{"median_ns", UNIT_NS, PAGE}, {"bus_bytes_per_s", UNIT_BYTES_PER_S, PAGE},
			{"kernel", UNIT_TEXT, DATA}},
		tables_collectives, true},
	{"copies",
		{{"way", UNIT_TEXT, PAGE}, {"memory", UNIT_TEXT, PAGE}, {"calls", UNIT_COUNT, PAGE},
			{"bytes", UNIT_BYTES, PAGE}, {"device_ns", UNIT_NS, PAGE},
			{"bytes_per_s", UNIT_BYTES_PER_S, PAGE}, {"hidden_ns", UNIT_NS, DATA},
			{"hidden_share", UNIT_SHARE, PAGE}},
		tables_copies, true},
	{"streams",
		{{"device", UNIT_TEXT, PAGE}, {"stream", UNIT_TEXT, PAGE},
			{"kernels", UNIT_COUNT, PAGE}, {"copies", UNIT_COUNT, PAGE},
			{"fills", UNIT_COUNT, ROOM}, {"busy_ns", UNIT_NS, PAGE},
			{"idle_ns", UNIT_NS, ROOM}, {"busy_share", UNIT_SHARE, PAGE},
			{"queue_most", UNIT_COUNT, PAGE}, {"queue_mean", UNIT_RATIO, PAGE}},
		tables_streams, true},
	{"ranks",
		{{"rank", UNIT_COUNT, DATA}, {"steps", UNIT_COUNT, DATA},
			{"step_ns", UNIT_NS, DATA}, {"window_ns", UNIT_NS, DATA},
			{"busy_ns", UNIT_NS, DATA}, {"compute_ns", UNIT_NS, DATA},
			{"communication_ns", UNIT_NS, DATA}, {"exposed_ns", UNIT_NS, DATA},
			{"kernel_ns", UNIT_NS, DATA}, {"idle_ns", UNIT_NS, DATA},
			{"bubble_ns", UNIT_NS, DATA}, {"node", UNIT_TEXT, DATA}},
		tables_ranks, false},
	{"first_step",
		{{"cause", UNIT_TEXT, DATA}, {"spans", UNIT_COUNT, DATA},
			{"time_ns", UNIT_NS, DATA}, {"share", UNIT_SHARE, DATA},
			{"usual_ns", UNIT_NS, DATA}},
		tables_first_step, false},
	{"memory",
		{{"time_ns", UNIT_NS, DATA}, {"device", UNIT_COUNT, DATA},
			{"bytes", UNIT_BYTES, DATA}, {"allocated_bytes", UNIT_BYTES, DATA},
			{"reserved_bytes", UNIT_BYTES, DATA}},
		tables_memory, false},
	{"memory_peaks",
		{{"device", UNIT_COUNT, DATA}, {"peak_ns", UNIT_NS, DATA},
			{"peak_bytes", UNIT_BYTES, DATA}, {"reserved_bytes", UNIT_BYTES, DATA},
			{"free_bytes", UNIT_BYTES, DATA}, {"largest_free_bytes", UNIT_BYTES, DATA},
			{"fragmentation", UNIT_SHARE, DATA}, {"blocks", UNIT_COUNT, DATA},
			{"known_bytes", UNIT_BYTES, DATA}, {"end_bytes", UNIT_BYTES, DATA},
			{"refused", UNIT_COUNT, DATA}},
		tables_memory_peaks, false},
	{"memory_holders",
		{{"device", UNIT_COUNT, DATA}, {"by", UNIT_TEXT, DATA}, {"name", UNIT_TEXT, DATA},
			{"bytes", UNIT_BYTES, DATA}, {"share", UNIT_SHARE, DATA},
			{"blocks", UNIT_COUNT, DATA}, {"largest_bytes", UNIT_BYTES, DATA},
			{"allocations", UNIT_COUNT, DATA}, {"allocated_bytes", UNIT_BYTES, DATA}},
		tables_memory_holders, false},
	{"memory_blocks",
		{{"device", UNIT_COUNT, DATA}, {"bytes", UNIT_BYTES, DATA},
			{"since_ns", UNIT_NS, DATA}, {"until_ns", UNIT_NS, DATA},
			{"address", UNIT_TEXT, DATA}, {"by", UNIT_TEXT, DATA},
			{"name", UNIT_TEXT, DATA}},
		tables_memory_blocks, false},
	{"memory_segments",
		{{"device", UNIT_COUNT, DATA}, {"time_ns", UNIT_NS, DATA},
			{"what", UNIT_TEXT, DATA}, {"bytes", UNIT_BYTES, DATA},
			{"used_bytes", UNIT_BYTES, DATA}, {"address", UNIT_TEXT, DATA},
			{"name", UNIT_TEXT, DATA}},
		tables_memory_segments, false},
	{"idle",
		{{"cause", UNIT_TEXT, DATA}, {"gaps", UNIT_COUNT, DATA}, {"idle_ns", UNIT_NS, DATA},
			{"longest_ns", UNIT_NS, DATA}, {"share", UNIT_SHARE, DATA}},
		tables_idle, false},
	{"held",
		{{"by", UNIT_TEXT, DATA}, {"gaps", UNIT_COUNT, DATA}, {"idle_ns", UNIT_NS, DATA},
			{"longest_ns", UNIT_NS, DATA}, {"share", UNIT_SHARE, DATA}},
		tables_held, false},
	{"gaps",
		{{"start_ns", UNIT_NS, DATA}, {"idle_ns", UNIT_NS, DATA},
			{"cause", UNIT_TEXT, DATA}, {"by", UNIT_TEXT, DATA},
			{"host_ns", UNIT_NS, DATA}, {"waited", UNIT_TEXT, DATA},
			{"next", UNIT_TEXT, DATA}},
		tables_gaps, false},
	{"waited",
		{{"waited", UNIT_TEXT, DATA}, {"gaps", UNIT_COUNT, DATA},
			{"idle_ns", UNIT_NS, DATA}},
		tables_waited, false},
	{"launches",
		{{"what", UNIT_TEXT, DATA}, {"events", UNIT_COUNT, DATA},
			{"median_ns", UNIT_NS, DATA}, {"mean_ns", UNIT_NS, DATA},
			{"low_ns", UNIT_NS, DATA}, {"high_ns", UNIT_NS, DATA},
			{"most_ns", UNIT_NS, DATA}},
		tables_launches, false},
	{"device",
		{{"part", UNIT_TEXT, DATA}, {"time_ns", UNIT_NS, DATA},
			{"share", UNIT_SHARE, DATA}},
		tables_device, false},
	{"busy",
		{{"rule", UNIT_TEXT, DATA}, {"busy_ns", UNIT_NS, DATA},
			{"window_ns", UNIT_NS, DATA}, {"share", UNIT_SHARE, DATA}},
		tables_busy, false},
	{"totals",
		{{"line", UNIT_TEXT, DATA}, {"time_ns", UNIT_NS, DATA}, {"of_ns", UNIT_NS, DATA},
			{"share", UNIT_SHARE, DATA}},
		tables_totals, false},
	{"health",
		{{"what", UNIT_TEXT, DATA}, {"events", UNIT_COUNT, DATA},
			{"time_ns", UNIT_NS, DATA}},
		tables_health, false},
	{"repairs",
		{{"repair", UNIT_TEXT, DATA}, {"times", UNIT_COUNT, DATA},
			{"offset", UNIT_BYTES, DATA}, {"context", UNIT_TEXT, DATA}},
		tables_repairs, false},
	{"occupancy",
		{{"kernel", UNIT_TEXT, DATA}, {"grid", UNIT_TEXT, DATA}, {"block", UNIT_TEXT, DATA},
			{"resident", UNIT_COUNT, DATA}, {"limit", UNIT_TEXT, DATA},
			{"occupancy", UNIT_SHARE, DATA}, {"estimate", UNIT_SHARE, DATA},
			{"waves", UNIT_RATIO, DATA}, {"last_empty", UNIT_SHARE, DATA}},
		tables_occupancy, false},
	{"clocks",
		{{"reading", UNIT_TEXT, DATA}, {"readings", UNIT_COUNT, DATA},
			{"low", UNIT_COUNT, DATA}, {"high", UNIT_COUNT, DATA}},
		tables_clocks, false},
	{"counters",
		{{"process", UNIT_TEXT, DATA}, {"counter", UNIT_TEXT, DATA},
			{"samples", UNIT_COUNT, DATA}, {"low", UNIT_RATIO, DATA},
			{"mean", UNIT_RATIO, DATA}, {"high", UNIT_RATIO, DATA}},
		tables_counters, false},
};
const int n_result_tables = sizeof result_tables / sizeof *result_tables;

const struct tables_form *tables_named(const char *id)
{
	for (int i = 0; i < n_result_tables; i++)
		if (!strcmp(result_tables[i].id, id))
			return &result_tables[i];
	return NULL;
}

double over(double a, double b)
{
	return b != 0 ? a / b : (double)NAN;
}

static struct tables_value *next(struct result_table *t)
{
	if (t->at == t->room) {
		size_t room = t->room ? 2 * t->room : 64 * (size_t)t->n_columns;
		struct tables_value *more = arena_array(t->arena, room, sizeof *more);
		if (t->room)
			memcpy(more, t->value, t->room * sizeof *more);
		t->value = more;
		t->room = room;
	}
	struct tables_value *v = &t->value[t->at++];
	t->n = t->at / (size_t)t->n_columns;
	return v;
}

void put_text(struct result_table *t, const char *text)
{
	*next(t) = (struct tables_value){.text = text, .number = (double)NAN};
}

void put_number(struct result_table *t, double number)
{
	*next(t) = (struct tables_value){.number = number};
}

struct result_table tables_of(const struct tables_form *form, const struct tables_source *s)
{
	struct result_table t = {.form = form, .arena = s->arena};
	while (t.n_columns < TABLE_COLUMNS && form->column[t.n_columns].name)
		t.n_columns++;
	form->fill(&t, s);
	return t;
}

/* Shares and means have digits behind the point. */
static int decimals_of(enum finding_unit unit)
{
	return unit == UNIT_SHARE || unit == UNIT_RATIO ? 6 : 0;
}

static void json_value(struct json_out *j, const struct tables_value *v, enum finding_unit unit)
{
	if (unit == UNIT_TEXT && v->text)
		json_text(j, NULL, v->text);
	else
		json_number(j, NULL, v->number, decimals_of(unit));
}

static void json_table(struct json_out *j, const struct result_table *t)
{
	json_object(j, t->form->id, JSON_LINES);
	json_array(j, "columns", JSON_INLINE);
	for (int c = 0; c < t->n_columns; c++)
		json_text(j, NULL, t->form->column[c].name);
	json_end(j);
	json_array(j, "rows", JSON_LINES);
	for (size_t r = 0; r < t->n; r++) {
		json_array(j, NULL, JSON_INLINE);
		for (int c = 0; c < t->n_columns; c++)
			json_value(j, &t->value[r * (size_t)t->n_columns + (size_t)c],
				t->form->column[c].unit);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void tables_json(struct json_out *j, const char *key, const struct tables_source *s)
{
	json_object(j, key, JSON_LINES);
	for (int i = 0; i < n_result_tables; i++) {
		struct arena own = {0};
		struct tables_source mine = *s;
		mine.arena = &own;
		struct result_table t = tables_of(&result_tables[i], &mine);
		if (t.n)
			json_table(j, &t);
		arena_release(&own);
	}
	json_end(j);
}

/* Passed over by some spreadsheets before they look for a formula. */
static bool is_blank(uint32_t c)
{
	return c == ' ' || c == 0xa0 || c == 0xad || (c >= 0x2000 && c <= 0x200f) || c == 0x2060 ||
		c == 0x3000 || c == 0xfeff;
}

/* Spreadsheets run what begins so, also behind blanks; full-width signs are taken for plain ones.
 */
static bool is_formula(const char *text)
{
	uint32_t c = utf8_next(&text);
	while (is_blank(c))
		c = utf8_next(&text);
	if (c >= 0xff01 && c <= 0xff5e)
		c -= 0xff01 - '!';
	return c && c < 0x80 && strchr("=+-@", (int)c);
}

void csv_text(FILE *f, const char *text)
{
	size_t room = 6 * strlen(text) + 1;
	char *shown = xalloc(room);
	terminal_line(shown, room, text);
	bool formula = is_formula(text),
	     plain = !formula && !strpbrk(shown, ",\"") && *shown != ' ';
	if (!plain)
		fputs(formula ? "\"'" : "\"", f);
	for (const char *p = shown; *p; p++) {
		if (*p == '"')
			fputc('"', f);
		fputc(*p, f);
	}
	if (!plain)
		fputc('"', f);
	free(shown);
}

void tables_csv_value(FILE *f, const struct result_table *t, size_t row, int column)
{
	const struct tables_value *v = &t->value[row * (size_t)t->n_columns + (size_t)column];
	enum finding_unit unit = t->form->column[column].unit;
	if (unit == UNIT_TEXT && v->text)
		csv_text(f, v->text);
	else if (isfinite(v->number))
		fprintf(f, "%.*f", decimals_of(unit), v->number);
}
