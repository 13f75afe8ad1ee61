/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.h - the inputs of operators as numbers: [[8, 512], [512, 512]] of "float", "float".
 *
 * Each text of shapes, types and strides is read once, for all operators with the same, when the
 * trace is analysed; what is asked here is looked up. Nobody else reads these texts.
 */
#ifndef REPORT_ANALYSE_SHAPES_H
#define REPORT_ANALYSE_SHAPES_H

#include "report/analyse/analysis.h"
#include "report/analyse/chips.h"

enum { MOST_INPUTS = 16, MOST_DIMS = 8 }; /* what is behind these is left out */

struct operand {
	const int64_t *dim; /* (rank) */
	int rank; /* 0: no tensor, -1: a list of tensors, or more dimensions than MOST_DIMS */
	int bytes; /* of an element, 0 unknown */
	bool half; /* fp16, bf16 or smaller */
	bool expanded; /* some dimension repeats the same elements (a stride of 0) */
	int tensors; /* of a list: how many, 0: no list */
	int64_t list_elements, largest; /* of all of them, and of the largest */
};

struct inputs {
	const struct operand *in; /* (n) */
	int n; /* at least 1 */
};

/* NULL when the row is no operator, or its shapes were not recorded. */
const struct inputs *inputs_of(const struct analysis *a, uint32_t op_row);

/* Elements of input i, 0 when there is none, or it is no tensor, or larger than any memory. */
int64_t elements_of(const struct inputs *x, int i);

/* Elements of all tensors that an operator is given, those in its lists, too, and of those among
 * them whose first dimension is `rows`; false when it says none of their shapes. */
bool elements_with_rows(
	const struct analysis *a, uint32_t op_row, int64_t rows, double *all, double *with_rows);

/* The list of whole numbers that stands for input `which` of the recorded `Concrete Inputs`, such
 * as a stride "[2, 2]" or a number of groups "4": fills at most `most`, returns how many; 0 when it
 * is none. */
int concrete_numbers(const struct trace *t, uint32_t op_row, int which, int64_t *number, int most);

/* How far apart the elements of the first input lie, by its recorded strides: fills at most `most`,
 * returns how many; 0 when they are not recorded. */
int first_strides(const struct trace *t, uint32_t op_row, int64_t *stride, int most);

/* "[8, 64, 64]" */
const char *shape_text(struct arena *arena, const int64_t *dim, int rank);

/* Does such an input stand there as this text, "True"? */
bool concrete_is(const struct trace *t, uint32_t op_row, int which, const char *text);

/* C (m × n) = A (m × k) · B (k × n), `batch` times. */
struct product {
	int64_t batch, m, n, k;
	int element_bytes; /* of A; 0 unknown */
	bool half; /* A is fp16, bf16 or smaller */
	double flop; /* 2·batch·m·n·k */
};

/* Of aten::mm, bmm, addmm, baddbmm, matmul, linear or one of their kin, and of tb::'s, from its
 * inputs; false for any other operator, and for inputs that cannot be multiplied: the inner
 * dimensions differ, or a factor is no matrix. */
bool product_of(const struct analysis *a, uint32_t op_row, struct product *p);

/* The product whose kernel a call launched inside an operator: that one's, or the nearest's of
 * `reach` operators from it on; false where it is not known. What a graph or compiled code launches
 * is not the work of the operators around it. Either row may be NO_ROW. */
bool product_launched(
	const struct analysis *a, uint32_t call, uint32_t op, int reach, struct product *p);

/* What the arithmetic of a product takes at a good share of the chip's rate for its type, and what
 * its three matrices take of the memory's. */
double product_arithmetic_ns(const struct chip *chip, const struct product *p);
double product_memory_ns(const struct chip *chip, const struct product *p);

/* Bytes of each input tensor, and of one as large as they are broadcast together (with the type of
 * the largest); false when shapes or types are not recorded. */
bool pointwise_bytes(const struct analysis *a, uint32_t op_row, int64_t *in, int64_t *out);

/* The last dimension of the operator's first tensor and the product of those before it; false when
 * its shape is not recorded or has fewer than two. */
bool rows_and_columns(const struct analysis *a, uint32_t op_row, int64_t *rows, int64_t *columns);

/* The first input of an operator as a matrix, and the bytes of one element; false when it has fewer
 * than two dimensions, or shapes or types are not recorded. */
bool first_input(const struct analysis *a, uint32_t op_row, int64_t *rows, int64_t *columns,
	int64_t *element_bytes);

#endif
