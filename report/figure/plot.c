/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/plot.h"

#include "base/min_max.h"
#include "base/number_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double plot_small = 7;

/* ---- scales ---- */

double scale_at(const struct scale *s, double value)
{
	double v = clip(value, s->low, s->high);
	double share = s->logarithmic ? log(v / s->low) / log(s->high / s->low)
				      : (v - s->low) / (s->high - s->low);
	return s->at + s->length * share;
}

void scale_fit(struct scale *s, double low, double high, double pad)
{
	if (s->logarithmic) {
		double room = high > low ? pow(high / low, pad) : sqrt(10);
		s->low = low / room;
		s->high = high * room;
		return;
	}
	double room = high > low ? (high - low) * pad : fabs(high) / 2 + (high == 0);
	s->low = low - room;
	s->high = high + room;
}

double nice_step(double span, int wanted)
{
	double raw = span / wanted, power = pow(10, floor(log10(raw)));
	double m = raw / power;
	return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static int linear_ticks(const struct scale *s, int wanted, struct tick tick[MOST_TICKS])
{
	double step = nice_step(s->high - s->low, max_int(1, wanted));
	int n = 0;
	for (double k = ceil(s->low / step - 1e-9); n < MOST_TICKS; k++) {
		double v = k * step + 0.0; /* no minus before a zero */
		if (v > s->high + step * 1e-9)
			break;
		tick[n++] = (struct tick){v, true};
	}
	return n;
}

/* Powers of ten that lie on the scale, the first one in *first. */
static int powers_on(const struct scale *s, int *first)
{
	*first = (int)ceil(log10(s->low) - 1e-9);
	return (int)floor(log10(s->high) + 1e-9) - *first + 1;
}

static int log_ticks(const struct scale *s, int wanted, struct tick tick[MOST_TICKS])
{
	int first, powers = powers_on(s, &first), n = 0;
	int every = powers > wanted ? (powers + wanted - 1) / wanted : 1;
	bool halves = powers * 3 <= wanted; /* 2 and 5 are labelled, too */
	bool between = powers <= 4;
	for (int e = first - 1; e < first + powers && n < MOST_TICKS; e++) {
		double power = pow(10, e);
		for (int m = 1; m < 10 && n < MOST_TICKS; m++) {
			double v = power * m;
			bool named =
				m == 1 ? (e - first) % every == 0 : halves && (m == 2 || m == 5);
			if (v < s->low * (1 - 1e-9) || v > s->high * (1 + 1e-9) ||
				(m > 1 && !between))
				continue;
			tick[n++] = (struct tick){v, named};
		}
	}
	return n;
}

int scale_ticks(const struct scale *s, int wanted, struct tick tick[MOST_TICKS])
{
	return s->logarithmic ? log_ticks(s, wanted, tick) : linear_ticks(s, wanted, tick);
}

/* ---- labels in a column ---- */

/* Neighbours that touch: they stand where their members wish on average. */
struct pile {
	int members;
	double wish, height; /* of its upper end, averaged; of all members */
};

static struct pile joined(const struct pile *a, const struct pile *b)
{
	int n = a->members + b->members;
	double wish = a->wish * a->members + (b->wish - a->height) * b->members;
	return (struct pile){n, wish / n, a->height + b->height};
}

static void spread(double *centre, int n, double low, double high)
{
	for (int i = 0; i < n; i++)
		centre[i] = low + (high - low) * (i + 0.5) / n;
}

void keep_apart(double *centre, const double *height, int n, double low, double high)
{
	struct pile *pile = xcalloc((size_t)n + 1, sizeof *pile);
	int piles = 0, next = 0;
	double sum = 0;
	for (int i = 0; i < n; i++) {
		sum += height[i];
		pile[piles++] = (struct pile){1, centre[i] - height[i] / 2, height[i]};
		for (; piles > 1 &&
			pile[piles - 2].wish + pile[piles - 2].height > pile[piles - 1].wish;
			piles--)
			pile[piles - 2] = joined(&pile[piles - 2], &pile[piles - 1]);
	}
	double from = low, rest = sum;
	for (int k = 0; k < piles; k++) {
		double at = fmax(from, fmin(pile[k].wish, high - rest));
		for (int i = 0; i < pile[k].members; i++, next++) {
			centre[next] = at + height[next] / 2;
			at += height[next];
		}
		from = at;
		rest -= pile[k].height;
	}
	if (sum > high - low)
		spread(centre, n, low, high);
	free(pile);
}

/* ---- drawing ---- */

rgba plot_colour(const struct plot *p, const char *name)
{
	return texts_colour(p->texts, name);
}

double plot_width(const struct plot *p, enum face face, double size, const char *text)
{
	return text_width(p->fonts, face, size, text);
}

void plot_text(const struct plot *p, double x, double y, enum face face, double size,
	const char *colour, enum anchor anchor, const char *text)
{
	canvas_text_at(p->c, (struct pt){x, y}, text,
		&(struct text_style){.face = face,
			.size = size,
			.colour = plot_colour(p, colour),
			.anchor = anchor});
}

void plot_line(const struct plot *p, struct pt from, struct pt to, double width, const char *colour,
	double dash)
{
	canvas_line(p->c, from, to,
		&(struct stroke){.colour = plot_colour(p, colour),
			.width = width,
			.dash = dash,
			.gap = dash});
}

/* A circle of four curves; 0.5523 of the radius is where their controls lie. */
static void circle(struct pt at, double r, struct pt points[13])
{
	double x = at.x, y = at.y, k = r * 0.5523;
	const struct pt round[13] = {{x + r, y}, {x + r, y + k}, {x + k, y + r}, {x, y + r},
		{x - k, y + r}, {x - r, y + k}, {x - r, y}, {x - r, y - k}, {x - k, y - r},
		{x, y - r}, {x + k, y - r}, {x + r, y - k}, {x + r, y}};
	memcpy(points, round, sizeof round);
}

void plot_dot(const struct plot *p, struct pt at, double radius, const char *colour)
{
	struct pt points[13];
	circle(at, radius, points);
	canvas_fill(p->c, &(struct path){"MCCCCZ", points}, plot_colour(p, colour));
}

void plot_ring(const struct plot *p, struct pt at, double radius, double width, const char *colour)
{
	struct pt points[13];
	circle(at, radius, points);
	canvas_stroke(p->c, &(struct path){"MCCCCZ", points},
		&(struct stroke){.colour = plot_colour(p, colour), .width = width});
}

/* From point to point; with the first again when it is closed. */
static struct path path_of(const struct plot *p, const struct pt *pt, size_t n, bool closed)
{
	char *ops = arena_alloc(p->a, n + 2);
	memset(ops, 'L', n);
	ops[0] = 'M';
	ops[n] = closed ? 'Z' : '\0';
	ops[n + 1] = '\0';
	return (struct path){ops, pt};
}

void plot_series(const struct plot *p, const struct pt *pt, size_t n, struct plot_line_style style)
{
	struct path path = path_of(p, pt, n, false);
	canvas_stroke(p->c, &path,
		&(struct stroke){.colour = plot_colour(p, style.colour),
			.width = style.width,
			.dash = style.dash,
			.gap = style.gap});
}

void plot_area(const struct plot *p, const struct pt *pt, size_t n, rgba fill)
{
	struct path path = path_of(p, pt, n, true);
	canvas_fill(p->c, &path, fill);
}

bool plot_text_inside(const struct plot *p, struct box box, rgba colour, enum anchor anchor,
	double size, double pad, const char *text)
{
	double x = anchor == ANCHOR_MIDDLE ? box.x + box.w / 2 : box.x + pad;
	if (plot_width(p, FACE_SANS, size, text) > box.w - 2 * pad)
		return false;
	canvas_text_at(p->c, (struct pt){x, box.y + box.h / 2 + 2.3}, text,
		&(struct text_style){
			.face = FACE_SANS, .size = size, .colour = colour, .anchor = anchor});
	return true;
}

bool plot_bar_text(const struct plot *p, struct box box, const char *bar, enum anchor anchor,
	double size, double pad, const char *text)
{
	double w = plot_width(p, FACE_SANS, size, text);
	if (!bar && w <= box.w - 2 * pad)
		canvas_rect(p->c, (struct box){box.x + pad - 1, box.y + 1.2, w + 2, box.h - 2.4},
			plot_colour(p, "plate"));
	rgba colour = bar ? texts_bar(p->texts, bar).label : plot_colour(p, "ink");
	return plot_text_inside(p, box, colour, anchor, size, pad, text);
}

void plot_bar(const struct plot *p, struct box box, const char *bar)
{
	static const double EDGE_FROM = 2.2, LEAST = 0.6;
	if (!bar) {
		plot_hatch(p, box);
		return;
	}
	struct bar_colours k = texts_bar(p->texts, bar);
	box.w = fmax(LEAST, box.w);
	canvas_rect(p->c, box, k.fill);
	if (box.w < EDGE_FROM)
		return;
	struct box inner = {box.x + 0.175, box.y + 0.175, box.w - 0.35, box.h - 0.35};
	canvas_frame(p->c, inner, &(struct stroke){.colour = k.edge, .width = 0.35});
}

void plot_comb(const struct plot *p, const struct comb *comb, double width, const char *colour)
{
	double middle = (comb->top + comb->bottom) / 2;
	if (comb->pitch <= width)
		return;
	canvas_line(p->c, (struct pt){comb->from - width / 2, middle},
		(struct pt){comb->to + width / 2, middle},
		&(struct stroke){.colour = plot_colour(p, colour),
			.width = comb->bottom - comb->top,
			.dash = width,
			.gap = comb->pitch - width});
}

/* The strokes are the dashes of one line that leads down to the right through the middle of the
 * box, broader than any box: a stroke a line took more room in a PDF than all its words. */
void plot_hatch(const struct plot *p, struct box box)
{
	static const double PITCH = 3.2, WIDTH = 0.35, BROAD = 1500;
	rgba colour = plot_colour(p, "hatch");
	struct pt middle = {box.x + box.w / 2, box.y + box.h / 2};
	/* How far before the middle it begins, and behind it ends: along x, as far along y. */
	double first = floor((box.x - box.h) / PITCH) * PITCH + box.h - WIDTH / sqrt(2);
	double before = (first - box.x - (box.w + box.h) / 2) / 2, behind = (box.w + box.h) / 4;
	canvas_rect(p->c, box, plot_colour(p, "hatch_ground"));
	canvas_clip(p->c, box);
	canvas_line(p->c, (struct pt){middle.x + before, middle.y + before},
		(struct pt){middle.x + behind, middle.y + behind},
		&(struct stroke){.colour = colour,
			.width = BROAD,
			.dash = WIDTH,
			.gap = PITCH / sqrt(2) - WIDTH});
	canvas_unclip(p->c);
	struct box inner = {box.x + 0.15, box.y + 0.15, box.w - 0.3, box.h - 0.3};
	if (inner.w > 0)
		canvas_frame(p->c, inner, &(struct stroke){.colour = colour, .width = 0.3});
}

double legend_place(struct legend_rows *rows, double width)
{
	if (rows->x + width > rows->width) {
		rows->row++;
		rows->x = 0;
	}
	double at = rows->left + rows->x;
	rows->x += width;
	return at;
}

static const double SWATCH = 7, SWATCH_W = 9.5;

double legend_take(struct legend_rows *rows, const struct fonts *fonts, const char *text)
{
	return legend_place(
		rows, SWATCH_W + text_width(fonts, FACE_SANS, plot_small, text) + rows->gap);
}

void plot_legend_entry(const struct plot *p, struct legend_rows *rows, double top, const char *bar,
	const char *text)
{
	double x = legend_take(rows, p->fonts, text);
	double y = top + rows->row * LEGEND_ROW;
	plot_bar(p, (struct box){x, y, SWATCH, SWATCH}, bar);
	plot_text(p, x + SWATCH_W, y + 5.9, FACE_SANS, plot_small, "secondary", ANCHOR_START, text);
}

int plot_two_lines(const struct plot *p, double x, double y, double w, enum face face, double size,
	double leading, const char *colour, const char *text)
{
	size_t fits = text_fit(p->fonts, face, size, w, text), cut = 0;
	for (size_t i = 1; text[fits] && i <= fits; i++)
		if (text[i] == ' ')
			cut = i;
	if (!text[fits] || !cut) {
		plot_text(p, x, y, face, size, colour, ANCHOR_START,
			text_elide(p->a, p->fonts, face, size, w, text));
		return 1;
	}
	plot_text(p, x, y, face, size, colour, ANCHOR_START, arena_strndup(p->a, text, cut));
	plot_text(p, x, y + leading, face, size, colour, ANCHOR_START,
		text_elide(p->a, p->fonts, face, size, w, text + cut + 1));
	return 2;
}

/* ---- axes ---- */

static const double GRID = 0.35, AXIS = 0.6, TICK = 3.5, SMALL_TICK = 2;

void plot_x_axis(const struct plot *p, const struct scale *x, double top, double bottom, int wanted,
	tick_format format)
{
	struct tick tick[MOST_TICKS];
	int n = scale_ticks(x, wanted, tick);
	double left = fmin(x->at, x->at + x->length), right = fmax(x->at, x->at + x->length);
	double free_from = -INFINITY;
	for (int i = 0; i < n; i++) {
		double at = scale_at(x, tick[i].value);
		if (tick[i].labelled)
			plot_line(
				p, (struct pt){at, top}, (struct pt){at, bottom}, GRID, "grid", 0);
		plot_line(p, (struct pt){at, bottom},
			(struct pt){at, bottom + (tick[i].labelled ? TICK : SMALL_TICK)},
			tick[i].labelled ? AXIS : GRID, "axis", 0);
		if (!tick[i].labelled)
			continue;
		const char *text = format(p->a, tick[i].value);
		double half = plot_width(p, FACE_SANS, plot_small, text) / 2;
		if (at - half < free_from)
			continue;
		free_from = at + half + 4;
		plot_text(p, at, bottom + TICK + 6.5, FACE_SANS, plot_small, "secondary",
			ANCHOR_MIDDLE, text);
	}
	plot_line(p, (struct pt){left, bottom}, (struct pt){right, bottom}, AXIS, "axis", 0);
}

/* Do two neighbours read alike, since their labels are rounded? */
static bool ticks_read_alike(struct arena *a, const struct tick *tick, int n, tick_format format)
{
	const char *last = NULL;
	for (int i = 0; i < n; i++) {
		if (!tick[i].labelled)
			continue;
		const char *text = format(a, tick[i].value);
		if (last && !strcmp(last, text))
			return true;
		last = text;
	}
	return false;
}

void plot_y_axis(const struct plot *p, const struct scale *y, double left, double right, int wanted,
	tick_format format)
{
	struct tick tick[MOST_TICKS];
	int n = scale_ticks(y, wanted, tick);
	while (wanted > 1 && ticks_read_alike(p->a, tick, n, format))
		n = scale_ticks(y, --wanted, tick);
	for (int i = 0; i < n; i++) {
		double at = scale_at(y, tick[i].value);
		if (tick[i].labelled)
			plot_line(
				p, (struct pt){left, at}, (struct pt){right, at}, GRID, "grid", 0);
		plot_line(p, (struct pt){left - (tick[i].labelled ? TICK : SMALL_TICK), at},
			(struct pt){left, at}, tick[i].labelled ? AXIS : GRID, "axis", 0);
		if (tick[i].labelled)
			plot_text(p, left - TICK - 2, at + 2.3, FACE_SANS, plot_small, "secondary",
				ANCHOR_END, format(p->a, tick[i].value));
	}
	plot_line(p, (struct pt){left, fmin(y->at, y->at + y->length)},
		(struct pt){left, fmax(y->at, y->at + y->length)}, AXIS, "axis", 0);
}

void plot_x_values(
	const struct plot *p, const struct scale *x, const double *value, int n, double bottom)
{
	static const double APART = 3; /* seven points: nine sizes from 8 to 4096 in half a page */
	double free_from = -INFINITY, free_to = INFINITY;
	plot_line(p, (struct pt){x->at, bottom}, (struct pt){x->at + x->length, bottom}, AXIS,
		"axis", 0);
	for (int k = 0; k < n; k++) {
		int i = k ? k - 1 : n - 1; /* the last goes first */
		double at = scale_at(x, value[i]);
		plot_line(
			p, (struct pt){at, bottom}, (struct pt){at, bottom + 2.5}, 0.5, "axis", 0);
		const char *text = format_count(p->a, (int64_t)value[i]);
		double half = plot_width(p, FACE_SANS, plot_small, text) / 2;
		if (at - half < free_from || at + half > free_to)
			continue;
		if (k)
			free_from = at + half + APART;
		else
			free_to = at - half - APART;
		plot_text(p, at, bottom + 9.6, FACE_SANS, plot_small, "secondary", ANCHOR_MIDDLE,
			text);
	}
}
