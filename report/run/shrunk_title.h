/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shrunk_title.h - titles of cases that ran smaller than they were asked for.
 *
 * Beside the shape that ran run.json has the one that was asked for, and its type where it was
 * another.
 */
#ifndef REPORT_RUN_SHRUNK_TITLE_H
#define REPORT_RUN_SHRUNK_TITLE_H

#include "report/run/manifest.h"

/* The title with what ran in place of what was asked for: "4096 × 4096, warm" becomes
 * "2048 × 2048 (asked 4096), warm". A title that names nothing of it is returned as it is,
 * and so is one that says it already, or any of no work (NULL). */
const char *scaled_title(struct arena *a, const char *title, const struct case_work *w);

/* One size that was made smaller, or the type that was another. */
struct work_change {
	const char *name; /* "size"; NULL: the type */
	const char *asked, *ran;
};

/* All of them; returns how many. */
enum { MOST_CHANGES = MOST_SIZES + 1 };
int work_changes(
	struct arena *a, const struct case_work *w, struct work_change change[MOST_CHANGES]);

#endif
