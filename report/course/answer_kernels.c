/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-written kernels, and what Lecture 1 asks. */
#include "report/course/answers.h"

#include "base/number_format.h"
#include "report/course/roofline.h"

#include <math.h>
#include <string.h>

static const double NEAR_ROOF = 0.6; /* of what can be had (Lecture 1: memory is the limit) */

/* The step behind the first with most first-call work: a shape that is new. */
static const struct step *new_shape(const struct analysis *an)
{
	const struct step *most = &an->steps[steps_steady_from(an->n_steps)];
	for (uint32_t i = 1; i < an->n_steps; i++)
		if (an->steps[i].setup_ns > most->setup_ns)
			most = &an->steps[i];
	return most;
}

/* First-call work of such a step, and how much of it is memory that is touched for the first time.
 */
static double fill_in_price(struct answer *a, int i, const char *price, const char *pages)
{
	const struct step *s = new_shape(a->c[i]->analysis);
	double touched_ns = 0;
	for (uint32_t k = 0; k < s->n_setup_sums; k++)
		if (strstr(names_text(&a->c[i]->trace.names, s->setup_sum[k].name), "page fault"))
			touched_ns += (double)s->setup_sum[k].ns;
	fill_in_time(a, price, (double)s->setup_ns);
	fill_in_time(a, pages, touched_ns);
	return (double)s->setup_ns;
}

/* a->c: a hand-written kernel, then the compiled and the hand-written one with a shape that changes
 * halfway. */
const char *answer_packaged(struct answer *a)
{
	const struct compile_facts *f = &a->c[0]->analysis->compile;
	double price_ns = fill_in_price(a, 1, "price", "pages");
	fill_in_price(a, 2, "hand", "hand_pages");
	fill_in_count(a, "lookups", f->lookups);
	fill_in_count(a, "guards", f->guards);
	fill_in_count(a, "recompiles", a->c[1]->analysis->compile.recompiles);
	return price_ns > 0 && !f->lookups && !f->guards ? "price" : "free";
}

const char *answer_tuned(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	uint32_t row = step_device_row(a->c[0], usual_step(a, 0), CLASS_FUSED);
	if (row == NO_ROW)
		return NULL;
	fill_in_row(a, "kernel", t, row);
	fill_in_count(a, "hidden", shape_of(a->c[0], "hidden"));
	fill_in_count(a, "rows", shape_of(a->c[0], "batch") * shape_of(a->c[0], "seq"));
	const struct kernel *k = t->side[row] == NO_ROW ? NULL : &t->kernels[t->side[row]];
	if (!k || k->grid[0] < 1 || k->block[0] < 1)
		return "plain";
	fill_in_count(a, "blocks", (double)k->grid[0] * k->grid[1] * k->grid[2]);
	fill_in_count(a, "threads", (double)k->block[0] * k->block[1] * k->block[2]);
	return "grid";
}

/* a->c: a compiled kernel, then a hand-written one. */
const char *answer_generic(struct answer *a)
{
	static const char *const outcomes[] = {"faster", "even", "slower"};
	const struct activity *made = activity_of(a->c[0], CLASS_FUSED);
	const struct activity *hand = activity_of(a->c[1], CLASS_FUSED);
	double made_ns = steady_ns(a->c[0], CLASS_FUSED), hand_ns = steady_ns(a->c[1], CLASS_FUSED);
	if (!made || !hand || !(made_ns > 0) || !(hand_ns > 0) || !same_shape(a->c[0], a->c[1]))
		return NULL;
	double ratio = hand_ns / made_ns;
	fill_in_row(a, "made", &a->c[0]->trace, made->row[0]);
	fill_in_row(a, "hand", &a->c[1]->trace, hand->row[0]);
	fill_in_time(a, "made_time", made_ns);
	fill_in_time(a, "hand_time", hand_ns);
	fill_in_kernels_ratio(a, "ratio", ratio, &(struct kernel_runs){a->c[1], hand, NULL},
		&(struct kernel_runs){a->c[0], made, NULL});
	return outcomes[told_trend(a, "ratio")];
}

/* All of it is of one step, so that its parts are no longer than it is. */
const char *answer_host_clock(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	const struct step *s = usual_step(a, 0);
	uint32_t kernel = step_device_row(a->c[0], s, CLASS_GEMM);
	uint32_t launch = kernel == NO_ROW ? NO_ROW : analysis_launch_of(t, kernel);
	if (launch == NO_ROW)
		return NULL;
	fill_in_row(a, "step", t, s->row);
	fill_in_row(a, "kernel", t, kernel);
	fill_in_time(a, "call", (double)t->dur_ns[launch]);
	fill_in_time(a, "time", (double)t->dur_ns[kernel]);
	fill_in_time(a, "clock", (double)s->dur_ns);
	fill_in_time(a, "work", (double)s->busy_ns);
	return t->dur_ns[launch] < t->dur_ns[kernel] ? "queued" : "slow_call";
}

/* Triton's blocks are powers of two, so a row takes the next one that holds it. */
static double lanes_for(double width)
{
	double lanes = 1;
	while (lanes < width)
		lanes *= 2;
	return lanes;
}

/* The operator around the launch of the first kernel of a step, and the outermost one around it. */
static bool fill_in_operators(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	const struct step *s = usual_step(a, 0);
	uint32_t launch = s->n_device ? analysis_launch_of(t, s->device[0]) : NO_ROW;
	uint32_t inner = launch == NO_ROW ? NO_ROW : analysis_op_of(t, launch), outer = inner;
	if (inner == NO_ROW)
		return false;
	while (t->parent[outer] != NO_ROW && t->kind[t->parent[outer]] == EVENT_OP)
		outer = t->parent[outer];
	fill_in_row(a, "outer", t, outer);
	fill_in_row(a, "inner", t, inner);
	fill_in_row(a, "kernel", t, s->device[0]);
	return true;
}

/* True where the operator stands in no other one. */
static bool operator_is_called(const struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	uint32_t op = analysis_op_of(t, analysis_launch_of(t, usual_step(a, 0)->device[0]));
	return t->parent[op] == NO_ROW || t->kind[t->parent[op]] != EVENT_OP;
}

const char *answer_square(struct answer *a)
{
	if (!fill_in_operators(a))
		return NULL;
	return operator_is_called(a) ? "same" : "square";
}

/* A layer instead: an operator that is another one underneath. */
const char *answer_renamed(struct answer *a)
{
	if (!fill_in_operators(a))
		return NULL;
	return operator_is_called(a) ? "alone" : "nested";
}

/* a->c: kernels with a block as wide as the row, with a fixed block that loops, and with vectors.
 */
const char *answer_row_kernels(struct answer *a)
{
	for (int i = 0; i < QUESTION_CASES; i++)
		if (!(a->n[i].device_ns > 0))
			return NULL;
	double width = shape_of(a->c[0], "dim"), lanes = lanes_for(width);
	fill_in_count(a, "width", width);
	fill_in_count(a, "lanes", lanes);
	fill_in_share(a, "masked", 1 - width / lanes);
	return a->n[1].device_ns < a->n[0].device_ns ? "loop" : "row";
}

const char *answer_padded_row(struct answer *a)
{
	double row = shape_of(a->c[0], "hidden"), lanes = lanes_for(row);
	if (!(row > 0))
		return NULL;
	fill_in_count(a, "row", row);
	fill_in_count(a, "lanes", lanes);
	fill_in_share(a, "masked", 1 - row / lanes);
	return "rule";
}

/* What the memory gave in this run at most: its roofline for large tensors, since smaller
 * ones stay in caches, or the copy where no other case tells. */
static double best_rate(const struct answer *a, double copy_rate)
{
	struct roofline r = {0};
	if (!roofline_find(&r, a->arena, a->run))
		return copy_rate;
	return fmax(copy_rate, roofline_memory(&r));
}

/* a->c: an eager case, then one with a plain copy of the same size. */
const char *answer_limits(struct answer *a)
{
	const struct activity *gemm = activity_of(a->c[0], CLASS_GEMM);
	const struct activity *add = activity_of(a->c[0], CLASS_ADD);
	const struct activity *copy = activity_of(a->c[1], CLASS_COPY);
	double size = shape_of(a->c[0], "size"), tensor = size * size * element_bytes(a->c[0]);
	if (!gemm || !add || !copy || !(tensor > 0) || !same_shape(a->c[0], a->c[1]) ||
		!(steady_ns(a->c[0], CLASS_GEMM) > 0) || !(steady_ns(a->c[0], CLASS_ADD) > 0) ||
		!(steady_ns(a->c[1], CLASS_COPY) > 0))
		return NULL;
	enum { ADD_TENSORS = 3, COPY_TENSORS = 2, FLOP = 2 };
	static const double NS = 1e9;
	double add_rate = ADD_TENSORS * tensor / steady_ns(a->c[0], CLASS_ADD) * NS;
	double copy_rate = COPY_TENSORS * tensor / steady_ns(a->c[1], CLASS_COPY) * NS;
	fill_in_row(a, "gemm", &a->c[0]->trace, gemm->row[0]);
	fill_in_row(a, "add", &a->c[0]->trace, add->row[0]);
	fill_in(a, "flops",
		format_si(a->arena, FLOP * size * size * size / steady_ns(a->c[0], CLASS_GEMM) * NS,
			"FLOP/s"));
	fill_in(a, "rate", format_si(a->arena, add_rate, "B/s"));
	double best = fmax(best_rate(a, copy_rate), add_rate);
	fill_in(a, "best", format_si(a->arena, best, "B/s"));
	fill_in_share(a, "share", add_rate / best);
	fill_in_share(a, "rule", NEAR_ROOF);
	return add_rate >= NEAR_ROOF * best ? "memory" : "below";
}

const char *answer_freedom(struct answer *a)
{
	uint32_t made = step_device_row(a->c[0], usual_step(a, 0), CLASS_FUSED);
	uint32_t hand = step_device_row(a->c[1], usual_step(a, 1), CLASS_FUSED);
	if (made == NO_ROW || hand == NO_ROW)
		return NULL;
	fill_in_row(a, "made", &a->c[0]->trace, made);
	fill_in_row(a, "hand", &a->c[1]->trace, hand);
	return "pair";
}
