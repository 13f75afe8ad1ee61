/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warnings.h - what is true of a finished run besides its result: a line each.
 */
#ifndef REPORT_WARNINGS_H
#define REPORT_WARNINGS_H

#include "report/page/document.h"
#include "report/run/recorded_elsewhere.h"

/* What was left out of folders, and where a trace was read no further. */
void warn_of_input(const struct input *in);

/* What no font here draws stands on the pages as a replacement character: said once, by its codes,
 * which every terminal shows. `fonts` may be NULL. */
void warn_of_letters(const struct fonts *fonts);

/* A link of the templates that leads nowhere. */
void warn_of_links(const struct document *d);

/* With --verbose: what was read, and how long that took with all that is worked out of it. */
void tell_of_input(const struct input *in, double seconds);

#endif
