/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chips.h - what devices can do at most, as their vendors' data sheets say: dense, without
 * sparsity, at the boost clock. A device that is not in the table has no ceiling of its own.
 */
#ifndef REPORT_ANALYSE_CHIPS_H
#define REPORT_ANALYSE_CHIPS_H

#include "report/trace/trace.h"

enum chip_make { MAKE_UNKNOWN, MAKE_NVIDIA, MAKE_AMD };

struct chip {
	const char *name; /* what its name in a trace holds */
	enum chip_make make;
	int gfx; /* AMD's instruction set, as kernels say it: 942, 90 for 90a; 0: NVIDIA's */
	int units; /* multiprocessors, compute units of AMD's */
	const char *source; /* the data sheet */
	double half; /* FLOP/s of fp16 and bf16 on tensor or matrix cores, sums in fp32 */
	double tf32; /* the same of TF32; 0: it has none */
	double fp32; /* FLOP/s of its plain cores */
	double memory; /* bytes/s of its memory */
	double link; /* bytes/s of PCIe, one way, by its generation and 16 lanes */
};

/* The share of a data sheet's rate that good kernels reach. Ours: cuBLAS on an H200 reaches 0.7 to
 * 0.8 of the peak in the large products of experiments/recorded. */
#define CHIP_REACHED 0.7

/* What a memory gives good kernels, and a link good copies; measured on an H200: 4221 of 4800 GB/s
 * by the fastest copy kernel, 54.6 of 64 GB/s from pinned memory. */
#define MEMORY_REACHED 0.85

/* The chip that a device's name tells ("NVIDIA H100 80GB HBM3": H100), NULL: none that is known. */
const struct chip *chip_named(const char *device);

/* The chip of the trace's first device, NULL when the file names none or one that is not known. */
const struct chip *chip_of(const struct trace *t);

/* The chips of the table that the file allows for its first device: its own where it is named; else
 * those of the maker, or with the instruction set, that names of kernels give away; else those of
 * the maker whose calls the host makes. All of them where nothing tells, none where a name is told
 * that the table lacks. */
enum { CHIPS = 19 };
struct chip_set {
	const struct chip *chip[CHIPS]; /* (n) */
	int n;
	bool named; /* by the file: n is 1 */
};
struct chip_set chips_allowed(const struct trace *t);

/* Does PyTorch's compiler make code for the first device (Triton: from 7.0 on)? True when unknown.
 */
bool chip_compiles(const struct trace *t);

/* Compute capability: major * 10 + minor of the first device, 0 unknown. */
int chip_architecture(const struct trace *t);

#endif
