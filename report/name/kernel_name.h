/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_name.h - what a kernel's name says about it.
 *
 * Libraries put their choices into the names of their kernels: types, tile, pipeline stages,
 * operand layouts. Each family has a grammar (read from the names in libcublasLt 13.1 and from
 * public traces; tests/unit/name/test_kernel_name.c holds the examples). What a grammar does not
 * explain is a PART_UNKNOWN, never a guess.
 *
 * Two readings differ from what is often written: in ampere_<x>_s16816gemm_<y>, x is the result's
 * type and y the operands' (ampere_int32_i16832gemm_int8 shows it, and cutlass's own generator says
 * so); in sm90_xmma_gemm_<x>_<y>_<z>, x holds operands and result (e4m3bf16), y the multiplied
 * and the summed type (tf32f32).
 *
 * Values are texts as they stand in names: "bf16", "128x256", "tn".
 */
#ifndef REPORT_NAME_KERNEL_NAME_H
#define REPORT_NAME_KERNEL_NAME_H

#include <stdbool.h>

enum kernel_family {
	FAMILY_NONE, /* no grammar fits */
	FAMILY_NVJET, /* cuBLAS on Hopper and Blackwell */
	FAMILY_XMMA, /* sm80_xmma_..., sm90_xmma_... */
	FAMILY_CUBLAS, /* ampere_..., turing_..., volta_..., maxwell_... */
	FAMILY_CUTLASS,
	FAMILY_SPLITK, /* the sum over the parts of a split product: counts with its GEMM */
	FAMILY_VECTOR, /* cuBLAS for vectors, dots and other thin shapes */
	FAMILY_TRITON, /* made by torch.compile */
	FAMILY_ATEN, /* PyTorch's own */
	FAMILY_TRACEBOOK, /* ours */
	KERNEL_FAMILIES
};

enum kernel_part {
	PART_ARCHITECTURE, /* "sm90", "ampere" */
	PART_OPERATION, /* "gemm", "add", "gelu_tanh mul" */
	PART_INPUT, /* type of the operands, "bf16"; of both when they differ, "e5m2 e4m3" */
	PART_MULTIPLY, /* type that is multiplied, where it is not the operands' */
	PART_ACCUMULATE, /* type of the sums */
	PART_OUTPUT,
	PART_SCALE, /* type of the epilogue's arithmetic */
	PART_INSTRUCTION, /* "16x8x16" of the tensor cores, "ffma" of the CUDA cores */
	PART_TILE, /* of the result, "128x256" */
	PART_K_STEP, /* elements of k at a time */
	PART_STAGES, /* k-steps in flight */
	PART_WARPS, /* "2x2x1" */
	PART_WARPGROUPS,
	PART_CLUSTER, /* blocks that share operands, "2x1" */
	PART_RASTER, /* order of the tiles: "h", "v" */
	PART_LAYOUT, /* "tn": first and second operand, in cuBLAS's columns */
	PART_SPLIT_K, /* "split", "segment", "stream", "2" within a block */
	PART_VECTOR, /* elements an access */
	PART_ALIGNMENT, /* elements */
	PART_EPILOGUE, /* "bias", "relu" ... */
	PART_ADDEND, /* "bz": none (beta is 0); "badd": onto the result (C is D); "bx": of another
			matrix (C is not D), as measured with cuBLASLt 13.1 on an H200 */
	PART_FLAG, /* a known mark: "coopA" */
	PART_NUMBER, /* that tells kernels of one kind apart */
	PART_UNKNOWN,
	KERNEL_PARTS
};

enum { KERNEL_NAME_ROOM = 32, KERNEL_VALUE_ROOM = 64 };

struct kernel_name {
	enum kernel_family family;
	int n;
	struct {
		enum kernel_part part;
		char value[KERNEL_VALUE_ROOM]; /* cut if longer */
	} row[KERNEL_NAME_ROOM]; /* (n) in the order of the name */
};

/* False, and an empty result, when no family's grammar fits. */
bool kernel_name_decode(struct kernel_name *k, const char *name);

/* The first value of a part, NULL when there is none. */
const char *kernel_name_part(const struct kernel_name *k, enum kernel_part part);

/* A matrix product? The sum of a split one is none. */
bool kernel_name_is_gemm(const struct kernel_name *k);

/* "nvjet", "tile": keys of the templates. */
const char *kernel_family_key(enum kernel_family family);
const char *kernel_part_key(enum kernel_part part);

#endif
