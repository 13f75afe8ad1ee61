/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit_words.h - what limits the operator that the device is busiest with, in words.
 */
#ifndef REPORT_SECTION_LIMIT_WORDS_H
#define REPORT_SECTION_LIMIT_WORDS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* A paragraph, where the device computes, one operator has most of its busy time and its work is
 * known (report/analyse/work_limit.h); else nothing. */
void add_limit(struct document *d, const struct report_case *c);

#endif
