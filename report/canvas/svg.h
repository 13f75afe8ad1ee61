/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.h - the SVG back-end's own struct, shared by its two files: drawing (svg.c) and
 * what is known only at the end (svg_doc.c).
 *
 * cairo's SVG turns every text into outlines, wraps each shape of a clip in a group of its own and
 * spends some 200 bytes on a rectangle. Figures are read by people,
 * searched, and put into web pages, so this one is written here: texts are <text>, in a font that
 * travels along, held to their measured length where the font may not load; links and tips lie on
 * top; ids begin with the figure's own. No script, nothing from outside.
 */
#ifndef REPORT_CANVAS_SVG_H
#define REPORT_CANVAS_SVG_H

#include "base/names.h"
#include "base/outfile.h"
#include "report/canvas/ops.h"
#include "report/canvas/subset.h"

/* The <path> that is still open: shapes of one look share it. */
struct svg_run {
	bool open;
	bool boxes; /* a fill of rectangles only, which may go on */
	bool fill;
	struct stroke look; /* a fill has only the colour */
	int64_t x, y, start_x, start_y; /* where the pen is, in sixteenths */
};

struct svg_link {
	struct box box;
	const char *uri; /* NULL: within the figure */
	const char *tip; /* NULL: a link */
	name_id target;
};

struct svg {
	struct canvas canvas;
	struct outfile out;
	FILE *within; /* a page that it is a part of, lent; NULL: it is a file, `out` */
	const char *id; /* the figure's own, fit for XML and CSS */
	double w, h;
	struct buffer body;
	struct svg_run run;
	struct used used[FONT_FILES_MAX];
	bool face[FACES]; /* that some text has */
	struct stroke *look; /* (looks) of lines; each has a class, from 1 */
	size_t looks, looks_room;
	struct box *clip; /* (clips) that have an id, from 1 */
	size_t clips, clips_room;
	struct names targets;
	struct svg_link *link; /* (links) in the order of the calls */
	size_t links, links_room;
	bool *target; /* (targets_room) by name_id, whether the place was seen */
	size_t targets_room;
};

/* svg.c */
void svg_colour(struct buffer *b, rgba colour); /* "#123456", "#fff"; alpha is left out */
void svg_box(struct buffer *b, struct box box); /* "M1 2h3v4h-3z" */
void svg_text(struct buffer *b, const char *text); /* UTF-8 from outside, as XML text */

/* How a property is written: "stroke:#fff;stroke-width:2", or "stroke=\"#fff\" ...", whose last
 * quote is left to the caller. */
struct svg_form {
	const char *is, *next;
};
extern const struct svg_form svg_in_style, svg_as_attributes;
void svg_stroke(struct buffer *b, const struct stroke *look, const struct svg_form *form);

/* svg_doc.c */
void svg_mark(struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level);
void svg_finish(struct canvas *c);

extern const char *const svg_face_class[FACES];

#endif
