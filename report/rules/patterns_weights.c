/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of weights that could be made once: norms that a convolution's weights can hold, and
 * weights that each pass makes out of others. */
#include "report/analyse/usual_cost.h"
#include "report/replay/changes.h"
#include "report/rules/pattern.h"

#include <math.h>
#include <string.h>

static bool without_training(const struct facts *s)
{
	return !s->backward && !s->optimizers.n;
}

/* ---- norms by fixed statistics ---- */

/* A norm by fixed statistics is a factor and a sum for each channel: the weights of the convolution
 * in front of it can hold both. */
static bool is_foldable_norm(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	uint32_t before = operator_before(s, row);
	return before != NO_ROW &&
		(!strncmp(row_name(s, before), "aten::conv", 10) ||
			is_named(s, before, "aten::linear"));
}

/* A convolution without a bias gets one, which is added in place. */
static bool gets_bias(const struct facts *s, uint32_t norm)
{
	const struct inputs *x = inputs_of(s->a, operator_before(s, norm));
	return x && x->n > 2 && x->in[2].rank == 0;
}

/* What is done in its place stays: adds_in_place(). */
static double folded_goes(const struct facts *s, const struct match *m)
{
	return gets_bias(s, m->row) ? 0 : 1;
}

/* A bias that is added reads one number for each element, and so takes as long as what reads a
 * tensor in which a dimension repeats; on an H100 five sixths of that where the images are in its
 * cache (13 million elements in bf16, beside 59 million). Where the chip is not known: three
 * quarters of what the norm takes (16 norms of 13 million elements in fp32). */
static double biased_ns(const struct facts *s, uint32_t norm, double norm_ns)
{
	static const double CACHED = 5.0 / 6, CACHE = 3e7;
	const struct inputs *x = inputs_of(s->a, norm);
	int64_t n = x ? elements_of(x, 0) : 0;
	if (!s->chip || !n)
		return 0.75 * norm_ns;
	double bytes = (double)n * x->in[0].bytes, ns = expanded_ns(s, n);
	return fmax(2 * bytes / (MEMORY_REACHED * s->chip->memory) * 1e9,
		bytes < CACHE ? CACHED * ns : ns);
}

/* Of the norm's kernels the longest adds the bias, and the small ones in front of it go, with what
 * lies between two that are queued. */
static void plan_bias(const struct facts *s, struct replay_plan *plan, uint32_t norm)
{
	const struct trace *t = s->t;
	uint32_t longest = NO_ROW;
	int64_t pauses_ns = 0;
	for (uint32_t i = norm; i < t->n && t->start_ns[i] < row_end(t, norm); i++) {
		uint32_t work = event_is_call(t->kind[i]) && t->track[i] == t->track[norm]
			? t->launch[i]
			: NO_ROW;
		uint32_t less = work;
		if (work != NO_ROW && (longest == NO_ROW || t->dur_ns[work] > t->dur_ns[longest])) {
			less = longest;
			longest = work;
		}
		if (less == NO_ROW)
			continue;
		plan_goes(plan, t, less);
		pauses_ns += s->launch_gap_ns;
	}
	if (longest == NO_ROW || t->dur_ns[longest] <= 0)
		return;
	double ns = (double)t->dur_ns[longest];
	plan_takes(plan, longest, fmax(0, biased_ns(s, norm, ns) - (double)pauses_ns) / ns);
}

/* Of what the host does for such a norm an operator with one launch stays. */
static void adds_in_place(const struct facts *s, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	name_id norm = names_find(&t->names, "aten::batch_norm");
	for (uint32_t i = s->work_from; norm && i < s->work_to; i++) {
		if (t->name[i] != norm || !is_foldable_norm(s, NULL, i))
			continue;
		plan_spare(
			plan, t->start_ns[i] + USUAL_OPERATOR_NS + USUAL_LAUNCH_NS, row_end(t, i));
		if (gets_bias(s, i))
			plan_bias(s, plan, i);
	}
}

/* ---- weights that are made in each pass ---- */

/* W / (u' (W v)): spectral norm. */
static bool is_divided(const struct facts *s, uint32_t mv)
{
	uint32_t dot = next_operator(s, mv), div = dot == NO_ROW ? NO_ROW : next_operator(s, dot);
	const struct inputs *x = div == NO_ROW ? NULL : inputs_of(s->a, div);
	return is_named(s, mv, "aten::mv") &&
		(is_named(s, dot, "aten::dot") || is_named(s, dot, "aten::vdot")) &&
		is_named(s, div, "aten::div") && x && x->in[0].rank >= 2 && elements_of(x, 1) <= 1;
}

static bool makes_weights(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { STEPS = 3 };
	(void)m;
	if (is_named(s, row, "aten::_weight_norm"))
		return true;
	for (int i = 0; i < STEPS && row != NO_ROW; i++, row = operator_before(s, row))
		if (is_named(s, row, "aten::mv"))
			return is_divided(s, row);
	return false;
}

/* ---- gradients of what is looked up ---- */

/* The gradients of x[index] are sorted by row, and those of a row are added one behind the other:
 * where an index stands often that takes many times what adding them at once does. With few of
 * each both take as long. */
static double sorting_goes(const struct facts *s, const struct match *m)
{
	const double worth = 2;
	const struct inputs *x = inputs_of(s->a, m->row);
	double elements = x && x->n > 2 ? (double)elements_of(x, 2) : 0;
	double adding_ns = s->chip ? elements * BYTES_OF_ADDING / s->chip->memory * 1e9 : 0;
	double ns = (double)m->device_ns;
	return adding_ns > 0 && ns > worth * adding_ns ? 1 - adding_ns / ns : 0;
}

static const struct rule rows[] = {
	{PATTERN("fold-norm", 2,
		 {.op = {"aten::batch_norm"},
			 .is = is_foldable_norm,
			 .goes = folded_goes,
			 .more = adds_in_place,
			 .may = without_training}),
		.on_cpu = true},
	{PATTERN("weight-norm", 2,
		 {.op = {"aten::_weight_norm", "aten::mv", "aten::dot", "aten::vdot", "aten::div"},
			 .is = makes_weights,
			 .may = without_training}),
		.on_cpu = true, .of_kernels = true},
	{PATTERN("index-backward", 1,
		 {.op = {"aten::_index_put_impl_"},
			 .under = {"IndexBackward0"},
			 .goes = sorting_goes}),
		.of_kernels = true, .covers = {"fusion"}},
};

const struct rule_list pattern_weight_rows = RULE_LIST(rows);
