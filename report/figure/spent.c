/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/spent.h"

#include "base/format.h"

#include <stddef.h>

static const double BAR_H = 17, LEGEND_TOP = 6, LEGEND = 11, SWATCH = 7, SWATCH_W = 9.5,
		    KEY_GAP = 11, PAD = 3;

/* The theme's bar for a part; NULL: hatched, for nobody knows. */
static const char *bar_of_part(enum spent part)
{
	static const char *const bars[SPENT_PARTS] = {
		[SPENT_GEMM] = "gemm",
		[SPENT_ATTENTION] = "attention",
		[SPENT_CONVOLUTION] = "fused",
		[SPENT_POINTWISE] = "pointwise",
		[SPENT_REDUCTION] = "norm",
		[SPENT_OTHER] = "device_other",
		[SPENT_COMMUNICATION] = "communication",
		[SPENT_COPIES] = "copy",
		[SPENT_LAUNCHING] = "launch",
		[SPENT_INPUT] = "setup",
		[SPENT_SYNC] = "sync",
		[SPENT_STALL] = "compile",
		[SPENT_PROFILER] = "python",
	};
	return bars[part];
}

static void draw_part(const struct plot *p, struct box box, enum spent part)
{
	if (bar_of_part(part))
		plot_bar(p, box, bar_of_part(part));
	else
		plot_hatch(p, box);
}

static double share_of_part(const struct split *s, int part)
{
	return (double)s->ns[part] / (double)(s->end_ns - s->start_ns);
}

/* "matrix products 9.57 ms, 40.7 %" */
static const char *entry_text(struct arena *a, const struct spent_bar *s, int part)
{
	const char *word =
		say(s->texts, a, arena_printf(a, "spent.%s", spent_name((enum spent)part)), NULL);
	return say(s->texts, a, "spent.entry", "part", word, "time",
		format_time(a, (double)s->split->ns[part]), "share",
		format_share(a, share_of_part(s->split, part)), NULL);
}

static double entry_width(struct arena *a, const struct spent_bar *s, int part)
{
	const char *text = entry_text(a, s, part);
	return SWATCH_W + text_width(s->fonts, FACE_SANS, plot_small, text) + KEY_GAP;
}

void spent_plan(struct spent_bar *s, struct arena *a, double width)
{
	struct legend_rows rows = {.width = width + KEY_GAP};
	s->width = width;
	for (int i = 0; i < SPENT_PARTS; i++)
		if (s->split->ns[i])
			legend_place(&rows, entry_width(a, s, i));
	s->height = BAR_H + LEGEND_TOP + (rows.row + 1) * LEGEND;
}

static void draw_bar(const struct plot *p, struct box box, const struct spent_bar *s)
{
	double x = box.x;
	for (int i = 0; i < SPENT_PARTS; i++) {
		const char *bar = bar_of_part((enum spent)i);
		double share = share_of_part(s->split, i), w = box.w * share;
		const char *text = format_share(p->a, share);
		struct box part = {x, box.y, w, BAR_H};
		if (!s->split->ns[i])
			continue;
		draw_part(p, part, (enum spent)i);
		x += w;
		canvas_mark(p->c, MARK_TIP, part, entry_text(p->a, s, i), 0);
		if (!bar || plot_width(p, FACE_SANS, plot_small, text) > w - 2 * PAD)
			continue;
		const struct text_style style = {.face = FACE_SANS,
			.size = plot_small,
			.colour = texts_bar(p->texts, bar).label};
		canvas_text_at(
			p->c, (struct pt){part.x + PAD, box.y + BAR_H / 2 + 2.3}, text, &style);
	}
}

void spent_draw(struct canvas *c, struct box box, const void *spent_bar)
{
	const struct spent_bar *s = spent_bar;
	struct arena scratch = {0};
	struct plot p = {c, s->texts, s->fonts, &scratch};
	draw_bar(&p, (struct box){box.x, box.y, s->width, BAR_H}, s);
	struct legend_rows rows = {.left = box.x, .width = s->width + KEY_GAP};
	for (int i = 0; i < SPENT_PARTS; i++) {
		if (!s->split->ns[i])
			continue;
		double x = legend_place(&rows, entry_width(&scratch, s, i));
		double y = box.y + BAR_H + LEGEND_TOP + rows.row * LEGEND;
		draw_part(&p, (struct box){x, y, SWATCH, SWATCH}, (enum spent)i);
		plot_text(&p, x + SWATCH_W, y + 5.9, FACE_SANS, plot_small, "secondary",
			ANCHOR_START, entry_text(&scratch, s, i));
	}
	arena_release(&scratch);
}

const struct figure_kind spent_figure = {
	.draw = spent_draw, .height = offsetof(struct spent_bar, height)};
