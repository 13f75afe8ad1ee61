/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/ratio_strips.h"

#include "base/number_format.h"
#include "report/figure/plot.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <stddef.h>

static const double HEAD = 22, ROW = 19, FOOT = 3, LABEL_W = 196, NUMBER_W = 58, POSTS_W = 62,
		    RADIUS = 2.1, TICK_APART = 24;
static const double FARTHEST = 64; /* a ratio or its inverse beyond it lies at the end */

static double bounded(double ratio)
{
	return fmax(1 / FARTHEST, fmin(FARTHEST, ratio));
}

static bool is_known(const struct sure_ratio *r)
{
	return r->ratio > 0 && isfinite(r->ratio);
}

static double low_of(const struct sure_ratio *r)
{
	return bounded(r->certainty.low > 0 ? r->certainty.low : r->ratio);
}

static double high_of(const struct sure_ratio *r)
{
	return bounded(r->certainty.high > 0 ? r->certainty.high : r->ratio);
}

static struct scale scale_of(const struct ratio_strips *s)
{
	double low = 0.5, high = 2;
	for (int i = 0; i < s->n; i++)
		for (int k = 0; k < STRIP_MACHINES; k++) {
			const struct sure_ratio *r = &s->row[i].at[k];
			if (!is_known(r))
				continue;
			low = fmin(low, fmin(low_of(r), bounded(r->ratio)));
			high = fmax(high, fmax(high_of(r), bounded(r->ratio)));
		}
	return (struct scale){low / 1.1, high * 1.1, true, 0, 1};
}

void ratio_strips_plan(struct ratio_strips *s)
{
	s->height = HEAD + s->n * ROW + FOOT;
	s->posts = false;
	for (int i = 0; i < s->n; i++)
		s->posts |= s->row[i].posts[0] != 0;
}

double ratio_strips_place(const struct ratio_strips *s, double ratio)
{
	struct scale x = scale_of(s);
	return scale_at(&x, bounded(ratio));
}

static struct box area_of(const struct ratio_strips *s, struct box box)
{
	return (struct box){box.x + LABEL_W, box.y + HEAD,
		box.w - LABEL_W - STRIP_MACHINES * NUMBER_W - 6 - (s->posts ? POSTS_W : 0),
		s->n * ROW};
}

/* Powers of two: 1× is one of them, and half is as far from it as twice. */
static void draw_axis(const struct plot *p, const struct ratio_strips *s, struct box area)
{
	double last = area.x - TICK_APART;
	for (double at = 1 / FARTHEST; at <= FARTHEST; at *= 2) {
		double share = ratio_strips_place(s, at), x = area.x + area.w * share;
		bool inside = share > 0 && share < 1, one = at == 1;
		double one_x = area.x + area.w * ratio_strips_place(s, 1);
		if (!inside || (!one && (x - last < TICK_APART || fabs(x - one_x) < TICK_APART)))
			continue;
		plot_line(p, (struct pt){x, area.y}, (struct pt){x, area.y + area.h},
			one ? 0.9 : 0.35, one ? "ink" : "grid", 0);
		plot_text(p, x, area.y - 4, one ? FACE_BOLD : FACE_SANS, plot_small,
			one ? "ink" : "secondary", ANCHOR_MIDDLE, format_ratio(p->a, at));
		last = x;
	}
}

/* A dot for this machine, a ring for the other one: they differ in grey, too. */
static void draw_mark(const struct plot *p, struct pt at, int machine, const char *colour)
{
	if (machine)
		plot_ring(p, at, RADIUS, 1.1, colour);
	else
		plot_dot(p, at, RADIUS, colour);
}

static void draw_ratio(const struct plot *p, const struct ratio_strips *s,
	const struct sure_ratio *r, int machine, struct box area, double y)
{
	bool noise = sure_is_noise(r);
	const char *colour = noise ? "axis" : "point";
	double right = area.x + area.w + 6 + NUMBER_W * (machine + 1);
	if (!is_known(r)) {
		plot_text(p, right, y + 2.5, FACE_SANS, plot_small, "secondary", ANCHOR_END, "–");
		return;
	}
	double from = area.x + area.w * ratio_strips_place(s, low_of(r)),
	       to = area.x + area.w * ratio_strips_place(s, high_of(r)),
	       x = area.x + area.w * ratio_strips_place(s, r->ratio);
	plot_line(p, (struct pt){from, y}, (struct pt){to, y}, 1.2, colour, 0);
	draw_mark(p, (struct pt){x, y}, machine, colour);
	plot_text(p, right, y + 2.5, noise ? FACE_SANS : FACE_BOLD, plot_small,
		noise ? "secondary" : "ink", ANCHOR_END,
		noise ? say(p->texts, p->a, "strips.noise", "ratio", format_ratio(p->a, r->ratio),
				NULL)
		      : format_ratio(p->a, r->ratio));
}

static void strips_draw(struct canvas *c, struct box box, const void *data)
{
	const struct ratio_strips *s = data;
	struct arena scratch = {0};
	struct plot p = {c, s->texts, s->fonts, &scratch};
	struct box area = area_of(s, box);
	draw_axis(&p, s, area);
	plot_text(&p, box.x, area.y - 4, FACE_SANS, plot_small, "secondary", ANCHOR_START,
		text_elide(&scratch, s->fonts, FACE_SANS, plot_small, LABEL_W - 8,
			say(s->texts, &scratch, "strips.key", NULL)));
	for (int k = 0; k < STRIP_MACHINES && s->machine[k]; k++) {
		double right = area.x + area.w + 6 + NUMBER_W * (k + 1);
		double w = plot_width(&p, FACE_SANS, plot_small, s->machine[k]);
		draw_mark(&p, (struct pt){right - w - 6, box.y + 8}, k, "point");
		plot_text(&p, right, box.y + 10.5, FACE_SANS, plot_small, "secondary", ANCHOR_END,
			s->machine[k]);
	}
	double end = box.x + box.w;
	if (s->posts)
		plot_text(&p, end, box.y + 10.5, FACE_SANS, plot_small, "secondary", ANCHOR_END,
			say(s->texts, &scratch, "chapter.box.posts", NULL));
	for (int i = 0; i < s->n; i++) {
		double y = area.y + ROW * i;
		if (s->posts)
			plot_text(&p, end, y + ROW / 2 + 2.8, FACE_SANS, plot_small, "ink",
				ANCHOR_END, s->row[i].posts[0] ? s->row[i].posts : "–");
		plot_line(&p, (struct pt){box.x, y}, (struct pt){box.x + box.w, y}, 0.3, "rule", 0);
		plot_text(&p, box.x, y + ROW / 2 + 2.8, FACE_SANS, 8, "ink", ANCHOR_START,
			text_elide(&scratch, s->fonts, FACE_SANS, 8, LABEL_W - 8, s->row[i].what));
		for (int k = 0; k < STRIP_MACHINES && s->machine[k]; k++)
			draw_ratio(&p, s, &s->row[i].at[k], k, area,
				y + (s->machine[1] ? 5.5 + 8 * k : ROW / 2));
	}
	arena_release(&scratch);
}

const struct figure_kind ratio_strips_figure = {
	.draw = strips_draw, .height = offsetof(struct ratio_strips, height)};
