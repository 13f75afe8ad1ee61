/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/cold_start.h"

#include "base/number_format.h"
#include "report/figure/plot.h"

#include <math.h>
#include <string.h>

/* Most pieces of the strip: the smallest causes beyond that stand together as one. */
enum { MOST_PIECES = 7, REST = -1 };

static const double FUNNEL = 15, STRIP = 13, PAD = 2.5, TICK = 4, TEXT = 7, LEAST_SHARE = 0.004;
static const double LOW = 7; /* points, of bars that share a colour with longer ones */
static const double COLUMN = 0.5; /* points: narrower ones are drawn as the most of what is there */
static const double LEAST_TOLD = 40; /* points that all of a cause would take */
static const double PARTED = 0.95; /* of a piece: a bar with less of it is not all of it */

const double cold_height = 15 + 13 + 12; /* funnel, strip, labels */

enum bar cold_cause_bar(enum cold_cause cause)
{
	switch (cause) {
	case COLD_QUERIES:
	case COLD_CALL:
		return BAR_HOST_OTHER;
	case COLD_FIRST_LAUNCH:
	case COLD_LAUNCH:
		return BAR_LAUNCH;
	case COLD_WAIT:
		return BAR_SYNC;
	case COLD_OPERATORS:
		return BAR_OP;
	case COLD_UNEXPLAINED:
	case COLD_CAUSES:
		return BARS;
	default:
		return BAR_SETUP;
	}
}

struct piece {
	const char *name; /* NULL: several together */
	int64_t ns;
	enum bar bar; /* BARS: not explained */
	int causes;
	const char *label; /* below the strip, NULL when it stands in it */
	double x, w; /* its widest stretch */
	bool low; /* one before it has its colour: its bars are lower */
};

/* `of`: which piece each cause is in. */
static int pieces_of(
	const struct cold_start *cold, struct piece piece[MOST_PIECES + 1], int of[COLD_CAUSES])
{
	int n = 0;
	int64_t whole = cold->to_ns - cold->from_ns;
	struct piece rest = {.bar = BAR_SETUP};
	struct piece blank = {.bar = BARS};
	for (int i = 0; i < cold->n; i++) {
		const struct cold_part *c = &cold->part[i];
		struct piece p = {.name = cold_cause_name(c->cause),
			.ns = c->ns,
			.bar = cold_cause_bar(c->cause)};
		bool seen = (double)c->ns >= LEAST_SHARE * (double)whole;
		if (c->cause == COLD_UNEXPLAINED && seen) {
			blank = p;
		} else if (n < MOST_PIECES - 2 && seen) {
			of[c->cause] = n;
			piece[n++] = p;
		} else {
			of[c->cause] = REST;
			rest.ns += c->ns;
			rest.causes++;
			rest.bar = rest.causes == 1 ? p.bar : BAR_HOST_OTHER;
			rest.name = rest.causes == 1 ? p.name : NULL;
		}
	}
	for (int i = 0; i < COLD_CAUSES && rest.causes; i++)
		of[i] = of[i] == REST ? n : of[i];
	if (rest.causes)
		piece[n++] = rest;
	if (blank.ns) {
		of[COLD_UNEXPLAINED] = n;
		piece[n++] = blank;
	}
	return n;
}

static void lower(struct piece *piece, int n)
{
	for (int k = 1; k < n; k++)
		for (int before = 0; before < k; before++)
			piece[k].low |= piece[k].bar == piece[before].bar && piece[k].bar != BARS;
}

bool cold_has_low_bars(const struct cold_start *cold)
{
	struct piece piece[MOST_PIECES + 1] = {0};
	int of[COLD_CAUSES] = {0}, n = pieces_of(cold, piece, of);
	bool low = false;
	lower(piece, n);
	for (int k = 0; k < n; k++)
		low = low || piece[k].low;
	return low;
}

static const char *label_of(const struct plot *p, const struct piece *piece)
{
	const char *time = format_time(p->a, (double)piece->ns);
	if (!piece->name)
		return say(p->texts, p->a, "cold.more", "n", format_count(p->a, piece->causes),
			"time", time, NULL);
	const char *key = arena_printf(p->a, "cold.short.%s", piece->name);
	return arena_printf(p->a, "%s %s", say(p->texts, p->a, key, NULL), time);
}

static void draw_stretch(const struct plot *p, const struct piece *piece, struct box box)
{
	canvas_mark(p->c, MARK_TIP, box, label_of(p, piece), 0);
	if (piece->low) {
		box.y += STRIP - LOW;
		box.h = LOW;
	}
	if (piece->bar != BARS) {
		plot_bar(p, box, bar_name(piece->bar));
		return;
	}
	canvas_rect(p->c, box, texts_colour(p->texts, "paper"));
	canvas_frame(p->c, box,
		&(struct stroke){.colour = texts_colour(p->texts, "axis"),
			.width = 0.5,
			.dash = 2,
			.gap = 1.4});
}

/* Writes the sum of a piece into its widest stretch where it fits, and that it is the sum where
 * that stretch is not as wide: `points` is what the whole piece would be. */
static void label_piece(const struct plot *p, struct piece *piece, double y, double points)
{
	struct box box = {piece->x, y, piece->w, STRIP};
	const char *label = label_of(p, piece);
	if (points >= LEAST_TOLD && piece->w < PARTED * points)
		label = say(p->texts, p->a, "cold.in_all", "label", label, NULL);
	bool fits = piece->low ? false
		: piece->bar == BARS
		? plot_text_inside(p, box, plot_colour(p, "ink"), ANCHOR_START, TEXT, PAD, label)
		: plot_bar_text(p, box, bar_name(piece->bar), ANCHOR_START, TEXT, PAD, label);
	piece->label = fits ? NULL : label;
}

/* Adds a stretch to the columns that it stands in. */
static void add_columns(const struct cold_start *cold, const struct cold_stretch *s, int64_t *ns,
	int n, int columns, int piece)
{
	double whole = (double)(cold->to_ns - cold->from_ns);
	int64_t from = s->from_ns - cold->from_ns, to = s->to_ns - cold->from_ns;
	for (int c = (int)((double)from / whole * columns); c < columns && from < to; c++) {
		int64_t end = c + 1 < columns ? (int64_t)(whole * (c + 1) / columns) : to;
		int64_t until = end < to ? end : to;
		ns[c * n + piece] += until > from ? until - from : 0;
		from = until > from ? until : from;
	}
}

/* Which piece has most of each column of the strip. */
static int8_t *columns_of(
	const struct plot *p, const struct cold_start *cold, int n, const int *of, int columns)
{
	int64_t *ns = arena_array(p->a, (size_t)columns * (size_t)n, sizeof *ns);
	int8_t *most = arena_array(p->a, (size_t)columns, sizeof *most);
	for (uint32_t i = 0; i < cold->n_stretches; i++)
		add_columns(cold, &cold->stretch[i], ns, n, columns, of[cold->stretch[i].cause]);
	for (int c = 0; c < columns; c++)
		for (int k = 1; k < n; k++)
			if (ns[c * n + k] > ns[c * n + most[c]])
				most[c] = (int8_t)k;
	return most;
}

/* Each cause where it happened. A piece's place is that of its widest stretch, or where it begins
 * if none of it can be seen. */
static void draw_strip(const struct plot *p, const struct cold_start *cold, struct piece *piece,
	int n, const int *of, struct box box)
{
	lower(piece, n);
	int columns = (int)(box.w / COLUMN);
	double whole = (double)(cold->to_ns - cold->from_ns);
	for (uint32_t i = cold->n_stretches; i-- > 0;)
		piece[of[cold->stretch[i].cause]].x =
			box.x + box.w * (double)(cold->stretch[i].from_ns - cold->from_ns) / whole;
	const int8_t *most = columns_of(p, cold, n, of, columns);
	for (int c = 0, end; c < columns; c = end) {
		for (end = c + 1; end < columns && most[end] == most[c];)
			end++;
		struct piece *one = &piece[most[c]];
		struct box at = {
			box.x + box.w * c / columns, box.y, box.w * (end - c) / columns, STRIP};
		draw_stretch(p, one, at);
		if (at.w > one->w) {
			one->x = at.x;
			one->w = at.w;
		}
	}
	for (int k = 0; k < n; k++)
		label_piece(p, &piece[k], box.y, box.w * (double)piece[k].ns / whole);
}

/* Those that stand in no piece, in one line below, with a leader each; what the line has no room
 * for is left to the table. */
static void draw_labels(const struct plot *p, struct piece *piece, int n, struct box box, double y)
{
	double centre[MOST_PIECES + 1], width[MOST_PIECES + 1], sum = 0;
	int which[MOST_PIECES + 1], m = 0;
	for (int i = 0; i < n; i++) {
		double w = piece[i].label ? plot_width(p, FACE_SANS, TEXT, piece[i].label) + 8 : 0;
		if (!piece[i].label || sum + w > box.w)
			continue;
		double at = piece[i].x + piece[i].w / 2;
		int k = m++;
		for (; k > 0 && centre[k - 1] > at; k--) { /* from left to right */
			which[k] = which[k - 1];
			centre[k] = centre[k - 1];
			width[k] = width[k - 1];
		}
		which[k] = i;
		centre[k] = at;
		width[k] = w;
		sum += w;
	}
	keep_apart(centre, width, m, box.x, box.x + box.w);
	for (int k = 0; k < m; k++) {
		const struct piece *q = &piece[which[k]];
		double from = q->x + q->w / 2;
		plot_line(p, (struct pt){from, y}, (struct pt){centre[k], y + 4}, 0.35, "axis", 0);
		plot_text(p, centre[k], y + 10, FACE_SANS, TEXT, "secondary", ANCHOR_MIDDLE,
			q->label);
	}
}

/* From the ends of the window to those of the strip. */
static void draw_bracket(
	const struct plot *p, const char *title, struct box box, double left, double right)
{
	double y = box.y + TICK, strip = box.y + FUNNEL, end = box.x + box.w;
	right = right - left < 1 ? left + 1 : right;
	plot_line(p, (struct pt){left, y}, (struct pt){right, y}, 1, "cold", 0);
	plot_line(p, (struct pt){left, box.y}, (struct pt){left, y}, 1, "cold", 0);
	plot_line(p, (struct pt){right, box.y}, (struct pt){right, y}, 1, "cold", 0);
	plot_line(p, (struct pt){left, y}, (struct pt){box.x, strip}, 0.5, "cold", 1.6);
	plot_line(p, (struct pt){right, y}, (struct pt){end, strip}, 0.5, "cold", 1.6);
	double w = plot_width(p, FACE_BOLD, TEXT, title), middle = (left + right) / 2;
	double at = right - left > w ? middle - w / 2 : right + 8;
	double most = end - w - 12;
	plot_text(p, at > most ? most : fmax(box.x + 12, at), y + 8, FACE_BOLD, TEXT, "cold",
		ANCHOR_START, title);
}

void cold_draw(struct canvas *c, const struct texts *texts, const struct fonts *fonts,
	const struct cold_start *cold, struct box box, double left, double right)
{
	struct arena scratch = {0};
	struct plot p = {c, texts, fonts, &scratch};
	struct piece piece[MOST_PIECES + 1] = {0};
	int of[COLD_CAUSES] = {0}, n = pieces_of(cold, piece, of);
	int64_t whole = cold->to_ns - cold->from_ns;
	double y = box.y + FUNNEL;
	draw_bracket(&p,
		say(texts, &scratch, cold->ran_before ? "cold.title.warm" : "cold.title", "time",
			format_time(&scratch, (double)whole), NULL),
		box, left, right);
	draw_strip(&p, cold, piece, n, of, (struct box){box.x, y, box.w, STRIP});
	draw_labels(&p, piece, n, box, y + STRIP);
	arena_release(&scratch);
}
