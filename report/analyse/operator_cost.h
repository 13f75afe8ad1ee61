/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator_cost.h - what an operator has to compute and to move at least, by the shapes of its
 * inputs.
 */
#ifndef REPORT_ANALYSE_COST_H
#define REPORT_ANALYSE_COST_H

#include "report/analyse/shapes.h"

enum work_kind { WORK_OTHER, WORK_GEMM, WORK_CONVOLUTION, WORK_ATTENTION, WORK_POINTWISE };

struct cost {
	enum work_kind work; /* WORK_OTHER: told by its name alone, nothing is known of it */
	double flop; /* NAN: not known */
	double bytes; /* inputs read once, result written once; NAN: not known */
	double most_bytes; /* the same where it depends on the values how much is read: experts of
			      tokens; else `bytes` */
	int element_bytes; /* of the first input with a type, 0 unknown */
};

/* Sources: products and convolutions as PyTorch's torch/utils/flop_counter.py (2 m n k; 2 * batch *
 * output * filter; of a convolution's backward that of each gradient asked for); fused experts of
 * tokens 2 * tokens * experts of each * elements of one expert's matrices; attention 4 b h q
 * k d forward and 10 backward, the whole square also where a mask halves it (the same file). An
 * element-wise operator computes one FLOP for each element of its result, which has the shape that
 * its inputs are broadcast to. In-place operators (a name that ends in _) write their first input.
 */
struct cost cost_of(const struct analysis *a, uint32_t op_row);

/* FLOP/s of the data sheet that such work could reach; NAN: not known. plain: by a kernel that says
 * it is on the plain cores; others take TF32 where the chip has it. */
double cost_rate(const struct chip *chip, const struct cost *c, enum work_kind work, bool plain);

/* FLOP as PyTorch's profiler counts it with with_flops (torch/csrc/profiler/util.cpp,
 * computeFlops): conv2d, mm, addmm, bmm, baddbmm, and one for each element of the first input of
 * add and mul; 0 for all others. asked (names): zeroes at first; each name is asked once. */
double pytorch_flop(const struct analysis *a, uint8_t *asked, uint32_t op_row);

#endif
