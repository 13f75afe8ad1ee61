/* SPDX-License-Identifier: Apache-2.0 */
/*
 * only_cases.h - which cases of a matrix are meant: --only GLOB.
 */
#ifndef COLLECT_ONLY_CASES_H
#define COLLECT_ONLY_CASES_H

#include "base/opt.h"
#include "collect/matrix.h"

/* Marks the cases that match one of the globs (all without any): "experiment/tag", or a glob
 * without a slash against the tag. Fails when a glob matches nothing. */
int select_cases(
	const struct matrix *m, const struct opt_list *only, bool *selected, struct err *err);

#endif
