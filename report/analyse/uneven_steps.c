/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/uneven_steps.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"

/* What a step has above the median one. */
static void add_above(const struct breakdown *p, const struct time_parts *s, int64_t *above)
{
	const struct time_parts *median = &p->steps[p->median].split;
	for (int i = 0; i < TIME_PARTS; i++)
		above[i] += s->ns[i] - median->ns[i];
}

/* Which part has most of it, computing as one. */
static enum time_part most_above(const int64_t *above, int64_t *ns)
{
	enum time_part most = TIME_GEMM;
	*ns = 0;
	for (int i = 0; i <= TIME_OTHER; i++)
		*ns += above[i];
	for (int i = TIME_OTHER + 1; i < TIME_PARTS; i++)
		if (above[i] > *ns) {
			*ns = above[i];
			most = (enum time_part)i;
		}
	return most;
}

static bool is_long(const struct breakdown *p, uint32_t step)
{
	return (double)split_length(&p->steps[step].split) >=
		LONG_TIMES * (double)split_length(&p->steps[p->median].split);
}

/* Is each long one as far from the last as the second is from the first? */
static uint32_t distance(const struct breakdown *p, uint32_t first, uint32_t n)
{
	enum { LEAST = 3 };
	uint32_t last = NO_ROW, every = 0;
	for (uint32_t i = first; i < p->n_steps; i++) {
		if (!is_long(p, i))
			continue;
		if (last != NO_ROW && every && i - last != every)
			return 0;
		every = last == NO_ROW ? 0 : i - last;
		last = i;
	}
	return n >= LEAST && every > 1 ? every : 0;
}

/* What of a step is nothing that the program did in it, as far as the file shows. */
static bool is_dark(enum time_part part)
{
	return part == TIME_PROFILER || part == TIME_BEFORE || part == TIME_AFTER ||
		part == TIME_UNKNOWN;
}

/* It is the only one of its kind. */
static void find_setup(const struct breakdown *p, struct uneven_steps *u)
{
	int64_t above[TIME_PARTS] = {0};
	int64_t first = split_length(&p->steps[0].split),
		median = split_length(&p->steps[p->median].split), most = 0;
	for (uint32_t i = 1; i < p->n_steps; i++)
		most = max64(most, split_length(&p->steps[i].split));
	if ((double)first < SETUP_TIMES * (double)median ||
		(double)first < LONG_TIMES * (double)most)
		return;
	add_above(p, &p->steps[0].split, above);
	u->setup_part = most_above(above, &u->setup_part_ns);
	u->setup_ns = is_dark(u->setup_part) ? 0 : first - median;
}

static void find_long(const struct breakdown *p, struct uneven_steps *u)
{
	int64_t above[TIME_PARTS] = {0}, median = split_length(&p->steps[p->median].split);
	uint32_t from = steps_steady_from(p->n_steps), n = 0;
	for (uint32_t i = from; i < p->n_steps; i++) {
		int64_t length = split_length(&p->steps[i].split);
		u->all_ns += length;
		if (!is_long(p, i))
			continue;
		u->first = n++ ? u->first : i;
		u->more_ns += length - median;
		add_above(p, &p->steps[i].split, above);
	}
	if (2 * n >= u->steady || (double)u->more_ns < LONG_SHARE * (double)u->all_ns)
		return;
	u->n = n;
	u->every = distance(p, u->first, n);
	u->part = most_above(above, &u->part_ns);
}

struct uneven_steps uneven_steps_of(const struct breakdown *p)
{
	struct uneven_steps u = {0};
	uint32_t from = steps_steady_from(p->n_steps);
	if (p->median == NO_ROW || p->headline == HEADLINE_NONE ||
		p->n_steps - from < LEAST_SETUP || split_length(&p->steps[p->median].split) <= 0)
		return u;
	u.steady = p->n_steps - from;
	find_setup(p, &u);
	if (p->n_steps - from >= LEAST_UNEVEN)
		find_long(p, &u);
	return u;
}
