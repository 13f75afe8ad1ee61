/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered marks on the events of a timeline. */

#include "report/figure/timeline_parts.h"

#include <math.h>
#include <stdio.h>

enum { MOST_MARKS = 9 };

static const double RADIUS = 4.4, NUMBER = 7, EDGE = 4, NEAR = 80, LEADER = 3;

static void draw_disc(const struct plot *p, struct pt at, int number)
{
	char text[8];
	snprintf(text, sizeof text, "%d", number);
	plot_dot(p, at, RADIUS, "mark");
	plot_ring(p, at, RADIUS, 0.7, "paper");
	plot_text(p, at.x, at.y + NUMBER * 0.36, FACE_BOLD, NUMBER, "paper", ANCHOR_MIDDLE, text);
}

/* ---- places ---- */

/* Discs that stand in their bars, and those that need a leader. */
struct marks {
	struct box at[MOST_MARKS]; /* (n) */
	int n;
	struct plot_label beside[MOST_MARKS]; /* (n_beside) */
	struct box event[MOST_MARKS]; /* not to be covered */
	int number[MOST_MARKS];
	int n_beside;
};

static struct box disc_box(double x, double y)
{
	return (struct box){x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS};
}

static bool is_free(const struct pen *p, const struct marks *m, const struct box *b)
{
	for (int i = 0; i < p->words->n; i++)
		if (boxes_share(b, &p->words->box[i], 0.4) > 0)
			return false;
	for (int i = 0; i < m->n; i++)
		if (boxes_share(b, &m->at[i], 0.4) > 0)
			return false;
	return true;
}

/* In its bar, as far to the right as words and other discs leave room. */
static bool stand_inside(const struct pen *p, struct marks *m, const struct box *bar, int number)
{
	for (double x = bar->x + bar->w - RADIUS - EDGE; x >= bar->x + RADIUS + 1; x -= 2) {
		struct box b = disc_box(x, bar->y + bar->h / 2);
		if (!is_free(p, m, &b))
			continue;
		m->at[m->n++] = b;
		draw_disc(&p->on, (struct pt){x, bar->y + bar->h / 2}, number);
		return true;
	}
	return false;
}

static void stand_beside(struct marks *m, const struct box *bar, int number)
{
	m->number[m->n_beside] = number;
	m->event[m->n_beside] = (struct box){bar->x, bar->y + 3, bar->w, bar->h - 3};
	m->beside[m->n_beside++] = (struct plot_label){
		.dot = {bar->x + bar->w / 2, bar->y + 1}, .w = 2 * RADIUS, .h = 2 * RADIUS};
}

/* The box that a mark is about: the drawn part of its event or of the idle time. */
static bool place_of_mark(const struct pen *p, const struct callout *mark, struct box *box)
{
	const struct timeline *tl = p->tl;
	const struct trace *t = tl->trace;
	bool gap = mark->gap_from_ns < mark->gap_to_ns, cut;
	if (timeline_place_width(tl, mark, &cut) <= 0)
		return false;
	int64_t from = gap ? mark->gap_from_ns : t->start_ns[mark->row];
	int64_t to = gap ? mark->gap_to_ns : from + t->dur_ns[mark->row];
	*box = row_box(
		p, &tl->lane[tl->lane_of[t->track[mark->row]]], gap ? 0 : tl->row[mark->row]);
	box->x = x_of(p, from);
	box->w = x_of(p, to) - box->x;
	return true;
}

/* ---- with leaders ---- */

/* Words and discs near enough to be in the way. */
static struct box *in_the_way(const struct pen *p, const struct marks *m, int *n)
{
	struct box *taken =
		arena_array(p->on.a, (size_t)(p->words->n + m->n + m->n_beside) + 1, sizeof *taken);
	*n = 0;
	for (int i = 0; i < m->n; i++)
		taken[(*n)++] = m->at[i];
	for (int i = 0; i < m->n_beside; i++)
		taken[(*n)++] = m->event[i];
	for (int i = 0; i < p->words->n; i++)
		for (int k = 0; k < m->n_beside; k++) {
			struct pt dot = m->beside[k].dot;
			struct box near = {dot.x - NEAR, dot.y - NEAR, 2 * NEAR, 2 * NEAR};
			if (boxes_share(&near, &p->words->box[i], 0) <= 0)
				continue;
			taken[(*n)++] = p->words->box[i];
			break;
		}
	return taken;
}

static void draw_leader(const struct pen *p, const struct plot_label *l)
{
	struct pt to = label_end(l);
	const struct stroke under = {.colour = plot_colour(&p->on, "paper"), .width = 1.8},
			    over = {.colour = plot_colour(&p->on, "mark"), .width = 0.7};
	canvas_line(p->on.c, l->dot, to, &under);
	canvas_line(p->on.c, l->dot, to, &over);
	const double r = 1;
	canvas_rect(p->on.c, (struct box){l->dot.x - r, l->dot.y - r, 2 * r, 2 * r},
		plot_colour(&p->on, "mark"));
}

static void draw_beside(const struct pen *p, struct marks *m, double top)
{
	const struct timeline *tl = p->tl;
	const struct lane *last = &tl->lane[tl->n_lanes - 1];
	struct label_field field = {
		.area = {p->x0, top, p->w, p->box.y + last->y + last->h - top}, .radius = LEADER};
	field.taken = in_the_way(p, m, &field.n_taken);
	labels_place(m->beside, m->n_beside, &field);
	for (int i = 0; i < m->n_beside; i++)
		draw_leader(p, &m->beside[i]);
	for (int i = 0; i < m->n_beside; i++) {
		const struct box *b = &m->beside[i].box;
		draw_disc(&p->on, (struct pt){b->x + b->w / 2, b->y + b->h / 2}, m->number[i]);
	}
}

void draw_callouts(const struct pen *p)
{
	const struct timeline *tl = p->tl;
	struct marks m = {.n = 0};
	if (tl->n_callouts > MOST_MARKS)
		bug("%d marks on a timeline", tl->n_callouts);
	/* From the right: so those on one bar stand in order. */
	for (int i = tl->n_callouts - 1; i >= 0; i--) {
		struct box box;
		int number = tl->callouts[i].number;
		if (place_of_mark(p, &tl->callouts[i], &box) && !stand_inside(p, &m, &box, number))
			stand_beside(&m, &box, number);
	}
	if (m.n_beside)
		draw_beside(p, &m, p->box.y + timeline_head(tl) - 2);
}
