/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enclosing_rows.h - from a row of the host to those around it, in few steps however deep it lies.
 *
 * Most rows have a dozen around them; a file may nest as many as it has. Each row gets one that
 * lies farther out, so that what is looked for is found in steps logarithmic in the depth
 * (Myers, "An applicative random-access stack", 1983).
 */
#ifndef REPORT_TRACE_ENCLOSING_ROWS_H
#define REPORT_TRACE_ENCLOSING_ROWS_H

#include "report/trace/trace.h"

/* Begun as {.trace = t}; made when a walk turns out long. */
struct enclosing {
	const struct trace *trace;
	uint32_t *far; /* (trace.n) owned: a row farther out, the row itself where there is none */
};

/* The innermost operator of a row, which may be NO_ROW, and those around it; NO_ROW: there is none.
 */
uint32_t trace_op_of(const struct trace *t, uint32_t row);

/* Fills in trace.around_op where climbing would be long. For sealing. */
void trace_find_ops(struct trace *t);

/* Does the row have what is looked for? Once one has it, all around it must. */
typedef bool enclosing_test(const struct trace *t, uint32_t row, const void *what);

/* The innermost of a row and those around it that has it; NO_ROW: none has. */
uint32_t enclosing_find(struct enclosing *o, uint32_t row, enclosing_test *has, const void *what);
void enclosing_release(struct enclosing *o);

#endif
