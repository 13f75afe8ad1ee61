/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traits.h - what the name of a kernel, a copy, an operator or a call tells the remedies.
 */
#ifndef REPORT_ADVISE_TRAITS_H
#define REPORT_ADVISE_TRAITS_H

#include <stdint.h>

enum trait {
	/* of kernels */
	TRAIT_MISALIGNED = 1 << 0, /* reads operands one or two elements at a time */
	TRAIT_TURNS = 1 << 1, /* turns images from one order of channels to the other */
	TRAIT_CHANNELS_FIRST = 1 << 2, /* a batch norm for images whose channels come first */
	TRAIT_SOFTMAX = 1 << 3,
	TRAIT_PLAIN = 1 << 4, /* a product or a convolution in fp32 by the plain cores */
	TRAIT_FOURIER = 1 << 5, /* a convolution by Fourier transforms */
	TRAIT_FP64 = 1 << 6,
	TRAIT_TF32 = 1 << 7,
	TRAIT_ATTENDS_FP32 = 1 << 8, /* of attention: in fp32 */
	TRAIT_MOVES_FP32 = 1 << 9, /* of what moves data: of fp32 */
	TRAIT_FUSIBLE = 1 << 10, /* a compiler fuses it with its neighbours */
	/* of copies */
	TRAIT_PAGEABLE = 1 << 11,
	TRAIT_TO_DEVICE = 1 << 12,
	TRAIT_TO_HOST = 1 << 13,
	/* of operators */
	TRAIT_BATCHED = 1 << 14, /* a batched product */
	TRAIT_PRODUCT = 1 << 15, /* a product or a convolution */
	TRAIT_CONVOLUTION = 1 << 16,
	TRAIT_COPIES = 1 << 17,
	TRAIT_CASTS = 1 << 18,
	TRAIT_REORDERS = 1 << 19,
	TRAIT_MATMUL = 1 << 20,
	TRAIT_NONZERO = 1 << 21,
	TRAIT_OPTIMIZER = 1 << 22,
	/* of calls */
	TRAIT_GRAPH = 1 << 23, /* launches one */
	TRAIT_CAPTURE = 1 << 24, /* begins one */
	TRAIT_ALLOCATES = 1 << 25, /* asks the allocator, for memory or to take it back */
	/* of waits: at most one, what they are for */
	TRAIT_WAITS_ITEM = 1 << 26,
	TRAIT_WAITS_NONZERO = 1 << 27,
	TRAIT_WAITS_COPY = 1 << 28,

	TRAITS_ON_DEVICE = 1 << 29, /* of every name of which the one half or the other is known */
	TRAITS_ON_HOST = 1 << 30
};

/* Bits of enum trait: of kernels and copies; of the others. */
uint32_t traits_on_device(const char *name);
uint32_t traits_on_host(const char *name);

#endif
