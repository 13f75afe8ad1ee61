#include "report/timeline_marks.h"

#include <math.h>
#include <stdio.h>

static const double RADIUS = 4.4, NEAR = 9.4, WIDE_ENOUGH = 30, NUMBER = 6.6;

void draw_disc(struct canvas *c, const struct texts *texts, struct pt at, int number)
{
	const double r = RADIUS, k = RADIUS * 0.5523, x = at.x, y = at.y;
	struct pt circle[] = {{x + r, y}, {x + r, y + k}, {x + k, y + r}, {x, y + r},
		{x - k, y + r}, {x - r, y + k}, {x - r, y}, {x - r, y - k}, {x - k, y - r},
		{x, y - r}, {x + k, y - r}, {x + r, y - k}, {x + r, y}};
	struct path path = {"MCCCCZ", circle};
	canvas_fill(c, &path, texts_colour(texts, "mark"));
	canvas_stroke(
		c, &path, &(struct stroke){.colour = texts_colour(texts, "paper"), .width = 0.7});
	char text[8];
	snprintf(text, sizeof text, "%d", number);
	canvas_text_at(c, (struct pt){x, y + NUMBER * 0.36}, text,
		&(struct text_style){.face = FACE_BOLD,
			.size = NUMBER,
			.colour = texts_colour(texts, "paper"),
			.anchor = ANCHOR_MIDDLE});
}

static int too_near(const struct marks *m, struct pt at)
{
	for (int i = 0; i < m->n; i++)
		if (hypot(m->at[i].x - at.x, m->at[i].y - at.y) < NEAR)
			return 1;
	return 0;
}

void draw_mark_on(struct canvas *c, const struct texts *texts, struct marks *marks, struct box bar,
	double left, double right, int number)
{
	bool inside = bar.w >= WIDE_ENOUGH;
	struct pt at = {inside ? bar.x + bar.w - RADIUS - 1.5 : bar.x + bar.w / 2,
		inside ? bar.y + bar.h / 2 : bar.y - RADIUS + 1};
	const struct pt ideal = at;
	/* In its bar they stand side by side, and beside a narrow one where there is room. */
	double step = !inside && at.x + NEAR * 3 < right ? NEAR : -NEAR;
	for (int tries = 0; too_near(marks, at) && tries < MOST_MARKS; tries++)
		at.x += step;
	at.x = at.x < left + RADIUS ? left + RADIUS : at.x > right - RADIUS ? right - RADIUS : at.x;
	if (marks->n < MOST_MARKS)
		marks->at[marks->n++] = at;
	/* Pushed aside: a leader to its event, below the discs between. */
	bool aside = at.x < bar.x - RADIUS || at.x > bar.x + bar.w + RADIUS;
	if (!inside && aside)
		canvas_line(c, (struct pt){at.x, at.y + RADIUS - 0.3},
			(struct pt){ideal.x, at.y + RADIUS + 1},
			&(struct stroke){.colour = texts_colour(texts, "mark"), .width = 0.5});
	draw_disc(c, texts, at, number);
}
