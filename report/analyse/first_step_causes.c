/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strcasestr */
#include "report/analyse/first_step_causes.h"

#include "base/binary_search.h"
#include "base/enum_names.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/blame_kinds.h"

#include <stdlib.h>
#include <string.h>

NAMES(cold_cause_name, enum cold_cause, "loading", "handles", "memory", "touch", "compiling",
	"threads", "attributes", "recorder", "setup", "choosing", "queries", "first_launch",
	"launch", "wait", "call", "operators", "unexplained");

/* ---- from a name to a cause; first match wins ---- */

static const struct {
	const char *part;
	enum cold_cause cause;
} rules[] = {
	/* the recorder's own rows, by CUPTI's kinds of overhead */
	{"Activity Buffer Request", COLD_RECORDER},
	{"Buffer Flush", COLD_RECORDER},
	{"Instrumentation", COLD_RECORDER},
	{"Driver Compiler", COLD_COMPILING},
	{"Module Loading", COLD_LOADING},
	{"Function Loading", COLD_LOADING},
	/* the host device and the experiments */
	{"first touch", COLD_TOUCH},
	{"(JIT)", COLD_COMPILING},
	{"compile", COLD_COMPILING},
	{"make kernels", COLD_COMPILING},
	{"capture graph", COLD_COMPILING},
	{"engine creation", COLD_HANDLES},
	{"allocate ", COLD_MEMORY},
	{"CUDA graph", COLD_COMPILING},
	{"GEMM kernel", COLD_CHOOSING},
	{" handle", COLD_HANDLES},
	{" workspace", COLD_MEMORY},
	{"open ", COLD_LOADING},
	{"thread", COLD_THREADS},
	{"team start", COLD_THREADS},
	{"look for ", COLD_LOADING},
	{"load ", COLD_LOADING},
	/* CUDA's and HIP's calls */
	{"ModuleLoad", COLD_LOADING},
	{"LibraryLoad", COLD_LOADING},
	{"ModuleGet", COLD_LOADING},
	{"LibraryGet", COLD_LOADING},
	{"GetProcAddress", COLD_LOADING},
	{"Malloc", COLD_MEMORY},
	{"HostAlloc", COLD_MEMORY},
	{"MemAlloc", COLD_MEMORY},
	{"MemCreate", COLD_MEMORY},
	{"MemMap", COLD_MEMORY},
	{"HostRegister", COLD_MEMORY},
	{"cudaFree", COLD_MEMORY},
	{"MemFree", COLD_MEMORY},
	{"FuncSetAttribute", COLD_ATTRIBUTES},
	{"FuncGetAttribute", COLD_ATTRIBUTES},
	{"KernelSetAttribute", COLD_ATTRIBUTES},
	{"KernelGetAttribute", COLD_ATTRIBUTES},
	{"CtxCreate", COLD_HANDLES},
	{"PrimaryCtx", COLD_HANDLES},
	{"StreamCreate", COLD_HANDLES},
	{"EventCreate", COLD_HANDLES},
	{"blasCreate", COLD_HANDLES},
	{"blasLtCreate", COLD_HANDLES},
};

/* COLD_CAUSES when the name says nothing. */
static enum cold_cause cause_of_name(const char *name)
{
	static const char *const compiler_stages[] = {"record", "fuse", "plan"};
	for (size_t i = 0; i < sizeof compiler_stages / sizeof *compiler_stages; i++)
		if (!strcmp(name, compiler_stages[i]))
			return COLD_COMPILING;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strcasestr(name, rules[i].part))
			return rules[i].cause;
	return COLD_CAUSES;
}

/* `known`: (names) 1 + what a name says, 0: not asked yet. */
static enum cold_cause named_cause(
	const struct trace *t, uint8_t *known, uint32_t row, enum cold_cause unnamed)
{
	uint8_t *of = &known[t->name[row]];
	if (!*of)
		*of = (uint8_t)(1 + cause_of_name(names_text(&t->names, t->name[row])));
	return *of == 1 + COLD_CAUSES ? unnamed : (enum cold_cause)(*of - 1);
}

/* A row's cause, by its class and name; launches are told apart below. */
static enum cold_cause cause_of_row(const struct analysis *an, uint8_t *known, uint32_t row)
{
	switch (an->class[row]) {
	case CLASS_SETUP:
		return named_cause(an->trace, known, row, COLD_SETUP);
	case CLASS_CALL:
		return named_cause(an->trace, known, row, COLD_CALL);
	case CLASS_QUERY:
		return COLD_QUERIES;
	case CLASS_LAUNCH:
	case CLASS_COPY_CALL:
		return COLD_LAUNCH;
	case CLASS_SYNC:
		return COLD_WAIT;
	case CLASS_STEP:
	case CLASS_ANNOTATION:
		return COLD_UNEXPLAINED;
	default:
		return COLD_OPERATORS;
	}
}

/* What is around a row says more than that it is an operator or a call: the compiler, an import. */
static enum cold_cause cause_around(struct host_kinds *k, uint32_t row, enum cold_cause cause)
{
	if (cause != COLD_OPERATORS && cause != COLD_CALL)
		return cause;
	if (!event_on_host(k->a->trace->kind[row]))
		return cause;
	enum blame_kind kind = host_kind(k, row);
	return kind == BLAME_COMPILER	? COLD_COMPILING
		: kind == BLAME_LOADING ? COLD_LOADING
					: cause;
}

/* ---- pieces: who is innermost when ---- */

struct piece {
	int64_t from_ns, to_ns;
	uint32_t row; /* NO_ROW: nobody */
};

struct pieces {
	struct piece *piece; /* (n) one after the other */
	uint32_t n;
	uint32_t *open; /* (depth) rows, the innermost last */
	uint32_t depth;
	int64_t at_ns;
};

static void add_piece(struct pieces *p, int64_t to_ns)
{
	uint32_t row = p->depth ? p->open[p->depth - 1] : NO_ROW;
	if (to_ns <= p->at_ns)
		return;
	if (p->n && p->piece[p->n - 1].row == row)
		p->piece[p->n - 1].to_ns = to_ns;
	else
		p->piece[p->n++] = (struct piece){p->at_ns, to_ns, row};
	p->at_ns = to_ns;
}

static void advance(struct pieces *p, const struct trace *t, int64_t to_ns)
{
	for (; p->depth; p->depth--) {
		uint32_t top = p->open[p->depth - 1];
		int64_t end = t->start_ns[top] + t->dur_ns[top];
		if (end > to_ns)
			break;
		add_piece(p, end);
	}
	add_piece(p, to_ns);
}

/* Rows by start. Each opens and closes once, so there are at most 2 n + 1 pieces. */
static struct pieces pieces_of(
	const struct trace *t, const uint32_t *row, uint32_t n, int64_t from_ns, int64_t to_ns)
{
	struct pieces p = {.piece = xcalloc(2 * (size_t)n + 2, sizeof *p.piece),
		.open = xcalloc((size_t)n + 1, sizeof *p.open),
		.at_ns = from_ns};
	for (uint32_t i = 0; i < n; i++) {
		int64_t start = t->start_ns[row[i]];
		advance(&p, t, min64(start, to_ns));
		p.open[p.depth++] = row[i];
	}
	advance(&p, t, to_ns);
	free(p.open);
	return p;
}

/* ---- the rows of a step ---- */

struct step_rows {
	uint32_t first, end; /* of the step's rows in the trace */
	uint32_t *own, n_own; /* of the thread that launches, the step itself first */
	uint32_t *overhead, n_overhead; /* what holds it up */
	uint8_t *cause; /* (end - first) enum cold_cause */
};

/* Does an outer call of the thread hold the whole row? `call` are its calls, by start. */
static bool within_call(
	const struct trace *t, const uint32_t *call, uint32_t n, int64_t start_ns, int64_t end_ns)
{
	uint32_t low = first_where(i, 0, n, t->start_ns[call[i]] > start_ns);
	return low && t->start_ns[call[low - 1]] + t->dur_ns[call[low - 1]] >= end_ns;
}

static void gather_rows(struct step_rows *r, const struct trace *t)
{
	uint32_t *call = xcalloc(r->end - r->first, sizeof *call), n_calls = 0;
	for (uint32_t i = r->first; i < r->end; i++) {
		if (t->track[i] != t->track[r->first] || !event_on_host(t->kind[i]))
			continue;
		r->own[r->n_own++] = i;
		if (is_call(t, i) && !is_call(t, t->parent[i]))
			call[n_calls++] = i;
	}
	for (uint32_t i = r->first; i < r->end; i++) {
		int64_t end = t->start_ns[i] + t->dur_ns[i];
		bool here = t->track[i] == t->track[r->first];
		if (t->kind[i] == EVENT_OVERHEAD &&
			(here || within_call(t, call, n_calls, t->start_ns[i], end)))
			r->overhead[r->n_overhead++] = i;
	}
	free(call);
}

/* Which launches are the first of their kernel in the whole trace; a call inside such a launch is a
 * part of it. */
static void find_first_launches(struct step_rows *r, const struct analysis *an)
{
	const struct trace *t = an->trace;
	bool *launched = xcalloc(t->names.n + 1, sizeof *launched);
	for (uint32_t i = 0; i < r->end; i++) {
		uint32_t parent = t->parent[i], kernel = t->launch[i];
		if (an->class[i] != CLASS_LAUNCH)
			continue;
		if (is_call(t, parent) && parent >= r->first) {
			r->cause[i - r->first] = r->cause[parent - r->first];
			continue;
		}
		for (uint32_t k = i + 1; kernel == NO_ROW && k < r->end && t->parent[k] == i; k++)
			kernel = t->launch[k];
		if (kernel == NO_ROW)
			continue;
		if (i >= r->first && !launched[t->name[kernel]])
			r->cause[i - r->first] = COLD_FIRST_LAUNCH;
		launched[t->name[kernel]] = true;
	}
	free(launched);
}

static struct step_rows rows_of(const struct analysis *an, const struct step *s)
{
	const struct trace *t = an->trace;
	int64_t end = s->start_ns + s->dur_ns;
	struct step_rows r = {.first = s->row, .end = s->row + 1};
	while (r.end < t->n && t->start_ns[r.end] < end)
		r.end++;
	size_t n = r.end - r.first;
	r.own = xcalloc(n, sizeof *r.own);
	r.overhead = xcalloc(n, sizeof *r.overhead);
	r.cause = xcalloc(n, sizeof *r.cause);
	uint8_t *known = xcalloc(t->names.n, 1);
	struct arena arena = {0};
	struct host_kinds kinds = host_kinds_of(&arena, an);
	for (uint32_t i = r.first; i < r.end; i++)
		r.cause[i - r.first] = (uint8_t)cause_around(&kinds, i, cause_of_row(an, known, i));
	arena_release(&arena);
	free(known);
	gather_rows(&r, t);
	find_first_launches(&r, an);
	return r;
}

/* ---- sums ---- */

struct sums {
	struct cold_sum *sum; /* (n) */
	uint32_t n;
	struct cold_stretch *stretch; /* (n_stretches) */
	uint32_t n_stretches;
};

/* What follows in the same cause is one stretch with what was before it. */
static void stretch_on(struct sums *s, enum cold_cause cause, int64_t from_ns, int64_t to_ns)
{
	struct cold_stretch *last = s->n_stretches ? &s->stretch[s->n_stretches - 1] : NULL;
	if (last && last->cause == cause)
		last->to_ns = to_ns;
	else if (to_ns > from_ns)
		s->stretch[s->n_stretches++] = (struct cold_stretch){from_ns, to_ns, cause};
}

static void charge(struct sums *s, enum cold_cause cause, name_id name, bool is_new, int64_t ns)
{
	uint32_t i = 0;
	while (i < s->n && (s->sum[i].cause != cause || s->sum[i].name != name))
		i++;
	if (i == s->n)
		s->sum[s->n++] = (struct cold_sum){.cause = cause, .name = name};
	s->sum[i].ns += ns;
	s->sum[i].spans += is_new;
}

/* The recorder's rows go before the thread's own. */
static void charge_all(struct sums *s, const struct trace *t, const struct step_rows *r,
	const struct pieces *own, const struct pieces *over)
{
	bool *seen = xcalloc(r->end - r->first, sizeof *seen);
	int64_t at = own->n ? own->piece[0].from_ns : 0;
	for (uint32_t i = 0, k = 0; i < own->n && k < over->n;) {
		const struct piece *p = &own->piece[i], *o = &over->piece[k];
		int64_t to = min64(p->to_ns, o->to_ns);
		uint32_t row = o->row == NO_ROW ? p->row : o->row;
		enum cold_cause cause = COLD_UNEXPLAINED;
		if (row != NO_ROW)
			cause = (enum cold_cause)r->cause[row - r->first];
		if (cause == COLD_UNEXPLAINED) {
			charge(s, cause, 0, false, to - at);
		} else {
			charge(s, cause, t->name[row], !seen[row - r->first], to - at);
			seen[row - r->first] = true;
		}
		stretch_on(s, cause, at, to);
		i += p->to_ns == to;
		k += o->to_ns == to;
		at = to;
	}
	free(seen);
}

static struct sums split(struct arena *a, const struct analysis *an, const struct step *s)
{
	const struct trace *t = an->trace;
	int64_t end = s->start_ns + s->dur_ns;
	struct step_rows r = rows_of(an, s);
	struct pieces own = pieces_of(t, r.own, r.n_own, s->start_ns, end);
	struct pieces over = pieces_of(t, r.overhead, r.n_overhead, s->start_ns, end);
	struct sums sums = {
		.sum = arena_array(a, (size_t)r.n_own + r.n_overhead + 1, sizeof *sums.sum),
		.stretch = arena_array(a, (size_t)own.n + over.n + 1, sizeof *sums.stretch)};
	charge_all(&sums, t, &r, &own, &over);
	free(own.piece);
	free(over.piece);
	free(r.own);
	free(r.overhead);
	free(r.cause);
	return sums;
}

ORDER(by_cause, struct cold_sum, UP(cause) ?: DOWN(ns) ?: UP(name));

static int by_length(const void *left, const void *right)
{
	const struct cold_part *a = left, *b = right;
	bool last = a->cause == COLD_UNEXPLAINED;
	if (last || b->cause == COLD_UNEXPLAINED)
		return last ? 1 : -1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

/* Sums to parts; those of what is usual go beside them. */
static void add_parts(struct cold_start *c, struct sums *here, const struct sums *usual)
{
	qsort(here->sum, here->n, sizeof *here->sum, by_cause);
	for (uint32_t i = 0; i < here->n; i++) {
		if (!c->n || c->part[c->n - 1].cause != here->sum[i].cause)
			c->part[c->n++] = (struct cold_part){.cause = here->sum[i].cause};
		struct cold_part *p = &c->part[c->n - 1];
		p->ns += here->sum[i].ns;
		p->spans += p->cause == COLD_UNEXPLAINED ? 0 : here->sum[i].spans;
	}
	for (int k = 0; k < c->n; k++)
		for (uint32_t i = 0; i < usual->n; i++)
			if (usual->sum[i].cause == c->part[k].cause)
				c->part[k].usual_ns += usual->sum[i].ns;
	qsort(c->part, (size_t)c->n, sizeof *c->part, by_length);
	c->sum = here->sum;
	c->n_sums = here->n;
	c->stretch = here->stretch;
	c->n_stretches = here->n_stretches;
}

struct cold_start cold_split(
	struct arena *a, const struct analysis *an, uint32_t step, uint32_t typical)
{
	const struct step *s = &an->steps[step];
	struct sums here = split(a, an, s), usual = split(a, an, &an->steps[typical]);
	struct cold_start c = {.from_ns = s->start_ns,
		.to_ns = s->start_ns + s->dur_ns,
		.usual_ns = an->steps[typical].dur_ns};
	add_parts(&c, &here, &usual);
	for (uint32_t i = 0; i < usual.n; i++)
		if (usual.sum[i].cause == COLD_LAUNCH || usual.sum[i].cause == COLD_FIRST_LAUNCH)
			c.usual_launch_ns += usual.sum[i].ns;
	return c;
}

struct cold_start cold_before(struct arena *a, const struct analysis *an)
{
	const struct trace *t = an->trace;
	const struct step *first = an->n_steps ? &an->steps[0] : NULL;
	uint32_t row = 0;
	while (first && row < first->row && t->track[row] != t->track[first->row])
		row++;
	if (!first || row == first->row)
		return (struct cold_start){0};
	struct step before = {.row = row,
		.start_ns = t->start_ns[row],
		.dur_ns = first->start_ns - t->start_ns[row]};
	struct sums here = split(a, an, &before);
	struct cold_start c = {.from_ns = before.start_ns, .to_ns = first->start_ns};
	add_parts(&c, &here, &(struct sums){0});
	return c;
}

bool cold_is_paid_once(enum cold_cause cause)
{
	return cause != COLD_RECORDER && (cause <= COLD_CHOOSING || cause == COLD_FIRST_LAUNCH);
}
