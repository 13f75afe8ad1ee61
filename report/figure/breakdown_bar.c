/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/breakdown_bar.h"

#include "base/number_format.h"

#include <stddef.h>

static const double BAR_H = 17, LEGEND_TOP = 6, KEY_GAP = 11, PAD = 3;

/* The theme's bar for a part; NULL: hatched, for nobody knows. */
static const char *bar_of_part(enum time_part part)
{
	static const char *const bars[TIME_PARTS] = {
		[TIME_GEMM] = "gemm",
		[TIME_ATTENTION] = "attention",
		[TIME_CONVOLUTION] = "fused",
		[TIME_EMBEDDING] = "embedding",
		[TIME_POINTWISE] = "pointwise",
		[TIME_REDUCTION] = "norm",
		[TIME_OTHER] = "device_other",
		[TIME_COMMUNICATION] = "communication",
		[TIME_COPIES] = "copy",
		[TIME_LAUNCHING] = "launch",
		[TIME_INPUT] = "setup",
		[TIME_SYNC] = "sync",
		[TIME_STALL] = "compile",
		[TIME_PROFILER] = "python",
	};
	return bars[part];
}

static double share_of_part(const struct time_parts *s, int part)
{
	return (double)s->ns[part] / (double)(s->end_ns - s->start_ns);
}

/* "matrix products 9.57 ms, 40.7 %" */
static const char *entry_text(struct arena *a, const struct breakdown_bar *s, int part)
{
	const char *word = say(s->texts, a,
		arena_printf(a, "breakdown.%s", time_part_name((enum time_part)part)), NULL);
	return say(s->texts, a, "breakdown.entry", "part", word, "time",
		format_time(a, (double)s->split->ns[part]), "share",
		format_share(a, share_of_part(s->split, part)), NULL);
}

void breakdown_bar_plan(struct breakdown_bar *s, struct arena *a, double width)
{
	struct legend_rows rows = {.width = width + KEY_GAP, .gap = KEY_GAP};
	s->width = width;
	for (int i = 0; i < TIME_PARTS; i++)
		if (s->split->ns[i])
			legend_take(&rows, s->fonts, entry_text(a, s, i));
	s->height = BAR_H + LEGEND_TOP + (rows.row + 1) * LEGEND_ROW;
}

static void draw_bar(const struct plot *p, struct box box, const struct breakdown_bar *s)
{
	double x = box.x;
	for (int i = 0; i < TIME_PARTS; i++) {
		const char *bar = bar_of_part((enum time_part)i);
		double share = share_of_part(s->split, i), w = box.w * share;
		struct box part = {x, box.y, w, BAR_H};
		if (!s->split->ns[i])
			continue;
		plot_bar(p, part, bar);
		x += w;
		canvas_mark(p->c, MARK_TIP, part, entry_text(p->a, s, i), 0);
		if (bar)
			plot_bar_text(p, part, bar, ANCHOR_START, plot_small, PAD,
				format_share(p->a, share));
	}
}

void breakdown_bar_draw(struct canvas *c, struct box box, const void *breakdown_bar)
{
	const struct breakdown_bar *s = breakdown_bar;
	struct arena scratch = {0};
	struct plot p = {c, s->texts, s->fonts, &scratch};
	draw_bar(&p, (struct box){box.x, box.y, s->width, BAR_H}, s);
	struct legend_rows rows = {.left = box.x, .width = s->width + KEY_GAP, .gap = KEY_GAP};
	for (int i = 0; i < TIME_PARTS; i++)
		if (s->split->ns[i])
			plot_legend_entry(&p, &rows, box.y + BAR_H + LEGEND_TOP,
				bar_of_part((enum time_part)i), entry_text(&scratch, s, i));
	arena_release(&scratch);
}

const struct figure_kind breakdown_bar_figure = {
	.draw = breakdown_bar_draw, .height = offsetof(struct breakdown_bar, height)};
