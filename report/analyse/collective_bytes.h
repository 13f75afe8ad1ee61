/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective_bytes.h - what a collective sends: by its args, in older files by the shape of its
 * operator's first tensor and the number of ranks of the whole.
 */
#ifndef REPORT_ADVISE_MESSAGE_H
#define REPORT_ADVISE_MESSAGE_H

#include "report/analyse/analysis.h"

struct message {
	char name[65], type[65]; /* "allreduce", "Float"; "" unknown */
	double bytes, ranks; /* NAN: not known */
};

/* The operator that communicates around a launch: the innermost that says what it sends, else the
 * innermost; NO_ROW. */
uint32_t communicating_op(const struct trace *t, uint32_t call);

struct message message_of(const struct analysis *a, uint32_t op);

#endif
