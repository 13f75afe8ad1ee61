/* SPDX-License-Identifier: Apache-2.0 */
/* Of many ranks those that are worth a look of their own. */
#include "report/analyse/ranks.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

struct outlier {
	uint32_t row;
	double score;
};

ORDER(by_score, struct outlier, DOWN(score) ?: UP(row));

double rank_distance(const struct ranks *r, const int64_t value[RANK_COLUMNS])
{
	static const enum rank_column columns[] = {RANK_STEP_NS, RANK_BUSY_NS, RANK_COMPUTE_NS,
		RANK_COMMUNICATION_NS, RANK_EXPOSED_NS, RANK_IDLE_NS};
	double whole = r->spread[RANK_WINDOW_NS].median, score = 0;
	for (size_t i = 0; i < sizeof columns / sizeof *columns && whole > 0; i++) {
		enum rank_column k = columns[i];
		score = fmax(score, fabs((double)value[k] - r->spread[k].median) / whole);
	}
	return score;
}

uint32_t *ranks_apart(struct arena *a, const struct ranks *r, uint32_t most, uint32_t *n)
{
	struct outlier *list = arena_array(a, r->n + 1, sizeof *list);
	uint32_t *row = arena_array(a, most + 1, sizeof *row);
	for (uint32_t i = 0; i < r->n; i++)
		list[i] = (struct outlier){i, rank_distance(r, r->row[i].value)};
	qsort(list, r->n, sizeof *list, by_score);
	for (*n = 0; *n < r->n && *n < most && list[*n].score >= RANK_APART; (*n)++)
		row[*n] = list[*n].row;
	return row;
}
