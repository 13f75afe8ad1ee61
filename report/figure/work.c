/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figure/work.h"

#include "report/analyse/case_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a case is ---- */

double case_number(const struct report_case *c, const char *name)
{
	const cJSON *m = c->entry ? config_find(c->entry, name) : NULL;
	return cJSON_IsNumber(m) ? m->valuedouble : 0;
}

double case_dimension(const struct report_case *c, const char *name)
{
	const cJSON *shape = c->entry ? config_find(c->entry, "shape") : NULL;
	const cJSON *m = config_find(shape, name);
	return cJSON_IsNumber(m) ? m->valuedouble : 0;
}

static const char *text_of(const struct report_case *c, const char *name)
{
	const char *text = c->entry ? cJSON_GetStringValue(config_find(c->entry, name)) : NULL;
	return text ? text : "";
}

int case_element_bytes(const struct report_case *c)
{
	static const struct {
		const char *dtype;
		int bytes;
	} sizes[] = {{"bf16", 2}, {"fp16", 2}, {"fp32", 4}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (!strcmp(text_of(c, "dtype"), sizes[i].dtype))
			return sizes[i].bytes;
	return 0;
}

const char *case_label(struct arena *a, const struct report_case *c)
{
	return case_scaled_untold(c) ? arena_printf(a, "%s ↓", c->title) : c->title;
}

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

/* Bytes of an m by n matrix. */
static double matrix(const struct report_case *c, double m, double n)
{
	return m * n * case_element_bytes(c);
}

static struct work product(const struct report_case *c, double m, double n, double k)
{
	return (struct work){.flop = 2 * m * n * k,
		.read_bytes = matrix(c, m, k) + matrix(c, k, n),
		.write_bytes = matrix(c, m, n)};
}

/* y = x w + b, with b as large as y: without an add kernel the product reads it. */
static struct work matmul_add(const struct report_case *c, const struct step *s, uint32_t nth)
{
	double size = case_dimension(c, "size"), batch = case_dimension(c, "batch");
	double tensor = matrix(c, size, size) * (batch > 0 ? batch : 1);
	bool added = count_class(c, s, s->n_device, CLASS_ADD) > 0;
	switch (class_at(c, s, nth)) {
	case CLASS_GEMM:
		return (struct work){.flop = 2 * size * size * size * (batch > 0 ? batch : 1),
			.read_bytes = (added ? 2 : 3) * tensor,
			.write_bytes = tensor};
	case CLASS_ADD:
		return (struct work){tensor / case_element_bytes(c), 2 * tensor, tensor};
	default:
		return unknown;
	}
}

static struct work linear(const struct report_case *c, const struct step *s, uint32_t nth)
{
	double out = case_dimension(c, "out_dim");
	if (class_at(c, s, nth) != CLASS_GEMM)
		return unknown;
	struct work w = product(c, case_dimension(c, "batch"), out, case_dimension(c, "in_dim"));
	w.read_bytes += matrix(c, 1, out);
	return w;
}

/* Reads every element and writes it. */
static struct work square(const struct report_case *c, const struct step *s, uint32_t nth)
{
	double elements = case_dimension(c, "batch") * case_dimension(c, "dim");
	double bytes = elements * case_element_bytes(c);
	int class = class_at(c, s, nth);
	bool product = class_of_product((uint8_t) class);
	return product ? unknown : (struct work){elements, bytes, bytes};
}

/* Two products up, the activation, one product down. */
static struct work geglu(const struct report_case *c, const struct step *s, uint32_t nth)
{
	double rows = case_dimension(c, "batch") * case_dimension(c, "seq");
	double dim = case_dimension(c, "dim"), hidden = case_dimension(c, "hidden");
	double wide = matrix(c, rows, hidden), elements = rows * hidden;
	switch (class_at(c, s, nth)) {
	case CLASS_GEMM:
		return count_class(c, s, nth, CLASS_GEMM) < 2 ? product(c, rows, hidden, dim)
							      : product(c, rows, dim, hidden);
	case CLASS_GELU:
		return (struct work){9 * elements, wide, wide};
	case CLASS_MUL:
		return (struct work){elements, 2 * wide, wide};
	case CLASS_FUSED:
		return (struct work){10 * elements, 2 * wide, wide};
	default:
		return unknown;
	}
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
	static const struct {
		const char *workload;
		struct work (*work)(const struct report_case *, const struct step *, uint32_t);
	} workloads[] = {{"matmul_add", matmul_add}, {"addmm", matmul_add}, {"bmm_add", matmul_add},
		{"linear", linear}, {"geglu_mlp", geglu}, {"square", square},
		{"square_mul", square}, {"square_naive", square}, {"square_powf", square},
		{"square_tile", square}, {"square_row", square}, {"square_row_loop", square}};
	if (!c->entry || !case_element_bytes(c) || case_dimension(c, "then_batch") > 0)
		return unknown;
	if (c->trace.kind[s->device[nth]] != EVENT_KERNEL)
		return copied(c, s->device[nth]);
	for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
		if (!strcmp(text_of(c, "workload"), workloads[i].workload))
			return workloads[i].work(c, s, nth);
	return unknown;
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
	static const double LARGEST = 1e9;
	const struct analysis *a = c->analysis;
	double size = case_dimension(c, "size");
	if (!c->readable || !a->n_steps || case_dimension(c, "batch") > 0 || !(size >= 1) ||
		size > LARGEST || !case_element_bytes(c) ||
		(strcmp(text_of(c, "workload"), "matmul_add") &&
			strcmp(text_of(c, "workload"), "addmm")))
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

static bool warm(const struct report_case *c)
{
	return cJSON_IsTrue(config_find(c->entry, "warm"));
}

static bool same_matrix(const struct report_case *a, const struct report_case *b)
{
	return case_dimension(a, "size") == case_dimension(b, "size") &&
		!strcmp(text_of(a, "dtype"), text_of(b, "dtype"));
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
		if (warm(c))
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
		double size = case_dimension(c, "size");
		if (ways > most || (best && ways == most && size > case_dimension(best, "size"))) {
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
	l->m = l->n = case_dimension(alone, "size");
	l->element_bytes = case_element_bytes(alone);
	l->dtype = text_of(alone, "dtype");
	fill_costs(l, run, alone);
	return true;
}
