#include "report/dots.h"

#include "report/format.h"

#include <math.h>

const double dots_height = 84;

static const double GUTTER = 78, TOP = 6, BOTTOM = 16, RADIUS = 1.7, RIGHT = 64;

struct plot {
	struct canvas *c;
	const struct dots *d;
	struct box area;
	double low, high; /* ns */
};

static double y_of(const struct plot *p, double ns)
{
	return p->area.y + p->area.h * (1 - (ns - p->low) / (p->high - p->low));
}

static rgba ink(const struct plot *p, const char *name)
{
	return texts_colour(p->d->texts, name);
}

static void label(const struct plot *p, double x, double y, enum anchor anchor, const char *colour,
	const char *text)
{
	canvas_text_at(p->c, (struct pt){x, y}, text,
		&(struct text_style){.face = FACE_SANS,
			.size = 6.4,
			.colour = ink(p, colour),
			.anchor = anchor});
}

static void line(const struct plot *p, double y, double width, const char *colour, double dash)
{
	struct stroke s = {.colour = ink(p, colour), .width = width, .dash = dash, .gap = dash};
	canvas_line(p->c, (struct pt){p->area.x, y}, (struct pt){p->area.x + p->area.w, y}, &s);
}

static void dot(const struct plot *p, double x, double y)
{
	const double r = RADIUS, k = RADIUS * 0.5523;
	struct pt circle[] = {{x + r, y}, {x + r, y + k}, {x + k, y + r}, {x, y + r},
		{x - k, y + r}, {x - r, y + k}, {x - r, y}, {x - r, y - k}, {x - k, y - r},
		{x, y - r}, {x + k, y - r}, {x + r, y - k}, {x + r, y}};
	canvas_fill(p->c, &(struct path){"MCCCCZ", circle}, ink(p, "dot"));
}

static void axis(const struct plot *p, struct arena *a)
{
	double raw = (p->high - p->low) / 4, power = pow(10, floor(log10(raw)));
	double m = raw / power, step = power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
	for (double v = ceil(p->low / step) * step; v <= p->high; v += step) {
		line(p, y_of(p, v), 0.35, "grid", 0);
		label(p, p->area.x - 4, y_of(p, v) + 2.2, ANCHOR_END, "secondary",
			format_time(a, v));
	}
	line(p, p->area.y + p->area.h, 0.6, "axis", 0);
}

static void range_of(struct plot *p)
{
	double low = INFINITY, high = 0;
	for (size_t i = 0; i < p->d->n; i++) {
		double v = (double)p->d->ns[i];
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	double pad = high > low ? (high - low) * 0.08 : high * 0.1 + 1;
	p->low = low - pad < 0 ? 0 : low - pad;
	p->high = high + pad;
}

void dots_draw(struct canvas *c, struct box box, const void *dots)
{
	const struct dots *d = dots;
	struct arena scratch = {0};
	struct plot p = {.c = c, .d = d};
	p.area = (struct box){
		box.x + GUTTER, box.y + TOP, box.w - GUTTER - RIGHT, box.h - TOP - BOTTOM};
	range_of(&p);
	axis(&p, &scratch);
	double pitch = p.area.w / (double)d->n;
	for (size_t i = 0; i < d->n; i++)
		dot(&p, p.area.x + pitch * ((double)i + 0.5), y_of(&p, (double)d->ns[i]));
	double median = y_of(&p, d->median_ns), mean = y_of(&p, d->mean_ns);
	line(&p, median, 0.8, "median", 0);
	line(&p, mean, 0.8, "mean", 2.5);
	double apart = fabs(mean - median) < 8
		? (mean < median ? 1 : -1) * (8 - fabs(mean - median)) / 2
		: 0;
	double right = p.area.x + p.area.w + 4;
	label(&p, right, median + 2.2 + apart, ANCHOR_START, "median",
		say(d->texts, &scratch, "dots.median", "time", format_time(&scratch, d->median_ns),
			NULL));
	label(&p, right, mean + 2.2 - apart, ANCHOR_START, "mean",
		say(d->texts, &scratch, "dots.mean", "time", format_time(&scratch, d->mean_ns),
			NULL));
	label(&p, p.area.x, box.y + box.h - 5, ANCHOR_START, "secondary",
		say(d->texts, &scratch, "dots.first", NULL));
	label(&p, p.area.x + p.area.w, box.y + box.h - 5, ANCHOR_END, "secondary",
		say(d->texts, &scratch, "dots.last", "n", format_count(&scratch, (int64_t)d->n),
			NULL));
	arena_release(&scratch);
}
