/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the cases of an input. */
#include "base/binary_search.h"
#include "base/sort.h"
#include "report/run/run.h"

#include <stdlib.h>
#include <string.h>

struct report_case *next_case(const struct input *in, const struct report_case *c)
{
	int i = c ? (int)(c - c->run->cases) + 1 : 0;
	for (int r = c ? (int)(c->run - in->runs) : 0; r < in->n_runs; r++, i = 0)
		if (i < in->runs[r].n_cases)
			return &in->runs[r].cases[i];
	return NULL;
}

int input_cut(const struct input *in, const char **first)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		if (!c->readable || !c->trace.ends_early)
			continue;
		if (!n++)
			*first = c->trace.path;
	}
	return n;
}

const struct report_case *input_lone(const struct input *in)
{
	bool lone = in->n_runs == 1 && !in->runs[0].of_matrix && in->runs[0].n_cases == 1;
	return lone ? &in->runs[0].cases[0] : NULL;
}

/* By id; of one id the first case first. */
ORDER(by_id, struct report_case *, strcmp((*a)->id, (*b)->id) ?: (*a > *b) - (*a < *b));

void input_index(struct input *in)
{
	for (int r = 0; r < in->n_runs; r++) {
		struct run *run = &in->runs[r];
		size_t n = (size_t)run->n_cases;
		run->by_id = arena_array(&in->arena, n + 1, sizeof *run->by_id);
		for (size_t i = 0; i < n; i++)
			run->by_id[i] = &run->cases[i];
		qsort(run->by_id, n, sizeof *run->by_id, by_id);
	}
}

/* A run that was put together by hand has no order. */
const struct report_case *run_find(const struct run *run, const char *id)
{
	int low = first_where(
		i, 0, run->by_id ? run->n_cases : 0, strcmp(run->by_id[i]->id, id) >= 0);
	for (; low < run->n_cases; low++) {
		const struct report_case *c = run->by_id ? run->by_id[low] : &run->cases[low];
		if (!strcmp(c->id, id))
			return c;
		if (run->by_id)
			break;
	}
	return NULL;
}

const struct report_case *input_find(const struct input *in, const struct run *run, const char *id)
{
	for (int pass = 0; pass < 2; pass++) {
		for (int r = 0; r < in->n_runs; r++) {
			const struct report_case *c =
				(&in->runs[r] == run) == pass ? NULL : run_find(&in->runs[r], id);
			if (c)
				return c->readable ? c : NULL;
		}
	}
	return NULL;
}
