/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - what collect says on stderr while it works.
 *
 * On a terminal the line of a case appears when it begins, with what the others will take if they
 * take as long as those before, and is overwritten when it ends;
 * elsewhere only ends are printed, a line a case.
 */
#ifndef COLLECT_PROGRESS_H
#define COLLECT_PROGRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct progress {
	size_t n_cases; /* that will run */
	size_t n; /* of the case in hand, from 1 */
	double seconds; /* that the cases before it took */
	bool quiet; /* only failures are told */
};

void progress_begin(struct progress *p, const char *case_id);

/* `reason` of a failure, and what was `scaled`; both may be NULL. */
void progress_end(struct progress *p, const char *case_id, double seconds, const char *reason,
	const char *scaled);

#endif
