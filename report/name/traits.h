/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traits.h - what the name of a kernel, a copy, an operator, a call or a range tells, beside what
 * it does (classify.h). One table, of which each name is asked once (analysis.h): whoever
 * wants to know whether a copy is pageable, a call frees memory or a range loads data asks for a
 * bit.
 */
#ifndef REPORT_NAME_TRAITS_H
#define REPORT_NAME_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Of what runs on a device. */
enum device_trait {
	/* kernels */
	TRAIT_MISALIGNED = 1 << 0, /* reads operands one or two elements at a time */
	TRAIT_TURNS = 1 << 1, /* turns images from one order of channels to the other */
	TRAIT_CHANNELS_FIRST = 1 << 2, /* a batch norm for images whose channels come first */
	TRAIT_SOFTMAX = 1 << 3,
	TRAIT_TENSOR = 1 << 4, /* on the tensor cores */
	TRAIT_PLAIN = 1 << 5, /* a product or a convolution on the plain cores */
	TRAIT_PLAIN_FP32 = 1 << 6, /* the same in fp32 */
	TRAIT_FOURIER = 1 << 7, /* a convolution by Fourier transforms */
	TRAIT_FP64 = 1 << 8,
	TRAIT_TF32 = 1 << 9,
	TRAIT_ATTENDS_FP32 = 1 << 10, /* of attention: in fp32 */
	TRAIT_MOVES_FP32 = 1 << 11, /* of what moves data: of fp32 */
	TRAIT_FUSIBLE = 1 << 12, /* a compiler fuses it with its neighbours */
	TRAIT_SPINS = 1 << 20, /* it waits, and computes nothing */
	TRAIT_SORTS = 1 << 21,
	TRAIT_BATCH_STATISTICS = 1 << 22, /* a batch norm that looks at the batch, to train */
	/* copies */
	TRAIT_PAGEABLE = 1 << 13, /* from or to pageable memory */
	TRAIT_PINNED = 1 << 14,
	TRAIT_TO_DEVICE = 1 << 15,
	TRAIT_TO_HOST = 1 << 16,
	TRAIT_WITHIN = 1 << 17, /* from a device to itself, of the host device from host to host */
	TRAIT_PEER = 1 << 18, /* from one device to another */
	TRAIT_HOST_TO_HOST = 1 << 19,
};

/* Of the host's operators, calls and ranges, and of the recorder's overhead. */
enum host_trait {
	/* operators */
	TRAIT_BATCHED = 1 << 0, /* a batched product */
	TRAIT_PRODUCT = 1 << 1, /* a product or a convolution */
	TRAIT_CONVOLUTION = 1 << 2,
	TRAIT_COPIES = 1 << 3,
	TRAIT_CASTS = 1 << 4,
	TRAIT_REORDERS = 1 << 5,
	TRAIT_MATMUL = 1 << 6,
	TRAIT_NONZERO = 1 << 7,
	TRAIT_OPTIMIZER = 1 << 8,
	TRAIT_BACKWARD = 1 << 9, /* of a backward pass */
	/* calls */
	TRAIT_GRAPH = 1 << 10, /* launches one */
	TRAIT_CAPTURE = 1 << 11, /* begins one */
	TRAIT_ALLOCATES = 1 << 12, /* asks the driver for memory, or to take it back; not a pool */
	TRAIT_FREES = 1 << 13, /* gives memory back, for which the device is waited for */
	TRAIT_ASYNC = 1 << 14,
	TRAIT_LAUNCH_EX = 1 << 15, /* cudaLaunchKernelExC, cuLaunchKernelEx */
	TRAIT_ORDERS = 1 << 22, /* one stream waits for another */
	/* what a wait is for: at most one */
	TRAIT_WAITS_ITEM = 1 << 16,
	TRAIT_WAITS_NONZERO = 1 << 17,
	TRAIT_WAITS_COPY = 1 << 18,
	/* ranges */
	TRAIT_LOADER = 1 << 19, /* PyTorch's own: enumerate(DataLoader)#... */
	TRAIT_INPUT = 1 << 20, /* data are fetched or prepared ("DataLoader", "preprocess" ...) */
	TRAIT_REQUEST = 1 << 21, /* the recorder asks for a buffer */
};

struct lettered;
uint32_t traits_of_kernel(const char *name);
uint32_t traits_of_copy(const char *name);
uint32_t traits_of_host(const char *name);

/* TRAIT_INPUT alone, of Python functions, too, which are many; TRAIT_GRAPH alone. */
bool is_input_name(const char *name);
bool is_input_lettered(const struct lettered *l);
bool is_graph_launch(const char *name);

#endif
