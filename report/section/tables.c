/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/section.h"

#include "base/format.h"
#include "report/section/case_tables.h"
#include "report/section/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tables that tests/gpu/tables.c measured, in the folder tables/ of a run; all times are in
 * microseconds. */
static bool read_table(struct document *d, const struct run *run, const char *name, struct tsv *t)
{
	return run->folder &&
		tsv_read(
			t, d->arena, arena_printf(d->arena, "%s/tables/%s.tsv", run->folder, name));
}

static void add_head(struct document *d, const char *name)
{
	struct arena *a = d->arena;
	document_heading(d, 2, NULL, said(d, arena_printf(a, "tables.%s", name), NULL));
	document_say(d, BLOCK_TEXT, arena_printf(a, "tables.%s.about", name), NULL)->level = 1;
}

/* Text, then numbers; a caller may say otherwise of some. */
static struct column *new_columns(struct document *d, const char *const *keys, int n)
{
	struct column *col = arena_array(d->arena, (size_t)n, sizeof *col);
	for (int i = 0; i < n; i++)
		col[i] = (struct column){
			.title = said(d, keys[i], NULL), .kind = i ? COLUMN_NUMBER : COLUMN_TEXT};
	col[0].weight = 1;
	return col;
}

static struct table *new_table(struct document *d, const struct column *col, int n, int rows)
{
	struct table *t = document_table(d, col, n, rows);
	t->size = 7;
	return t;
}

static const char *time_text(struct document *d, const struct tsv *t, int row, const char *column)
{
	double us = tsv_number(t, row, column);
	return isfinite(us) ? format_time(d->arena, us * 1000) : "–";
}

static const char *rate_text(struct document *d, double gb_per_s)
{
	return isfinite(gb_per_s) ? arena_printf(d->arena, "%.1f", gb_per_s) : "–";
}

/* ---- the device's own memory ---- */

static void add_bandwidth(struct document *d, const struct tsv *t)
{
	static const char *const keys[] = {"tables.what", "tables.kernel", "tables.low",
		"tables.median", "tables.high", "tables.rate"};
	double most = 0;
	add_head(d, "bandwidth");
	struct column *col = new_columns(d, keys, sizeof keys / sizeof *keys);
	col[1] = (struct column){.title = col[1].title, .kind = COLUMN_CODE, .weight = 1.2};
	col[5].kind = COLUMN_BAR;
	struct table *table = new_table(d, col, sizeof keys / sizeof *keys, t->n_rows);
	for (int i = 0; i < t->n_rows; i++)
		most = fmax(most, tsv_number(t, i, "GB_per_s"));
	for (int i = 0; i < t->n_rows; i++) {
		double rate = tsv_number(t, i, "GB_per_s");
		const char *kernel = tsv_text(t, i, "kernel");
		table_cell(table, i, 0)->text = literal(d, tsv_text(t, i, "what"));
		table_cell(table, i, 1)->text = event_name(d, kernel);
		table_cell(table, i, 2)->text = time_text(d, t, i, "p20_us");
		table_cell(table, i, 3)->text = time_text(d, t, i, "p50_us");
		table_cell(table, i, 4)->text = time_text(d, t, i, "p80_us");
		*table_cell(table, i, 5) = (struct cell){.text = rate_text(d, rate),
			.share = rate > 0 ? rate / most : 0,
			.swatch = *kernel ? "pointwise" : "copy"};
	}
}

/* ---- copies to the device and back ---- */

static const struct way {
	const char *direction, *memory;
} ways[] = {{"HtoD", "pageable"}, {"HtoD", "pinned"}, {"DtoH", "pageable"}, {"DtoH", "pinned"}};
enum { WAYS = sizeof ways / sizeof *ways };

static int way_of(const struct tsv *t, int row)
{
	int i = 0;
	while (i < WAYS &&
		(strcmp(tsv_text(t, row, "direction"), ways[i].direction) != 0 ||
			strcmp(tsv_text(t, row, "memory"), ways[i].memory) != 0))
		i++;
	return i;
}

/* Rows of one size stand together. */
static bool new_size(const struct tsv *t, int row)
{
	return !row || strcmp(tsv_text(t, row, "bytes"), tsv_text(t, row - 1, "bytes")) != 0;
}

static void add_copies(struct document *d, const struct tsv *t)
{
	static const char *const keys[] = {"tables.bytes", "tables.to.pageable", "tables.to.pinned",
		"tables.from.pageable", "tables.from.pinned", "tables.cpu.to.pageable",
		"tables.cpu.to.pinned", "tables.cpu.from.pageable", "tables.cpu.from.pinned"};
	enum { COLUMNS = sizeof keys / sizeof *keys };
	int sizes = 0, at = -1;
	for (int i = 0; i < t->n_rows; i++)
		sizes += new_size(t, i);
	add_head(d, "copies");
	struct column *col = new_columns(d, keys, COLUMNS);
	for (int i = 1; i < COLUMNS; i++)
		col[i].weight = 1.2;
	struct table *table = new_table(d, col, COLUMNS, sizes);
	for (int i = 0; i < t->n_rows; i++) {
		int way = way_of(t, i);
		at += new_size(t, i);
		table_cell(table, at, 0)->text =
			format_si(d->arena, tsv_number(t, i, "bytes"), "B");
		if (way == WAYS)
			continue;
		table_cell(table, at, 1 + way)->text = rate_text(d, tsv_number(t, i, "GB_per_s"));
		table_cell(table, at, 1 + WAYS + way)->text = time_text(d, t, i, "cpu_us");
	}
}

/* ---- launches ---- */

static void add_launches(struct document *d, const struct tsv *t)
{
	static const char *const keys[] = {
		"tables.what", "tables.unrecorded", "tables.recorded", "tables.gpu"};
	static const char *const columns[] = {"unrecorded_us", "recorded_us", "gpu_p50_us"};
	add_head(d, "launches");
	struct table *table = new_table(d, new_columns(d, keys, sizeof keys / sizeof *keys),
		sizeof keys / sizeof *keys, t->n_rows);
	for (int i = 0; i < t->n_rows; i++) {
		table_cell(table, i, 0)->text = literal(d, tsv_text(t, i, "what"));
		for (int k = 0; k < 3; k++)
			table_cell(table, i, 1 + k)->text = time_text(d, t, i, columns[k]);
	}
}

/* ---- the sweep, drawn by figure/bandwidth.h ---- */

struct sweep_line {
	const char *name;
	double first, best, best_width, last; /* GB/s; of the widths in the order of the table */
	double *more_us; /* (n) events around a launch less the kernel's own record */
	size_t n;
};

enum { MOST_LINES = 16 };

static struct sweep_line *line_of(
	struct sweep_line *line, int *n, struct arena *a, const struct tsv *t, int row)
{
	const char *name = tsv_text(t, row, "kernel");
	for (int i = 0; i < *n; i++)
		if (!strcmp(line[i].name, name))
			return &line[i];
	if (!*name || *n == MOST_LINES)
		return NULL;
	line[*n] = (struct sweep_line){.name = name, .first = (double)NAN};
	line[*n].more_us = arena_array(a, (size_t)t->n_rows, sizeof(double));
	return &line[(*n)++];
}

static int lines_of(struct sweep_line *line, struct arena *a, const struct tsv *t)
{
	int n = 0;
	for (int i = 0; i < t->n_rows; i++) {
		struct sweep_line *l = line_of(line, &n, a, t, i);
		double rate = tsv_number(t, i, "GB_per_s"),
		       more = tsv_number(t, i, "event_p50_us") - tsv_number(t, i, "p50_us");
		if (!l || !isfinite(rate))
			continue;
		l->first = isfinite(l->first) ? l->first : rate;
		l->last = rate;
		if (rate > l->best) {
			l->best = rate;
			l->best_width = tsv_number(t, i, "width");
		}
		if (isfinite(more))
			l->more_us[l->n++] = more;
	}
	return n;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void add_sweep(struct document *d, const struct tsv *t)
{
	static const char *const keys[] = {"tables.kernel", "sweep.first", "sweep.best", "sweep.at",
		"sweep.last", "sweep.events"};
	struct sweep_line line[MOST_LINES];
	struct arena *a = d->arena;
	int n = lines_of(line, a, t);
	if (!n)
		return;
	add_head(d, "sweep");
	struct column *col = new_columns(d, keys, sizeof keys / sizeof *keys);
	col[0].kind = COLUMN_CODE;
	struct table *table = new_table(d, col, sizeof keys / sizeof *keys, n);
	for (int i = 0; i < n; i++) {
		struct sweep_line *l = &line[i];
		table_cell(table, i, 0)->text = literal(d, l->name);
		table_cell(table, i, 1)->text = rate_text(d, l->first);
		table_cell(table, i, 2)->text = rate_text(d, l->best);
		table_cell(table, i, 3)->text = format_count(a, (int64_t)l->best_width);
		table_cell(table, i, 4)->text = rate_text(d, l->last);
		if (l->n)
			qsort(l->more_us, l->n, sizeof *l->more_us, by_value);
		table_cell(table, i, 5)->text =
			l->n ? format_time(a, l->more_us[l->n / 2] * 1000) : "–";
	}
}

/* ---- the section ---- */

void section_tables(struct document *d, const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++) {
		const struct run *run = &in->runs[r];
		struct tsv bandwidth, copies, launches, sweep;
		bool any = read_table(d, run, "bandwidth", &bandwidth);
		any = read_table(d, run, "copies", &copies) || any;
		any = read_table(d, run, "launches", &launches) || any;
		any = read_table(d, run, "sweep", &sweep) || any;
		if (!any)
			continue;
		struct block *head = document_heading(
			d, 1, place_of(d->arena, "tables", r), said(d, "tables.title", NULL));
		head->flows = head->detail = true;
		if (bandwidth.n_rows)
			add_bandwidth(d, &bandwidth);
		if (sweep.n_rows)
			add_sweep(d, &sweep);
		if (copies.n_rows)
			add_copies(d, &copies);
		if (launches.n_rows)
			add_launches(d, &launches);
	}
}
