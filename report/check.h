/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - `report --check`: what was broken, as text on standard output.
 *
 *   BROKEN <case>: <expectation>: expected <...>, saw <...>
 *     step 3, place 2: expected add, saw copy
 *     row 17, "Memcpy HtoH (host -> host)": starts 1234.567 us into the trace, takes 3.210 us
 *     <what to look at>
 *   SLOWER <case>: CPU 1.20x
 *   UNSEEN <name>: no trace of that name was read
 *   SET T1.ratio=5, default 10
 *   12 predictions kept, 1 broken, 2 not judged
 *
 * A line that begins with BROKEN, SLOWER or UNSEEN stands for one finding; indented lines explain
 * it and are left out where there is nothing to say. SET: a threshold that is not the default.
 * Predictions that could not be judged, and names of a file of expectations that no trace has,
 * break nothing.
 */
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "report/page/texts.h"
#include "report/run/expectations.h"

enum check_result {
	CHECK_GOOD,
	CHECK_BROKEN, /* a prediction was broken, or a case became slower than in input.base */
	CHECK_NOTHING, /* there was no prediction, and no base to compare with */
	CHECK_NOT_COMPARED /* no case of input.base could be compared */
};

enum check_result check_print(
	const struct input *in, const struct expectations *e, const struct texts *texts);

#endif
