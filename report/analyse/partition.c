/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/partition.h"

#include "base/json_out.h"
#include "base/least.h"
#include "base/sort.h"
#include "report/analyse/account.h"
#include "report/analyse/partition_parts.h"
#include "report/analyse/parts.h"

#include <inttypes.h>
#include <stdlib.h>

const char *spent_name(enum spent part)
{
	static const char *const names[SPENT_PARTS] = {
		[SPENT_GEMM] = "computing.gemm",
		[SPENT_ATTENTION] = "computing.attention",
		[SPENT_CONVOLUTION] = "computing.convolution",
		[SPENT_EMBEDDING] = "computing.embedding",
		[SPENT_POINTWISE] = "computing.pointwise",
		[SPENT_REDUCTION] = "computing.reduction",
		[SPENT_OTHER] = "computing.other",
		[SPENT_COMMUNICATION] = "communication",
		[SPENT_COPIES] = "copies",
		[SPENT_LAUNCHING] = "idle.launching",
		[SPENT_INPUT] = "idle.input",
		[SPENT_SYNC] = "idle.sync",
		[SPENT_STALL] = "idle.stall",
		[SPENT_PROFILER] = "idle.profiler",
		[SPENT_BEFORE] = "idle.before",
		[SPENT_AFTER] = "idle.after",
		[SPENT_UNKNOWN] = "idle.unknown",
	};
	return names[part];
}

const char *headline_name(enum headline h)
{
	static const char *const names[HEADLINES] = {
		[HEADLINE_NONE] = "none",
		[HEADLINE_COMPUTE] = "compute-bound",
		[HEADLINE_MEMORY] = "memory-bound",
		[HEADLINE_COMMUNICATION] = "communication-bound",
		[HEADLINE_COPY] = "copy-bound",
		[HEADLINE_LAUNCH] = "launch-bound",
		[HEADLINE_COMPILE] = "compile-bound",
		[HEADLINE_CPU] = "cpu-bound",
		[HEADLINE_HOST] = "host-bound",
		[HEADLINE_HANDOVER] = "handover-bound",
		[HEADLINE_INPUT] = "input-bound",
		[HEADLINE_SYNC] = "sync-bound",
		[HEADLINE_STALL] = "stall-bound",
		[HEADLINE_PROFILER] = "profiler-bound",
		[HEADLINE_UNSEEN] = "unseen",
	};
	return names[h];
}

const char *steps_by_name(enum steps_by by)
{
	static const char *const names[STEPS_BYS] = {
		[STEPS_BY_NOTHING] = "nothing",
		[STEPS_BY_PROFILER] = "profiler",
		[STEPS_BY_OPTIMIZER] = "optimizer",
		[STEPS_BY_RANGE] = "range",
		[STEPS_BY_LAUNCHES] = "launches",
	};
	return names[by];
}

const char *partition_lack_name(enum partition_lack lack)
{
	static const char *const names[LACKS] = {
		[LACK_NOTHING] = "nothing",
		[LACK_DEVICE] = "device",
		[LACK_HOST] = "host",
		[LACK_LAUNCHES] = "launches",
		[LACK_REST] = "rest",
	};
	return names[lack];
}

/* ---- layers ---- */

void layer_reserve(struct layer *l, size_t room)
{
	l->stretch = xrealloc(l->stretch, room, sizeof *l->stretch);
	l->room = room;
}

void layer_add(struct layer *l, struct stretch s)
{
	if (l->n == l->room)
		layer_reserve(l, l->room ? 2 * l->room : 64);
	l->stretch[l->n++] = s;
}

void layer_cover(struct layer *l, struct stretch s)
{
	int64_t done = l->n ? l->stretch[l->n - 1].end_ns : INT64_MIN;
	s.start_ns = max64(s.start_ns, done);
	if (s.end_ns > s.start_ns)
		layer_add(l, s);
}

void layer_release(struct layer *l)
{
	free(l->stretch);
	*l = (struct layer){0};
}

/* Has a layer something in a time? What ends before it is passed for good. */
static bool layer_has(struct layer *l, struct time_span at)
{
	while (l->next < l->n && l->stretch[l->next].end_ns <= at.start_ns)
		l->next++;
	return l->next < l->n && l->stretch[l->next].start_ns < at.end_ns;
}

void layers_fill(struct layer *layer, int n, struct time_span at, const struct stretch *rest,
	take_stretch *take, void *to)
{
	if (at.start_ns >= at.end_ns)
		return;
	for (; n && !layer_has(layer, at); n--)
		layer++;
	if (!n) {
		take(to, rest, at);
		return;
	}
	for (size_t i = layer->next; i < layer->n && layer->stretch[i].start_ns < at.end_ns; i++) {
		const struct stretch *s = &layer->stretch[i];
		int64_t start = max64(s->start_ns, at.start_ns);
		int64_t end = min64(s->end_ns, at.end_ns);
		layers_fill(
			layer + 1, n - 1, (struct time_span){at.start_ns, start}, rest, take, to);
		take(to, s, (struct time_span){start, end});
		at.start_ns = end;
	}
	layers_fill(layer + 1, n - 1, at, rest, take, to);
}

/* ---- sums ---- */

struct summing {
	struct partition *p;
	const struct split *window;
	const bool *streamed; /* (n_device) */
	int64_t *exposed_ns; /* (n_device) */
	size_t idle; /* the first stretch of idle time that ends after what came last */
	uint32_t step; /* the first that does */
};

/* How much of a time is in a window. */
static int64_t inside(const struct split *window, struct time_span at)
{
	int64_t from = max64(at.start_ns, window->start_ns);
	int64_t to = min64(at.end_ns, window->end_ns);
	return to > from ? to - from : 0;
}

static void add(struct split *into, const struct stretch *s)
{
	int64_t ns = inside(into, (struct time_span){s->start_ns, s->end_ns});
	into->ns[s->part] += ns;
	into->handover_ns += s->handover ? ns : 0;
	into->streamed_ns += s->streamed ? ns : 0;
}

static void sum(struct summing *u, const struct stretch *s)
{
	struct partition *p = u->p;
	add(&p->whole, s);
	while (u->step < p->n_steps && p->steps[u->step].split.end_ns <= s->start_ns)
		u->step++;
	for (uint32_t i = u->step; i < p->n_steps && p->steps[i].split.start_ns < s->end_ns; i++)
		add(&p->steps[i].split, s);
}

/* A gap is a run of idle stretches. */
static void sum_idle(struct summing *u, struct time_span at)
{
	const struct partition *p = u->p;
	while (u->idle < p->n_idle && p->idle[u->idle].end_ns <= at.start_ns)
		u->idle++;
	for (size_t i = u->idle; i < p->n_idle && p->idle[i].start_ns < at.end_ns; i++)
		sum(u, &p->idle[i]);
}

static void take_sum(void *to, uint32_t event, struct time_span at)
{
	struct summing *u = to;
	if (event == NO_ROW) {
		sum_idle(u, at);
		return;
	}
	u->exposed_ns[event] += inside(u->window, at);
	sum(u,
		&(struct stretch){.start_ns = at.start_ns,
			.end_ns = at.end_ns,
			.part = u->p->part[event],
			.streamed = u->streamed[event]});
}

int64_t split_computing_ns(const struct split *s)
{
	int64_t sum = 0;
	for (int i = 0; i < SPENT_PARTS; i++)
		sum += spent_is_computing((enum spent)i) ? s->ns[i] : 0;
	return sum;
}

int64_t split_idle_ns(const struct split *s)
{
	int64_t sum = 0;
	for (int i = 0; i < SPENT_PARTS; i++)
		sum += spent_is_idle((enum spent)i) ? s->ns[i] : 0;
	return sum;
}

/* ---- the headline ---- */

static enum headline computing_headline(const struct split *s)
{
	const int64_t *ns = s->ns;
	int64_t moved =
		ns[SPENT_EMBEDDING] + ns[SPENT_POINTWISE] + ns[SPENT_REDUCTION] + s->streamed_ns;
	int64_t multiplied =
		ns[SPENT_GEMM] - s->streamed_ns + ns[SPENT_ATTENTION] + ns[SPENT_CONVOLUTION];
	return moved > multiplied ? HEADLINE_MEMORY : HEADLINE_COMPUTE;
}

static enum headline part_headline(const struct split *s, enum spent part)
{
	switch (part) {
	case SPENT_COMMUNICATION:
		return HEADLINE_COMMUNICATION;
	case SPENT_COPIES:
		return HEADLINE_COPY;
	case SPENT_AFTER:
		return HEADLINE_LAUNCH;
	case SPENT_LAUNCHING:
		return 2 * s->handover_ns > s->ns[part] ? HEADLINE_HANDOVER : HEADLINE_LAUNCH;
	case SPENT_INPUT:
		return HEADLINE_INPUT;
	case SPENT_SYNC:
		return HEADLINE_SYNC;
	case SPENT_STALL:
		return HEADLINE_STALL;
	case SPENT_PROFILER:
		return HEADLINE_PROFILER;
	default:
		return HEADLINE_UNSEEN;
	}
}

enum headline split_headline(const struct split *s, double *share)
{
	int64_t most = split_computing_ns(s), length = s->end_ns - s->start_ns;
	enum headline h = computing_headline(s);
	*share = 0;
	if (length <= 0)
		return HEADLINE_NONE;
	for (int i = SPENT_COMMUNICATION; i < SPENT_PARTS; i++) {
		if (s->ns[i] <= most)
			continue;
		most = s->ns[i];
		h = part_headline(s, (enum spent)i);
	}
	*share = (double)most / (double)length;
	return h;
}

/* What most of the silences in the window are. */
static enum blame_kind silent_kind(const struct blame *b)
{
	int64_t ns[BLAMES] = {0};
	int most = 0;
	for (uint32_t i = 0; i < b->n_silences; i++)
		ns[b->silences[i].kind] += b->silences[i].window_ns;
	for (int i = 1; i < BLAMES; i++)
		most = ns[i] > ns[most] ? i : most;
	return (enum blame_kind)most;
}

/* Of a host that is late, or whose calls stand still: because of what? */
static enum headline cause_of(const struct partition *p)
{
	const int64_t *ns = partition_window(p)->ns;
	enum headline h = p->headline;
	bool late = h == HEADLINE_LAUNCH && ns[SPENT_LAUNCHING] > ns[SPENT_AFTER];
	if ((!late && h != HEADLINE_STALL) || !blame_is_silence(&p->blame.window))
		return h;
	switch (silent_kind(&p->blame)) {
	case BLAME_COMPILER:
		return HEADLINE_COMPILE;
	case BLAME_COMPUTING:
		return HEADLINE_CPU;
	default:
		return late ? HEADLINE_HOST : h;
	}
}

/* ---- all of it ---- */

const struct split *partition_window(const struct partition *p)
{
	return p->median == NO_ROW ? &p->whole : &p->steps[p->median].split;
}

/* The length that says which calls are long: of the median step, else of the whole. */
static int64_t typical_ns(const struct partition *p)
{
	const struct split *s = partition_window(p);
	return s->end_ns - s->start_ns;
}

static enum partition_lack lack_of(const struct analysis *a)
{
	if (!a->n_device)
		return LACK_DEVICE;
	for (size_t i = 0; i < a->trace->n; i++)
		if (event_on_host(a->trace->kind[i]))
			return a->n_unlinked < a->n_device ? LACK_NOTHING : LACK_LAUNCHES;
	return LACK_HOST;
}

ORDER(by_row, struct stall, UP(row));

/* Of one call several stretches may be idle. */
static void gather_stalls(struct partition *p, struct arena *arena)
{
	size_t room = 0, n = 0;
	for (size_t i = 0; i < p->n_idle; i++)
		room += p->idle[i].part == SPENT_STALL;
	struct stall *s = arena_array(arena, room, sizeof *s);
	for (size_t i = 0; i < p->n_idle; i++)
		if (p->idle[i].part == SPENT_STALL)
			s[n++] = (struct stall){
				p->idle[i].row, p->idle[i].end_ns - p->idle[i].start_ns};
	qsort(s, n, sizeof *s, by_row);
	for (size_t i = 0; i < n; i++) {
		if (p->n_stalls && s[p->n_stalls - 1].row == s[i].row)
			s[p->n_stalls - 1].idle_ns += s[i].idle_ns;
		else
			s[p->n_stalls++] = s[i];
	}
	p->stalls = s;
}

static void split_windows(
	struct partition *p, const struct analysis *a, const struct ledger *l, struct arena *arena)
{
	struct host_layers host = host_layers_of(a, l, typical_ns(p));
	uint8_t *part = arena_array(arena, a->n_device, sizeof *part);
	bool *streamed = xalloc(a->n_device * sizeof *streamed);
	struct summing u = {.p = p, .window = partition_window(p), .streamed = streamed};
	u.exposed_ns = arena_array(arena, a->n_device, sizeof *u.exposed_ns);
	parts_of_device(a, part, streamed);
	p->part = part;
	p->exposed_ns = u.exposed_ns;
	struct layer idle = idle_of(p, a, l, &host);
	p->n_idle = idle.n;
	p->idle = arena_own(arena, idle.stretch);
	if (host.n_stalls)
		gather_stalls(p, arena);
	host_layers_release(&host);
	account_device(a, (struct time_span){p->whole.start_ns, p->whole.end_ns}, take_sum, &u);
	free(streamed);
}

struct partition partition_of(struct arena *arena, const struct analysis *a, const struct ledger *l)
{
	struct partition p = {.lack = lack_of(a), .median = NO_ROW, .range = ""};
	if (p.lack == LACK_DEVICE)
		return p;
	p.whole.start_ns = a->window.start_ns;
	p.whole.end_ns = a->window.end_ns;
	partition_find_steps(&p, a, arena);
	if (a->trace->ends_early)
		p.lack = LACK_REST;
	split_windows(&p, a, l, arena);
	p.blame = blame_of(arena, a, l, &p);
	if (p.lack == LACK_REST)
		return p;
	p.headline = split_headline(partition_window(&p), &p.headline_share);
	p.headline = cause_of(&p);
	p.solid = p.headline_share >= HEADLINE_SOLID;
	return p;
}

static void dump_split(const struct split *s, FILE *f)
{
	double share;
	enum headline h = split_headline(s, &share);
	fprintf(f, " %" PRId64 "..%" PRId64 " %s %.6f:", s->start_ns, s->end_ns, headline_name(h),
		share);
	for (int i = 0; i < SPENT_PARTS; i++)
		if (s->ns[i])
			fprintf(f, " %s %" PRId64, spent_name((enum spent)i), s->ns[i]);
	fprintf(f, " handover %" PRId64 "\n", s->handover_ns);
}

void partition_dump(const struct partition *p, const struct trace *t, FILE *f)
{
	fprintf(f, "partition: steps by %s \"%s\", lacks %s, %zu stalls\n",
		steps_by_name(p->steps_by), p->range, partition_lack_name(p->lack), p->n_stalls);
	if (p->lack == LACK_DEVICE)
		return;
	fprintf(f, "  whole");
	dump_split(&p->whole, f);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		fprintf(f, "  %s %" PRId64, i == p->median ? "median" : "step", p->steps[i].number);
		dump_split(&p->steps[i].split, f);
	}
	for (size_t i = 0; i < p->n_stalls; i++) {
		uint32_t row = p->stalls[i].row;
		fprintf(f, "  stall %" PRIu32 " %" PRId64 " idle %" PRId64 " ", row, t->dur_ns[row],
			p->stalls[i].idle_ns);
		json_escape(f, names_text(&t->names, t->name[row]));
		fputc('\n', f);
	}
	blame_dump(&p->blame, t, f);
}
