/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of blamed idle time, summed: by kind, by name, and by gap as silences and rhythm. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "base/stats.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/blame_parts.h"
#include "report/analyse/breakdown_parts.h"
#include "report/analyse/usual_cost.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Names that differ in their numbers alone are one: the first of them stands for all. */
struct alike {
	const struct trace *t;
	struct names keys; /* with every number as "#" */
	name_id *first; /* (keys.n) malloc */
	uint32_t room;
	name_id *of; /* (names) 0: not asked yet */
};

static name_id alike_range(struct alike *x, name_id name)
{
	if (x->of[name])
		return x->of[name];
	name_id key = name_without_numbers(&x->keys, names_text(&x->t->names, name));
	if (key >= x->room) {
		x->first = xrealloc(x->first, 2 * (size_t)x->keys.n, sizeof *x->first);
		memset(x->first + x->room, 0, (2 * x->keys.n - x->room) * sizeof *x->first);
		x->room = 2 * x->keys.n;
	}
	if (!x->first[key])
		x->first[key] = name;
	return x->of[name] = x->first[key];
}

/* Ranges are counted by their authors; a function's number is its line. */
static inline name_id alike(struct alike *x, uint32_t row)
{
	name_id name = x->t->name[row];
	return x->t->kind[row] == EVENT_ANNOTATION ? alike_range(x, name) : name;
}

/* What the host had of one gap. */
struct share {
	uint32_t gap;
	uint32_t row; /* of the longest piece of its kind, NO_ROW */
	uint8_t kind; /* of the most time */
	int64_t ns, window_ns;
	struct time_span at; /* of that piece */
};

struct blame_sums {
	const struct analysis *a;
	const struct idle_causes *l;
	struct host_kinds *kinds;
	struct arena *scratch;
	bool lock;
	size_t pauses, locks; /* long pauses of Python, and those that a lock may make */
	struct blame out;
	struct alike names;
	struct blame_cause *cause; /* (n_causes) malloc */
	uint32_t *next; /* (n_causes) the next of the name + 1; malloc */
	uint32_t n_causes, room;
	uint32_t *slot; /* (names) of a name, index + 1 */
	struct share *share; /* (n_shares) */
	size_t n_shares;
	struct share now; /* the gap at hand */
	struct {
		int64_t ns;
		struct blamed longest;
	} of[BLAMES]; /* of it; those that `kinds_here` lacks hold what is old */
	uint32_t kinds_here; /* bits by kind */
};

/* Whose name a piece has: NO_ROW for none. */
static inline uint32_t named_row(const struct blame_sums *u, enum blame_kind kind, uint32_t row)
{
	if (row == NO_ROW || u->a->class[row] == CLASS_STEP)
		return NO_ROW;
	return kind == BLAME_COMPILER || kind == BLAME_LOADING || kind == BLAME_INPUT
		? host_says(u->kinds, row)
		: row;
}

/* ---- by kind and by name ---- */

static struct blame_cause *new_cause(struct blame_sums *s, uint8_t kind, name_id name)
{
	if (s->n_causes == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->cause = xrealloc(s->cause, s->room, sizeof *s->cause);
		s->next = xrealloc(s->next, s->room, sizeof *s->next);
	}
	s->next[s->n_causes] = s->slot[name];
	s->slot[name] = s->n_causes + 1;
	s->cause[s->n_causes] = (struct blame_cause){.kind = kind, .name = name, .row = NO_ROW};
	return &s->cause[s->n_causes++];
}

static inline struct blame_cause *cause_of(struct blame_sums *s, uint8_t kind, name_id name)
{
	for (uint32_t at = s->slot[name]; at; at = s->next[at - 1])
		if (s->cause[at - 1].kind == kind)
			return &s->cause[at - 1];
	return new_cause(s, kind, name);
}

static void add_to_cause(struct blame_sums *s, enum blame_kind kind, const struct blamed *x)
{
	uint32_t row = named_row(s, kind, x->row);
	name_id name = row == NO_ROW ? 0 : alike(&s->names, row);
	struct blame_cause *to = cause_of(s, (uint8_t)kind, name);
	to->n++;
	to->ns += x->ns;
	to->window_ns += x->window_ns;
	if (x->ns > to->longest_ns) {
		to->row = row;
		to->longest_ns = x->ns;
	}
}

ORDER(by_kind, struct blame_cause, UP(kind) ?: DOWN(window_ns) ?: DOWN(ns) ?: UP(name));

static void keep_causes(const struct blame_sums *s, struct arena *arena, struct blame *out)
{
	out->causes = arena_array(arena, s->n_causes, sizeof *out->causes);
	out->n_causes = s->n_causes;
	for (uint32_t i = 0; i < s->n_causes; i++) {
		const struct blame_cause *c = &s->cause[i];
		out->whole.ns[c->kind] += c->ns;
		out->window.ns[c->kind] += c->window_ns;
	}
	if (!s->n_causes)
		return;
	memcpy(out->causes, s->cause, s->n_causes * sizeof *s->cause);
	qsort(out->causes, out->n_causes, sizeof *out->causes, by_kind);
}

/* ---- by gap ---- */

static void end_gap(struct blame_sums *s)
{
	struct share *now = &s->now;
	if (now->ns) {
		now->kind = (uint8_t)__builtin_ctz(s->kinds_here);
		for (uint32_t left = s->kinds_here; left; left &= left - 1)
			if (s->of[__builtin_ctz(left)].ns > s->of[now->kind].ns)
				now->kind = (uint8_t)__builtin_ctz(left);
		const struct blamed *x = &s->of[now->kind].longest;
		now->row = x->row;
		now->at = (struct time_span){x->start_ns, x->start_ns + x->ns};
		s->share[s->n_shares++] = *now;
	}
	s->kinds_here = 0;
	*now = (struct share){.row = NO_ROW};
}

static void add_to_gap(struct blame_sums *s, enum blame_kind kind, const struct blamed *x)
{
	if (x->gap != s->now.gap)
		end_gap(s);
	s->now.gap = x->gap;
	if (!blame_is_hosts(kind))
		return;
	bool first = !(s->kinds_here >> kind & 1);
	s->kinds_here |= 1u << kind;
	s->of[kind].ns = first ? x->ns : s->of[kind].ns + x->ns;
	s->now.ns += x->ns;
	s->now.window_ns += x->window_ns;
	if (first || x->ns > s->of[kind].longest.ns)
		s->of[kind].longest = *x;
}

/* ---- piece by piece ---- */

struct blame_sums *blame_sums_begin(struct arena *scratch, const struct analysis *a,
	const struct idle_causes *l, struct host_kinds *kinds, bool lock)
{
	struct blame_sums *s = arena_alloc(scratch, sizeof *s);
	name_id names = a->trace->names.n;
	*s = (struct blame_sums){.a = a,
		.l = l,
		.kinds = kinds,
		.scratch = scratch,
		.lock = lock,
		.names = {.t = a->trace, .of = arena_array(scratch, names, sizeof *s->names.of)},
		.slot = arena_array(scratch, names, sizeof *s->slot),
		.share = arena_unset(scratch, l->n_gaps, sizeof *s->share),
		.now.row = NO_ROW};
	names_init(&s->names.keys);
	return s;
}

void blame_sums_drop(struct blame_sums *s)
{
	names_release(&s->names.keys);
	free(s->names.first);
	free(s->cause);
	free(s->next);
}

static bool is_pause(const struct blamed *x)
{
	return (x->kind == BLAME_PYTHON || x->kind == BLAME_NOTHING) && x->ns >= LOCK_NS;
}

/* Of a pause: may a lock make it? */
static bool is_locks(const struct blamed *x)
{
	return x->ns < (LOCK_MULTIPLES + 1) * (int64_t)LOCK_NS && x->ns % LOCK_NS <= LOCK_OVER_NS;
}

bool blame_sums_tell_lock(const struct blame_sums *s)
{
	return s->locks >= LOCK_PAUSES && 4 * s->locks >= 3 * s->pauses;
}

void blame_sums_add(struct blame_sums *s, const struct blamed *x)
{
	enum blame_kind kind = (enum blame_kind)x->kind;
	if (x->ns >= LOCK_NS && is_pause(x)) {
		bool locks = is_locks(x);
		s->pauses++;
		s->locks += locks;
		kind = s->lock && locks ? BLAME_THREAD : kind;
	}
	add_to_cause(s, kind, x);
	add_to_gap(s, kind, x);
}

/* ---- silence and rhythm ---- */

static int64_t silence_from(const struct blame_sums *s)
{
	int64_t *ns = xcalloc(s->n_shares, sizeof *ns), least = SILENCE_NS;
	for (size_t i = 0; i < s->n_shares; i++)
		ns[i] = s->share[i].ns;
	if (s->n_shares >= SILENCE_GAPS) {
		int64_t median = stats_nth(ns, s->n_shares, s->n_shares / 2);
		median = min64(median, LONG_BEAT_NS);
		least = max64(SILENCE_TIMES * median, least);
	}
	free(ns);
	return least;
}

/* ---- where in the program ---- */

struct places {
	const struct analysis *a;
	bool *launches; /* (n_tracks) the thread does */
};

enum { PLACE_REACH = 4096 }; /* rows that are looked at, either way */

static struct places places_of(const struct analysis *a, struct arena *scratch)
{
	struct places p = {a, arena_array(scratch, a->trace->n_tracks, sizeof *p.launches)};
	for (size_t i = 0; i < a->n_calls; i++)
		p.launches[a->trace->track[a->calls[i]]] = true;
	return p;
}

static bool is_place(const struct places *p, uint32_t row)
{
	const struct trace *t = p->a->trace;
	uint8_t kind = t->kind[row];
	bool named = kind == EVENT_OP || event_is_call(kind) ||
		(kind == EVENT_ANNOTATION && p->a->class[row] != CLASS_STEP);
	return named && p->launches[t->track[row]];
}

/* What ended last before a time: the outermost, but steps. */
static uint32_t place_before(const struct places *p, int64_t time_ns)
{
	const struct trace *t = p->a->trace;
	size_t i = trace_first_from(t, time_ns), least = i > PLACE_REACH ? i - PLACE_REACH : 0;
	while (i > least &&
		(row_end(t, (uint32_t)i - 1) > time_ns || !is_place(p, (uint32_t)i - 1)))
		i--;
	if (i == least)
		return NO_ROW;
	uint32_t found = (uint32_t)i - 1;
	for (uint32_t up = t->parent[found]; up != NO_ROW; up = t->parent[up])
		if (is_place(p, up) && row_end(t, up) <= time_ns)
			found = up;
	return found;
}

/* What begins first from a time on: of several that begin at once the outermost comes first. */
static uint32_t place_behind(const struct places *p, int64_t time_ns)
{
	const struct trace *t = p->a->trace;
	size_t i = trace_first_from(t, time_ns);
	for (size_t most = i + PLACE_REACH; i < t->n && i < most; i++)
		if (is_place(p, (uint32_t)i))
			return (uint32_t)i;
	return NO_ROW;
}

/* ---- silences ---- */

static bool has_no_name(const struct blame_sums *u, uint32_t row)
{
	return row == NO_ROW || u->a->class[row] == CLASS_STEP || host_hands_over(u->kinds, row);
}

static struct silence silence_of(
	struct blame_sums *u, const struct places *places, const struct share *s)
{
	uint32_t row = u->l->why[s->gap].waited;
	if (has_no_name(u, row) || host_kind(u->kinds, row) != s->kind)
		row = s->row;
	if (has_no_name(u, row))
		row = NO_ROW;
	return (struct silence){.kind = s->kind,
		.name = row == NO_ROW ? 0 : alike(&u->names, row),
		.row = row,
		.after = place_before(places, s->at.start_ns),
		.before = place_behind(places, s->at.end_ns),
		.n = 1,
		.ns = s->ns,
		.longest_ns = s->ns,
		.window_ns = s->window_ns};
}

/* The same, as merging asks: what has no name is told by what is around it. */
struct placed {
	struct silence s;
	name_id after, before;
};
ORDER(by_cause, struct placed, UP(s.kind) ?: UP(s.name) ?: UP(after) ?: UP(before) ?:
	DOWN(s.ns) ?: UP(s.row));
ORDER(by_length, struct silence, DOWN(ns) ?: UP(kind) ?: UP(name) ?: UP(after) ?: UP(before));

static bool same_cause(const struct placed *a, const struct placed *b)
{
	return a->s.kind == b->s.kind && a->s.name == b->s.name && a->after == b->after &&
		a->before == b->before;
}

static void add_silence(struct silence *to, const struct silence *s)
{
	to->n += s->n;
	to->ns += s->ns;
	to->window_ns += s->window_ns;
	to->after = to->after == NO_ROW ? s->after : to->after;
	to->before = to->before == NO_ROW ? s->before : to->before;
}

/* Where the file begins or ends one side is open: it is the place whose other side is the same. */
static bool is_open_end_of(const struct placed *open, const struct placed *x)
{
	return open != x && !open->s.name && open->s.kind == x->s.kind && !x->s.name && x->after &&
		x->before &&
		((!open->after && open->before == x->before) ||
			(!open->before && open->after == x->after));
}

static void close_end(struct placed *x, size_t n, size_t end)
{
	size_t k = 0;
	while (k < n && !is_open_end_of(&x[end], &x[k]))
		k++;
	if (k == n)
		return;
	x[end].after = x[k].after;
	x[end].before = x[k].before;
}

static void merge_silences(struct blame *out, struct placed *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct silence *s = &x[i].s;
		if (!i || !same_cause(&x[i], &x[i - 1])) {
			out->silences[out->n_silences++] = *s;
			continue;
		}
		add_silence(&out->silences[out->n_silences - 1], s);
	}
	qsort(out->silences, out->n_silences, sizeof *out->silences, by_length);
}

/* What is usual of the longest: those are shown. */
static void tell_usual(const struct analysis *a, struct blame *out)
{
	enum { MOST = 10 };
	for (uint32_t i = 0; i < out->n_silences && i < MOST; i++) {
		struct silence *s = &out->silences[i];
		bool call = s->kind == BLAME_OPERATOR || s->kind == BLAME_LAUNCH;
		if (call && s->row != NO_ROW)
			s->usual_ns = usual_own_ns(a, s->row);
	}
}

static name_id place_name(const struct trace *t, const struct silence *s, uint32_t row)
{
	return s->name || s->kind == BLAME_THREAD || row == NO_ROW ? 0 : t->name[row];
}

static void tell_silences(struct blame_sums *s, struct arena *arena, struct blame *out)
{
	const struct trace *t = s->a->trace;
	struct places places = places_of(s->a, s->scratch);
	int64_t least = silence_from(s);
	struct placed *x = arena_array(s->scratch, s->n_shares, sizeof *x);
	size_t n = 0;
	out->silent = spans_with_room(arena, s->n_shares);
	for (size_t i = 0; i < s->n_shares; i++) {
		const struct share *one = &s->share[i];
		const struct time_span *g = &s->a->idle.at[one->gap];
		if (one->ns < least) {
			out->whole.rhythm_ns += one->ns;
			out->window.rhythm_ns += one->window_ns;
			out->whole.launches++;
			out->window.launches += one->window_ns > 0;
			continue;
		}
		out->whole.silence_ns += one->ns;
		out->window.silence_ns += one->window_ns;
		struct silence made = silence_of(s, &places, one);
		x[n++] = (struct placed){
			made, place_name(t, &made, made.after), place_name(t, &made, made.before)};
		spans_add(&out->silent, g->start_ns, g->end_ns);
	}
	if (n) { /* in the order of time still */
		close_end(x, n, 0);
		close_end(x, n, n - 1);
	}
	qsort(x, n, sizeof *x, by_cause);
	out->silences = arena_array(arena, n, sizeof *out->silences);
	merge_silences(out, x, n);
	tell_usual(s->a, out);
}

void blame_sums_end(struct blame_sums *s, struct arena *arena, struct blame *out)
{
	end_gap(s);
	*out = s->out;
	keep_causes(s, arena, out);
	tell_silences(s, arena, out);
	blame_sums_drop(s);
}
