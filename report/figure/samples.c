/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/samples.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/figure/plot.h"

#include <math.h>
#include <stddef.h>

const double sample_plot_height = 84;

static const double GUTTER = 78, TOP = 6, BOTTOM = 16, RADIUS = 1.7, PLACE = 2 * RADIUS, RIGHT = 64,
		    LABEL_H = 8, PAD = 0.08;

static struct scale scale_of(const struct sample_plot *d, struct box area)
{
	double low = INFINITY, high = 0;
	for (size_t i = 0; i < d->n; i++) {
		low = fmin(low, (double)d->ns[i]);
		high = fmax(high, (double)d->ns[i]);
	}
	struct scale y = {.at = area.y + area.h, .length = -area.h};
	scale_fit(&y, low, high, PAD);
	y.low = fmax(y.low, 0);
	return y;
}

static const char *value_of(const struct plot *p, const char *key, double ns)
{
	return say(p->texts, p->a, key, "time", format_time(p->a, ns), NULL);
}

/* Median and mean: a line each, and at its end a label beside that of the other. */
static void draw_middles(
	const struct plot *p, const struct sample_plot *d, const struct scale *y, struct box area)
{
	double right = area.x + area.w, median = scale_at(y, d->median_ns);
	double mean = scale_at(y, d->mean_ns);
	bool above = mean < median;
	double at[] = {above ? mean : median, above ? median : mean};
	const double height[] = {LABEL_H, LABEL_H};
	keep_apart(at, height, 2, area.y - TOP, area.y + area.h + BOTTOM);
	plot_line(p, (struct pt){area.x, median}, (struct pt){right, median}, 0.8, "median", 0);
	plot_line(p, (struct pt){area.x, mean}, (struct pt){right, mean}, 0.8, "mean", 2.5);
	plot_text(p, right + 4, at[above] + 2.2, FACE_SANS, plot_small, "median", ANCHOR_START,
		value_of(p, "samples.median", d->median_ns));
	plot_text(p, right + 4, at[!above] + 2.2, FACE_SANS, plot_small, "mean", ANCHOR_START,
		value_of(p, "samples.mean", d->mean_ns));
}

/* Of a great many runs one dot in each place: a square as wide as a dot. */
static void draw_runs(
	const struct plot *p, const struct sample_plot *d, const struct scale *y, struct box area)
{
	int columns = (int)(area.w / PLACE) + 1, rows = (int)(area.h / PLACE) + 1;
	uint8_t *taken = arena_alloc(p->a, (size_t)(columns * rows));
	double pitch = area.w / (double)d->n;
	for (size_t i = 0; i < d->n; i++) {
		struct pt at = {area.x + pitch * ((double)i + 0.5), scale_at(y, (double)d->ns[i])};
		int column = (int)((at.x - area.x) / PLACE), row = (int)((at.y - area.y) / PLACE);
		row = max_int(0, min_int(row, rows - 1));
		uint8_t *place = &taken[row * columns + column];
		if (d->n <= SAMPLES_ALL_DRAWN || !*place)
			plot_dot(p, at, RADIUS, "dot");
		*place = 1;
	}
}

void sample_plot_draw(struct canvas *c, struct box box, const void *sample_plot)
{
	const struct sample_plot *d = sample_plot;
	struct arena scratch = {0};
	struct plot p = {c, d->texts, d->fonts, &scratch};
	struct box area = {
		box.x + GUTTER, box.y + TOP, box.w - GUTTER - RIGHT, box.h - TOP - BOTTOM};
	struct scale y = scale_of(d, area);
	double right = area.x + area.w, bottom = area.y + area.h, foot = box.y + box.h - 5;
	plot_y_axis(&p, &y, area.x, right, 6, format_time);
	plot_line(&p, (struct pt){area.x, bottom}, (struct pt){right, bottom}, 0.6, "axis", 0);
	draw_middles(&p, d, &y, area);
	draw_runs(&p, d, &y, area);
	plot_text(&p, area.x, foot, FACE_SANS, plot_small, "secondary", ANCHOR_START,
		say(d->texts, &scratch, "samples.first", NULL));
	plot_text(&p, right, foot, FACE_SANS, plot_small, "secondary", ANCHOR_END,
		say(d->texts, &scratch, "samples.last", "n", format_count(&scratch, (int64_t)d->n),
			NULL));
	arena_release(&scratch);
}

const struct figure_kind samples_figure = {
	.draw = sample_plot_draw, .height = offsetof(struct sample_plot, height)};
