/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/graph_edges.h"

#include "base/min_max.h"
#include "report/analyse/account.h"
#include "report/analyse/profiler_cost.h"

/* ---- what a moment on a thread follows ---- */

/* An operator that compiled code opens from Python around the launch of its kernel, by whose name:
 * a range. */
static bool is_kernel_of_python(const struct trace *t, size_t row)
{
	uint32_t kernel =
		row + 1 < t->n && event_is_call(t->kind[row + 1]) ? t->launch[row + 1] : NO_ROW;
	return kernel != NO_ROW && t->name[kernel] == t->name[row];
}

/* As how many operators recording a row counts. */
static uint32_t operators_of(const struct trace *t, size_t row)
{
	bool range = t->kind[row] == EVENT_ANNOTATION || is_kernel_of_python(t, row);
	return range ? PROFILER_COST_OF_RANGE : t->kind[row] == EVENT_OP;
}

/* Operators in front of a row; rows come in order, but for the window's ends. */
static uint32_t operators_before(struct building *b, size_t row)
{
	const struct trace *t = b->t;
	const uint8_t *launches = b->launches;
	const uint32_t *track = t->track;
	uint32_t operators = b->operators;
	for (size_t i = b->row; i < row; i++)
		if (launches[track[i]])
			operators += operators_of(t, i);
	b->row = max_size(b->row, row);
	return b->operators = operators;
}

/* Where the operator right around a call got to it, behind what it called before. */
static int64_t comes_to_call(const struct trace *t, uint32_t call)
{
	enum { NEAR = 64 };
	uint32_t op = t->parent[call];
	for (uint32_t i = call, k = 0; i-- > op + 1 && k < NEAR; k++)
		if (t->parent[i] == op && t->track[i] == t->track[call])
			return row_end(t, i);
	return t->start_ns[op];
}

/* What recording costs of the time in which an operator comes to a launch: see profiler_cost.h. */
static int64_t unseen_calls_ns(const struct building *b, uint32_t call, int64_t since_ns)
{
	const struct trace *t = b->t;
	uint32_t op = t->parent[call];
	if (op == NO_ROW || t->kind[op] != EVENT_OP || b->r->a->class[call] != CLASS_LAUNCH)
		return 0;
	int64_t ns = t->start_ns[call] - max64(since_ns, comes_to_call(t, call));
	double most = PROFILER_COST_LAUNCHES * b->r->a->call_median_ns;
	double least = (double)ns < most ? (double)ns : most;
	return ns > 0 ? (int64_t)(PROFILER_COST_OF_LAUNCH * least) : 0;
}

/* Is a thread at work for half of a time at least? */
static bool is_at_work(struct building *b, uint32_t track, int64_t from_ns, int64_t to_ns)
{
	if (!b->working)
		b->working = account_working(b->scratch, b->r->a);
	return 2 * spans_covered(&b->working[track], from_ns, to_ns) >= to_ns - from_ns;
}

/* Of two points the one that ended later, of those that ended before a time. */
static uint32_t ended_later(
	const struct building *b, uint32_t left, uint32_t right, int64_t time_ns)
{
	bool has_left = left != NOTHING && edges_end_of_point(b, left) <= time_ns;
	bool has_right = right != NOTHING && edges_end_of_point(b, right) <= time_ns;
	if (!has_left || !has_right)
		return has_left ? left : has_right ? right : NOTHING;
	return edges_end_of_point(b, left) >= edges_end_of_point(b, right) ? left : right;
}

/* The point that a moment on a thread follows. */
static uint32_t point_before(struct building *b, uint32_t track, int64_t time_ns)
{
	uint32_t own = b->last_point[track];
	uint32_t any = ended_later(b, b->last, b->last_wait, time_ns);
	if (own == NOTHING || any == NOTHING || any == own)
		return own == NOTHING ? any : own;
	int64_t from = edges_end_of_point(b, own);
	return edges_end_of_point(b, any) <= from || is_at_work(b, track, from, time_ns) ? own
											 : any;
}

void edges_follow(
	struct building *b, struct point *p, uint32_t track, int64_t time_ns, uint32_t row)
{
	p->before = point_before(b, track, time_ns);
	p->gap_ns = time_ns;
	p->seen = p->operators = operators_before(b, row);
	int64_t since_ns = p->before == NOTHING ? 0 : edges_end_of_point(b, p->before);
	if (p->row != NO_ROW)
		p->calls_ns = unseen_calls_ns(b, p->row, since_ns);
	if (p->before == NOTHING)
		return;
	p->gap_ns -= since_ns;
	p->operators -= b->r->point[p->before].seen;
}

/* ---- what a call waits for ---- */

static bool is_launched_before(const struct building *b, uint32_t event, uint32_t point)
{
	uint32_t launch = b->r->event[event].point;
	return launch == NOTHING || launch <= point;
}

/* Of a stream the last event that has ended at a time. */
static uint32_t ended_on(const struct building *b, uint32_t track, int64_t time_ns)
{
	uint32_t e = b->last_event[track];
	for (int i = 0; i < 4 && e != NOTHING && edges_end(b, e) > time_ns; i++)
		e = b->r->event[e].ahead;
	return e != NOTHING && edges_end(b, e) <= time_ns ? e : NOTHING;
}

/* The event that ended last before a time, of those launched up to a point; `but`: a stream that is
 * left out, NOTHING. */
static uint32_t ended_last(const struct building *b, int64_t time_ns, uint32_t point, uint32_t but)
{
	uint32_t best = NOTHING;
	for (uint32_t i = 0; i < b->n_streams; i++) {
		if (b->stream[i] == but)
			continue;
		uint32_t e = ended_on(b, b->stream[i], time_ns);
		if (e != NOTHING && is_launched_before(b, e, point) &&
			(best == NOTHING || edges_end(b, e) > edges_end(b, best)))
			best = e;
	}
	return best;
}

bool edges_queue_is_full(const struct building *b, uint32_t row)
{
	return b->r->a->class[row] == CLASS_LAUNCH && b->t->dur_ns[row] > IDLE_SLOW_NS &&
		b->launched - b->begun >= REPLAY_QUEUE;
}

void edges_await(struct building *b, uint32_t index)
{
	struct point *p = &b->r->point[index];
	int64_t start = b->t->start_ns[p->row], end = row_end(b->t, p->row);
	uint32_t e = ended_last(b, end, index, NOTHING);
	if (e == NOTHING || edges_end(b, e) <= start)
		return;
	p->awaits = e;
	p->tail_ns = end - edges_end(b, e);
	p->own_ns = p->tail_ns;
}

/* ---- events ---- */

/* What held an event back that could have begun at `free_ns`. */
static uint32_t holder(const struct building *b, uint32_t event, int64_t free_ns)
{
	int64_t start = edges_start(b, event);
	uint32_t track = b->t->track[b->r->a->device_rows[event]];
	uint32_t x = ended_last(b, start, b->r->event[event].point, track);
	return x != NOTHING && edges_end(b, x) > free_ns &&
			start - edges_end(b, x) <= IDLE_LAUNCH_GAP_NS
		? x
		: NOTHING;
}

/* Was a stream told to wait for another by an operator, in front of a launch and behind the one
 * before it on its thread? */
static bool is_told_to_wait(const struct building *b, uint32_t call)
{
	enum { NEAR = 64 };
	const struct trace *t = b->t;
	for (uint32_t i = call, k = 0; i-- > 0 && k < NEAR; k++) {
		if (t->track[i] != t->track[call] || !event_is_call(t->kind[i]))
			continue;
		if (t->launch[i] != NO_ROW)
			return false;
		if (host_traits(b->r->a, i) & TRAIT_ORDERS)
			return analysis_op_of(t, i) != NO_ROW;
	}
	return false;
}

static bool communicates(const struct building *b, uint32_t event)
{
	const struct analysis *a = b->r->a;
	return a->class[a->device_rows[event]] == CLASS_COMMUNICATION;
}

/* An operator that works on several streams (a recurrent layer of cuDNN's) has them wait for each
 * other, also where each launch came so late that no wait was felt: what ended last on another
 * stream is in front. */
static void hold_in_order(struct building *b, uint32_t index)
{
	struct event *e = &b->r->event[index];
	if (e->inside || b->n_streams < 2 || communicates(b, index) ||
		!is_told_to_wait(b, b->r->a->device_calls[index]))
		return;
	int64_t start = edges_start(b, index);
	uint32_t track = b->t->track[b->r->a->device_rows[index]];
	uint32_t x = ended_last(b, start, e->point, track);
	if (x == NOTHING || communicates(b, x))
		return;
	e->held_by = x;
	e->held_ns = (int32_t)min64(start - edges_end(b, x), b->r->behind_ns);
}

/* Its begin as recorded, by one of the edges. */
static void bind(struct building *b, uint32_t index, int64_t launched_ns, int64_t called_ns)
{
	struct replay *r = b->r;
	struct event *e = &r->event[index];
	int64_t start = edges_start(b, index), ahead = INT64_MIN;
	if (e->ahead != NOTHING)
		ahead = edges_end(b, e->ahead);
	e->inside = e->ahead != NOTHING && e->point == r->event[e->ahead].point;
	int64_t behind_ns = e->inside ? r->inside_ns : r->behind_ns;
	bool by_stream = e->ahead != NOTHING && ahead + behind_ns >= launched_ns + r->launch_ns;
	int64_t free_ns = by_stream ? ahead : max64(called_ns, launched_ns);
	int64_t normal = by_stream ? IDLE_LAUNCH_GAP_NS : IDLE_LATENCY_NS;
	e->bound = by_stream ? BOUND_STREAM : BOUND_LAUNCH;
	if (start - free_ns > normal) {
		e->held_by = holder(b, index, max64(free_ns, ahead));
		e->unexplained = e->held_by == NOTHING;
	}
	if (e->held_by != NOTHING) {
		e->bound = BOUND_OTHER;
		e->held_ns = (int32_t)(start - edges_end(b, e->held_by));
	} else {
		hold_in_order(b, index);
	}
	if (e->unexplained) {
		r->n_unexplained++;
		r->unexplained_ns += start - free_ns;
	}
	e->launch_ns = start - launched_ns;
	e->behind_ns = e->ahead == NOTHING ? 0 : start - ahead;
	if (called_ns - launched_ns > IDLE_SLOW_NS && start - called_ns <= IDLE_LATENCY_NS)
		e->hangs = HANGS_IN_CALL;
	if (e->bound != BOUND_LAUNCH)
		e->launch_ns = min64(e->launch_ns, r->launch_ns);
	if (e->bound != BOUND_STREAM)
		e->behind_ns = min64(e->behind_ns, behind_ns);
}

/* Without a launch in the file it keeps its place in its stream, else behind the host's last call.
 */
static void bind_unlinked(struct building *b, uint32_t index)
{
	struct event *e = &b->r->event[index];
	int64_t start = edges_start(b, index);
	e->point = NOTHING;
	e->launch_ns = INT64_MIN / 2;
	if (e->ahead != NOTHING && start - edges_end(b, e->ahead) <= IDLE_LAUNCH_GAP_NS) {
		e->bound = BOUND_STREAM;
		e->behind_ns = start - edges_end(b, e->ahead);
		return;
	}
	e->point = b->last;
	e->launch_ns = start;
	if (b->last != NOTHING)
		e->launch_ns -= b->t->start_ns[b->r->point[b->last].row];
	if (e->ahead != NOTHING)
		e->behind_ns = min64(start - edges_end(b, e->ahead), b->r->behind_ns);
}

void edges_of_event(struct building *b, uint32_t index)
{
	const struct analysis *a = b->r->a;
	struct event *e = &b->r->event[index];
	uint32_t row = a->device_rows[index], call = a->device_calls[index],
		 track = b->t->track[row];
	if (b->last_event[track] == NOTHING && b->n_streams < REPLAY_STREAMS)
		b->stream[b->n_streams++] = track;
	*e = (struct event){.point = b->point_of[index],
		.ahead = b->last_event[track],
		.held_by = NOTHING,
		.next = NOTHING,
		.dur_ns = b->t->dur_ns[row]};
	b->last_event[track] = index;
	if (e->point == NOTHING) {
		bind_unlinked(b, index);
		return;
	}
	e->next = b->r->point[e->point].first;
	b->r->point[e->point].first = index;
	b->begun += b->t->launch[call] == row;
	bind(b, index, b->t->start_ns[call], row_end(b->t, call));
}
