/* SPDX-License-Identifier: Apache-2.0 */
/* The linear layer and the gated MLP: what is fused, and what it is worth. */
#include "report/course/answers.h"

#include "report/analyse/account.h"
#include "report/analyse/shapes.h"
#include "report/name/kernel_name.h"
#include "report/run/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 64, MLP_GEMMS = 3 };

static bool is_transposition(const char *name)
{
	return ends_with(name, "::t") || ends_with(name, "::transpose");
}

/* How many transpositions a usual step has; *first becomes the first one, NO_ROW without any. */
static uint32_t transpositions(const struct answer *a, int i, uint32_t *first)
{
	uint32_t row[MOST_OPS], found = 0;
	uint32_t n = rows_in_step(a->c[i], usual_step(a, i), CLASS_OP, row, MOST_OPS);
	*first = NO_ROW;
	for (uint32_t k = 0; k < n && k < MOST_OPS; k++)
		if (is_transposition(name_of_event(&a->c[i]->trace, row[k])) && !found++)
			*first = row[k];
	return found;
}

static void fill_in_pair(struct answer *a, const char *place, int64_t first, int64_t second)
{
	const int64_t pair[] = {first, second};
	fill_in(a, place, shape_text(a->arena, pair, 2));
}

const char *answer_transpose(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	uint32_t row;
	int64_t strides[2];
	if (!transpositions(a, 0, &row))
		return NULL;
	const struct inputs *in = inputs_of(a->c[0]->analysis, row);
	if (!in || in->in[0].rank != 2 || first_strides(t, row, strides, 2) != 2)
		return NULL;
	const int64_t *dims = in->in[0].dim;
	fill_in_row(a, "op", t, row);
	fill_in_time(a, "time", usual_call_ns(a->c[0]->analysis, is_called, name_of_event(t, row)));
	fill_in_pair(a, "dims", dims[0], dims[1]);
	fill_in_pair(a, "strides", strides[0], strides[1]);
	fill_in_pair(a, "new_dims", dims[1], dims[0]);
	fill_in_pair(a, "new_strides", strides[1], strides[0]);
	return "view";
}

const char *answer_epilogue(struct answer *a)
{
	uint32_t gemm = step_device_row(a->c[0], usual_step(a, 0), CLASS_GEMM);
	if (gemm == NO_ROW)
		return NULL;
	fill_in_row(a, "kernel", &a->c[0]->trace, gemm);
	tell_kernels(a, "work", 0);
	return a->n[0].kernels == 1 && a->n[0].copies == 0 ? "epilogue" : "apart";
}

/* Where the CPU's time of a usual step goes: the spans' own time, by what they are. */
enum cost { COST_CHECKS, COST_COMPILED, COST_OPERATORS, COST_CALLS, COST_AROUND, COSTS };

static enum cost cost_of(const struct report_case *c, uint32_t row)
{
	const char *key;
	int length;
	switch (c->analysis->class[row]) {
	case CLASS_COMPILE:
		switch (compile_row_of(name_of_event(&c->trace, row), &key, &length)) {
		case COMPILE_LOOKUP:
		case COMPILE_GUARD:
			return COST_CHECKS;
		default:
			return COST_COMPILED;
		}
	case CLASS_OP:
		return COST_OPERATORS;
	case CLASS_LAUNCH:
	case CLASS_COPY_CALL:
	case CLASS_CALL:
	case CLASS_QUERY:
		return COST_CALLS;
	default:
		return COST_AROUND;
	}
}

struct costs {
	const struct report_case *c;
	uint32_t step; /* row */
	double *ns; /* (COSTS) */
};

static void take_cost(void *to, uint32_t row, struct time_span at)
{
	const struct costs *x = to;
	x->ns[cost_of(x->c, row == NO_ROW ? x->step : row)] += (double)(at.end_ns - at.start_ns);
}

static void costs_of_step(const struct answer *a, int i, double ns[COSTS])
{
	const struct trace *t = &a->c[i]->trace;
	const struct step *s = usual_step(a, i);
	const struct thread_window w = {t->track[s->row], {s->start_ns, s->start_ns + s->dur_ns},
		s->row, (size_t)s->row + 1};
	account_thread(t, &w, take_cost, &(struct costs){a->c[i], s->row, ns});
}

/* What changed most, by the spans, in the direction of the whole. */
static void fill_in_costs(struct answer *a)
{
	static const char *const names[COSTS] = {
		"checks", "compiled", "operators", "calls", "around"};
	double ns[2][COSTS] = {{0}}, whole = 0;
	for (int i = 0; i < 2; i++)
		costs_of_step(a, i, ns[i]);
	for (int k = 0; k < COSTS; k++)
		whole += ns[1][k] - ns[0][k];
	int most = 0;
	for (int k = 1; k < COSTS; k++)
		if ((ns[1][k] - ns[0][k]) * whole > (ns[1][most] - ns[0][most]) * whole)
			most = k;
	fill_in_time(a, "tax", ns[1][COST_CHECKS]);
	fill_in_time(a, "was", ns[0][most]);
	fill_in_time(a, "is", ns[1][most]);
	fill_in(a, "part", question_text(a->texts, a->arena, "costs", names[most], NULL, 0));
}

const char *answer_one_layer(struct answer *a)
{
	static const char *const outcomes[] = {"cheaper", "even", "dearer"};
	if (!(a->n[0].cpu_ns > 0) || !(a->n[0].device_ns > 0))
		return NULL;
	tell_kernels(a, "work", 0);
	tell_kernels(a, "other_work", 1);
	fill_in_costs(a);
	if (!same_gemms(a->c[0], a->c[1]))
		return "other";
	return outcomes[told_trend(a, "other.cpu_ratio")];
}

const char *answer_transpose_gone(struct answer *a)
{
	uint32_t row, other;
	uint32_t before = transpositions(a, 0, &row), after = transpositions(a, 1, &other);
	if (!before)
		return NULL;
	fill_in_row(a, "op", &a->c[0]->trace, row);
	fill_in_count(a, "before", before);
	fill_in_count(a, "after", after);
	return after ? "still" : "gone";
}

const char *answer_layout(struct answer *a)
{
	uint32_t gemm = step_device_row(a->c[0], usual_step(a, 0), CLASS_GEMM);
	struct kernel_name name;
	if (gemm == NO_ROW)
		return NULL;
	fill_in_row(a, "kernel", &a->c[0]->trace, gemm);
	kernel_name_decode(&name, name_of_event(&a->c[0]->trace, gemm));
	const char *letters = kernel_name_part(&name, PART_LAYOUT);
	if (!letters)
		return "untold";
	fill_in(a, "letters", arena_strdup(a->arena, letters));
	return "letters";
}

static uint32_t count_class(
	const struct report_case *c, const struct step *s, enum event_class class)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		n += c->analysis->class[s->device[i]] == class;
	return n;
}

static double share_of_class(const struct report_case *c, enum event_class class)
{
	double share = 0;
	for (uint32_t i = 0; i < c->analysis->n_activities; i++)
		if (c->analysis->activities[i].class == class)
			share += c->analysis->activities[i].share;
	return share;
}

/* A product whose operator was called with more axes than it multiplies: the leading ones are its
 * rows. Nothing where no shapes are recorded. */
static void fill_in_folded(struct answer *a)
{
	const struct analysis *an = a->c[0]->analysis;
	const struct trace *t = an->trace;
	uint32_t row[MOST_OPS];
	uint32_t n = rows_in_step(a->c[0], usual_step(a, 0), CLASS_OP, row, MOST_OPS);
	for (uint32_t k = 0; k < n && k < MOST_OPS; k++) {
		uint32_t outer = t->parent[row[k]];
		while (outer != NO_ROW && !ends_with(name_of_event(t, outer), "::linear"))
			outer = t->parent[outer];
		const struct inputs *in = inputs_of(an, row[k]);
		const struct inputs *of = outer == NO_ROW ? NULL : inputs_of(an, outer);
		struct product p;
		if (!in || !of || in->in[0].rank != 2 || of->in[0].rank != 3 ||
			in->in[0].dim[0] != of->in[0].dim[0] * of->in[0].dim[1] ||
			!product_of(an, row[k], &p))
			continue;
		const struct text_value values[] = {{"outer", name_of_event(t, outer)},
			{"inner", name_of_event(t, row[k])},
			{"dims", shape_text(a->arena, of->in[0].dim, 3)},
			{"plain_dims", shape_text(a->arena, in->in[0].dim, 2)}};
		fill_in(a, "folded",
			question_text(a->texts, a->arena, "words", "folded", values, 4));
		return;
	}
	fill_in(a, "folded", "");
}

const char *answer_mlp(struct answer *a)
{
	int expected = told_work(a->c[0])->predicted_kernels;
	uint32_t gemms = count_class(a->c[0], usual_step(a, 0), CLASS_GEMM);
	if (expected <= 0 || !gemms)
		return NULL;
	fill_in_count(a, "expected", expected);
	fill_in_count(a, "gemms", gemms);
	fill_in_count(a, "pointwise", a->n[0].kernels - gemms);
	tell_kernels(a, "work", 0);
	fill_in_share(a, "share", share_of_class(a->c[0], CLASS_GEMM));
	fill_in_folded(a);
	return a->n[0].kernels == expected ? "kept" : "other";
}

enum { ALL_GEMMS = -1 };

/* How long the nth product of a step takes, or all of them; 0 where it has fewer. */
static int64_t gemm_ns(const struct report_case *c, const struct step *s, int nth)
{
	int64_t ns = 0;
	int seen = 0;
	for (uint32_t k = 0; k < s->n_device; k++)
		if (c->analysis->class[s->device[k]] == CLASS_GEMM &&
			(seen++ == nth || nth == ALL_GEMMS))
			ns += c->trace.dur_ns[s->device[k]];
	return ns;
}

/* Its median over the steady steps, (double)NAN where one of them has none. */
static double median_gemm(const struct report_case *c, int nth)
{
	const struct analysis *an = c->analysis;
	int64_t *ns = xcalloc((size_t)an->n_steps + 1, sizeof *ns);
	uint32_t n = 0;
	bool all = true;
	for (uint32_t i = steady_from(an); i < an->n_steps; i++)
		all &= (ns[n++] = gemm_ns(c, &an->steps[i], nth)) > 0;
	double median = n && all ? stats_of(ns, n).median : (double)NAN;
	free(ns);
	return median;
}

const char *answer_two_gemms(struct answer *a)
{
	static const char *const places[MLP_GEMMS] = {"gate", "up", "down"};
	uint32_t row[MLP_GEMMS], n = 0;
	const struct trace *t = &a->c[0]->trace;
	const struct step *s = usual_step(a, 0);
	for (uint32_t i = 0; i < s->n_device; i++)
		if (a->c[0]->analysis->class[s->device[i]] == CLASS_GEMM && n < MLP_GEMMS)
			row[n++] = s->device[i];
	for (int i = 0; i < MLP_GEMMS; i++) {
		double ns = median_gemm(a->c[0], i);
		if (n < MLP_GEMMS || !isfinite(ns))
			return NULL;
		fill_in_time(a, places[i], ns);
	}
	fill_in_row(a, "first", t, row[0]);
	fill_in_row(a, "last", t, row[MLP_GEMMS - 1]);
	fill_in_count(a, "dim", shape_of(a->c[0], "dim"));
	fill_in_count(a, "hidden", shape_of(a->c[0], "hidden"));
	return t->name[row[0]] == t->name[row[MLP_GEMMS - 1]] ? "one" : "two";
}

/* Operators of a step, parted into those that launch something and those that do not. */
const char *answer_op_names(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	const struct step *s = usual_step(a, 0);
	uint32_t op[MOST_OPS], launching[MOST_OPS], other[MOST_OPS], n_launching = 0, n_other = 0;
	uint32_t n = rows_in_step(a->c[0], s, CLASS_OP, op, MOST_OPS);
	if (n > MOST_OPS)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		bool launches = false;
		for (uint32_t k = 0; k < s->n_device; k++) {
			uint32_t call = analysis_launch_of(t, s->device[k]);
			launches |= call != NO_ROW && analysis_op_of(t, call) == op[i];
		}
		if (launches)
			launching[n_launching++] = op[i];
		else
			other[n_other++] = op[i];
	}
	if (!n_launching || !n_other)
		return NULL;
	fill_in_count(a, "all", n);
	fill_in_count(a, "launching", n_launching);
	fill_in_rows(a, "work", t, launching, n_launching, false);
	fill_in_rows(a, "others", t, other, n_other, false);
	return "rows";
}

/* a->c: an eager case, then the same layer compiled. */
const char *answer_mlp_compiled(struct answer *a)
{
	uint32_t fused = step_device_row(a->c[1], usual_step(a, 1), CLASS_FUSED);
	if (!(a->n[0].device_ns > 0))
		return NULL;
	tell_kernels(a, "work", 1);
	if (fused == NO_ROW || a->n[1].kernels >= a->n[0].kernels)
		return "same";
	fill_in_row(a, "fused", &a->c[1]->trace, fused);
	fill_in_time(a, "gemms", median_gemm(a->c[0], ALL_GEMMS));
	fill_in_time(a, "other.gemms", median_gemm(a->c[1], ALL_GEMMS));
	return same_gemms(a->c[0], a->c[1]) ? "fused" : "other_gemms";
}

const char *answer_fusion_gain(struct answer *a)
{
	const struct activity *gelu = activity_of(a->c[0], CLASS_GELU);
	const struct activity *mul = activity_of(a->c[0], CLASS_MUL);
	const struct activity *fused = activity_of(a->c[1], CLASS_FUSED);
	double bytes = shape_of(a->c[0], "batch") * shape_of(a->c[0], "seq") *
		shape_of(a->c[0], "hidden") * element_bytes(a->c[0]);
	if (!gelu || !mul || !fused || !(bytes > 0) || !same_shape(a->c[0], a->c[1]))
		return NULL;
	double apart = steady_ns(a->c[0], CLASS_GELU) + steady_ns(a->c[0], CLASS_MUL);
	double together = steady_ns(a->c[1], CLASS_FUSED);
	enum { WRITTEN_AND_READ = 2 };
	fill_in_bytes(a, "bytes", bytes);
	fill_in_bytes(a, "saved", WRITTEN_AND_READ * bytes);
	fill_in_time(a, "apart", apart);
	fill_in_time(a, "fused", together);
	fill_in_kernels_ratio(a, "ratio", apart > 0 ? together / apart : (double)NAN,
		&(struct kernel_runs){a->c[1], fused, NULL},
		&(struct kernel_runs){a->c[0], gelu, mul});
	return told_trend(a, "ratio") == TREND_LESS ? "faster" : "slower";
}
