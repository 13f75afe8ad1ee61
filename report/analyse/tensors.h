/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensors.h - the inputs of an operator as numbers: [[8, 512], [512, 512]] of "float", "float".
 */
#ifndef REPORT_ANALYSE_TENSORS_H
#define REPORT_ANALYSE_TENSORS_H

#include "report/analyse/chips.h"

enum { MOST_TENSORS = 8, MOST_DIMS = 8 };

struct tensors {
	int n; /* inputs, at most MOST_TENSORS */
	struct {
		int rank; /* 0: no tensor */
		int64_t dim[MOST_DIMS]; /* (rank) */
		int bytes; /* of an element, 0 unknown */
		bool expanded; /* some dimension repeats the same elements (a stride of 0) */
	} in[MOST_TENSORS]; /* (n) */
};

/* False when the row is no operator or its shapes were not recorded. */
bool tensors_of(const struct trace *t, uint32_t op_row, struct tensors *x);

/* Elements of input i, 0 when it is no tensor. */
int64_t tensors_elements(const struct tensors *x, int i);

/* The list of whole numbers that stands for input `which` of the recorded `Concrete Inputs`, such
 * as a stride "[2, 2]" or a number of groups "4": fills at most `most`, returns how many; 0 when it
 * is none. */
int concrete_numbers(const struct trace *t, uint32_t op_row, int which, int64_t *number, int most);

/* C (m x n) = A (m x k) B (k x n), `batch` times. */
struct matmul {
	int64_t batch, m, n, k;
	int bytes; /* of an element, 0 unknown */
};

/* The product of aten::mm, addmm, bmm, baddbmm or linear; false for any other operator. */
bool matmul_of(const struct trace *t, uint32_t op_row, struct matmul *p);

/* 2 batch m n k */
double matmul_flop(const struct matmul *p);

/* What the arithmetic of a product takes at a good share of the chip's rate for its type, and what
 * its three matrices take of the memory's. */
double matmul_arithmetic_ns(const struct chip *chip, const struct matmul *p);
double matmul_memory_ns(const struct chip *chip, const struct matmul *p);

#endif
