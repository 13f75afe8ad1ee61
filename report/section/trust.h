/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust.h - how far a trace can be trusted, and where its idle time went: the tables of a trace
 * that anybody sent.
 */
#ifndef REPORT_SECTION_TRUST_H
#define REPORT_SECTION_TRUST_H

#include "report/page/document.h"
#include "report/run/run.h"

/* Trace health: what was mended, lost, unlinked or odd, and what that means for the rest. One line
 * when all is well. */
void add_health_table(struct document *d, const struct report_case *c);

/* One repair: what it was, how often, and the first places. */
const char *repair_text(struct document *d, const struct repair *r);

/* The same over all traces of a run: in how many of them, and how often. */
void add_health_of_all(struct document *d, const struct run *run);

/* What the totals of the profiler table hold: sums against unions against windows, and what counts
 * twice or for nobody. The line says it in one sentence. That its rows sum to its footer, and the
 * events to both, no page says: reconcile.h computes it, and tests hold it. */
void add_totals_table(struct document *d, const struct report_case *c);
void add_totals_line(struct document *d, const struct report_case *c);

/* The rival definitions of "busy", when they disagree by more than BUSY_APART. */
void add_busy_table(struct document *d, const struct report_case *c);

/* Idle time by cause, and the longest gaps with what the host was doing meanwhile. */
void add_ledger_tables(struct document *d, const struct report_case *c);

/* Launch calls, queue delays and kernels as distributions; short kernels, outliers, graphs, the
 * longest queue. */
void add_launch_tables(struct document *d, const struct report_case *c);

/* The window split into computing, exposed communication, exposed copies and idle; streams; copies;
 * collectives. */
void add_device_tables(struct document *d, const struct report_case *c);

#endif
