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

/* ---- another thread of Python ---- */

static bool is_pause(const struct blamed *x)
{
	return (x->kind == BLAME_PYTHON || x->kind == BLAME_NOTHING) && x->ns >= LOCK_NS;
}

static bool is_locks(const struct blamed *x)
{
	return is_pause(x) && x->ns < (LOCK_MULTIPLES + 1) * (int64_t)LOCK_NS &&
		x->ns % LOCK_NS <= LOCK_OVER_NS;
}

void blame_find_lock(struct blamed_list *list)
{
	size_t pauses = 0, locks = 0;
	for (size_t i = 0; i < list->n; i++) {
		pauses += is_pause(&list->piece[i]);
		locks += is_locks(&list->piece[i]);
	}
	if (locks < LOCK_PAUSES || 4 * locks < 3 * pauses)
		return;
	for (size_t i = 0; i < list->n; i++)
		if (is_locks(&list->piece[i]))
			list->piece[i].kind = BLAME_THREAD;
}

/* ---- names ---- */

/* Names that differ in their numbers alone are one: the first of them stands for all. */
struct alike {
	const struct trace *t;
	struct names keys; /* with every number as "#" */
	name_id *first; /* (keys.n) malloc */
	uint32_t room;
	name_id *of; /* (names) 0: not asked yet */
};

static name_id alike(struct alike *x, name_id name)
{
	if (!name || x->of[name])
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

/* Whose name a piece has: NO_ROW for none. */
static uint32_t named_row(const struct summing_up *u, enum blame_kind kind, uint32_t row)
{
	if (row == NO_ROW || u->a->class[row] == CLASS_STEP)
		return NO_ROW;
	return kind == BLAME_COMPILER || kind == BLAME_LOADING || kind == BLAME_INPUT
		? host_says(u->kinds, row)
		: row;
}

/* ---- by kind and by name ---- */

struct causing {
	struct alike alike;
	struct blame_cause *cause; /* (n) malloc */
	uint32_t *next; /* (n) the next of the name + 1; malloc */
	uint32_t n, room;
	uint32_t *slot; /* (names) of a name, index + 1 */
};

static struct blame_cause *cause_of(struct causing *c, uint8_t kind, name_id name)
{
	for (uint32_t at = c->slot[name]; at; at = c->next[at - 1])
		if (c->cause[at - 1].kind == kind)
			return &c->cause[at - 1];
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->cause = xrealloc(c->cause, c->room, sizeof *c->cause);
		c->next = xrealloc(c->next, c->room, sizeof *c->next);
	}
	c->next[c->n] = c->slot[name];
	c->slot[name] = c->n + 1;
	c->cause[c->n] = (struct blame_cause){.kind = kind, .name = name, .row = NO_ROW};
	return &c->cause[c->n++];
}

ORDER(by_kind, struct blame_cause, UP(kind) ?: DOWN(window_ns) ?: DOWN(ns) ?: UP(name));

void blame_sum_causes(const struct summing_up *u)
{
	const struct trace *t = u->a->trace;
	struct causing c = {.alike = {.t = t, .of = xcalloc(t->names.n, sizeof *c.alike.of)},
		.slot = xcalloc(t->names.n, sizeof *c.slot)};
	names_init(&c.alike.keys);
	for (size_t i = 0; i < u->list->n; i++) {
		const struct blamed *x = &u->list->piece[i];
		uint32_t row = named_row(u, (enum blame_kind)x->kind, x->row);
		name_id name = row == NO_ROW ? 0 : alike(&c.alike, t->name[row]);
		struct blame_cause *to = cause_of(&c, x->kind, name);
		u->out->whole.ns[x->kind] += x->ns;
		u->out->window.ns[x->kind] += x->window_ns;
		to->n++;
		to->ns += x->ns;
		to->window_ns += x->window_ns;
		to->row = x->ns > to->longest_ns ? row : to->row;
		to->longest_ns = max64(x->ns, to->longest_ns);
	}
	u->out->causes = arena_array(u->arena, c.n, sizeof *u->out->causes);
	u->out->n_causes = c.n;
	if (c.n) {
		qsort(c.cause, c.n, sizeof *c.cause, by_kind);
		memcpy(u->out->causes, c.cause, c.n * sizeof *c.cause);
	}
	names_release(&c.alike.keys);
	free(c.alike.first);
	free(c.alike.of);
	free(c.cause);
	free(c.next);
	free(c.slot);
}

/* ---- silence and rhythm: by gap ---- */

/* What the host had of one gap. */
struct share {
	uint32_t gap;
	uint32_t row; /* of the longest piece of its kind, NO_ROW */
	uint8_t kind; /* of the most time */
	int64_t ns, window_ns;
	struct time_span at; /* of that piece */
};

struct shares {
	struct share *share; /* (n) */
	size_t n;
	struct {
		int64_t ns;
		struct blamed longest;
	} of[BLAMES]; /* the gap at hand */
};

static void end_gap(struct shares *s, struct share *now)
{
	if (now->ns) {
		for (int k = 0; k < BLAMES; k++)
			if (s->of[k].ns > s->of[now->kind].ns)
				now->kind = (uint8_t)k;
		const struct blamed *x = &s->of[now->kind].longest;
		now->row = x->row;
		now->at = (struct time_span){x->start_ns, x->start_ns + x->ns};
		s->share[s->n++] = *now;
	}
	memset(s->of, 0, sizeof s->of);
	*now = (struct share){.row = NO_ROW};
}

static struct shares shares_of(const struct summing_up *u, struct arena *scratch)
{
	struct shares s = {.share = arena_array(scratch, u->l->n_gaps, sizeof *s.share)};
	struct share now = {.row = NO_ROW};
	for (size_t i = 0; i < u->list->n; i++) {
		const struct blamed *x = &u->list->piece[i];
		if (x->gap != now.gap)
			end_gap(&s, &now);
		now.gap = x->gap;
		if (!blame_is_hosts((enum blame_kind)x->kind))
			continue;
		s.of[x->kind].ns += x->ns;
		now.ns += x->ns;
		now.window_ns += x->window_ns;
		if (x->ns > s.of[x->kind].longest.ns)
			s.of[x->kind].longest = *x;
	}
	end_gap(&s, &now);
	return s;
}

static int64_t silence_from(const struct shares *s)
{
	int64_t *ns = xcalloc(s->n, sizeof *ns), least = SILENCE_NS;
	for (size_t i = 0; i < s->n; i++)
		ns[i] = s->share[i].ns;
	if (s->n >= SILENCE_GAPS) {
		int64_t median = stats_nth(ns, s->n, s->n / 2);
		median = min64(median, usual_costs[USUAL_BEAT].high_ns);
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

static bool has_no_name(const struct summing_up *u, uint32_t row)
{
	return row == NO_ROW || u->a->class[row] == CLASS_STEP || host_hands_over(u->kinds, row);
}

static struct silence silence_of(const struct summing_up *u, struct alike *names,
	const struct places *places, const struct share *s)
{
	const struct idle_gap *g = &u->l->gaps[s->gap];
	const struct trace *t = u->a->trace;
	uint32_t row = g->waited;
	if (has_no_name(u, row) || host_kind(u->kinds, row) != s->kind)
		row = s->row;
	if (has_no_name(u, row))
		row = NO_ROW;
	return (struct silence){.kind = s->kind,
		.name = row == NO_ROW ? 0 : alike(names, t->name[row]),
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

static void merge_silences(struct blame *out, struct placed *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct silence *s = &x[i].s;
		if (!i || !same_cause(&x[i], &x[i - 1])) {
			out->silences[out->n_silences++] = *s;
			continue;
		}
		struct silence *to = &out->silences[out->n_silences - 1];
		to->n++;
		to->ns += s->ns;
		to->window_ns += s->window_ns;
	}
	qsort(out->silences, out->n_silences, sizeof *out->silences, by_length);
}

/* What is usual of the longest: those are shown. */
static void tell_usual(const struct summing_up *u, struct arena *scratch)
{
	enum { MOST = 10 };
	struct usual_calls *usual = usual_calls_of(scratch, u->a);
	for (uint32_t i = 0; i < u->out->n_silences && i < MOST; i++) {
		struct silence *s = &u->out->silences[i];
		bool call = s->kind == BLAME_OPERATOR || s->kind == BLAME_LAUNCH;
		if (call && s->row != NO_ROW)
			s->usual_ns = usual_own_ns(usual, s->row);
	}
}

static name_id place_name(const struct trace *t, const struct silence *s, uint32_t row)
{
	return s->name || s->kind == BLAME_THREAD || row == NO_ROW ? 0 : t->name[row];
}

void blame_sum_silences(const struct summing_up *u)
{
	struct blame *out = u->out;
	struct arena scratch = {0};
	const struct trace *t = u->a->trace;
	struct shares s = shares_of(u, &scratch);
	struct alike names = {.t = t, .of = arena_array(&scratch, t->names.n, sizeof *names.of)};
	struct places places = places_of(u->a, &scratch);
	int64_t least = silence_from(&s);
	struct placed *x = arena_array(&scratch, s.n, sizeof *x);
	size_t n = 0;
	names_init(&names.keys);
	out->silent = spans_with_room(u->arena, s.n);
	for (size_t i = 0; i < s.n; i++) {
		const struct share *one = &s.share[i];
		const struct idle_gap *g = &u->l->gaps[one->gap];
		if (one->ns < least) {
			out->whole.rhythm_ns += one->ns;
			out->window.rhythm_ns += one->window_ns;
			out->whole.launches++;
			out->window.launches += one->window_ns > 0;
			continue;
		}
		out->whole.silence_ns += one->ns;
		out->window.silence_ns += one->window_ns;
		struct silence made = silence_of(u, &names, &places, one);
		x[n++] = (struct placed){
			made, place_name(t, &made, made.after), place_name(t, &made, made.before)};
		spans_add(&out->silent, g->start_ns, g->start_ns + g->dur_ns);
	}
	qsort(x, n, sizeof *x, by_cause);
	out->silences = arena_array(u->arena, n, sizeof *out->silences);
	merge_silences(out, x, n);
	tell_usual(u, &scratch);
	names_release(&names.keys);
	free(names.first);
	arena_release(&scratch);
}
