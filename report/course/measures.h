/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measures.h - numbers of a case by name, as templates ask for them: a row each in measures.c,
 * nanoseconds, a second, shares.
 */
#ifndef REPORT_COURSE_MEASURES_H
#define REPORT_COURSE_MEASURES_H

#include "report/page/document.h"
#include "report/run/run.h"

struct measure;

/* NULL: there is none of that name. */
const struct measure *measure_named(const char *name);

/* NAN where the run has no such case, or the case does not tell. */
double measure_value(const struct input *in, const struct measure *m, const char *id);

/* As it stands in a table; "–" for NAN. */
const char *measure_form(struct arena *a, const struct measure *m, double value);

/* The same by its name: measure_of for a name that the program writes. */
double measure_of(const struct input *in, const char *measure, const char *id);
const char *measure_text(
	struct document *d, const struct input *in, const char *measure, const char *id);

#endif
