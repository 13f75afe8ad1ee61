/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/timeline.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/figure/cold_start.h"
#include "report/figure/timeline_parts.h"
#include "report/page/rich_text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double NARROW = 18, LABELLED = 30; /* of a band: less has no edges, no label inside */

/* ---- the axis, and the steps as bands behind all ---- */

static void draw_axis(const struct pen *p, double top, double bottom)
{
	double span = (double)(p->tl->to_ns - p->tl->from_ns);
	double unit_ns = span >= 2e9 ? 1e9 : span >= 2e6 ? 1e6 : 1e3;
	const char *unit = unit_ns == 1e9 ? "s" : unit_ns == 1e6 ? "ms" : "µs";
	double step = nice_step(span / unit_ns, 9);
	int decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3;
	double last = floor(span / unit_ns / step + 1e-9) * step;
	double pitch = p->w * step * unit_ns / span, end_x = p->x0 + p->w * last * unit_ns / span;
	struct comb lines = {p->x0, end_x, pitch, top, bottom};
	struct comb ticks = {p->x0, end_x, pitch, top - 3.5, top};
	struct comb small = {p->x0, p->x0 + p->w, pitch / 5, top - 2, top};
	plot_comb(&p->on, &lines, 0.35, "grid");
	plot_line(&p->on, (struct pt){p->x0, top}, (struct pt){p->x0 + p->w, top}, 0.6, "axis", 0);
	if (p->tl->no_axis)
		return;
	plot_comb(&p->on, &ticks, 0.6, "axis");
	plot_comb(&p->on, &small, 0.35, "axis");
	for (double v = 0; v <= last + step / 2; v += step) {
		double x = p->x0 + p->w * (v * unit_ns / span);
		bool end = v > last - step / 2;
		const char *digits = arena_printf(p->on.a, "%.*f", decimals, v);
		const char *text = end ? arena_printf(p->on.a, "%s %s", digits, unit) : digits;
		double half = plot_width(&p->on, FACE_SANS, plot_small, digits) / 2;
		double at = x - half,
		       over = at + plot_width(&p->on, FACE_SANS, plot_small, text) - (p->x0 + p->w);
		plot_text(&p->on, at - fmax(over, 0), top - 5, FACE_SANS, plot_small, "secondary",
			ANCHOR_START, text);
	}
}

static void draw_band_label(const struct pen *p, const struct band *b, double x, double w, double y)
{
	const char *text = b->label;
	double label = plot_width(&p->on, FACE_BOLD, timeline_device_text, text);
	if (label + 4 > w && b->brief) {
		text = b->brief;
		label = plot_width(&p->on, FACE_BOLD, timeline_device_text, text);
	}
	if (label + 4 > w)
		return;
	keep_words(p, (struct box){x, y - 7, fmin(w, label + 60), 9});
	plot_text(&p->on, x + 2, y, FACE_BOLD, timeline_device_text, "ink", ANCHOR_START, text);
	if (b->more && label + 8 + plot_width(&p->on, FACE_SANS, timeline_device_text, b->more) < w)
		plot_text(&p->on, x + 6 + label, y, FACE_SANS, timeline_device_text, "secondary",
			ANCHOR_START, b->more);
}

static bool is_shown(const struct timeline *tl, const struct band *b)
{
	return b->start_ns < tl->to_ns && b->start_ns + b->dur_ns > tl->from_ns;
}

/* Narrow bands have no edges, which would be a smear, and no label. In a picture that is to be
 * measured the last one has both, the label beside it, where all before it have theirs. Returns
 * which, -1 for none. */
static int labelled_beside(const struct pen *p)
{
	const struct timeline *tl = p->tl;
	int last = -1;
	for (int i = 0; tl->bare && i < tl->n_bands; i++) {
		const struct band *b = &tl->bands[i];
		if (!is_shown(tl, b))
			continue;
		double w = x_of(p, b->start_ns + b->dur_ns) - x_of(p, b->start_ns);
		if (last >= 0)
			return -1;
		last = w < LABELLED ? i : -1;
	}
	return last;
}

static void draw_bands(const struct pen *p, double top, double bottom)
{
	const struct timeline *tl = p->tl;
	int last = labelled_beside(p);
	for (int i = 0; i < tl->n_bands; i++) {
		const struct band *b = &tl->bands[i];
		int64_t end = b->start_ns + b->dur_ns;
		if (!is_shown(tl, b))
			continue;
		double x1 = x_of(p, b->start_ns), x2 = x_of(p, end), w = x2 - x1;
		if (i % 2 == 0)
			canvas_rect(p->on.c, (struct box){x1, top, w, bottom - top},
				plot_colour(&p->on, "band"));
		if (w >= NARROW || i == last) {
			if (b->start_ns >= tl->from_ns)
				plot_line(&p->on, (struct pt){x1, top}, (struct pt){x1, bottom},
					0.6, "band_edge", 0);
			if (end <= tl->to_ns)
				plot_line(&p->on, (struct pt){x2, top}, (struct pt){x2, bottom},
					0.6, "band_edge", 0);
		}
		bool beside = i == last;
		if (b->label)
			draw_band_label(
				p, b, beside ? x2 : x1, beside ? p->x0 + p->w - x2 : w, top + 8);
	}
}

/* ---- idle time of the device: no stream works ---- */

/* The gap that an edge of the picture cuts; NULL: that is no part of one. */
static const struct time_span *gap_over(const struct timeline *tl, int64_t edge_ns)
{
	for (size_t i = 0; i < tl->analysis->n_gaps; i++) {
		const struct time_span *g = &tl->analysis->idle.at[i];
		if (g->start_ns < edge_ns && g->end_ns > edge_ns)
			return g;
	}
	return NULL;
}

static void draw_gap(const struct pen *p, int64_t from, int64_t to)
{
	double x1 = x_of(p, from), x2 = x_of(p, to);
	if (x2 - x1 < 1.2)
		return;
	const struct time_span *before = from <= p->tl->from_ns ? gap_over(p->tl, from) : NULL,
			       *after = to >= p->tl->end_ns ? gap_over(p->tl, to) : NULL,
			       *whole = before ? before : after;
	int64_t ns = whole ? whole->end_ns - whole->start_ns : to - from;
	const char *time = format_time(p->on.a, (double)ns);
	const char *text = p->tl->bare
		? time = say(p->tl->texts, p->on.a, "timeline.idle.bare", NULL)
		: say(p->tl->texts, p->on.a, whole ? "timeline.idle.cut" : "timeline.idle", "time",
			  time, NULL);
	bool written = false;
	for (int i = 0; i < p->tl->n_lanes; i++) {
		const struct lane *l = &p->tl->lane[i];
		if (!l->device)
			continue;
		struct box box = row_box(p, l, 0);
		box.x = x1;
		box.w = x2 - x1;
		plot_hatch(&p->on, box);
		tear(p, box, before, after);
		double w = plot_width(&p->on, FACE_SANS, plot_small, text);
		if (w + 5 > box.w && !written) {
			text = time;
			w = plot_width(&p->on, FACE_SANS, plot_small, text);
		}
		if (w + 5 > box.w || written)
			continue;
		written = true;
		double x = x1 + (box.w - w) / 2;
		struct box plate = {x - 2, box.y + 4, w + 4, box.h - 8};
		canvas_rect(p->on.c, plate, plot_colour(&p->on, "plate"));
		keep_words(p, plate);
		plot_text(&p->on, x, box.y + box.h / 2 + 2.3, FACE_SANS, plot_small, "secondary",
			ANCHOR_START, text);
	}
}

static void draw_idle(const struct pen *p)
{
	const struct trace *t = p->tl->trace;
	const struct analysis *a = p->tl->analysis;
	int64_t busy_to = idle_from(p->tl), to = idle_to(p->tl);
	if (t->ends_early) /* what is missing looks idle */
		return;
	for (size_t k = device_reaching(p->tl, busy_to); k < a->n_device; k++) {
		uint32_t i = a->device_rows[k];
		if (t->start_ns[i] >= to)
			break;
		if (t->start_ns[i] > busy_to)
			draw_gap(p, busy_to, t->start_ns[i]);
		busy_to = max64(row_end(t, i), busy_to);
	}
	if (busy_to < to)
		draw_gap(p, busy_to, to);
}

/* ---- names of the lanes, legend, marks ---- */

/* "thread 4711 (python3)" without the part in brackets when it is too long. */
static const char *lane_detail(const struct pen *p, const char *detail, double room)
{
	const char *bracket = strstr(detail, " (");
	if (bracket && plot_width(&p->on, FACE_SANS, plot_small, detail) > room)
		detail = arena_strndup(p->on.a, detail, (size_t)(bracket - detail));
	return text_elide(p->on.a, p->tl->fonts, FACE_SANS, plot_small, room, detail);
}

/* Of "/job:localhost/task:0/device:CPU:0" what tells lanes apart stands behind the last slash. */
static const char *lane_name(const struct pen *p, const char *name, double room)
{
	const char *last = strrchr(name, '/');
	if (last && last[1] && plot_width(&p->on, FACE_BOLD, 7.6, name) > room)
		name = last + 1;
	return text_elide(p->on.a, p->tl->fonts, FACE_BOLD, 7.6, room, name);
}

static void draw_gutter(const struct pen *p)
{
	const struct timeline *tl = p->tl;
	double room = timeline_metrics.gutter - 6;
	for (int i = 0; i < tl->n_lanes; i++) {
		const struct lane *l = &tl->lane[i];
		double y = p->box.y + l->y + 8;
		bool same = i && !strcmp(tl->lane[i - 1].name, l->name) &&
			tl->lane[i - 1].device == l->device;
		if (!same)
			plot_text(&p->on, p->box.x, y, FACE_BOLD, 7.6, "ink", ANCHOR_START,
				lane_name(p, l->name, room));
		plot_text(&p->on, p->box.x, y + (same ? 0 : 8.6), FACE_SANS, plot_small,
			"secondary", ANCHOR_START, lane_detail(p, l->detail, room));
		bool border = i && l->device && !tl->lane[i - 1].device;
		const struct lane *above = &tl->lane[i ? i - 1 : 0];
		double middle = p->box.y + (above->y + above->h + l->y) / 2;
		if (border)
			plot_line(&p->on, (struct pt){p->box.x, middle},
				(struct pt){p->x0 + p->w, middle}, 0.35, "rule", 0);
	}
}

static void legend_entry(const struct pen *p, double x, double y, enum bar bar)
{
	draw_bar(p, (struct box){x, y + 1.5, 7, 7}, bar);
	plot_text(&p->on, x + 10, y + 7.4, FACE_SANS, plot_small, "secondary", ANCHOR_START,
		say(p->tl->texts, p->on.a, arena_printf(p->on.a, "legend.%s", bar_name(bar)),
			NULL));
}

static void legend_sign(const struct pen *p, double x, double y, bool device)
{
	const struct timeline *tl = p->tl;
	if (device) {
		plot_hatch(&p->on, (struct box){x, y + 1.5, 14, 7});
		plot_text(&p->on, x + 17, y + 7.4, FACE_SANS, plot_small, "secondary", ANCHOR_START,
			say(tl->texts, p->on.a, "legend.idle", NULL));
	} else {
		draw_arrow(p, (struct pt){x + 2, y + 1}, (struct pt){x + 2, y + 9});
		plot_text(&p->on, x + 7, y + 7.4, FACE_SANS, plot_small, "secondary", ANCHOR_START,
			say(tl->texts, p->on.a, "legend.arrow", NULL));
	}
}

static double draw_legend(
	const struct pen *p, double y, enum bar first, enum bar end, const char *key)
{
	if (!legend_has_row(p->tl, first, end))
		return y;
	plot_text(&p->on, p->box.x, y + 7.4, FACE_SANS, plot_small, "tertiary", ANCHOR_START,
		say(p->tl->texts, p->on.a, key, NULL));
	struct legend_rows rows = {.left = p->x0, .width = p->w};
	double pitch = timeline_metrics.legend_row;
	for (enum bar b = first; b < end; b++) {
		if (!(p->tl->kinds & 1u << b))
			continue;
		double x = legend_place(&rows, legend_entry_width(p->tl, p->on.a, b));
		legend_entry(p, x, y + rows.row * pitch, b);
	}
	if (legend_has_sign(p->tl, first == BAR_GEMM)) {
		double x = legend_place(&rows, timeline_metrics.legend_last);
		legend_sign(p, x, y + rows.row * pitch, first == BAR_GEMM);
	}
	return y + (rows.row + 1) * pitch;
}

static void draw_mark(const struct pen *p, double top, double bottom)
{
	const struct timeline *tl = p->tl;
	if (tl->mark_from_ns == tl->mark_to_ns)
		return;
	double x1 = x_of(p, tl->mark_from_ns), x2 = x_of(p, tl->mark_to_ns);
	if (x2 - x1 < 2)
		x2 = x1 + 2;
	canvas_frame(p->on.c, (struct box){x1, top, x2 - x1, bottom - top},
		&(struct stroke){
			.colour = plot_colour(&p->on, "zoom"), .width = 0.8, .dash = 3, .gap = 2});
}

/* The whole as a bar with its steps; the zoom's part of it opens into the picture below. */
static void draw_place(const struct pen *p, double y)
{
	const struct timeline *tl = p->tl;
	double whole = (double)(tl->whole_to_ns - tl->whole_from_ns), right = p->x0 + p->w;
	struct box bar = {p->x0, y, p->w, 5};
	canvas_rect(p->on.c, bar, plot_colour(&p->on, "hatch_ground"));
	for (int i = 0; i < tl->n_bands; i++) {
		const struct band *b = &tl->bands[i];
		double x = p->x0 + p->w * (double)(b->start_ns - tl->whole_from_ns) / whole;
		double w = p->w * (double)b->dur_ns / whole;
		canvas_rect(p->on.c, (struct box){x, y, fmin(w, right - x), 5},
			plot_colour(&p->on, i % 2 ? "band" : "band_edge"));
	}
	canvas_frame(p->on.c, bar,
		&(struct stroke){.colour = plot_colour(&p->on, "band_edge"), .width = 0.4});
	double x1 = p->x0 + p->w * (double)(tl->from_ns - tl->whole_from_ns) / whole;
	double x2 = p->x0 + p->w * (double)(tl->to_ns - tl->whole_from_ns) / whole;
	x1 = fmin(x1, right - 1.5);
	x2 = fmin(fmax(x2, x1 + 1.5), right);
	canvas_rect(p->on.c, (struct box){x1, y - 1, x2 - x1, 7}, plot_colour(&p->on, "zoom"));
	struct stroke edge = {
		.colour = plot_colour(&p->on, "zoom"), .width = 0.5, .dash = 3, .gap = 2};
	double foot = y + timeline_metrics.place - 2;
	canvas_line(p->on.c, (struct pt){x1, y + 6}, (struct pt){p->x0, foot}, &edge);
	canvas_line(p->on.c, (struct pt){x2, y + 6}, (struct pt){right, foot}, &edge);
	plot_text(&p->on, p->box.x, y + 5.2, FACE_SANS, plot_small, "secondary", ANCHOR_START,
		say(tl->texts, p->on.a, "timeline.place", NULL));
}

/* Draws the bar of a cold start above the lanes; returns the height that it took. */
static double draw_cold(const struct pen *p, double y)
{
	const struct timeline *tl = p->tl;
	if (!tl->cold)
		return 0;
	struct box box = {p->x0, y, p->w, cold_height};
	plot_text(&p->on, p->box.x, y + 24, FACE_BOLD, 7.6, "ink", ANCHOR_START,
		say(tl->texts, p->on.a, tl->cold->ran_before ? "cold.lane.warm" : "cold.lane",
			NULL));
	cold_draw(p->on.c, tl->texts, tl->fonts, tl->cold, box, x_of(p, tl->cold->from_ns),
		x_of(p, tl->cold->to_ns));
	return cold_height;
}

/* What a pen points at besides the timeline. */
struct pen_case {
	struct arena scratch;
	struct words_seen words;
	struct timeline_counts counts;
};

static struct pen pen_of(
	struct canvas *c, struct box box, const struct timeline *tl, struct pen_case *own)
{
	struct pen p = {.on = {c, tl->texts, tl->fonts, &own->scratch},
		.tl = tl,
		.box = box,
		.words = &own->words,
		.counts = &own->counts};
	p.x0 = box.x + timeline_metrics.gutter;
	p.w = box.w - timeline_metrics.gutter;
	if (box.w != tl->width)
		bug("a timeline planned %g wide, and drawn %g", tl->width, box.w);
	for (int b = 0; b < BARS; b++)
		p.bar[b] = texts_bar(tl->texts, bar_name((enum bar)b));
	return p;
}

struct timeline_counts timeline_count(const struct timeline *tl)
{
	struct err ignored = {0};
	struct pen_case own = {0};
	struct canvas *nothing = canvas_null(tl->fonts);
	struct pen p = pen_of(nothing, (struct box){0, 0, tl->width, tl->height}, tl, &own);
	canvas_page(nothing, tl->width, tl->height, NULL);
	draw_idle(&p);
	draw_events(&p);
	canvas_close(nothing, &ignored);
	arena_release(&own.scratch);
	return own.counts;
}

void timeline_draw(struct canvas *c, struct box box, const void *timeline)
{
	const struct timeline *tl = timeline;
	struct pen_case own = {0};
	struct pen p = pen_of(c, box, tl, &own);
	const struct lane *last = tl->n_lanes ? &tl->lane[tl->n_lanes - 1] : NULL;
	double axis = box.y + timeline_head(tl);
	double lanes = box.y + (last ? last->y + last->h : timeline_head(tl) + 16);
	double bottom = lanes + counters_height(tl) + 2 + timeline_below(tl);
	if (tl->title)
		plot_text(&p.on, box.x, box.y + 8, FACE_BOLD, 7.6, "ink", ANCHOR_START,
			text_elide(p.on.a, tl->fonts, FACE_BOLD, 7.6, box.w,
				rich_plain(p.on.a, tl->title)));
	double top = box.y + (tl->title ? 13 : 0);
	if (tl->whole_from_ns < tl->whole_to_ns) {
		draw_place(&p, top + 1);
		top += timeline_metrics.place;
	}
	draw_bands(&p, top, bottom);
	draw_axis(&p, axis, bottom);
	draw_gutter(&p);
	draw_idle(&p);
	draw_arrows(&p);
	draw_beyond(&p);
	draw_events(&p);
	draw_counters(&p, lanes + timeline_below(tl));
	draw_mark(&p, axis, bottom);
	draw_callouts(&p);
	plot_line(
		&p.on, (struct pt){p.x0, bottom}, (struct pt){p.x0 + p.w, bottom}, 0.6, "axis", 0);
	double y = bottom + timeline_metrics.foot;
	y += draw_cold(&p, y);
	if (tl->folded) {
		plot_text(&p.on, p.x0, y + 5, FACE_SANS, plot_small, "secondary", ANCHOR_START,
			say(tl->texts, p.on.a, "timeline.folded", "tracks",
				format_count(p.on.a, tl->folded), "events",
				format_count(p.on.a, tl->folded_events), NULL));
		y += 10;
	}
	if (tl->legend) {
		y = draw_legend(&p, y, BAR_ANNOTATION, BAR_GEMM, "legend.host");
		draw_legend(&p, y, BAR_GEMM, BARS, "legend.device");
	}
	arena_release(&own.scratch);
}

void timelines_draw_parts(struct canvas *c, struct box box, const void *timelines, int first, int n)
{
	const struct timelines *s = timelines;
	double y = box.y;
	for (int i = first; i < first + n; i++) {
		timeline_draw(c, (struct box){box.x, y, box.w, s->tl[i]->height}, s->tl[i]);
		y += s->height[i];
	}
}

void timelines_draw(struct canvas *c, struct box box, const void *timelines)
{
	timelines_draw_parts(c, box, timelines, 0, ((const struct timelines *)timelines)->n);
}

const struct figure_kind timeline_figure = {
	.draw = timeline_draw, .height = offsetof(struct timeline, height)};

const struct figure_kind timelines_figure = {.draw = timelines_draw,
	.height = offsetof(struct timelines, whole),
	.draw_parts = timelines_draw_parts};
