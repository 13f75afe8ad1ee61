/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/waterfall.h"

#include "base/number_format.h"

#include <math.h>
#include <stddef.h>

static const double ROW = 13, BAR = 9, LABELS = 118, NUMBERS = 62, PRINT = 7, AXIS = 16, PAD = 2;

void waterfall_plan(struct waterfall *w, double width)
{
	w->width = width;
	w->height = PAD + w->n * ROW + AXIS;
}

static const char *time_tick(struct arena *a, double ns)
{
	return ns > 0 ? format_time(a, ns) : "0";
}

/* "−1.05 ms", "+20.0 µs"; a whole step without a sign. */
static const char *row_value(struct arena *a, const struct waterfall_row *r)
{
	int64_t ns = r->to_ns - r->from_ns;
	const char *time = format_time(a, (double)(ns < 0 ? -ns : ns));
	return r->whole ? time : arena_printf(a, "%s%s", ns < 0 ? "\xe2\x88\x92" : "+", time);
}

static void draw_bar(
	const struct plot *p, const struct scale *x, const struct waterfall_row *r, double top)
{
	static const double LEAST = 0.8;
	double from = scale_at(x, (double)r->from_ns), to = scale_at(x, (double)r->to_ns);
	double left = from < to ? from : to, w = from < to ? to - from : from - to;
	const char *colour = r->whole ? "secondary" : r->to_ns < r->from_ns ? "kept" : "broken";
	canvas_rect(p->c, (struct box){left, top, fmax(w, LEAST), BAR}, plot_colour(p, colour));
}

/* A thin line carries the end of a bar down to the next one. */
static void draw_step(const struct plot *p, const struct scale *x, int64_t at_ns, double top)
{
	double at = scale_at(x, (double)at_ns);
	plot_line(p, (struct pt){at, top + BAR}, (struct pt){at, top + ROW}, 0.5, "axis", 0);
}

static struct scale scale_of(const struct waterfall *w, double left)
{
	double most = 1;
	for (int i = 0; i < w->n; i++) {
		most = fmax((double)w->row[i].from_ns, most);
		most = fmax((double)w->row[i].to_ns, most);
	}
	return (struct scale){
		.high = most, .at = left + LABELS, .length = w->width - LABELS - NUMBERS};
}

void waterfall_draw(struct canvas *c, struct box box, const void *waterfall)
{
	const struct waterfall *w = waterfall;
	struct arena scratch = {0};
	struct plot p = {c, w->texts, w->fonts, &scratch};
	struct scale x = scale_of(w, box.x);
	double top = box.y + PAD, bottom = top + w->n * ROW;
	plot_x_axis(&p, &x, box.y, bottom, 5, time_tick);
	for (int i = 0; i < w->n; i++, top += ROW) {
		const struct waterfall_row *r = &w->row[i];
		enum face face = r->largest || r->whole ? FACE_BOLD : FACE_SANS;
		double base = top + BAR - 2;
		plot_text(&p, box.x + LABELS - 6, base, face, PRINT, "ink", ANCHOR_END, r->label);
		draw_bar(&p, &x, r, top);
		plot_text(&p, box.x + w->width, base, face, PRINT, "ink", ANCHOR_END,
			row_value(p.a, r));
		if (i + 1 < w->n)
			draw_step(&p, &x, r->to_ns, top);
	}
	arena_release(&scratch);
}

const struct figure_kind waterfall_figure = {
	.draw = waterfall_draw, .height = offsetof(struct waterfall, height)};
