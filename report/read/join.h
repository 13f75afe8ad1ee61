/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h - which event caused which, and which stands above which.
 */
#ifndef REPORT_READ_JOIN_H
#define REPORT_READ_JOIN_H

#include "report/trace/trace.h"

/* Fills t->launch: device events and their runtime or driver call, by correlation. When several
 * calls carry one correlation (files of several processes put together), the last one that began
 * before the device event counts, or else the first. Rows must be in order. `scratch` has room for
 * one element a row. */
void join_launches(struct trace *t, uint64_t *scratch);

/* Fills t->parent and t->depth: nesting on host tracks, sub-rows on all others. */
void join_tracks(struct trace *t);

#endif
