/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addition_costs.h - what adding a matrix to a product costs, way by way: the bytes it takes, and
 * the time that this run measured.
 *
 * It is about y = x w + b with an m by n matrix b, and counts what the addition costs on top of the
 * product: a kernel of its own reads the product and b and writes y (3 matrices); a copy of b into
 * y and a product that adds onto it read b, write y and read y again (3 as well); a product that
 * takes b apart from y reads b (1); a bias of one row is n elements.
 */
#ifndef REPORT_COURSE_ADDITION_COSTS_H
#define REPORT_COURSE_ADDITION_COSTS_H

#include "base/dtype.h"
#include "report/judge/judge.h"
#include "report/page/document.h"
#include "report/run/run.h"

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
	/* The product's median less that of the product alone, and their ratio with its interval:
	 * the steps of both, and at least as wide as recordings of the same work were apart. */
	bool compared;
	double product_ns;
	struct sure_ratio product;
};

struct addition_costs {
	const struct texts *texts;
	const struct fonts *fonts;
	double m, n;
	double element_bytes;
	enum dtype dtype;
	double bandwidth; /* bytes a second that the run reached with large tensors; 0: none
			   */
	struct addition_cost cost[ADDITIONS];
	const struct addition_costs *beside; /* the same of another machine, drawn in a column more;
						NULL: none */
	const char *machine; /* of `beside`: its name */
	double height; /* addition_costs_height */
};

/* Of the matrix that the run added in a kernel of its own and in most other ways, the largest of
 * them; false when there is none. Bandwidth and texts are left to the caller. */
bool addition_costs_find(struct addition_costs *l, struct arena *a, const struct run *run);

extern const double addition_costs_height;

void addition_costs_draw(
	struct canvas *c, struct box box, const void *idle_causes); /* figure.draw */

extern const struct figure_kind additions_figure;

#endif
