/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nest.h - which span encloses which.
 *
 * Columns in, columns out: rows must be sorted by start, longer first at equal starts. A span is a
 * child of the innermost open span of its lane that contains it whole; one that only partly
 * overlaps the open span is nobody's child of it (PyTorch's rule, torch/autograd/profiler_util.py).
 */
#ifndef BASE_NEST_H
#define BASE_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_ROW UINT32_MAX

struct nest_in {
	size_t n;
	const int64_t *start_ns, *dur_ns; /* (n) */
	const uint32_t *lane; /* (n) lanes nest by themselves; lane numbers are < n_lanes */
	uint32_t n_lanes;
	const uint8_t *skip; /* (n) rows to leave out (instants, other kinds); NULL: none */
};

/* Of two spans of a lane, the one that opens later and one that is open: is it inside? */
static inline bool nest_inside(int64_t start_ns, int64_t end_ns, int64_t open_end_ns)
{
	return start_ns < open_end_ns && end_ns <= open_end_ns;
}

/* parent (n): row of the enclosing span or NO_ROW. depth (n): 0 for roots. Skipped rows get NO_ROW,
 * 0. */
void nest(const struct nest_in *in, uint32_t *parent, uint16_t *depth);

#endif
