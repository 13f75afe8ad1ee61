/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/ranks_of_run.h"

#include "base/min_max.h"

const char *rank_left_out(const struct report_case *c)
{
	return !c->readable		 ? "ranks.out.unreadable"
		: c->trace.ends_early	 ? "ranks.out.cut"
		: !c->analysis->n_device ? "ranks.out.device"
		: c->trace.rank < 0	 ? "ranks.out.rank"
					 : NULL;
}

struct rank_part *rank_parts_of(struct arena *a, const struct run *run, uint32_t *n)
{
	struct rank_part *part = arena_array(a, (size_t)run->n_cases + 1, sizeof *part);
	*n = 0;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (!rank_left_out(c))
			part[(*n)++] = (struct rank_part){c->analysis, c->idle_causes, c->streams};
	}
	return part;
}

const struct report_case *case_of_rank_part(const struct run *run, uint32_t part)
{
	uint32_t n = 0;
	for (int i = 0; i < run->n_cases; i++)
		if (!rank_left_out(&run->cases[i]) && n++ == part)
			return &run->cases[i];
	return NULL;
}

static void give_page(struct run *run, const struct report_case *c, int most)
{
	if (!c || c->paged || run->n_paged >= most)
		return;
	run->cases[c - run->cases].paged = true;
	run->paged[run->n_paged++] = c;
}

static void give_pages_to_outliers(struct run *run)
{
	struct arena a = {0};
	uint32_t n;
	struct rank_part *part = rank_parts_of(&a, run, &n);
	const struct ranks r = ranks_of(&a, part, n);
	const struct straggler *s = &r.straggler;
	bool found = n > 1 && s->reason == STRAGGLER_FOUND;
	if (found)
		give_page(run, case_of_rank_part(run, r.row[s->row].part), MOST_PAGED);
	for (uint32_t i = 0; found && i < s->n_also; i++)
		give_page(run, case_of_rank_part(run, r.row[s->also[i]].part), MOST_PAGED);
	const uint32_t *row = ranks_apart(&a, &r, MOST_PAGED, &n);
	for (uint32_t i = 0; i < n; i++)
		give_page(run, case_of_rank_part(run, r.row[row[i]].part), MOST_PAGED);
	arena_release(&a);
}

void choose_paged(struct input *in)
{
	for (int r = 0; r < in->n_runs; r++) {
		struct run *run = &in->runs[r];
		const int most = run->of_matrix ? MOST_OF_MATRIX : MOST_PAGED;
		run->paged = arena_array(
			&in->arena, (size_t)min_int(run->n_cases, most) + 1, sizeof(void *));
		if (!run->of_matrix && run->n_cases > MOST_PAGED)
			give_pages_to_outliers(run);
		for (int i = 0; i < run->n_cases; i++)
			give_page(run, &run->cases[i], most);
	}
}
