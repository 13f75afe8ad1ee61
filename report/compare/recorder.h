/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - how long the steps of a PyTorch recording would take without the recorder.
 *
 * Recording costs the host time for every operator and every call of the runtime or the driver,
 * which it spends inside the program. Where the host decides how long a step takes, a recorded step
 * is longer than one that nobody records; and a change that moves a program from the device's pace
 * to the host's may show no gain at all.
 *
 * The estimate replays the recording. RECORDED_EVENT_NS goes off each operator and call of the
 * threads that launch, at most what lies between it and the next one; a call that waits ends when
 * the device's work does, as much later as it did; device work begins when its launch, and what the
 * stream had before it, allow, and takes as long as it did. Steps begin and end by the rule of
 * partition.h. 3 us: the median of five training and inference programs whose steps the host
 * decides, recorded with shapes by PyTorch 2.11 on the host of an H200, against their steps without
 * a profiler (2.6 to 8.6 us). tests/cli/report_pairs.sh uses the same programs, so it is no proof
 * of this number. It is an estimate, and is called one wherever it is printed.
 */
#ifndef REPORT_COMPARE_RECORDER_H
#define REPORT_COMPARE_RECORDER_H

#include "report/advise/partition.h"

enum { RECORDED_EVENT_NS = 3000 };

/* Writes the length of each step (p->n_steps) without the recorder, never more than it was recorded
 * with. False, and nothing written, when the trace has no operators of PyTorch or no device work.
 */
bool unrecorded_steps(const struct analysis *a, const struct partition *p, int64_t *ns);

#endif
