/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/bandwidth.h"

#include "base/dtype.h"
#include "base/outfile.h"
#include "base/sort.h"
#include "report/analyse/case_numbers.h"
#include "report/course/case_work.h"
#include "report/run/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel of a case ---- */

static bool is_pointwise(uint8_t class)
{
	return class == CLASS_ADD || class == CLASS_MUL || class == CLASS_GELU ||
		class == CLASS_FUSED || class == CLASS_ELEMENTWISE || class == CLASS_KERNEL;
}

/* Bytes a second of the only kernel of a step; NAN when it is not that simple. */
static double rate_of(const struct report_case *c, const struct step *s)
{
	if (s->n_device != 1 || !is_pointwise(c->analysis->class[s->device[0]]))
		return (double)NAN;
	struct work w = work_of(c, s, 0);
	int64_t ns = c->trace.dur_ns[s->device[0]];
	return ns > 0 ? (w.read_bytes + w.write_bytes) / (double)ns * 1e9 : (double)NAN;
}

static bool is_candidate(const struct report_case *c)
{
	if (!c->readable || !c->work || !(work_size(c->work, "dim") > 0))
		return false;
	const struct analysis *an = c->analysis;
	for (uint32_t i = steady_from(an); i < an->n_steps; i++)
		if (!isfinite(rate_of(c, &an->steps[i])))
			return false;
	return an->n_steps > steady_from(an);
}

static bool are_alike(const struct report_case *a, const struct report_case *b)
{
	return same_kind_of_work(a->work, b->work) &&
		work_size(a->work, "batch") == work_size(b->work, "batch");
}

/* Cases like c with other widths, and c; each width once. */
static int count_widths(const struct run *run, const struct report_case *c)
{
	double seen[MOST_WIDTHS];
	int n = 0;
	for (int i = 0; i < run->n_cases && n < MOST_WIDTHS; i++) {
		const struct report_case *other = &run->cases[i];
		if (!is_candidate(other) || !are_alike(c, other))
			continue;
		int k = 0;
		while (k < n && seen[k] != work_size(other->work, "dim"))
			k++;
		if (k == n)
			seen[n++] = work_size(other->work, "dim");
	}
	return n;
}

bool bandwidth_plot_has(const struct run *run, const struct report_case *c)
{
	return is_candidate(c) && count_widths(run, c) >= WIDTHS_FROM;
}

/* ---- curves from cases ---- */

ORDER(by_width, struct width_point, UP(width));

/* Linear between neighbours, as base/stats.h has it for whole numbers. */
static double quantile_of(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
	return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static struct width_point point_of(struct arena *a, const struct report_case *c)
{
	const struct analysis *an = c->analysis;
	uint32_t first = steady_from(an);
	struct width_point p = {.width = work_size(c->work, "dim"),
		.n = an->n_steps - first,
		.rate = arena_array(a, an->n_steps - first, sizeof *p.rate),
		.c = c};
	for (size_t i = 0; i < p.n; i++)
		p.rate[i] = rate_of(c, &an->steps[first + i]);
	qsort(p.rate, p.n, sizeof *p.rate, by_double);
	p.low = quantile_of(p.rate, p.n, 0.2);
	p.median = quantile_of(p.rate, p.n, 0.5);
	p.high = quantile_of(p.rate, p.n, 0.8);
	return p;
}

static bool has_width(const struct width_series *s, double width)
{
	for (int i = 0; i < s->n; i++)
		if (s->point[i].width == width)
			return true;
	return false;
}

static struct width_series *add_series(struct bandwidth_plot *w, struct arena *a)
{
	if (w->n == MOST_FOUND)
		return NULL;
	struct width_series *s = &w->series[w->n++];
	*s = (struct width_series){.point = arena_array(a, MOST_WIDTHS, sizeof *s->point)};
	return s;
}

static void find_in_cases(struct bandwidth_plot *w, struct arena *a, const struct run *run)
{
	bool *taken = xcalloc((size_t)run->n_cases + 1, sizeof *taken);
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (taken[i] || !bandwidth_plot_has(run, c))
			continue;
		struct width_series *s = add_series(w, a);
		for (int k = i; k < run->n_cases; k++) {
			const struct report_case *other = &run->cases[k];
			if (!is_candidate(other) || !are_alike(c, other))
				continue;
			taken[k] = true;
			if (s && s->n < MOST_WIDTHS && !has_width(s, work_size(other->work, "dim")))
				s->point[s->n++] = point_of(a, other);
		}
		if (!s)
			continue;
		s->title = arena_printf(a, "%s, %s", c->work->workload, dtype_name(c->work->dtype));
		s->rows = work_size(c->work, "batch");
		qsort(s->point, (size_t)s->n, sizeof *s->point, by_width);
	}
	free(taken);
}

/* ---- curves from a table ---- */

enum { COLUMN_WIDTH, COLUMN_KERNEL, COLUMN_MEDIAN, COLUMN_LOW, COLUMN_HIGH, COLUMNS };

enum { MOST_FIELDS = 24, LARGEST_TABLE = 1 << 20 };

/* Cuts a line at its tabs. */
static int split_line(char *line, char *field[MOST_FIELDS])
{
	int n = 0;
	while (n < MOST_FIELDS) {
		field[n++] = line;
		size_t length = strcspn(line, "\t");
		if (!line[length])
			break;
		line[length] = '\0';
		line += length + 1;
	}
	return n;
}

/* Where the columns stand; false when one is missing. */
static bool find_columns(char *line, int column[COLUMNS])
{
	static const char *const names[COLUMNS] = {
		"width", "kernel", "GB_per_s", "GB_per_s_20", "GB_per_s_80"};
	char *field[MOST_FIELDS];
	int n = split_line(line, field);
	for (int c = 0; c < COLUMNS; c++) {
		column[c] = 0;
		while (column[c] < n && strcmp(field[column[c]], names[c]) != 0)
			column[c]++;
		if (column[c] == n)
			return false;
	}
	return true;
}

static double number(const char *text)
{
	double value = number_of_text(text);
	return value > 0 ? value : (double)NAN;
}

static struct width_series *series_of_kernel(
	struct bandwidth_plot *w, struct arena *a, const char *kernel)
{
	for (int i = 0; i < w->n; i++)
		if (w->series[i].measured_apart && !strcmp(w->series[i].title, kernel))
			return &w->series[i];
	struct width_series *s = add_series(w, a);
	if (s) {
		s->title = arena_strdup(a, kernel);
		s->measured_apart = true;
	}
	return s;
}

static void add_line(
	struct bandwidth_plot *w, struct arena *a, char *line, const int column[COLUMNS])
{
	char *field[MOST_FIELDS];
	int n = split_line(line, field);
	for (int c = 0; c < COLUMNS; c++)
		if (column[c] >= n)
			return;
	struct width_point p = {.width = number(field[column[COLUMN_WIDTH]]),
		.low = number(field[column[COLUMN_LOW]]) * 1e9,
		.median = number(field[column[COLUMN_MEDIAN]]) * 1e9,
		.high = number(field[column[COLUMN_HIGH]]) * 1e9};
	if (!isfinite(p.width + p.low + p.median + p.high))
		return;
	struct width_series *s = series_of_kernel(w, a, field[column[COLUMN_KERNEL]]);
	if (s && s->n < MOST_WIDTHS && !has_width(s, p.width))
		s->point[s->n++] = p;
}

static void drop_short_series(struct bandwidth_plot *w)
{
	int n = 0;
	for (int i = 0; i < w->n; i++)
		if (w->series[i].n >= WIDTHS_FROM)
			w->series[n++] = w->series[i];
	w->n = n;
}

/* Beside the run's manifest, or among the tables that were measured with it. */
static char *read_sweep(struct arena *a, const struct run *run, size_t *length)
{
	static const char *const places[] = {"sweep.tsv", "tables/sweep.tsv"};
	char *text = NULL;
	for (int i = 0; i < 2 && !text; i++) {
		struct err ignored = {0};
		text = read_small_file(arena_printf(a, "%s/%s", run->folder, places[i]),
			LARGEST_TABLE, length, &ignored);
	}
	return text;
}

static void find_in_table(struct bandwidth_plot *w, struct arena *a, const struct run *run)
{
	size_t length;
	int column[COLUMNS], lines = 0;
	if (!run->folder)
		return;
	char *text = read_sweep(a, run, &length);
	bool known = true;
	for (char *line = text, *next; line && *line && known; line = next, lines++) {
		next = line + strcspn(line, "\r\n");
		next += strspn(next, "\r\n");
		line[strcspn(line, "\r\n")] = '\0';
		if (lines)
			add_line(w, a, line, column);
		else
			known = find_columns(line, column);
	}
	free(text);
	for (int i = 0; i < w->n; i++)
		qsort(w->series[i].point, (size_t)w->series[i].n, sizeof(struct width_point),
			by_width);
	drop_short_series(w);
}

/* ---- the copy beside them, and the whole ---- */

double largest_copy_rate(const struct run *run, double *most)
{
	double *rate = NULL, median = 0;
	size_t n = 0, room = 0;
	*most = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		for (size_t k = 0; c->readable && k < c->analysis->n_device; k++) {
			uint32_t row = c->analysis->device_rows[k];
			const struct trace *t = &c->trace;
			if (t->kind[row] != EVENT_MEMCPY || t->side[row] == NO_ROW ||
				t->dur_ns[row] <= 0)
				continue;
			bool within = device_traits(c->analysis, row) & TRAIT_WITHIN;
			double bytes = 2 * (double)t->copies[t->side[row]].bytes;
			if (!within || bytes < *most || bytes <= 0)
				continue;
			n = bytes > *most ? 0 : n;
			*most = bytes;
			if (n == room)
				rate = xrealloc(rate, room = room * 2 + 16, sizeof *rate);
			rate[n++] = bytes / (double)t->dur_ns[row] * 1e9;
		}
	}
	if (n) {
		qsort(rate, n, sizeof *rate, by_double);
		median = quantile_of(rate, n, 0.5);
	}
	free(rate);
	return median;
}

static double highest(const struct width_point *p)
{
	return p->n ? p->rate[p->n - 1] : p->high;
}

bool bandwidth_plot_find(struct bandwidth_plot *w, struct arena *a, const struct run *run)
{
	find_in_cases(w, a, run);
	find_in_table(w, a, run);
	w->left_out = w->n > MOST_SERIES ? w->n - MOST_SERIES : 0;
	w->n -= w->left_out;
	if (!w->n)
		return false;
	w->copy_rate = largest_copy_rate(run, &w->copy_bytes);
	w->high_rate = w->copy_rate;
	for (int i = 0; i < w->n; i++)
		for (int k = 0; k < w->series[i].n; k++)
			w->high_rate = fmax(w->high_rate, highest(&w->series[i].point[k]));
	return true;
}
