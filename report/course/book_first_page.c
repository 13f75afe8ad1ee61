/* SPDX-License-Identifier: Apache-2.0 */
/* The first page of a run: its result as the title, as a picture, and in a few sentences. */
#include "report/course/book_first_page.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/sort.h"
#include "report/course/case_work.h"
#include "report/course/chapters.h"
#include "report/course/crossover.h"
#include "report/course/parts.h"
#include "report/figure/figures.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "report/run/place_names.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct run *run_of(const struct input *in)
{
	return in->n_runs && in->runs[0].of_matrix ? &in->runs[0] : NULL;
}

/* ---- who is the limit at which size ---- */

static const char *side_in_words(struct document *d, const struct crossover_point *p)
{
	struct arena *a = d->arena;
	return said(d, "crossover.point", "size", format_count(a, (int64_t)p->size), "cpu",
		format_time(a, p->cpu.median), "device", format_time(a, p->device.median), NULL);
}

static const struct report_case *case_named(const struct run *run, const char *id)
{
	for (int i = 0; id && i < run->n_cases; i++)
		if (!strcmp(run->cases[i].id, id))
			return &run->cases[i];
	return NULL;
}

/* The bars above the sentence show a step of this size, which is another number for it. */
static bool is_drawn(struct document *d, const struct run *run, double size)
{
	const cJSON *pair = config_find(texts_data(d->texts, "chapters"), "pair");
	for (int i = 0; i < cJSON_GetArraySize(pair); i++) {
		const struct report_case *c =
			case_named(run, cJSON_GetStringValue(cJSON_GetArrayItem(pair, i)));
		if (c && c->work && work_size(c->work, "size") == size)
			return true;
	}
	return false;
}

/* From the point `from` on, in steps of `step`, the first that the bars do not show; all are shown:
 * that one. */
static const struct crossover_point *not_drawn(
	struct document *d, const struct crossover *x, const struct run *run, int from, int step)
{
	for (int i = from; i >= 0 && i < x->n; i += step)
		if (!is_drawn(d, run, x->point[i].size))
			return &x->point[i];
	return &x->point[from];
}

/* The first point above the crossing; x->n: there is none. */
static int above_crossing(const struct crossover *x)
{
	int i = 0;
	while (i < x->n && x->point[i].size <= x->crossing)
		i++;
	return i;
}

/* The fewest steps that any point of the curve is the median of. */
static int64_t least_steps(const struct crossover *x)
{
	uint32_t n = x->point[0].n;
	for (int i = 1; i < x->n; i++)
		n = min32(x->point[i].n, n);
	return n;
}

static int64_t most_steps(const struct crossover *x)
{
	uint32_t n = 0;
	for (int i = 0; i < x->n; i++)
		n = max32(x->point[i].n, n);
	return n;
}

/* NULL when the run has no such picture. */
static struct crossover *crossover_of(struct document *d, const struct run *run)
{
	struct crossover *x = arena_alloc(d->arena, sizeof *x);
	*x = (struct crossover){.texts = d->texts, .fonts = d->fonts};
	return run && crossover_find(x, d->arena, run) ? x : NULL;
}

/* Which of the four things a picture can say; keys of the template end with it. */
static const char *kind_of(const struct crossover *x)
{
	bool cpu = x->point[0].cpu.median > x->point[0].device.median;
	return x->level ? "level" : x->crossing > 0 ? "crossing" : cpu ? "cpu" : "device";
}

/* What lies next to the crossing on either side shows it best; the ends show that there is none. */
static const char *finding_of(
	struct document *d, const struct crossover *x, const struct run *run, const char *where)
{
	struct arena *a = d->arena;
	int above = above_crossing(x);
	bool crosses = x->crossing > 0 && !x->level && above > 0 && above < x->n;
	const struct crossover_point *first = not_drawn(
					     d, x, run, crosses ? above - 1 : 0, crosses ? -1 : 1),
				     *last = not_drawn(d, x, run, crosses ? above : x->n - 1,
					     crosses ? 1 : -1);
	int sure = crossover_device_from(x);
	bool open = x->level && sure > 0 && sure < x->n;
	int64_t size = llround(open ? x->point[sure].size : crossover_about(x));
	return said(d,
		open ? "crossover.finding.open"
		     : arena_printf(a, "crossover.finding.%s", kind_of(x)),
		"size", format_count(a, size), "first", side_in_words(d, first), "last",
		side_in_words(d, last), "where", where, NULL);
}

/* Its pictures say whose they are where two stand beside each other. */
static void put_beside(struct document *d, const struct run *run, struct crossover *x,
	const struct run *other, struct crossover *y)
{
	x->title = said(d, "crossover.here", "device", recorded_device(run), NULL);
	y->title = said(d, "crossover.there", "label", recorded_label(d, other), NULL);
	x->beside = y;
}

void add_crossover(
	struct document *d, const struct run *run, const char *id, const struct run *other)
{
	struct arena *a = d->arena;
	struct crossover *x = crossover_of(d, run), *y = other ? crossover_of(d, other) : NULL;
	if (!x)
		return;
	document_heading(d, 2, id, said(d, "crossover.title", NULL));
	const char *finding = finding_of(d, x, run, ""), *there = "";
	document_add(d, BLOCK_TEXT, finding)->level = 1;
	if (y) {
		there = finding_of(d, y, other,
			said(d, "crossover.where", "device", recorded_device(other), NULL));
		document_add(d, BLOCK_TEXT, there)->level = 1;
		put_beside(d, run, x, other, y);
	}
	crossover_plan(x, document_width);
	struct figure *f = figure_add(d, &crossover_figure, id,
		said(d, "crossover.alt", "n", format_count(a, x->n), NULL), x);
	document_shows(d, f, arena_printf(a, "%s%s%s", finding, *there ? " " : "", there));
	document_say(d, BLOCK_CAPTION, "crossover.caption", "least",
		format_count(a, least_steps(x)), "most", format_count(a, most_steps(x)), NULL);
}

/* ---- the title ---- */

static const char *limit_in_words(
	struct document *d, const char *where, const struct crossover *x, const char *device)
{
	struct arena *a = d->arena;
	return said(d, arena_printf(a, "front.%s.%s", where, kind_of(x)), "size",
		format_count(a, llround(x->crossing > 0 ? crossover_about(x) : x->point[0].size)),
		"device", device, NULL);
}

/* The first recorded run with the picture; NULL: none stands beside. */
static const struct run *recorded_with_crossover(struct document *d, const struct input *in)
{
	for (int i = 0; i < d->parts; i++)
		if (crossover_of(d, &in->recorded->input[i].runs[0]))
			return &in->recorded->input[i].runs[0];
	return NULL;
}

const char *front_title(struct document *d, const struct input *in)
{
	const struct crossover *here = crossover_of(d, run_of(in));
	if (!here)
		return NULL;
	const struct run *other = recorded_with_crossover(d, in);
	const char *there = "";
	if (other)
		there = limit_in_words(d, "there", crossover_of(d, other), recorded_device(other));
	return arena_printf(d->arena, "%s%s",
		limit_in_words(d, "here", here, recorded_device(run_of(in))), there);
}

/* ---- the sentences ---- */

static void add_sentence(struct document *d, const char *text)
{
	struct block *b = document_add(d, BLOCK_POINT, text);
	b->note = "•";
	b->small = true;
}

/* Its own pages, or the chapter that is about it. */
static const char *place_in_book(
	const struct document *d, const struct input *in, const struct report_case *c)
{
	const char *chapter = d->has_cases ? NULL : chapter_of_case(d, in, c->id);
	return chapter ? chapter : c->place;
}

/* The first case of the matrix that starts cold, compared with its later steps. */
static void say_cold(struct document *d, const struct input *in, const struct run *run)
{
	struct arena *a = d->arena;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		struct case_numbers n = {0};
		if (c->readable && starts_cold(c))
			n = numbers_of(c->analysis);
		if (!(n.first_ratio > 0))
			continue;
		add_sentence(d,
			said(d, "front.cold", "title", c->title, "first",
				format_time(a, (double)c->analysis->steps[0].dur_ns), "later",
				format_time(a, n.cpu_ns), "ratio", format_ratio(a, n.first_ratio),
				"place", place_in_book(d, in, c), NULL));
		return;
	}
}

/* ---- the results, by effect over noise ---- */

enum { RESULTS = 5, MOST_RESULTS = 256 };

/* Two cases of a comparison that do the same work, and how far the ratio of their times is from 1,
 * noise taken off. */
struct result {
	const struct input *in;
	const struct report_case *one, *other;
	bool device;
	struct sure_ratio ratio;
	double effect; /* of the nearer end of the interval, as a logarithm */
	int order;
};

ORDER(by_effect, struct result, DOWN(effect) ?: UP(order));

struct results {
	struct result of[MOST_RESULTS]; /* (n) */
	int n;
};

static void take_result(struct document *d, struct results *all, const struct input *in,
	const struct report_case *one, const struct report_case *other, bool device)
{
	struct result r = {
		in, one, other, device, case_ratio(d->arena, other, one, device), .order = all->n};
	if (!(r.ratio.ratio > 0) || sure_is_noise(&r.ratio) || all->n == MOST_RESULTS)
		return;
	r.effect = fmin(fabs(log(r.ratio.certainty.low)), fabs(log(r.ratio.certainty.high)));
	all->of[all->n++] = r;
}

/* By the device where that limits the first case, else by the CPU: what is not the limit is no
 * result. */
static void take_comparison(struct document *d, struct results *all, const struct input *in,
	const struct run_comparison *of)
{
	const struct report_case *one = of->n ? input_find(in, &in->runs[0], of->cases[0]) : NULL;
	for (int i = 1; one && one->analysis->n_steps && i < of->n; i++) {
		const struct report_case *other = input_find(in, &in->runs[0], of->cases[i]);
		if (!other || !other->analysis->n_steps || work_ratio(d, one, other)[0] ||
			starts_cold(one) != starts_cold(other))
			continue;
		bool device = one->analysis->regime.regime == REGIME_COMPUTE_BOUND;
		take_result(d, all, in, one, other, device);
	}
}

static const char *result_in_words(
	struct document *d, const struct input *in, const struct result *r)
{
	struct arena *a = d->arena;
	const struct case_numbers x = numbers_of(r->one->analysis),
				  y = numbers_of(r->other->analysis);
	const char *place = picture_of_both(d, in, r->one->id, r->other->id, r->device);
	if (!place && d->has_cases)
		place = arena_printf(
			a, "%s%s", r->in == in ? "" : recorded_prefix(a, 0), r->other->place);
	if (!place && r->in == in && document_lists(d, "surprises"))
		place = ALL_CASES;
	return said(d, r->device ? "front.result.device" : "front.result.cpu", "where",
		r->in == in ? said(d, "front.pair.here", NULL) : recorded_device(&r->in->runs[0]),
		"one", r->one->title, "other", r->other->title, "before",
		format_time(a, r->device ? x.device_ns : x.cpu_ns), "after",
		format_time(a, r->device ? y.device_ns : y.cpu_ns), "ratio",
		sure_text(d->texts, a, &r->ratio), "page",
		place ? said(d, "front.page", "place", place, NULL) : "", NULL);
}

/* Of either machine, each pair once. */
static void say_results(struct document *d, const struct input *in)
{
	struct results *all = arena_alloc(d->arena, sizeof *all);
	*all = (struct results){0};
	for (int i = -1; i < (d->parts ? 1 : 0); i++) {
		const struct input *its = i < 0 ? in : &in->recorded->input[i];
		for (int k = 0; k < its->runs[0].comparisons->n; k++)
			take_comparison(d, all, its, &its->runs[0].comparisons->of[k]);
	}
	qsort(all->of, (size_t)all->n, sizeof *all->of, by_effect);
	for (int i = 0, said_now = 0; i < all->n && said_now < RESULTS; i++) {
		int k = 0;
		while (k < i && strcmp(all->of[k].other->id, all->of[i].other->id) != 0)
			k++;
		if (k < i)
			continue;
		add_sentence(d, result_in_words(d, in, &all->of[i]));
		said_now++;
	}
}

void add_front_sentences(struct document *d, const struct input *in)
{
	const struct run *run = run_of(in);
	if (!run || d->label)
		return;
	say_cold(d, in, run);
	say_results(d, in);
	const char *noise = noise_sentence(d, run);
	if (noise)
		add_sentence(d, noise);
}

void add_front(struct document *d, const struct input *in)
{
	const struct run *run = run_of(in);
	if (!run || d->label)
		return;
	add_pair(d, in);
	add_front_sentences(d, in);
	add_crossover(d, run, place_of(d->arena, "overview-crossover", 0),
		recorded_with_crossover(d, in));
}
