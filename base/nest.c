/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nest.h"

#include "base/err.h"

#include <stdlib.h>

/* The open spans of a lane form a list through `parent` itself, from the innermost outwards: when a
 * span is closed it never opens again, so its parent is already final and no stack is needed. */
void nest(const struct nest_in *in, uint32_t *parent, uint16_t *depth)
{
	uint32_t *open = xalloc(in->n_lanes * sizeof *open);
	for (uint32_t lane = 0; lane < in->n_lanes; lane++)
		open[lane] = NO_ROW;
	for (size_t i = 0; i < in->n; i++) {
		parent[i] = NO_ROW;
		depth[i] = 0;
		if (in->skip && in->skip[i])
			continue;
		int64_t start = in->start_ns[i], end = start + in->dur_ns[i];
		uint32_t p = open[in->lane[i]];
		while (p != NO_ROW) {
			if (nest_inside(start, end, in->start_ns[p] + in->dur_ns[p]))
				break;
			p = parent[p];
		}
		parent[i] = p;
		if (p != NO_ROW)
			depth[i] = depth[p] < UINT16_MAX ? (uint16_t)(depth[p] + 1) : UINT16_MAX;
		open[in->lane[i]] = (uint32_t)i;
	}
	free(open);
}
