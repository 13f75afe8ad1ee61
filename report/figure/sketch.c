/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/sketch.h"

#include "base/config.h"
#include "base/number_format.h"

#include <stddef.h>

static const double GUTTER = 30, ROW = 9.2, BAR_H = 8.4, LANE_GAP = 5, DISC = 3.6, HUNDRED = 100;

static double number(const cJSON *of, const char *name)
{
	const cJSON *n = config_find(of, name);
	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

/* The top of a lane below that of the sketch. */
static double lane_top(const struct sketch *s, int lane)
{
	const cJSON *lanes = config_find(s->data, "lanes");
	double y = 0;
	for (int i = 0; i < lane && i < cJSON_GetArraySize(lanes); i++)
		y += number(cJSON_GetArrayItem(lanes, i), "rows") * ROW + LANE_GAP;
	return y;
}

static struct box place_of_bar(const struct sketch *s, struct box box, const cJSON *bar)
{
	double w = (s->width - GUTTER) / HUNDRED, from = number(bar, "from");
	return (struct box){box.x + GUTTER + from * w,
		box.y + lane_top(s, (int)number(bar, "lane")) + number(bar, "row") * ROW,
		(number(bar, "to") - from) * w, BAR_H};
}

/* A number on a disc, at the right end of what it is about. */
static void draw_mark(const struct plot *p, struct box at, const cJSON *bar)
{
	int n = (int)number(bar, "mark");
	struct pt centre = {at.x + at.w - DISC - 1, at.y + at.h / 2};
	if (!n)
		return;
	plot_dot(p, centre, DISC, "paper");
	plot_ring(p, centre, DISC, 0.6, "ink");
	plot_text(p, centre.x, centre.y + 2.1, FACE_BOLD, 6, "ink", ANCHOR_MIDDLE,
		format_count(p->a, n));
}

static void draw_bar(const struct plot *p, struct box at, const cJSON *bar)
{
	const char *kind = config_words(bar, "bar"), *text = config_words(bar, "text");
	plot_bar(p, at, kind[0] ? kind : NULL);
	if (text[0])
		plot_bar_text(p, at, kind[0] ? kind : NULL, ANCHOR_START, 6.4, 2, text);
	draw_mark(p, at, bar);
}

void sketch_plan(struct sketch *s, double width)
{
	s->width = width;
	s->height = lane_top(s, cJSON_GetArraySize(config_find(s->data, "lanes")));
}

void sketch_draw(struct canvas *c, struct box box, const void *sketch)
{
	const struct sketch *s = sketch;
	struct arena scratch = {0};
	struct plot p = {c, s->texts, s->fonts, &scratch};
	const cJSON *lanes = config_find(s->data, "lanes"), *bar,
		    *blank = config_find(s->data, "blank");
	for (int i = 0; i < cJSON_GetArraySize(lanes); i++)
		plot_text(&p, box.x, box.y + lane_top(s, i) + 7.5, FACE_BOLD, 7.6, "ink",
			ANCHOR_START, config_words(cJSON_GetArrayItem(lanes, i), "name"));
	cJSON_ArrayForEach(bar, config_find(s->data, "bars"))
	{
		draw_bar(&p, place_of_bar(s, box, bar), bar);
	}
	if (blank)
		draw_mark(&p, place_of_bar(s, box, blank), blank);
	arena_release(&scratch);
}

const struct figure_kind sketch_figure = {
	.draw = sketch_draw, .height = offsetof(struct sketch, height)};
