/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - saying in one line why a file is no trace.
 */
#ifndef REPORT_READ_REFUSE_H
#define REPORT_READ_REFUSE_H

#include "report/read/file.h"

/* 0 when the reader found a trace, maybe an empty one; otherwise fails with what the file looks
 * like. */
int refuse(const struct reader *r, const char *path, struct err *err);

#endif
