/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/plot.h"

#include <math.h>

/* Rings of places around a dot, tried from the nearest. */
enum { ANGLES = 36, RINGS = 20 };

static const double FIRST_RING = 2, RING_PITCH = 3, GAP = 1.2;

/* Of two numbers, without the call that fmin() is. */
static inline double lower(double a, double b)
{
	return a < b ? a : b;
}

static inline double higher(double a, double b)
{
	return a > b ? a : b;
}

struct pt label_end(const struct plot_label *l)
{
	const struct box *b = &l->box;
	return (struct pt){lower(higher(l->dot.x, b->x), b->x + b->w),
		lower(higher(l->dot.y, b->y), b->y + b->h)};
}

static inline double overlap(double a, double a_end, double b, double b_end)
{
	double length = lower(a_end, b_end) - higher(a, b);
	return higher(length, 0);
}

double boxes_share(const struct box *a, const struct box *b, double gap)
{
	return overlap(a->x - gap, a->x + a->w + gap, b->x, b->x + b->w) *
		overlap(a->y - gap, a->y + a->h + gap, b->y, b->y + b->h);
}

static double side(struct pt a, struct pt b, struct pt c)
{
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool cross(struct pt a, struct pt b, struct pt c, struct pt d)
{
	return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/* Cuts [*from, *to], shares of the way, to where start + way lies between low and high. */
static void cut(double start, double way, double low, double high, double *from, double *to)
{
	if (way == 0) {
		*to = start > low && start < high ? *to : -1;
		return;
	}
	double a = (low - start) / way, b = (high - start) / way;
	*from = higher(*from, lower(a, b));
	*to = lower(*to, higher(a, b));
}

bool line_meets(struct pt a, struct pt b, const struct box *box)
{
	double from = 0, to = 1;
	if (higher(a.x, b.x) <= box->x || lower(a.x, b.x) >= box->x + box->w ||
		higher(a.y, b.y) <= box->y || lower(a.y, b.y) >= box->y + box->h)
		return false;
	cut(a.x, b.x - a.x, box->x, box->x + box->w, &from, &to);
	cut(a.y, b.y - a.y, box->y, box->y + box->h, &from, &to);
	return from < to;
}

/* What stands on the plot; of the labels the first `placed`. */
struct world {
	struct plot_label *label;
	int n, placed;
	const struct label_field *field;
	const struct pt *way; /* (ANGLES) directions */
};

static double cost_of_others(const struct world *w, int which, struct pt end)
{
	const struct plot_label *l = &w->label[which];
	double cost = 0;
	for (int i = 0; i < w->placed; i++) {
		const struct plot_label *o = &w->label[i];
		struct pt other = label_end(o);
		if (i == which)
			continue;
		cost += 1e5 * boxes_share(&l->box, &o->box, GAP);
		cost += cross(l->dot, end, o->dot, other) ? 60 : 0;
		cost += line_meets(l->dot, end, &o->box) ? 500 : 0;
		cost += line_meets(o->dot, other, &l->box) ? 500 : 0;
	}
	return cost;
}

/* Lying on something costs most, then leaders across, then distance. What costs no less than `most`
 * is not reckoned up: most places are so much too far away. */
static double cost_of(const struct world *w, int which, double most)
{
	const struct plot_label *l = &w->label[which];
	struct pt end = label_end(l);
	double cost = hypot(end.x - l->dot.x, end.y - l->dot.y), r = w->field->radius;
	for (int i = 0; i < w->n && cost < most; i++) {
		struct pt dot = w->label[i].dot;
		struct box round = {dot.x - r, dot.y - r, 2 * r, 2 * r};
		cost += 1e4 * boxes_share(&l->box, &round, GAP);
		cost += i != which && line_meets(l->dot, end, &round) ? 40 : 0;
	}
	for (int i = 0; i < w->field->n_taken && cost < most; i++) {
		cost += 1e4 * boxes_share(&l->box, &w->field->taken[i], GAP);
		cost += line_meets(l->dot, end, &w->field->taken[i]) ? 90 : 0;
	}
	return cost < most ? cost + cost_of_others(w, which, end) : cost;
}

static bool inside(const struct box *b, const struct box *area)
{
	return b->x >= area->x && b->y >= area->y && b->x + b->w <= area->x + area->w &&
		b->y + b->h <= area->y + area->h;
}

/* Beside the dot in that direction, of length 1; for distance 0 the box touches the dot's centre.
 */
static struct box box_at(const struct plot_label *l, double distance, struct pt way)
{
	double x = l->dot.x + (distance + l->w / 2) * way.x - l->w / 2;
	double y = l->dot.y + (distance + l->h / 2) * way.y - l->h / 2;
	return (struct box){x, y, l->w, l->h};
}

static struct box pushed_inside(struct box b, const struct box *area)
{
	b.x = higher(area->x, lower(b.x, area->x + area->w - b.w));
	b.y = higher(area->y, lower(b.y, area->y + area->h - b.h));
	return b;
}

/* Is its leader shorter than `most`, or hardly longer? Without the root that tells exactly. */
static bool may_be_near(const struct plot_label *l, double most)
{
	static const double HARDLY = 1 + 1e-9;
	struct pt end = label_end(l);
	double x = end.x - l->dot.x, y = end.y - l->dot.y;
	return x * x + y * y < most * most * HARDLY;
}

/* False: it stands where it stood. */
static bool place(const struct world *w, int which)
{
	struct plot_label *l = &w->label[which];
	const struct box *area = &w->field->area;
	double nearest = w->field->radius + FIRST_RING, least = INFINITY;
	struct box was = l->box, best = pushed_inside(box_at(l, nearest, (struct pt){1, 0}), area);
	for (int i = 0; i < RINGS * ANGLES; i++) {
		l->box = box_at(l, nearest + RING_PITCH * (i / ANGLES), w->way[i % ANGLES]);
		double cost = inside(&l->box, area) && may_be_near(l, least)
			? cost_of(w, which, least)
			: (double)INFINITY;
		if (cost < least) {
			least = cost;
			best = l->box;
		}
	}
	l->box = best;
	return best.x != was.x || best.y != was.y;
}

void labels_place(struct plot_label *label, int n, const struct label_field *field)
{
	struct pt way[ANGLES];
	for (int i = 0; n && i < ANGLES; i++) {
		double angle = -M_PI / 4 + 2 * M_PI * i / ANGLES;
		way[i] = (struct pt){cos(angle), sin(angle)};
	}
	struct world w = {label, n, 0, field, way};
	for (; w.placed < n; w.placed++)
		place(&w, w.placed);
	bool moved = n > 0;
	for (int again = 0; moved && again < 4; again++) { /* now that all others stand somewhere */
		moved = false;
		for (int i = 0; i < n; i++)
			moved |= place(&w, i);
	}
}
