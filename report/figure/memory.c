/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/memory.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/name/python_line.h"
#include "report/name/shorten.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double HEAD = 13, PANEL = 52, BANDED = 150, GUTTER = 78, FOOT = 14, RIGHT = 8,
		    PIXEL = 0.5;

/* ---- finding ---- */

/* No device has that much memory, so that sizes can be subtracted. */
static const int64_t MOST_BYTES = INT64_MAX / 4;

static bool is_of(const struct trace *t, uint32_t row, int32_t device)
{
	return t->kind[row] == EVENT_INSTANT && t->side[row] != NO_ROW &&
		t->changes[t->side[row]].device == device &&
		t->changes[t->side[row]].allocated >= 0 &&
		t->changes[t->side[row]].allocated <= MOST_BYTES;
}

/* The innermost operator around an instant, on its thread. */
static uint32_t op_around(const struct trace *t, uint32_t row)
{
	for (uint32_t i = row; i-- > 0;)
		if (t->kind[i] == EVENT_OP && t->track[i] == t->track[row] &&
			row_end(t, i) >= t->start_ns[row])
			return i;
	return NO_ROW;
}

static struct memory_line line_of(struct arena *arena, const struct trace *t, int32_t device)
{
	struct memory_line line = {.device = device};
	uint32_t peak_row = NO_ROW;
	size_t n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		n += is_of(t, i, device);
	if (!n)
		return line;
	struct memory_point *point = arena_array(arena, n + 1, sizeof *point);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_of(t, i, device))
			continue;
		const struct memory_change *m = &t->changes[t->side[i]];
		if (!line.n)
			point[line.n++] = (struct memory_point){
				t->start_ns[i], m->allocated - m->bytes, m->reserved};
		point[line.n] = (struct memory_point){t->start_ns[i], m->allocated, m->reserved};
		if (m->allocated > point[line.peak].allocated) {
			line.peak = line.n;
			peak_row = i;
		}
		line.n++;
	}
	uint32_t op = peak_row == NO_ROW ? NO_ROW : t->snapshot ? peak_row : op_around(t, peak_row);
	line.peak_op = op == NO_ROW || *trace_name(t, t->name[op]) == '['
		? NULL
		: brief_name(arena, python_line_short(arena, trace_name(t, t->name[op])));
	line.point = point;
	return line;
}

/* A memory of which less than a page, or a thousandth of another is used is none to look at. */
static void leave_out_small(struct memory_lines *m)
{
	enum { PAGE = 4096 };
	int64_t most = 1000 * PAGE;
	int n = 0;
	for (int i = 0; i < m->n; i++) {
		int64_t peak = m->line[i].point[m->line[i].peak].allocated;
		most = max64(peak, most);
	}
	for (int i = 0; i < m->n; i++)
		if (m->line[i].point[m->line[i].peak].allocated > most / 1000)
			m->line[n++] = m->line[i];
	m->n = n;
}

static void find_bands(struct memory_lines *m, struct arena *arena, const struct memory_use *use)
{
	for (int i = 0; i < m->n; i++) {
		struct memory_line *line = &m->line[i];
		for (int k = 0; k < use->n_devices; k++)
			if (use->device[k].device == line->device &&
				(line->device >= 0 || m->n == 1))
				line->bands = memory_bands_of(
					arena, use, &use->device[k], m->start_ns, m->end_ns);
		line->height = line->bands ? BANDED : PANEL;
		m->height += HEAD + line->height;
	}
	m->height += FOOT;
}

bool memory_find(struct memory_lines *m, struct arena *arena, const struct analysis *a,
	const struct memory_use *use)
{
	enum { MOST_DEVICES = 64 };
	const struct trace *t = a->trace;
	int32_t devices = 0;
	for (size_t i = 0; i < t->n_changes; i++)
		if (t->changes[i].device >= devices && t->changes[i].device < MOST_DEVICES)
			devices = t->changes[i].device + 1;
	m->zero_ns = a->window.start_ns;
	m->records = trace_meta(t, SNAPSHOT_CLOCK) != NULL;
	m->start_ns = INT64_MAX;
	m->end_ns = INT64_MIN;
	for (int32_t i = 0; i <= devices && m->n < MOST_MEMORIES && t->n_changes; i++) {
		struct memory_line line = line_of(arena, t, i < devices ? i : -1);
		if (!line.n || line.point[line.peak].allocated <= 0)
			continue;
		int64_t start = line.point[0].at_ns, end = line.point[line.n - 1].at_ns;
		m->start_ns = min64(m->start_ns, start);
		m->end_ns = max64(m->end_ns, end);
		m->line[m->n++] = line;
	}
	leave_out_small(m);
	find_bands(m, arena, use);
	return m->n > 0 && m->end_ns > m->start_ns;
}

/* ---- drawing ---- */

static const char *bytes_tick(struct arena *a, double bytes)
{
	return bytes > 0 ? format_si(a, bytes, "B") : "0";
}

static int64_t of_point(const struct memory_point *p, bool reserved)
{
	return reserved ? p->reserved : p->allocated;
}

/* Corners of the line: the most of what falls on one place, then level until the next. */
static size_t corners(const struct memory_line *line, bool reserved, const struct scale *x,
	const struct scale *y, struct pt *to)
{
	double right = x->at + x->length;
	size_t n = 0;
	for (size_t i = 0; i < line->n;) {
		double at = scale_at(x, (double)line->point[i].at_ns);
		int64_t most = of_point(&line->point[i], reserved);
		while (++i < line->n && scale_at(x, (double)line->point[i].at_ns) < at + PIXEL) {
			int64_t one = of_point(&line->point[i], reserved);
			most = max64(one, most);
		}
		double height = scale_at(y, (double)most);
		if (n) {
			to[n] = (struct pt){at, to[n - 1].y};
			n++;
		}
		to[n++] = (struct pt){at, height};
	}
	to[n] = (struct pt){right, n ? to[n - 1].y : 0};
	return n + 1;
}

static void draw_allocated(const struct plot *p, struct pt *pt, size_t n, double bottom)
{
	pt[n] = (struct pt){pt[n - 1].x, bottom};
	pt[n + 1] = (struct pt){pt[0].x, bottom};
	plot_area(p, pt, n + 2, texts_bar(p->texts, "op").fill);
	plot_series(p, pt, n, (struct plot_line_style){0.7, "point", 0, 0});
}

static double column_at(const struct scale *x, int column)
{
	return x->at + x->length * column / MEMORY_COLUMNS;
}

/* A band between its lower edge, `below` it, and its upper one. */
static void draw_band(const struct plot *p, const struct memory_bands *b, int band,
	const struct scale *x, const struct scale *y, rgba fill)
{
	struct pt *pt = arena_array(p->a, 4 * MEMORY_COLUMNS, sizeof *pt);
	size_t n = 0;
	double last = -1;
	bool any = false;
	for (int c = 0; c < MEMORY_COLUMNS; c++) {
		double top = b->top[c][band];
		any |= top > (band ? b->top[c][band - 1] : 0);
		if (top != last && n) /* level until here */
			pt[n++] = (struct pt){column_at(x, c), scale_at(y, last)};
		if (top != last)
			pt[n++] = (struct pt){column_at(x, c), scale_at(y, top)};
		last = top;
	}
	pt[n++] = (struct pt){column_at(x, MEMORY_COLUMNS), scale_at(y, last)};
	last = -1;
	for (int c = MEMORY_COLUMNS; c-- > 0;) {
		double low = band ? b->top[c][band - 1] : 0;
		if (low != last && last >= 0)
			pt[n++] = (struct pt){column_at(x, c + 1), scale_at(y, last)};
		if (low != last)
			pt[n++] = (struct pt){column_at(x, c + 1), scale_at(y, low)};
		last = low;
	}
	pt[n++] = (struct pt){column_at(x, 0), scale_at(y, last)};
	if (any)
		plot_area(p, pt, n, fill);
}

/* The number of a band, as the table has it, where it is highest. */
static void draw_number(const struct plot *p, const struct memory_bands *b, int band, int which,
	const struct scale *x, const struct scale *y)
{
	const double least = plot_small + 1;
	int best = 0, at = 0;
	double room = scale_at(y, 0) - scale_at(y, 1);
	for (int c = 0, from = 0; c < MEMORY_COLUMNS; c++) {
		double height = b->top[c][band] - (band ? b->top[c][band - 1] : 0);
		if (height * room < least)
			from = c + 1;
		if (c + 1 - from > best) {
			best = c + 1 - from;
			at = from + best / 2;
		}
	}
	const char *number = arena_printf(p->a, "%d", which + 1);
	if (best * x->length / MEMORY_COLUMNS < plot_width(p, FACE_BOLD, plot_small, number) + 2)
		return;
	double low = band ? b->top[at][band - 1] : 0, middle = (low + b->top[at][band]) / 2;
	canvas_text_at(p->c, (struct pt){column_at(x, at), scale_at(y, middle) + plot_small / 3},
		number,
		&(struct text_style){FACE_BOLD, plot_small,
			texts_bar(p->texts, memory_band_colour(b, which)).label, ANCHOR_MIDDLE,
			false});
}

static void draw_bands(const struct plot *p, const struct memory_bands *b, const struct scale *x,
	const struct scale *y)
{
	draw_band(p, b, 0, x, y, texts_bar(p->texts, memory_band_colour(b, BAND_BEFORE)).fill);
	for (int i = 0; i <= b->n; i++) {
		int which = i < b->n ? b->band_of[i] : BAND_OTHERS;
		draw_band(
			p, b, i + 1, x, y, texts_bar(p->texts, memory_band_colour(b, which)).fill);
	}
	for (size_t i = 0; i < b->n_edges; i++) {
		const struct memory_edge *e = &b->edge[i];
		double at = scale_at(y, e->bytes);
		plot_line(p, (struct pt){column_at(x, e->from), at},
			(struct pt){column_at(x, e->to), at}, 0.3, "paper", 0);
	}
	for (int i = 0; i < b->n; i++)
		draw_number(p, b, i + 1, b->band_of[i], x, y);
}

static void draw_peak(
	const struct plot *p, const struct memory_line *line, struct pt at, const struct box *area)
{
	const struct memory_point *peak = &line->point[line->peak];
	const char *size = format_si(p->a, (double)peak->allocated, "B");
	const char *text = line->peak_op
		? say(p->texts, p->a, "memory.peak.op", "size", size, "name", line->peak_op, NULL)
		: say(p->texts, p->a, "memory.peak", "size", size, NULL);
	double half = plot_width(p, FACE_SANS, plot_small, text) / 2;
	double x = fmin(fmax(at.x, area->x + half), area->x + area->w - half);
	plot_ring(p, at, 2, 1, "mark");
	plot_text(p, x, area->y - 4, FACE_SANS, plot_small, "ink", ANCHOR_MIDDLE, text);
}

static void draw_line(const struct plot *p, const struct memory_line *line, const struct scale *x,
	const struct box *area, double left)
{
	double most = (double)line->point[line->peak].allocated;
	bool reserved = false;
	for (size_t i = 0; i < line->n; i++) {
		most = fmax(most, (double)line->point[i].reserved);
		reserved |= line->point[i].reserved > 0;
	}
	struct scale y = {
		.low = 0, .high = most * 1.05, .at = area->y + area->h, .length = -area->h};
	struct pt *pt = arena_array(p->a, 2 * line->n + 4, sizeof *pt);
	size_t n = corners(line, false, x, &y, pt);
	if (line->bands)
		draw_bands(p, line->bands, x, &y);
	else
		draw_allocated(p, pt, n, y.at);
	plot_y_axis(p, &y, area->x, area->x + area->w, line->bands ? 5 : 3, bytes_tick);
	if (reserved)
		plot_series(p, pt, corners(line, true, x, &y, pt),
			(struct plot_line_style){0.7, "ink", 2.5, 1.5});
	draw_peak(p, line,
		(struct pt){scale_at(x, (double)line->point[line->peak].at_ns),
			scale_at(&y, (double)line->point[line->peak].allocated)},
		area);
	plot_text(p, left, area->y + 6, FACE_BOLD, plot_small, "ink", ANCHOR_START,
		line->device < 0 ? say(p->texts, p->a, "memory.host", NULL)
				 : say(p->texts, p->a, "memory.device", "n",
					   arena_printf(p->a, "%d", (int)line->device), NULL));
}

/* A microsecond is a record. */
static const char *record_tick(struct arena *a, double ns)
{
	return format_count(a, (int64_t)(ns / 1000));
}

void memory_draw(struct canvas *c, struct box box, const void *memory_lines)
{
	const struct memory_lines *m = memory_lines;
	struct arena scratch = {0};
	struct plot p = {c, m->texts, m->fonts, &scratch};
	struct box area = {box.x + GUTTER, box.y, box.w - GUTTER - RIGHT, PANEL};
	struct scale x = {.low = (double)m->start_ns,
		.high = (double)m->end_ns,
		.at = area.x,
		.length = area.w};
	double zero = (double)m->zero_ns, foot = box.y + box.h - FOOT, top = box.y + HEAD;
	struct scale shown = x;
	shown.low -= zero;
	shown.high -= zero;
	plot_x_axis(&p, &shown, box.y + HEAD, foot, 8, m->records ? record_tick : format_time);
	for (int i = 0; i < m->n; i++) {
		area.y = top;
		area.h = m->line[i].height;
		draw_line(&p, &m->line[i], &x, &area, box.x);
		top += area.h + HEAD;
	}
	arena_release(&scratch);
}

const struct figure_kind memory_figure = {
	.draw = memory_draw, .height = offsetof(struct memory_lines, height)};
