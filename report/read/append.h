/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append.h - two parts of one file into one.
 */
#ifndef REPORT_READ_APPEND_H
#define REPORT_READ_APPEND_H

#include "report/read/columns.h"

/* Adds all of `later`, which was read from bytes behind those of `part`, and releases it. The
 * result is what one reader would have made of both. */
void part_append(struct part *part, struct part *later);

#endif
