/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/kernel_changes.h"

#include "base/enum_names.h"
#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/compare/host_pace.h"
#include "report/name/classify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

NAMES(fate_name, enum fate, "same", "changed", "fused", "split", "gone", "new");

/* ---- pairing ---- */

static const struct pass {
	int by;
	enum fate fate;
} passes[] = {
	{BY_ALL, FATE_SAME},
	{BY_NAME | BY_SHAPE, FATE_SAME},
	{BY_NAME | BY_OPERATOR, FATE_CHANGED},
	{BY_NAME, FATE_CHANGED},
	{BY_OPERATOR, FATE_CHANGED},
};

/* The first that is like it and not paired. */
static struct kernel_piece *partner(
	struct pieces *in, struct piece_place *place, const struct kernel_piece *of, int by)
{
	struct piece_place *first = first_place(place, in->n, piece_key(of, by));
	if (!first)
		return NULL;
	size_t at = (size_t)(first - place) + first->next;
	for (; at < in->n && place[at].key == first->key; at++, first->next++) {
		struct kernel_piece *one = &in->piece[place[at].piece];
		if (!one->paired && pieces_alike(one, of, by))
			return one;
	}
	return NULL;
}

struct work {
	struct arena *arena;
	struct kernel_side *side[2];
	const struct kernel_judging *by;
	struct compared_kernel *kernel;
	size_t n;
};

/* One call, in nanoseconds: of each place among the calls of a step the shortest of all steps,
 * since what a machine does beside only ever makes a call longer; the mean of the places. Calls of
 * one piece may differ in their work: the shortest of all would tell of the smallest alone. */
static int64_t typical_call(const struct pieces *p, const struct kernel_piece *one)
{
	const int64_t *ns = p->a->trace->dur_ns;
	size_t whole = p->steps > 1 && one->n % p->steps == 0 ? one->n / p->steps : 1;
	size_t places = whole ? whole : 1;
	int64_t sum = 0;
	for (size_t place = 0; place < places; place++) {
		int64_t least = INT64_MAX;
		for (size_t i = place; i < one->n; i += places)
			least = min64(ns[one->row[i]], least);
		sum += least;
	}
	return sum / (int64_t)places;
}

/* What is judged of a piece: its calls, or a typical call of each recording that has it; in turn 0
 * stands for a recording that has not. */
static int64_t *samples_of(
	const struct kernel_side *s, const struct kernel_piece *one, bool in_turn, size_t *n)
{
	*n = 0;
	if (s->n == 1 && !in_turn) {
		int64_t *calls = xcalloc(one->n + 1, sizeof *calls);
		for (; *n < one->n; (*n)++)
			calls[*n] = s->recording[0].a->trace->dur_ns[one->row[*n]];
		return calls;
	}
	int64_t *typical = xcalloc((size_t)s->n + 1, sizeof *typical);
	for (int r = 0; r < s->n; r++) {
		const struct pieces *p = &s->recording[r];
		const struct piece_place *its = first_place(p->place, p->n, piece_key(one, BY_ALL));
		if (its)
			typical[(*n)++] = typical_call(p, &p->piece[its->piece]);
		else if (in_turn)
			typical[(*n)++] = 0;
	}
	return typical;
}

static void judge_time(struct work *w, struct compared_kernel *k, const struct kernel_piece *before,
	const struct kernel_piece *after)
{
	size_t n, m;
	bool in_turn = w->by->in_turn, single = w->side[0]->n == 1 || w->side[1]->n == 1;
	int64_t *b = samples_of(w->side[0], before, in_turn, &n);
	int64_t *a = samples_of(w->side[1], after, in_turn, &m);
	static const double none[1] = {0};
	const double *levels = single && !w->by->single ? none : w->by->levels;
	k->time = in_turn ? ratio_in_turn(b, a, n, levels) : ratio_of(b, n, a, m, levels);
	k->time.change = ratio_change(&k->time, w->by->least);
	free(b);
	free(a);
}

static void add_kernel(
	struct work *w, struct kernel_piece *before, struct kernel_piece *after, enum fate fate)
{
	struct compared_kernel *k = &w->kernel[w->n++];
	const struct pieces *side[2] = {
		&w->side[0]->recording[w->side[0]->main], &w->side[1]->recording[w->side[1]->main]};
	const struct names *names[2] = {&side[0]->a->trace->names, &side[1]->a->trace->names};
	*k = (struct compared_kernel){.fate = fate, .time = {.change = CHANGE_INCONCLUSIVE}};
	for (int i = 0; i < 2; i++) { /* after's names stand where both have one */
		const struct kernel_piece *one = i ? after : before;
		if (one) {
			k->name = names_text(names[i], one->name);
			k->op = one->op ? names_text(names[i], one->op) : "";
		}
	}
	if (before) {
		k->calls_before = (double)before->n / side[0]->steps;
		k->before_ns = before->total_ns / side[0]->steps;
	}
	if (after) {
		k->calls_after = (double)after->n / side[1]->steps;
		k->after_ns = after->total_ns / side[1]->steps;
	}
	bool differs = fate != FATE_SAME;
	if (before && after) {
		const char *was = names_text(names[0], before->name);
		k->was = strcmp(was, k->name) != 0 ? was : NULL;
		judge_time(w, k, before, after);
		if (w->side[0]->n > 1 && k->time.before_ns > 0)
			k->before_ns = llround(k->calls_before * (double)k->time.before_ns);
		if (w->side[1]->n > 1 && k->time.after_ns > 0)
			k->after_ns = llround(k->calls_after * (double)k->time.after_ns);
		differs |= k->time.change == CHANGE_FASTER || k->time.change == CHANGE_SLOWER;
	}
	for (int i = 0; i < 2; i++)
		if (i ? after : before)
			(i ? after : before)->differs = differs;
}

/* ---- fused and split ---- */

/* Where a kernel comes from. */
enum origin { ORIGIN_OPERATOR, ORIGIN_OUTERMOST, ORIGIN_RANGE, ORIGIN_ORDER, ORIGINS };

/* A hash of it; 0: none. A deeper launch than anybody writes is not asked for more. */
static uint64_t origin_of(const struct trace *t, const struct kernel_piece *one, enum origin by)
{
	enum { MOST_DEPTH = 256 };
	uint32_t at = analysis_launch_of(t, one->first);
	name_id found = 0;
	if (by == ORIGIN_OPERATOR)
		return one->op_hash;
	for (int depth = 0; at != NO_ROW && depth < MOST_DEPTH; depth++, at = t->parent[at]) {
		const char *name = names_text(&t->names, t->name[at]);
		if (by == ORIGIN_OUTERMOST && t->kind[at] == EVENT_OP)
			found = t->name[at];
		if (by == ORIGIN_RANGE && !found && t->kind[at] == EVENT_ANNOTATION &&
			profiler_step_number(name) < 0)
			found = t->name[at];
	}
	return found ? hash_of_text(names_text(&t->names, found)) : 0;
}

/* What is left of a side, with where it comes from. */
struct left {
	uint64_t key;
	int side;
	struct kernel_piece *piece;
};

ORDER(by_origin, struct left, UP(key) ?: UP(side) ?: UP(piece->first));

/* One of a side stands for (n) of the other. */
static void add_fused(struct work *w, const struct left *one, const struct left *part, size_t n)
{
	struct pieces *const side[2] = {
		&w->side[0]->recording[w->side[0]->main], &w->side[1]->recording[w->side[1]->main]};
	const struct pieces *its = side[part->side];
	add_kernel(w, one->side ? NULL : one->piece, one->side ? one->piece : NULL,
		one->side ? FATE_FUSED : FATE_SPLIT);
	struct compared_kernel *k = &w->kernel[w->n - 1];
	double *calls = one->side ? &k->calls_before : &k->calls_after;
	int64_t *ns = one->side ? &k->before_ns : &k->after_ns;
	k->part = arena_array(w->arena, n, sizeof *k->part);
	one->piece->paired = true;
	for (size_t i = 0; i < n; i++) {
		part[i].piece->paired = part[i].piece->differs = true;
		k->part[k->n_parts++] = names_text(&its->a->trace->names, part[i].piece->name);
		*calls += (double)part[i].piece->n / its->steps;
		*ns += part[i].piece->total_ns / its->steps;
	}
}

/* Each of the (n) parts is called as often as the one, or more often. */
static bool called_alike(
	const struct work *w, const struct left *one, const struct left *part, size_t n)
{
	size_t steps[2];
	for (int i = 0; i < 2; i++)
		steps[i] = w->side[i]->recording[w->side[i]->main].steps;
	for (size_t i = 0; i < n; i++)
		if (part[i].piece->n * steps[one->side] < one->piece->n * steps[part[i].side])
			return false;
	return true;
}

/* An operator that the other side has not. */
static bool is_new_operator(
	struct piece_place *const *place, struct pieces *const *side, const struct left *one)
{
	int other = !one->side;
	return one->piece->op &&
		!first_place(place[other], side[other]->n, piece_key(one->piece, BY_OPERATOR));
}

static void fuse_by(struct work *w, enum origin by)
{
	enum { MOST_PARTS = 16 };
	struct pieces *side[2] = {
		&w->side[0]->recording[w->side[0]->main], &w->side[1]->recording[w->side[1]->main]};
	struct left *left = xcalloc(side[0]->n + side[1]->n + 1, sizeof *left);
	struct piece_place *place[2];
	size_t n = 0;
	for (int s = 0; s < 2; s++) {
		size_t behind = 0;
		place[s] = by == ORIGIN_ORDER ? places_of(w->arena, side[s], BY_OPERATOR) : NULL;
		for (size_t i = 0; i < side[s]->n; i++) {
			struct kernel_piece *one = &side[s]->piece[i];
			behind = one->pair ? one->pair : behind;
			bool asked =
				!one->paired && (by != ORIGIN_ORDER || one->n >= side[s]->steps);
			uint64_t key = !asked	     ? 0
				: by == ORIGIN_ORDER ? behind + 1
						     : origin_of(side[s]->a->trace, one, by);
			if (key)
				left[n++] = (struct left){key, s, one};
		}
	}
	qsort(left, n, sizeof *left, by_origin);
	for (size_t i = 0, end; i < n; i = end) {
		size_t before = 0;
		for (end = i; end < n && left[end].key == left[i].key; end++)
			before += !left[end].side;
		size_t after = end - i - before, parts = max_size(before, after);
		bool fused = after == 1, right = (before == 1) != fused && before && after;
		const struct left *one = fused ? &left[i + before] : &left[i];
		const struct left *part = fused ? &left[i] : &left[i + before];
		if (right && parts <= MOST_PARTS && called_alike(w, one, part, parts) &&
			(by != ORIGIN_ORDER || is_new_operator(place, side, one)))
			add_fused(w, one, part, parts);
	}
	free(left);
}

static void pair_all(struct work *w)
{
	struct pieces *before = &w->side[0]->recording[w->side[0]->main],
		      *after = &w->side[1]->recording[w->side[1]->main];
	for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
		for (int by = 0; passes[i].by == BY_OPERATOR && by < ORIGINS; by++)
			fuse_by(w, (enum origin)by);
		struct piece_place *place = places_of(w->arena, before, passes[i].by);
		for (size_t k = 0; k < after->n; k++) {
			struct kernel_piece *now = &after->piece[k];
			struct kernel_piece *was =
				now->paired ? NULL : partner(before, place, now, passes[i].by);
			if (!was)
				continue;
			was->paired = now->paired = true;
			add_kernel(w, was, now, passes[i].fate);
			was->pair = now->pair = w->n;
		}
	}
	for (size_t i = 0; i < before->n; i++)
		if (!before->piece[i].paired)
			add_kernel(w, &before->piece[i], NULL, FATE_GONE);
	for (size_t i = 0; i < after->n; i++)
		if (!after->piece[i].paired)
			add_kernel(w, NULL, &after->piece[i], FATE_NEW);
}

static int64_t distance(const struct compared_kernel *k)
{
	return k->after_ns > k->before_ns ? k->after_ns - k->before_ns : k->before_ns - k->after_ns;
}

static int by_distance(const void *a, const void *b)
{
	const struct compared_kernel *x = a, *y = b;
	int64_t dx = distance(x), dy = distance(y);
	if (dx != dy)
		return dx < dy ? 1 : -1;
	if (x->before_ns != y->before_ns)
		return x->before_ns < y->before_ns ? 1 : -1;
	int name = strcmp(x->name, y->name);
	return name ? name : strcmp(x->op, y->op);
}

/* What the kernels of both sides share that are the same and called as often: the device's clock.
 */
static struct pace pace_of_kernels(const struct work *w)
{
	double *ratio = xcalloc(w->n + 1, sizeof *ratio);
	size_t n = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct compared_kernel *k = &w->kernel[i];
		if (k->fate == FATE_SAME && k->time.ratio > 0 && k->calls_before == k->calls_after)
			ratio[n++] = k->time.ratio;
	}
	struct pace p = pace_of_ratios(ratio, n);
	free(ratio);
	return p;
}

/* Of single recordings: a kernel that is slower by no more than all others is the device's. */
static void judge_at_pace(struct work *w)
{
	struct pace p = pace_of_kernels(w);
	for (size_t i = 0; i < w->n; i++)
		if (pace_explains(&p, p.middle, &w->kernel[i].time, w->by->least))
			w->kernel[i].time.change = CHANGE_INCONCLUSIVE;
}

struct compared_kernel *compare_kernels(struct arena *arena, struct kernel_side *before,
	struct kernel_side *after, const struct kernel_judging *by, size_t *n)
{
	size_t most = before->recording[before->main].n + after->recording[after->main].n;
	struct work w = {.arena = arena,
		.side = {before, after},
		.by = by,
		.kernel = arena_array(arena, most + 1, sizeof *w.kernel)};
	pair_all(&w);
	if (before->n == 1 && after->n == 1)
		judge_at_pace(&w);
	qsort(w.kernel, w.n, sizeof *w.kernel, by_distance);
	*n = w.n;
	return w.kernel;
}

const char *unsteady_kernel(const struct kernel_side *s)
{
	static const int PART = 20; /* of the time, the least that counts */
	const struct pieces *main = &s->recording[s->main];
	int64_t all = 0;
	for (size_t i = 0; i < main->n; i++)
		all += main->piece[i].total_ns;
	for (size_t i = 0; i < main->n; i++) {
		const struct kernel_piece *one = &main->piece[i];
		bool everywhere = true;
		for (int r = 0; r < s->n && one->total_ns >= all / PART; r++) {
			const struct pieces *p = &s->recording[r];
			everywhere =
				everywhere && first_place(p->place, p->n, piece_key(one, BY_ALL));
		}
		if (!everywhere)
			return names_text(&main->a->trace->names, one->name);
	}
	return NULL;
}
