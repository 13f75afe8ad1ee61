/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thresholds.h - the thresholds of the detectors on the page: those in force, and which were set.
 *
 * One that was set is bold and followed by its default, wherever it is printed.
 */
#ifndef REPORT_SECTION_THRESHOLDS_H
#define REPORT_SECTION_THRESHOLDS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* "T1 **ratio 5×** (set; else 10×); T3 ..." of findings, in their order: the thresholds that were
 * set; "" when none was. */
const char *thresholds_of(struct document *d, const struct finding *const *finding, int n);

/* The same of detectors, as settings have them. */
const char *thresholds_in_force(struct document *d, const struct detector *const *detector, int n,
	const struct detect_settings *settings);

/* A line that says which were set, in the order of the table; nothing when none was. */
void add_thresholds_set(struct document *d, const struct detect_settings *settings);

/* A table of all findings, or of those that had an answer in `seen`: when each counts, in words,
 * its thresholds and what it gives back at most. */
void add_thresholds_table(
	struct document *d, const struct detect_settings *settings, const struct findings *seen);

/* When it counts, in words, with the thresholds that it was judged by. */
const char *threshold_definition(struct document *d, const struct finding *f);

#endif
