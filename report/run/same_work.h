/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same_work.h - which cases of a run did the same work, and how far their times are apart.
 *
 * Warm cases of the same workload, mode, type and shape that run the same kernels in a typical step
 * differ only in their schedule: their steady steps are the same work in other processes, as
 * repeats are.
 */
#ifndef REPORT_RUN_SAME_WORK_H
#define REPORT_RUN_SAME_WORK_H

#include "report/run/run.h"

/* Fills in report_case.work and .apart, and of a run `works`, apart_cpu and apart_device: the most
 * that the median step of one process is of another's for the same work, over the cases without
 * repeats of their own; 0 where no two of them did the same. */
void same_work_find(struct input *in);

#endif
