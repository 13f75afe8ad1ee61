/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind.h - what an event is, by its category (kineto-json.md, cuda.md 2.2).
 */
#ifndef REPORT_READ_KIND_H
#define REPORT_READ_KIND_H

#include "report/trace/trace.h"

/* Of a category whose events are told apart by their names. */
enum { KIND_BY_NAME = EVENT_KINDS };

/* EVENT_OTHER for a category that no era of Kineto has; KIND_BY_NAME for mtia_ccp_events. */
int event_kind_of(const char *category, size_t n);

/* Of such an event: what the queues of an MTIA do. Its waits and marks are no work. */
enum event_kind event_kind_by_name(const char *name, size_t n);

#endif
