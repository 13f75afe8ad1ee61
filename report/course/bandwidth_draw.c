/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/bandwidth.h"

#include "base/min_max.h"
#include "base/number_format.h"

#include <math.h>
#include <stddef.h>

/* One curve has the whole width, more stand side by side on the same scales. */
static const double HEAD = 13, FOOT = 26, GUTTER = 46, RIGHT = 8, ALONE_H = 66, PANEL_H = 58,
		    ROW_GAP = 6, RADIUS = 1.5, TITLE = 7, LABEL_ROOM = 0.14;
enum { PANELS_A_ROW = 3 };

static int panels_in_row(const struct bandwidth_plot *w)
{
	return min_int(w->n, PANELS_A_ROW);
}

static double panel_height(const struct bandwidth_plot *w)
{
	return HEAD + (w->n == 1 ? ALONE_H : PANEL_H) + FOOT;
}

void bandwidth_plot_plan(struct bandwidth_plot *w, double width)
{
	int rows = (w->n + PANELS_A_ROW - 1) / PANELS_A_ROW;
	w->width = width;
	w->height = rows * panel_height(w) + (rows - 1) * ROW_GAP;
}

struct panel {
	const struct plot *p;
	const struct bandwidth_plot *w;
	struct scale x, y;
	double top, bottom;
};

static const char *rate_tick(struct arena *a, double rate)
{
	return rate > 0 ? format_si(a, rate, "B/s") : "0";
}

static struct pt place(const struct panel *q, double width, double rate)
{
	return (struct pt){scale_at(&q->x, width), scale_at(&q->y, rate)};
}

static void draw_x_axis(const struct panel *q, const struct width_series *s)
{
	double *width = arena_array(q->p->a, (size_t)s->n + 1, sizeof *width);
	for (int i = 0; i < s->n; i++)
		width[i] = s->point[i].width;
	plot_x_values(q->p, &q->x, width, s->n, q->bottom);
}

static void draw_band(const struct panel *q, const struct width_series *s)
{
	int n = s->n;
	struct pt *points = arena_array(q->p->a, 2 * (size_t)n, sizeof *points);
	for (int i = 0; i < n; i++) {
		points[i] = place(q, s->point[i].width, s->point[i].high);
		points[2 * n - 1 - i] = place(q, s->point[i].width, s->point[i].low);
	}
	plot_area(q->p, points, 2 * (size_t)n, plot_colour(q->p, "spread"));
}

static void draw_line(
	const struct panel *q, const struct width_series *s, double width, const char *colour)
{
	struct pt *pt = arena_array(q->p->a, (size_t)s->n + 1, sizeof *pt);
	for (int i = 0; i < s->n; i++)
		pt[i] = place(q, s->point[i].width, s->point[i].median);
	plot_series(q->p, pt, (size_t)s->n, (struct plot_line_style){width, colour, 0, 0});
}

static void draw_dots(const struct panel *q, const struct width_series *s)
{
	for (int i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->point[i].n; k++)
			plot_dot(q->p, place(q, s->point[i].width, s->point[i].rate[k]), RADIUS,
				"dot");
}

/* At the end where the curve keeps away from it. */
static void draw_copy(const struct panel *q, const struct width_series *s)
{
	double rate = q->w->copy_rate, right = q->x.at + q->x.length;
	if (!(rate > 0))
		return;
	double y = scale_at(&q->y, rate);
	plot_line(q->p, (struct pt){q->x.at, y}, (struct pt){right, y}, 0.8, "mean", 3);
	const char *text = say(q->p->texts, q->p->a, "bandwidth.copy", "rate",
		format_si(q->p->a, rate, "B/s"), NULL);
	double w = plot_width(q->p, FACE_SANS, plot_small, text);
	double above = y - 7 > q->top ? y - 2 : y + 7;
	double near = fabs(s->point[0].median - rate), far = fabs(s->point[s->n - 1].median - rate);
	double left = near > far ? q->x.at + 2 : right - w - 2;
	canvas_rect(q->p->c, (struct box){left, above - 6, w + 2, 7.4},
		texts_colour(q->p->texts, "plate"));
	plot_text(q->p, left + 1, above, FACE_SANS, plot_small, "mean", ANCHOR_START, text);
}

/* Curves of one source share their scale. */
static bool are_together(const struct width_series *a, const struct width_series *b)
{
	return a->measured_apart == b->measured_apart;
}

static void fit_widths(
	struct scale *x, const struct bandwidth_plot *w, const struct width_series *s)
{
	double low = INFINITY, high = 0;
	for (int i = 0; i < w->n; i++) {
		const struct width_series *other = &w->series[i];
		if (!are_together(other, s))
			continue;
		low = fmin(low, other->point[0].width);
		high = fmax(high, other->point[other->n - 1].width);
	}
	scale_fit(x, low, high, 0.03);
}

static void draw_panel(const struct plot *p, const struct bandwidth_plot *w,
	const struct width_series *s, struct box box)
{
	struct panel q = {.p = p, .w = w, .top = box.y + HEAD, .bottom = box.y + box.h - FOOT};
	q.x = (struct scale){
		.logarithmic = true, .at = box.x + GUTTER, .length = box.w - GUTTER - RIGHT};
	fit_widths(&q.x, w, s);
	q.y = (struct scale){.high = fmax(w->high_rate * 1.06, w->copy_rate * (1 + LABEL_ROOM)),
		.at = q.bottom,
		.length = q.top - q.bottom};
	double right = q.x.at + q.x.length;
	plot_text(p, box.x + GUTTER, box.y + 8, FACE_BOLD, TITLE, "ink", ANCHOR_START,
		text_elide(p->a, p->fonts, FACE_BOLD, TITLE, box.w - GUTTER, s->title));
	plot_y_axis(p, &q.y, q.x.at, right, 5, rate_tick);
	draw_x_axis(&q, s);
	draw_band(&q, s);
	for (int i = 0; i < w->n; i++)
		if (&w->series[i] != s && are_together(&w->series[i], s))
			draw_line(&q, &w->series[i], 0.5, "tertiary");
	draw_dots(&q, s);
	draw_line(&q, s, 1.1, "median");
	draw_copy(&q, s);
	plot_text(p, right, q.bottom + 18, FACE_SANS, plot_small, "secondary", ANCHOR_END,
		say(p->texts, p->a, "bandwidth.x", NULL));
}

void bandwidth_plot_draw(struct canvas *c, struct box box, const void *bandwidth_plot)
{
	const struct bandwidth_plot *w = bandwidth_plot;
	struct arena scratch = {0};
	struct plot p = {c, w->texts, w->fonts, &scratch};
	int columns = panels_in_row(w);
	double h = panel_height(w);
	for (int i = 0; i < w->n; i++)
		draw_panel(&p, w, &w->series[i],
			(struct box){box.x + w->width * (i % columns) / columns,
				box.y + i / columns * (h + ROW_GAP), w->width / columns, h});
	arena_release(&scratch);
}

const struct figure_kind bandwidth_figure = {
	.draw = bandwidth_plot_draw, .height = offsetof(struct bandwidth_plot, height)};
