/* SPDX-License-Identifier: Apache-2.0 */
/* The remedy for a device that waits for its input: data that come late, in each step or in some,
 * or that the host prepares in between. */
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/launches.h"
#include "report/replay/replay.h"
#include "report/rules/pattern.h"

#include <stdlib.h>
#include <string.h>

/* ---- data that come late ---- */

enum { STARTING_NS = 5000000 };

/* Time in front of the loader's rows in which the host is in nothing: its workers are started
 * there, where that takes long. */
static int64_t starting_ns(const struct facts *s, uint32_t loader, struct replay_plan *plan)
{
	int64_t sum = 0, done = s->w->start_ns;
	for (uint32_t i = s->from; i < s->to; i++) {
		const struct trace *t = s->t;
		if (!event_on_host(t->kind[i]) || s->a->class[i] == CLASS_STEP)
			continue;
		if (t->name[i] == t->name[loader] && t->start_ns[i] - done >= STARTING_NS) {
			sum += idle_in_window(s, done, t->start_ns[i]);
			plan_spare(plan, done, t->start_ns[i]);
		}
		done = row_end(t, i) > done ? row_end(t, i) : done;
	}
	return sum;
}

struct late_input {
	int64_t sum_ns, longest_ns;
	uint32_t row; /* of the longest; NO_ROW */
};

/* Batches that are ready are handed over: by a loader's thread that pins them in less than 0.1 ms;
 * without one the program opens what it shares with the worker, 0.9 to 1.2 ms a batch in two
 * programs.
 */
enum { HANDOVER_NS = 1500000 };

static bool is_late_row(const struct facts *s, uint32_t row)
{
	if (row == NO_ROW || !is_input_name(row_name(s, row)))
		return false;
	return s->t->dur_ns[row] >= HANDOVER_NS || !strstr(row_name(s, row), "MultiProcessing");
}

static void add_late(struct late_input *x, uint32_t row, int64_t ns)
{
	x->sum_ns += ns;
	if (ns <= x->longest_ns)
		return;
	x->longest_ns = ns;
	x->row = row;
}

static struct late_input late_in_step(const struct facts *s, struct finding *f)
{
	struct late_input x = {.row = NO_ROW};
	const struct stretch *idle;
	for (size_t i = 0; s->w->ns[TIME_INPUT] && (idle = next_idle(s, TIME_INPUT, &i));) {
		if (!is_late_row(s, idle->row))
			continue;
		add_late(&x, idle->row, clip_to_window(s, idle->start_ns, idle->end_ns));
		plan_off_path(f->plan, s->t, idle->row);
		prove(f, idle->row);
	}
	return x;
}

static bool waits_for_input(const struct facts *s, struct finding *f)
{
	struct late_input x = late_in_step(s, f);
	if (x.row == NO_ROW)
		return false;
	bool workers = strstr(row_name(s, x.row), "MultiProcessing");
	int64_t starting = workers ? starting_ns(s, x.row, NULL) : 0;
	bool anew = (double)starting >= limit(f, "workers") * (double)advised_ns(s);
	x.sum_ns += anew ? starting_ns(s, x.row, f->plan) : 0;
	f->variant = anew				   ? "new-workers"
		: workers				   ? "workers"
		: strstr(row_name(s, x.row), "DataLoader") ? "loader"
							   : "";
	TELL(f, {"time", (double)x.sum_ns}, {"share", share_of_window(s, x.sum_ns)});
	tell_name(f, "name", s->t, x.row);
	return (double)x.sum_ns >= limit(f, workers ? "workers" : "share") * (double)advised_ns(s);
}

/* ---- data that come late in some of the steps ---- */

/* What the device idles in a step in front of a loader that starts its workers. */
static int64_t started_in(const struct facts *s, name_id loader, struct time_span at)
{
	const struct trace *t = s->t;
	int64_t sum = 0, done = at.start_ns;
	uint32_t i = (uint32_t)trace_first_from(t, at.start_ns);
	for (; loader && i < t->n && t->start_ns[i] < at.end_ns; i++) {
		if (!event_on_host(t->kind[i]) || s->a->class[i] == CLASS_STEP)
			continue;
		if (t->name[i] == loader && t->start_ns[i] - done >= STARTING_NS)
			sum += analysis_idle(s->a, done, t->start_ns[i]);
		done = max64(row_end(t, i), done);
	}
	return sum;
}

/* Does a step wait for its input, or for workers that it starts? */
static bool is_late(const struct facts *s, const struct finding *f, uint32_t step, int64_t started)
{
	const struct time_parts *x = &s->p->steps[step].split;
	return (double)(x->ns[TIME_INPUT] + started) >=
		limit(f, "workers") * (double)(x->end_ns - x->start_ns);
}

/* How much longer a step is on average than the one that is shown, where the workers are what
 * limits: the steps are as far apart as their batches, whoever records, and what recording costs
 * the host it waits less. So the mean is as recorded, and the step that does not wait as without
 * the recorder. */
static int64_t over_step_ns(const struct facts *s)
{
	const struct breakdown *p = s->p;
	int64_t all = p->steps[p->n_steps - 1].split.end_ns - p->steps[0].split.start_ns;
	return s->replay ? all / p->n_steps - replay_unrecorded_ns(s->replay) : 0;
}

/* Workers give several batches at once, and then none for a while: the step of median length may be
 * one that has not waited. What the first step waits is there in each program, unless others do,
 * too. */
static bool waits_in_some(const struct facts *s, struct finding *f)
{
	const struct breakdown *p = s->p;
	struct late_input x = {.row = NO_ROW};
	int64_t all = 0, starting = 0;
	size_t waiting = 0;
	name_id loader = p->n_steps > 1 ? loader_with_workers(s) : 0;
	for (uint32_t i = 1; i < p->n_steps; i++) {
		const struct time_parts *step = &p->steps[i].split;
		int64_t started =
			started_in(s, loader, (struct time_span){step->start_ns, step->end_ns});
		all += step->end_ns - step->start_ns;
		starting += started;
		waiting += is_late(s, f, i, started);
	}
	for (size_t i = 0; waiting && i < p->n_idle; i++) {
		const struct stretch *idle = &p->idle[i];
		if (idle->part != TIME_INPUT || idle->start_ns < p->steps[1].split.start_ns ||
			!is_late_row(s, idle->row))
			continue;
		add_late(&x, idle->row, idle->end_ns - idle->start_ns);
		prove(f, idle->row);
	}
	x.sum_ns += starting;
	if (x.row == NO_ROW || (double)x.sum_ns < limit(f, "workers") * (double)all)
		return false;
	f->variant = "some";
	f->each_ns = max64(x.sum_ns / (p->n_steps - 1),
		2 * (waiting + is_late(s, f, 0, 0)) >= p->n_steps ? over_step_ns(s) : 0);
	TELL(f, {"time", (double)x.sum_ns}, {"share", (double)x.sum_ns / (double)all},
		{"waiting", (double)waiting}, {"steps", (double)(p->n_steps - 1)});
	tell_name(f, "name", s->t, x.row);
	return true;
}

static struct gain input_saves(const struct facts *s, const struct finding *f)
{
	(void)s;
	bool some = !strcmp(f->variant, "some");
	return (struct gain){.once_ns = some ? finding_number(f, "time") : 0};
}

/* ---- data that the host prepares ---- */

enum { COMPUTES_NS = 100000, LONG_NS = 20000 };

/* Operators that compute on the host, one behind the other, up to the upload of what they gave. */
struct preparing {
	int64_t from_ns, computing_ns, longest_ns;
	uint32_t longest;
	size_t first; /* by facts.outer */
};

/* What is behind a copy to the host is no input. */
static bool is_behind_copy_to_host(const struct facts *s, size_t first, uint32_t track)
{
	while (first-- > 0) {
		uint32_t op = s->outer.row[first];
		if (s->t->track[op] == track && launches_inside(s, op, 0, true))
			return launches_inside(s, op, TRAIT_TO_HOST, false);
	}
	return false;
}

static void see_prepared(const struct facts *s, struct finding *f, const struct preparing *p,
	uint32_t upload, struct late_input *all)
{
	int64_t end = s->t->start_ns[upload];
	if (p->computing_ns < COMPUTES_NS || 2 * p->computing_ns < end - p->from_ns ||
		!launches_inside(s, upload, TRAIT_TO_DEVICE, false) ||
		is_behind_copy_to_host(s, p->first, s->t->track[upload]))
		return;
	add_late(all, p->longest, idle_in_window(s, p->from_ns, end));
	plan_spare(f->plan, p->from_ns, end);
	prove(f, p->longest);
}

static void prepare(const struct facts *s, struct preparing *p, size_t at)
{
	const struct trace *t = s->t;
	uint32_t op = s->outer.row[at];
	if (t->dur_ns[op] < LONG_NS)
		return;
	p->from_ns = p->computing_ns ? p->from_ns : t->start_ns[op];
	p->first = p->computing_ns ? p->first : at;
	p->computing_ns += t->dur_ns[op];
	if (t->dur_ns[op] <= p->longest_ns)
		return;
	p->longest_ns = t->dur_ns[op];
	p->longest = op;
}

/* On each thread by itself: autograd's may launch more than the one that prepares. An operator that
 * is short matters only where it ends what others prepare. */
static bool is_prepared_between(const struct facts *s, struct finding *f)
{
	struct late_input all = {.row = NO_ROW};
	struct preparing *of_track = xcalloc(s->t->n_tracks, sizeof *of_track);
	for (size_t i = 0; i < s->outer.n; i++) {
		uint32_t op = s->outer.row[i];
		struct preparing *p = &of_track[s->t->track[op]];
		if (s->t->dur_ns[op] < LONG_NS && !p->computing_ns)
			continue;
		if (!launches_inside(s, op, 0, true)) {
			prepare(s, p, i);
			continue;
		}
		see_prepared(s, f, p, op, &all);
		*p = (struct preparing){0};
	}
	free(of_track);
	if (all.row == NO_ROW || !is_about(s, f, all.sum_ns))
		return false;
	f->variant = "computed";
	TELL(f, {"time", (double)all.sum_ns}, {"share", share_of_window(s, all.sum_ns)});
	tell_name(f, "name", s->t, all.row);
	return true;
}

/* ---- data that are made where nothing is recorded ---- */

/* A copy to the host right in front of a pause within the step: it may decide what comes next. */
static bool is_behind_read(const struct facts *s, const struct pause *p)
{
	uint32_t row = p->before;
	if (row == NO_ROW || row < s->from)
		return false;
	while (s->t->parent[row] != NO_ROW && s->t->kind[s->t->parent[row]] == EVENT_OP)
		row = s->t->parent[row];
	return launches_inside(s, row, TRAIT_TO_HOST, false);
}

/* Bytes of the first copy that an operator launches. */
static int64_t bytes_inside(const struct facts *s, uint32_t op)
{
	const struct trace *t = s->t;
	for (uint32_t i = op; i < t->n && t->start_ns[i] < row_end(t, op); i++)
		if (event_is_call(t->kind[i]) && t->track[i] == t->track[op] &&
			t->launch[i] != NO_ROW && t->kind[t->launch[i]] == EVENT_MEMCPY)
			return bytes_of(s, t->launch[i]);
	return 0;
}

/* What is launched first behind a pause is an upload of more than a few numbers: the program has
 * made in it what goes there. NO_ROW: it is something else. */
static uint32_t upload_behind(const struct facts *s, const struct pause *p)
{
	enum { NEAR = 8, LEAST_BYTES = 4096 };
	uint32_t op = p->next;
	for (int i = 0; i < NEAR && op != NO_ROW && s->t->kind[op] == EVENT_OP;
		i++, op = next_operator(s, op))
		if (launches_inside(s, op, 0, true))
			return launches_inside(s, op, TRAIT_TO_DEVICE, false) &&
					bytes_inside(s, op) >= LEAST_BYTES
				? op
				: NO_ROW;
	return NO_ROW;
}

static bool is_made_unseen(const struct facts *s, struct finding *f)
{
	struct late_input all = {.row = NO_ROW};
	for (size_t i = 0; i < s->elsewhere.n; i++) {
		const struct pause *p = &s->elsewhere.pause[i];
		uint32_t op = is_behind_read(s, p) ? NO_ROW : upload_behind(s, p);
		if (op == NO_ROW)
			continue;
		add_late(&all, op, idle_in_window(s, p->at.start_ns, p->at.end_ns));
		plan_spare(f->plan, p->at.start_ns, p->at.end_ns);
		prove(f, op);
	}
	if (all.row == NO_ROW || !is_about(s, f, all.sum_ns))
		return false;
	f->variant = "unseen";
	TELL(f, {"time", (double)all.sum_ns}, {"share", share_of_window(s, all.sum_ns)});
	tell_name(f, "name", s->t, all.row);
	return true;
}

static enum finding_state input(const struct facts *s, struct finding *f)
{
	if (waits_for_input(s, f))
		return FINDING_FIRED;
	forget_finding(f);
	if (is_prepared_between(s, f))
		return FINDING_FIRED;
	forget_finding(f);
	if (is_made_unseen(s, f))
		return FINDING_FIRED;
	forget_finding(f);
	return fired_if(waits_in_some(s, f));
}

static const struct rule rows[] = {
	/* Where workers load already, some of the time is the hand-over from them. */
	{.id = "input",
		.kind = RULE_ACTION,
		.covers = {"elsewhere"},
		.threshold = {ABOUT(0.02), {"workers", 0.1, UNIT_SHARE}},
		.value = {{"time", UNIT_NS}, {"share", UNIT_SHARE}, {"name", UNIT_TEXT},
			{"waiting", UNIT_COUNT}, {"steps", UNIT_COUNT}},
		.one = input,
		.saves = input_saves},
};

const struct rule_list remedy_input_rows = RULE_LIST(rows);
