/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/crossover.h"

#include "base/number_format.h"
#include "base/sort.h"
#include "base/stats.h"
#include "report/analyse/case_numbers.h"
#include "report/course/case_work.h"
#include "report/run/manifest.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- which cases ---- */

static uint32_t steady_steps(const struct report_case *c)
{
	return c->analysis->n_steps - steady_from(c->analysis);
}

static bool is_candidate(const struct report_case *c)
{
	return c->readable && c->work && c->work->warm && work_size(c->work, "size") > 0 &&
		c->analysis->n_device && c->analysis->n_steps > steady_from(c->analysis) &&
		steady_steps(c) >= CROSSOVER_STEPS;
}

static bool are_alike(const struct report_case *a, const struct report_case *b)
{
	return same_kind_of_work(a->work, b->work);
}

static struct crossover_point *point_of_size(struct crossover *x, double size)
{
	for (int i = 0; i < x->n; i++)
		if (x->point[i].size == size)
			return &x->point[i];
	if (x->n == CROSSOVER_MOST)
		return NULL;
	struct crossover_point *p = &x->point[x->n++];
	*p = (struct crossover_point){.size = size};
	return p;
}

static void take_like(struct crossover *x, const struct run *run, const struct report_case *c)
{
	x->n = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *other = &run->cases[i];
		if (!is_candidate(other) || !are_alike(c, other))
			continue;
		struct crossover_point *p = point_of_size(x, work_size(other->work, "size"));
		if (p && steady_steps(other) > p->n) {
			p->n = steady_steps(other);
			p->c = other;
		}
	}
}

static bool take_first(struct crossover *x, const struct run *run)
{
	for (int i = 0; i < run->n_cases; i++) {
		if (!is_candidate(&run->cases[i]))
			continue;
		take_like(x, run, &run->cases[i]);
		if (x->n >= CROSSOVER_SIZES)
			return true;
	}
	return false;
}

bool crossover_has(const struct run *run, const struct report_case *c)
{
	struct crossover x = {0};
	if (!is_candidate(c) || !take_first(&x, run))
		return false;
	for (int i = 0; i < x.n; i++)
		if (x.point[i].c == c)
			return true;
	return false;
}

/* ---- their times ---- */

static struct crossover_time time_of(int64_t *ns, size_t n)
{
	struct stats s = stats_of(ns, n); /* sorts them */
	return (struct crossover_time){quantile(ns, n, 0.2), s.median, quantile(ns, n, 0.8)};
}

static void measure(struct crossover_point *p, struct arena *a)
{
	const struct analysis *an = p->c->analysis;
	int64_t *cpu = arena_array(a, p->n, sizeof *cpu);
	int64_t *device = arena_array(a, p->n, sizeof *device);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct step *s = &an->steps[steady_from(an) + i];
		cpu[i] = s->dur_ns;
		device[i] = s->busy_ns;
	}
	p->cpu = time_of(cpu, p->n);
	p->device = time_of(device, p->n);
}

ORDER(by_size, struct crossover_point, UP(size));

/* How much longer the CPU takes, as the height between the lines. */
static double lead(const struct crossover_point *p)
{
	return log(p->cpu.median) - log(p->device.median);
}

/* Where the CPU stops to be the slower one; the last place, should noise make several. */
static double find_crossing(const struct crossover *x)
{
	for (int i = x->n - 1; i > 0; i--) {
		double before = lead(&x->point[i - 1]), after = lead(&x->point[i]);
		if (before <= 0 || after > 0)
			continue;
		double share = before / (before - after);
		return exp(log(x->point[i - 1].size) * (1 - share) + log(x->point[i].size) * share);
	}
	return 0;
}

double crossover_about(const struct crossover *x)
{
	if (!(x->crossing > 0))
		return 0;
	double unit = pow(10, floor(log10(x->crossing)) - 1);
	return round(x->crossing / unit) * unit;
}

int crossover_device_from(const struct crossover *x)
{
	int i = x->n;
	while (i > 0 && -lead(&x->point[i - 1]) >= log(CROSSOVER_MINUTE))
		i--;
	return i;
}

bool crossover_find(struct crossover *x, struct arena *a, const struct run *run)
{
	if (!take_first(x, run))
		return false;
	for (int i = 0; i < x->n; i++) {
		measure(&x->point[i], a);
		if (!(x->point[i].cpu.low > 0) || !(x->point[i].device.low > 0))
			return false;
	}
	qsort(x->point, (size_t)x->n, sizeof *x->point, by_size);
	x->crossing = find_crossing(x);
	const struct crossover_point *p = &x->point[0];
	bool overlap = p->cpu.high >= p->device.low && p->device.high >= p->cpu.low;
	x->level = overlap || fabs(lead(p)) < log(CROSSOVER_MINUTE);
	return true;
}

/* ---- the picture ---- */

static const double HEAD = 6, PLOT_H = 150, FOOT = 26, GUTTER = 46, RIGHT = 64, RADIUS = 2,
		    BELOW_NAME = 14, TITLE_H = 12, BETWEEN = 14;

void crossover_plan(struct crossover *x, double width)
{
	x->width = width;
	x->height = HEAD + PLOT_H + FOOT + (x->title ? TITLE_H : 0);
}

struct field {
	const struct plot *p;
	const struct crossover *x;
	struct scale sizes, times;
	double bottom;
	bool narrow; /* lines are named above an end of theirs, not behind it */
};

static struct pt place(const struct field *f, double size, double ns)
{
	return (struct pt){scale_at(&f->sizes, size), scale_at(&f->times, ns)};
}

static const struct crossover_time *side(const struct crossover_point *p, bool device)
{
	return device ? &p->device : &p->cpu;
}

/* The highest point of a line that its name stands over, from its start on. */
static double top_below_name(const struct field *f, bool device, const char *name)
{
	const struct crossover_point *p = f->x->point;
	double from = scale_at(&f->sizes, p->size), top = f->bottom;
	double right = from + plot_width(f->p, FACE_BOLD, plot_small, name) + RADIUS;
	for (int i = 0; i < f->x->n && scale_at(&f->sizes, p[i].size) < right; i++)
		top = fmin(top, scale_at(&f->times, side(&p[i], device)->high));
	return top;
}

static void draw_series(const struct field *f, bool device, const char *colour, const char *name)
{
	const struct crossover *x = f->x;
	double dash = device ? 0 : 4;
	struct pt at[CROSSOVER_MOST] = {{0, 0}};
	if (!x->n)
		return;
	for (int i = 0; i < x->n; i++)
		at[i] = place(f, x->point[i].size, side(&x->point[i], device)->median);
	plot_series(f->p, at, (size_t)x->n, (struct plot_line_style){1.2, colour, dash, dash});
	for (int i = 0; i < x->n; i++) {
		const struct crossover_time *t = side(&x->point[i], device);
		plot_line(f->p, place(f, x->point[i].size, t->low),
			place(f, x->point[i].size, t->high), 2.4, colour, 0);
		if (device)
			plot_dot(f->p, at[i], RADIUS, colour);
		else
			plot_ring(f->p, at[i], RADIUS, 1, colour);
	}
	struct pt end = at[x->n - 1], start = at[0];
	if (f->narrow && device)
		plot_text(f->p, end.x + 3, end.y - 6, FACE_BOLD, plot_small, colour, ANCHOR_END,
			name);
	else if (f->narrow)
		plot_text(f->p, start.x, top_below_name(f, device, name) - 9, FACE_BOLD, plot_small,
			colour, ANCHOR_START, name);
	else
		plot_text(f->p, end.x + 6, end.y + 2.4, FACE_BOLD, plot_small, colour, ANCHOR_START,
			name);
}

static void draw_sizes(const struct field *f)
{
	const struct plot *p = f->p;
	double size[CROSSOVER_MOST];
	for (int i = 0; i < f->x->n; i++)
		size[i] = f->x->point[i].size;
	plot_x_values(p, &f->sizes, size, f->x->n, f->bottom);
	plot_text(p, f->sizes.at + f->sizes.length, f->bottom + 19, FACE_SANS, plot_small,
		"secondary", ANCHOR_END, say(p->texts, p->a, "crossover.x", NULL));
}

static void draw_crossing(const struct field *f)
{
	if (!(f->x->crossing > 0) || f->x->level) /* bars that overlap cross at no one size */
		return;
	double at = scale_at(&f->sizes, f->x->crossing);
	double top = f->bottom - PLOT_H + (f->narrow ? BELOW_NAME : 0);
	plot_line(f->p, (struct pt){at, top}, (struct pt){at, f->bottom}, 0.8, "zoom", 2);
	const char *text = say(f->p->texts, f->p->a, "crossover.at", "size",
		format_count(f->p->a, llround(crossover_about(f->x))), NULL);
	/* The names of the curves stand at the right. */
	bool left = at - 4 - plot_width(f->p, FACE_BOLD, plot_small, text) > f->sizes.at;
	plot_text(f->p, left ? at - 4 : at + 4, f->bottom - PLOT_H + (f->narrow ? 22 : 8),
		FACE_BOLD, plot_small, "zoom", left ? ANCHOR_END : ANCHOR_START, text);
}

static void fit_times(struct scale *s, const struct crossover *x)
{
	double low = INFINITY, high = 0;
	for (int i = 0; i < x->n; i++) {
		low = fmin(low, fmin(x->point[i].cpu.low, x->point[i].device.low));
		high = fmax(high, fmax(x->point[i].cpu.high, x->point[i].device.high));
	}
	scale_fit(s, low, high, 0.06);
}

static void draw_one(struct canvas *c, struct box box, const struct crossover *x, bool narrow)
{
	struct arena scratch = {0};
	struct plot p = {c, x->texts, x->fonts, &scratch};
	double head = x->title ? TITLE_H : 0;
	struct field f = {
		.p = &p, .x = x, .bottom = box.y + head + HEAD + PLOT_H, .narrow = narrow};
	if (x->title)
		plot_text(&p, box.x, box.y + 7, FACE_BOLD, 8, "ink", ANCHOR_START, x->title);
	f.sizes = (struct scale){.logarithmic = true,
		.at = box.x + GUTTER,
		.length = box.w - GUTTER - (narrow ? HEAD : RIGHT)};
	scale_fit(&f.sizes, x->point[0].size, x->point[x->n - 1].size, 0.03);
	f.times = (struct scale){.logarithmic = true, .at = f.bottom, .length = -PLOT_H};
	fit_times(&f.times, x);
	plot_y_axis(&p, &f.times, f.sizes.at, f.sizes.at + f.sizes.length, 8, format_time);
	draw_sizes(&f);
	draw_crossing(&f);
	draw_series(&f, false, "mean", say(x->texts, &scratch, "crossover.cpu", NULL));
	draw_series(&f, true, "point", say(x->texts, &scratch, "crossover.device", NULL));
	arena_release(&scratch);
}

void crossover_draw(struct canvas *c, struct box box, const void *crossover)
{
	const struct crossover *x = crossover;
	if (!x->beside) {
		draw_one(c, box, x, false);
		return;
	}
	box.w = (box.w - BETWEEN) / 2;
	draw_one(c, box, x, true);
	box.x += box.w + BETWEEN;
	draw_one(c, box, x->beside, true);
}

const struct figure_kind crossover_figure = {
	.draw = crossover_draw, .height = offsetof(struct crossover, height)};
