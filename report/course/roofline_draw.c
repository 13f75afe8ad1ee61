/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/roofline.h"

#include "base/number_format.h"
#include "report/course/case_work.h"

#include <math.h>
#include <stddef.h>

static const double GUTTER = 53, AREA_W = 261, KEY_GAP = 14, HEAD = 12, FOOT = 22, KEY_ROW = 8.6,
		    LEAST_AREA_H = 200, RADIUS = 1.9, NUMBER = 7, NUMBER_H = 7.2, LEADER = 1.2,
		    APART = 1.3;

/* ---- where things go ---- */

static double highest(const struct roofline *r)
{
	double rate = 0;
	for (int i = 0; i < r->n_compute; i++)
		rate = fmax(rate, r->compute[i].rate);
	return rate;
}

static void set_scales(struct roofline *r)
{
	double top = highest(r), low = top, left = top / r->memory.rate, right = left;
	if (r->large.rate > 0)
		right = top / r->large.rate;
	for (int i = 0; i < r->n; i++) {
		left = fmin(left, r->point[i].intensity);
		right = fmax(right, r->point[i].intensity);
		low = fmin(low, r->point[i].rate);
		top = fmax(top, r->point[i].rate);
	}
	double h = fmax(LEAST_AREA_H, (r->n + 3) * KEY_ROW - FOOT);
	r->x = (struct scale){left / 2.5, right * 1.8, true, GUTTER, AREA_W};
	r->y = (struct scale){low / 2.5, top * 2.2, true, HEAD + h, -h};
	r->height = HEAD + h + FOOT;
}

static struct pt at(const struct roofline *r, double intensity, double rate)
{
	return (struct pt){scale_at(&r->x, intensity), scale_at(&r->y, rate)};
}

static void set_lines(struct roofline *r)
{
	double top = highest(r);
	for (int i = 0; i < r->n_compute; i++) {
		struct roof *c = &r->compute[i];
		c->from = at(r, c->rate / r->memory.rate, c->rate);
		c->to = at(r, r->x.high, c->rate);
	}
	struct roof *const sloping[] = {&r->memory, &r->large};
	for (int i = 0; i < 2 && sloping[i]->rate > 0; i++) {
		struct roof *m = sloping[i];
		double left = fmax(r->x.low, r->y.low / m->rate);
		m->from = at(r, left, left * m->rate);
		m->to = at(r, top / m->rate, top);
	}
}

static struct box area_of(const struct roofline *r)
{
	return (struct box){r->x.at, r->y.at + r->y.length, r->x.length, -r->y.length};
}

/* ---- labels of the roofs ---- */

/* Roofs that are drawn, as a list. */
static int all_roofs(struct roofline *r, struct roof *list[MOST_ROOFS + 2])
{
	int n = 0;
	for (int i = 0; i < r->n_compute; i++)
		list[n++] = &r->compute[i];
	list[n++] = &r->memory;
	if (r->large.rate > 0)
		list[n++] = &r->large;
	return n;
}

static double label_cost(
	const struct roofline *r, struct roof *const list[], int n, int placed, const struct box *b)
{
	double cost = 0;
	for (int i = 0; i < n; i++) {
		cost += line_meets(list[i]->from, list[i]->to, b) ? 20 : 0;
		cost += i < placed ? 10 * boxes_share(b, &list[i]->label, 1) : 0;
	}
	for (int i = 0; i < r->n; i++) {
		struct pt dot = at(r, r->point[i].intensity, r->point[i].rate);
		struct box round = {dot.x - RADIUS, dot.y - RADIUS, 2 * RADIUS, 2 * RADIUS};
		cost += boxes_share(b, &round, 1.5) > 0 ? 50 : 0;
	}
	return cost;
}

/* The nth of the places along a line: on either side by turns, pushed into the area. */
static struct box place_along(const struct roof *roof, struct box area, double share, bool below)
{
	static const double H = 8;
	double w = roof->label.w;
	struct pt p = {roof->from.x + (roof->to.x - roof->from.x) * share,
		roof->from.y + (roof->to.y - roof->from.y) * share};
	struct box b = {p.x + 6, p.y - H / 2 + 3, w, H};
	if (roof->from.y == roof->to.y)
		b = (struct box){p.x + 2, below ? p.y + 1.5 : p.y - H - 1, w, H};
	else if (!below)
		b = (struct box){p.x - w - 6, p.y - H / 2 - 3, w, H};
	b.x = fmax(area.x + 1, fmin(b.x, area.x + area.w - w));
	b.y = fmax(area.y, fmin(b.y, area.y + area.h - H));
	return b;
}

static void place_label(const struct roofline *r, struct roof *const list[], int n, int which)
{
	enum { PLACES = 40 };
	struct roof *roof = list[which];
	struct box area = area_of(r), best = {0};
	double least = (double)INFINITY;
	for (int i = 0; i < 2 * PLACES; i++) {
		double share = (i / 2) / (double)(PLACES - 1);
		struct box b = place_along(roof, area, share, i % 2);
		double cost = label_cost(r, list, n, which, &b) + i * 0.01;
		if (cost < least) {
			least = cost;
			best = b;
		}
	}
	roof->label = best;
}

static void place_labels(struct roofline *r, struct arena *a)
{
	struct roof *list[MOST_ROOFS + 2];
	int n = all_roofs(r, list);
	for (int i = 0; i < n; i++) {
		bool product = i < r->n_compute;
		list[i]->text = say(r->texts, a,
			product			       ? "roofline.compute"
				: list[i] == &r->large ? "roofline.large"
				: r->large.rate > 0    ? "roofline.caches"
						       : "roofline.memory",
			"rate", format_si(a, list[i]->rate, product ? "FLOP/s" : "B/s"), "dtype",
			dtype_name(list[i]->dtype), NULL);
		list[i]->label.w = text_width(r->fonts, FACE_SANS, plot_small, list[i]->text);
		place_label(r, list, n, i);
	}
}

/* ---- numbers at the dots ---- */

static void place_numbers(struct roofline *r, struct arena *a)
{
	struct roof *list[MOST_ROOFS + 2];
	int n = all_roofs(r, list);
	struct box taken[2 * MOST_ROOFS + 2];
	for (int i = 0; i < n; i++)
		taken[i] = list[i]->label;
	for (int i = 0; i < r->n_compute; i++) {
		const struct roof *c = &r->compute[i];
		taken[n++] = (struct box){c->from.x, c->from.y - 0.5, c->to.x - c->from.x, 1};
	}
	r->label = arena_array(a, (size_t)r->n, sizeof *r->label);
	for (int i = 0; i < r->n; i++) {
		const char *number = format_count(a, i + 1);
		r->label[i] =
			(struct plot_label){.dot = at(r, r->point[i].intensity, r->point[i].rate),
				.w = text_width(r->fonts, FACE_BOLD, NUMBER, number) + 2 * APART,
				.h = NUMBER_H};
	}
	struct label_field field = {
		.area = area_of(r), .radius = RADIUS + LEADER, .taken = taken, .n_taken = n};
	labels_place(r->label, r->n, &field);
}

void roofline_plan(struct roofline *r, struct arena *a, double width)
{
	r->width = width;
	set_scales(r);
	set_lines(r);
	place_labels(r, a);
	place_numbers(r, a);
}

/* ---- drawing ---- */

/* Ticks are 1, 2 or 5: no decimals. */
static const char *rate_tick(struct arena *a, double value)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
	int i = 0;
	for (; i < 5 && value >= 999.5; i++)
		value /= 1000;
	return arena_printf(a, "%g %sFLOP/s", value, prefix[i]);
}

static const char *plain_tick(struct arena *a, double value)
{
	return value >= 1 ? format_count(a, (int64_t)llround(value)) : arena_printf(a, "%g", value);
}

static struct pt moved(struct box box, struct pt p)
{
	return (struct pt){box.x + p.x, box.y + p.y};
}

static void draw_axes(const struct plot *p, const struct roofline *r, struct box box)
{
	struct scale x = r->x, y = r->y;
	struct box area = area_of(r);
	x.at += box.x;
	y.at += box.y;
	double bottom = box.y + area.y + area.h, right = box.x + area.x + area.w;
	plot_y_axis(p, &y, x.at, right, 9, rate_tick);
	plot_x_axis(p, &x, box.y + area.y, bottom, 6, plain_tick);
	plot_text(p, x.at, box.y + 7, FACE_SANS, plot_small, "secondary", ANCHOR_START,
		say(r->texts, p->a, "roofline.y", NULL));
	plot_text(p, right, box.y + r->height - 3.5, FACE_SANS, plot_small, "secondary", ANCHOR_END,
		say(r->texts, p->a, "roofline.x", NULL));
}

static void draw_roof_line(
	const struct plot *p, const struct roof *r, struct box box, const char *colour, double dash)
{
	if (r->rate > 0)
		plot_line(p, moved(box, r->from), moved(box, r->to), 1, colour, dash);
}

static void draw_roof_label(
	const struct plot *p, const struct roof *r, struct box box, const char *colour)
{
	if (!(r->rate > 0))
		return;
	double x = box.x + r->label.x, y = box.y + r->label.y;
	canvas_rect(p->c, (struct box){x - 1, y + 0.4, r->label.w + 2, r->label.h - 0.8},
		texts_colour(p->texts, "plate"));
	plot_text(p, x, y + 6.2, FACE_SANS, plot_small, colour, ANCHOR_START, r->text);
}

static void draw_roofs(const struct plot *p, const struct roofline *r, struct box box)
{
	for (int i = 0; i < r->n_compute; i++)
		draw_roof_line(p, &r->compute[i], box, "median", 0);
	draw_roof_line(p, &r->memory, box, "mean", 0);
	draw_roof_line(p, &r->large, box, "mean", 2.5);
	for (int i = 0; i < r->n_compute; i++)
		draw_roof_label(p, &r->compute[i], box, "median");
	draw_roof_label(p, &r->memory, box, "mean");
	draw_roof_label(p, &r->large, box, "mean");
}

/* Filled for the data type that comes first, a ring for the others. */
static void draw_dot(const struct plot *p, struct pt to, int dtype)
{
	if (dtype > 0) {
		plot_dot(p, to, RADIUS, "paper");
		plot_ring(p, to, RADIUS - 0.35, 0.7, "point");
	} else {
		plot_dot(p, to, RADIUS, "point");
	}
}

static void draw_points(const struct plot *p, const struct roofline *r, struct box box)
{
	for (int i = 0; i < r->n; i++)
		plot_line(p, moved(box, r->label[i].dot), moved(box, label_end(&r->label[i])), 0.4,
			"secondary", 0);
	for (int i = 0; i < r->n; i++)
		draw_dot(p, moved(box, r->label[i].dot), r->point[i].dtype);
	for (int i = 0; i < r->n; i++) {
		const struct box *b = &r->label[i].box;
		plot_text(p, box.x + b->x + APART, box.y + b->y + b->h - 1, FACE_BOLD, NUMBER,
			"ink", ANCHOR_START, format_count(p->a, i + 1));
	}
}

static void draw_key(const struct plot *p, const struct roofline *r, struct box box)
{
	double left = box.x + GUTTER + AREA_W + KEY_GAP, right = box.x + r->width;
	double rate = right - 28, title = left + 14, y = box.y + 7;
	if (!r->bare) {
		plot_text(p, rate, y, FACE_SANS, plot_small, "secondary", ANCHOR_END,
			say(r->texts, p->a, "roofline.key.rate", NULL));
		plot_text(p, right, y, FACE_SANS, plot_small, "secondary", ANCHOR_END,
			say(r->texts, p->a, "roofline.key.share", NULL));
	}
	for (int i = 0; i < r->n; i++) {
		const struct roof_point *q = &r->point[i];
		y = box.y + 7 + KEY_ROW * (i + 1);
		const char *text = r->bare ? "" : format_si(p->a, q->rate, "FLOP/s");
		double room = rate - plot_width(p, FACE_SANS, plot_small, text) - 6 - title;
		plot_text(p, title - 4, y, FACE_BOLD, NUMBER, "ink", ANCHOR_END,
			format_count(p->a, i + 1));
		plot_text(p, title, y, FACE_SANS, plot_small, "ink", ANCHOR_START,
			text_elide(p->a, p->fonts, FACE_SANS, plot_small, room,
				case_label(p->a, q->c)));
		if (r->bare)
			continue;
		plot_text(p, rate, y, FACE_SANS, plot_small, "ink", ANCHOR_END, text);
		plot_text(p, right, y, FACE_SANS, plot_small, "ink", ANCHOR_END,
			isnan(q->share) ? "\xe2\x80\x93" : format_share(p->a, q->share));
	}
	for (int i = 0; r->n_compute > 1 && i < r->n_compute; i++) {
		struct pt dot = {title + 2 + i * 40, y + KEY_ROW + 2};
		draw_dot(p, dot, i);
		plot_text(p, dot.x + 4, dot.y + 2.3, FACE_SANS, plot_small, "secondary",
			ANCHOR_START, dtype_name(r->compute[i].dtype));
	}
}

void roofline_draw(struct canvas *c, struct box box, const void *roofline)
{
	const struct roofline *r = roofline;
	struct arena scratch = {0};
	struct plot p = {c, r->texts, r->fonts, &scratch};
	draw_axes(&p, r, box);
	draw_roofs(&p, r, box);
	draw_points(&p, r, box);
	draw_key(&p, r, box);
	arena_release(&scratch);
}

const struct figure_kind roofline_figure = {
	.draw = roofline_draw, .height = offsetof(struct roofline, height)};
