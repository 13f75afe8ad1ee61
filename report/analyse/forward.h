/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward.h - whose backward an operator is: forward and backward joined by autograd's numbers.
 *
 * A node of autograd's graph has the number that its thread counted when the forward operator made
 * it; its backward carries the same `Sequence number` and, as `Fwd thread id`, PyTorch's own number
 * of that thread. Of the forward operators of one number the one that began last made the node: the
 * others only looked at the counter (PyTorch, profiler_kineto.cpp, generateForwardBackwardLink).
 *
 * Which thread of the file has which of PyTorch's numbers no file says. It is the one on which most
 * of the numbers of its backward are found where one thread alone has them (a vote, so a few odd
 * ones do no harm); where several threads have one, so in recomputing, that decides.
 */
#ifndef REPORT_ANALYSE_FORWARD_H
#define REPORT_ANALYSE_FORWARD_H

#include "report/trace/trace.h"

/* (trace.n, to be freed) the forward operator whose backward a row of the host is, or stands
 * inside; NO_ROW: none. It is always an earlier row. NULL: no row has one. n log n for the
 * operators with a number. */
uint32_t *forward_of(const struct trace *t);

#endif
