/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meta.h - the members of a trace's top level: devices, rank, and all others as text.
 */
#ifndef REPORT_READ_META_H
#define REPORT_READ_META_H

#include "report/read/file.h"

/* Fills t->meta, t->devices, t->rank and t->world. */
void meta_take(struct trace *t, const struct reader *r);

#endif
