/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of memory: bytes that are written, sorted or summed though nobody needs them. */
#include "base/min_max.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <math.h>
#include <string.h>

/* ---- sorting ---- */

/* Behind an operator: behind one that is there for it alone, as argsort is. */
static uint32_t behind_sort(const struct facts *s, uint32_t row)
{
	uint32_t up = s->t->parent[row];
	return is_named(s, up, "aten::argsort") || is_named(s, up, "aten::msort") ? up : row;
}

/* The dimension that is sorted, by "dim" or by "stable, dim"; the last where neither is told. */
static int sorted_dimension(const struct facts *s, uint32_t row, const struct inputs *x)
{
	int64_t d = -1;
	if (concrete_numbers(s->t, row, 1, &d, 1) != 1 &&
		concrete_numbers(s->t, row, 2, &d, 1) != 1)
		d = -1;
	d += d < 0 ? x->in[0].rank : 0;
	return d >= 0 && d < x->in[0].rank ? (int)d : -1;
}

/* How many a view of one end of the sorted dimension keeps: "", dimension, start, end (of narrow
 * how many); or one of them. What is not told is all. */
static int64_t kept_at_an_end(const struct facts *s, uint32_t view, int64_t size)
{
	int64_t from = 0, to = size;
	concrete_numbers(s->t, view, 2, &from, 1);
	from += from < 0 ? size : 0;
	if (is_named(s, view, "aten::select"))
		return min64(from + 1, size - from);
	concrete_numbers(s->t, view, 3, &to, 1);
	to += is_named(s, view, "aten::narrow") ? from : to < 0 ? size : 0;
	return from == 0 || to >= size ? min64(to, size) - from : size;
}

/* A view of the sorted tensor that keeps at most an eighth. */
static bool keeps_few(
	const struct facts *s, uint32_t view, const struct inputs *sorted, int dimension)
{
	const struct inputs *x = inputs_of(s->a, view);
	int64_t d = 0, size = sorted->in[0].dim[dimension];
	if (!x || x->in[0].rank != sorted->in[0].rank ||
		elements_of(x, 0) != elements_of(sorted, 0) ||
		concrete_numbers(s->t, view, 1, &d, 1) != 1)
		return false;
	d += d < 0 ? x->in[0].rank : 0;
	return d == dimension && 8 * kept_at_an_end(s, view, size) <= size;
}

/* Of what may come next with the highest probability: all are sorted and their probabilities
 * summed, though a few hold nearly all. */
static bool is_sampled(const struct facts *s, uint32_t sum, const struct inputs *sorted)
{
	const struct inputs *x = inputs_of(s->a, sum);
	return is_named(s, sum, "aten::cumsum") && !s->backward && x &&
		elements_of(x, 0) == elements_of(sorted, 0);
}

/* A quantile is one of the sorted, or two. */
static bool is_of_quantile(const struct facts *s, uint32_t row)
{
	uint32_t up = s->t->parent[row];
	return is_named(s, up, "aten::quantile") || is_named(s, up, "aten::nanquantile");
}

static bool is_sorted_for_few(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { LARGE = 1024, BEHIND = 6 };
	const struct inputs *x = inputs_of(s->a, row);
	int d = x && x->in[0].rank > 0 ? sorted_dimension(s, row, x) : -1;
	uint32_t next = behind_sort(s, row);
	(void)m;
	if (d < 0 || x->in[0].dim[d] < LARGE)
		return false;
	if (is_of_quantile(s, row))
		return true;
	for (int i = 0; i < BEHIND && (next = next_operator(s, next)) != NO_ROW; i++) {
		bool view = is_named(s, next, "aten::slice") || is_named(s, next, "aten::select") ||
			is_named(s, next, "aten::narrow");
		if ((view && keeps_few(s, next, x, d)) || is_sampled(s, next, x))
			return true;
	}
	return false;
}

/* topk reads the tensor a few times, a sort by digits writes it for each digit: on an H200 topk of
 * 50 among 128 000 takes a quarter of the sort's time. */
static double sort_goes(const struct facts *s, const struct match *m)
{
	(void)s;
	(void)m;
	return 0.75;
}

/* ---- copies of a CPU ---- */

/* A small one that lasts has waited for something, as for a device that the file does not show. */
static bool is_large_on_cpu(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { LONG_NS = 20000, LARGE = 1 << 14 };
	const struct inputs *x = s->cpu ? inputs_of(s->a, row) : NULL;
	(void)m;
	return x && s->t->dur_ns[row] >= LONG_NS && elements_of(x, 0) >= LARGE;
}

/* ---- fills ---- */

/* Does an operator write all of a tensor of this size, and not read it? With `out=` it has one
 * input more than without. What is added to zeros could be written there. */
static bool writes_all(const struct facts *s, uint32_t row, int64_t elements, bool zeros)
{
	static const struct {
		const char *name;
		int inputs; /* with the one that is written */
	} known[] = {{"aten::mul", 3}, {"aten::div", 3}, {"aten::add", 4}, {"aten::sub", 4},
		{"aten::mm", 3}, {"aten::bmm", 3}, {"aten::matmul", 3}, {"aten::exp", 2},
		{"aten::relu", 2}, {"aten::sigmoid", 2}, {"aten::tanh", 2}, {"aten::neg", 2}};
	const struct inputs *x = inputs_of(s->a, row);
	if (x && (is_named(s, row, "aten::copy_") || (zeros && is_named(s, row, "aten::add_"))))
		return elements_of(x, 0) == elements;
	for (size_t i = 0; x && i < sizeof known / sizeof *known; i++)
		if (x->n == known[i].inputs && elements_of(x, x->n - 1) == elements &&
			is_named(s, row, known[i].name))
			return true;
	return false;
}

/* By the next operator that has a tensor of that size. */
static bool is_overwritten(const struct facts *s, uint32_t fill, int64_t elements, bool zeros)
{
	enum { BEHIND = 4 };
	uint32_t next = fill;
	for (int i = 0; i < BEHIND && (next = next_operator(s, next)) != NO_ROW; i++) {
		const struct inputs *x = inputs_of(s->a, next);
		for (int k = 0; x && k < x->n; k++)
			if (elements_of(x, k) == elements)
				return writes_all(s, next, elements, zeros);
	}
	return false;
}

/* The elements that a view shows of a tensor of that size where the next operator copies into it;
 * *from: where it begins; 0: none. */
static int64_t written_through(
	const struct facts *s, uint32_t view, int64_t elements, int64_t *from)
{
	const struct inputs *x = is_view_of_part(s, view) ? inputs_of(s->a, view) : NULL;
	uint32_t next = x && elements_of(x, 0) == elements ? next_operator(s, view) : NO_ROW;
	if (next == NO_ROW || !is_named(s, next, "aten::copy_") || !view_begins_at(s, view, from))
		return 0;
	int64_t shown = elements_shown(s, view);
	return elements_at(s, next, 0) == shown ? shown : 0;
}

/* Part by part, each further behind, until all of it is written; before that nothing has a tensor
 * of that size but to take a part of one. */
static bool is_overwritten_by_parts(const struct facts *s, uint32_t fill, int64_t elements)
{
	enum { BEHIND = 256 };
	int64_t written = 0, last = -1;
	uint32_t next = fill;
	for (int i = 0; i < BEHIND && (next = next_operator(s, next)) != NO_ROW; i++) {
		const struct inputs *x = inputs_of(s->a, next);
		int64_t from = 0, part = written_through(s, next, elements, &from);
		if (part && from <= last)
			return false;
		last = part ? from : last;
		written += part;
		if (written >= elements)
			return true;
		for (int k = 0; x && k < x->n && !is_view_of_part(s, next); k++)
			if (elements_of(x, k) == elements)
				return false;
	}
	return false;
}

/* Elements of what an operator fills, be it one that it makes for that. */
static int64_t filled_elements(const struct facts *s, uint32_t row)
{
	for (uint32_t i = row; i < s->t->n && s->t->start_ns[i] < row_end(s->t, row); i++)
		if (is_named(s, i, "aten::zero_") || is_named(s, i, "aten::fill_")) {
			const struct inputs *x = inputs_of(s->a, i);
			return x ? elements_of(x, 0) : 0;
		}
	return 0;
}

/* A tensor that is made of zeros, or one that is there already and filled again. */
static bool is_needless_fill(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { LARGE = 1 << 20 };
	int64_t elements = filled_elements(s, row);
	(void)m;
	return elements >= LARGE &&
		(is_overwritten(s, row, elements, strstr(row_name(s, row), "zeros") != NULL) ||
			is_overwritten_by_parts(s, row, elements));
}

/* ---- the same values, written many times ---- */

/* A copy of at least 2^14 elements from a tensor in which some dimension repeats. */
/* "", "[1, 8, 1, 1]" */
static int64_t times_repeated(const struct facts *s, uint32_t row)
{
	int64_t number[MOST_DIMS], all = 1;
	int n = concrete_numbers(s->t, row, 1, number, MOST_DIMS);
	for (int i = 0; i < n; i++)
		all *= number[i] > 0 && number[i] < INT32_MAX ? number[i] : 1;
	return all;
}

static bool writes_repeated(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { LARGE = 1 << 20 };
	(void)m;
	const struct inputs *of = is_named(s, row, "aten::repeat") ? inputs_of(s->a, row) : NULL;
	if (of && times_repeated(s, row) >= 2)
		return elements_of(of, 0) * times_repeated(s, row) >= LARGE;
	for (uint32_t i = row; i < s->t->n && s->t->start_ns[i] < row_end(s->t, row); i++) {
		const struct inputs *x = is_named(s, i, "aten::copy_") ? inputs_of(s->a, i) : NULL;
		if (x && x->n >= 2 && x->in[1].expanded && x->in[1].rank > 0 &&
			elements_of(x, 0) >= LARGE && s->t->track[i] == s->t->track[row])
			return true;
	}
	return false;
}

static void reads_expanded(const struct facts *s, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	name_id repeat = names_find(&t->names, "aten::repeat");
	for (uint32_t i = s->work_from; s->chip && repeat && i < s->work_to; i++) {
		uint32_t next = t->name[i] == repeat && writes_repeated(s, NULL, i)
			? next_operator(s, i)
			: NO_ROW;
		const struct inputs *x = next == NO_ROW ? NULL : inputs_of(s->a, next);
		uint32_t kernel = next == NO_ROW || next + 1 >= t->n ? NO_ROW : t->launch[next + 1];
		if (!x || kernel == NO_ROW || t->dur_ns[kernel] <= 0 ||
			!strstr(row_name(s, kernel), "vectorized_elementwise"))
			continue;
		double ns = expanded_ns(s, elements_of(x, 0));
		plan_takes(plan, kernel, fmax(1, ns / (double)t->dur_ns[kernel]));
	}
}

/* ---- embeddings ---- */

/* Where a table is asked more than once autograd adds its gradients up, right inside the node that
 * makes the next one. */
static bool adds_gradients(const struct facts *s, uint32_t row)
{
	uint32_t up = s->t->parent[row];
	if (up == NO_ROW || !strstr(row_name(s, up), "evaluate_function: Embedding"))
		return false;
	const struct inputs *x = inputs_of(s->a, row);
	return x && x->n >= 2 && x->in[0].rank == 2 && elements_of(x, 0) == elements_of(x, 1);
}

/* Of a table of which few rows are asked for: what sorts and sums its gradient (a sparse one is
 * made of the rows that are there already), and what the optimizer does with it. */
static bool is_of_dense_gradient(const struct facts *s, const struct matches *m, uint32_t row)
{
	if (is_named(s, row, "aten::add") || is_named(s, row, "aten::add_"))
		return adds_gradients(s, row) && matched_so_far(m, "dense-embedding") > 0;
	return launched_for_ns(s, row, WHY_TABLE) > 0;
}

static bool trains(const struct facts *s)
{
	return s->backward;
}

/* The optimizer's other parameters are not the table's. */
static double dense_goes(const struct facts *s, const struct match *m)
{
	if (!(host_traits(s->a, m->row) & TRAIT_OPTIMIZER))
		return 1;
	double table = launched_for_ns(s, m->row, WHY_TABLE);
	return m->device_ns > 0 ? fmin(0.999, table / (double)m->device_ns) : 0;
}

/* ---- distances by broadcasting ---- */

/* [n, 1, d] less [1, m, d]: the result is many times as large as both. */
static double broadcast_elements(const struct inputs *x)
{
	double all = 1;
	if (!x || x->n < 2 || x->in[0].rank != x->in[1].rank || x->in[0].rank < 3)
		return 0;
	for (int i = 0; i < x->in[0].rank; i++) {
		double one = (double)x->in[0].dim[i], other = (double)x->in[1].dim[i];
		all *= fmax(one, other);
	}
	return all;
}

static bool is_of_all_pairs(const struct inputs *x)
{
	enum { TIMES = 16, LARGE = 1 << 22 };
	double all = broadcast_elements(x);
	return all >= LARGE && all >= TIMES * (double)elements_of(x, 0) &&
		all >= TIMES * (double)elements_of(x, 1);
}

/* One operator that does all of it. */
static bool is_whole_distance(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::cosine_similarity") ||
		is_named(s, row, "aten::pairwise_distance");
}

static bool is_summed(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::sum") || is_named(s, row, "aten::mean");
}

/* Differences; or products, which are summed next. */
static bool begins_distance(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	bool product = is_named(s, row, "aten::mul");
	if (!(product || is_named(s, row, "aten::sub")) || !is_of_all_pairs(x))
		return false;
	uint32_t next = product ? next_operator(s, row) : NO_ROW;
	return !product ||
		(next != NO_ROW && is_summed(s, next) &&
			broadcast_elements(x) == (double)elements_at(s, next, 0));
}

/* The differences, and what is made of them until they are summed. */
static bool is_of_distances(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { BEHIND = 3 };
	const struct inputs *x = inputs_of(s->a, row);
	uint32_t at = row;
	if (is_whole_distance(s, row))
		return is_of_all_pairs(x);
	if (begins_distance(s, row))
		return true;
	if (!x || x->in[0].rank < 3 || !matched_so_far(m, "distances"))
		return false;
	for (int i = 0; i < BEHIND && (at = operator_before(s, at)) != NO_ROW; i++)
		if (begins_distance(s, at))
			return broadcast_elements(inputs_of(s->a, at)) == (double)elements_of(x, 0);
	return false;
}

static bool has_whole_distance(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	bool whole = is_whole_distance(s, sum->longest);
	f->variant = whole ? "whole" : "";
	return whole || sum->n > 1;
}

static const struct rule rows[] = {
	{PATTERN("distances", 1,
		 {.op = {"aten::cosine_similarity", "aten::pairwise_distance", "aten::sub",
			  "aten::square", "aten::pow", "aten::abs", "aten::mul", "aten::sum",
			  "aten::mean", "aten::linalg_vector_norm", "aten::norm"},
			 .not_under = {"aten::square", "aten::norm",
				 "autograd::engine::evaluate_function*"},
			 .is = is_of_distances,
			 .holds = has_whole_distance}),
		.of_kernels = true, .covers = {"fusion"}},
	{PATTERN("whole-sort", 1,
		 {.op = {"aten::sort"}, .is = is_sorted_for_few, .goes = sort_goes}),
		.of_kernels = true},
	{PATTERN("cpu-rewrites", 4,
		 {.op = {"aten::contiguous", "aten::clone", "aten::_to_copy", "aten::to_dense",
			  "aten::copy_"},
			 .not_under = {"DataLoader*", "enumerate(DataLoader)*"},
			 .is = is_large_on_cpu}),
		.on_cpu = true},
	{PATTERN("zero-fill", 1,
		 {.op = {"aten::zeros", "aten::zeros_like", "aten::new_zeros", "aten::full",
			  "aten::full_like", "aten::new_full", "aten::ones", "aten::ones_like",
			  "aten::zero_", "aten::fill_"},
			 .not_under = {"aten::zeros*", "aten::new_zeros", "Optimizer.*"},
			 .is = is_needless_fill}),
		.of_kernels = true, .covers = {"fusion"}},
	{PATTERN("repeats", 1,
		 {.op = {"aten::repeat", "aten::contiguous", "aten::clone", "aten::reshape"},
			 .not_under = {"aten::matmul"},
			 .is = writes_repeated,
			 .more = reads_expanded}),
		.of_kernels = true, .covers = {"rewrites", "fusion"}},
	{PATTERN("dense-embedding", 1,
		 {.op = {DENSE_EMBEDDING, DENSE_BAG, "Optimizer.step#*", "aten::add", "aten::add_"},
			 .is = is_of_dense_gradient,
			 .goes = dense_goes,
			 .may = trains}),
		.of_kernels = true, .covers = {"graphs"}},
};

const struct rule_list pattern_memory_rows = RULE_LIST(rows);
