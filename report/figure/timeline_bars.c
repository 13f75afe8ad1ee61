/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_format.h"
#include "report/analyse/kernel_footprint.h"
#include "report/figure/timeline_parts.h"
#include "report/name/shorten.h"

#include <inttypes.h>
#include <math.h>

static const double POINTED_AT = 1.0, EDGE_FROM = 2.2, LABEL_FROM = 8, LABEL_BESIDE = 24,
		    NAME_TELLS = 44, LABEL_PAD = 1.5, HOST_TEXT = 7, LEAST_FOOTPRINT = 40,
		    MARK = 10, ALL_BUT = 0.9, LEAST_LOW = 0.12;

/* Room that the marks in a bar take: those of a launch lie on the work inside it. */
static double room_for_marks(const struct pen *p, uint32_t row)
{
	const struct timeline *tl = p->tl;
	int marks = 0;
	for (int i = 0; i < tl->n_callouts; i++) {
		uint32_t on = tl->callouts[i].row;
		marks += on == row || (tl->row[row] == ROW_INSET && on == tl->trace->parent[row]);
	}
	return marks * MARK;
}

void keep_words(const struct pen *p, struct box box)
{
	struct words_seen *w = p->words;
	w->box = arena_room(p->on.a, w->box, w->n, &w->room, sizeof *w->box);
	w->box[w->n++] = box;
}

static void put_label(
	const struct pen *p, double x, double y, double size, rgba ink, const char *text)
{
	canvas_text_at(p->on.c, (struct pt){x, y}, text,
		&(struct text_style){.face = FACE_SANS, .size = size, .colour = ink});
	keep_words(p,
		(struct box){x, y - size * 0.75, plot_width(&p->on, FACE_SANS, size, text), size});
}

/* "132", "64×8": what is 1 at the end is left out. */
static const char *extent(struct arena *a, const int32_t of[3])
{
	const char *text = format_count(a, of[0]);
	for (int i = 1; i < 3; i++)
		if (of[1] > 1 || of[2] > 1)
			text = i == 2 && of[2] <= 1
				? text
				: arena_printf(a, "%s×%s", text, format_count(a, of[i]));
	return text;
}

/* What a kernel takes, as long as there is room for it: "132 blocks × 384 threads, ..."; NULL when
 * the file does not tell or there is none. */
static const char *footprint_label(const struct pen *p, uint32_t row, double size, double room)
{
	static const char *const keys[] = {
		"timeline.footprint.waves", "timeline.footprint", "timeline.footprint.short"};
	const struct timeline *tl = p->tl;
	struct footprint f;
	if (room < LEAST_FOOTPRINT || !footprint_read(tl->trace, kernel_of(tl->trace, row), &f) ||
		!f.threads)
		return NULL;
	const struct kernel *k = kernel_of(tl->trace, row);
	bool waves = f.waves > 0 && tl->analysis->class[row] != CLASS_COMMUNICATION;
	for (size_t i = waves ? 0 : 1; i < sizeof keys / sizeof *keys; i++) {
		const char *text = say(tl->texts, p->on.a, keys[i], "grid",
			extent(p->on.a, k->grid), "block", extent(p->on.a, k->block), "registers",
			format_count(p->on.a, f.registers), "shared",
			format_si(p->on.a, f.shared_bytes, "B"), "waves",
			arena_printf(p->on.a, f.waves < 10 ? "%.2f" : "%.0f", (double)f.waves),
			NULL);
		if (plot_width(&p->on, FACE_SANS, size, text) <= room)
			return text;
	}
	return NULL;
}

/* "GEMM" says more of a narrow kernel than the begin of its name; NULL where that is wide enough to
 * tell something, or the word has no room either. */
static const char *kind_word(const struct pen *p, uint32_t row, double size, double room)
{
	const struct timeline *tl = p->tl;
	enum bar bar = bar_of(tl->analysis->class[row]);
	if (bar < BAR_GEMM || bar == BAR_DEVICE_OTHER || room >= NAME_TELLS)
		return NULL;
	const char *word =
		say(tl->texts, p->on.a, arena_printf(p->on.a, "step_bars.%s", bar_name(bar)), NULL);
	return plot_width(&p->on, FACE_SANS, size, word) <= room ? word : NULL;
}

static void draw_label(
	const struct pen *p, struct box box, uint32_t row, const char *name, rgba ink, double size)
{
	double room = box.w - 2 * LABEL_PAD, middle = box.y + box.h / 2;
	if (box.w < LABEL_FROM || p->tl->unnamed)
		return;
	double marks = row == NO_ROW ? 0 : room_for_marks(p, row);
	room -= room > marks + LABEL_BESIDE ? marks : 0;
	const char *more = row == NO_ROW ? NULL : footprint_label(p, row, plot_small, room);
	const char *text = name;
	if (plot_width(&p->on, FACE_SANS, size, text) > room)
		text = shorten_name(p->on.a, name);
	const char *kind = row == NO_ROW ? NULL : kind_word(p, row, size, room);
	if (kind && plot_width(&p->on, FACE_SANS, size, text) > room)
		text = kind;
	text = text_elide(p->on.a, p->tl->fonts, FACE_SANS, size, room, text);
	if (!text[0])
		return;
	double y = more ? middle - 1.1 : middle + size * 0.36;
	put_label(p, box.x + LABEL_PAD, y, size, ink, text);
	p->counts->footprints += more != NULL;
	if (more)
		put_label(p, box.x + LABEL_PAD, y + 7.6, plot_small, ink, more);
}

/* The palest bars would not be seen on paper without their edge: half of it is in the colour of
 * those too narrow for one. Each byte by itself. */
static rgba between(rgba one, rgba other)
{
	return (one & other) + (((one ^ other) & 0xFEFEFEFE) >> 1);
}

void draw_bar(const struct pen *p, struct box box, enum bar bar)
{
	const struct bar_colours *k = &p->bar[bar];
	bool pale = bar == BAR_HOST_OTHER || bar == BAR_ANNOTATION || bar == BAR_PYTHON;
	canvas_rect(p->on.c, box, pale && box.w < EDGE_FROM ? between(k->fill, k->edge) : k->fill);
	if (box.w < EDGE_FROM)
		return;
	struct box inner = {box.x + 0.175, box.y + 0.175, box.w - 0.35, box.h - 0.35};
	canvas_frame(p->on.c, inner, &(struct stroke){.colour = k->edge, .width = 0.35});
}

struct box row_box(const struct pen *p, const struct lane *l, int row)
{
	const struct timeline_metrics *m = &timeline_metrics;
	double y = p->box.y + l->y;
	if (l->device)
		return (struct box){0, y + row * (m->device_row + 2), 0, m->device_row};
	if (row == ROW_LAUNCH)
		return (struct box){0, y + l->rows * m->host_row, 0, m->launch_row - 1.5};
	if (row == ROW_INSET)
		return (struct box){0, y + l->rows * m->host_row + 3.5, 0, m->launch_row - 5};
	return (struct box){0, y + row * m->host_row, 0, m->host_row - 1.5};
}

static const double TOOTH = 2.4; /* of a jagged edge, points */

/* What a jagged edge leaves of a bar: nothing is written on the teeth. */
static struct box between_tears(const struct pen *p, struct box box, bool from_left, bool to_right)
{
	double left = from_left && box.x <= p->x0 + 0.01 ? TOOTH : 0;
	double right = to_right && box.x + box.w >= p->x0 + p->w - 0.01 ? TOOTH : 0;
	return (struct box){box.x + left, box.y, box.w - left - right, box.h};
}

void tear(const struct pen *p, struct box box, bool from_left, bool to_right)
{
	enum { TEETH = 3 };
	const double depth = TOOTH, left = p->x0, right = p->x0 + p->w;
	const bool cut[] = {
		from_left && box.x <= left + 0.01, to_right && box.x + box.w >= right - 0.01};
	for (int side = 0; side < 2; side++) {
		double x = side ? right + 0.3 : left - 0.3, in = side ? x - depth : x + depth;
		if (!cut[side] || box.w < 2 * depth)
			continue;
		for (int i = 0; i < TEETH; i++) {
			double h = box.h / TEETH, y = box.y + i * h;
			struct pt tooth[] = {{x, y - 0.1}, {in, y + h / 2}, {x, y + h + 0.1}};
			canvas_fill(p->on.c, &(struct path){"MLLZ", tooth},
				plot_colour(&p->on, "paper"));
		}
		p->counts->torn++;
	}
}

/* A bar that is wider than what it stands for is so much lower: its area is the device's time. */
static bool is_lowered(const struct pen *p, const struct timeline_bar *q, struct box *box)
{
	const struct timeline *tl = p->tl;
	double covered = (double)q->ns * p->w / (double)(tl->to_ns - tl->from_ns) / box->w;
	if (covered >= ALL_BUT)
		return false;
	double h = box->h * fmax(LEAST_LOW, covered);
	box->y += box->h - h;
	box->h = h;
	return true;
}

static void draw_merged(const struct pen *p, const struct timeline_bar *q)
{
	const struct lane *l = &p->tl->lane[q->lane];
	struct box box = row_box(p, l, q->row);
	box.x = p->x0 + q->x1;
	box.w = fmax(timeline_least_bar, p->x0 + q->x2 - box.x);
	if (box.x + box.w > p->x0 + p->w)
		box.x = p->x0 + p->w - box.w;
	bool low = l->device && (q->n > 1 || box.w <= timeline_least_bar) && is_lowered(p, q, &box);
	p->counts->low += low;
	if (low && q->n > 1) /* no event begins and ends at its edges */
		canvas_rect(p->on.c, box, p->bar[q->bar].fill);
	else
		draw_bar(p, box, (enum bar)q->bar);
	const struct trace *t = p->tl->trace;
	const char *name = trace_row_name(t, q->first);
	if (q->n > 1)
		name = arena_printf(p->on.a, "×%" PRIu32, q->n);
	bool from_left = q->n == 1 && t->start_ns[q->first] < p->tl->from_ns,
	     to_right = q->n == 1 && row_end(t, q->first) > p->tl->to_ns;
	if (!low && (q->row != ROW_LAUNCH || !q->covered))
		draw_label(p, between_tears(p, box, from_left, to_right),
			q->n > 1 ? NO_ROW : q->first, name, p->bar[q->bar].label,
			l->device ? timeline_device_text : HOST_TEXT);
	if (canvas_has_tips(p->on.c) && (q->n == 1 || box.w >= POINTED_AT))
		canvas_mark(p->on.c, MARK_TIP, box,
			arena_printf(p->on.a, "%s · %s", name, format_time(p->on.a, (double)q->ns)),
			0);
	tear(p, box, from_left, to_right);
	p->counts->drawn++;
}

/* A line below the device's work that differs, in ink: it is seen without colours, too. What lies
 * on the line before needs none. */
static void draw_differing(const struct pen *p)
{
	static const double BELOW = 0.4, THICK = 1.5;
	const struct timeline *tl = p->tl;
	const struct trace *t = tl->trace;
	if (!tl->differs)
		return;
	double *drawn = arena_array(p->on.a, (size_t)tl->n_lanes * 256, sizeof *drawn);
	for (size_t i = trace_reaching(t, 0, tl->from_ns); i < t->n && t->start_ns[i] < tl->end_ns;
		i = trace_reaching(t, i + 1, tl->from_ns)) {
		int lane = tl->lane_of[t->track[i]], row = tl->row[i];
		if (!tl->differs[i] || lane == LANE_NONE || row == ROW_HIDDEN)
			continue;
		struct box box = row_box(p, &tl->lane[lane], row);
		double *to = &drawn[lane * 256 + row], x = x_of(p, t->start_ns[i]),
		       end = x_of(p, row_end(t, (uint32_t)i));
		end = fmax(end, x + timeline_least_bar);
		x = x > *to ? x : *to;
		if (end <= x)
			continue;
		canvas_rect(p->on.c, (struct box){x, box.y + box.h + BELOW, end - x, THICK},
			plot_colour(&p->on, "ink"));
		*to = end;
	}
}

void draw_events(const struct pen *p)
{
	for (uint32_t i = 0; i < p->tl->n_bars; i++)
		draw_merged(p, &p->tl->bar[i]);
	draw_differing(p);
}
