/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/action_window.h"
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/breakdown_parts.h"
#include "report/analyse/cpu_work.h"
#include "report/rules/repeats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- idle time by its part ---- */

/* The next question is mostly about what is near: tried first. */
enum { LITTLE = 32 };

static size_t first_idle_behind(const struct breakdown *p, int64_t time_ns, size_t *near)
{
	size_t low = 0, high = p->n_idle;
	if (*near > LITTLE && *near < high && p->idle[*near - LITTLE].end_ns <= time_ns)
		low = *near - LITTLE;
	if (low && low + 2 * LITTLE < high && p->idle[low + 2 * LITTLE].end_ns > time_ns)
		high = low + 2 * LITTLE;
	return *near = first_where(i, low, high, p->idle[i].end_ns > time_ns);
}

/* Which parts of idle time count beside launching. */
enum { WITH_WAITS = 1, WITH_END = 2 };

static bool counts(const struct stretch *x, int with)
{
	return !x->launch_gap &&
		(x->part == TIME_LAUNCHING || (x->part == TIME_SYNC && with & WITH_WAITS) ||
			(x->part == TIME_AFTER && with & WITH_END));
}

/* Idle time of launching, and of what else is asked for, in a stretch of the window. */
static int64_t idle_by(const struct facts *s, struct time_span at, int with)
{
	const struct breakdown *p = s->p;
	int64_t sum = 0;
	for (size_t i = first_idle_behind(p, at.start_ns, &s->near->idle);
		i < p->n_idle && p->idle[i].start_ns < at.end_ns; i++) {
		const struct stretch *x = &p->idle[i];
		if (!counts(x, with))
			continue;
		sum += clip_to_window(
			s, max64(x->start_ns, at.start_ns), min64(x->end_ns, at.end_ns));
	}
	return sum;
}

/* ---- the device ---- */

void see_event(struct facts *s, size_t i)
{
	const struct trace *t = s->t;
	const struct analysis *a = s->a;
	uint32_t row = a->device_rows[i], op = a->device_ops[i];
	if (row_end(t, row) <= s->w->start_ns || t->start_ns[row] >= s->w->end_ns)
		return;
	uint8_t part = s->p->part[i];
	if (part == TIME_COPIES || part == TIME_COMMUNICATION)
		s->move[s->n_moves++] = (uint32_t)s->n;
	s->event[s->n++] = (struct seen_event){.row = row,
		.call = a->device_calls[i],
		.op = op,
		.op_name = op == NO_ROW ? 0 : t->name[op],
		.traits = device_traits(s->a, row),
		.part = part,
		.exposed_ns = s->p->exposed_ns[i]};
}

/* ---- the host ---- */

/* Stretches in which no thread is in an operator or a call: how many there are, how long each is
 * but the short ones, and those of at least a hundredth of the window. A short one is so much
 * shorter than these that it would be usual beside them. */
enum { HUNDRED = 100, NOT_SHORT = HUNDRED * ELSEWHERE_TIMES };

struct pauses {
	int64_t ns[NOT_SHORT]; /* (n - n_short) */
	size_t n, n_short;
	struct pause *longer; /* (n_longer) */
	size_t n_longer, room;
	int64_t done_ns; /* where operators and calls have ended so far */
	uint32_t done; /* the row that ended then, NO_ROW */
};

/* What the walk over the rows of the window keeps. */
struct window_walk {
	struct facts *s;
	struct pauses pauses;
	uint32_t *count; /* (n_tracks) launches */
	uint32_t most;
	int64_t allocated_ns; /* where the allocator's calls have ended so far */
};

/* A pause between rows of the same names as a long one belongs to it from that length on. */
enum { LIKE_LONG_NS = SILENCE_NS / 2 };

static void keep_pause(struct window_walk *w, int64_t time_ns, uint32_t next)
{
	struct pauses *p = &w->pauses;
	if (p->n_longer == p->room) {
		struct pause *old = p->longer;
		p->room = p->room ? 2 * p->room : HUNDRED;
		p->longer = arena_array(w->s->scratch, p->room, sizeof *p->longer);
		for (size_t i = 0; i < p->n_longer; i++)
			p->longer[i] = old[i];
	}
	p->longer[p->n_longer++] = (struct pause){{p->done_ns, time_ns}, p->done, next};
}

/* A pause ends in front of a row, NO_ROW at the end of the window. */
static void pause_ends(struct window_walk *w, int64_t time_ns, uint32_t next)
{
	struct pauses *p = &w->pauses;
	int64_t ns = time_ns - p->done_ns, window_ns = advised_ns(w->s);
	if (ns <= 0)
		return;
	if (ns > window_ns / NOT_SHORT)
		p->ns[p->n - p->n_short] = ns;
	else
		p->n_short++;
	p->n++;
	if (HUNDRED * ns >= window_ns || ns >= LIKE_LONG_NS)
		keep_pause(w, time_ns, next);
}

static void see_call(struct window_walk *w, uint32_t row)
{
	struct facts *s = w->s;
	const struct trace *t = s->t;
	uint32_t traits = host_traits(s->a, row);
	int64_t from = max64(t->start_ns[row], w->allocated_ns);
	s->captures += (traits & TRAIT_CAPTURE) != 0;
	if (row_end(t, row) > from && traits & TRAIT_ALLOCATES) {
		w->allocated_ns = row_end(t, row);
		s->allocating_ns += late_in_window(s, from, w->allocated_ns);
	}
	if (s->a->class[row] != CLASS_LAUNCH || !is_outer_call(t, row))
		return;
	s->launches++;
	s->launching_ns += t->dur_ns[row];
	s->graph_launches += (traits & TRAIT_GRAPH) != 0;
	if (++w->count[t->track[row]] > w->most) {
		w->most = w->count[t->track[row]];
		s->track = t->track[row];
	}
}

static void see_operator(struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	uint32_t up = t->parent[row];
	s->operators++;
	if (up == NO_ROW || t->kind[up] != EVENT_OP)
		list_row(&s->outer, row);
}

void see_row(struct window_walk *w, uint32_t row)
{
	struct facts *s = w->s;
	const struct trace *t = s->t;
	uint8_t kind = t->kind[row];
	see_kind_of_work(s, row);
	if (kind != EVENT_OP && !event_is_call(kind))
		return;
	int64_t end = row_end(t, row);
	if (t->start_ns[row] > w->pauses.done_ns)
		pause_ends(w, t->start_ns[row], row);
	if (end > w->pauses.done_ns) {
		w->pauses.done_ns = end;
		w->pauses.done = row;
	}
	if (kind == EVENT_OP)
		see_operator(s, row);
	else
		see_call(w, row);
}

/* The innermost range or function that is there for half of a pause. */
static uint32_t innermost_in(const struct facts *s, struct time_span at)
{
	const struct trace *t = s->t;
	uint32_t found = NO_ROW;
	for (uint32_t i = (uint32_t)trace_reaching(t, 0, at.start_ns);
		i < t->n && t->start_ns[i] < at.end_ns;
		i = (uint32_t)trace_reaching(t, i + 1, at.start_ns)) {
		int64_t from = max64(t->start_ns[i], at.start_ns);
		int64_t to = row_end(t, i) < at.end_ns ? row_end(t, i) : at.end_ns;
		bool tells = (t->kind[i] == EVENT_ANNOTATION || t->kind[i] == EVENT_PYTHON) &&
			s->a->class[i] != CLASS_STEP;
		if (tells && 2 * (to - from) >= at.end_ns - at.start_ns &&
			(found == NO_ROW || t->dur_ns[i] <= t->dur_ns[found]))
			found = i;
	}
	return found;
}

/* 0 where it is a short one. */
static int64_t usual_pause_ns(struct pauses *p)
{
	size_t middle = (p->n - 1) / 2;
	return middle < p->n_short ? 0 : stats_nth(p->ns, p->n - p->n_short, middle - p->n_short);
}

static bool is_of_optimizer(const struct facts *s, uint32_t row)
{
	for (; row != NO_ROW; row = s->t->parent[row])
		if (host_traits(s->a, row) & TRAIT_OPTIMIZER)
			return true;
	return false;
}

static bool is_of_autograd(const struct facts *s, uint32_t row)
{
	for (; row != NO_ROW; row = s->t->parent[row])
		if (!strncmp(row_name(s, row), "autograd::", 10))
			return true;
	return false;
}

/* What every program does: backward() hands over to its thread, or back, and an optimizer prepares
 * its step. */
static bool is_handover(const struct facts *s, const struct pause *p)
{
	enum { SHORT_NS = 1000000 };
	const struct trace *t = s->t;
	if (p->at.end_ns - p->at.start_ns >= SHORT_NS || p->before == NO_ROW || p->next == NO_ROW)
		return false;
	bool turns = t->track[p->before] != t->track[p->next];
	return (turns && (is_of_autograd(s, p->before) || is_of_autograd(s, p->next))) ||
		is_of_optimizer(s, p->next);
}

static int64_t length_of_pause(const struct pause *p)
{
	return p->at.end_ns - p->at.start_ns;
}

/* Those of a hundredth of the window. */
struct long_pauses {
	const struct pause *at[HUNDRED + 1];
	int n;
};

static struct long_pauses long_pauses_of(
	const struct facts *s, const struct pauses *p, int64_t least_ns)
{
	struct long_pauses all = {.n = 0};
	for (size_t i = 0; i < p->n_longer && all.n <= HUNDRED; i++) {
		const struct pause *x = &p->longer[i];
		int64_t ns = length_of_pause(x);
		if (HUNDRED * ns >= advised_ns(s) && ns >= least_ns)
			all.at[all.n++] = x;
	}
	return all;
}

/* One of them, or a silence between rows of the same names as one; between operators half as long
 * as that is enough. */
static bool is_like_long(
	const struct facts *s, const struct long_pauses *all, const struct pause *one)
{
	const name_id *name = s->t->name;
	int64_t ns = length_of_pause(one);
	bool between = one->before != NO_ROW && one->next != NO_ROW;
	bool operators =
		between && s->t->kind[one->before] == EVENT_OP && s->t->kind[one->next] == EVENT_OP;
	for (int i = 0; i < all->n; i++) {
		const struct pause *x = all->at[i];
		if (x == one ||
			(between && x->before != NO_ROW && x->next != NO_ROW &&
				(ns >= SILENCE_NS || (operators && 2 * ns >= length_of_pause(x))) &&
				name[x->before] == name[one->before] &&
				name[x->next] == name[one->next]))
			return true;
	}
	return false;
}

static void see_elsewhere(struct facts *s, struct pauses *p)
{
	struct elsewhere *e = &s->elsewhere;
	struct time_span longest = {0, 0};
	*e = (struct elsewhere){.row = NO_ROW};
	/* The last step ends with its range: until then the program was at work on something. */
	int with = s->p->steps_by == STEPS_BY_PROFILER && s->p->n_steps > 1 ? WITH_END : 0;
	e->pause = arena_array(s->scratch, p->n_longer, sizeof *e->pause);
	int64_t least = p->n_longer ? ELSEWHERE_TIMES * usual_pause_ns(p) : 0;
	const struct long_pauses all = long_pauses_of(s, p, least);
	for (size_t i = 0; i < p->n_longer; i++) {
		const struct time_span at = p->longer[i].at;
		int64_t ns = at.end_ns - at.start_ns;
		bool usual_one = 2 * ns < least || !is_like_long(s, &all, &p->longer[i]) ||
			is_handover(s, &p->longer[i]);
		int64_t idle = usual_one ? 0 : idle_by(s, at, with);
		if (!idle)
			continue;
		e->pause[e->n++] = p->longer[i];
		e->idle_ns += idle;
		e->launching_ns += idle_by(s, at, 0);
		longest = ns >= e->longest_ns ? at : longest;
		e->longest_ns = longest.end_ns - longest.start_ns;
	}
	if (e->n)
		e->row = innermost_in(s, longest);
}

/* ---- what queued events take ---- */

static int64_t handover_of(const struct facts *s)
{
	const struct idle_causes *l = s->l;
	int64_t *ns = xalloc((l->n_gaps + 1) * sizeof *ns);
	size_t n = 0;
	for (size_t i = 0; i < l->n_gaps; i++)
		if (l->why[i].cause == IDLE_HELD && l->why[i].hold == HOLD_ORDER)
			ns[n++] = analysis_gap(l->of, i).dur_ns;
	int64_t median = n >= ADVICE_HANDOVERS ? stats_nth(ns, n, (n - 1) / 2) : ADVICE_HANDOVER_NS;
	free(ns);
	return median;
}

static bool is_torch(const struct facts *s)
{
	for (size_t i = 0; i < s->t->n; i++)
		if ((s->t->kind[i] == EVENT_OP &&
			    !strncmp(row_name(s, (uint32_t)i), "aten::", 6)) ||
			(s->t->kind[i] == EVENT_KERNEL &&
				strstr(row_name(s, (uint32_t)i), "at::native")))
			return true;
	return false;
}

/* The host's: no walk is needed, since only patterns are asked. */
static void begin_cpu_window(struct facts *s, const struct breakdown *p)
{
	const struct cpu_work work = cpu_work_of(s->a, p);
	if (!work.n || work.end_ns <= work.start_ns)
		return;
	struct time_parts *w = arena_alloc(s->scratch, sizeof *w);
	*w = (struct time_parts){.start_ns = work.start_ns, .end_ns = work.end_ns};
	s->p = p;
	s->w = w;
	s->cpu = true;
	s->within_ns = work.within_ns;
	s->track = NO_ROW;
	s->matches = matches_begin(s->scratch);
	s->from = (uint32_t)trace_first_from(s->t, w->start_ns);
	s->to = (uint32_t)trace_first_from(s->t, w->end_ns);
	s->work_from = s->from;
	s->work_to = s->to;
	s->torch = is_torch(s);
}

struct window_walk *begin_window(struct facts *s, const struct breakdown *p)
{
	if (p && p->lack == LACK_DEVICE)
		begin_cpu_window(s, p);
	if (!p || p->lack == LACK_DEVICE || p->headline == HEADLINE_NONE)
		return NULL;
	s->p = p;
	s->w = breakdown_window(p);
	s->chip = chip_of(s->t);
	s->track = NO_ROW;
	s->repeats = arena_alloc(s->scratch, sizeof *s->repeats);
	s->near = arena_alloc(s->scratch, sizeof *s->near);
	s->matches = matches_begin(s->scratch);
	s->event = xalloc((s->a->n_device + 1) * (sizeof *s->event + sizeof *s->move));
	s->move = (uint32_t *)(s->event + s->a->n_device + 1);
	s->from = (uint32_t)trace_first_from(s->t, s->w->start_ns);
	s->to = (uint32_t)trace_first_from(s->t, s->w->end_ns);
	struct window_walk *w = arena_alloc(s->scratch, sizeof *w);
	w->s = s;
	w->pauses.done_ns = w->allocated_ns = s->w->start_ns;
	w->pauses.done = NO_ROW;
	w->count = arena_array(s->scratch, s->t->n_tracks, sizeof *w->count);
	return w;
}

void end_window(struct facts *s, struct window_walk *w)
{
	pause_ends(w, s->w->end_ns, NO_ROW);
	see_elsewhere(s, &w->pauses);
	see_work(s);
	s->torch = is_torch(s);
	s->computing_ns = time_parts_computing_ns(s->w);
	s->launch_gap_ns = handover_of(s);
}

void free_window(struct facts *s)
{
	free(s->event);
	free(s->outer.row);
	free(s->convolutions.row);
	free(s->optimizers.row);
	if (s->repeats)
		repeats_free(s->repeats);
	if (s->matches)
		matches_free(s->matches);
}

/* ---- questions ---- */

int64_t clip_to_window(const struct facts *s, int64_t from_ns, int64_t to_ns)
{
	from_ns = max64(from_ns, s->w->start_ns);
	to_ns = min64(to_ns, s->w->end_ns);
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

int64_t idle_in_window(const struct facts *s, int64_t from_ns, int64_t to_ns)
{
	from_ns = max64(from_ns, s->w->start_ns);
	to_ns = min64(to_ns, s->w->end_ns);
	return analysis_idle(s->a, from_ns, to_ns);
}

int64_t late_in_window(const struct facts *s, int64_t from_ns, int64_t to_ns)
{
	return idle_by(s, (struct time_span){from_ns, to_ns}, WITH_WAITS);
}

const struct stretch *next_idle(const struct facts *s, enum time_part part, size_t *i)
{
	const struct breakdown *p = s->p;
	if (!*i)
		*i = first_idle_behind(p, s->w->start_ns, &s->near->idle);
	for (; *i < p->n_idle; ++*i) {
		const struct stretch *x = &p->idle[*i];
		if (x->start_ns >= s->w->end_ns)
			break;
		if (x->part == part && x->end_ns > s->w->start_ns)
			return &p->idle[(*i)++];
	}
	return NULL;
}

bool is_under(const struct facts *s, const struct seen_event *e, uint32_t traits)
{
	for (uint32_t op = e->op; op != NO_ROW; op = s->t->parent[op])
		if (s->t->kind[op] == EVENT_OP && host_traits(s->a, op) & traits)
			return true;
	return false;
}

const struct product *product_of_kernel(
	const struct facts *s, const struct seen_event *e, struct product *p)
{
	bool known = e->part == TIME_GEMM && product_launched(s->a, e->call, e->op, 1, p);
	return known ? p : NULL;
}

const struct product *product_near_event(
	const struct facts *s, const struct seen_event *e, struct product *p)
{
	bool known = e->part == TIME_GEMM && product_launched(s->a, e->call, e->op, 3, p);
	return known ? p : NULL;
}

const char *op_name(const struct facts *s, const struct seen_event *e)
{
	return names_text(&s->t->names, e->op_name);
}

/* ---- answers ---- */

void prove(struct finding *f, uint32_t row)
{
	f->n_events++;
	if (row == NO_ROW || f->n_evidence == ADVICE_EVIDENCE)
		return;
	if (!f->evidence)
		f->evidence = arena_array(f->arena, ADVICE_EVIDENCE, sizeof *f->evidence);
	f->evidence[f->n_evidence++] = row;
}

struct gain saves_time(const struct facts *s, const struct finding *f)
{
	(void)s;
	return (struct gain){.ns = finding_number(f, "time")};
}

struct gain saves_once(const struct facts *s, const struct finding *f)
{
	const struct time_parts *all = &s->p->whole;
	double whole = finding_number(f, "idle"),
	       here = s->p->n_steps ? finding_number(f, "here") : whole;
	if (here >= limit(f, "least") * (double)advised_ns(s) ||
		whole < limit(f, "least") * (double)(all->end_ns - all->start_ns))
		return (struct gain){0};
	return (struct gain){.once_ns = whole};
}
