/* SPDX-License-Identifier: Apache-2.0 */
/* What a pull request needs: at most 40 lines and 3 kB. */
#include "report/section/template_sections.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/analyse/analysis.h"
#include "report/section/comparison_words.h"
#include "report/section/parts.h"

#include <stdlib.h>

enum {
	MOST_DIFFERENCES = 4,
	MOST_PARTS = 5,
	MOST_KERNELS = 4,
	MOST_PAIRS = 10,
	MOST_TOLD = 5,
	MOST_WORSE = 3,
	NAME_LETTERS = 48
};

static int by_size(const void *left, const void *right)
{
	const struct part_bar *a = left, *b = right;
	int64_t x = llabs(a->after_ns - a->before_ns), y = llabs(b->after_ns - b->before_ns);
	return (x < y) - (x > y);
}

static void put_values(struct rows *t, int64_t before, int64_t after)
{
	put(t, before ? format_time(t->d->arena, (double)before) : "–");
	put(t, after ? format_time(t->d->arena, (double)after) : "–");
	put(t, signed_time(t->d->arena, after - before));
}

static const struct table_form table_form = {
	.column = {{"baseline.measure"}, {"baseline.before", COLUMN_NUMBER},
		{"baseline.after", COLUMN_NUMBER}, {"baseline.kernel.difference", COLUMN_NUMBER}}};

static void add_part_table(struct document *d, const struct pair *p)
{
	struct part_bar bar[PART_BARS] = {0};
	struct rows t = measures_begin(d, p, &table_form);
	put_said(&t, "baseline.measure.time")->bold = true;
	put_values(&t, p->step.before_ns, p->step.after_ns);
	bool parts = pair_bars(p, bar);
	if (parts)
		qsort(bar, PART_BARS, sizeof *bar, by_size);
	for (int i = 0; parts && i < MOST_PARTS && bar[i].after_ns != bar[i].before_ns; i++) {
		put(&t, part_word(d, &bar[i]));
		put_values(&t, bar[i].before_ns, bar[i].after_ns);
	}
}

static void add_mover_table(struct document *d, const struct pair *p)
{
	struct rows t = measures_begin(d, p, &table_form);
	int shown = 0;
	for (size_t i = 0; i < p->n_kernels && shown < MOST_KERNELS; i++) {
		const struct compared_kernel *k = &p->kernel[i];
		if (!kernel_matters(p, k))
			continue;
		const char *state =
			k->fate == FATE_SAME ? "" : said_by(d, "fate.%s", fate_name(k->fate));
		const char *name = short_name(d, k->name, NAME_LETTERS);
		put(&t, *state ? arena_printf(d->arena, "%s, %s", name, state) : name);
		put_values(&t, k->before_ns, k->after_ns);
		shown++;
	}
}

static void add_text(struct document *d, const char *text)
{
	if (*text)
		document_add(d, BLOCK_TEXT, text);
}

static void add_reproduce(struct document *d, bool in_turn, double least)
{
	document_say(d, BLOCK_TEXT, in_turn ? "comment.reproduce.turn" : "comment.reproduce",
		"least", format_share(d->arena, least), NULL);
}

static void fold(struct document *d, const char *key)
{
	struct block *b = document_heading(d, 3, NULL, said(d, key, NULL));
	b->folds = true;
}

static void add_pair_comment(struct document *d, const struct input *in, const struct pair *p)
{
	document_add(d, BLOCK_HEADING, change_headline(d, p))->level = 2;
	add_text(d, change_alone(d, in->comparison));
	if (p->identical)
		return;
	add_text(d, change_differences(d, p, MOST_DIFFERENCES));
	document_say(d, BLOCK_CAPTION, "comment.about", "before",
		p->before.recording[p->before.main]->title, "after",
		p->after.recording[p->after.main]->title, NULL);
	add_text(d, change_gain(d, p));
	if (!pair_is_unlike(p))
		add_part_table(d, p);
	if (pair_change(p) == CHANGE_SLOWER)
		add_worse_kernels(d, p, MOST_WORSE);
	add_text(d, change_certainty(d, p));
	add_text(d, change_weight(d, p));
	add_reproduce(d, p->step.in_turn, in->comparison->least);
	fold(d, "comment.fold.kernels");
	add_mover_table(d, p);
	add_changes(d, in, p);
}

static void add_all_comment(struct document *d, const struct comparison *all)
{
	struct arena *a = d->arena;
	document_say(d, BLOCK_HEADING, all->identical ? "baseline.identical" : "comment.many",
		"counts", change_counts(d, all), "n", format_count(a, all->n), NULL)
		->level = 2;
	if (all->identical)
		return;
	add_text(d, change_differences(d, &all->pair[0], MOST_DIFFERENCES));
	add_text(d, change_alone(d, all));
	int told = all->slower + all->faster;
	told = min_int(told, MOST_TOLD);
	if (told)
		add_pairs(d, all, 0, told);
	for (int i = 0, left = MOST_WORSE; i < all->n && left; i++)
		if (pair_change(&all->pair[i]) == CHANGE_SLOWER) {
			add_worse_kernels(d, &all->pair[i], 1);
			left--;
		}
	add_text(d, certainty_of_all(d, all));
	add_reproduce(d, all->pair[0].step.in_turn, all->least);
	if (all->n == told)
		return;
	fold(d, told ? "comment.fold.others" : "comment.fold.cases");
	add_pairs(d, all, told, MOST_PAIRS);
	if (all->n > MOST_PAIRS)
		document_say(d, BLOCK_TEXT, "comment.more", "n",
			format_count(a, all->n - MOST_PAIRS), NULL);
}

void section_comment(struct document *d, const struct input *in)
{
	const struct comparison *all = in->comparison;
	if (!all)
		return;
	if (all->n == 1)
		add_pair_comment(d, in, &all->pair[0]);
	else
		add_all_comment(d, all);
}
