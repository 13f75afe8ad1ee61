/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_status.h - `report --check`: what was broken, as text on standard output.
 *
 *   BROKEN <case>: <expectation>: expected <...>, saw <...>
 *     step 3, place 2: expected add, saw copy
 *     row 17, "Memcpy HtoH (host -> host)": starts 1234.567 us into the trace, takes 3.210 us
 *     <what to look at>
 *   SLOWER <case>: step 1.20x (1.15 to 1.24, 95 % sure by these recordings)
 *     largest difference of a step: idle.launching, +1234.567 us
 *   SLOWER <case>: CPU 1.20x (...), device ..., a kernel 1.10x (...) and its name below
 *   FASTER, SAME, INCONCLUSIVE <case>: step ...
 *     <how many samples would decide>
 *   OVER <case>: a step takes 25.800 us, and may take 20.000 us
 *   1 compared: 1 slower, 0 faster, 0 same, 0 inconclusive
 *   UNSEEN <name>: no trace of that name was read
 *   SET OVERHEAD-BOUND.ratio=5, default 10
 *   12 predictions kept, 1 broken, 2 not judged
 *
 * A line that begins with a word in capitals stands for one finding; indented lines explain it and
 * are left out where there is nothing to say. SET: a threshold that is not the default. Where every
 * event of both sides is the same, "identical" is all that is said of them. What is slower breaks
 * the check (pair_is_worse of compare/compare.h); what is inconclusive is a warning.
 * Predictions that could not be judged, and names of a file of expectations that no trace has,
 * break nothing.
 */
#ifndef REPORT_CHECK_STATUS_H
#define REPORT_CHECK_STATUS_H

#include "report/compare/fail_on_gate.h"
#include "report/page/template_texts.h"
#include "report/run/expectations.h"

enum check_result {
	CHECK_GOOD,
	CHECK_BROKEN, /* a prediction was broken, or something became slower than in input.base */
	CHECK_UNDECIDED, /* nothing was, and a pair is inconclusive where the gate fails for that */
	CHECK_NOTHING /* there was no prediction, and no base to compare with */
};

enum check_result check_print(const struct input *in, const struct expectations *e,
	const struct texts *texts, const struct gate *gate);

#endif
