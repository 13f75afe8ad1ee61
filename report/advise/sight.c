/* SPDX-License-Identifier: Apache-2.0 */
#include "report/advise/advice_parts.h"
#include "report/advise/partition_parts.h"
#include "report/advise/recording.h"

#include <stdlib.h>
#include <string.h>

/* ---- idle time by its part ---- */

static size_t first_idle_behind(const struct partition *p, int64_t time_ns)
{
	size_t low = 0, high = p->n_idle;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->idle[middle].end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Idle time of launching, and of waits where asked for, in a stretch of the window. */
static int64_t idle_by(const struct sight *s, struct time_span at, bool waits)
{
	const struct partition *p = s->p;
	int64_t sum = 0;
	for (size_t i = first_idle_behind(p, at.start_ns);
		i < p->n_idle && p->idle[i].start_ns < at.end_ns; i++) {
		const struct stretch *x = &p->idle[i];
		if (x->handover ||
			(x->part != SPENT_LAUNCHING && (x->part != SPENT_SYNC || !waits)))
			continue;
		sum += sight_clip(s, x->start_ns > at.start_ns ? x->start_ns : at.start_ns,
			x->end_ns < at.end_ns ? x->end_ns : at.end_ns);
	}
	return sum;
}

/* ---- what is exposed ---- */

struct exposing {
	int64_t *ns; /* (trace n) */
};

static void take_exposed(void *to, const struct stretch *s, struct time_span at)
{
	struct exposing *x = to;
	if (s->row != NO_ROW)
		x->ns[s->row] += at.end_ns - at.start_ns;
}

/* Of each event of the device its own part of the window, as the partition counts it. */
static int64_t *exposed_times(const struct sight *s)
{
	struct layer layer[DEVICE_LAYERS] = {0};
	struct exposing x = {.ns = xcalloc(s->t->n + 1, sizeof *x.ns)};
	const struct stretch rest = {.row = NO_ROW, .part = SPENT_UNKNOWN};
	cover_device(layer, s->a);
	layers_fill(layer, DEVICE_LAYERS, (struct time_span){s->w->start_ns, s->w->end_ns}, &rest,
		take_exposed, &x);
	for (int i = 0; i < DEVICE_LAYERS; i++)
		layer_release(&layer[i]);
	return x.ns;
}

static void see_events(struct sight *s)
{
	const struct trace *t = s->t;
	int64_t *exposed = exposed_times(s);
	uint8_t *known = xcalloc(t->names.n, 1);
	s->event = arena_array(s->arena, s->a->n_device + 1, sizeof *s->event);
	for (size_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i];
		if (row_end(t, row) <= s->w->start_ns || t->start_ns[row] >= s->w->end_ns)
			continue;
		struct seen_event *e = &s->event[s->n++];
		uint32_t call = analysis_launch_of(t, row);
		*e = (struct seen_event){row, call,
			call == NO_ROW ? NO_ROW : analysis_op_of(t, call), exposed[row],
			(uint8_t)spent_known(s->a, row, known)};
	}
	free(known);
	free(exposed);
}

/* ---- the host ---- */

static void see_allocator(struct sight *s)
{
	int64_t done = s->w->start_ns;
	for (uint32_t i = s->from; i < s->to; i++) {
		int64_t from = s->t->start_ns[i] > done ? s->t->start_ns[i] : done;
		if (!event_is_call(s->t->kind[i]) || row_end(s->t, i) <= from ||
			(!sight_frees(sight_name(s, i)) && !sight_allocates(sight_name(s, i))))
			continue;
		done = row_end(s->t, i);
		s->allocating_ns += sight_late(s, from, done);
	}
}

static bool launches_graph(const char *name)
{
	return strstr(name, "GraphLaunch") != NULL;
}

static void see_host(struct sight *s)
{
	const struct trace *t = s->t;
	uint32_t *count = xcalloc(t->n_tracks + 1, sizeof *count), most = 0;
	s->from = (uint32_t)trace_first_from(t, s->w->start_ns);
	s->to = (uint32_t)trace_first_from(t, s->w->end_ns);
	for (uint32_t i = s->from; i < s->to; i++) {
		uint8_t class = s->a->class[i];
		s->operators += t->kind[i] == EVENT_OP;
		s->compiled += class == CLASS_COMPILE;
		s->captures += event_is_call(t->kind[i]) &&
			strstr(sight_name(s, i), "StreamBeginCapture") != NULL;
		if (class != CLASS_LAUNCH || !is_outer_call(t, i))
			continue;
		s->launches++;
		s->launching_ns += t->dur_ns[i];
		s->graph_launches += launches_graph(sight_name(s, i));
		if (++count[t->track[i]] > most) {
			most = count[t->track[i]];
			s->track = t->track[i];
		}
	}
	free(count);
}

/* ---- what is between the operators ---- */

static int by_length(const void *a, const void *b)
{
	const struct time_span *x = a, *y = b;
	int64_t dx = x->end_ns - x->start_ns, dy = y->end_ns - y->start_ns;
	return (dx > dy) - (dx < dy);
}

/* The time in which no thread is in an operator or a call (malloc). */
static struct time_span *bare_times(const struct sight *s, size_t *n)
{
	const struct trace *t = s->t;
	struct time_span *bare = xcalloc(s->to - s->from + 2, sizeof *bare);
	int64_t done = s->w->start_ns;
	*n = 0;
	for (uint32_t i = s->from; i < s->to; i++) {
		if (t->kind[i] != EVENT_OP && !event_is_call(t->kind[i]))
			continue;
		if (t->start_ns[i] > done)
			bare[(*n)++] = (struct time_span){done, t->start_ns[i]};
		done = row_end(t, i) > done ? row_end(t, i) : done;
	}
	if (s->w->end_ns > done)
		bare[(*n)++] = (struct time_span){done, s->w->end_ns};
	return bare;
}

/* The innermost range or function that is there for half of a pause. */
static uint32_t innermost_in(const struct sight *s, struct time_span at)
{
	const struct trace *t = s->t;
	uint32_t found = NO_ROW;
	for (uint32_t i = 0; i < t->n && t->start_ns[i] < at.end_ns; i++) {
		int64_t from = t->start_ns[i] > at.start_ns ? t->start_ns[i] : at.start_ns;
		int64_t to = row_end(t, i) < at.end_ns ? row_end(t, i) : at.end_ns;
		bool tells = (t->kind[i] == EVENT_ANNOTATION || t->kind[i] == EVENT_PYTHON) &&
			s->a->class[i] != CLASS_STEP;
		if (tells && 2 * (to - from) >= at.end_ns - at.start_ns &&
			(found == NO_ROW || t->dur_ns[i] <= t->dur_ns[found]))
			found = i;
	}
	return found;
}

static void see_elsewhere(struct sight *s)
{
	enum { HUNDRED = 100 };
	size_t n;
	struct time_span *bare = bare_times(s, &n), longest = {0, 0};
	s->elsewhere.row = NO_ROW;
	if (n)
		qsort(bare, n, sizeof *bare, by_length);
	int64_t usual = n ? bare[(n - 1) / 2].end_ns - bare[(n - 1) / 2].start_ns : 0;
	for (size_t i = 0; i < n; i++) {
		int64_t ns = bare[i].end_ns - bare[i].start_ns;
		int64_t idle = idle_by(s, bare[i], false);
		if (ns < ELSEWHERE_TIMES * usual || HUNDRED * ns < sight_ns(s) || !idle)
			continue;
		s->elsewhere.n++;
		s->elsewhere.idle_ns += idle;
		longest = bare[i];
	}
	free(bare);
	s->elsewhere.longest_ns = longest.end_ns - longest.start_ns;
	if (s->elsewhere.n)
		s->elsewhere.row = innermost_in(s, longest);
}

/* ---- what queued events take ---- */

static int by_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t handover_of(const struct sight *s)
{
	const struct ledger *l = s->l;
	int64_t *ns = xcalloc(l->n_gaps + 1, sizeof *ns);
	size_t n = 0;
	for (size_t i = 0; i < l->n_gaps; i++)
		if (l->gaps[i].cause == IDLE_HELD && l->gaps[i].hold == HOLD_ORDER)
			ns[n++] = l->gaps[i].dur_ns;
	qsort(ns, n, sizeof *ns, by_ns);
	int64_t median = n >= ADVICE_HANDOVERS ? ns[(n - 1) / 2] : ADVICE_HANDOVER_NS;
	free(ns);
	return median;
}

/* What is left of the window without the recorder, never less than half. */
static double own_share(const struct sight *s)
{
	double window = (double)sight_ns(s);
	double cost = (double)s->operators * (double)s->recording_ns +
		RECORDING_OF_LAUNCH * (double)s->launching_ns;
	if (window <= 0)
		return 1;
	return cost > window / 2 ? 0.5 : 1 - cost / window;
}

static bool is_torch(const struct sight *s)
{
	for (size_t i = 0; i < s->t->n; i++)
		if ((s->t->kind[i] == EVENT_OP &&
			    !strncmp(sight_name(s, (uint32_t)i), "aten::", 6)) ||
			(s->t->kind[i] == EVENT_KERNEL &&
				strstr(sight_name(s, (uint32_t)i), "at::native")))
			return true;
	return false;
}

void sight_of(struct sight *s, const struct analysis *a, const struct ledger *l,
	const struct partition *p)
{
	*s = (struct sight){.arena = s->arena,
		.t = a->trace,
		.a = a,
		.l = l,
		.p = p,
		.w = partition_window(p),
		.chip = chip_of(a->trace),
		.track = NO_ROW};
	s->torch = is_torch(s);
	s->computing_ns = split_computing_ns(s->w);
	see_events(s);
	see_host(s);
	see_allocator(s);
	see_elsewhere(s);
	s->handover_ns = handover_of(s);
	s->recording_ns = recording_operator_ns(s->t);
	s->host = own_share(s);
}

/* ---- questions ---- */

int64_t sight_clip(const struct sight *s, int64_t from_ns, int64_t to_ns)
{
	from_ns = from_ns > s->w->start_ns ? from_ns : s->w->start_ns;
	to_ns = to_ns < s->w->end_ns ? to_ns : s->w->end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static size_t first_gap_behind(const struct analysis *a, int64_t time_ns)
{
	size_t low = 0, high = a->n_gaps;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (a->gaps[middle].start_ns + a->gaps[middle].dur_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t sight_idle(const struct sight *s, int64_t from_ns, int64_t to_ns)
{
	const struct analysis *a = s->a;
	int64_t sum = 0;
	for (size_t i = first_gap_behind(a, from_ns); i < a->n_gaps && a->gaps[i].start_ns < to_ns;
		i++) {
		int64_t start = a->gaps[i].start_ns, end = start + a->gaps[i].dur_ns;
		sum += sight_clip(s, start > from_ns ? start : from_ns, end < to_ns ? end : to_ns);
	}
	return sum;
}

int64_t sight_late(const struct sight *s, int64_t from_ns, int64_t to_ns)
{
	return idle_by(s, (struct time_span){from_ns, to_ns}, true);
}

bool sight_frees(const char *name)
{
	return !strcmp(name, "cudaFree") || !strcmp(name, "hipFree") ||
		!strcmp(name, "cuMemFree_v2");
}

bool sight_allocates(const char *name)
{
	return !strcmp(name, "cudaMalloc") || !strcmp(name, "hipMalloc") ||
		!strcmp(name, "cuMemAlloc_v2") || !strcmp(name, "cudaHostAlloc") ||
		!strcmp(name, "hipHostMalloc");
}

const struct stretch *sight_next_idle(const struct sight *s, enum spent part, size_t *i)
{
	const struct partition *p = s->p;
	for (; *i < p->n_idle; ++*i) {
		const struct stretch *x = &p->idle[*i];
		if (x->start_ns >= s->w->end_ns)
			break;
		if (x->part == part && x->end_ns > s->w->start_ns)
			return &p->idle[(*i)++];
	}
	return NULL;
}

bool sight_is_under(const struct sight *s, const struct seen_event *e, const char *word)
{
	for (uint32_t op = e->op; op != NO_ROW; op = s->t->parent[op])
		if (s->t->kind[op] == EVENT_OP && strstr(sight_name(s, op), word))
			return true;
	return false;
}

const char *sight_op(const struct sight *s, const struct seen_event *e)
{
	return e->op == NO_ROW ? "" : sight_name(s, e->op);
}

int64_t sight_per_step(const struct sight *s, int64_t whole_ns)
{
	return s->p->n_steps ? whole_ns / (int64_t)s->p->n_steps : whole_ns;
}

/* ---- answers ---- */

void put_value(struct action *x, const char *name, enum finding_unit unit, double number)
{
	if (x->n_values < ADVICE_VALUES)
		x->value[x->n_values++] = (struct advice_value){name, unit, number, NULL};
}

void put_name(struct action *x, const char *name, const char *text)
{
	if (x->n_values < ADVICE_VALUES)
		x->value[x->n_values++] = (struct advice_value){name, UNIT_TEXT, 0, text};
}

void prove(struct action *x, uint32_t row)
{
	x->n_events++;
	if (row != NO_ROW && x->n_evidence < ADVICE_EVIDENCE)
		x->evidence[x->n_evidence++] = row;
}
