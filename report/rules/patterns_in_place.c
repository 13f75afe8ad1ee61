/* SPDX-License-Identifier: Apache-2.0 */
/* What could be written where it belongs at once: in place of what is there, or into the tensor
 * that it is copied to. */
#include "report/rules/pattern.h"

#include "report/analyse/operator_cost.h"

#include <string.h>

/* ---- into what is copied first ---- */

/* An operator that copies its input first, and then is the one in place: masked_fill is a clone and
 * masked_fill_; or writes into that copy itself. */
static bool is_copied_first(const struct facts *s, uint32_t row)
{
	uint32_t up = s->t->parent[row];
	if (up == NO_ROW || is_named(s, row, "aten::copy_"))
		return is_on(s, up, NAMES_COPY_FIRST);
	const char *name = row_name(s, up);
	size_t n = strlen(name);
	uint32_t next = next_operator(s, row);
	return next != NO_ROW && !strncmp(row_name(s, next), name, n) &&
		!strcmp(row_name(s, next) + n, "_");
}

/* ---- into what it is copied to ---- */

/* Operators that take `out`, and give as many elements as their inputs together, or a product. */
static bool takes_out(const struct facts *s, uint32_t row)
{
	static const char *const of[] = {"aten::add", "aten::sub", "aten::mul", "aten::div",
		"aten::pow", "aten::exp", "aten::log", "aten::sqrt", "aten::rsqrt", "aten::cos",
		"aten::sin", "aten::neg", "aten::abs", "aten::tanh", "aten::sigmoid", "aten::clamp",
		"aten::where", "aten::maximum", "aten::minimum", "aten::lerp", "aten::addcmul",
		"aten::mm", "aten::bmm", "aten::matmul", "aten::softmax", NULL};
	for (int i = 0; of[i]; i++)
		if (is_named(s, row, of[i]))
			return true;
	return false;
}

/* Does it give a tensor of these elements and as many dimensions? */
static bool gives_alike(const struct facts *s, uint32_t row, const struct operand *to, int64_t n)
{
	struct product p;
	const struct inputs *x = inputs_of(s->a, row);
	if (product_of(s->a, row, &p))
		return p.batch * p.m * p.n == n;
	for (int i = 0; x && i < x->n; i++)
		if (x->in[i].rank == to->rank && elements_of(x, i) == n &&
			x->in[i].bytes == to->bytes)
			return true;
	return false;
}

/* The program copies what the operator right in front has given, as it is, into a tensor that is
 * there already: whatever needs the result finds it there. */
static bool is_copied_behind(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	uint32_t up = s->t->parent[row], before = operator_before(s, row);
	if (!is_named(s, row, "aten::copy_") || (up != NO_ROW && s->t->kind[up] == EVENT_OP) ||
		before == NO_ROW || !x || x->n < 2 || x->in[0].bytes != x->in[1].bytes ||
		x->in[1].expanded)
		return false;
	int64_t n = elements_of(x, 0);
	return n && n == elements_of(x, 1) && takes_out(s, before) &&
		launches_inside(s, before, 0, true) && launches_inside(s, row, 0, true) &&
		!launches_inside(s, row, TRAIT_TO_DEVICE | TRAIT_TO_HOST, false) &&
		gives_alike(s, before, &x->in[0], n);
}

static bool is_copied_to_write(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	return is_copied_first(s, row) || is_copied_behind(s, row);
}

static bool tells_where(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	f->variant = is_copied_behind(s, sum->longest) ? "out" : "";
	return true;
}

/* ---- copies that nobody writes to ---- */

/* The program's own clone, and of the next operators there none is in place: its name would end in
 * _. What is kept for later, as a graph's output, has no operator behind it. */
static bool is_own_clone(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { NEXT = 4 };
	uint32_t up = s->t->parent[row], next = next_operator(s, row);
	(void)m;
	if ((up != NO_ROW && s->t->kind[up] == EVENT_OP) || next == NO_ROW || next >= s->work_to)
		return false;
	for (int i = 0; i < NEXT && next != NO_ROW; i++, next = next_operator(s, next)) {
		const char *name = row_name(s, next);
		size_t n = strlen(name);
		if (n && name[n - 1] == '_')
			return false;
	}
	return true;
}

/* What a graph gives is cloned before it is replayed. */
static bool launches_no_graph(const struct facts *s)
{
	return !s->graph_launches;
}

/* A gradient may need what was there. */
static bool needs_no_gradient(const struct facts *s)
{
	return !s->backward;
}

static const struct rule rows[] = {
	{PATTERN("in-place", 1,
		 {.op = {"aten::clone", "aten::copy_"},
			 .may = needs_no_gradient,
			 .is = is_copied_to_write,
			 .holds = tells_where}),
		.of_kernels = true},
	{PATTERN("clones", 6,
		 {.op = {"aten::clone"},
			 .not_under = {"Torch-Compiled Region*", "## Call CompiledFxGraph*"},
			 .may = launches_no_graph,
			 .is = is_own_clone,
			 .backward = true}),
		.of_kernels = true, .covers = {"rewrites"}},
};

const struct rule_list pattern_in_place_rows = RULE_LIST(rows);
