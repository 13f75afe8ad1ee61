/*
 * findings.h - what the detectors found, in words and on the page: numbered marks on a timeline,
 * and under it one sentence for each mark, in this trace's numbers.
 */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "report/document.h"
#include "report/run.h"
#include "report/timeline.h"

enum { MOST_CALLOUTS = 7 };

/* Chooses at most MOST_CALLOUTS of the findings whose evidence a planned timeline shows, in rank
 * order, and gives them to the timeline as marks. */
struct callouts *choose_callouts(
	struct document *d, const struct report_case *c, struct timeline *tl);

/* One line for each mark, then the findings that got none, by name, then the thresholds of all.
 * Nothing when nothing fired. */
void add_callouts(struct document *d, const struct report_case *c, const struct callouts *chosen);

/* The finding's sentence with its values, then what to do about it. */
const char *finding_text(struct document *d, const struct finding *f);

/* What fired beside the cases that it is compared with: a line each, and their thresholds. */
void add_compared(struct document *d, const struct report_case *c);

/* Did a detector fire in a case, or beside one that it is compared with? */
bool case_fired(const struct report_case *c, const char *detector);

#endif
