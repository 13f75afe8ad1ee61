/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_work.h - what the kernels of a case move and compute, as run.json tells it.
 *
 * A kernel reads each of its operands once and writes its result once: what has to cross the
 * memory, caches left aside. A product of m by k and k by n is 2 m n k operations. run.json has the
 * rows for the shape that ran ("kernel_work"; struct kernel_work of experiments/ says how they are
 * read), so that a kind of work is told where it is written, and not here.
 */
#ifndef REPORT_COURSE_CASE_WORK_H
#define REPORT_COURSE_CASE_WORK_H

#include "report/page/document.h"
#include "report/run/run.h"

struct work {
	double flop, read_bytes, write_bytes; /* bytes NAN where the shape does not tell */
};

/* Of the nth device event of a step (s->device[nth]). All NAN for a case of no matrix and for a
 * kernel that run.json does not tell; flop is 0 for a copy. A case that changes its shape on the
 * way (then_batch) has no work. */
struct work work_of(const struct report_case *c, const struct step *s, uint32_t nth);

/* What the first product of a step takes in beside its factors; EPILOGUE_NONE also where it is not
 * told. */
enum work_epilogue product_epilogue(const struct report_case *c, const struct step *s);

/* Is a matrix added to a product in the case, by whatever kernel or copy? */
bool adds_a_matrix(const struct report_case *c);

/* Read and written by all device events of a step; NAN if one of them is unknown. */
double step_bytes(const struct report_case *c, const struct step *s);

#endif
