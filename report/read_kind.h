/*
 * read_kind.h - what an event is, by its category (kineto-json.md, cuda.md 2.2).
 */
#ifndef REPORT_READ_KIND_H
#define REPORT_READ_KIND_H

#include "report/trace.h"

/* EVENT_OTHER for a category that no era of Kineto has. */
enum event_kind event_kind_of(const char *category, size_t n);

#endif
