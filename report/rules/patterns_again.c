/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of what is computed again: a mask in each call, a chain of operators that begins with a
 * constant in each layer. */
#include "report/rules/constant_chains.h"
#include "report/rules/history_again.h"
#include "report/rules/passes_reread.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"
#include "report/rules/rounds_constant.h"

#include <string.h>

/* ---- a mask made again ---- */

static bool makes_mask(const struct facts *s, uint32_t row)
{
	return is_named(s, row, "aten::tril") || is_named(s, row, "aten::triu");
}

static bool is_square_of(const struct inputs *x, const struct inputs *mask)
{
	enum { SMALL = 128 };
	return x && mask && x->in[0].rank == 2 && mask->in[0].rank == 2 &&
		x->in[0].dim[0] >= SMALL && x->in[0].dim[0] == mask->in[0].dim[0] &&
		x->in[0].dim[1] == mask->in[0].dim[1];
}

/* The triangle, what it is cut from, and what is made of it before anything else is done. */
static bool is_of_mask(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { BEHIND = 4 };
	const struct inputs *x = inputs_of(s->a, row);
	uint32_t at = row;
	if (makes_mask(s, row))
		return is_square_of(x, x);
	if (is_named(s, row, "aten::ones") || is_named(s, row, "aten::full"))
		return (at = next_operator(s, row)) != NO_ROW && makes_mask(s, at) &&
			is_square_of(inputs_of(s->a, at), inputs_of(s->a, at));
	if (!is_square_of(x, x) || !matched_so_far(m, "same-again"))
		return false;
	for (int i = 0; i < BEHIND; i++) {
		at = operator_before(s, at);
		if (at == NO_ROW || !is_square_of(x, inputs_of(s->a, at)))
			return false;
		if (makes_mask(s, at))
			return true;
	}
	return false;
}

/* ---- chains that begin with a constant ---- */

struct again {
	const struct facts *s;
	struct finding *f;
	size_t n, chains;
	int64_t device_ns, most_ns;
	uint32_t longest;
	size_t launches;
};

static void add_launched(struct again *all, uint32_t row)
{
	const struct trace *t = all->s->t;
	int64_t ns = 0;
	for (uint32_t i = row; i < t->n && t->start_ns[i] < row_end(t, row); i++)
		if (event_is_call(t->kind[i]) && t->track[i] == t->track[row] &&
			t->launch[i] != NO_ROW) {
			ns += t->dur_ns[t->launch[i]];
			all->launches++;
		}
	all->device_ns += ns;
	if (ns > all->most_ns || all->longest == NO_ROW) {
		all->most_ns = ns;
		all->longest = row;
	}
}

static void add_chain(void *to, const uint32_t *row, size_t n)
{
	struct again *all = to;
	all->chains++;
	prove(all->f, row[0]);
	for (size_t i = 0; i < n; i++, all->n++) {
		add_launched(all, row[i]);
		plan_goes(all->f->plan, all->s->t, row[i]);
	}
}

static enum finding_state chains_again(const struct facts *s, struct finding *f)
{
	struct again all = {.s = s, .f = f, .longest = NO_ROW};
	constant_chains_each(s, add_chain, &all);
	if (all.chains < 2 || all.launches < limit(f, "calls"))
		return FINDING_NOT_FIRED;
	f->variant = "constants";
	tell_name(f, "name", s->t, all.longest);
	TELL(f, {"n", (double)all.n}, {"time", (double)all.device_ns},
		{"share", share_of_window(s, all.device_ns)}, {"host", 0},
		{"launches", (double)all.launches}, {"times", (double)all.chains + 1});
	return FINDING_FIRED;
}

/* ---- sparse arrays that are put in order again and again ---- */

/* Where the program makes one, by none of the operators that make them for themselves. */
static bool makes_sparse(const struct facts *s)
{
	name_id id = names_find(&s->t->names, "aten::_sparse_coo_tensor_unsafe");
	for (uint32_t i = s->work_from; id && i < s->work_to; i++) {
		uint32_t up = s->t->parent[i];
		if (s->t->name[i] == id && (up == NO_ROW || s->t->kind[up] != EVENT_OP))
			return true;
	}
	return false;
}

static bool is_in_backward(const struct facts *s, uint32_t row)
{
	while (row != NO_ROW && !is_node_of_autograd(s, row))
		row = s->t->parent[row];
	return row != NO_ROW;
}

/* In COO form an array knows whether its entries are in order: one that is not is sorted by each
 * product with it. The array of a gradient is another each time, and so may be one that the program
 * makes in the window: then the first stays. */
static bool sorts_again(const struct facts *s, struct finding *f)
{
	struct again all = {.s = s, .f = f, .longest = NO_ROW};
	name_id id = names_find(&s->t->names, "aten::_coalesce");
	size_t stay = id && makes_sparse(s);
	for (uint32_t i = s->work_from; id && i < s->work_to; i++) {
		if (s->t->name[i] != id || is_in_backward(s, i))
			continue;
		if (stay)
			stay--;
		else
			add_chain(&all, &i, 1);
	}
	if (!all.chains || !all.launches)
		return false;
	f->variant = "sorted";
	tell_name(f, "name", s->t, all.longest);
	TELL(f, {"n", (double)all.n}, {"time", (double)all.device_ns},
		{"share", share_of_window(s, all.device_ns)}, {"host", 0},
		{"launches", (double)all.launches}, {"times", 0});
	return true;
}

/* ---- weights that two passes use ---- */

#define NODE "autograd::engine::evaluate_function: "
#define ACCUMULATES NODE "torch::autograd::AccumulateGrad"

static bool is_node(const struct facts *s, uint32_t row)
{
	return s->t->kind[row] == EVENT_OP && !strncmp(row_name(s, row), NODE, sizeof NODE - 1);
}

/* Right inside a node, the sum of two gradients, of matrices for a rank of 2: what it gives is used
 * a second time. */
static bool sums_gradients(const struct facts *s, uint32_t row, int rank)
{
	const struct inputs *x = inputs_of(s->a, row);
	uint32_t up = s->t->parent[row];
	return (is_named(s, row, "aten::add") || is_named(s, row, "aten::add_")) && up != NO_ROW &&
		is_node(s, up) && !is_named(s, up, ACCUMULATES) && x && x->in[0].rank >= rank &&
		x->n >= 2 && elements_of(x, 0) == elements_of(x, 1);
}

/* Gradients of weights: of all, and of those that are summed right in front of being kept. */
struct shared {
	size_t weights, summed, sums, products; /* products: nodes that multiply */
	uint32_t product,
		before_sum; /* the first node that multiplies, the last in front of a sum */
	uint32_t track;
};

static bool multiplies_inside(const struct facts *s, uint32_t node)
{
	for (uint32_t i = node + 1; i < s->t->n && s->t->start_ns[i] < row_end(s->t, node); i++)
		if (s->t->track[i] == s->t->track[node] && multiplies(s, i))
			return true;
	return false;
}

static struct shared shared_weights(const struct facts *s)
{
	struct shared all = {.product = NO_ROW, .before_sum = NO_ROW, .track = NO_ROW};
	int64_t size = 0;
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		const struct inputs *x = inputs_of(s->a, i);
		if (sums_gradients(s, i, 2)) {
			all.sums++;
			size = elements_of(x, 0);
		} else if (is_named(s, i, "torch::autograd::AccumulateGrad") && x &&
			x->in[0].rank >= 2) {
			all.weights++;
			all.summed += size && elements_of(x, 0) == size;
			size = 0;
		} else if (is_node(s, i) && !is_named(s, i, ACCUMULATES)) {
			bool product = multiplies_inside(s, i);
			size = 0;
			all.products += product;
			if (all.sums || !product)
				continue;
			all.product = all.product == NO_ROW ? i : all.product;
			all.before_sum = i;
			all.track = s->t->track[i];
		}
	}
	return all;
}

/* The last n products in front of the backward pass, which are the second pass over these weights.
 */
static void plan_second_pass(
	const struct facts *s, struct finding *f, const struct shared *all, size_t n)
{
	uint32_t from = NO_ROW, to = NO_ROW;
	for (uint32_t i = all->product; i-- > s->work_from && n;) {
		uint32_t up = s->t->parent[i];
		if (s->t->track[i] == all->track || !multiplies(s, i) ||
			(up != NO_ROW && s->t->kind[up] == EVENT_OP))
			continue;
		to = to == NO_ROW ? i : to;
		from = i;
		n--;
	}
	if (to != NO_ROW)
		plan_gone(f->plan, s->t->track[to], s->t->start_ns[from], row_end(s->t, to));
	plan_gone(
		f->plan, all->track, s->t->start_ns[all->product], s->t->start_ns[all->before_sum]);
}

/* Most weights have two gradients in a step, no more: the same layers run twice. */
static enum finding_state weights_again(const struct facts *s, struct finding *f)
{
	enum { SEVERAL = 4 };
	if (!s->backward || !s->shapes || s->track == NO_ROW)
		return FINDING_NOT_FIRED;
	struct shared all = shared_weights(s);
	if (all.summed < SEVERAL || 2 * all.summed < all.weights || 5 * all.sums > 6 * all.summed ||
		all.products < 2 * all.summed || all.product == NO_ROW)
		return FINDING_NOT_FIRED;
	f->variant = "weights";
	prove(f, all.product);
	plan_second_pass(s, f, &all, all.summed);
	tell_name(f, "name", s->t, all.product);
	TELL(f, {"n", (double)all.summed}, {"time", 0}, {"share", 0}, {"host", 0}, {"launches", 0},
		{"times", (double)all.weights});
	return FINDING_FIRED;
}

static enum finding_state same_again(const struct facts *s, struct finding *f)
{
	if (pattern_seen(s, f) == FINDING_FIRED || chains_again(s, f) == FINDING_FIRED)
		return FINDING_FIRED;
	return fired_if(sorts_again(s, f) || tell_reread(s, f) || tell_history(s, f) ||
		tell_constant_rounds(s, f) || weights_again(s, f) == FINDING_FIRED);
}

static struct gain same_again_saves(const struct facts *s, const struct finding *f)
{
	return *f->variant ? (struct gain){0} : pattern_saves(s, f);
}

static const struct rule rows[] = {
	{.id = "same-again",
		.kind = RULE_ACTION,
		.threshold = {{"calls", 6, UNIT_COUNT}, LEAST(0.02)},
		.value = {PATTERN_VALUES, {"times", UNIT_COUNT}},
		.one = same_again,
		.saves = same_again_saves,
		.of_kernels = true,
		.covers = {"fusion", "rewrites", "graphs"},
		.before = {"fusion"},
		.pattern = &(const struct pattern){.change = CHANGE_ONE,
			.op = {"aten::tril", "aten::triu", "aten::ones", "aten::full",
				"aten::where", "aten::to", "aten::masked_fill", "aten::logical_not",
				"aten::bitwise_not", "aten::masked_fill_"},
			.is = is_of_mask}},
};

const struct rule_list pattern_again_rows = RULE_LIST(rows);
