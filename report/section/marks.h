/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks.h - what the detectors found, in words and on the page: numbered marks on a timeline,
 * and under it one sentence for each mark, in this trace's numbers.
 */
#ifndef REPORT_SECTION_MARKS_H
#define REPORT_SECTION_MARKS_H

#include "report/figure/timeline.h"
#include "report/page/document.h"
#include "report/run/run.h"

enum { MOST_CALLOUTS = 7 };

/* Pictures of one case that may carry marks; steps and zoom are both planned. */
struct pictures {
	struct timeline *steps, *zoom; /* zoom: NULL for none */
	uint32_t step; /* that the zoom shows */
	bool prefers_zoom;
};

/* Chooses at most MOST_CALLOUTS of the findings, in rank order, that a picture shows the very event
 * or gap of, and gives them to that picture as marks, numbered over both. What is too narrow, cut
 * or of another step in one picture is looked for in the other. */
struct callouts *choose_callouts(
	struct document *d, const struct report_case *c, const struct pictures *on);

/* One line for each mark of a picture; below the last picture also the findings that got no mark,
 * by name, then the thresholds that were set. Nothing when nothing fired. */
void add_callouts(struct document *d, const struct report_case *c, const struct callouts *chosen,
	const struct timeline *tl, bool last);

/* "Wide first step (C1), Hidden copy (C6)" of a verdict's "C1, C6", or of "C1 fired, C6 not fired"
 * those alone that are in a state, "" for all. Of no detector: as it stands. */
const char *findings_named(struct document *d, const char *list, const char *state);

/* A sentence with what a finding measured that did not fire: its own, or all by their names; "" for
 * nothing. */
const char *finding_missed(struct document *d, const struct finding *f);

/* What fired beside the cases that it is compared with: a line each. */
void add_compared(struct document *d, const struct report_case *c);

/* Did a detector fire in a case, or beside one that it is compared with? */
bool case_fired(const struct report_case *c, const char *detector);

#endif
