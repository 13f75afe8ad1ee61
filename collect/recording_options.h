/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording_options.h - what is to be recorded of a program, as it was typed.
 */
#ifndef COLLECT_RECORDING_OPTIONS_H
#define COLLECT_RECORDING_OPTIONS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* What each event carries beside its times; all of it weighs on the numbers. PyTorch writes no FLOP
 * into a trace: they follow from the shapes. */
struct record_with {
	bool shapes, stacks, memory, flops;
};

/* What a person asked for. */
struct recording_options {
	int64_t after_ns; /* since the start of the program; -1: not said */
	long after_steps; /* optimizer steps; 0: not said */
	int64_t for_ns; /* length by time */
	long steps; /* length by steps; 0: by time */
	struct record_with with;
};

/* "shapes, stacks"; "" when nothing is on. */
const char *with_words(struct arena *a, const struct record_with *with);

#endif
