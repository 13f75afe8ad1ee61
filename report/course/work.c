/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/work.h"

#include "report/analyse/case_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a kernel moves ---- */

static const struct work unknown = {(double)NAN, (double)NAN, (double)NAN};

static int class_at(const struct report_case *c, const struct step *s, uint32_t nth)
{
	return c->analysis->class[s->device[nth]];
}

static uint32_t count_class(
	const struct report_case *c, const struct step *s, uint32_t end, int class)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < end; i++)
		n += class_at(c, s, i) == class;
	return n;
}

/* Does a row count in this step? */
static bool row_counts(
	const struct report_case *c, const struct step *s, const struct kernel_work_row *row)
{
	return (row->with == CLASSES || count_class(c, s, s->n_device, row->with)) &&
		(row->without == CLASSES || !count_class(c, s, s->n_device, row->without));
}

/* The row of the nth device event of a step; NULL when none tells. */
static const struct kernel_work_row *kernel_row(
	const struct report_case *c, const struct step *s, uint32_t nth)
{
	int class = class_at(c, s, nth);
	const int of[] = {class, class_of_product((uint8_t) class) ? class : CLASSES};
	const struct kernel_work_row *found = NULL;
	for (int i = 0; i < 2 && !found; i++) {
		uint32_t before = count_class(c, s, nth, class);
		for (int k = 0; k < c->work->n_kernels; k++) {
			const struct kernel_work_row *row = &c->work->kernel[k];
			if (row->class != of[i] || !row_counts(c, s, row))
				continue;
			found = row;
			if (!before--)
				break;
		}
	}
	return found;
}

enum work_epilogue product_epilogue(const struct report_case *c, const struct step *s)
{
	for (uint32_t i = 0; c->work && i < s->n_device; i++)
		if (class_at(c, s, i) == CLASS_GEMM) {
			const struct kernel_work_row *row = kernel_row(c, s, i);
			return row ? row->epilogue : EPILOGUE_NONE;
		}
	return EPILOGUE_NONE;
}

bool adds_a_matrix(const struct report_case *c)
{
	for (int i = 0; c->work && i < c->work->n_kernels; i++)
		if (c->work->kernel[i].epilogue == EPILOGUE_ADDEND)
			return true;
	return false;
}

static struct work copied(const struct report_case *c, uint32_t row)
{
	const struct trace *t = &c->trace;
	bool told = t->kind[row] != EVENT_KERNEL && t->side[row] != NO_ROW;
	int64_t bytes = told ? t->copies[t->side[row]].bytes : -1;
	if (bytes < 0)
		return unknown;
	bool fill = t->kind[row] == EVENT_MEMSET;
	return (struct work){0, fill ? 0 : (double)bytes, (double)bytes};
}

struct work work_of(const struct report_case *c, const struct step *s, uint32_t nth)
{
	if (!c->work || c->work->dtype == DTYPES || work_size(c->work, "then_batch") > 0)
		return unknown;
	if (c->trace.kind[s->device[nth]] != EVENT_KERNEL)
		return copied(c, s->device[nth]);
	const struct kernel_work_row *row = kernel_row(c, s, nth);
	return row ? (struct work){row->flop, row->read_bytes, row->write_bytes} : unknown;
}

double step_bytes(const struct report_case *c, const struct step *s)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->n_device; i++) {
		struct work w = work_of(c, s, i);
		/* The sum of a split product stays within the product's account. */
		if (!class_counts_with_gemm((uint8_t)class_at(c, s, i)))
			sum += w.read_bytes + w.write_bytes;
	}
	return sum;
}

/* ---- the ledger ---- */

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
	uint32_t products = count_class(c, s, s->n_device, CLASS_GEMM);
	uint32_t adds = count_class(c, s, s->n_device, CLASS_ADD);
	uint32_t sums = count_class(c, s, s->n_device, CLASS_SPLITK) +
		count_class(c, s, s->n_device, CLASS_CLEAR);
	uint32_t copies = count_class(c, s, s->n_device, CLASS_COPY);
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

static void compare_products(struct addition_cost *cost, const struct report_case *alone)
{
	struct stats with = times_of(cost->c, true), without = times_of(alone, true);
	cost->compared = true;
	cost->product_ns = with.median - without.median;
	cost->product_low_ns = (double)(with.min - without.max);
	cost->product_high_ns = (double)(with.max - without.min);
}

static void fill_costs(
	struct byte_ledger *l, const struct run *run, const struct report_case *alone)
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
			compare_products(cost, alone);
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

bool byte_ledger_find(struct byte_ledger *l, const struct run *run)
{
	const struct report_case *alone = choose_alone(run);
	if (!alone)
		return false;
	l->m = l->n = work_size(alone->work, "size");
	l->element_bytes = work_element_bytes(alone->work);
	l->dtype = alone->work->dtype;
	l->height = byte_ledger_height;
	fill_costs(l, run, alone);
	return true;
}
