/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operators.h - how many operators PyTorch has run in this process while it is recorded by its own
 * profiler, which does not tell.
 *
 * What ends and writes a recording takes a time for each operator in it, so tracebook-torch-
 * profilers.py asks, and is woken when a number of them is reached: at 700 000 operators a second a
 * clock that looks ten times a second comes too late. A counter is what PyTorch calls a global
 * callback, without a start: some 20 ns an operator beside a profiler, 60 to 90 alone; it stays
 * only as long as something is recorded. PyTorch shows the two functions that it takes under names
 * of C++, and what they are given is laid out as plain C would.
 */
#ifndef COLLECT_INJECT_OPERATORS_H
#define COLLECT_INJECT_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

/* From here on; false: this PyTorch, if it is one, cannot. */
bool tracebook_operators_begin(void);

/* So many since the process began to count. */
uint64_t tracebook_operators_counted(void);

/* Py_AddPendingCall(what, NULL), once, when `most` are counted. */
void tracebook_operators_wake(
	uint64_t most, int (*add)(int (*)(void *), void *), int (*what)(void *));

/* No more; what was counted stays. */
void tracebook_operators_end(void);

#endif
