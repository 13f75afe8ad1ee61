/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backends.h - which of its back-ends PyTorch's scaled_dot_product_attention ran.
 *
 * The call chooses one by shapes, types, mask and machine, and the operator below it is named after
 * the choice: aten::_scaled_dot_product_flash_attention, ..._efficient_attention,
 * ..._cudnn_attention, ..._attention_math.
 */
#ifndef REPORT_COURSE_BACKENDS_H
#define REPORT_COURSE_BACKENDS_H

#include "report/page/document.h"
#include "report/run/run.h"

/* "flash", "efficient", "cudnn", "math"; NULL: no such call is in the case's steps. */
const char *backend_of(const struct report_case *c);

/* What the call costs the CPU, on average; NAN: there is none. */
double backend_call_ns(const struct report_case *c);

/* The device's kernel that a case spends most time in; NULL: none. */
const struct activity *backend_kernel(const struct report_case *c);

/* A row for each case of the run that attends in PyTorch; nothing when it has none. */
void add_backends_table(struct document *d, const struct run *run);

#endif
