/* SPDX-License-Identifier: Apache-2.0 */
/* The first page of a run: its result as the title, as a picture, and in a few sentences. */
#include "report/course/first_page.h"

#include "base/number_format.h"
#include "report/course/case_work.h"
#include "report/course/chapters.h"
#include "report/course/crossover.h"
#include "report/course/parts.h"
#include "report/figure/figures.h"
#include "report/section/parts.h"
#include "report/section/ratio_words.h"

#include <math.h>
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

/* The fewest steps that any point of the curve is the median of. */
static int64_t least_steps(const struct crossover *x)
{
	uint32_t n = x->point[0].n;
	for (int i = 1; i < x->n; i++)
		n = x->point[i].n < n ? x->point[i].n : n;
	return n;
}

static int64_t most_steps(const struct crossover *x)
{
	uint32_t n = 0;
	for (int i = 0; i < x->n; i++)
		n = x->point[i].n > n ? x->point[i].n : n;
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

static const char *finding_of(struct document *d, const struct crossover *x, const char *where)
{
	struct arena *a = d->arena;
	return said(d, arena_printf(a, "crossover.finding.%s", kind_of(x)), "size",
		format_count(a, llround(crossover_about(x))), "first",
		side_in_words(d, &x->point[0]), "last", side_in_words(d, &x->point[x->n - 1]),
		"where", where, NULL);
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
	document_add(d, BLOCK_TEXT, finding_of(d, x, ""))->level = 1;
	if (y) {
		document_add(d, BLOCK_TEXT,
			finding_of(d, y,
				said(d, "crossover.where", "device", recorded_device(other), NULL)))
			->level = 1;
		put_beside(d, run, x, other, y);
	}
	crossover_plan(x, document_width);
	figure_add(d, &crossover_figure, id,
		said(d, "crossover.alt", "n", format_count(a, x->n), NULL), x);
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

/* Two cases of one comparison, of its first ones, that differ as a sentence wants them to. */
struct couple {
	const struct report_case *one, *other;
	const char *place;
};

typedef bool differ_as(const struct case_work *one, const struct case_work *other);

static bool one_is_compiled(const struct case_work *one, const struct case_work *other)
{
	return !strcmp(one->mode, "eager") && !strcmp(other->mode, "compile");
}

static bool one_is_wider(const struct case_work *one, const struct case_work *other)
{
	return one->dtype == DTYPE_BF16 && other->dtype == DTYPE_F32;
}

static bool find_couple(const struct input *in, const struct run *run,
	const struct run_comparison *of, differ_as *differ, struct couple *couple)
{
	enum { MOST_CASES = 64 };
	const struct report_case *with_steps[MOST_CASES];
	int n = 0;
	for (int i = 0; i < of->n; i++) {
		const struct report_case *c = input_find(in, run, of->cases[i]);
		if (c && c->analysis->n_steps && n < MOST_CASES)
			with_steps[n++] = c;
	}
	for (int i = 0; i < n * n; i++) {
		couple->one = with_steps[i / n];
		couple->other = with_steps[i % n];
		const struct case_work *one = told_work(couple->one),
				       *other = told_work(couple->other);
		if (differ(one, other) && !strcmp(one->workload, other->workload))
			return true;
	}
	return false;
}

static void say_couple(struct document *d, const struct couple *c, const char *key)
{
	struct arena *a = d->arena;
	struct case_numbers x = numbers_of(c->one->analysis), y = numbers_of(c->other->analysis);
	add_sentence(d,
		said(d, key, "one", c->one->title, "other", c->other->title, "kernels",
			kernels_and_copies(a, &x), "kernels_after", kernels_and_copies(a, &y),
			"device", format_time(a, x.device_ns), "device_after",
			format_time(a, y.device_ns), "ratio",
			sure_words(d->texts, a, c->other, c->one, true), "cpu",
			format_time(a, x.cpu_ns), "cpu_after", format_time(a, y.cpu_ns), "place",
			c->place, NULL));
}

/* The first `most` comparisons of the run in which such a couple stands. */
static void say_couples(
	struct document *d, const struct input *in, const char *key, differ_as *differ, int most)
{
	const struct run *run = run_of(in);
	const struct report_case *said_of = NULL;
	for (int i = 0; i < run->comparisons.n; i++) {
		const struct run_comparison *of = &run->comparisons.of[i];
		struct couple c = {0};
		if (!of->id || !most || !find_couple(in, run, of, differ, &c))
			continue;
		if (c.other == said_of)
			continue;
		said_of = c.other;
		c.place = picture_of_both(d, in, c.one->id, c.other->id);
		if (!c.place) /* a book without it has both in its last table */
			c.place = chapter_of_comparison(d, in, of)
				? "surprises"
				: arena_printf(
					  d->arena, "compare-%s", place_of(d->arena, of->id, 0));
		say_couple(d, &c, key);
		most--;
	}
}

void add_front_sentences(struct document *d, const struct input *in)
{
	const struct run *run = run_of(in);
	if (!run || d->label)
		return;
	say_cold(d, in, run);
	say_couples(d, in, "front.compile", one_is_compiled, 2);
	say_couples(d, in, "front.precision", one_is_wider, 1);
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
