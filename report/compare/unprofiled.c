/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/unprofiled.h"

#include "base/min_max.h"
#include "report/analyse/profiler_cost.h"

#include <stdlib.h>

/* A call that waits, until its end is reached. */
struct waiting {
	int64_t end_ns; /* as recorded */
	int64_t begun_ns; /* replayed */
};

enum { MOST_WAITS = 64 };

struct replay {
	const struct analysis *a;
	const struct trace *t;
	const struct breakdown *p;
	int64_t operator_ns;
	bool *launches; /* (n_tracks) threads that launch */
	int64_t shift_ns; /* recorded less replayed time of the host */
	int64_t owed_ns, last_ns; /* of the recorder, not yet taken off; the last host event */
	int64_t *call_ns; /* (t->n) when a call began, replayed */
	int64_t *stream_end_ns, *stream_was_ns; /* (n_tracks) replayed, recorded */
	int64_t device_end_ns, device_was_ns; /* of the work that ended last */
	struct waiting waiting[MOST_WAITS];
	int n_waiting;
	uint32_t step; /* the last one that began on the host */
	int64_t *begin_ns, *begin_was_ns; /* (n_steps) of the ranges on the host, replayed */
	int64_t *end_ns; /* (n_steps) of what it launched, replayed */
};

static void advance(struct replay *r, int64_t now)
{
	int64_t passed = now - r->last_ns, taken = r->owed_ns;
	if (passed <= 0)
		return;
	taken = min64(taken, passed);
	r->owed_ns -= taken;
	r->shift_ns += taken;
	r->last_ns = now;
}

/* The wait that ends first, when it ends before `now`. */
static bool end_wait(struct replay *r, int64_t now)
{
	int first = -1;
	for (int i = 0; i < r->n_waiting; i++)
		if (r->waiting[i].end_ns <= now &&
			(first < 0 || r->waiting[i].end_ns < r->waiting[first].end_ns))
			first = i;
	if (first < 0)
		return false;
	struct waiting w = r->waiting[first];
	r->waiting[first] = r->waiting[--r->n_waiting];
	int64_t ended = r->device_was_ns && r->device_was_ns <= w.end_ns
		? r->device_end_ns + (w.end_ns - r->device_was_ns)
		: w.begun_ns;
	ended = max64(ended, w.begun_ns);
	r->shift_ns = w.end_ns - ended;
	r->owed_ns = 0;
	r->last_ns = w.end_ns;
	return true;
}

static void replay_host(struct replay *r, uint32_t row)
{
	const struct trace *t = r->t;
	int64_t start = t->start_ns[row];
	if (!r->launches[t->track[row]])
		return;
	advance(r, start);
	bool call = event_is_call(t->kind[row]);
	if (call)
		r->call_ns[row] = start - r->shift_ns;
	if (t->kind[row] == EVENT_OP)
		r->owed_ns += r->operator_ns;
	else if (r->a->class[row] == CLASS_LAUNCH)
		r->owed_ns += (int64_t)(PROFILER_COST_OF_LAUNCH * (double)t->dur_ns[row]);
	if (call && idle_causes_is_wait(r->a, row) && r->n_waiting < MOST_WAITS)
		r->waiting[r->n_waiting++] = (struct waiting){row_end(t, row), start - r->shift_ns};
}

/* Work that stood behind other work begins as soon after it as it did; other work as long after its
 * launch as it did. */
static int64_t replayed_start(const struct replay *r, uint32_t row, uint32_t call)
{
	enum { SOONEST_NS = 6000 }; /* a launch reaches an idle device within */
	const struct trace *t = r->t;
	uint32_t stream = t->track[row];
	int64_t start = t->start_ns[row], was = r->stream_was_ns[stream];
	if (call == NO_ROW)
		return start - r->shift_ns;
	int64_t delay = start - t->start_ns[call], after = r->stream_end_ns[stream];
	if (was > t->start_ns[call]) { /* it stood behind other work */
		after += start > was ? start - was : 0;
		delay = min64(delay, SOONEST_NS);
	}
	int64_t ready = r->call_ns[call] + delay;
	return max64(ready, after);
}

static void replay_device(struct replay *r, uint32_t row)
{
	const struct trace *t = r->t;
	uint32_t call = analysis_launch_of(t, row), stream = t->track[row];
	if (call != NO_ROW && !r->launches[t->track[call]])
		call = NO_ROW;
	int64_t end = replayed_start(r, row, call) + t->dur_ns[row];
	r->stream_end_ns[stream] = end;
	r->stream_was_ns[stream] = row_end(t, row);
	if (row_end(t, row) >= r->device_was_ns) {
		r->device_was_ns = row_end(t, row);
		r->device_end_ns = end;
	}
	int64_t launched = call == NO_ROW ? t->start_ns[row] : t->start_ns[call];
	uint32_t s = r->step;
	while (s != NO_ROW && s > 0 && r->begin_was_ns[s] > launched)
		s--;
	if (s != NO_ROW && end > r->end_ns[s])
		r->end_ns[s] = end;
}

static void begin_steps(struct replay *r, uint32_t row)
{
	const struct breakdown *p = r->p;
	uint32_t next = r->step == NO_ROW ? 0 : r->step + 1;
	if (next >= p->n_steps || p->steps[next].row != row)
		return;
	int64_t start = r->t->start_ns[row];
	if (next && p->steps_by == STEPS_BY_PROFILER) {
		int64_t between = start - row_end(r->t, p->steps[next - 1].row);
		r->owed_ns += max64(between, 0);
	}
	advance(r, start);
	r->begin_was_ns[next] = start;
	r->begin_ns[next] = start - r->shift_ns;
	r->step = next;
}

static void mark_launching(struct replay *r)
{
	for (size_t i = 0; i < r->a->n_device; i++) {
		uint32_t call = analysis_launch_of(r->t, r->a->device_rows[i]);
		if (call != NO_ROW)
			r->launches[r->t->track[call]] = true;
	}
}

static void replay_all(struct replay *r)
{
	const struct trace *t = r->t;
	for (uint32_t row = 0; row < t->n; row++) {
		uint8_t kind = t->kind[row];
		if (!event_on_host(kind) && !event_on_device(kind))
			continue;
		while (end_wait(r, t->start_ns[row]))
			;
		begin_steps(r, row);
		if (event_on_device(kind))
			replay_device(r, row);
		else if (event_is_call(kind) || kind == EVENT_OP)
			replay_host(r, row);
	}
}

/* A step begins with its range or, later, when the work of the one before is over. */
static int64_t boundary(const struct replay *r, uint32_t step)
{
	int64_t begin = r->begin_ns[step], before = step ? r->end_ns[step - 1] : 0;
	return max64(begin, before);
}

static void measure(struct replay *r, int64_t *ns)
{
	const struct breakdown *p = r->p;
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct time_parts *s = &p->steps[i].split;
		int64_t recorded = s->end_ns - s->start_ns, end = r->end_ns[i];
		int64_t host_end = s->end_ns - r->shift_ns;
		if (i + 1 < p->n_steps)
			end = boundary(r, i + 1);
		else
			end = max64(end, host_end);
		int64_t length = end - boundary(r, i);
		ns[i] = length > 0 && length < recorded ? length : recorded;
	}
}

static bool can_tell(const struct analysis *a, const struct breakdown *p)
{
	if (!p || p->lack != LACK_NOTHING || !p->n_steps ||
		(p->steps_by != STEPS_BY_PROFILER && p->steps_by != STEPS_BY_RANGE))
		return false;
	for (size_t i = 0; i < a->trace->n; i++)
		if (a->trace->kind[i] == EVENT_OP)
			return true;
	return false;
}

bool unrecorded_steps(
	const struct analysis *a, const struct breakdown *p, int64_t operator_ns, int64_t *ns)
{
	if (!can_tell(a, p))
		return false;
	struct arena scratch = {0};
	const struct trace *t = a->trace;
	struct replay r = {.a = a, .t = t, .p = p, .operator_ns = operator_ns, .step = NO_ROW};
	r.launches = arena_array(&scratch, t->n_tracks, sizeof *r.launches);
	r.call_ns = arena_array(&scratch, t->n, sizeof *r.call_ns);
	r.stream_end_ns = arena_array(&scratch, t->n_tracks, sizeof *r.stream_end_ns);
	r.stream_was_ns = arena_array(&scratch, t->n_tracks, sizeof *r.stream_was_ns);
	r.begin_ns = arena_array(&scratch, p->n_steps, sizeof *r.begin_ns);
	r.begin_was_ns = arena_array(&scratch, p->n_steps, sizeof *r.begin_was_ns);
	r.end_ns = arena_array(&scratch, p->n_steps, sizeof *r.end_ns);
	mark_launching(&r);
	replay_all(&r);
	bool all = r.step != NO_ROW && r.step + 1 == p->n_steps;
	if (all)
		measure(&r, ns);
	arena_release(&scratch);
	return all;
}
