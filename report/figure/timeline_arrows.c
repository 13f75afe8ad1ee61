/* SPDX-License-Identifier: Apache-2.0 */
/* Arrows from the end of a launch to the start of what it launched. */
#include "base/number_format.h"
#include "report/figure/timeline_parts.h"

#include <math.h>

void draw_arrow(const struct pen *p, struct pt from, struct pt to)
{
	rgba ink = plot_colour(&p->on, "arrow");
	double tip = to.y - 0.3, base = tip - 2.4, bend = base - 3;
	double middle = (from.y + bend) / 2;
	struct pt curve[] = {from, {from.x, middle}, {to.x, middle}, {to.x, bend}, {to.x, base}};
	canvas_stroke(p->on.c, &(struct path){"MCL", curve},
		&(struct stroke){.colour = ink, .width = 0.45});
	struct pt head[] = {{to.x - 1.15, base}, {to.x + 1.15, base}, {to.x, tip}};
	canvas_fill(p->on.c, &(struct path){"MLLZ", head}, ink);
}

/* Arrows that could not be told apart are drawn as one. */
void draw_arrows(const struct pen *p)
{
	const struct timeline *tl = p->tl;
	const struct trace *t = tl->trace;
	if (!tl->n_arrows || (int)tl->n_arrows > tl->most_arrows)
		return;
	static const double LAUNCHES_APART = 2, ARROWS_APART = 5;
	struct pt last[TIMELINE_LANES]; /* x: where it leaves, y: where it arrives */
	for (int i = 0; i < TIMELINE_LANES; i++)
		last[i] = (struct pt){-INFINITY, -INFINITY};
	for (size_t i = trace_reaching(t, 0, tl->from_ns); i < t->n && t->start_ns[i] < tl->end_ns;
		i = trace_reaching(t, i + 1, tl->from_ns)) {
		int lane = tl->lane_of[t->track[i]];
		if (lane == LANE_NONE || !tl->lane[lane].device || tl->row[i] >= ROW_INSET)
			continue;
		uint32_t launch = t->launch[i];
		int from = launch == NO_ROW ? LANE_NONE : tl->lane_of[t->track[launch]];
		if (from == LANE_NONE || tl->row[launch] != ROW_LAUNCH ||
			t->start_ns[i] < tl->from_ns)
			continue;
		struct box row = row_box(p, &tl->lane[from], ROW_LAUNCH);
		double x1 = x_of(p, t->start_ns[launch] + t->dur_ns[launch]);
		double x2 = x_of(p, t->start_ns[i]) + 0.6;
		if (x1 - last[lane].x < LAUNCHES_APART && x2 - last[lane].y < ARROWS_APART)
			continue;
		last[lane] = (struct pt){x1, x2};
		draw_arrow(p, (struct pt){x1, row.y + row.h},
			(struct pt){x2, row_box(p, &tl->lane[lane], tl->row[i]).y});
	}
}

/* ---- to work that begins behind the right edge ---- */

/* Down from each launch onto one line, which runs out of the picture. */
void draw_beyond(const struct pen *p)
{
	const struct timeline *tl = p->tl;
	const struct trace *t = tl->trace;
	if (!tl->n_beyond || (int)tl->n_arrows > tl->most_arrows)
		return;
	const struct lane *device = &tl->lane[0];
	while (!device->device)
		device++;
	double right = p->x0 + p->w, y = p->box.y + device->y - 4, first = right, last = p->x0;
	const struct stroke line = {.colour = plot_colour(&p->on, "arrow"), .width = 0.45};
	for (uint32_t i = 0; i < tl->n_beyond; i++) {
		uint32_t launch = tl->beyond[i];
		struct box row = row_box(p, &tl->lane[tl->lane_of[t->track[launch]]], ROW_LAUNCH);
		double x = x_of(p, t->start_ns[launch] + t->dur_ns[launch]);
		canvas_line(p->on.c, (struct pt){x, row.y + row.h}, (struct pt){x, y}, &line);
		first = fmin(first, x);
		last = fmax(last, x);
	}
	canvas_line(p->on.c, (struct pt){first, y}, (struct pt){right - 2.4, y}, &line);
	struct pt head[] = {{right - 2.6, y - 1.2}, {right - 2.6, y + 1.2}, {right - 0.2, y}};
	canvas_fill(p->on.c, &(struct path){"MLLZ", head}, line.colour);
	const char *text =
		say(tl->texts, p->on.a, "timeline.beyond", "n", format_count(p->on.a, tl->n_beyond),
			"time", format_time(p->on.a, (double)(tl->beyond_ns - tl->from_ns)), NULL);
	double w = plot_width(&p->on, FACE_SANS, plot_small, text);
	/* Where fewest arrows come down: right behind the launches. */
	double x = fmin(last + 3, right - w - 7);
	struct box plate = {x - 1.5, y - 9, w + 3, 7.6};
	canvas_rect(p->on.c, plate, plot_colour(&p->on, "plate"));
	plot_text(&p->on, x, y - 3, FACE_SANS, plot_small, "secondary", ANCHOR_START, text);
	keep_words(p, plate);
}
