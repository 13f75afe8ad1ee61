/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes and gaps, the dispatch chain, waiting and spread. */
#include "report/course/answers.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/shapes.h"
#include "report/course/questions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_CHAIN = 12, MOST_QUERIES = 16 };
static const double STANDS_OUT = 5, LEAST_GAP_NS = 20000; /* G2: times the median, and at least */
static const double SPREAD = 1.1; /* longest by shortest */
static const double APART = 0.1; /* of the median: the mean misleads (G3) */
static const double HALF = 0.5;

/* How late the first piece of work of a step starts, from the start of its launch call: a slow call
 * may return long after its work began. */
static bool first_delay(const struct report_case *c, const struct step *s, double *ns)
{
	const struct trace *t = &c->trace;
	uint32_t call = s->n_device ? analysis_launch_of(t, s->device[0]) : NO_ROW;
	if (call == NO_ROW)
		return false;
	*ns = (double)(t->start_ns[s->device[0]] - t->start_ns[call]);
	return true;
}

static double median_first_delay(const struct report_case *c)
{
	const struct analysis *an = c->analysis;
	int64_t *delay = xcalloc(an->n_steps, sizeof *delay);
	size_t n = 0;
	double ns;
	for (uint32_t i = 1; i < an->n_steps; i++)
		if (first_delay(c, &an->steps[i], &ns))
			delay[n++] = (int64_t)ns;
	double median = n ? stats_of(delay, n).median : (double)NAN;
	free(delay);
	return median;
}

/* How much of a stretch rows of the recorder's buffers fill, and the device's work. */
static double filled(const struct analysis *a, int64_t from, int64_t to, bool device)
{
	const struct trace *t = a->trace;
	double ns = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		bool counts = device
			? event_on_device(t->kind[i])
			: t->kind[i] == EVENT_OVERHEAD && host_traits(a, i) & TRAIT_REQUEST;
		int64_t start = max64(t->start_ns[i], from);
		int64_t end = t->start_ns[i] + t->dur_ns[i];
		end = min64(end, to);
		ns += counts && end > start ? (double)(end - start) : 0;
	}
	return ns;
}

/* Of what later first kernels come late, how much earlier work has the device busy. */
static double median_queued(const struct report_case *c)
{
	const struct analysis *an = c->analysis;
	const struct trace *t = &c->trace;
	int64_t *queued = xcalloc(an->n_steps, sizeof *queued);
	size_t n = 0;
	double ns;
	for (uint32_t i = 1; i < an->n_steps; i++)
		if (first_delay(c, &an->steps[i], &ns)) {
			int64_t start = t->start_ns[an->steps[i].device[0]];
			queued[n++] = (int64_t)filled(an, start - (int64_t)ns, start, true);
		}
	double median = n ? stats_of(queued, n).median : (double)NAN;
	free(queued);
	return median;
}

/* How much of that wait is for earlier work: no words where it is none. */
static void fill_in_behind(struct answer *a, double queued_ns)
{
	const struct text_value queued = {"queued", format_time(a->arena, queued_ns)};
	fill_in(a, "behind",
		queued_ns > 0 ? question_text(a->texts, a->arena, "words", "behind", &queued, 1)
			      : "");
}

const char *answer_late_lane(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	const struct step *s = &a->c[0]->analysis->steps[0];
	double first_ns, others_ns = median_first_delay(a->c[0]);
	if (!first_delay(a->c[0], s, &first_ns) || !isfinite(others_ns))
		return NULL;
	int64_t kernel = t->start_ns[s->device[0]];
	fill_in_time(a, "lane", (double)(kernel - s->start_ns));
	fill_in_time(a, "ahead", (double)(kernel - s->start_ns) - first_ns);
	fill_in_behind(a, median_queued(a->c[0]));
	fill_in_time(a, "inside", filled(a->c[0]->analysis, s->start_ns, kernel, false));
	uint32_t last = NO_ROW;
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->kind[i] != EVENT_OVERHEAD ||
			!(host_traits(a->c[0]->analysis, i) & TRAIT_REQUEST))
			continue;
		last = i;
	}
	fill_in_time(a, "first", first_ns);
	fill_in_time(a, "others", others_ns);
	if (last == NO_ROW)
		return on_host_device(a) ? "host" : "none";
	fill_in_row(a, "name", t, last);
	return "request";
}

/* What idle_causes.h blames a step's first gap on. */
static const char *cause_of(const struct answer *a, int i, const struct step *s)
{
	const struct idle_causes *l = a->c[i]->idle_causes;
	char key[64] = "idle.unknown.means";
	for (size_t g = 0; g < l->n_gaps && s->n_device > 1; g++)
		if (l->of->gap_sides[g].after == s->device[1])
			snprintf(
				key, sizeof key, "idle.%s.means", idle_cause_name(l->why[g].cause));
	return say(a->texts, a->arena, key, NULL);
}

static uint32_t widest_gap(const struct report_case *c)
{
	uint32_t widest = 0;
	for (uint32_t i = 1; i < c->analysis->n_steps; i++) {
		double ns = step_gap_ns(c->analysis, &c->analysis->steps[i]);
		double most_ns = step_gap_ns(c->analysis, &c->analysis->steps[widest]);
		if (ns > most_ns || !isfinite(most_ns))
			widest = i;
	}
	return widest;
}

/* Of the gaps that steps have: did each launch end before its gap began, none, or some? */
static const char *who_makes_gaps(const struct analysis *an)
{
	uint32_t gaps = 0, queued = 0;
	for (uint32_t i = steady_from(an); i < an->n_steps; i++) {
		const struct step *s = &an->steps[i];
		uint32_t launch =
			s->n_device > 1 ? analysis_launch_of(an->trace, s->device[1]) : NO_ROW;
		if (launch == NO_ROW)
			continue;
		gaps++;
		queued += row_end(an->trace, launch) <= row_end(an->trace, s->device[0]);
	}
	return !queued ? "gaps.host" : queued == gaps ? "gaps.queue" : "gaps.either";
}

const char *answer_lone_gap(struct answer *a)
{
	const struct analysis *an = a->c[0]->analysis;
	double median_ns = median_gap_ns(an), small_ns = median_gap_ns(a->c[1]->analysis);
	if (!isfinite(median_ns) || !isfinite(small_ns))
		return NULL;
	const struct step *widest = &an->steps[widest_gap(a->c[0])];
	double n = 0, times = 0;
	for (uint32_t i = 0; i < an->n_steps; i++) {
		double ns = step_gap_ns(an, &an->steps[i]);
		n += isfinite(ns);
		times += ns >= STANDS_OUT * median_ns && ns >= LEAST_GAP_NS;
	}
	fill_in_row(a, "step", an->trace, widest->row);
	fill_in_time(a, "gap", step_gap_ns(an, widest));
	fill_in_time(a, "median", median_ns);
	fill_in_time(a, "small", small_ns);
	fill_in_count(a, "n", n);
	fill_in_count(a, "times", times);
	fill_in(a, "cause", cause_of(a, 0, widest));
	fill_in(a, "returns", say(a->texts, a->arena, who_makes_gaps(a->c[1]->analysis), NULL));
	return times == 1 ? "once" : times > 1 ? "often" : "never";
}

/* Shows the rows from the step down to the launch, then the kernel. */
const char *answer_chain(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	const struct step *s = usual_step(a, 0);
	uint32_t kernel = step_device_row(a->c[0], s, CLASS_GEMM);
	uint32_t row = kernel == NO_ROW ? NO_ROW : analysis_launch_of(t, kernel);
	uint32_t chain[DEEPEST_CHAIN], n = DEEPEST_CHAIN;
	if (row == NO_ROW)
		return NULL;
	chain[--n] = kernel;
	for (; row != NO_ROW && n; row = t->parent[row])
		chain[--n] = row;
	fill_in_rows(a, "chain", t, chain + n, DEEPEST_CHAIN - n, true);
	return "chain";
}

/* The operator that launched a step's product, NO_ROW if none. */
static uint32_t product_op(const struct answer *a, int i)
{
	const struct trace *t = &a->c[i]->trace;
	uint32_t kernel = step_device_row(a->c[i], usual_step(a, i), CLASS_GEMM);
	uint32_t launch = kernel == NO_ROW ? NO_ROW : analysis_launch_of(t, kernel);
	return launch == NO_ROW ? NO_ROW : analysis_op_of(t, launch);
}

/* "[8, 64, 64]" of an operator's first input; NULL where it is no tensor with a recorded shape. */
static const char *first_shape(const struct answer *a, int i, uint32_t row)
{
	const struct inputs *in = inputs_of(a->c[i]->analysis, row);
	return in && in->in[0].rank > 0 ? shape_text(a->arena, in->in[0].dim, in->in[0].rank)
					: NULL;
}

const char *answer_batched(struct answer *a)
{
	const struct trace *t[] = {&a->c[0]->trace, &a->c[1]->trace};
	uint32_t op[] = {product_op(a, 0), product_op(a, 1)};
	if (op[0] == NO_ROW || op[1] == NO_ROW)
		return NULL;
	const char *dims = first_shape(a, 0, op[0]), *plain = first_shape(a, 1, op[1]);
	uint32_t outer = t[0]->parent[op[0]];
	if (!dims || !plain || outer == NO_ROW || !shape_of(a->c[0], "batch"))
		return NULL;
	fill_in(a, "dims", dims);
	fill_in(a, "plain_dims", plain);
	fill_in_row(a, "outer", t[0], outer);
	fill_in_row(a, "inner", t[0], op[0]);
	fill_in_row(a, "plain", t[1], op[1]);
	fill_in_count(a, "batch", shape_of(a->c[0], "batch"));
	return strcmp(name_of_event(t[0], op[0]), name_of_event(t[1], op[1])) ? "batched" : "plain";
}

/* A planning query of the operator that launched the step's product, NO_ROW if none. */
static uint32_t query_of_product(const struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	uint32_t row[MOST_QUERIES], op = product_op(a, 0);
	uint32_t n = rows_in_step(a->c[0], usual_step(a, 0), CLASS_QUERY, row, MOST_QUERIES);
	for (uint32_t i = 0; op != NO_ROW && i < n && i < MOST_QUERIES; i++)
		if (analysis_op_of(t, row[i]) == op)
			return row[i];
	return NO_ROW;
}

/* The calls of an operator in a usual step, by start; at most `most` rows, all counted. */
static uint32_t calls_of(const struct answer *a, uint32_t op, uint32_t *row, uint32_t most)
{
	const struct trace *t = &a->c[0]->trace;
	const struct step *s = usual_step(a, 0);
	uint32_t n = 0;
	for (uint32_t i = s->row; i < t->n && t->start_ns[i] < s->start_ns + s->dur_ns; i++) {
		bool call = event_is_call(t->kind[i]);
		if (!call || analysis_op_of(t, i) != op)
			continue;
		if (n < most)
			row[n] = i;
		n++;
	}
	return n;
}

/* More calls than the addition's, none of them a query: what they are. */
static bool fill_in_calls(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	uint32_t row[MOST_QUERIES], add = step_device_row(a->c[0], usual_step(a, 0), CLASS_ADD);
	uint32_t launch = add == NO_ROW ? NO_ROW : analysis_launch_of(t, add);
	if (launch == NO_ROW)
		return false;
	uint32_t others = calls_of(a, analysis_op_of(t, launch), NULL, 0);
	uint32_t n = calls_of(a, product_op(a, 0), row, MOST_QUERIES);
	fill_in_count(a, "calls", n);
	fill_in_count(a, "others", others);
	fill_in_rows(a, "list", t, row, min32(n, MOST_QUERIES), false);
	return n > others;
}

static const struct kernel *footprint(const struct answer *a, enum event_class class)
{
	const struct trace *t = &a->c[0]->trace;
	uint32_t row = step_device_row(a->c[0], usual_step(a, 0), class);
	const struct kernel *k =
		row == NO_ROW || t->side[row] == NO_ROW ? NULL : &t->kernels[t->side[row]];
	return k && k->registers > 0 ? k : NULL;
}

/* What makes the one heavy and the other light; nothing where the device has no such numbers. */
static void fill_in_footprints(struct answer *a)
{
	const struct kernel *gemm = footprint(a, CLASS_GEMM), *add = footprint(a, CLASS_ADD);
	if (!gemm || !add)
		return fill_in(a, "footprints", "");
	const struct text_value values[] = {{"registers", format_count(a->arena, gemm->registers)},
		{"shared", format_si(a->arena, (double)gemm->shared_bytes, "B")},
		{"add_registers", format_count(a->arena, add->registers)},
		{"add_shared", format_si(a->arena, (double)add->shared_bytes, "B")}};
	fill_in(a, "footprints",
		question_text(a->texts, a->arena, "words", "footprints", values, 4));
}

/* Where a library that never asks has planned: in the first step of a cold case. */
static const struct setup_sum *planning(const struct report_case *c)
{
	const struct step *s = &c->analysis->steps[0];
	for (uint32_t i = 0; i < s->n_setup_sums; i++)
		if (strstr(names_text(&c->trace.names, s->setup_sum[i].name), "primitive creation"))
			return &s->setup_sum[i];
	return NULL;
}

/* a->c: a warm case, then a cold one. */
const char *answer_query(struct answer *a)
{
	const struct trace *t = &a->c[0]->trace;
	uint32_t kernel = step_device_row(a->c[0], usual_step(a, 0), CLASS_GEMM);
	uint32_t launch = kernel == NO_ROW ? NO_ROW : analysis_launch_of(t, kernel);
	if (launch == NO_ROW)
		return NULL;
	uint32_t query = query_of_product(a);
	fill_in_footprints(a);
	fill_in_row(a, "kernel", t, kernel);
	fill_in_row(a, "launch", t, launch);
	fill_in_count(a, "queries", (double)a->c[0]->analysis->n_queries);
	fill_in_count(a, "all_launches", (double)a->c[0]->analysis->n_launches);
	if (query != NO_ROW) {
		fill_in_row(a, "query", t, query);
		fill_in_time(a, "time", (double)t->dur_ns[query]);
		return "query";
	}
	if (fill_in_calls(a))
		return "calls";
	const struct setup_sum *setup = planning(a->c[1]);
	if (!setup || !on_host_device(a))
		return "none";
	fill_in(a, "setup", names_text(&a->c[1]->trace.names, setup->name));
	fill_in_time(a, "time", (double)setup->ns);
	return "host";
}

/* The share of the last wait in which the device worked, (double)NAN without a wait. */
static double fill_in_wait(struct answer *a, int i, const char *wait, const char *busy)
{
	const struct trace *t = &a->c[i]->trace;
	struct last_wait last = last_wait_of(a->c[i]->analysis);
	if (last.row == NO_ROW)
		return (double)NAN;
	fill_in_time(a, wait, (double)t->dur_ns[last.row]);
	fill_in_share(a, busy, last.busy_share);
	fill_in_row(a, i ? "large_call" : "call", t, last.row);
	return last.busy_share;
}

const char *answer_wait(struct answer *a)
{
	double small = fill_in_wait(a, 0, "wait", "busy"),
	       large = fill_in_wait(a, 1, "large", "large_busy");
	if (!isfinite(small) || !isfinite(large))
		return NULL;
	return small >= HALF ? "work" : "idle";
}

static const char *step_of_run(struct answer *a, const struct activity *act, int64_t dur_ns)
{
	const struct analysis *an = a->c[0]->analysis;
	for (size_t i = 0; i < act->calls; i++) {
		uint32_t launch = analysis_launch_of(an->trace, act->row[i]);
		uint32_t step = launch == NO_ROW || an->trace->dur_ns[act->row[i]] != dur_ns
			? NO_ROW
			: analysis_step_at(an, an->trace->start_ns[launch]);
		if (step != NO_ROW)
			return name_of_event(an->trace, an->steps[step].row);
	}
	return "?";
}

static const struct activity *fill_in_samples(struct answer *a, const struct activity *act)
{
	if (!act || act->dur.n < 2 || !(act->dur.median > 0))
		return NULL;
	fill_in_row(a, "kernel", &a->c[0]->trace, act->row[0]);
	fill_in_count(a, "n", (double)act->dur.n);
	fill_in_time(a, "min", (double)act->dur.min);
	fill_in_time(a, "max", (double)act->dur.max);
	fill_in(a, "min_step", step_of_run(a, act, act->dur.min));
	fill_in(a, "max_step", step_of_run(a, act, act->dur.max));
	fill_in_time(a, "low", act->dur.p25);
	fill_in_time(a, "high", act->dur.p75);
	fill_in_time(a, "mean", act->dur.mean);
	fill_in_time(a, "median", act->dur.median);
	fill_in_share(a, "apart", fabs(act->dur.mean - act->dur.median) / act->dur.median);
	return act;
}

const char *answer_spread(struct answer *a)
{
	const struct activity *act = fill_in_samples(a, activity_of(a->c[0], CLASS_GEMM));
	if (!act)
		return NULL;
	return (double)act->dur.max >= SPREAD * (double)act->dur.min ? "varies" : "steady";
}

/* Of the kernel that the picture shows. */
const char *answer_median(struct answer *a)
{
	const struct analysis *an = a->c[0]->analysis;
	const struct activity *act =
		fill_in_samples(a, an->n_activities ? &an->activities[0] : NULL);
	if (!act)
		return NULL;
	return fabs(act->dur.mean - act->dur.median) >= APART * act->dur.median ? "apart" : "close";
}
