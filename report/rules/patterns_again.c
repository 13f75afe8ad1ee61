/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of what is computed again: a mask in each call, a chain of operators that begins with a
 * constant in each layer. */
#include "report/rules/constant_chains.h"
#include "report/rules/pattern.h"

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

static enum finding_state same_again(const struct facts *s, struct finding *f)
{
	enum finding_state masks = pattern_seen(s, f);
	return masks == FINDING_FIRED ? masks : chains_again(s, f);
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
