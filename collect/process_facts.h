/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_facts.h - what /proc tells of a running process of ours. Linux only.
 */
#ifndef COLLECT_PROCESS_FACTS_H
#define COLLECT_PROCESS_FACTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <sys/types.h>

/* Its number among the processes of a parallel program, and how many they are, by the environment
 * that torchrun, mpirun or srun started it with; -1 where none did. A job of one process has no
 * rank. */
void process_rank(pid_t pid, long *rank, long *world);

/* Has it PyTorch in it? */
bool process_has_torch(pid_t pid);

#endif
