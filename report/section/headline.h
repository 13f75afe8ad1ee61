/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headline.h - what limits a trace, in words, with the parts of its window that say so.
 */
#ifndef REPORT_SECTION_HEADLINE_H
#define REPORT_SECTION_HEADLINE_H

#include "report/page/document.h"
#include "report/run/run.h"

struct breakdown;
struct time_parts;

/* "copy-bound"; "mixed" where no part has half of the window; "no device work". */
const char *headline_word(const struct document *d, const struct report_case *c);

/* Is it that of the time without the recorder, which hides what limits the program (advice.h)? */
bool headline_is_estimated(const struct report_case *c);

/* The same by its name, as of headline_name(); NULL: mixed. Of one that has a headline. */
const char *headline_key(const struct report_case *c);

/* The key of that word where there is no limit to name. */
static inline const char *headline_none(const struct trace *t)
{
	return t->snapshot ? "memory.snapshot" : t->ends_early ? "headline.cut" : "regime.none";
}

/* The share of the window that the headline names: of the window without the recorder where the
 * headline is that one's (advice.h). */
double headline_share(const struct report_case *c);

/* The sentence at the head of a trace of anybody's, with the other parts behind it, and by what
 * steps were told where the profiler wrote none; then what the file lacks, and what cannot be told
 * for that. */
void add_headline(struct document *d, const struct report_case *c);

/* Which steps the median one does not stand for, and what is paid once, in the first of them and in
 * front of it, by the spans that say so; and which steps were recorded, where not all were. */
void add_uneven_steps(struct document *d, const struct report_case *c);

/* Of a file of spans alone: which name and which thread have most of the time; false: it is none.
 */
bool add_spans(struct document *d, const struct report_case *c);

/* What the word of the headline means, and by what rule it is said. */
void add_verdict_rule(struct document *d, const struct report_case *c);

/* "computing 34.2 %, sync 11.2 %", the largest first, all or but the largest; "": none is large. */
const char *parts_in_words(const struct document *d, const struct time_parts *s, bool all);

/* The window of a breakdown that names a limit and its parts, the largest first: "the step of 9.00
 * ms: computing 55.6 %, ...". */
const char *window_in_parts(struct document *d, const struct breakdown *p);

/* What a loop waits for its batches, how long one takes to make, and how many workers would hide
 * that: where it waits at least a twentieth of the time, and that is known. */
void add_loading(struct document *d, const struct report_case *c);

#endif
