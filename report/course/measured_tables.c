/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/parts.h"

#include "base/number_format.h"
#include "base/sort.h"
#include "report/course/tsv.h"
#include "report/run/place_names.h"
#include "report/section/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tables that tests/gpu/tables.c measured, in the folder tables/ of a run; all times are in
 * microseconds. */

static const char *time_text(struct document *d, double us)
{
	return isfinite(us) ? format_time(d->arena, us * 1000) : "–";
}

static const char *rate_text(struct document *d, double gb_per_s)
{
	return isfinite(gb_per_s) ? arena_printf(d->arena, "%.1f", gb_per_s) : "–";
}

/* ---- the device's own memory ---- */

static const struct table_form bandwidth_form = {
	.column = {{"tables.what", .weight = 1}, {"tables.kernel", COLUMN_CODE, 1.2},
		{"tables.low", COLUMN_NUMBER}, {"tables.median", COLUMN_NUMBER},
		{"tables.high", COLUMN_NUMBER}, {"tables.rate", COLUMN_BAR}}};

static void add_bandwidth(struct document *d, const struct tsv *t)
{
	double most = 0;
	struct rows to = rows_begin(d, &bandwidth_form, 0);
	for (int i = 0; i < t->n_rows; i++)
		most = fmax(most, tsv_number(t, i, "GB_per_s"));
	for (int i = 0; i < t->n_rows; i++) {
		double rate = tsv_number(t, i, "GB_per_s");
		const char *kernel = tsv_text(t, i, "kernel");
		put(&to, literal(d, tsv_text(t, i, "what")));
		put(&to, event_name(d, kernel));
		put(&to, time_text(d, tsv_number(t, i, "p20_us")));
		put(&to, time_text(d, tsv_number(t, i, "p50_us")));
		put(&to, time_text(d, tsv_number(t, i, "p80_us")));
		put_cell(&to,
			(struct cell){.text = rate_text(d, rate),
				.share = rate > 0 ? rate / most : 0,
				.swatch = *kernel ? "pointwise" : "copy"});
	}
}

/* ---- copies to the device and back ---- */

static const struct table_form copies_form = {
	.column = {{"tables.bytes", .weight = 1}, {"tables.to.pageable", COLUMN_NUMBER, 1.2},
		{"tables.to.pinned", COLUMN_NUMBER, 1.2},
		{"tables.from.pageable", COLUMN_NUMBER, 1.2},
		{"tables.from.pinned", COLUMN_NUMBER, 1.2},
		{"tables.cpu.to.pageable", COLUMN_NUMBER, 1.2},
		{"tables.cpu.to.pinned", COLUMN_NUMBER, 1.2},
		{"tables.cpu.from.pageable", COLUMN_NUMBER, 1.2},
		{"tables.cpu.from.pinned", COLUMN_NUMBER, 1.2}}};

static bool same(const struct tsv *t, const char *column, int row, int other)
{
	return !strcmp(tsv_text(t, row, column), tsv_text(t, other, column));
}

/* A number of each way, from the rows of one size, which stand together. */
static void put_ways(struct rows *to, const struct tsv *t, int first, const char *column,
	const char *(*text)(struct document *d, double value))
{
	static const char *const ways[][2] = {
		{"HtoD", "pageable"}, {"HtoD", "pinned"}, {"DtoH", "pageable"}, {"DtoH", "pinned"}};
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		int i = first;
		while (i < t->n_rows && same(t, "bytes", i, first) &&
			(strcmp(tsv_text(t, i, "direction"), ways[w][0]) != 0 ||
				strcmp(tsv_text(t, i, "memory"), ways[w][1]) != 0))
			i++;
		if (i == t->n_rows || !same(t, "bytes", i, first))
			put(to, "");
		else
			put(to, text(to->d, tsv_number(t, i, column)));
	}
}

static void add_copies(struct document *d, const struct tsv *t)
{
	struct rows to = rows_begin(d, &copies_form, 0);
	for (int i = 0; i < t->n_rows; i++) {
		if (i && same(t, "bytes", i, i - 1))
			continue;
		put(&to, format_si(d->arena, tsv_number(t, i, "bytes"), "B"));
		put_ways(&to, t, i, "GB_per_s", rate_text);
		put_ways(&to, t, i, "cpu_us", time_text);
	}
}

/* ---- launches ---- */

static const struct table_form launches_form = {
	.column = {{"tables.what", .weight = 1}, {"tables.unrecorded", COLUMN_NUMBER},
		{"tables.recorded", COLUMN_NUMBER}, {"tables.gpu", COLUMN_NUMBER}}};

static void add_launches(struct document *d, const struct tsv *t)
{
	struct rows to = rows_begin(d, &launches_form, 0);
	for (int i = 0; i < t->n_rows; i++) {
		put(&to, literal(d, tsv_text(t, i, "what")));
		put(&to, time_text(d, tsv_number(t, i, "unrecorded_us")));
		put(&to, time_text(d, tsv_number(t, i, "recorded_us")));
		put(&to, time_text(d, tsv_number(t, i, "gpu_p50_us")));
	}
}

/* ---- the sweep, drawn by figure/bandwidth.h ---- */

static const struct table_form sweep_form = {
	.column = {{"tables.kernel", COLUMN_CODE, 1}, {"sweep.first", COLUMN_NUMBER},
		{"sweep.best", COLUMN_NUMBER}, {"sweep.at", COLUMN_NUMBER},
		{"sweep.last", COLUMN_NUMBER}, {"sweep.events", COLUMN_NUMBER}}};

/* GB/s of the widths in the order of the table, and in the median the time of events around a
 * launch less the kernel's own record. */
static void put_kernel(struct rows *to, const struct tsv *t, int first)
{
	struct document *d = to->d;
	double from = (double)NAN, best = 0, best_width = 0, last = 0;
	double *more_us = arena_array(d->arena, (size_t)t->n_rows, sizeof *more_us);
	size_t n = 0;
	for (int i = first; i < t->n_rows; i++) {
		double rate = tsv_number(t, i, "GB_per_s");
		if (!same(t, "kernel", i, first) || !isfinite(rate))
			continue;
		from = isfinite(from) ? from : rate;
		last = rate;
		best_width = rate > best ? tsv_number(t, i, "width") : best_width;
		best = fmax(best, rate);
		more_us[n] = tsv_number(t, i, "event_p50_us") - tsv_number(t, i, "p50_us");
		n += isfinite(more_us[n]);
	}
	qsort(more_us, n, sizeof *more_us, by_double);
	put(to, literal(d, tsv_text(t, first, "kernel")));
	put(to, rate_text(d, from));
	put(to, rate_text(d, best));
	put(to,
		best_width > 0 && best_width < 1e9 ? format_count(d->arena, (int64_t)best_width)
						   : "–");
	put(to, rate_text(d, last));
	put(to, n ? time_text(d, more_us[n / 2]) : "–");
}

static void add_sweep(struct document *d, const struct tsv *t)
{
	struct rows to = rows_begin(d, &sweep_form, 0);
	for (int i = 0; i < t->n_rows; i++) {
		int before = 0;
		while (before < i && !same(t, "kernel", before, i))
			before++;
		if (before == i && *tsv_text(t, i, "kernel"))
			put_kernel(&to, t, i);
	}
}

/* ---- PyTorch's own steps, beside those that figure/crossover.h draws ---- */

static const struct table_form crossover_form = {
	.column = {{"tables.size", COLUMN_NUMBER}, {"tables.steps", COLUMN_NUMBER},
		{"tables.cpu", COLUMN_NUMBER}, {"tables.cpu.band", COLUMN_NUMBER, 1.2},
		{"tables.gpu", COLUMN_NUMBER}, {"tables.gpu.band", COLUMN_NUMBER, 1.2}}};

static void put_side(struct rows *to, const struct tsv *t, int i, const char *side)
{
	struct document *d = to->d;
	static const int quantiles[] = {20, 50, 80};
	double q[3];
	for (int k = 0; k < 3; k++)
		q[k] = tsv_number(t, i, arena_printf(d->arena, "%s_p%d_us", side, quantiles[k]));
	put(to, time_text(d, q[1]));
	put(to, arena_printf(d->arena, "%s – %s", time_text(d, q[0]), time_text(d, q[2])));
}

static void add_crossover(struct document *d, const struct tsv *t)
{
	struct rows to = rows_begin(d, &crossover_form, 0);
	for (int i = 0; i < t->n_rows; i++) {
		double size = tsv_number(t, i, "size"), steps = tsv_number(t, i, "steps");
		if (!(size > 0 && size < 1e9 && steps > 0 && steps < 1e9))
			continue;
		put_count(&to, (int64_t)size);
		put_count(&to, (int64_t)steps);
		put_side(&to, t, i, "cpu");
		put_side(&to, t, i, "device");
	}
}

/* ---- the section ---- */

static const struct measured {
	const char *name; /* of its file, and its keys */
	void (*add)(struct document *d, const struct tsv *t);
} tables[] = {{"bandwidth", add_bandwidth}, {"sweep", add_sweep}, {"copies", add_copies},
	{"launches", add_launches}, {"crossover", add_crossover}};

void section_tables(struct document *d, const struct input *in)
{
	for (int r = 0; r < in->n_runs; r++) {
		bool any = false;
		for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
			const char *name = tables[i].name, *folder = in->runs[r].folder;
			struct tsv t;
			if (!folder ||
				!tsv_read(&t, d->arena,
					arena_printf(d->arena, "%s/tables/%s.tsv", folder, name)))
				continue;
			if (!any) {
				struct block *head =
					document_heading(d, 1, place_of(d->arena, "tables", r),
						said(d, "tables.title", NULL));
				head->flows = head->detail = any = true;
			}
			document_heading(d, 2, NULL, said_by(d, "tables.%s", name));
			document_add(d, BLOCK_TEXT, said_by(d, "tables.%s.about", name))->level = 1;
			tables[i].add(d, &t);
		}
	}
}
