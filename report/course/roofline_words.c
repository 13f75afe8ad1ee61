/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline with its sentence and small print: who comes near it, and which kernels set it. */
#include "report/course/parts.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/text_builder.h"
#include "report/course/chapters.h"
#include "report/course/roofline.h"
#include "report/figure/figures.h"
#include "report/name/shorten.h"
#include "report/run/manifest.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* What fits into a sentence: names of C++ templates are long. */
static const char *kernel_in_words(struct arena *a, const char *name)
{
	enum { LONG = 70 };
	const char *tidy = tidy_name(a, name);
	return strlen(tidy) < LONG ? tidy : shorten_name(a, name);
}

/* "167 GFLOP/s by `name` in Large product: 137 GFLOP in 823 ms". */
static const char *source_of(struct document *d, const struct roof *r, const char *unit)
{
	struct arena *a = d->arena;
	return said(d, "roofline.source", "rate",
		format_si(a, r->rate, arena_printf(a, "%s/s", unit)), "kernel",
		kernel_in_words(a, r->kernel), "title", r->c->title, "amount",
		format_si(a, r->amount, unit), "time", format_time(a, (double)r->ns), NULL);
}

static const char *sources_of(struct document *d, const struct roofline *r)
{
	struct text_builder list = {.arena = d->arena};
	for (int i = 0; i < r->n_compute; i++)
		text_add(&list, "%s ",
			said(d, "roofline.source.compute", "dtype", dtype_name(r->compute[i].dtype),
				"source", source_of(d, &r->compute[i], "FLOP"), NULL));
	text_add(&list, "%s",
		said(d, "roofline.source.memory", "source", source_of(d, &r->memory, "B"), NULL));
	if (r->large.rate > 0)
		text_add(&list, " %s",
			said(d, "roofline.source.large", "source", source_of(d, &r->large, "B"),
				"amount", format_si(d->arena, r->memory.amount, "B"), "from",
				format_si(d->arena, r->large_bytes, "B"), NULL));
	return text_built(&list);
}

/* What has no share (NAN) is never the better one. */
static bool is_better(double share, double than)
{
	return share > than || (isnan(than) && !isnan(share));
}

static bool sets_roof(const struct roofline *r, const struct report_case *c)
{
	bool sets = r->memory.c == c || r->large.c == c;
	for (int i = 0; i < r->n_compute; i++)
		sets = sets || r->compute[i].c == c;
	return sets;
}

static const double HALF_COUNTED = 0.75; /* of a step's operations: its kernel computes fewer */

/* Of those that are not measured against themselves, if there are any. */
static int closest_of(const struct roofline *r)
{
	int best = -1;
	for (int i = 0; i < r->n; i++)
		if (!sets_roof(r, r->point[i].c) && !isnan(r->point[i].share) &&
			(best < 0 || r->point[i].share > r->point[best].share))
			best = i;
	for (int i = 0; i < r->n && best < 0; i++)
		best = isnan(r->point[i].share) ? best : i;
	return max_int(0, best);
}

/* How many come near their roof, which comes nearest, which stays farthest. */
static const char *finding_of(struct document *d, const struct roofline *r)
{
	static const double NEAR = 0.5;
	struct arena *a = d->arena;
	int near = 0, best = closest_of(r), worst = 0;
	for (int i = 0; i < r->n; i++) {
		near += r->point[i].share >= NEAR;
		worst = is_better(-r->point[i].share, -r->point[worst].share) ? i : worst;
	}
	return said(d, "roofline.finding", "near", format_count(a, near), "n",
		format_count(a, r->n), "best", r->point[best].c->title, "best_share",
		format_share(a, r->point[best].share), "worst", r->point[worst].c->title,
		"worst_share", format_share(a, r->point[worst].share), NULL);
}

/* A book and a sheet draw the cases that chapters are about: with the points of a sweep between
 * them none can be told. An exercise leaves out those that it asks for, a glob of their names. */
static bool is_drawn(
	struct document *d, const struct input *in, const char *id, const char *without)
{
	return chapter_about(d, in, id) && fnmatch(without, id, 0) != 0;
}

static void keep_named(
	struct document *d, const struct input *in, struct roofline *r, const char *without)
{
	int n = 0;
	for (int i = 0; i < r->n && (d->exercise || document_lists(d, "chapters")); i++)
		n += is_drawn(d, in, r->point[i].c->id, without);
	if (n < LEAST_POINTS)
		return;
	n = 0;
	for (int i = 0; i < r->n; i++)
		if (is_drawn(d, in, r->point[i].c->id, without))
			r->point[n++] = r->point[i];
	r->n = n;
}

/* A case that is rated by more than its kernel computes: by what the mask hides, too. */
static const char *masked_in_words(
	struct document *d, const struct run *run, const struct roofline *r)
{
	for (int i = 0; i < r->n && run->is_gpu; i++) {
		const struct case_work *w = r->point[i].c->work;
		for (int k = 0; w && !strcmp(w->mode, "fused") && k < w->n_kernels; k++)
			if (w->kernel[k].class == CLASS_ATTENTION &&
				w->kernel[k].flop < HALF_COUNTED * w->flop)
				return said(
					d, "roofline.masked", "title", r->point[i].c->title, NULL);
	}
	return "";
}

/* What the picture cannot show: who set the lines, and what counts. */
static void add_small_print(struct document *d, const struct run *run, const struct roofline *r)
{
	struct arena *a = d->arena;
	int left_out = run->n_cases - r->n;
	const char *more =
		left_out ? said(d, "roofline.more", "n", format_count(a, left_out), NULL) : "";
	if (r->least_bytes > 0)
		more = arena_printf(a, "%s%s",
			said(d, r->cache_bytes > 0 ? "roofline.cache" : "roofline.small", "size",
				format_si(a, r->least_bytes, "B"), NULL),
			more);
	for (int i = 0, told = 0; i < r->n && !told; i++)
		if (case_scaled_untold(r->point[i].c) && ++told)
			more = arena_printf(a, "%s%s", said(d, "roofline.scaled", NULL), more);
	for (int i = 0, told = 0; i < r->n && !told; i++)
		if (isnan(r->point[i].share) && ++told)
			more = arena_printf(a, "%s%s", more, said(d, "roofline.in_caches", NULL));
	more = arena_printf(a, "%s%s", masked_in_words(d, run, r), more);
	document_say(d, BLOCK_CAPTION, "roofline.caption", "sources", sources_of(d, r), "more",
		more, NULL);
}

double add_roofline(struct document *d, const struct input *in, const struct run *run,
	const char *id, const char *without)
{
	struct arena *a = d->arena;
	struct roofline *r = arena_alloc(a, sizeof *r);
	*r = (struct roofline){.texts = d->texts, .fonts = d->fonts};
	struct block *head =
		d->exercise ? NULL : document_heading(d, 2, NULL, said(d, "roofline.title", NULL));
	if (!roofline_find(r, a, run)) {
		document_say(d, BLOCK_TEXT, "roofline.none", "n", format_count(a, r->n), "least",
			format_count(a, LEAST_POINTS), NULL);
		return r->memory.rate;
	}
	if (head && !document_has_place(d, id))
		document_place(d, head, id);
	keep_named(d, in, r, without);
	const char *finding = finding_of(d, r);
	if (!d->exercise)
		document_add(d, BLOCK_TEXT, finding)->level = 1;
	r->bare = d->exercise;
	roofline_plan(r, a, document_width);
	struct figure *f = figure_add(d, &roofline_figure, id,
		said(d, "roofline.alt", "n", format_count(a, r->n), NULL), r);
	document_shows(d, f, finding);
	if (!d->exercise)
		add_small_print(d, run, r);
	return roofline_memory(r);
}
