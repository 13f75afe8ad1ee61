/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ops.h - what a back-end is: a const table of functions, and a struct that begins with
 * struct canvas.
 *
 * Only canvas.c calls the table. It has checked everything before: a page is open, clips balance,
 * numbers are finite and within CANVAS_FAR, paths are well formed, nothing invisible arrives, and
 * texts are anchored at their start. A call that is NULL has nothing to do. After the first error
 * no call comes but on_destroy.
 */
#ifndef REPORT_CANVAS_OPS_H
#define REPORT_CANVAS_OPS_H

#include "base/arena.h"
#include "base/outfile.h"
#include "report/canvas/canvas.h"
#include "report/canvas/font_glyph.h"

#include <string.h>

enum {
	CANVAS_CLIPS = 16, /* clips inside clips */
	CANVAS_TAGS = 3, /* a cell in a row in a table */
	CANVAS_FAR = 20000 /* points; what lies beyond is pulled in, pages end at 14,400 */
};

/* A text ready to be drawn. */
struct text_run {
	struct pt at; /* where the first glyph stands on the baseline */
	const char *text; /* as the caller gave it */
	const struct text_style *style; /* its anchor has been dealt with */
	const struct glyph *const *glyph; /* (n); NULL when the canvas has no fonts */
	size_t n;
	double width;
};

struct canvas_ops {
	void (*on_page)(struct canvas *c, double w, double h, const char *label);
	void (*on_fill)(struct canvas *c, const struct path *path, rgba colour);
	void (*on_stroke)(struct canvas *c, const struct path *path, const struct stroke *stroke);
	void (*on_text)(struct canvas *c, const struct text_run *run);
	void (*on_clip)(struct canvas *c, struct box box);
	void (*on_unclip)(struct canvas *c);
	/* link, uri and tip boxes are already cut to the clip */
	void (*on_mark)(
		struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level);
	void (*on_tag)(struct canvas *c, const struct tag *tag);
	void (*on_untag)(struct canvas *c);
	void (*on_finish)(struct canvas *c); /* only without an error; may canvas_fail */
	void (*on_destroy)(struct canvas *c); /* always, last; frees the struct */
	bool one_page; /* a second page is an error */
	bool raw_text; /* on_text wants the anchor as it was given, and no glyphs */
	bool tips; /* MARK_TIP is drawn */
};

struct canvas {
	const struct canvas_ops *ops;
	const struct fonts *fonts; /* NULL with raw_text */
	struct canvas_info info; /* the texts live in arena, none is NULL but created */
	struct arena arena; /* until the canvas is closed */
	struct err err; /* the first error */
	size_t pages, replaced, undrawn;
	char first_undrawn[80];
	struct box clip[CANVAS_CLIPS + 1]; /* clip[0] is the page, each lies inside the last */
	int clips;
	enum tag_kind tag[CANVAS_TAGS]; /* (tags) each lies in the one before */
	int tags;
	const struct glyph **glyph; /* (glyphs_room) of the text in hand */
	size_t glyphs_room;
	struct pt *points; /* (points_room) of a path that had to be pulled in */
	size_t points_room;
};

void canvas_init(struct canvas *c, const struct canvas_ops *ops, const struct fonts *fonts,
	const struct canvas_info *info);

/* Opens what a back-end writes to; an error is the canvas' first. */
void canvas_open_file(struct canvas *c, struct outfile *out, const char *path);

/* Keeps the first error of the canvas. */
void canvas_fail(struct canvas *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Whether the path is one rectangle with upright sides, drawn from its top left corner to the
 * right, as canvas_rect and canvas_frame do. */
bool path_is_box(const struct path *path, struct box *box);

/* How many points a step takes: 1 for M and L, 3 for C, 0 for Z; -1 for what is no step. */
int path_points(char op);

static inline double alpha_of(rgba colour)
{
	return (double)(colour & 0xff) / 255;
}

/*
 * Growing text. Numbers are written by hand: printf would follow the locale.
 */
struct buffer {
	char *text; /* (n), not NUL-terminated */
	size_t n, room;
};

void buffer_release(struct buffer *b);
void buffer_grow(struct buffer *b, size_t n); /* room for n bytes more, and half as many again */

static inline char *buffer_room(struct buffer *b, size_t n)
{
	if (b->room - b->n < n)
		buffer_grow(b, n);
	return b->text + b->n;
}

static inline void buffer_bytes(struct buffer *b, const void *bytes, size_t n)
{
	if (n)
		memcpy(buffer_room(b, n), bytes, n);
	b->n += n;
}

static inline void buffer_text(struct buffer *b, const char *text)
{
	buffer_bytes(b, text, strlen(text));
}

static inline void buffer_char(struct buffer *b, char c)
{
	*buffer_room(b, 1) = c;
	b->n++;
}

void buffer_printf(struct buffer *b, const char *fmt, ...) PRINTF_LIKE(2, 3); /* no %f or %g */
void buffer_code(struct buffer *b, uint32_t code); /* as UTF-8 */

/* A number snapped to a grid, as short as it can be written: 12, .5, -3.0625. */
enum grid { GRID_16, GRID_10, GRID_100, GRID_1000, GRID_1, GRIDS };
void buffer_number(struct buffer *b, double value, enum grid grid);
int64_t grid_units(double value, enum grid grid);
void buffer_units(struct buffer *b, int64_t units, enum grid grid);

/* A number with two decimals, always: 12.00. */
void buffer_fixed(struct buffer *b, double value);

#endif
