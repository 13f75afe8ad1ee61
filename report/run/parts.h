/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - what the files of the room share: what is worked out of a trace, once it is read.
 */
#ifndef REPORT_RUN_PARTS_H
#define REPORT_RUN_PARTS_H

#include "report/run/run.h"

/* Everything of a case that follows from its trace and from no other: analysis and what is made of
 * it, findings, advice. */
void work_out(struct input *in, struct report_case *c);

#endif
