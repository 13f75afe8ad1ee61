/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prepared_case.h - a case with its tensors on the device: bench.state, the same for all workloads.
 */
#ifndef EXPERIMENTS_PREPARED_CASE_H
#define EXPERIMENTS_PREPARED_CASE_H

#include "experiments/family.h"

/* See workload.h. The range `annotation` around a step is the caller's. */
int prepared_prepare(struct bench *b, struct err *err);
int prepared_step(struct bench *b, long step, struct err *err);
int prepared_check(struct bench *b, double *error, struct err *err);
void prepared_release(struct bench *b);

#endif
