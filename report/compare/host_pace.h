/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_pace.h - how much faster or slower the host ran of two recordings, whatever it was asked to
 * do.
 *
 * The host of one recording differs from that of another of the same program: the processor's
 * clock, the neighbours, where memory lies. Steps of one process do not show it: of 144
 * comparisons of one recording with another of the same program, on H100s, 18 called slower what
 * by the wall was not, and in 17 of them every call of the host took so much longer, also where
 * the device took as long as before.
 *
 * So each name of the host's calls and operators that both recordings have, and not to wait, is
 * asked how much longer its median call takes without what it calls. The quartiles of these ratios
 * are the pace. A change of the program is in some names; what three quarters of them share is as
 * likely the machine's. Behind a device that is never idle nobody sees it.
 *
 * At one pace the calls of two recordings are compared by what is sure, how many there are: their
 * work is the sum of the median calls, each name's as long on both sides.
 */
#ifndef REPORT_COMPARE_HOST_PACE_H
#define REPORT_COMPARE_HOST_PACE_H

#include "base/faster_slower_same.h"
#include "report/analyse/analysis.h"

/* after ÷ before. */
struct pace {
	double low, middle, high; /* quartiles; 0: not known */
	size_t names;
	double work; /* of the host's calls in a step, at one pace; 0 not known */
};

/* Not known for recordings without launches, whose operators are the work itself, for programs that
 * share less than half of the host's time, and for fewer than PACE_NAMES names. */
struct pace pace_of(const struct analysis *before, const struct analysis *after);
#define PACE_NAMES 4

/* Of (n) ratios, which are sorted; all 0 of fewer than PACE_NAMES. */
struct pace pace_of_ratios(double *ratio, size_t n);

/* What the pace makes of a step: the slower side at the pace of the other one takes no less than
 * its device works. 1 where three quarters of the names share nothing. */
double pace_of_step(const struct pace *p, const struct ratio *step, const struct ratio *device);

/* The pace went the way of a ratio that tells, and leaves of it less than `least`, or nothing that
 * is sure; `pace` is what it makes of that ratio. */
bool pace_explains(const struct pace *p, double pace, const struct ratio *r, double least);

#endif
