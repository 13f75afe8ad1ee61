/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/step_lengths.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/case_numbers.h"
#include "report/figure/step_time.h"
#include "report/figure/timeline.h"
#include "report/section/parts.h"

#include <math.h>

double least_gap(const struct report_case *c)
{
	double least = (double)NAN;
	for (uint32_t i = 0; i < c->analysis->n_steps; i++)
		least = fmin(least, step_gap_ns(c->analysis, &c->analysis->steps[i]));
	return least;
}

double most_gap(const struct report_case *c)
{
	double most = (double)NAN;
	for (uint32_t i = 0; i < c->analysis->n_steps; i++)
		most = fmax(most, step_gap_ns(c->analysis, &c->analysis->steps[i]));
	return most;
}

/* Rows that stand in each other, from the outside in. */
struct nested {
	uint32_t outer, inner, launch; /* all NO_ROW: nothing is nested like that */
};

/* The operator around an operator; NO_ROW: none. */
static uint32_t operator_around(const struct trace *t, uint32_t row)
{
	return t->parent[row] == NO_ROW ? NO_ROW : analysis_op_of(t, t->parent[row]);
}

static struct nested nested_in_step(const struct report_case *c, uint32_t step)
{
	const struct trace *t = c->analysis->trace;
	const struct step *s = &c->analysis->steps[step];
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t launch = analysis_launch_of(t, s->device[i]);
		uint32_t inner = launch == NO_ROW ? NO_ROW : analysis_op_of(t, launch);
		uint32_t outer = inner == NO_ROW ? NO_ROW : operator_around(t, inner);
		if (outer != NO_ROW)
			return (struct nested){outer, inner, launch};
	}
	return (struct nested){NO_ROW, NO_ROW, NO_ROW};
}

static struct nested nested_in(const struct report_case *c)
{
	return nested_in_step(c, step_to_show(c->analysis));
}

static double length_of(const struct report_case *c, uint32_t row)
{
	return row == NO_ROW ? (double)NAN : (double)c->trace.dur_ns[row];
}

/* Less what it called itself. */
static double own_length(const struct report_case *c, uint32_t row)
{
	const struct trace *t = &c->trace;
	double own = length_of(c, row);
	for (size_t i = row; row != NO_ROW && i < t->n && t->start_ns[i] <= row_end(t, row); i++)
		if (event_on_host(t->kind[i]) && t->parent[i] == row)
			own -= (double)t->dur_ns[i];
	return own;
}

double shown_length(const struct report_case *c)
{
	const struct step *s = &c->analysis->steps[step_to_show(c->analysis)];
	return (double)(step_end_ns(s) - s->start_ns);
}

double outer_operator(const struct report_case *c)
{
	return length_of(c, nested_in(c).outer);
}

double outer_operator_self(const struct report_case *c)
{
	return own_length(c, nested_in(c).outer);
}

double inner_operator(const struct report_case *c)
{
	return length_of(c, nested_in(c).inner);
}

double inner_operator_self(const struct report_case *c)
{
	return own_length(c, nested_in(c).inner);
}

double operator_launch(const struct report_case *c)
{
	return length_of(c, nested_in(c).launch);
}

double operator_other_calls(const struct report_case *c)
{
	return inner_operator(c) - inner_operator_self(c) - operator_launch(c);
}

double operator_other_count(const struct report_case *c)
{
	const struct trace *t = &c->trace;
	uint32_t inner = nested_in(c).inner;
	double count = 0;
	for (size_t i = inner; inner != NO_ROW && i < t->n && t->start_ns[i] <= row_end(t, inner);
		i++)
		count += event_on_host(t->kind[i]) && t->parent[i] == inner;
	return inner == NO_ROW ? (double)NAN : count - 1;
}

static double most_own(const struct report_case *c)
{
	return fmax(fmax(outer_operator_self(c), inner_operator_self(c)), operator_launch(c));
}

double most_is_outer(const struct report_case *c)
{
	return outer_operator_self(c) >= most_own(c);
}

double most_is_inner(const struct report_case *c)
{
	return inner_operator_self(c) >= most_own(c);
}

double most_is_launch(const struct report_case *c)
{
	return operator_launch(c) >= most_own(c);
}

static bool is_most_of(const struct report_case *c, uint32_t row, const struct nested *n)
{
	double own = own_length(c, row);
	return own >= own_length(c, n->outer) && own >= own_length(c, n->inner) &&
		own >= length_of(c, n->launch);
}

double most_turns(const struct report_case *c)
{
	struct nested shown = nested_in(c);
	for (uint32_t i = 0; i < c->analysis->n_steps; i++) {
		struct nested n = nested_in_step(c, i);
		bool same = n.outer == NO_ROW ||
			(most_is_outer(c) > 0 && is_most_of(c, n.outer, &n)) ||
			(most_is_inner(c) > 0 && is_most_of(c, n.inner, &n)) ||
			(most_is_launch(c) > 0 && is_most_of(c, n.launch, &n));
		if (!same)
			return 1;
	}
	return shown.outer == NO_ROW ? (double)NAN : 0;
}

double window_length(const struct report_case *c)
{
	return (double)(c->analysis->window.end_ns - c->analysis->window.start_ns);
}

/* The pictures leave a little room behind what they show. */
static const double SHOWN_OF_PICTURE = 30. / 31, WINDOW_OF_PICTURE = 100. / 101;

static double millimetre(double length)
{
	static const double POINTS = 72 / 25.4; /* a millimetre */
	return length / (document_width - timeline_metrics.gutter) * POINTS;
}

double shown_millimetre(const struct report_case *c)
{
	return millimetre(shown_length(c) / SHOWN_OF_PICTURE);
}

double window_millimetre(const struct report_case *c)
{
	return millimetre(window_length(c) / WINDOW_OF_PICTURE);
}

double first_number(const struct report_case *c)
{
	return (double)c->analysis->steps[0].number;
}

double last_number(const struct report_case *c)
{
	return (double)c->analysis->steps[c->analysis->n_steps - 1].number;
}

/* The one with the largest total; NULL: none. */
static const struct activity *first_matmul(const struct report_case *c)
{
	for (uint32_t i = 0; i < c->analysis->n_activities; i++)
		if (c->analysis->activities[i].class == CLASS_GEMM)
			return &c->analysis->activities[i];
	return NULL;
}

double spread_of_runs(const struct report_case *c)
{
	const struct activity *act = first_matmul(c);
	return act ? (double)(act->dur.max - act->dur.min) / act->dur.median : (double)NAN;
}

static double copies_drawn(const struct report_case *c, bool kernels)
{
	const struct analysis *a = c->analysis;
	const struct step *s = &a->steps[numbers_of(a).typical];
	double n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		n += bar_of(a->class[s->device[i]]) == BAR_COPY &&
			(!kernels || c->trace.kind[s->device[i]] == EVENT_KERNEL);
	return n;
}

double bars_of_copies(const struct report_case *c)
{
	return copies_drawn(c, false);
}

double bars_of_copy_kernels(const struct report_case *c)
{
	return copies_drawn(c, true);
}

double change_of_first_run(const struct report_case *c)
{
	const struct activity *act = first_matmul(c);
	return act ? fabs((double)c->trace.dur_ns[act->row[0]] / act->dur.median - 1) : (double)NAN;
}

double spread_of_later_runs(const struct report_case *c)
{
	const struct activity *act = first_matmul(c);
	if (!act || act->calls < 2)
		return (double)NAN;
	int64_t least = INT64_MAX, most = 0;
	for (size_t i = 1; i < act->calls; i++) {
		least = min64(least, c->trace.dur_ns[act->row[i]]);
		most = max64(most, c->trace.dur_ns[act->row[i]]);
	}
	return (double)(most - least) / act->dur.median;
}
