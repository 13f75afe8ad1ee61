/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/addition_costs.h"

#include "report/analyse/case_numbers.h"
#include "report/course/case_work.h"
#include "report/run/manifest.h"
#include "report/section/ratio_words.h"

#include <math.h>
#include <stdlib.h>

static uint32_t count_class(const struct report_case *c, const struct step *s, int class)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		n += c->analysis->class[s->device[i]] == class;
	return n;
}

/* Time of one class in each steady step. The caller frees. */
static int64_t *class_times(const struct report_case *c, bool product, size_t *n)
{
	const struct analysis *a = c->analysis;
	uint32_t first = steady_from(a);
	int64_t *ns = xcalloc(a->n_steps + 1, sizeof *ns);
	*n = a->n_steps - first;
	for (uint32_t s = first; s < a->n_steps; s++)
		for (uint32_t i = 0; i < a->steps[s].n_device; i++) {
			uint32_t row = a->steps[s].device[i];
			bool gemm = class_of_product(a->class[row]);
			ns[s - first] += gemm == product ? c->trace.dur_ns[row] : 0;
		}
	return ns;
}

static struct stats times_of(const struct report_case *c, bool product)
{
	size_t n;
	int64_t *ns = class_times(c, product, &n);
	struct stats s = stats_of(ns, n);
	free(ns);
	return s;
}

/* What a case does with b, told from what ran in its steps; ADDITIONS if nothing of the kind. */
static enum addition addition_of(const struct report_case *c)
{
	const struct analysis *a = c->analysis;
	if (!c->readable || !a->n_steps || work_size(c->work, "batch") > 0 ||
		!(work_size(c->work, "size") > 0) || c->work->dtype == DTYPES || !adds_a_matrix(c))
		return ADDITIONS;
	const struct step *s = &a->steps[steady_from(a)];
	uint32_t products = count_class(c, s, CLASS_GEMM);
	uint32_t adds = count_class(c, s, CLASS_ADD);
	uint32_t sums = count_class(c, s, CLASS_SPLITK) + count_class(c, s, CLASS_CLEAR);
	uint32_t copies = count_class(c, s, CLASS_COPY);
	if (products != 1 || products + sums + adds + copies != s->n_device || adds + copies > 1)
		return ADDITIONS;
	return adds ? ADD_KERNEL : copies ? ADD_COPY : ADD_EPILOGUE;
}

static bool same_matrix(const struct report_case *a, const struct report_case *b)
{
	return work_size(a->work, "size") == work_size(b->work, "size") &&
		a->work->dtype == b->work->dtype;
}

/* The first warm case that adds in this way and is of the same size, or the first at all. */
static const struct report_case *find_case(
	const struct run *run, enum addition way, const struct report_case *like)
{
	const struct report_case *found = NULL;
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		if (addition_of(c) != way || !same_matrix(c, like))
			continue;
		if (c->work->warm)
			return c;
		found = found ? found : c;
	}
	return found;
}

/* A product is no surer than the step that it takes most of, of which more recordings tell. */
static void widen_as_step(struct arena *a, struct sure_ratio *r, const struct report_case *mine,
	const struct report_case *others)
{
	const struct sure_ratio step = case_ratio(a, mine, others, true);
	if (!(step.ratio > 0) || !(r->ratio > 0))
		return;
	struct certainty *x = &r->certainty;
	x->low = fmin(x->low, r->ratio * step.certainty.low / step.ratio);
	x->high = fmax(x->high, r->ratio * step.certainty.high / step.ratio);
}

static void compare_products(struct arena *a, struct addition_cost *cost, const struct run *run,
	const struct report_case *alone)
{
	struct times with, without;
	int64_t *one = class_times(cost->c, true, &with.n);
	int64_t *other = class_times(alone, true, &without.n);
	with.ns = one;
	without.ns = other;
	double mine = times_of(cost->c, true).median, others = times_of(alone, true).median;
	cost->compared = others > 0;
	cost->product_ns = mine - others;
	if (cost->compared)
		cost->product = sure_of_times(mine / others, &with, &without, run->apart_device);
	if (cost->compared)
		widen_as_step(a, &cost->product, cost->c, alone);
	free(one);
	free(other);
}

static void fill_costs(struct addition_costs *l, struct arena *a, const struct run *run,
	const struct report_case *alone)
{
	double whole = l->m * l->n * l->element_bytes;
	static const double matrices[ADDITIONS] = {3, 3, 1, 0};
	for (int way = 0; way < ADDITIONS; way++) {
		struct addition_cost *cost = &l->cost[way];
		*cost = (struct addition_cost){.bytes = matrices[way] * whole};
		if (way == ADD_BIAS) {
			cost->bytes = l->n * l->element_bytes;
			continue;
		}
		cost->c = way == ADD_KERNEL ? alone : find_case(run, (enum addition)way, alone);
		if (!cost->c)
			continue;
		cost->kernel_ns = times_of(cost->c, false).median;
		if (way != ADD_KERNEL)
			compare_products(a, cost, run, alone);
	}
}

/* In how many ways the run added a matrix of this size. */
static int ways_like(const struct run *run, const struct report_case *c)
{
	int n = 0;
	for (int way = 0; way < ADD_BIAS; way++)
		n += find_case(run, (enum addition)way, c) != NULL;
	return n;
}

static const struct report_case *choose_alone(const struct run *run)
{
	const struct report_case *best = NULL;
	int most = 1; /* one way alone compares with nothing */
	for (int i = 0; i < run->n_cases; i++) {
		const struct report_case *c = &run->cases[i];
		int ways = addition_of(c) == ADD_KERNEL ? ways_like(run, c) : 0;
		double size = work_size(c->work, "size");
		if (ways > most || (best && ways == most && size > work_size(best->work, "size"))) {
			most = ways;
			best = find_case(run, ADD_KERNEL, c);
		}
	}
	return best;
}

bool addition_costs_find(struct addition_costs *l, struct arena *a, const struct run *run)
{
	const struct report_case *alone = choose_alone(run);
	if (!alone)
		return false;
	l->m = l->n = work_size(alone->work, "size");
	l->element_bytes = work_element_bytes(alone->work);
	l->dtype = alone->work->dtype;
	l->height = addition_costs_height;
	fill_costs(l, a, run, alone);
	return true;
}
