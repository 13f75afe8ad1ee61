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

#include "base/enum_names.h"

#include <stdbool.h>

/* A family and its key in the templates. */
#define FAMILY_LIST(X) \
	X(FAMILY_NONE, "none") /* no grammar fits */ \
	X(FAMILY_NVJET, "nvjet") /* cuBLAS on Hopper and Blackwell */ \
	X(FAMILY_XMMA, "xmma") /* sm80_xmma_..., sm90_xmma_... */ \
	X(FAMILY_CUBLAS, "cublas") /* ampere_..., turing_..., volta_..., maxwell_... */ \
	X(FAMILY_CUTLASS, "cutlass") \
	/* the sum over the parts of a split product: counts with its GEMM */ \
	X(FAMILY_SPLITK, "splitk") \
	X(FAMILY_VECTOR, "vector") /* cuBLAS for vectors, dots and other thin shapes */ \
	X(FAMILY_FMHA, "fmha") /* attention of PyTorch's efficient back-end, by CUTLASS */ \
	X(FAMILY_FLASH, "flash") /* of its flash back-end, by Dao-AILab */ \
	X(FAMILY_CUDNN, "cudnn") /* of its cuDNN back-end */ \
	X(FAMILY_TRITON, "triton") /* made by torch.compile */ \
	X(FAMILY_ATEN, "aten") /* PyTorch's own */ \
	X(FAMILY_TRACEBOOK, "tracebook") /* ours */

enum kernel_family { FAMILY_LIST(KIND_MEMBER) KERNEL_FAMILIES };

/* A part of a name and its key in the templates. */
#define PART_LIST(X) \
	X(PART_ARCHITECTURE, "architecture") /* "sm90", "ampere" */ \
	X(PART_OPERATION, "operation") /* "gemm", "add", "gelu_tanh mul" */ \
	/* type of the operands, "bf16"; of both when they differ, "e5m2 e4m3" */ \
	X(PART_INPUT, "input") \
	X(PART_MULTIPLY, "multiply") /* type that is multiplied, where it is not the operands' */ \
	X(PART_ACCUMULATE, "accumulate") /* type of the sums */ \
	X(PART_OUTPUT, "output") \
	X(PART_SCALE, "scale") /* type of the epilogue's arithmetic */ \
	/* "16x8x16" of the tensor cores, "ffma" of the CUDA cores */ \
	X(PART_INSTRUCTION, "instruction") \
	X(PART_TILE, "tile") /* of the result, "128x256" */ \
	X(PART_K_STEP, "k_step") /* elements of k at a time */ \
	X(PART_STAGES, "stages") /* k-steps in flight */ \
	X(PART_WARPS, "warps") /* "2x2x1" */ \
	X(PART_WARPGROUPS, "warpgroups") \
	X(PART_CLUSTER, "cluster") /* blocks that share operands, "2x1" */ \
	X(PART_RASTER, "raster") /* order of the tiles: "h", "v" */ \
	X(PART_LAYOUT, "layout") /* "tn": first and second operand, in cuBLAS's columns */ \
	X(PART_SPLIT_K, "split_k") /* "split", "segment", "stream", "2" within a block */ \
	X(PART_VECTOR, "vector") /* elements an access */ \
	X(PART_ALIGNMENT, "alignment") /* elements */ \
	X(PART_EPILOGUE, "epilogue") /* "bias", "relu" ... */ \
	/* "bz": none (beta is 0); "badd": onto the result (C is D); "bx": of another matrix (C \
	   is not D), as measured with cuBLASLt 13.1 on an H200 */ \
	X(PART_ADDEND, "addend") \
	X(PART_FLAG, "flag") /* a known mark: "coopA" */ \
	X(PART_HEAD, "head") /* elements of a row of attention */ \
	X(PART_NUMBER, "number") /* that tells kernels of one kind apart */ \
	X(PART_UNKNOWN, "unknown")

enum kernel_part { PART_LIST(KIND_MEMBER) KERNEL_PARTS };

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
