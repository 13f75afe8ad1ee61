/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broken_guesses.h - the facts that broke, ranked by how far they are beyond their limits.
 *
 * A fact is a sentence of a guess, or a guess without sentences; what follows from another case is
 * none, and what the program itself fixes is no surprise.
 */
#ifndef REPORT_SECTION_BROKEN_GUESSES_H
#define REPORT_SECTION_BROKEN_GUESSES_H

#include "report/page/document.h"
#include "report/run/run.h"

struct surprise {
	const struct report_case *c;
	const struct verdict *v; /* the first that broke it */
	double size; /* logarithm of the ratio beyond limit and noise; 0: no number */
	int order; /* of the cases */
};

/* (*n), the most surprising first; of equal ones in the order of the cases. */
struct surprise *surprises_of(struct arena *a, const struct input *in, int *n);

/* A line for each of the first `most`: expected what and why, saw what, and what the trace shows of
 * the cause, or that it is unknown, and what to try; one line for all shapes that differ. */
void add_surprises(struct document *d, const struct input *in, int most);

#endif
