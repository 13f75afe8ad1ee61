/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled.h - titles of cases that ran smaller than they were asked for.
 *
 * collect says in run.json what it changed: "asked size 4096, ran 2048: the asked one would take
 * about 34 s here", "asked batch 64, ran 16; asked then_batch 32, ran 8: ..." or "asked bf16, ran
 * fp32: ...".
 */
#ifndef REPORT_RUN_SCALED_H
#define REPORT_RUN_SCALED_H

#include "base/arena.h"

/* The title with what ran in place of what was asked for: "4096 × 4096, warm" becomes
 * "2048 × 2048 (asked 4096), warm". A title that names nothing of it is returned as it is,
 * and so is one that says it already. */
const char *scaled_title(struct arena *a, const char *title, const char *scaled);

#endif
