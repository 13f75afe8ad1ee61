/* SPDX-License-Identifier: Apache-2.0 */
#include "report/advise/recording.h"

#include "base/err.h"

#include <stdlib.h>

/* Lengths by steps of RECORDING_STEP_NS; the last slot has all that are longer. */
enum { SLOTS = 2048 };

struct lengths {
	uint32_t slot[SLOTS];
	size_t n;
};

static void add(struct lengths *x, int64_t ns)
{
	int64_t slot = ns > 0 ? ns / RECORDING_STEP_NS : 0;
	x->slot[slot < SLOTS ? slot : SLOTS - 1]++;
	x->n++;
}

static int64_t median(const struct lengths *x)
{
	size_t seen = 0;
	for (int i = 0; i < SLOTS; i++) {
		seen += x->slot[i];
		if (2 * seen > x->n)
			return (int64_t)i * RECORDING_STEP_NS;
	}
	return 0;
}

/* The last row inside each operator comes last in the order of the rows, too. */
int64_t recording_operator_ns(const struct trace *t)
{
	struct lengths begins = {0}, ends = {0};
	uint32_t *last = xcalloc(t->n + 1, sizeof *last);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up = t->parent[i];
		if (up == NO_ROW || t->kind[up] != EVENT_OP)
			continue;
		if (!last[up] && t->kind[i] == EVENT_OP)
			add(&begins, t->start_ns[i] - t->start_ns[up]);
		last[up] = i;
	}
	for (uint32_t i = 0; i < t->n; i++)
		if (last[i] && t->kind[last[i]] == EVENT_OP)
			add(&ends, row_end(t, i) - row_end(t, last[i]));
	free(last);
	if (begins.n < RECORDING_PAIRS || ends.n < RECORDING_PAIRS)
		return RECORDING_OPERATOR_NS;
	return median(&begins) + median(&ends);
}
