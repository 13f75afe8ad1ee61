/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/advice.h"

#include "base/json_out.h"
#include "base/search.h"
#include "report/analyse/partition_parts.h"
#include "report/rules/advice_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct remedy {
	const char *id;
	judge_remedy *judge;
	bool kernels; /* is about the kernels: they are not left alone then */
};

/* Of two that save the same, the first. */
static const struct remedy remedies[] = {
	{"pad", remedy_alignment, true},
	{"channels-last", remedy_layout, true},
	{"attention", remedy_attention, true},
	{"fp64", remedy_double, true},
	{"precision", remedy_precision, true},
	{"half", remedy_half, true},
	{"rewrites", remedy_rewrites, true},
	{"sync", remedy_sync, false},
	{"pinned", remedy_pinned, false},
	{"small-copies", remedy_small_copies, false},
	{"batch", remedy_batch, false},
	{"loops", remedy_loops, false},
	{"graphs", remedy_graphs, false},
	{"elsewhere", remedy_elsewhere, false},
	{"first-calls", remedy_first_calls, false},
	{"tuning", remedy_tuning, false},
	{"allocator", remedy_allocator, false},
	{"input", remedy_input, false},
	{"buckets", remedy_buckets, false},
	{"overlap-communication", remedy_overlap_communication, false},
	{"overlap-copies", remedy_overlap_copies, false},
	{"smaller-copies", remedy_smaller_copies, false},
	{"optimizer", remedy_optimizer, false},
	{"fusion", remedy_fusion, true},
};
enum { REMEDIES = sizeof remedies / sizeof *remedies };

static const struct remedy left[] = {
	{"products", leave_products, false},
	{"kernels", leave_kernels, true},
	{"flash", leave_flash, false},
	{"hidden", leave_hidden, false},
};
enum { LEFT = sizeof left / sizeof *left };

const char *advice_id(bool leave, int i)
{
	return i >= (leave ? LEFT : REMEDIES) ? NULL : leave ? left[i].id : remedies[i].id;
}

/* ---- the critical path ---- */

/* A launch takes that long when the device's queue is full. */
enum { FULL_QUEUE_NS = 100000 };

/* Of a call that is no wait of the ledger. */
static bool waits_for_device(const struct sight *s, uint32_t row)
{
	if (s->a->class[row] == CLASS_LAUNCH)
		return s->t->dur_ns[row] > FULL_QUEUE_NS;
	return call_frees(s->a, row);
}

static bool takes_part(const struct sight *s, uint32_t step, uint32_t row)
{
	const struct trace *t = s->t;
	return t->track[row] == s->track || (step != NO_ROW && t->track[row] == t->track[step]);
}

/* Waits for the device in calls of the threads that launch or have the step. */
static int64_t host_waits_ns(const struct sight *s, uint32_t step, struct time_span at)
{
	const struct trace *t = s->t;
	const struct analysis *a = s->a;
	int64_t waits = 0, done = at.start_ns;
	size_t first = trace_reaching(t, 0, at.start_ns), next = 0;
	size_t behind = trace_first_from(t, at.end_ns);
	for (size_t i = first_where(k, 0, a->n_calls, a->calls[k] >= first);
		i < a->n_calls && a->calls[i] < behind; i++) {
		uint32_t row = a->calls[i];
		while (next < s->l->n_waits && s->l->waits[next] < row)
			next++;
		bool wait = next < s->l->n_waits && s->l->waits[next] == row;
		if (!takes_part(s, step, row) || (!wait && !waits_for_device(s, row)) ||
			row_end(t, row) <= done)
			continue;
		int64_t end = row_end(t, row) < at.end_ns ? row_end(t, row) : at.end_ns;
		int64_t begin = t->start_ns[row] > done ? t->start_ns[row] : done;
		waits += end > begin ? end - begin : 0;
		done = end > done ? end : done;
	}
	return waits;
}

/* The last end of what the thread that launches does in the window, from the last row back. */
static int64_t host_ends_ns(const struct sight *s)
{
	const struct trace *t = s->t;
	int64_t last = s->w->start_ns;
	for (size_t i = s->to; i-- > 0;) {
		if (t->reach_ns && t->reach_ns[i / REACH_ROWS] <= last)
			i -= i % REACH_ROWS; /* no row of these ends behind it */
		else if (event_on_host(t->kind[i]) && t->track[i] == s->track &&
			row_end(t, (uint32_t)i) > last)
			last = row_end(t, (uint32_t)i);
	}
	return last < s->w->end_ns ? last : s->w->end_ns;
}

/* The time that the host takes, without waits for the device: of the step's range, or of the window
 * up to the last row of the thread that launches. */
static int64_t host_takes_ns(const struct sight *s, uint32_t step)
{
	struct time_span at = {s->w->start_ns, s->w->end_ns};
	if (step != NO_ROW)
		at = (struct time_span){s->t->start_ns[step], row_end(s->t, step)};
	int64_t end = step == NO_ROW ? host_ends_ns(s) : at.end_ns;
	return end - at.start_ns - host_waits_ns(s, step, at);
}

/* The window less the recorder's share of the time in which the host kept the device waiting. */
static double unrecorded_ns(const struct sight *s)
{
	static const enum spent kept_waiting[] = {
		SPENT_LAUNCHING, SPENT_INPUT, SPENT_STALL, SPENT_PROFILER, SPENT_AFTER};
	double late = -(double)s->w->handover_ns;
	for (size_t i = 0; i < sizeof kept_waiting / sizeof *kept_waiting; i++)
		late += (double)s->w->ns[kept_waiting[i]];
	return (double)sight_ns(s) - (1 - s->host) * late;
}

/* A step cannot be shorter than its host takes: what faster kernels save at most, both without the
 * recorder. Not bounded where the file does not show when the host has its step. */
static double kernels_save_ns(const struct sight *s)
{
	const struct partition *p = s->p;
	uint32_t step = p->median == NO_ROW ? NO_ROW : p->steps[p->median].row;
	bool ranges = p->steps_by == STEPS_BY_PROFILER || p->steps_by == STEPS_BY_RANGE;
	if (s->track == NO_ROW || p->lack != LACK_NOTHING || (step != NO_ROW && !ranges))
		return (double)INFINITY;
	double window = unrecorded_ns(s), host = host_ns(s, (double)host_takes_ns(s, step));
	return window > host ? window - host : 0;
}

/* ---- ranking ---- */

/* Behind all that give back as much or more, so that of equals the first of the table stays first.
 */
static void rank(struct action *x, int n, const struct action *one)
{
	int at = n;
	for (; at && x[at - 1].gain_ns < one->gain_ns; at--)
		x[at] = x[at - 1];
	x[at] = *one;
}

struct found {
	struct action *x; /* (n) */
	int n;
	bool kernels; /* one of them is about the kernels */
};

/* Nothing gives back more than there is, and kernels no more than what the host leaves them; what
 * is left alone is not bounded. */
static struct found judge_all(
	const struct sight *s, const struct remedy *r, int n, bool not_kernels, bool bounded)
{
	struct found f = {.x = arena_array(s->arena, (size_t)n, sizeof *f.x)};
	double kernels_ns = bounded ? -1 : (double)INFINITY; /* -1: not asked yet */
	for (int i = 0; i < n; i++) {
		struct action one = {.id = r[i].id, .variant = ""};
		if ((not_kernels && r[i].kernels) || !r[i].judge(s, &one) ||
			one.gain_ns + one.once_ns <= 0)
			continue;
		if (r[i].kernels && kernels_ns < 0)
			kernels_ns = kernels_save_ns(s);
		double most = (double)sight_ns(s), left_ns = kernels_ns + one.spares_ns;
		bool bound = r[i].kernels && left_ns < (double)one.gain_ns;
		if (bound && left_ns < ADVICE_LEAST * most)
			continue;
		most = bound ? left_ns : most;
		one.gain_ns = (double)one.gain_ns < most ? one.gain_ns : (int64_t)most;
		f.kernels |= r[i].kernels;
		rank(f.x, f.n++, &one);
	}
	return f;
}

struct advice advice_of(struct arena *arena, const struct analysis *a, const struct ledger *l,
	const struct partition *p)
{
	struct advice x = {.trace = a->trace, .steps = p->n_steps > 0, .host = 1};
	struct units units = {0};
	struct known_product products[KNOWN_PRODUCTS] = {0};
	struct near near = {0};
	struct sight s = {.arena = arena, .units = &units, .products = products, .near = &near};
	if (p->lack == LACK_DEVICE || p->headline == HEADLINE_NONE)
		return x;
	sight_of(&s, a, l, p);
	x.window_ns = sight_ns(&s);
	x.whole_ns = p->whole.end_ns - p->whole.start_ns;
	x.torch = s.torch;
	x.captures = s.captures > 0;
	x.recording_ns = s.recording_ns;
	x.host = s.host;
	x.unrecorded_ns = (int64_t)unrecorded_ns(&s);
	struct found to_do = judge_all(&s, remedies, REMEDIES, false, true);
	struct found to_leave = judge_all(&s, left, LEFT, to_do.kernels, false);
	x.action = to_do.x;
	x.n = to_do.n;
	x.leave = to_leave.x;
	x.n_leave = to_leave.n;
	sight_release(&s);
	return x;
}

/* ---- as text ---- */

static void dump_action(const struct action *x, const char *what, FILE *f)
{
	fprintf(f, "  %s %s%s%s %" PRId64, what, x->id, x->variant[0] ? " " : "", x->variant,
		x->gain_ns);
	if (x->once_ns)
		fprintf(f, " once %" PRId64, x->once_ns);
	for (int i = 0; i < x->n_values; i++) {
		const struct advice_value *v = &x->value[i];
		fprintf(f, " %s ", v->name);
		if (v->unit == UNIT_TEXT)
			json_escape(f, v->text);
		else
			fprintf(f, "%.6g", v->number);
	}
	fprintf(f, " events");
	for (int i = 0; i < x->n_evidence; i++)
		fprintf(f, " %" PRIu32, x->evidence[i]);
	fprintf(f, " of %zu\n", x->n_events);
}

void advice_dump(const struct advice *x, FILE *f)
{
	fprintf(f, "advice: %d to do, %d to leave alone\n", x->n, x->n_leave);
	if (x->host < 1)
		fprintf(f, "  recorder %.6g of the time, %" PRId64 " an operator\n", 1 - x->host,
			x->recording_ns);
	for (int i = 0; i < x->n; i++)
		dump_action(&x->action[i], "do", f);
	for (int i = 0; i < x->n_leave; i++)
		dump_action(&x->leave[i], "leave", f);
}
