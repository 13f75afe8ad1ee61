/* SPDX-License-Identifier: Apache-2.0 */
/* What the host did, in one walk over its rows. */
#include "base/min_max.h"
#include "report/rules/facts.h"

#include <stdlib.h>
#include <string.h>

/* ---- the walk over the rows ---- */

static void *grown(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	return xrealloc(array, *room, size);
}

void list_row(struct row_list *list, uint32_t row)
{
	list->row = grown(list->row, list->n, &list->room, sizeof *list->row);
	list->row[list->n++] = row;
}

/* A product that rows to come may stand inside. A row that is not the host's is one, too: products
 * around it do not reach into it. */
struct scope {
	struct scope *outer;
	uint32_t row, product; /* NO_ROW: none */
};

/* The innermost of a track. */
struct lane {
	struct scope *scope;
	uint32_t view; /* index into x->views, NO_ROW */
	uint32_t behind; /* the inner one's row + 1, 0: none is open */
};

/* Where the children of an open row ended so far. Rows of one track and level take turns: none is
 * added to again once the next has begun. */
struct open_row {
	uint32_t row; /* NO_ROW: none yet */
	int64_t end_ns;
};
enum { NEST_LEVELS = 64 };

struct walk {
	struct facts *x;
	struct lane *lane; /* (tracks) */
	struct open_row *open; /* (tracks * NEST_LEVELS) */
	size_t call; /* the next of x->calls */
	int64_t least_shown; /* what hands out work and took no longer is not shown any more */
};

static struct walk walk_over(struct facts *x)
{
	size_t n = x->t->n_tracks;
	struct walk w = {x, arena_array(x->scratch, n, sizeof *w.lane),
		arena_array(x->scratch, n * NEST_LEVELS, sizeof *w.open), 0, INT64_MIN};
	for (size_t i = 0; i < n; i++)
		w.lane[i].view = NO_ROW;
	for (size_t i = 0; i < n * NEST_LEVELS; i++)
		w.open[i].row = NO_ROW;
	return w;
}

/* Parents come before their children, so what began behind the parent of a row is over. */
static inline bool is_over(uint32_t row, uint32_t parent)
{
	return parent == NO_ROW || row > parent;
}

static void note_innermost(const struct facts *x, struct lane *l)
{
	uint32_t scope = l->scope ? l->scope->row + 1 : 0;
	uint32_t view = l->view != NO_ROW ? x->views[l->view].row + 1 : 0;
	l->behind = max32(scope, view);
}

static void leave(const struct facts *x, struct lane *l, uint32_t parent)
{
	while (l->scope && is_over(l->scope->row, parent))
		l->scope = l->scope->outer;
	while (l->view != NO_ROW && is_over(x->views[l->view].row, parent))
		l->view = x->views[l->view].outer;
	note_innermost(x, l);
}

static void enter(struct facts *x, struct lane *l, uint32_t row, uint32_t product)
{
	struct scope *s = arena_alloc(x->scratch, sizeof *s);
	*s = (struct scope){l->scope, row, product};
	l->scope = s;
	l->behind = row + 1;
}

static inline uint32_t product_here(const struct lane *l)
{
	return l->scope ? l->scope->product : NO_ROW;
}

static void add_product(struct facts *x, struct lane *l, uint32_t row, enum role role)
{
	size_t room = x->product_room;
	x->products = grown(x->products, x->n_products, &room, sizeof *x->products);
	x->product_room = (uint32_t)room;
	x->products[x->n_products] =
		(struct product_op){.row = row, .outer = product_here(l), .role = (uint8_t)role};
	enter(x, l, row, x->n_products++);
}

static void add_view(struct facts *x, struct lane *l, uint32_t row)
{
	x->views = grown(x->views, x->n_views, &x->view_room, sizeof *x->views);
	x->views[x->n_views] = (struct view_op){row, l->view, false};
	l->view = (uint32_t)x->n_views++;
	l->behind = row + 1;
}

static bool is_in_view(const struct facts *x, uint32_t row)
{
	uint32_t p = x->t->parent[row];
	return p != NO_ROW && x->t->kind[p] == EVENT_OP && role_of(x, p) == ROLE_VIEW;
}

static void look_at_op(struct facts *x, uint32_t row, struct lane *l, enum role role)
{
	const struct trace *t = x->t;
	if ((!x->shapes || !x->types) && t->side[row] != NO_ROW) {
		x->shapes |= t->inputs[t->side[row]].dims != 0;
		x->types |= t->inputs[t->side[row]].types != 0;
	}
	x->backward |= (host_traits(x->a, row) & TRAIT_BACKWARD) != 0;
	if (role == ROLE_VIEW && !is_in_view(x, row))
		add_view(x, l, row);
	if (!is_product_role(role))
		return;
	for (uint32_t p = product_here(l); p < x->n_products; p = x->products[p].outer) {
		x->products[p].mm |= role == ROLE_MM;
		x->products[p].bmm |= role == ROLE_BMM;
		x->products[p].addmm |= role == ROLE_ADDMM;
	}
	add_product(x, l, row, role);
}

static void look_at_call(struct walk *w, uint32_t row, const struct lane *l)
{
	struct facts *x = w->x;
	if (w->call == x->calls.n || x->calls.row[w->call] != row)
		return;
	uint8_t class = class_of(x, row);
	if (class == CLASS_SYNC)
		list_row(&x->waits, (uint32_t)w->call);
	x->call_product[w->call++] = product_here(l);
	for (uint32_t p = product_here(l); p < x->n_products; p = x->products[p].outer)
		x->products[p].calls++;
	if (class == CLASS_LAUNCH || class == CLASS_COPY_CALL)
		for (uint32_t v = l->view; v != NO_ROW; v = x->views[v].outer)
			x->views[v].works = true;
}

/* A row that began before an earlier one inside the same row had ended. */
static void overlap(struct facts *x, uint32_t row, int64_t over_ns)
{
	int64_t dur = x->t->dur_ns[row];
	list_row(&x->crossing, row);
	x->nesting.overlaps++;
	x->nesting.overlap_ns += min64(over_ns, dur);
}

static inline void look_at_nesting(struct walk *w, uint32_t row, int64_t dur)
{
	const struct trace *t = w->x->t;
	uint32_t parent = t->parent[row];
	if (parent == NO_ROW) {
		w->x->nesting.total_ns += dur;
		return;
	}
	uint32_t level = t->depth[parent];
	struct open_row *o = &w->open[t->track[row] * NEST_LEVELS + level % NEST_LEVELS];
	int64_t start = t->start_ns[row], end = start + dur;
	if (o->row != parent) {
		*o = (struct open_row){parent, end};
		if (level >= NEST_LEVELS) /* it may not be the first */
			list_row(&w->x->crossing, row);
		return;
	}
	if (o->end_ns > start + 1)
		overlap(w->x, row, o->end_ns - start);
	o->end_ns = max64(end, o->end_ns);
}

/* Who hands out the work. Rows come in order, so that of equal ones the first are shown. */
static void hand_out(struct walk *w, uint32_t row, int64_t dur)
{
	struct finding *f = w->x->dispatch;
	show_kept(f, row, dur);
	if (f->n_evidence == FINDING_EVIDENCE)
		w->least_shown = f->weight[FINDING_EVIDENCE - 1];
}

static inline void look_at_host(struct walk *w, uint32_t row, uint8_t kind, struct lane *l)
{
	struct facts *x = w->x;
	uint8_t class = class_of(x, row);
	int64_t dur = x->t->dur_ns[row];
	look_at_nesting(w, row, dur);
	if (kind == EVENT_PYTHON)
		return;
	enum role role = role_of(x, row);
	if (class == CLASS_OP || class == CLASS_LAUNCH || class == CLASS_COPY_CALL) {
		x->dispatch->n_events++;
		if (dur > w->least_shown)
			hand_out(w, row, dur);
	}
	if (kind == EVENT_OP)
		look_at_op(x, row, l, role);
	else if (event_is_call(kind))
		look_at_call(w, row, l);
	if (class == CLASS_COMPILE)
		list_row(&x->compiled, row);
	else if (host_traits(x->a, row) & TRAIT_LOADER)
		list_row(&x->loaders, row);
}

static inline void look_at_other(struct facts *x, uint32_t row, struct lane *l)
{
	if (x->t->kind[row] == EVENT_OVERHEAD)
		list_row(&x->overhead, row);
	if (l->scope)
		enter(x, l, row, NO_ROW);
}

static void keep_plain_views(struct facts *x)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n_views; i++)
		if (!x->views[i].works)
			x->views[n++] = x->views[i];
	x->n_views = n;
}

/* One walk settles who is in which product and in which view. Points are in nothing. */
void look_at_rows(struct facts *x, struct window_walk *window)
{
	const struct trace *t = x->t;
	const uint8_t *kind = t->kind;
	struct walk w = walk_over(x);
	for (uint32_t i = 0, n = (uint32_t)t->n; i < n; i++) {
		if (kind[i] == EVENT_INSTANT || kind[i] == EVENT_COUNTER)
			continue;
		if (window && i >= x->from && i < x->to)
			see_row(window, i);
		struct lane *l = &w.lane[t->track[i]];
		if (l->behind > t->parent[i] + 1) /* of no row: 0 */
			leave(x, l, t->parent[i]);
		if (event_on_host(kind[i]))
			look_at_host(&w, i, kind[i], l);
		else
			look_at_other(x, i, l);
	}
	keep_plain_views(x);
}
