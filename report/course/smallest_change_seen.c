/* SPDX-License-Identifier: Apache-2.0 */
/* How sure the numbers of a run are: case by case the smallest change that could have been seen. */
#include "report/section/parts.h"

#include "base/number_format.h"
#include "base/sort.h"
#include "base/stats.h"
#include "report/course/parts.h"
#include "report/judge/judge.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <stdlib.h>

/* A machine that others used: long cases of the same work are this far apart, or half of all cases
 * that ran more than once. What is short differs by where its threads woke. */
static const double LOADED = 1.25;

static bool counts(const struct report_case *c)
{
	return c->readable && c->analysis->n_steps;
}

/* A change as a share up to its double, then as a ratio. */
static const char *change_text(struct arena *a, double change)
{
	return !(change > 0) ? "–"
		: change < 1 ? format_share(a, change)
			     : format_ratio(a, 1 + change);
}

struct noise {
	double usual; /* the smallest visible change of device time: the median over the cases */
	double most; /* of the worst */
	const struct report_case *worst;
	double apart; /* how far the medians of the same work are apart */
	bool half; /* in half of the cases at least, else in one */
	int n;
};

/* Changes are told in billionths, as whole numbers that have a median. */
static const double BILLION = 1e9;

static double median(int64_t *billionths, int n)
{
	return n ? stats_median(billionths, (size_t)n) / BILLION : 0;
}

static struct noise noise_of(struct arena *a, const struct run *run)
{
	struct noise of = {0};
	int64_t *change = arena_array(a, (size_t)run->n_cases, sizeof *change);
	int64_t *times = arena_array(a, (size_t)run->n_cases, sizeof *times);
	int n_times = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		double least = counts(c) ? least_visible(a, c, true) : 0;
		if (counts(c) && c->apart > 1)
			times[n_times++] = (int64_t)(c->apart * BILLION);
		if (!(least > 0))
			continue;
		change[of.n++] = (int64_t)(least * BILLION);
		if (least > of.most) {
			of.most = least;
			of.worst = c;
		}
	}
	of.usual = median(change, of.n);
	double half = median(times, n_times);
	of.half = half >= run->apart_device;
	of.apart = fmax(run->apart_device, half);
	return of;
}

/* NULL: nothing of the run was repeated, or it has no device time. */
const char *noise_sentence(struct document *d, const struct run *run)
{
	struct arena *a = d->arena;
	const struct noise of = noise_of(a, run);
	if (!of.worst)
		return NULL;
	const char *state = "";
	if (of.apart > LOADED)
		state = said(d, of.half ? "noise.loaded.half" : "noise.loaded", "times",
			format_ratio(a, of.apart), NULL);
	bool linked = document_lists(d, "noise") && !document_has_place(d, "noise");
	return said(d, linked ? "noise.sentence.page" : "noise.sentence", "usual",
		change_text(a, of.usual), "most", change_text(a, of.most), "title", of.worst->title,
		"loaded", state, NULL);
}

/* Steps that are not alike, often by design since one of them compiles, have no spread worth a
 * number. */
static const char *spread_text(struct arena *a, const struct sure_ratio *r)
{
	return !(r->ratio > 0) ? "–" : r->spread > 1 ? "> 100 %" : format_share(a, r->spread);
}

static const struct table_form form = {.size = 8,
	.column = {{"summary.case", .weight = 1}, {"noise.steps", COLUMN_NUMBER},
		{"noise.processes", COLUMN_NUMBER}, {"noise.cpu.spread", COLUMN_NUMBER},
		{"noise.cpu.least", COLUMN_NUMBER}, {"noise.device.spread", COLUMN_NUMBER},
		{"noise.device.least", COLUMN_NUMBER}, {"noise.apart", COLUMN_NUMBER}}};

static void put_case(struct rows *t, const struct report_case *c)
{
	struct arena *a = t->d->arena;
	const struct sure_ratio cpu = case_ratio(a, c, c, false),
				device = case_ratio(a, c, c, true);
	put(t, literal(t->d, c->title));
	put_count(t, (int64_t)cpu.certainty.n_mine);
	put_count(t, cpu.certainty.processes);
	put(t, spread_text(a, &cpu));
	put(t, change_text(a, least_visible(a, c, false)));
	put(t, spread_text(a, &device));
	put(t, change_text(a, least_visible(a, c, true)));
	put(t, c->apart > 1 ? format_ratio(a, c->apart) : "–");
}

/* A book has room for the cases in which least can be seen; the atlas has all. */
enum { IN_A_BOOK = 8 };

struct blurred {
	const struct report_case *c;
	double least;
	int nth;
};

ORDER(by_least, struct blurred, DOWN(least) ?: UP(nth));

static void add_run(struct document *d, const struct run *run)
{
	const char *sentence = noise_sentence(d, run);
	if (!sentence)
		return;
	document_add(d, BLOCK_TEXT, sentence);
	struct blurred *of = arena_array(d->arena, (size_t)run->n_cases, sizeof *of);
	int n = 0;
	for (int i = 0; i < run->n_cases; i++)
		if (counts(&run->cases[i]))
			of[n++] = (struct blurred){
				&run->cases[i], least_visible(d->arena, &run->cases[i], true), i};
	int shown = n;
	if (document_lists(d, "chapters") && n > IN_A_BOOK) {
		qsort(of, (size_t)n, sizeof *of, by_least);
		shown = IN_A_BOOK;
		document_say(d, BLOCK_CAPTION, "noise.shown", "n", format_count(d->arena, shown),
			"all", format_count(d->arena, n), NULL);
	}
	struct rows t = rows_begin(d, &form, 0);
	for (int i = 0; i < shown; i++)
		put_case(&t, of[i].c);
}

void section_noise(struct document *d, const struct input *in)
{
	const struct run *run = in->n_runs && in->runs[0].of_matrix ? &in->runs[0] : NULL;
	if (!run || !noise_of(d->arena, run).n)
		return;
	document_heading(d, 1, "noise", said(d, "noise.title", NULL))->flows = true;
	document_say(d, BLOCK_TEXT, "noise.about", NULL);
	add_run(d, run);
	for (int i = 0; i < d->parts && i < 1 && !d->part[i].first; i++) {
		const struct run *other = &in->recorded->input[i].runs[0];
		const struct noise of = noise_of(d->arena, other);
		if (of.worst)
			document_say(d, BLOCK_TEXT, "noise.recorded", "device",
				recorded_device(other), "n", format_count(d->arena, other->n_cases),
				"usual", change_text(d->arena, of.usual), "most",
				change_text(d->arena, of.most), "title", of.worst->title, NULL);
	}
}
