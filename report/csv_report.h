/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_report.h - every table of every trace as CSV: `report --csv DIR`.
 *
 * A file for each table of tables.h, DIR/operators.csv, always all of them: so a script finds each,
 * and none of an earlier trace stays. A line of column names, then a line for each row, of all
 * traces; the first column, "trace", is the id of the case (as in --json) or the path of the trace.
 * RFC 4180, UTF-8, lines end in "\n"; what is not known is empty. Names are exact but for what a
 * screen would obey, which stands by its codes (\x1b), and a quote in front of formulas. Numbers
 * are plain: ns, bytes, FLOP, shares of 1. The same input gives the same bytes.
 */
#ifndef REPORT_CSV_REPORT_H
#define REPORT_CSV_REPORT_H

#include "report/run/run.h"
#include "report/tables/tables.h"

/* Where a table goes, in the arena. */
const char *csv_report_path(struct arena *a, const char *folder, const struct tables_form *form);

int csv_report_write(const struct input *in, const char *folder, struct err *err);

#endif
