/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/breakdown.h"

#include "base/json_out.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "base/two_threads.h"
#include "report/analyse/account.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/breakdown_parts.h"

#include <inttypes.h>
#include <stdlib.h>

const char *time_part_name(enum time_part part)
{
	static const char *const names[TIME_PARTS] = {
		[TIME_GEMM] = "computing.gemm",
		[TIME_ATTENTION] = "computing.attention",
		[TIME_CONVOLUTION] = "computing.convolution",
		[TIME_EMBEDDING] = "computing.embedding",
		[TIME_POINTWISE] = "computing.pointwise",
		[TIME_REDUCTION] = "computing.reduction",
		[TIME_OTHER] = "computing.other",
		[TIME_COMMUNICATION] = "communication",
		[TIME_COPIES] = "copies",
		[TIME_LAUNCHING] = "idle.launching",
		[TIME_INPUT] = "idle.input",
		[TIME_SYNC] = "idle.sync",
		[TIME_STALL] = "idle.stall",
		[TIME_PROFILER] = "idle.profiler",
		[TIME_BEFORE] = "idle.before",
		[TIME_AFTER] = "idle.after",
		[TIME_UNKNOWN] = "idle.unknown",
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
		[HEADLINE_LAUNCH_GAP] = "handover-bound",
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

const char *breakdown_lack_name(enum breakdown_lack lack)
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
	struct breakdown *p;
	const struct time_parts *window;
	const bool *streamed; /* (n_device) */
	int64_t *exposed_ns, *held_ns; /* (n_device) */
	size_t idle; /* the first stretch of idle time that ends after what came last */
	uint32_t step; /* the first that does */
};

/* How much of a time is in a window. */
static int64_t inside(const struct time_parts *window, struct time_span at)
{
	int64_t from = max64(at.start_ns, window->start_ns);
	int64_t to = min64(at.end_ns, window->end_ns);
	return to > from ? to - from : 0;
}

static void add(struct time_parts *into, const struct stretch *s)
{
	int64_t ns = inside(into, (struct time_span){s->start_ns, s->end_ns});
	into->ns[s->part] += ns;
	into->launch_gap_ns += s->launch_gap ? ns : 0;
	into->memory_bound_gemm_ns += s->streamed ? ns : 0;
}

static void sum(struct summing *u, const struct stretch *s)
{
	struct breakdown *p = u->p;
	add(&p->whole, s);
	while (u->step < p->n_steps && p->steps[u->step].split.end_ns <= s->start_ns)
		u->step++;
	for (uint32_t i = u->step; i < p->n_steps && p->steps[i].split.start_ns < s->end_ns; i++)
		add(&p->steps[i].split, s);
}

/* A gap is a run of idle stretches. */
static void sum_idle(struct summing *u, struct time_span at)
{
	const struct breakdown *p = u->p;
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
	u->held_ns[event] += at.end_ns - at.start_ns;
	sum(u,
		&(struct stretch){.start_ns = at.start_ns,
			.end_ns = at.end_ns,
			.part = u->p->part[event],
			.streamed = u->streamed[event]});
}

int64_t time_parts_computing_ns(const struct time_parts *s)
{
	int64_t sum = 0;
	for (int i = 0; i < TIME_PARTS; i++)
		sum += time_part_is_computing((enum time_part)i) ? s->ns[i] : 0;
	return sum;
}

int64_t time_parts_idle_ns(const struct time_parts *s)
{
	int64_t sum = 0;
	for (int i = 0; i < TIME_PARTS; i++)
		sum += time_part_is_idle((enum time_part)i) ? s->ns[i] : 0;
	return sum;
}

/* ---- the headline ---- */

static enum headline computing_headline(const struct time_parts *s)
{
	const int64_t *ns = s->ns;
	int64_t moved = ns[TIME_EMBEDDING] + ns[TIME_POINTWISE] + ns[TIME_REDUCTION] +
		s->memory_bound_gemm_ns;
	int64_t multiplied =
		ns[TIME_GEMM] - s->memory_bound_gemm_ns + ns[TIME_ATTENTION] + ns[TIME_CONVOLUTION];
	return moved > multiplied ? HEADLINE_MEMORY : HEADLINE_COMPUTE;
}

static enum headline part_headline(const struct time_parts *s, enum time_part part)
{
	switch (part) {
	case TIME_COMMUNICATION:
		return HEADLINE_COMMUNICATION;
	case TIME_COPIES:
		return HEADLINE_COPY;
	case TIME_AFTER:
		return HEADLINE_LAUNCH;
	case TIME_LAUNCHING:
		return 2 * s->launch_gap_ns > s->ns[part] ? HEADLINE_LAUNCH_GAP : HEADLINE_LAUNCH;
	case TIME_INPUT:
		return HEADLINE_INPUT;
	case TIME_SYNC:
		return HEADLINE_SYNC;
	case TIME_STALL:
		return HEADLINE_STALL;
	case TIME_PROFILER:
		return HEADLINE_PROFILER;
	default:
		return HEADLINE_UNSEEN;
	}
}

enum headline time_parts_headline(const struct time_parts *s, double *share)
{
	int64_t most = time_parts_computing_ns(s), length = s->end_ns - s->start_ns;
	enum headline h = computing_headline(s);
	*share = 0;
	if (length <= 0)
		return HEADLINE_NONE;
	for (int i = TIME_COMMUNICATION; i < TIME_PARTS; i++) {
		if (s->ns[i] <= most)
			continue;
		most = s->ns[i];
		h = part_headline(s, (enum time_part)i);
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
static enum headline cause_of(const struct breakdown *p)
{
	const int64_t *ns = breakdown_window(p)->ns;
	enum headline h = p->headline;
	bool unseen = ns[TIME_AFTER] > ns[TIME_LAUNCHING] &&
		2 * p->blame.window.silence_ns < ns[TIME_AFTER];
	bool late = h == HEADLINE_LAUNCH && !unseen;
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

bool breakdown_computes(const struct breakdown *p)
{
	return p->headline == HEADLINE_COMPUTE || p->headline == HEADLINE_MEMORY;
}

/* Of a device that computes: one operator that has most of it, and is near its limit, says it. */
static enum headline limit_headline(const struct breakdown *p)
{
	if (!breakdown_computes(p) || 2 * p->limited.share < 1 || !limit_is_near(&p->limited))
		return p->headline;
	return p->limited.limit == LIMIT_MEMORY	       ? HEADLINE_MEMORY
		: p->limited.limit == LIMIT_ARITHMETIC ? HEADLINE_COMPUTE
						       : p->headline;
}

/* ---- all of it ---- */

const struct time_parts *breakdown_window(const struct breakdown *p)
{
	return p->median == NO_ROW ? &p->whole : &p->steps[p->median].split;
}

/* The length that says which calls are long: of the median step, else of the whole. */
static int64_t typical_ns(const struct breakdown *p)
{
	const struct time_parts *s = breakdown_window(p);
	return s->end_ns - s->start_ns;
}

static enum breakdown_lack lack_of(const struct analysis *a)
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
static void gather_stalls(struct breakdown *p, struct arena *arena)
{
	size_t room = 0, n = 0;
	for (size_t i = 0; i < p->n_idle; i++)
		room += p->idle[i].part == TIME_STALL;
	struct stall *s = arena_array(arena, room, sizeof *s);
	for (size_t i = 0; i < p->n_idle; i++)
		if (p->idle[i].part == TIME_STALL)
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

static void split_windows(struct breakdown *p, const struct analysis *a,
	const struct idle_causes *l, struct arena *arena)
{
	struct host_layers host = host_layers_of(a, l, typical_ns(p));
	uint8_t *part = arena_array(arena, a->n_device, sizeof *part);
	bool *streamed = xalloc(a->n_device * sizeof *streamed);
	struct summing u = {.p = p, .window = breakdown_window(p), .streamed = streamed};
	u.exposed_ns = arena_array(arena, a->n_device, sizeof *u.exposed_ns);
	u.held_ns = arena_array(arena, a->n_device, sizeof *u.held_ns);
	parts_of_device(a, part, streamed);
	p->part = part;
	p->exposed_ns = u.exposed_ns;
	p->held_ns = u.held_ns;
	struct layer idle = idle_of(p, a, l, &host);
	p->n_idle = idle.n;
	p->idle = arena_own(arena, idle.stretch);
	if (host.n_stalls)
		gather_stalls(p, arena);
	host_layers_release(&host);
	account_device(a, (struct time_span){p->whole.start_ns, p->whole.end_ns}, take_sum, &u);
	free(streamed);
}

/* Of the host and of the device: neither asks the other. */
struct asking {
	struct arena arena;
	const struct analysis *a;
	const struct idle_causes *l;
	const struct breakdown *p;
	struct blame blame;
	struct purposes purposes;
};

static void ask_blame(void *asking)
{
	struct asking *x = asking;
	x->blame = blame_of(&x->arena, x->a, x->l, x->p);
}

static void ask_purposes(void *asking)
{
	struct asking *x = asking;
	x->purposes = purposes_of(&x->arena, x->a, x->p->held_ns, x->p->exposed_ns);
}

static void tell_whose(struct breakdown *p, const struct analysis *a, const struct idle_causes *l,
	struct arena *arena)
{
	struct asking host = {.a = a, .l = l, .p = p}, device = host;
	both(a->trace->n >= BOTH_FROM, ask_blame, &host, ask_purposes, &device);
	arena_adopt(arena, &host.arena);
	arena_adopt(arena, &device.arena);
	p->blame = host.blame;
	p->purposes = device.purposes;
}

struct breakdown breakdown_of(
	struct arena *arena, const struct analysis *a, const struct idle_causes *l)
{
	struct breakdown p = {.lack = lack_of(a), .median = NO_ROW, .range = ""};
	if (p.lack == LACK_DEVICE) {
		breakdown_find_steps(&p, a, arena);
		return p;
	}
	p.whole.start_ns = a->window.start_ns;
	p.whole.end_ns = a->window.end_ns;
	breakdown_find_steps(&p, a, arena);
	if (a->trace->ends_early)
		p.lack = LACK_REST;
	split_windows(&p, a, l, arena);
	tell_whose(&p, a, l, arena);
	if (p.lack == LACK_REST)
		return p;
	p.headline = time_parts_headline(breakdown_window(&p), &p.headline_share);
	p.headline = cause_of(&p);
	p.limited = limited_work_of(a, &p.purposes, split_length(breakdown_window(&p)));
	p.headline = limit_headline(&p);
	p.solid = p.headline_share >= HEADLINE_SOLID;
	return p;
}

static void dump_split(const struct time_parts *s, FILE *f)
{
	double share;
	enum headline h = time_parts_headline(s, &share);
	fprintf(f, " %" PRId64 "..%" PRId64 " %s %.6f:", s->start_ns, s->end_ns, headline_name(h),
		share);
	for (int i = 0; i < TIME_PARTS; i++)
		if (s->ns[i])
			fprintf(f, " %s %" PRId64, time_part_name((enum time_part)i), s->ns[i]);
	fprintf(f, " handover %" PRId64 "\n", s->launch_gap_ns);
}

void breakdown_dump(const struct breakdown *p, const struct trace *t, FILE *f)
{
	fprintf(f, "breakdown: steps by %s \"%s\", lacks %s, %zu stalls\n",
		steps_by_name(p->steps_by), p->range, breakdown_lack_name(p->lack), p->n_stalls);
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
	purposes_dump(&p->purposes, t, f);
	limited_work_dump(&p->limited, t, f);
}
