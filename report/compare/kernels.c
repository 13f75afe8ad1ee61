/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/kernels.h"

#include "report/name/classify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *fate_name(enum fate fate)
{
	static const char *const names[FATES] = {
		"same", "changed", "fused", "split", "gone", "new"};
	return names[fate];
}

/* FNV-1a of a text: the same on every machine. */
static uint64_t hash_of(const char *text)
{
	uint64_t h = 14695981039346656037u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h;
}

/* A device event with what makes it one of a piece. */
struct keyed {
	name_id name, op;
	int32_t shape[6];
	uint32_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	int shape = memcmp(x->shape, y->shape, sizeof x->shape);
	return shape ? shape : (x->row > y->row) - (x->row < y->row);
}

static bool same_key(const struct keyed *x, const struct keyed *y)
{
	return x->name == y->name && x->op == y->op && !memcmp(x->shape, y->shape, sizeof x->shape);
}

static struct keyed key_of(const struct trace *t, uint32_t row)
{
	struct keyed k = {.name = t->name[row], .row = row};
	uint32_t launch = analysis_launch_of(t, row);
	uint32_t op = launch == NO_ROW ? NO_ROW : analysis_op_of(t, launch);
	k.op = op == NO_ROW ? 0 : t->name[op];
	if (t->kind[row] == EVENT_KERNEL && t->side[row] != NO_ROW) {
		const struct kernel *kernel = &t->kernels[t->side[row]];
		memcpy(k.shape, kernel->grid, sizeof kernel->grid);
		memcpy(k.shape + 3, kernel->block, sizeof kernel->block);
	}
	return k;
}

static int by_first(const void *a, const void *b)
{
	const struct kernel_piece *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

static void add_event(struct pieces *p, const struct keyed *k, uint32_t *row, bool first)
{
	const struct trace *t = p->a->trace;
	if (first) {
		struct kernel_piece *one = &p->piece[p->n++];
		*one = (struct kernel_piece){
			.name = k->name, .op = k->op, .first = k->row, .row = row};
		memcpy(one->grid, k->shape, sizeof one->grid);
		memcpy(one->block, k->shape + 3, sizeof one->block);
		one->name_hash = hash_of(names_text(&t->names, k->name));
		one->op_hash = k->op ? hash_of(names_text(&t->names, k->op)) : 0;
	}
	*row = k->row;
	p->piece[p->n - 1].n++;
	p->piece[p->n - 1].total_ns += t->dur_ns[k->row];
}

/* ---- pieces by what makes them alike ---- */

enum { BY_NAME = 1, BY_SHAPE = 2, BY_OPERATOR = 4, BY_ALL = BY_NAME | BY_SHAPE | BY_OPERATOR };

static bool alike(const struct kernel_piece *a, const struct kernel_piece *b, int by)
{
	if ((by & BY_NAME) && a->name_hash != b->name_hash)
		return false;
	if ((by & BY_OPERATOR) && a->op_hash != b->op_hash)
		return false;
	if (by == BY_OPERATOR && !a->op)
		return false;
	return !(by & BY_SHAPE) ||
		(!memcmp(a->grid, b->grid, sizeof a->grid) &&
			!memcmp(a->block, b->block, sizeof a->block));
}

static uint64_t mixed(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

/* Alike pieces have the same one. */
static uint64_t key_by(const struct kernel_piece *p, int by)
{
	uint64_t h = 0;
	if (by & BY_NAME)
		h = mixed(h, p->name_hash);
	if (by & BY_OPERATOR)
		h = mixed(h, p->op_hash);
	for (int i = 0; i < 3 && (by & BY_SHAPE); i++)
		h = mixed(mixed(h, (uint32_t)p->grid[i]), (uint32_t)p->block[i]);
	return h;
}

static int by_place(const void *a, const void *b)
{
	const struct piece_place *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->piece > y->piece) - (x->piece < y->piece);
}

static struct piece_place *places_of(struct arena *arena, const struct pieces *p, int by)
{
	struct piece_place *place = arena_array(arena, p->n + 1, sizeof *place);
	for (size_t i = 0; i < p->n; i++)
		place[i] = (struct piece_place){key_by(&p->piece[i], by), (uint32_t)i, 0};
	qsort(place, p->n, sizeof *place, by_place);
	return place;
}

/* The first place of that key, NULL: there is none. */
static struct piece_place *first_place(struct piece_place *place, size_t n, uint64_t key)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (place[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && place[low].key == key ? &place[low] : NULL;
}

struct pieces pieces_of(struct arena *arena, const struct analysis *a, uint32_t steps)
{
	size_t n = a->n_device, groups = 0;
	struct keyed *key = xcalloc(n + 1, sizeof *key);
	for (size_t i = 0; i < n; i++)
		key[i] = key_of(a->trace, a->device_rows[i]);
	qsort(key, n, sizeof *key, by_key);
	for (size_t i = 0; i < n; i++)
		groups += !i || !same_key(&key[i - 1], &key[i]);
	struct pieces p = {.a = a, .steps = steps ? steps : 1};
	p.piece = arena_array(arena, groups + 1, sizeof *p.piece);
	uint32_t *row = arena_array(arena, n + 1, sizeof *row);
	for (size_t i = 0; i < n; i++)
		add_event(&p, &key[i], &row[i], !i || !same_key(&key[i - 1], &key[i]));
	free(key);
	qsort(p.piece, p.n, sizeof *p.piece, by_first);
	p.place = places_of(arena, &p, BY_ALL);
	return p;
}

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
	struct piece_place *first = first_place(place, in->n, key_by(of, by));
	if (!first)
		return NULL;
	size_t at = (size_t)(first - place) + first->next;
	for (; at < in->n && place[at].key == first->key; at++, first->next++) {
		struct kernel_piece *one = &in->piece[place[at].piece];
		if (!one->paired && alike(one, of, by))
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
			least = ns[one->row[i]] < least ? ns[one->row[i]] : least;
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
		const struct piece_place *its = first_place(p->place, p->n, key_by(one, BY_ALL));
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
	free(b);
	free(a);
}

static void add_kernel(struct work *w, const struct kernel_piece *before,
	const struct kernel_piece *after, enum fate fate)
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
	if (before && after) {
		const char *was = names_text(names[0], before->name);
		k->was = strcmp(was, k->name) != 0 ? was : NULL;
		judge_time(w, k, before, after);
		if (w->side[0]->n > 1 && k->time.before_ns > 0)
			k->before_ns = llround(k->calls_before * (double)k->time.before_ns);
		if (w->side[1]->n > 1 && k->time.after_ns > 0)
			k->after_ns = llround(k->calls_after * (double)k->time.after_ns);
	}
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
	return found ? hash_of(names_text(&t->names, found)) : 0;
}

/* What is left of a side, with where it comes from. */
struct left {
	uint64_t key;
	int side;
	struct kernel_piece *piece;
};

static int by_origin(const void *a, const void *b)
{
	const struct left *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->side != y->side)
		return x->side - y->side;
	return (x->piece->first > y->piece->first) - (x->piece->first < y->piece->first);
}

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
		part[i].piece->paired = true;
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
		!first_place(place[other], side[other]->n, key_by(one->piece, BY_OPERATOR));
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
		size_t after = end - i - before, parts = before > after ? before : after;
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

struct compared_kernel *compare_kernels(struct arena *arena, struct kernel_side *before,
	struct kernel_side *after, const struct kernel_judging *by, size_t *n)
{
	size_t most = before->recording[before->main].n + after->recording[after->main].n;
	struct work w = {.arena = arena,
		.side = {before, after},
		.by = by,
		.kernel = arena_array(arena, most + 1, sizeof *w.kernel)};
	pair_all(&w);
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
			everywhere = everywhere && first_place(p->place, p->n, key_by(one, BY_ALL));
		}
		if (!everywhere)
			return names_text(&main->a->trace->names, one->name);
	}
	return NULL;
}
