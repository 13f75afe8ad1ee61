/* SPDX-License-Identifier: Apache-2.0 */
/*
 * action_window.h - what actions ask of the window that they are about, and how they answer.
 */
#ifndef REPORT_RULES_ACTION_WINDOW_H
#define REPORT_RULES_ACTION_WINDOW_H

#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/chips.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/launches.h"
#include "report/analyse/shapes.h"
#include "report/replay/changes.h"
#include "report/rules/advice.h"
#include "report/rules/facts.h"

/* ---- questions ---- */

static inline int64_t advised_ns(const struct facts *s)
{
	return s->w->end_ns - s->w->start_ns;
}

/* A row of the host: does it compile, convolve, or step an optimizer? */
static inline void see_kind_of_work(struct facts *s, uint32_t row)
{
	uint8_t kind = s->t->kind[row];
	s->n_compiled += s->a->class[row] == CLASS_COMPILE;
	if (kind != EVENT_OP && kind != EVENT_ANNOTATION)
		return;
	uint32_t traits = host_traits(s->a, row);
	if (traits & TRAIT_CONVOLUTION && kind == EVENT_OP)
		list_row(&s->convolutions, row);
	if (traits & TRAIT_OPTIMIZER)
		list_row(&s->optimizers, row);
}

/* Idle time of the device in [from_ns, to_ns), as far as that is in the window. */
int64_t idle_in_window(const struct facts *s, int64_t from_ns, int64_t to_ns);

/* The part of it for which the host is to blame: launching and waits. */
int64_t late_in_window(const struct facts *s, int64_t from_ns, int64_t to_ns);

/* Idle stretches of one part inside the window, one after the other: *i is 0 at first. NULL at the
 * end. Their times are clipped by clip_to_window(). */
const struct stretch *next_idle(const struct facts *s, enum time_part part, size_t *i);
int64_t clip_to_window(const struct facts *s, int64_t from_ns, int64_t to_ns);

/* Has one of the operators around an event's launch one of these traits? */
bool is_under(const struct facts *s, const struct seen_event *e, uint32_t traits);

/* The name of the operator around an event's launch, "" when unknown. */
const char *op_name(const struct facts *s, const struct seen_event *e);

/* Idle because the next launch came late, though the host was launching. */
static inline int64_t late_launches_ns(const struct facts *s)
{
	return s->w->ns[TIME_LAUNCHING] - s->w->launch_gap_ns - s->elsewhere.launching_ns;
}

/* ---- prices ---- */

/* A rule says what it changes to f->plan, in words of changes.h; what that saves of the window is a
 * replay's difference. */

/* An event takes `ns` of what nothing hides of it, and the same share of the rest. */
static inline void plan_exposed(struct finding *f, const struct seen_event *e, double ns)
{
	if (e->exposed_ns > 0)
		plan_takes(f->plan, e->row, ns / (double)e->exposed_ns);
}

/* ---- answers ---- */

/* Evidence, in the order of calls: the first ADVICE_EVIDENCE are kept. */
void prove(struct finding *f, uint32_t row);

/* What was proved and planned so far is dropped: another way to find it is tried. */
static inline void forget_finding(struct finding *f)
{
	f->n_evidence = 0;
	f->n_events = 0;
	f->plan->n = 0;
}

static inline double share_of_window(const struct facts *s, int64_t ns)
{
	return (double)ns / (double)advised_ns(s);
}

/* Thresholds that many have: the share of the window that it must be about, and must save. */
/* clang-format off */
#define ABOUT(value) {"share", value, UNIT_SHARE}
#define LEAST(value) {"least", value, UNIT_SHARE}
/* clang-format on */

static inline bool is_about(const struct facts *s, const struct finding *f, int64_t ns)
{
	return (double)ns >= limit(f, "share") * (double)advised_ns(s);
}

/* Of what to leave alone: the value "time". */
judge_gain saves_time;

/* Of calls that may be of few steps: where their idle time in the window, "here", is less than
 * "least", "idle" of the recording, once. */
judge_gain saves_once;

/* Kernels that write what there is again, in another order or another type (rewrites.c). */
enum finding_state rewrites(const struct facts *s, struct finding *f);

/* The matrix product whose kernel an event is: its operator's, or that of one of the two around it;
 * p, or NULL where that is not known: what a graph or compiled code launches is not the work of the
 * operators around it. */
const struct product *product_of_kernel(
	const struct facts *s, const struct seen_event *e, struct product *p);
const struct product *product_near_event(
	const struct facts *s, const struct seen_event *e, struct product *p);

/* Norms over the channels that copy their input first, as its strides say: the action channels-last
 * where nothing converts images. What was proved or planned before is dropped. */
enum finding_state strided_norms(const struct facts *s, struct finding *f);

/* An event is such a copy. */
bool is_copied_by_norm(const struct facts *s, const struct seen_event *e);

/* What it changes, for another action with the same remedy. */
void plan_strided_norms(const struct facts *s, struct replay_plan *plan);

/* Of what is launched in a stretch of time, kernels that move data one behind the other are one:
 * how many there are. */
size_t plan_joined(const struct facts *s, struct finding *f, const struct time_span *at);

/* A backward pass goes on into a network that another optimizer trains by gradients of its own: the
 * variant "detached" of frozen. And the tensors of the lists of a step of an optimizer. */
bool goes_into_others(const struct facts *s, struct finding *f);
int64_t tensors_of_step(const struct facts *s, uint32_t step);

/* Weights kept in eight bits are scaled, or shifted, once they are wide: what does that goes with
 * the cast that an event is of. */
void plan_scaling(const struct facts *s, struct replay_plan *plan, const struct seen_event *e);

/* Adds up what a remedy is about. */
struct weighed {
	size_t n;
	int64_t ns; /* exposed */
	double flop, floor_ns; /* what the same work takes at a good share of the peak */
	const struct seen_event *longest;
};

static inline void count(struct weighed *k, const struct seen_event *e)
{
	k->n++;
	k->ns += e->exposed_ns;
	if (!k->longest || e->exposed_ns > k->longest->exposed_ns)
		k->longest = e;
}

#endif
