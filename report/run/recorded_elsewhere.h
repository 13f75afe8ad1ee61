/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorded_elsewhere.h - runs that were recorded elsewhere: a part of the document for each, behind
 * this run's own.
 *
 * A reader without a GPU shall see what one shows. Yet what was not measured here must never pass
 * for it: such a run is judged as any other, but it is in no count, comparison or table of this
 * run, and every page of it says where and when it was recorded. Where this run was measured on a
 * GPU itself, nothing recorded is shown.
 */
#ifndef REPORT_RUN_RECORDED_ELSEWHERE_H
#define REPORT_RUN_RECORDED_ELSEWHERE_H

#include "report/run/run.h"

struct recorded {
	struct input *input; /* (n) of one run each */
	int n;
	const struct rule_settings *settings; /* lent, set before they are read; NULL: defaults */
};

/* `folder` holds a run.json, or folders that do, the one with the most cases first: it is the
 * machine that stands beside this one. Of as many their names are the order. Fails when there is no
 * run, or one cannot be read. */
int recorded_read(struct recorded *r, const char *folder, struct err *err);
void recorded_release(struct recorded *r);

/* What the places of the nth (from 0) begin with in the document that it is a part of. */
const char *recorded_prefix(struct arena *a, int nth);

/* How many of them stand beside this input: none when it is of a GPU. */
int recorded_shown(const struct input *in);

/* "NVIDIA H200", or the kind of device when the run does not say more. */
const char *recorded_device(const struct run *run);
/* "H200", or recorded_device where no data sheet has it. */
const char *recorded_chip(const struct run *run);

/* Is the nth (from 0) of another device than each in front of it? */
bool recorded_is_another(const struct recorded *r, int nth);

#endif
