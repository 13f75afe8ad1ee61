/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/step_time.h"

#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/number_format.h"
#include "report/analyse/account.h"
#include "report/analyse/case_numbers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const double TINY = 12; /* times longer: the short one cannot be read on the common scale */

/* Adds to the sums and to the stretches; too many of them are told by n below 0. */
static void add_stretch(struct step_split *split, struct stretches *to, int bar, int64_t ns)
{
	struct step_stretch *last = to->n > 0 ? &to->at[to->n - 1] : NULL;
	if (ns <= 0)
		return;
	if (bar == BARS)
		split->idle_ns += ns;
	else
		split->ns[bar] += ns;
	if (last && last->bar == bar)
		last->ns += ns;
	else if (to->n >= 0 && to->n < STEP_STRETCHES)
		to->at[to->n++] = (struct step_stretch){ns, bar};
	else
		to->n = -1;
}

/* ---- the host's part ---- */

/* Length of the union of a step's set-up spans within [from, to). They are sorted by start. */
static int64_t setup_between(const struct trace *t, const struct step *s, int64_t from, int64_t to)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < s->n_setup && from < to; i++) {
		int64_t start = t->start_ns[s->setup[i]], end = start + t->dur_ns[s->setup[i]];
		start = max64(start, from);
		end = min64(end, to);
		if (end > start) {
			sum += end - start;
			from = end;
		}
	}
	return sum;
}

struct split_of_host {
	const struct analysis *a;
	const struct step *s;
	struct step_split *split;
};

static void take_host_time(void *to, uint32_t row, struct time_span at)
{
	const struct split_of_host *x = to;
	row = row == NO_ROW ? x->s->row : row; /* of steps that cross */
	int64_t setup = setup_between(x->a->trace, x->s, at.start_ns, at.end_ns);
	add_stretch(x->split, &x->split->host, BAR_SETUP, setup);
	add_stretch(x->split, &x->split->host, bar_of(x->a->class[row]),
		at.end_ns - at.start_ns - setup);
}

static void split_host(const struct analysis *a, const struct step *s, struct step_split *split)
{
	const struct trace *t = a->trace;
	int64_t end = s->start_ns + s->dur_ns;
	const struct thread_window w = {
		t->track[s->row], {s->start_ns, end}, s->row, (size_t)s->row + 1};
	account_thread(t, &w, take_host_time, &(struct split_of_host){a, s, split});
	split->host_ns = s->dur_ns;
	split->host.n = max_int(0, split->host.n);
}

/* ---- the device's part ---- */

static enum bar device_bar(uint8_t class)
{
	enum bar bar = bar_of(class);
	return bar < BAR_GEMM ? BAR_DEVICE_OTHER : bar;
}

int64_t step_turn_ns(const struct analysis *a, const struct step *s)
{
	const struct trace *t = a->trace;
	int64_t end = s->start_ns;
	uint32_t own = 0;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		if (t->start_ns[row] >= s->device_start_ns)
			break;
		while (own < s->n_device && s->device[own] < row)
			own++;
		if (own < s->n_device && s->device[own] == row)
			continue;
		int64_t to = t->start_ns[row] + t->dur_ns[row];
		end = max64(to, end);
	}
	return min64(end, s->device_start_ns);
}

struct split_of_device {
	const struct analysis *a;
	const struct step *s;
	struct step_split *split;
};

static bool is_own(const struct step *s, uint32_t row)
{
	uint32_t at = first_where(i, 0, s->n_device, s->device[i] >= row);
	return at < s->n_device && s->device[at] == row;
}

static void take_device_time(void *to, uint32_t event, struct time_span at)
{
	const struct split_of_device *x = to;
	uint32_t row = event == NO_ROW ? NO_ROW : x->a->device_rows[event];
	int bar = BARS;
	if (row != NO_ROW)
		bar = is_own(x->s, row) ? (int)device_bar(x->a->class[row]) : BAR_DEVICE_OTHER;
	add_stretch(x->split, &x->split->device, bar, at.end_ns - at.start_ns);
}

static void split_device(const struct analysis *a, const struct step *s, struct step_split *split)
{
	if (!s->n_device)
		return;
	struct time_span at = {step_turn_ns(a, s), s->device_end_ns};
	account_device(a, at, take_device_time, &(struct split_of_device){a, s, split});
	split->device_ns = at.end_ns - at.start_ns;
	split->device.n = max_int(0, split->device.n);
}

uint32_t step_to_show(const struct analysis *a)
{
	struct case_numbers numbers = numbers_of(a);
	uint32_t best = numbers.typical;
	const struct step *s = &a->steps[best];
	if (!s->n_device || step_turn_ns(a, s) == s->start_ns)
		return best;
	double median = deciding_ns(a, &numbers), least = (double)INFINITY;
	for (uint32_t i = steady_from(a); i < a->n_steps; i++) {
		s = &a->steps[i];
		double off = fabs((double)deciding_ns_of(a, s) - median);
		if (!s->n_device || step_turn_ns(a, s) != s->start_ns || off >= least)
			continue;
		least = off;
		best = i;
	}
	return best;
}

struct step_split split_step(const struct analysis *a, const struct step *s)
{
	struct step_split split = {0};
	split_host(a, s, &split);
	split_device(a, s, &split);
	return split;
}

/* ---- the figure ---- */

static const double HEAD = 13, BAR_H = 9.5, BAR_GAP = 1.5, ROW_GAP = 5, TITLE_W = 118,
		    TITLE_LINE = 8.6, TOTAL_W = 64, TITLE = 7, PAD = 2, KEY_GAP = 9;

void step_bars_count(struct step_bars *s)
{
	for (int i = 0; i < s->n; i++) {
		const struct step_split *p = &s->row[i].split;
		for (int b = 0; b < BARS; b++)
			s->key->kinds |= p->ns[b] > 0 ? 1u << b : 0;
		s->key->idle = s->key->idle || p->idle_ns > 0;
	}
}

/* The kind BARS stands for idle time, which is no bar. */
static const char *bar_word(struct arena *a, const struct texts *texts, int bar)
{
	const char *name = bar == BARS ? "idle"
		: bar == BAR_COPY      ? "copy_or_fill"
				       : bar_name((enum bar)bar);
	return say(texts, a, arena_printf(a, "step_bars.%s", name), NULL);
}

static bool is_in_key(const struct step_bars_key *key, int bar)
{
	return bar == BARS ? key->idle : key->kinds & 1u << bar;
}

static int key_rows(struct arena *a, const struct step_bars *s)
{
	struct legend_rows rows = {.width = s->width + KEY_GAP, .gap = KEY_GAP};
	for (int b = 0; b <= BARS; b++)
		if (is_in_key(s->key, b))
			legend_take(&rows, s->fonts, bar_word(a, s->texts, b));
	return rows.row + 1;
}

static int64_t pair_ns(const struct step_split *p)
{
	return max64(p->host_ns, p->device_ns);
}

void step_bars_plan(struct step_bars *s, struct arena *a, double width)
{
	int64_t least = INT64_MAX, most = 0;
	for (int i = 0; i < s->n; i++) {
		int64_t ns = pair_ns(&s->row[i].split);
		most = max64(ns, most);
		least = min64(ns, least);
	}
	s->whole_ns = (double)most > TINY * (double)least ? 0 : most;
	s->note = s->whole_ns ? NULL : say(s->texts, a, "step_bars.own", NULL);
	s->width = width;
	s->legend_rows = key_rows(a, s);
	s->height = HEAD + s->n * (2 * BAR_H + BAR_GAP + ROW_GAP) + s->legend_rows * LEGEND_ROW;
}

static const char *word_of(const struct plot *p, enum bar bar)
{
	return bar_word(p->a, p->texts, (int)bar);
}

/* The kind and its time where there is room for both, else the time, else NULL. */
static const char *segment_text(const struct plot *p, double room, enum bar bar, int64_t ns)
{
	const char *time = format_time(p->a, (double)ns);
	const char *both = arena_printf(p->a, "%s %s", word_of(p, bar), time);
	if (plot_width(p, FACE_SANS, plot_small, both) <= room)
		return both;
	return plot_width(p, FACE_SANS, plot_small, time) <= room ? time : NULL;
}

/* The kind BARS stands for idle time, which is no bar. */
static void draw_segment(const struct plot *p, struct box box, enum bar bar, int64_t ns)
{
	const char *text = segment_text(p, box.w - 2 * PAD, bar, ns);
	const char *colour = bar == BARS ? NULL : bar_name(bar);
	plot_bar(p, box, colour);
	if (text)
		plot_bar_text(p, box, colour, ANCHOR_START, plot_small, PAD, text);
	canvas_mark(p->c, MARK_TIP, box,
		arena_printf(p->a, "%s %s", word_of(p, bar), format_time(p->a, (double)ns)), 0);
}

/* The sums of kinds from first to end, the idle time last. */
static int sums_of(struct step_stretch *sum, const struct step_split *split, int first, int end)
{
	int n = 0;
	for (int b = first; b < end; b++)
		sum[n++] = (struct step_stretch){split->ns[b], b};
	if (end == BARS)
		sum[n++] = (struct step_stretch){split->idle_ns, BARS};
	return n;
}

/* `whole` is as wide as the box. */
static void draw_stretches(const struct plot *p, struct box box, const struct step_stretch *stretch,
	int n, int64_t whole)
{
	double x = box.x;
	for (int i = 0; i < n; i++) {
		double w = box.w * (double)stretch[i].ns / (double)whole;
		if (stretch[i].ns <= 0)
			continue;
		draw_segment(p, (struct box){x, box.y, w, box.h}, (enum bar)stretch[i].bar,
			stretch[i].ns);
		x += w;
	}
}

static void draw_total(const struct plot *p, double right, double y, const char *key, int64_t ns)
{
	plot_text(p, right, y + BAR_H / 2 + 2.3, FACE_SANS, plot_small, "secondary", ANCHOR_END,
		say(p->texts, p->a, key, "time", format_time(p->a, (double)ns), NULL));
}

static void draw_row(const struct plot *p, const struct step_bars *s,
	const struct step_bars_row *row, double x, double y)
{
	const struct step_split *split = &row->split;
	double left = x + TITLE_W + TOTAL_W, right = x + s->width;
	struct box box = {left, y, right - left, BAR_H};
	bool fits = plot_width(p, FACE_SANS, TITLE, row->title) <= TITLE_W - 4;
	const char *title = row->note && !fits
		? arena_printf(p->a, "%s · %s", row->title, row->note)
		: row->title;
	plot_two_lines(p, x, y + 7, TITLE_W - 4, FACE_SANS, TITLE, TITLE_LINE, "ink", title);
	if (row->note && fits)
		plot_text(p, x, y + 7 + TITLE_LINE, FACE_SANS, plot_small, "secondary",
			ANCHOR_START, row->note);
	struct step_stretch sum[BARS + 1];
	int64_t whole = s->whole_ns ? s->whole_ns : pair_ns(split);
	draw_total(p, left - 4, y, "step_bars.host", split->host_ns);
	if (split->host.n)
		draw_stretches(p, box, split->host.at, split->host.n, whole);
	else if (split->host_ns > 0)
		draw_stretches(p, box, sum, sums_of(sum, split, BAR_ANNOTATION, BAR_GEMM), whole);
	if (!split->device_ns)
		return;
	box.y += BAR_H + BAR_GAP;
	draw_total(p, left - 4, box.y, "step_bars.device", split->device_ns);
	if (split->device.n)
		draw_stretches(p, box, split->device.at, split->device.n, whole);
	else
		draw_stretches(p, box, sum, sums_of(sum, split, BAR_GEMM, BARS), whole);
}

static void draw_legend(const struct plot *p, const struct step_bars *s, double left, double y)
{
	struct legend_rows rows = {.left = left, .width = s->width + KEY_GAP, .gap = KEY_GAP};
	for (int b = 0; b <= BARS; b++) {
		if (!is_in_key(s->key, b))
			continue;
		plot_legend_entry(p, &rows, y, b == BARS ? NULL : bar_name((enum bar)b),
			word_of(p, (enum bar)b));
	}
}

void step_bars_draw(struct canvas *c, struct box box, const void *step_bars)
{
	const struct step_bars *s = step_bars;
	struct arena scratch = {0};
	struct plot p = {c, s->texts, s->fonts, &scratch};
	plot_text(&p, box.x, box.y + 8, FACE_BOLD, 7.6, "ink", ANCHOR_START, s->title);
	if (s->note)
		plot_text(&p, box.x + s->width, box.y + 8, FACE_SANS, plot_small, "secondary",
			ANCHOR_END, s->note);
	double y = box.y + HEAD;
	for (int i = 0; i < s->n; i++, y += 2 * BAR_H + BAR_GAP + ROW_GAP)
		draw_row(&p, s, &s->row[i], box.x, y);
	arena_release(&scratch);
}

void step_bars_draw_legend(struct canvas *c, struct box box, const void *step_bars)
{
	const struct step_bars *s = step_bars;
	struct arena scratch = {0};
	struct plot p = {c, s->texts, s->fonts, &scratch};
	draw_legend(&p, s, box.x, box.y + HEAD + s->n * (2 * BAR_H + BAR_GAP + ROW_GAP));
	arena_release(&scratch);
}

const struct figure_kind step_time_figure = {.draw = step_bars_draw,
	.height = offsetof(struct step_bars, height),
	.draw_legend = step_bars_draw_legend};
