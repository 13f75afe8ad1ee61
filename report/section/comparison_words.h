/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison_words.h - what a comparison says, in words: shared by its pages and the comment.
 */
#ifndef REPORT_SECTION_COMPARISON_WORDS_H
#define REPORT_SECTION_COMPARISON_WORDS_H

#include "report/compare/compare.h"
#include "report/page/table_builder.h"

/* "Faster: a step takes 16.3 ms instead of 20.7 ms, 0.79×". */
const char *change_headline(struct document *d, const struct pair *p);

/* What was saved, and the largest difference; "" where nothing can be said. */
const char *change_gain(struct document *d, const struct pair *p);

/* "a step", or "the recording" where it has no steps. */
const char *change_unit(struct document *d, const struct pair *p);

/* A table whose first column says of what its times are. */
struct rows measures_begin(struct document *d, const struct pair *p, const struct table_form *form);

/* How sure that is, and why not more. */
const char *change_certainty(struct document *d, const struct pair *p);

/* The same of every pair of a run: what its ranges mean. */
const char *certainty_of_all(struct document *d, const struct comparison *all);

/* Why its step is inconclusive, a sentence for any output that knows rich_text.h; "" where it is
 * not. */
/* How many samples a side would decide it, "" where it is decided. */
const char *change_needs(struct arena *a, const struct texts *t, const struct pair *p);
const char *change_doubt(struct arena *a, const struct texts *t, const struct pair *p);

/* What the profiler weighs, where it matters; else "". */
const char *change_weight(struct document *d, const struct pair *p);

/* A time with its sign: "−1.05 ms". */
const char *signed_time(struct arena *a, int64_t ns);

/* "computing", "waiting for the device". */
const char *part_word(struct document *d, const struct part_bar *bar);

enum verdict_colour change_colour(enum change change);

/* "✓ 0.79× faster" in its colour; "–" where one side has nothing. */
void put_change(struct rows *t, const struct ratio *r);

/* Is it a comparison of two traces of anybody's, and nothing else? */
const struct pair *lone_pair(const struct input *in);

/* A kernel's name without its arguments, and no more than so many letters of it. */
const char *short_name(struct document *d, const char *name, size_t letters);

/* "2 slower, 12 the same". */
const char *change_counts(struct document *d, const struct comparison *all);

/* How many have no partner; "" where all have one. */
const char *change_alone(struct document *d, const struct comparison *all);

/* A table of what is not the same in both recordings; nothing where all is. */
void add_differences(struct document *d, const struct pair *p, int most);

/* The same in one paragraph, "" where all is the same. */
const char *change_differences(struct document *d, const struct pair *p, int most);

/* Kernels that a gate fails for, a line each, at most so many. */
void add_worse_kernels(struct document *d, const struct pair *p, int most);

/* Findings that came and went, and predictions that broke, a line each; nothing without. */
void add_changes(struct document *d, const struct input *in, const struct pair *p);

/* The pairs of a run, a row each, slower ones first; those from the place `from` on, up to `to`. */
void add_pairs(struct document *d, const struct comparison *all, int from, int to);

#endif
