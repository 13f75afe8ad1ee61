/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot.h - what the plots share: scales with readable ticks, dots, and labels that keep apart.
 *
 * A scale turns values into points of the page. Its ticks are 1, 2 and 5 times powers of ten; on a
 * logarithmic scale powers of ten, with 2 and 5 between them when there are few. Labels never lie
 * on each other: in a column they push each other away (keep_apart), around dots they look for a
 * free place (labels_place).
 */
#ifndef REPORT_FIGURE_PLOT_H
#define REPORT_FIGURE_PLOT_H

#include "report/canvas/canvas.h"
#include "report/page/template_texts.h"

#include <stdbool.h>

struct scale {
	double low, high; /* values, low < high; both above 0 when it is logarithmic */
	bool logarithmic;
	double at, length; /* points: where low lies, and from there to high; negative: upwards */
};

/* Where a value lies; outside of the scale it lies on its nearer end. */
double scale_at(const struct scale *s, double value);

enum { MOST_TICKS = 48 };

struct tick {
	double value;
	bool labelled; /* or a small one between those */
};

/* Ticks from low to high, ascending; about `wanted` of them are labelled on a linear scale, at most
 * as many on a logarithmic one. Returns how many there are. */
int scale_ticks(const struct scale *s, int wanted, struct tick tick[MOST_TICKS]);

/* A step of 1, 2 or 5 times a power of ten that gives about `wanted` ticks. */
double nice_step(double span, int wanted);

/* A range that holds low and high with a margin of the share `pad` at each end: of its length, or
 * on a logarithmic scale of its decades. Both equal: as if a decade apart (or the value itself). */
void scale_fit(struct scale *s, double low, double high, double pad);

/* n intervals of height[i] centred on centre[i], ascending: moves the centres as little as it takes
 * to keep them apart and inside low to high. They stay in order. When there is no room for all,
 * they are spread evenly. */
void keep_apart(double *centre, const double *height, int n, double low, double high);

/* A label beside its dot. */
struct plot_label {
	struct pt dot;
	double w, h; /* of the label */
	struct box box; /* filled in: where it stands */
};

struct label_field {
	struct box area; /* that no label leaves */
	double radius; /* of the dots */
	const struct box *taken; /* (n_taken) where something else stands */
	int n_taken;
};

/* Finds a place for every label: on no other label, on no dot, on nothing else, as near to its own
 * dot as it goes, with few leaders that cross. The same labels get the same places. */
void labels_place(struct plot_label *label, int n, const struct label_field *field);

/* Does the line from a to b run through the box? */
bool line_meets(struct pt a, struct pt b, const struct box *box);

/* Area that two boxes share when the first is `gap` wider on every side. */
double boxes_share(const struct box *a, const struct box *b, double gap);

/* Where the leader from the dot ends: the nearest point of the label's box. */
struct pt label_end(const struct plot_label *l);

/* Drawing: a canvas with words, colours by their names in the theme, and an arena for texts. */
struct plot {
	struct canvas *c;
	const struct texts *texts;
	const struct fonts *fonts;
	struct arena *a;
};

extern const double plot_small; /* print of axes, legends and numbers, points */

rgba plot_colour(const struct plot *p, const char *name);
double plot_width(const struct plot *p, enum face face, double size, const char *text);
void plot_text(const struct plot *p, double x, double y, enum face face, double size,
	const char *colour, enum anchor anchor, const char *text);
void plot_line(const struct plot *p, struct pt from, struct pt to, double width, const char *colour,
	double dash); /* dash 0: solid */
void plot_dot(const struct plot *p, struct pt at, double radius, const char *colour);
void plot_ring(const struct plot *p, struct pt at, double radius, double width, const char *colour);

/* A curve through points, and the area inside of them. */
struct plot_line_style {
	double width;
	const char *colour;
	double dash, gap; /* 0: solid */
};
void plot_series(const struct plot *p, const struct pt *pt, size_t n, struct plot_line_style style);
void plot_area(const struct plot *p, const struct pt *pt, size_t n, rgba fill);

/* A bar in the colours of the theme's bars, with an edge when it is wide enough for one; NULL: idle
 * time, hatched. */
void plot_bar(const struct plot *p, struct box box, const char *bar);

/* A text in a box, `pad` from its left end or in its middle. False, and nothing is drawn, where it
 * has no room. */
bool plot_text_inside(const struct plot *p, struct box box, rgba colour, enum anchor anchor,
	double size, double pad, const char *text);

/* The same in a bar of that colour (NULL: hatched, so that the text has a plate). */
bool plot_bar_text(const struct plot *p, struct box box, const char *bar, enum anchor anchor,
	double size, double pad, const char *text);

/* Upright lines at the same distance, from one place along x to another: one line of dashes, since
 * a line each takes a multiple of its room in a file. */
struct comb {
	double from, to, pitch, top, bottom;
};
void plot_comb(const struct plot *p, const struct comb *comb, double width, const char *colour);

/* Idle time: hatched. */
void plot_hatch(const struct plot *p, struct box box);

/* The entries of a legend, side by side in rows; x and row begin at 0. */
struct legend_rows {
	double left, width;
	double gap; /* behind each entry that legend_take places */
	double x; /* from the left: where the next entry begins, if it fits */
	int row; /* of the last entry */
};

/* Where an entry begins, which takes `width` with the gap behind it; in a row of its own if there
 * is no more room. */
double legend_place(struct legend_rows *rows, double width);

/* An entry with the swatch of a bar (NULL: hatched): where it begins, and one drawn there, in its
 * row below the top of the legend. */
enum { LEGEND_ROW = 11 };
double legend_take(struct legend_rows *rows, const struct fonts *fonts, const char *text);
void plot_legend_entry(const struct plot *p, struct legend_rows *rows, double top, const char *bar,
	const char *text);

/* At most two lines in a column that is w wide, y being the baseline of the first; the second ends
 * with an ellipsis when there is more. Returns how many there are. */
int plot_two_lines(const struct plot *p, double x, double y, double w, enum face face, double size,
	double leading, const char *colour, const char *text);

/* A frame of two scales: grid, ticks and the labels of ticks, written by `format`. */
typedef const char *(*tick_format)(struct arena *a, double value);
void plot_x_axis(const struct plot *p, const struct scale *x, double top, double bottom, int wanted,
	tick_format format);
void plot_y_axis(const struct plot *p, const struct scale *y, double left, double right, int wanted,
	tick_format format);

/* Values that were measured as ticks: a number at the last, and from the first on wherever there is
 * room for one. */
void plot_x_values(
	const struct plot *p, const struct scale *x, const double *value, int n, double bottom);

#endif
