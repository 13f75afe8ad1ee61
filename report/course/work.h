/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - what the kernels of a case move and compute, as run.json tells it; and the byte ledger
 * of adding a matrix.
 *
 * A kernel reads each of its operands once and writes its result once: what has to cross the
 * memory, caches left aside. A product of m by k and k by n is 2 m n k operations. run.json has the
 * rows for the shape that ran ("kernel_work"; struct kernel_work of experiments/ says how they are
 * read), so that a kind of work is told where it is written, and not here.
 *
 * The ledger is about y = x w + b with an m by n matrix b, and counts what the
 * addition costs on top of the product: a kernel of its own reads the product and b and writes y
 * (3 matrices); a copy of b into y and a product that adds onto it read b, write y and read y again
 * (3 as well); a product that takes b apart from y reads b (1); a bias of one row is n elements.
 */
#ifndef REPORT_COURSE_WORK_H
#define REPORT_COURSE_WORK_H

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

/* ---- the ledger of adding a matrix ---- */

enum addition {
	ADD_KERNEL, /* a kernel of its own */
	ADD_COPY, /* copied into the result, the product adds onto it */
	ADD_EPILOGUE, /* read by the product, apart from the result */
	ADD_BIAS, /* one row, in the epilogue */
	ADDITIONS
};

struct addition_cost {
	const struct report_case *c; /* the case it was measured in, NULL: none at this size */
	double bytes;
	double kernel_ns; /* median of the add kernel or of the copy, 0 where there is none */
	/* The product's median less that of the product alone, and what this could be: the
	 * smallest less the other's largest, and the other way round. */
	bool compared;
	double product_ns, product_low_ns, product_high_ns;
};

struct byte_ledger {
	const struct texts *texts;
	const struct fonts *fonts;
	double m, n;
	double element_bytes;
	enum dtype dtype;
	double bandwidth; /* bytes a second that the run reached with its largest tensors; 0: none
			   */
	struct addition_cost cost[ADDITIONS];
	double height; /* byte_ledger_height */
};

/* Of the matrix that the run added in a kernel of its own and in most other ways, the largest of
 * them; false when there is none. Bandwidth and texts are left to the caller. */
bool byte_ledger_find(struct byte_ledger *l, const struct run *run);

extern const double byte_ledger_height;

void byte_ledger_draw(struct canvas *c, struct box box, const void *ledger); /* figure.draw */

extern const struct figure_kind additions_figure;

#endif
