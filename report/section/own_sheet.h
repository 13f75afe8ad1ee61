/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_sheet.h - a sheet for a class from anybody's trace, which brings no questions of its own.
 */
#ifndef REPORT_SECTION_OWN_SHEET_H
#define REPORT_SECTION_OWN_SHEET_H

#include "report/page/document.h"
#include "report/run/run.h"

/* Questions with room for the number, the reason and how sure one is; those alone that this trace
 * decides. */
void add_own_questions(struct document *d, const struct report_case *c);

/* The picture for all of them. */
void add_own_picture(struct document *d, const struct report_case *c);

/* Of each the answer in numbers of the trace, the reason and the usual wrong answer. */
void add_own_key(struct document *d, const struct report_case *c);

#endif
