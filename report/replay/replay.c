/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/replay.h"

#include "base/min_max.h"
#include "report/analyse/profiler_cost.h"
#include "report/replay/changes.h"
#include "report/replay/graph.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct replay_change none;

/* ---- running ---- */

struct running {
	const struct replay *r;
	const struct replay_change *change;
	bool plain;
	int64_t *begin_ns, *end_ns; /* (n_points) */
	int64_t *done_ns; /* (n_device) when it ends */
};

/* What is left of the host's time between two recorded moments. */
static int64_t host_time(
	const struct running *x, int64_t from_ns, int64_t to_ns, uint32_t operators)
{
	int64_t whole = to_ns - from_ns, left = whole;
	if (whole <= 0)
		return whole;
	if (x->change->spared)
		left -= spans_covered(x->change->spared, from_ns, to_ns);
	if (!x->change->unrecorded || !operators)
		return left;
	double cost = (double)operators * (double)x->r->operator_ns * (double)left / (double)whole;
	return left - (int64_t)(cost < (double)left ? cost : (double)left);
}

static int64_t begin_of(const struct running *x, const struct point *p)
{
	const struct trace *t = x->r->a->trace;
	int64_t base = p->before == NOTHING ? 0 : x->end_ns[p->before];
	int64_t from = p->before == NOTHING ? 0 : row_end(t, x->r->point[p->before].row);
	return base + host_time(x, from, from + p->gap_ns, p->operators);
}

static void run_begin(struct running *x, uint32_t index)
{
	const struct point *p = &x->r->point[index];
	const struct trace *t = x->r->a->trace;
	int64_t own = p->own_ns, start = t->start_ns[p->row];
	if (x->change->spared)
		own -= spans_covered(x->change->spared, start, start + own);
	if (x->change->unrecorded && p->awaits == NOTHING)
		own -= (int64_t)(PROFILER_COST_OF_LAUNCH * (double)own);
	x->begin_ns[index] = begin_of(x, p);
	x->end_ns[index] = x->begin_ns[index] + own;
}

static void run_end(struct running *x, uint32_t index)
{
	const struct point *p = &x->r->point[index];
	if (x->change->passes && x->change->passes[p->row])
		return;
	int64_t tail = x->plain ? x->r->tail_ns : p->tail_ns;
	x->end_ns[index] = max64(x->end_ns[index], x->done_ns[p->awaits] + tail);
}

static int64_t length_of(const struct running *x, uint32_t index)
{
	int64_t ns = x->r->a->trace->dur_ns[x->r->a->device_rows[index]];
	return x->change->factor ? (int64_t)((double)ns * (double)x->change->factor[index]) : ns;
}

/* The time of the edge that the event began upon: as recorded, or the median. */
static int64_t edge(const struct running *x, const struct event *e, enum bound bound, int64_t ns,
	int64_t median)
{
	if (!x->plain || e->bound != bound || (bound == BOUND_LAUNCH && e->in_call))
		return ns;
	return median;
}

static void run_event(struct running *x, uint32_t index)
{
	const struct replay *r = x->r;
	const struct event *e = &r->event[index];
	int64_t ahead = e->ahead == NOTHING ? INT64_MIN : x->done_ns[e->ahead];
	if (x->change->factor && x->change->factor[index] <= 0 && e->ahead != NOTHING) {
		x->done_ns[index] = ahead;
		return;
	}
	int64_t start = e->point == NOTHING
		? e->launch_ns
		: x->begin_ns[e->point] + edge(x, e, BOUND_LAUNCH, e->launch_ns, r->launch_ns);
	if (e->ahead != NOTHING)
		start = max64(start,
			ahead +
				edge(x, e, BOUND_STREAM, e->behind_ns,
					e->inside ? r->inside_ns : r->behind_ns));
	if (e->held_by != NOTHING)
		start = max64(start,
			x->done_ns[e->held_by] + edge(x, e, BOUND_OTHER, e->held_ns, r->behind_ns));
	x->done_ns[index] = start + length_of(x, index);
}

static int64_t host_moment(const struct running *x, const struct moment *at)
{
	return at->inside == NOTHING ? begin_of(x, &at->at)
				     : x->begin_ns[at->inside] + at->since_ns;
}

static int64_t moment(const struct running *x, const struct moment *at)
{
	if (at->event != NOTHING)
		return x->done_ns[at->event];
	int64_t ns = host_moment(x, at);
	for (size_t i = 0; at->launched && i < x->r->n_events; i++)
		if (x->r->event[i].point < at->launched && x->r->a->device_calls[i] != NO_ROW)
			ns = max64(ns, x->done_ns[i]);
	return ns;
}

static int64_t run(const struct replay *r, const struct replay_change *change, bool plain)
{
	struct running x = {.r = r, .change = change ? change : &none, .plain = plain};
	x.begin_ns = xcalloc(r->n_points, sizeof *x.begin_ns);
	x.end_ns = xcalloc(r->n_points, sizeof *x.end_ns);
	x.done_ns = xcalloc(r->a->n_device, sizeof *x.done_ns);
	for (size_t i = 0; i < r->n_order; i++) {
		uint32_t index = r->order[i] >> 2;
		switch ((enum turn)(r->order[i] & 3)) {
		case TURN_EVENT:
			run_event(&x, index);
			break;
		case TURN_END:
			run_end(&x, index);
			break;
		case TURN_BEGIN:
			run_begin(&x, index);
		}
	}
	int64_t ns = moment(&x, &r->to) - moment(&x, &r->from);
	free(x.begin_ns);
	free(x.end_ns);
	free(x.done_ns);
	return max64(ns, 0);
}

/* ---- questions ---- */

struct replay *replay_of(struct arena *arena, const struct analysis *a, const struct breakdown *p,
	int64_t operator_ns)
{
	if (p->lack != LACK_NOTHING || a->n_device >= UINT32_MAX / 4 ||
		a->n_calls >= UINT32_MAX / 4)
		return NULL;
	struct replay *r = arena_alloc(arena, sizeof *r);
	const struct time_parts *window = breakdown_window(p);
	r->a = a;
	r->operator_ns = operator_ns;
	r->recorded_ns = window->end_ns - window->start_ns;
	graph_build(r, arena, p);
	r->plain_ns = run(r, NULL, true);
	r->unrecorded_ns = run(r, &(struct replay_change){.unrecorded = true}, false);
	return r;
}

int64_t replay_recorded_ns(const struct replay *r)
{
	return r->recorded_ns;
}

int64_t replay_plain_ns(const struct replay *r)
{
	return r->plain_ns;
}

int64_t replay_unrecorded_ns(const struct replay *r)
{
	return r->unrecorded_ns;
}

bool replay_can_price(const struct replay *r)
{
	double off = (double)(r->plain_ns - r->recorded_ns);
	return r->recorded_ns > 0 && (off < 0 ? -off : off) <= REPLAY_OFF * (double)r->recorded_ns;
}

int64_t replay_ns(const struct replay *r, const struct replay_change *change)
{
	return run(r, change, false);
}

int64_t replay_gain(const struct replay *r, const struct replay_change *change)
{
	struct replay_change after = *change;
	after.unrecorded = true;
	int64_t gain = r->unrecorded_ns - replay_ns(r, &after);
	return max64(gain, 0);
}

void replay_dump(const struct replay *r, const struct breakdown *p, FILE *f)
{
	if (!r) {
		fprintf(f, "replay: nothing to run\n");
		return;
	}
	fprintf(f,
		"replay: %" PRIu32 " points, recorded %" PRId64 " ns, again %" PRId64
		", by the graph alone %" PRId64 ", unrecorded %" PRId64 "\n",
		r->n_points, r->recorded_ns, replay_ns(r, NULL), r->plain_ns, r->unrecorded_ns);
	fprintf(f,
		"  launch %" PRId64 " ns, behind %" PRId64 ", inside %" PRId64 ", tail %" PRId64
		", operator %" PRId64 "; unexplained %zu, %" PRId64 " ns\n",
		r->launch_ns, r->behind_ns, r->inside_ns, r->tail_ns, r->operator_ns,
		r->n_unexplained, r->unexplained_ns);
	struct arena arena = {0};
	struct replay_plan launches = replay_plan(&arena, r), input = launches, kernels = launches,
			   waits = launches;
	plan_one_launch(&launches, p);
	plan_input(&input, p);
	for (uint32_t i = 0; i < r->a->n_device; i++)
		plan_event(&kernels, i, 0.5);
	for (uint32_t i = 0; i < r->n_points; i++)
		plan_wait(&waits, r->point[i].row);
	fprintf(f,
		"  saved by one launch %" PRId64 " ns, no input %" PRId64 ", no waits %" PRId64
		", events of half their length %" PRId64 "\n",
		plan_gain(&launches), plan_gain(&input), plan_gain(&waits), plan_gain(&kernels));
	arena_release(&arena);
}
