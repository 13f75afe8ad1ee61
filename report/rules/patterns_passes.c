/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of passes: forward and backward more often than needed. */
#include "base/min_max.h"
#include "report/rules/pattern.h"

#include "report/replay/changes.h"

#include <math.h>
#include <string.h>

/* ---- the backward pass ---- */

struct gradients {
	size_t first, added; /* nodes that set a gradient, and that add to one */
	int64_t elements, added_elements; /* of all, and of those that are added; 0: not recorded */
};

/* Is what is added the same gradients over again, and not those of others, which nobody clears? */
static bool are_same_again(const struct gradients *g)
{
	int64_t first = g->elements - g->added_elements;
	return !g->first || !g->elements ||
		(g->added % g->first == 0 &&
			g->added_elements == first * (int64_t)(g->added / g->first));
}

/* In the window: a node of autograd that has an aten::add_ inside adds to what is there. */
static struct gradients gradients_of(const struct facts *s)
{
	const struct trace *t = s->t;
	struct gradients g = {0};
	name_id node = names_find(&t->names, "torch::autograd::AccumulateGrad");
	name_id add = names_find(&t->names, "aten::add_"), out = names_find(&t->names, "aten::add");
	size_t nodes = 0;
	for (uint32_t i = s->work_from; node && i < s->work_to; i++) {
		uint32_t up = t->parent[i];
		if (t->name[i] == node) {
			nodes++;
			g.elements += elements_at(s, i, 0);
		}
		if (up == NO_ROW || t->name[up] != node || t->kind[i] != EVENT_OP ||
			(t->name[i] != add && t->name[i] != out))
			continue;
		g.added++;
		g.added_elements += elements_at(s, up, 0);
	}
	g.first = nodes > g.added ? nodes - g.added : 0;
	return g;
}

/* Is a row right inside one of this name? */
static bool is_inside_of(const struct trace *t, uint32_t row, name_id name)
{
	return t->parent[row] != NO_ROW && t->name[t->parent[row]] == name;
}

/* Operators whose nodes bear their name, of how many forward, and of how many backward. */
struct passes {
	double forward, backward;
};

/* names: of the operator, of its node, and of the operator in place. */
static struct passes passes_of(const struct facts *s, const char *const *names)
{
	const struct trace *t = s->t;
	struct passes p = {0};
	name_id one = names_find(&t->names, names[0]), node = names_find(&t->names, names[1]),
		in_place = names[2] ? names_find(&t->names, names[2]) : 0;
	for (uint32_t i = s->work_from; one && node && i < s->work_to; i++) {
		bool is = t->name[i] == one || (in_place && t->name[i] == in_place);
		p.forward += is && !is_inside_of(t, i, node);
		p.backward += t->name[i] == node;
	}
	return p;
}

/* Forward once, backward so many times: of the operators that most nodes are of, or half as many,
 * those that go backward most often. A trunk does where the heads behind it go each its own way. */
static double backward_per_forward(const struct facts *s)
{
	enum { PAIRS = 6 };
	static const char *const pairs[PAIRS][3] = {{"aten::addmm", "AddmmBackward0"},
		{"aten::mm", "MmBackward0"}, {"aten::convolution", "ConvolutionBackward0"},
		{"aten::gelu", "GeluBackward0"},
		{"aten::native_layer_norm", "NativeLayerNormBackward0"},
		{"aten::relu", "ReluBackward0", "aten::relu_"}};
	struct passes p[PAIRS];
	double most = 0, times = 0;
	for (int k = 0; k < PAIRS; k++) {
		p[k] = passes_of(s, pairs[k]);
		most = fmax(most, p[k].forward > 0 ? p[k].backward : 0);
	}
	for (int k = 0; k < PAIRS; k++)
		if (p[k].forward > 0 && 2 * p[k].backward >= most)
			times = fmax(times, p[k].backward / p[k].forward);
	return times;
}

/* Gradients of parameters are added to; or there are none, and one row of a derivative is asked for
 * after the other. */
static bool is_run_twice(const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	enum { ROWS = 4 };
	(void)sum;
	struct gradients g = gradients_of(s);
	double passes = backward_per_forward(s);
	bool rows = !g.first && !g.added && passes >= ROWS;
	f->variant = rows ? "rows" : "";
	return rows || (g.first > 0 && g.added >= g.first && passes >= 1.9);
}

static double keeps_one_pass(const struct facts *s)
{
	double passes = backward_per_forward(s);
	return passes > 1 ? 1 / passes : 1;
}

/* ---- gradients that are cleared ---- */

#define CLEARS "aten::zero_", "aten::_foreach_zero_", "aten::zeros_like"

static bool is_in_zero_grad(const struct facts *s, uint32_t row)
{
	uint32_t up = s->t->parent[row];
	return up != NO_ROW && !strncmp(row_name(s, up), "Optimizer.zero_grad", 19);
}

/* In zero_grad of an optimizer; or by the program, which has no range for it. */
static bool is_of_clearing(const struct facts *s, const struct matches *m, uint32_t row)
{
	uint32_t up = s->t->parent[row];
	(void)m;
	if (is_named(s, row, "aten::add_") || is_named(s, row, "aten::add"))
		return is_named(s, up, "torch::autograd::AccumulateGrad");
	return is_in_zero_grad(s, row) || up == NO_ROW || s->t->kind[up] != EVENT_OP;
}

static bool clears(const struct facts *s, uint32_t row)
{
	static const char *const names[] = {CLEARS};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (s->t->kind[row] == EVENT_OP && !strcmp(row_name(s, row), names[i]))
			return true;
	return false;
}

/* Nobody adds to a gradient that is not there: only where gradients are filled with zeros is the
 * sum for nothing. That is done before backward, so maybe while the device still does what is in
 * front of the window. Without a range for it, as many tensors must be cleared as are added to, and
 * each of these must have been there. */
static bool zeroes_gradients(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	size_t cleared = 0;
	struct gradients g = gradients_of(s);
	(void)sum;
	(void)f;
	for (uint32_t i = 0; i < s->work_to; i++) {
		if (!clears(s, i) || !is_of_clearing(s, NULL, i))
			continue;
		if (is_in_zero_grad(s, i))
			return true;
		const struct inputs *x = i >= s->work_from ? inputs_of(s->a, i) : NULL;
		cleared += i < s->work_from	? 0
			: x && x->in[0].tensors ? (size_t)x->in[0].tensors
						: 1;
	}
	return g.added && 8 * g.first <= g.added && 8 * cleared >= 7 * g.added;
}

/* ---- gradients of what nobody trains ---- */

enum { LISTS = 32 };

/* Tensors of the lists of one step of an optimizer, by the operator's name. */
struct list_sums {
	name_id name[LISTS];
	int64_t sum[LISTS], most;
	int n;
};

static void add_list(struct list_sums *x, name_id name, int tensors)
{
	int k = 0;
	while (k < x->n && x->name[k] != name)
		k++;
	if (k == LISTS)
		return;
	x->name[k] = name;
	x->sum[k] = tensors + (k < x->n ? x->sum[k] : 0);
	x->n += k == x->n;
	x->most = max64(x->most, tensors);
}

/* Each operator is called for each group of parameters, some of them more than once: the least sum
 * that holds the longest list. */
int64_t tensors_of_step(const struct facts *s, uint32_t step)
{
	const struct trace *t = s->t;
	struct list_sums x = {.n = 0};
	for (uint32_t i = step + 1; i < t->n && t->start_ns[i] < row_end(t, step); i++) {
		const struct inputs *in = inputs_of(s->a, i);
		if (in && in->in[0].tensors > 0)
			add_list(&x, t->name[i], in->in[0].tensors);
	}
	int64_t least = 0;
	for (int k = 0; k < x.n; k++)
		if (x.sum[k] >= x.most && (!least || x.sum[k] < least))
			least = x.sum[k];
	return least;
}

/* The tensors of the optimizers' lists. */
static double trained_tensors(const struct facts *s)
{
	double sum = 0;
	for (size_t o = 0; o < s->optimizers.n; o++)
		sum += (double)tensors_of_step(s, s->optimizers.row[o]);
	return sum;
}

static double trained_share(const struct facts *s)
{
	struct gradients g = gradients_of(s);
	double trained = trained_tensors(s);
	size_t all = are_same_again(&g) ? g.first : g.first + g.added;
	return g.first && trained > 0 ? trained / (double)all : 1;
}

static bool is_mostly_frozen(
	const struct facts *s, const struct pattern_sum *sum, struct finding *f)
{
	(void)sum;
	(void)f;
	return trained_share(s) <= 0.5;
}

static enum finding_state frozen(const struct facts *s, struct finding *f)
{
	if (goes_into_others(s, f))
		return FINDING_FIRED;
	f->variant = "";
	return pattern_seen(s, f);
}

static struct gain frozen_saves(const struct facts *s, const struct finding *f)
{
	return strcmp(f->variant, "detached") ? pattern_saves(s, f) : (struct gain){0};
}

static bool is_computed_again(const struct facts *s, const struct matches *m, uint32_t row)
{
	(void)m;
	return launched_for_ns(s, row, WHY_RECOMPUTED) > 0;
}

static bool is_again(const struct facts *s, uint32_t row)
{
	return row != NO_ROW && launched_for_ns(s, row, WHY_RECOMPUTED) > 0;
}

/* A node that autograd runs, where a row is an operator right inside it. */
static uint32_t node_around(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	uint32_t node = t->kind[row] == EVENT_OP ? t->parent[row] : NO_ROW;
	bool is = node != NO_ROW && t->parent[node] != NO_ROW &&
		!strncmp(row_name(s, t->parent[node]), "autograd::engine::", 18);
	return is ? node : NO_ROW;
}

/* Inside the node that needs its results Python gets the inputs back, calls the part again and
 * hands the results over: all of that lies in front of what is computed again first, and of what
 * follows it. */
static void plan_calling_again(const struct facts *s, struct replay_plan *plan, uint32_t row)
{
	const struct trace *t = s->t;
	uint32_t node = node_around(s, row);
	if (node == NO_ROW)
		return;
	uint32_t before = operator_before(s, row);
	if (before == NO_ROW && is_again(s, row))
		plan_spare(plan, t->start_ns[node], t->start_ns[row]);
	else if (is_again(s, before))
		plan_spare(plan, row_end(t, before), t->start_ns[row]);
}

enum { PREPARING_NS = 1000000 };

/* What saves the inputs of a part that will run again, and what Python does around it: since the
 * operator in front of it, up to PREPARING_NS. */
static void checkpoints(const struct facts *s, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	name_id saves = names_find(&t->names, "_NoopSaveInputs"),
		function = names_find(&t->names, "CheckpointFunction");
	for (uint32_t i = s->work_from; i < s->work_to; i++) {
		bool is = t->kind[i] == EVENT_OP && t->name[i] &&
			(t->name[i] == saves || t->name[i] == function);
		uint32_t next = is ? next_operator(s, i) : NO_ROW;
		uint32_t before = is ? operator_before(s, i) : NO_ROW;
		if (is)
			plan_spare(plan, prepared_from(s, i), row_end(t, i));
		else
			plan_calling_again(s, plan, i);
		if (before != NO_ROW && t->start_ns[i] - row_end(t, before) < PREPARING_NS)
			plan_spare(plan, row_end(t, before), t->start_ns[i]);
		if (next != NO_ROW)
			plan_spare(plan, comes_to(s, next), t->start_ns[next]);
	}
}

/* ---- many small passes ---- */

static void prove_named(const struct facts *s, struct finding *f, const char *name)
{
	name_id id = names_find(&s->t->names, name);
	for (uint32_t i = s->work_from; id && i < s->work_to; i++)
		if (s->t->name[i] == id)
			prove(f, i);
}

/* One pass does on the device what all did, but the host needs as much time as for one: of each
 * slice of its time one part stays. */
static void plan_one_pass(const struct facts *s, struct finding *f, double passes)
{
	enum { SLICE_NS = 100000 };
	for (int64_t at = s->w->start_ns; at < s->w->end_ns; at += SLICE_NS)
		plan_spare(f->plan, at + (int64_t)(SLICE_NS / passes), at + SLICE_NS);
}

static enum finding_state micro_batches(const struct facts *s, struct finding *f)
{
	int64_t late = late_launches_ns(s);
	if (s->graph_launches || s->track == NO_ROW || !s->backward || !is_about(s, f, late))
		return FINDING_NOT_FIRED;
	struct gradients g = gradients_of(s);
	double passes = g.first ? (double)(g.first + g.added) / (double)g.first : 0;
	if (passes < limit(f, "passes") || backward_per_forward(s) >= 1.9 || !are_same_again(&g))
		return FINDING_NOT_FIRED;
	TELL(f, {"passes", floor(passes + 0.5)}, {"late", (double)late},
		{"share", share_of_window(s, late)}, {"launches", (double)s->launches});
	prove_named(s, f, "torch::autograd::AccumulateGrad");
	plan_one_pass(s, f, passes);
	return FINDING_FIRED;
}

/* ---- scaled losses ---- */

#define SCALERS_CHECK "aten::_amp_foreach_non_finite_check_and_unscale_"
#define SCALERS_UPDATE "aten::_amp_update_scale_"

/* GradScaler reads whether a gradient was infinite behind its check, in front of which it makes
 * single numbers; gradients may be clipped between. */
static bool is_of_scaler(const struct facts *s, const struct matches *m, uint32_t row)
{
	enum { BEHIND = 20, BEFORE = 8 };
	uint32_t at = row;
	const struct inputs *x = inputs_of(s->a, row);
	(void)m;
	if (is_named(s, row, SCALERS_CHECK) || is_named(s, row, SCALERS_UPDATE))
		return true;
	if (is_named(s, row, "aten::item")) {
		for (int i = 0; i < BEHIND && (at = operator_before(s, at)) != NO_ROW; i++)
			if (is_named(s, at, SCALERS_CHECK))
				return true;
		return false;
	}
	for (int i = 0; i < BEFORE && (!x || elements_of(x, 0) <= 1); i++) {
		at = next_operator(s, at);
		if (at == NO_ROW || is_named(s, at, SCALERS_CHECK))
			return at != NO_ROW;
	}
	return false;
}

static bool has_check(const struct facts *s)
{
	return names_find(&s->t->names, SCALERS_CHECK) != 0;
}

static const struct rule rows[] = {
	{.id = "micro-batches",
		.kind = RULE_ACTION,
		.threshold = {{"passes", 4, UNIT_COUNT}, ABOUT(0.2), LEAST(0.02)},
		.value = {{"passes", UNIT_COUNT}, {"late", UNIT_NS}, {"share", UNIT_SHARE},
			{"launches", UNIT_COUNT}},
		.covers = {"graphs", "batch", "loops", "zero-gradients"},
		.one = micro_batches},
	{PATTERN("backward-twice", 16,
		 {.op = {"autograd::engine::evaluate_function*"},
			 .keeps = keeps_one_pass,
			 .holds = is_run_twice}),
		.covers = {"micro-batches", "elsewhere", "graphs", "loops", "batch"}},
	{.id = "frozen",
		.kind = RULE_ACTION,
		.threshold = {{"calls", 16, UNIT_COUNT}, LEAST(0.02)},
		.value = {PATTERN_VALUES},
		.one = frozen,
		.saves = frozen_saves,
		.pattern = &(const struct pattern){.op = {"autograd::engine::evaluate_function*"},
			.keeps = trained_share,
			.holds = is_mostly_frozen},
		.covers = {"graphs", "elsewhere"}},
	{PATTERN("checkpointed", 2,
		 {.op = {FORWARD_OPERATORS},
			 .under = {"autograd::engine::evaluate_function*"},
			 .not_under = {"CompiledFunctionBackward"},
			 .is = is_computed_again,
			 .more = checkpoints}),
		.of_kernels = true},
	{PATTERN("zero-gradients", 2,
		 {.op = {"aten::add_", "aten::add", CLEARS},
			 .is = is_of_clearing,
			 .holds = zeroes_gradients}),
		.setting = true, .covers = {"loops", "zero-fill"}},
	{PATTERN("scaler", 1,
		 {.op = {"aten::item", SCALERS_CHECK, SCALERS_UPDATE, "aten::to",
			  "aten::reciprocal", "aten::full"},
			 .is = is_of_scaler,
			 .may = has_check}),
		.covers = {"sync"}, .before = {"graphs"}},
};

const struct rule_list pattern_pass_rows = RULE_LIST(rows);
