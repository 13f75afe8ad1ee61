/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of algebra: what the same numbers would need fewer operations for. */
#include "report/rules/repeats.h"

#include "report/analyse/analysis.h"
#include "report/rules/pattern.h"

#include <string.h>

/* The next operator, or the one before, that launches something: views are passed over. */
static uint32_t working(const struct facts *s, uint32_t row,
	uint32_t (*beside)(const struct facts *s, uint32_t row))
{
	enum { VIEWS = 6 };
	for (int i = 0; i <= VIEWS && (row = beside(s, row)) != NO_ROW; i++)
		if (launches_inside(s, row, 0, true))
			return row;
	return NO_ROW;
}

/* ---- an inverse that is multiplied ---- */

static bool is_multiplied(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { LARGE = 64 };
	const struct inputs *x = inputs_of(s->a, row);
	uint32_t next = working(s, row, next_operator);
	const struct inputs *y =
		next == NO_ROW || !multiplies(s, next) ? NULL : inputs_of(s->a, next);
	(void)m;
	if (!x || !y || x->in[0].rank < 2 || x->in[0].dim[x->in[0].rank - 1] < LARGE)
		return false;
	int64_t size = elements_of(x, 0);
	return elements_of(y, 0) == size || elements_of(y, 1) == size;
}

/* Something else needs factors of a matrix of that size. */
static bool is_factored_besides(const struct facts *s, uint32_t inverse)
{
	static const char *const factor[] = {"aten::linalg_slogdet", "aten::slogdet",
		"aten::logdet", "aten::linalg_det", "aten::det", "aten::linalg_cholesky",
		"aten::cholesky", "aten::linalg_lu_factor", "aten::linalg_solve", NULL};
	const struct inputs *x = inputs_of(s->a, inverse);
	for (int k = 0; factor[k]; k++) {
		name_id id = names_find(&s->t->names, factor[k]);
		for (uint32_t i = s->work_from; id && i < s->work_to; i++) {
			const struct inputs *y = s->t->name[i] == id ? inputs_of(s->a, i) : NULL;
			if (x && y && elements_of(x, 0) == elements_of(y, 0))
				return true;
		}
	}
	return false;
}

/* An inverse takes 2 n^3, factors a third of that; two triangles are solved in no time beside
 * those.
 */
static double inverse_goes(const struct facts *s, const struct match *m)
{
	return is_factored_besides(s, m->row) ? 0.98 : 2.0 / 3;
}

/* ---- a bilinear layer ---- */

/* PyTorch goes through the outputs one by one, each by a matmul of its own. */
static bool has_outputs(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { MANY = 8 };
	const struct inputs *x = inputs_of(s->a, row);
	(void)m;
	return x && x->n > 2 && x->in[2].rank == 3 && x->in[2].dim[0] >= MANY;
}

/* ---- adapters of low rank ---- */

enum { LOW = 8 }; /* times narrower than both sides */

static bool product_at(const struct facts *s, uint32_t row, struct product *p)
{
	return row != NO_ROW && multiplies(s, row) && product_of(s->a, row, p);
}

static bool only_scales(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	return is_named(s, row, "aten::to") || is_named(s, row, "aten::dropout") ||
		(is_named(s, row, "aten::mul") && x && elements_of(x, 1) <= 1);
}

static uint32_t past_scaling(const struct facts *s, uint32_t row,
	uint32_t (*beside)(const struct facts *s, uint32_t row))
{
	row = working(s, row, beside);
	for (int i = 0; i < 2 && row != NO_ROW && only_scales(s, row); i++)
		row = working(s, row, beside);
	return row;
}

/* The two narrow products, and the sum with the wide one. */
struct adapter {
	uint32_t down, up, sum;
};

/* x W, then (x A) B with few columns of A, then their sum. */
static bool adapter_of(const struct facts *s, uint32_t up, struct adapter *a)
{
	struct product wide, down, p;
	if (!product_at(s, up, &p) || LOW * p.k > p.n)
		return false;
	*a = (struct adapter){past_scaling(s, up, operator_before), up, NO_ROW};
	if (!product_at(s, a->down, &down) || down.n != p.k || LOW * down.n > down.k ||
		down.m * down.batch != p.m * p.batch ||
		!product_at(s, past_scaling(s, a->down, operator_before), &wide))
		return false;
	a->sum = past_scaling(s, up, next_operator);
	bool added = is_named(s, a->sum, "aten::add") || is_named(s, a->sum, "aten::add_");
	return added && wide.k == down.k && wide.n == p.n && wide.m * wide.batch == p.m * p.batch;
}

static bool is_adapter(const struct facts *s, const struct matches *m, uint32_t row)
{
	struct adapter a;
	(void)m;
	return adapter_of(s, row, &a);
}

/* What leads to the sum goes as well, and the sum. */
static void plan_merged(const struct facts *s, struct replay_plan *plan)
{
	struct adapter a;
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		uint32_t up = s->t->parent[i];
		if ((up != NO_ROW && s->t->kind[up] == EVENT_OP) || !multiplies(s, i) ||
			!adapter_of(s, i, &a))
			continue;
		for (uint32_t row = a.down; row != NO_ROW && row <= a.sum;
			row = next_operator(s, row)) {
			plan_goes(plan, s->t, row);
			plan_spare(plan, comes_to(s, row), row_end(s->t, row));
		}
	}
}

static bool trains_nothing(const struct facts *s)
{
	return s->shapes && !s->backward && !s->optimizers.n;
}

/* ---- pictures that are enlarged, and then lose channels ---- */

static bool is_enlarging(const struct facts *s, uint32_t row)
{
	return row != NO_ROW &&
		(!strncmp(row_name(s, row), "aten::upsample_", 15) ||
			!strncmp(row_name(s, row), "aten::_upsample_", 16));
}

/* A convolution of single pixels with at most half of the channels behind it: the share of the
 * channels that is left; 0: it is none. */
static double channels_left(const struct facts *s, uint32_t conv)
{
	const struct inputs *x = conv == NO_ROW ? NULL : inputs_of(s->a, conv);
	const struct operand *w = x && x->n > 1 ? &x->in[1] : NULL;
	if (!w || w->rank != 4 || w->dim[2] != 1 || w->dim[3] != 1 || w->dim[1] <= 0 ||
		2 * w->dim[0] > w->dim[1] || !is_named(s, conv, "aten::conv2d"))
		return 0;
	return (double)w->dim[0] / (double)w->dim[1];
}

static bool is_enlarged_first(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	if (is_enlarging(s, row))
		return channels_left(s, working(s, row, next_operator)) > 0;
	return channels_left(s, row) > 0 && is_enlarging(s, working(s, row, operator_before));
}

/* The smaller picture is convolved, and fewer channels are enlarged. */
static double enlarging_goes(const struct facts *s, const struct match *m)
{
	const double pixels = 1.0 / 4; /* of twice each side; of more less */
	if (!is_enlarging(s, m->row))
		return 1 - pixels;
	return 1 - channels_left(s, working(s, m->row, next_operator));
}

static const struct rule rows[] = {
	{PATTERN("inverse", 1,
		 {.op = {"aten::linalg_inv", "aten::inverse", "aten::linalg_inv_ex",
			  "aten::linalg_pinv", "aten::pinverse", "aten::cholesky_inverse"},
			 .is = is_multiplied,
			 .goes = inverse_goes}),
		.of_kernels = true, .covers = {"sync", "precision", "fusion"}},
	{PATTERN("bilinear", 1, {.op = {"aten::bilinear"}, .is = has_outputs}),
		.covers = {"loops", "batch", "graphs", "precision", "fusion", "zero-fill"}},
	{PATTERN("adapters", 4,
		 {.op = {"aten::linear", "aten::matmul", "aten::mm", "aten::addmm"},
			 .not_under = {"aten::linear", "aten::matmul"},
			 .may = trains_nothing,
			 .is = is_adapter,
			 .more = plan_merged}),
		.covers = {"batch", "loops"}},
	{PATTERN("enlarge-last", 2,
		 {.op = {"aten::conv2d", "aten::upsample_*", "aten::_upsample_*"},
			 .is = is_enlarged_first,
			 .goes = enlarging_goes}),
		.of_kernels = true},
	{PATTERN("rnn-weights", 8,
		 {.op = {"aten::copy_", "aten::zero_"}, .parent = {"aten::_cudnn_rnn"}}),
		.covers = {"loops", "rewrites"}},
};

const struct rule_list pattern_algebra_rows = RULE_LIST(rows);
