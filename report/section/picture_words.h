/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picture_words.h - what a picture shows, in a sentence with its number: for readers who do not see
 * it (document_shows). Pictures whose text says it already have that sentence.
 */
#ifndef REPORT_SECTION_PICTURE_WORDS_H
#define REPORT_SECTION_PICTURE_WORDS_H

#include "report/figure/icicle.h"
#include "report/figure/step_time.h"
#include "report/page/document.h"

/* One step: its length on the host, and how long its work keeps the device busy. */
const char *step_shown(struct document *d, const struct analysis *an, uint32_t step);

/* Several steps: the median of both; else the whole window. */
const char *steps_shown(struct document *d, const struct analysis *an);

/* Of each bar its two lengths. */
const char *bars_shown(struct document *d, const struct step_bars *s);

/* The bar with a name, right below the one of all time, that is widest; "": none. */
const char *widest_shown(struct document *d, const struct icicle *x);

#endif
