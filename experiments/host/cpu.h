/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.h - which processor this is, and what oneDNN makes of it.
 */
#ifndef EXPERIMENTS_HOST_CPU_H
#define EXPERIMENTS_HOST_CPU_H

#include <stdbool.h>

struct cpu {
	char name[128]; /* /proc/cpuinfo's "model name", or "unknown CPU" */
	char runtime[64]; /* "oneDNN 2.6.3" */
	const char *isa; /* the instruction set that oneDNN generates code for */
	bool bf16_native; /* it has instructions that multiply bf16 */
	int threads; /* the cores that this process may run on, or OMP_NUM_THREADS */
};

void cpu_read(struct cpu *cpu);

#endif
