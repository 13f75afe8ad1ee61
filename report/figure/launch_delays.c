/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/launch_delays.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/name/shorten.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 5 }; /* dots above each other */

/* ---- finding ---- */

static struct delay_row delay_row_of(struct arena *a, const struct report_case *c)
{
	const struct analysis *an = c->analysis;
	const struct trace *t = &c->trace;
	struct delay_row s = {.title = case_label(a, c),
		.delay_ns = arena_array(a, an->n_device + 1, sizeof *s.delay_ns),
		.free_ns = arena_array(a, an->n_device + 1, sizeof *s.free_ns)};
	int64_t busy_to = INT64_MIN;
	for (size_t i = 0; i < an->n_device; i++) {
		uint32_t row = an->device_rows[i], call = analysis_launch_of(t, row);
		int64_t end = t->start_ns[row] + t->dur_ns[row];
		if (call != NO_ROW) {
			int64_t returned = t->start_ns[call] + t->dur_ns[call];
			int64_t delay = t->start_ns[row] - returned;
			bool queued = busy_to > returned;
			s.delay_ns[s.n++] = delay;
			s.early += delay <= 0;
			if (!queued)
				s.free_ns[s.n - s.queued - 1] = delay;
			s.queued += queued;
		}
		busy_to = max64(end, busy_to);
	}
	s.median_ns = stats_of(s.delay_ns, s.n).median; /* sorts them */
	return s;
}

static void widen(struct delay_plot *all, const struct delay_row *s)
{
	if (s->early < s->n) {
		double low = (double)s->delay_ns[s->early], high = (double)s->delay_ns[s->n - 1];
		all->low_ns = all->low_ns > 0 ? fmin(all->low_ns, low) : low;
		all->high_ns = fmax(all->high_ns, high);
	}
	all->events += s->n;
	all->early += s->early;
	all->queued += s->queued;
}

static double free_median(const struct delay_plot *all)
{
	size_t n = 0;
	int64_t *ns = xcalloc(all->events - all->queued + 1, sizeof *ns);
	for (int i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->row[i].n - all->row[i].queued; k++)
			ns[n++] = all->row[i].free_ns[k];
	double median = n ? stats_of(ns, n).median : (double)NAN;
	free(ns);
	return median;
}

bool delay_plot_find(struct delay_plot *s, struct arena *a, const struct run *run)
{
	s->row = arena_array(a, MOST_DELAY_ROWS, sizeof *s->row);
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		struct delay_row one = {0};
		if (c->readable && c->analysis->n_device)
			one = delay_row_of(a, c);
		if (!one.n)
			continue;
		if (s->n == MOST_DELAY_ROWS) {
			s->left_out++;
			continue;
		}
		s->row[s->n++] = one;
		widen(s, &one);
	}
	s->free_ns = free_median(s);
	return s->n > 0;
}

/* ---- titles ---- */

/* About so many letters of a title are seen; with the size of a launch behind it, fewer. */
enum { TITLE_LETTERS = 28, TITLE_SIZED = 22 };

static const char *name_of(const struct report_case *c, uint32_t which)
{
	return trace_name(&c->trace, c->analysis->activities[which].name);
}

/* The short name; where another of the `n` has the same one, the whole name. */
static const char *base_title(
	struct arena *a, const struct report_case *c, uint32_t which, uint32_t n)
{
	const char *title = shorten_name(a, name_of(c, which));
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(name_of(c, i), name_of(c, which)) &&
			!strcmp(shorten_name(a, name_of(c, i)), title))
			return tidy_name(a, name_of(c, which));
	return title;
}

static bool has_namesake(const struct report_case *c, uint32_t which, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (i != which && !strcmp(name_of(c, i), name_of(c, which)))
			return true;
	return false;
}

/* Rows that would have the same title get the size of their launch behind it. */
static const char *title_of(struct arena *a, const struct report_case *c, const char *const *base,
	uint32_t which, uint32_t n)
{
	const struct activity *act = &c->analysis->activities[which];
	const char *title = tell_apart(a, base, n, which, TITLE_LETTERS);
	if (!has_namesake(c, which, n) || act->grid[0] <= 0 || act->block[0] <= 0)
		return title;
	size_t shown = begin_of(title, TITLE_SIZED);
	return arena_printf(a, "%.*s%s %s, %s", (int)shown, title, title[shown] ? "…" : "",
		format_triple(a, act->grid), format_triple(a, act->block));
}

bool delay_plot_of_kernels(
	struct delay_plot *s, struct arena *a, const struct report_case *c, uint32_t most)
{
	const struct analysis *an = c->analysis;
	const struct trace *t = &c->trace;
	uint32_t n = min32(an->n_activities, most);
	const char **base = arena_array(a, n + 1, sizeof *base);
	for (uint32_t i = 0; i < n; i++)
		base[i] = base_title(a, c, i, n);
	s->row = arena_array(a, n + 1, sizeof *s->row);
	for (uint32_t i = 0; i < n; i++) {
		const struct activity *act = &an->activities[i];
		struct delay_row *one = &s->row[s->n++];
		*one = (struct delay_row){.title = title_of(a, c, base, i, n),
			.delay_ns = arena_array(a, act->calls, sizeof *one->delay_ns),
			.n = act->calls};
		for (size_t k = 0; k < act->calls; k++) {
			one->delay_ns[k] = t->dur_ns[act->row[k]];
			one->early += one->delay_ns[k] <= 0;
		}
		one->median_ns = stats_of(one->delay_ns, one->n).median; /* sorts them */
		widen(s, one);
	}
	return s->n > 0;
}

/* ---- the figure ---- */

static const double ROW = 11, HEAD = 11, FOOT = 13, TITLE_W = 136, MEDIAN_W = 44, EARLY_W = 26,
		    RADIUS = 1.5, BIN = 2.4, TITLE = 7;

/* As wide as the titles, up to a third of the figure. */
static double width_of_titles(const struct delay_plot *s)
{
	double w = TITLE_W, most = s->width / 3;
	for (int i = 0; i < s->n; i++) {
		double one = text_width(s->fonts, FACE_SANS, TITLE, s->row[i].title) + 8;
		w = fmax(one, w);
	}
	return fmin(w, most);
}

void delay_plot_plan(struct delay_plot *s, double width)
{
	s->width = width;
	s->title_w = width_of_titles(s);
	s->height = HEAD + s->n * ROW + FOOT;
}

static const char *time_tick(struct arena *a, double ns)
{
	if (ns < 1e3)
		return arena_printf(a, "%g ns", ns);
	if (ns < 1e6)
		return arena_printf(a, "%g µs", ns / 1e3);
	return ns < 1e9 ? arena_printf(a, "%g ms", ns / 1e6) : arena_printf(a, "%g s", ns / 1e9);
}

/* Dots of one bin stand on the line, then by turns above and below it. */
static double stacked_y(int nth)
{
	static const double PITCH = 1.9;
	return (nth % 2 ? -1 : 1) * PITCH * ((nth + 1) / 2);
}

static void draw_dots(const struct plot *p, const struct delay_row *s, const struct scale *x,
	double early_x, double y)
{
	double last = -INFINITY;
	int nth = 0;
	for (size_t i = 0; i < s->n; i++) {
		double at = s->delay_ns[i] > 0 ? scale_at(x, (double)s->delay_ns[i]) : early_x;
		double bin = floor(at / BIN);
		nth = bin == last ? nth + 1 : 0;
		last = bin;
		if (nth < STACK)
			plot_dot(p, (struct pt){at, y + stacked_y(nth)}, RADIUS, "dot");
	}
}

static void draw_strip(const struct plot *p, const struct delay_plot *all, int i,
	const struct scale *x, struct box box)
{
	const struct delay_row *s = &all->row[i];
	double y = box.y + HEAD + ROW * (i + 0.5), early_x = x->at - EARLY_W / 2;
	plot_text(p, box.x, y + 2.4, FACE_SANS, TITLE, "ink", ANCHOR_START,
		text_elide(p->a, p->fonts, FACE_SANS, TITLE, all->title_w - 6, s->title));
	plot_line(p, (struct pt){x->at, y}, (struct pt){x->at + x->length, y}, 0.3, "rule", 0);
	draw_dots(p, s, x, early_x, y);
	double median = s->median_ns > 0 ? scale_at(x, s->median_ns) : early_x;
	plot_line(p, (struct pt){median, y - 4.4}, (struct pt){median, y + 4.4}, 1.1, "mean", 0);
	plot_text(p, box.x + all->width, y + 2.4, FACE_SANS, plot_small, "ink", ANCHOR_END,
		format_time(p->a, s->median_ns));
}

void delay_plot_draw(struct canvas *c, struct box box, const void *delay_plot)
{
	const struct delay_plot *s = delay_plot;
	struct arena scratch = {0};
	struct plot p = {c, s->texts, s->fonts, &scratch};
	double left = box.x + s->title_w + (s->early ? EARLY_W : 0);
	struct scale x = {
		.logarithmic = true, .at = left, .length = box.x + s->width - MEDIAN_W - left};
	scale_fit(&x, s->low_ns > 0 ? s->low_ns : 100, s->high_ns > 0 ? s->high_ns : 1000, 0.02);
	double top = box.y + HEAD - 2, bottom = box.y + HEAD + s->n * ROW;
	plot_x_axis(&p, &x, top, bottom, 10, time_tick);
	if (s->early) {
		plot_line(&p, (struct pt){x.at, top}, (struct pt){x.at, bottom}, 0.6, "axis", 0);
		plot_text(&p, x.at - EARLY_W / 2, bottom + 10, FACE_SANS, plot_small, "secondary",
			ANCHOR_MIDDLE, say(s->texts, &scratch, "delays.early", NULL));
	}
	plot_text(&p, box.x + s->width, box.y + 6, FACE_SANS, plot_small, "secondary", ANCHOR_END,
		say(s->texts, &scratch, "delays.median", NULL));
	for (int i = 0; i < s->n; i++)
		draw_strip(&p, s, i, &x, box);
	arena_release(&scratch);
}

const struct figure_kind delays_figure = {
	.draw = delay_plot_draw, .height = offsetof(struct delay_plot, height)};
