/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/blame.h"

#include "base/json_out.h"
#include "base/min_max.h"
#include "report/analyse/account.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/blame_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

NAMES(blame_name, enum blame_kind, BLAME_LIST(KIND_NAME));

struct blaming {
	const struct analysis *a;
	const struct trace *t;
	const struct idle_causes *l;
	const struct breakdown *p;
	const struct time_parts *w; /* the window */
	struct host_kinds *kinds;
	struct spans *working; /* (n_tracks) when a thread is in an operator or a call; NULL: not
				  asked yet */
	struct arena *arena;
	uint32_t *last; /* (n_tracks) the host's row that began last, NO_ROW */
	size_t row; /* the first that begins behind `last` */
	size_t near; /* where it was looked last in kinds->captures */
	struct host_tape own, other;
	struct blame_sums *sums;
	struct blamed piece; /* the last, not summed yet; ns 0: none */
	uint32_t gap; /* the one at hand */
	bool ends; /* no launch comes behind it */
};

static int64_t inside(const struct time_parts *w, struct time_span at)
{
	int64_t from = max64(at.start_ns, w->start_ns);
	int64_t to = min64(at.end_ns, w->end_ns);
	return to > from ? to - from : 0;
}

static void sum_piece(struct blaming *b)
{
	if (b->piece.ns)
		blame_sums_add(b->sums, &b->piece);
	b->piece.ns = 0;
}

static inline void blame(struct blaming *b, enum blame_kind kind, uint32_t row, struct time_span at)
{
	struct blamed *last = &b->piece;
	int64_t ns = at.end_ns - at.start_ns, window_ns = inside(b->w, at);
	if (ns <= 0)
		return;
	if (last->ns && last->gap == b->gap && last->row == row && last->kind == kind) {
		last->ns += ns;
		last->window_ns += window_ns;
		return;
	}
	sum_piece(b);
	*last = (struct blamed){b->gap, row, (uint8_t)kind, at.start_ns, ns, window_ns};
}

/* ---- what the threads did ---- */

static void play(struct blaming *b, struct host_tape *tape, uint32_t track, struct time_span at)
{
	const struct thread_window w = {track, at, b->last[track], b->row};
	account_tape(b->t, &w, tape);
}

/* The rows that begin before a time are behind us. */
static void pass(struct blaming *b, int64_t time_ns)
{
	const struct trace *t = b->t;
	for (; b->row < t->n && t->start_ns[b->row] < time_ns; b->row++)
		if (event_on_host(t->kind[b->row]))
			b->last[t->track[b->row]] = (uint32_t)b->row;
}

/* host_what() of a row, or of none. */
static inline uint8_t what_of(const struct blaming *b, uint32_t row)
{
	if (row != NO_ROW)
		return host_what(b->kinds, row);
	return (uint8_t)((1 + (b->ends ? BLAME_BEYOND : BLAME_NOTHING)) | HOST_IDLE);
}

/* The thread that works most in a gap, but one; NO_ROW. */
static uint32_t other_thread(struct blaming *b, uint32_t but, struct time_span at)
{
	if (!b->working)
		b->working = account_working(b->arena, b->a);
	uint32_t best = NO_ROW;
	int64_t most = (at.end_ns - at.start_ns) / 4;
	for (uint32_t i = 0; i < b->t->n_tracks; i++) {
		if (i == but || !b->working[i].n)
			continue;
		int64_t ns = spans_covered(&b->working[i], at.start_ns, at.end_ns);
		best = ns > most ? i : best;
		most = max64(ns, most);
	}
	return best;
}

/* A row that does what what_of() says. */
static inline void blame_row(struct blaming *b, uint32_t row, uint8_t what, struct time_span at)
{
	enum blame_kind kind = (enum blame_kind)((what & ~HOST_IDLE) - 1);
	bool captured = b->kinds->captures.n &&
		2 * spans_covered_near(&b->kinds->captures, at.start_ns, at.end_ns, &b->near) >
			at.end_ns - at.start_ns;
	blame(b, captured ? BLAME_COMPILER : kind, row, at);
}

/* What another thread had of a piece in which the own one was in nothing. */
static void blame_other(struct blaming *b, const struct host_piece *own, size_t *next)
{
	const struct host_tape *x = &b->other;
	struct time_span at = own->at;
	while (*next < x->n && x->piece[*next].at.end_ns <= at.start_ns)
		++*next;
	for (size_t i = *next; i < x->n && x->piece[i].at.start_ns < at.end_ns; i++) {
		struct time_span its = x->piece[i].at;
		its.start_ns = max64(its.start_ns, at.start_ns);
		its.end_ns = min64(its.end_ns, at.end_ns);
		uint8_t what = what_of(b, x->piece[i].row);
		if (what & HOST_IDLE)
			blame_row(b, own->row, own->what, its);
		else
			blame_row(b, x->piece[i].row, what, its);
	}
}

static void blame_threads(struct blaming *b, uint32_t track, struct time_span at)
{
	uint32_t other = NO_ROW;
	int64_t idle = 0;
	play(b, &b->own, track, at);
	for (size_t i = 0; i < b->own.n; i++) {
		struct host_piece *x = &b->own.piece[i];
		x->what = what_of(b, x->row);
		if (x->what & HOST_IDLE)
			idle += x->at.end_ns - x->at.start_ns;
	}
	if (2 * idle >= at.end_ns - at.start_ns)
		other = other_thread(b, track, at);
	if (other != NO_ROW)
		play(b, &b->other, other, at);
	size_t next = 0;
	for (size_t i = 0; i < b->own.n; i++) {
		const struct host_piece *x = &b->own.piece[i];
		if (other != NO_ROW && x->what & HOST_IDLE)
			blame_other(b, x, &next);
		else
			blame_row(b, x->row, x->what, x->at);
	}
}

/* ---- gaps ---- */

/* Nothing more is launched: what does the thread that launched last do? */
static void blame_end(struct blaming *b, struct time_span at)
{
	const struct analysis *a = b->a;
	uint32_t last = NO_ROW;
	for (size_t i = a->n_calls; i-- > 0 && last == NO_ROW;)
		if (b->t->launch[a->calls[i]] != NO_ROW)
			last = a->calls[i];
	uint32_t track = last == NO_ROW ? a->main_track : b->t->track[last];
	if (track == NO_ROW) {
		blame(b, BLAME_BEYOND, NO_ROW, at);
		return;
	}
	b->ends = true;
	pass(b, at.start_ns);
	blame_threads(b, track, at);
	b->ends = false;
}

static void blame_stretch(struct blaming *b, const struct stretch *s, uint32_t launch)
{
	struct time_span at = {s->start_ns, s->end_ns}, rest = at;
	switch ((enum time_part)s->part) {
	case TIME_INPUT:
		blame(b, BLAME_INPUT, s->row, at);
		return;
	case TIME_SYNC:
		blame(b, BLAME_WAIT, s->row, at);
		return;
	case TIME_PROFILER:
		blame(b, BLAME_PROFILER, s->row, at);
		return;
	case TIME_AFTER:
		blame_end(b, at);
		return;
	case TIME_LAUNCHING:
	case TIME_STALL:
		break;
	default:
		blame(b, BLAME_BEYOND, NO_ROW, at);
		return;
	}
	if (s->launch_gap || launch == NO_ROW) {
		blame(b, BLAME_QUEUE, NO_ROW, at);
		return;
	}
	int64_t called = row_end(b->t, launch);
	called = max64(called, at.start_ns);
	at.end_ns = rest.start_ns = min64(called, at.end_ns);
	pass(b, at.start_ns);
	if (at.end_ns > at.start_ns)
		blame_threads(b, b->t->track[launch], at);
	blame(b, BLAME_QUEUE, NO_ROW, rest);
}

static void blame_gaps(struct blaming *b)
{
	const struct breakdown *p = b->p;
	size_t i = 0;
	for (uint32_t g = 0; g < b->l->n_gaps; g++) {
		int64_t end = b->a->idle.at[g].end_ns;
		b->gap = g;
		for (; i < p->n_idle && p->idle[i].start_ns < end; i++)
			blame_stretch(b, &p->idle[i], b->l->why[g].launch);
	}
	sum_piece(b);
}

/* ---- all of it ---- */

static void blame_all(struct blaming *b, struct arena *scratch, bool lock)
{
	b->sums = blame_sums_begin(scratch, b->a, b->l, b->kinds, lock);
	memset(b->last, 0xff, b->t->n_tracks * sizeof *b->last);
	b->row = 0;
	blame_gaps(b);
}

struct blame blame_of(struct arena *arena, const struct analysis *a, const struct idle_causes *l,
	const struct breakdown *p)
{
	struct blame out = {0};
	struct arena scratch = {0};
	if (!p->n_idle)
		return out;
	struct host_kinds kinds = host_kinds_of(&scratch, a);
	struct blaming b = {.a = a,
		.t = a->trace,
		.l = l,
		.p = p,
		.w = breakdown_window(p),
		.kinds = &kinds,
		.arena = arena,
		.last = arena_array(&scratch, a->trace->n_tracks, sizeof *b.last)};
	blame_all(&b, &scratch, false);
	if (blame_sums_tell_lock(b.sums)) {
		blame_sums_drop(b.sums);
		blame_all(&b, &scratch, true);
	}
	blame_sums_end(b.sums, arena, &out);
	out.working = b.working;
	free(b.own.piece);
	free(b.other.piece);
	arena_release(&scratch);
	return out;
}

const struct blame_cause *blame_largest(const struct blame *b, enum blame_kind kind)
{
	const struct blame_cause *largest = NULL;
	for (uint32_t i = 0; i < b->n_causes; i++)
		if (b->causes[i].kind == kind &&
			(!largest || b->causes[i].window_ns > largest->window_ns))
			largest = &b->causes[i];
	return largest;
}

static void dump_sum(const char *what, const struct blame_sum *s, FILE *f)
{
	fprintf(f, "  %s: silence %" PRId64 " ns, rhythm %" PRId64 " in %zu;", what, s->silence_ns,
		s->rhythm_ns, s->launches);
	for (int i = 0; i < BLAMES; i++)
		if (s->ns[i])
			fprintf(f, " %s %" PRId64, blame_name((enum blame_kind)i), s->ns[i]);
	fputc('\n', f);
}

void blame_dump(const struct blame *b, const struct trace *t, FILE *f)
{
	enum { MOST = 10 };
	fprintf(f, "blame: %" PRIu32 " causes of silence\n", b->n_silences);
	dump_sum("whole", &b->whole, f);
	dump_sum("window", &b->window, f);
	for (uint32_t i = 0; i < b->n_silences && i < MOST; i++) {
		const struct silence *s = &b->silences[i];
		fprintf(f,
			"  silence %s %" PRId64 " ns in %" PRIu32 ", longest %" PRId64
			", in the window %" PRId64 " ",
			blame_name((enum blame_kind)s->kind), s->ns, s->n, s->longest_ns,
			s->window_ns);
		json_escape(f, names_text(&t->names, s->name));
		fprintf(f, " usually %" PRId64 " after ", s->usual_ns);
		json_escape(f, s->after == NO_ROW ? "" : names_text(&t->names, t->name[s->after]));
		fprintf(f, " before ");
		json_escape(
			f, s->before == NO_ROW ? "" : names_text(&t->names, t->name[s->before]));
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < b->n_causes && i < MOST; i++) {
		const struct blame_cause *c = &b->causes[i];
		fprintf(f, "  cause %s %" PRId64 " in %" PRIu32 ", in the window %" PRId64 " ",
			blame_name((enum blame_kind)c->kind), c->ns, c->n, c->window_ns);
		json_escape(f, names_text(&t->names, c->name));
		fputc('\n', f);
	}
}
