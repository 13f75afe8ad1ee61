/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn.h - today's observation as tomorrow's expectation: `report --learn FILE`.
 *
 * Writes a file for `report --expect` (expectations.h) that says of every readable trace what it
 * shows now: the classes and kernel names of a steady step in order, counts, the regime, the first
 * step, recompilations, times and shares; of a case that was compared with others the same
 * comparisons, and of detectors that were asked about what they said. A trace without steps is
 * taken as a whole.
 *
 * What does not hold in every steady step, or lies so near a threshold that the next recording may
 * fall on its other side, as the regime "mixed" does, is left out: every member is judged on the
 * trace before it is written, so that `--expect FILE --check` on the same traces exits 0.
 *
 * Numbers that vary from run to run get the range in which they were seen, widened:
 *   times    least / LEARN_TIMES to most * LEARN_TIMES over the steady steps
 *   ratios   least / LEARN_RATIOS to most * LEARN_RATIOS, over the pairs of steady steps
 *   shares   LEARN_SHARES down and up
 *   first_step  "wider" from LEARN_RATIOS times its thresholds on, "equal" up to the threshold over
 *            LEARN_RATIOS; between them nothing
 * The file says so ("widened"). The widths are ours: of the smallest cases of the matrix, recorded
 * eight times on a busy machine, each judged by what was learnt of every other, 1.2 % of 8323
 * predictions broke. A range is there to be made narrower by hand.
 *
 * Thresholds of detectors that were set for this report are written, too: it was judged by them.
 *
 * Of a list longer than LEARN_LIST the order of classes is not written, and of the kernel names the
 * first LEARN_LIST only.
 */
#ifndef REPORT_RUN_LEARN_H
#define REPORT_RUN_LEARN_H

#include "report/run/expectations.h"

enum { LEARN_LIST = 64 };
extern const double learn_times, learn_ratios, learn_shares; /* as above */

/* Of one case, as the "expect" object of the file; the caller frees it. `whole`: as in judge.h. */
cJSON *learn_case(struct input *in, struct report_case *c, bool whole);

/* Of traces that end early nothing is written. Fails when none is left, or when the file cannot be
 * written. */
int learn_write(struct input *in, const char *path, struct err *err);

#endif
