/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/constant_chains.h"

#include "base/min_max.h"
#include "report/rules/pattern.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK_BACK = 256, VALUES = 16, STARTS = 64 };
/* What an operator gives: so many elements, else a part of -n, ANYTHING, or not asked yet. */
enum { ANYTHING = 0, NOT_ASKED = INT32_MIN, NOTHING = INT32_MIN + 1 };

static bool writes_in_place(const char *name)
{
	return name[strlen(name) - 1] == '_';
}

/* ---- what an operator gives ---- */

/* As many elements as its operands, broadcast together. */
static int64_t broadcast_of(const struct inputs *x)
{
	enum { OPERANDS = 3 };
	int64_t all = 1;
	for (int d = 1; d <= MOST_DIMS; d++) {
		int64_t most = 1;
		for (int i = 0; i < x->n && i < OPERANDS; i++)
			if (x->in[i].rank >= d)
				most = max64(most, x->in[i].dim[x->in[i].rank - d]);
		all *= most;
		if (all > INT32_MAX)
			return 0;
	}
	return all;
}

/* How many there are shows where they are brought into shape; 0: not, or there are several. */
static int64_t numbers_of_index(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	int64_t n = 0;
	for (uint32_t i = row + 1; i < t->n && t->start_ns[i] < row_end(t, row); i++) {
		if (t->parent[i] != row || !is_named(s, i, "aten::reshape"))
			continue;
		if (n)
			return 0;
		n = elements_at(s, i, 0);
	}
	return n;
}

/* Of rows that are taken by their numbers. */
static int64_t taken_rows(const struct facts *s, uint32_t row, const struct inputs *x)
{
	int64_t d = 0;
	if (is_named(s, row, "aten::gather"))
		return elements_of(x, 2);
	if (x->in[0].rank < 1 || x->in[0].dim[0] < 1)
		return 0;
	if (is_named(s, row, "aten::index"))
		return elements_of(x, 0) / x->in[0].dim[0] * numbers_of_index(s, row);
	if (is_named(s, row, "aten::embedding"))
		return elements_of(x, 0) / x->in[0].dim[0] * elements_of(x, 1);
	if (!is_named(s, row, "aten::index_select") || concrete_numbers(s->t, row, 1, &d, 1) != 1 ||
		d != 0)
		return 0;
	return elements_of(x, 0) / x->in[0].dim[0] * elements_of(x, 2);
}

/* Elements of its result; 0: not known. */
static int64_t gives(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	const char *name = row_name(s, row);
	struct product p;
	if (!x)
		return 0;
	if (product_of(s->a, row, &p))
		return p.batch * p.m * p.n;
	if (is_on(s, row, NAMES_ALIKE))
		return broadcast_of(x);
	if (is_on(s, row, NAMES_AS_FIRST) || writes_in_place(name))
		return x->in[0].tensors ? 0 : elements_of(x, 0);
	if (is_named(s, row, "aten::outer"))
		return elements_of(x, 0) * elements_of(x, 1);
	if (is_named(s, row, "aten::cat") || is_named(s, row, "aten::stack"))
		return x->in[0].list_elements;
	return taken_rows(s, row, x);
}

/* Of an even part of its input, along a dimension, as `which` of its arguments says; else 0. */
static int64_t even_part(
	const struct facts *s, uint32_t row, const struct inputs *x, int which, int64_t of_it)
{
	int64_t d = 0;
	if (concrete_numbers(s->t, row, which, &d, 1) != 1)
		return 0;
	d += d < 0 ? x->in[0].rank : 0;
	return d >= 0 && d < x->in[0].rank && x->in[0].dim[d] > 0
		? elements_of(x, 0) / x->in[0].dim[d] * of_it
		: 0;
}

static int64_t part_given(const struct facts *s, uint32_t row, const struct inputs *x)
{
	int64_t n = 0;
	if (is_named(s, row, "aten::select") || is_named(s, row, "aten::unbind"))
		return even_part(s, row, x, 1, 1);
	if (concrete_numbers(s->t, row, 1, &n, 1) != 1 || n < 1)
		return 0;
	if (is_named(s, row, "aten::chunk"))
		return elements_of(x, 0) / n;
	return is_named(s, row, "aten::split") ? even_part(s, row, x, 2, n) : 0;
}

/* What a tensor that it gives may have: NOTHING but this, see above. */
static int64_t may_give(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	int64_t known = gives(s, row);
	if (known || !x)
		return known;
	known = part_given(s, row, x);
	return known || !is_on(s, row, NAMES_PARTS) ? known : -elements_of(x, 0);
}

static bool is_given(int64_t by, int64_t elements)
{
	return by == NOTHING ? false
		: by > 0     ? by == elements
			     : by == ANYTHING || -by % elements == 0;
}

/* ---- chains ---- */

/* The first operator of chains, and where the last two began. */
struct start {
	name_id op, dims, concrete;
	size_t last, before_last; /* place + 1; 0: none yet */
	size_t proven; /* how long one was that had others between it and the last */
};

struct thread {
	const struct facts *s;
	uint32_t *row; /* (n) outermost operators of the thread */
	int64_t *given; /* (n) may_give() */
	size_t n;
};

/* Sizes of what the chain has given so far. */
struct values {
	int64_t of[VALUES]; /* (n) */
	int n;
	bool unknown; /* the last one's is not known */
};

static bool has_value(const struct values *v, int64_t elements)
{
	for (int i = 0; i < v->n; i++)
		if (v->of[i] == elements)
			return true;
	return false;
}

static void add_value(struct values *v, int64_t elements)
{
	v->unknown = !elements;
	if (elements && v->n < VALUES)
		v->of[v->n++] = elements;
}

/* What draws numbers gives others each time; what reads one has no result on the device. */
static bool ends_chains(const char *name)
{
	static const char *const of[] = {"rand", "bernoulli", "uniform", "normal_", "exponential",
		"multinomial", "dropout", "empty", "item", "nonzero", "unique", NULL};
	for (const char *const *one = of; *one; one++)
		if (strstr(name, *one))
			return true;
	return false;
}

/* Elements of an operand; of a list of equal ones those of one, of two others those of the larger
 * or the smaller; -1: a list of others. */
static int64_t elements_taken(const struct inputs *x, int i, bool smaller)
{
	const struct operand *o = &x->in[i];
	if (!o->tensors)
		return elements_of(x, i);
	if (o->list_elements == o->tensors * o->largest)
		return o->largest;
	return o->tensors != 2 ? -1 : smaller ? o->list_elements - o->largest : o->largest;
}

/* Does it take something of the chain, and write into nothing else? */
static bool joins(const struct facts *s, uint32_t row, struct values *v)
{
	const struct inputs *x = inputs_of(s->a, row);
	const char *name = row_name(s, row);
	bool own = false;
	if (!x || strncmp(name, "aten::", 6) != 0 || ends_chains(name))
		return false;
	for (int i = 0; i < x->n; i++) {
		int64_t n = elements_taken(x, i, false), less = elements_taken(x, i, true);
		if (n > 1 && v->unknown && !own && !has_value(v, n))
			add_value(v, n);
		own |= (n > 1 && has_value(v, n)) || (less > 1 && has_value(v, less));
		if (n < 0 || (!i && writes_in_place(name) && !own))
			return false;
	}
	if (own)
		add_value(v, gives(s, row));
	return own;
}

static bool is_start(const struct facts *s, uint32_t row)
{
	return is_on(s, row, NAMES_STARTS) && s->t->side[row] != NO_ROW &&
		s->t->inputs[s->t->side[row]].concrete;
}

static bool is_same(const struct facts *s, uint32_t one, uint32_t other)
{
	const struct trace *t = s->t;
	if (t->name[one] != t->name[other] || t->side[one] == NO_ROW || t->side[other] == NO_ROW)
		return false;
	const struct op_inputs *x = &t->inputs[t->side[one]], *y = &t->inputs[t->side[other]];
	return x->dims == y->dims && x->concrete == y->concrete;
}

static struct start *start_of(struct start *all, size_t *n, const struct facts *s, uint32_t row)
{
	const struct op_inputs *in = &s->t->inputs[s->t->side[row]];
	for (size_t i = 0; i < *n; i++)
		if (all[i].op == s->t->name[row] && all[i].dims == in->dims &&
			all[i].concrete == in->concrete)
			return &all[i];
	if (*n == STARTS)
		return NULL;
	all[*n] = (struct start){s->t->name[row], in->dims, in->concrete, 0, 0, 0};
	return &all[(*n)++];
}

/* How many operators from `at` on are those from `last` on, each taking what one before it gave. */
static size_t chain_length(const struct thread *t, size_t last, size_t at)
{
	struct values v = {.unknown = true};
	size_t n = 1;
	for (; n < CHAIN_OPERATORS && at + n < t->n && last + n < at; n++) {
		uint32_t row = t->row[at + n];
		if (!is_same(t->s, t->row[last + n], row))
			break;
		if (is_start(t->s, row) ? is_same(t->s, t->row[at], row) : !joins(t->s, row, &v))
			break;
		v.unknown |= is_start(t->s, row);
	}
	return n;
}

/* What only shows all of a tensor gives nothing that is not there. */
static int64_t given_by(struct thread *t, size_t i)
{
	const struct inputs *x = inputs_of(t->s->a, t->row[i]);
	if (t->given[i] != NOT_ASKED)
		return t->given[i];
	t->given[i] = may_give(t->s, t->row[i]);
	if (x && role_of(t->s, t->row[i]) == ROLE_VIEW && t->given[i] == elements_of(x, 0))
		t->given[i] = NOTHING;
	return t->given[i];
}

/* May one of the operators in [from, to) have given so many elements? Of one of which nobody knows
 * what it gives only where `any`. */
static bool has_given(struct thread *t, int64_t elements, size_t from, size_t to, bool any)
{
	for (size_t i = from; elements > 1 && i < to; i++) {
		int64_t given = given_by(t, i);
		if (given == ANYTHING ? any : is_given(given, elements))
			return true;
	}
	return false;
}

/* Takes what the chain gave last and has not taken yet, of that size; false: there is none such. */
static bool take_pending(struct values *v, int64_t elements)
{
	for (int i = 0; i < v->n; i++)
		if (v->of[i] == elements) {
			v->of[i] = v->of[--v->n];
			return true;
		}
	bool unknown = v->unknown;
	v->unknown = false;
	return unknown;
}

/* May one of the operators in [from, to) have given something that the operator takes? What the
 * chain has given and nothing has taken so far is its own, rather than of an operator of which
 * nobody knows what it gives. */
static bool takes_of(struct thread *t, uint32_t row, struct values *pending, size_t from, size_t to)
{
	const struct inputs *x = inputs_of(t->s->a, row);
	for (int k = 0; x && k < x->n; k++) {
		int64_t n = elements_taken(x, k, false), less = elements_taken(x, k, true);
		if (n > 1 && has_given(t, n, from, to, !take_pending(pending, n)))
			return true;
		if (less > 1 && less != n &&
			has_given(t, less, from, to, !take_pending(pending, less)))
			return true;
	}
	add_value(pending, gives(t->s, row));
	return false;
}

/* What stands between the last chain and this one is not its own: it ends in front of the first
 * operator that may take something of it, which then stands between them, too. */
static size_t proven_length(struct thread *t, size_t last, size_t at, size_t n)
{
	size_t was = 0;
	while (was != n && n > 1) {
		struct values pending = {.unknown = true};
		was = n;
		for (size_t i = 1; i < n; i++) {
			uint32_t row = t->row[at + i];
			if (is_start(t->s, row))
				pending.unknown = true;
			else if (takes_of(t, row, &pending, last + n, at))
				n = i;
		}
	}
	return n;
}

/* How much of the chain that begins there gives what the last gave. Of two one behind the other
 * that much is known as where there was something between; or the end of the last is what stands
 * between, where something of this one takes it. */
static size_t same_as(struct thread *t, struct start *of, size_t begin, size_t at)
{
	size_t last = begin - 1, n = begin ? chain_length(t, last, at) : 0;
	if (n < 2 || at - last > LOOK_BACK)
		return 0;
	if (last + n == at) {
		size_t less = proven_length(t, last, at, n - 1);
		if (less + 1 == n)
			return n < of->proven ? n : of->proven;
		n = less;
	} else {
		n = proven_length(t, last, at, n);
	}
	of->proven = n > of->proven ? n : of->proven;
	return n;
}

static bool is_outermost(const struct trace *t, uint32_t row)
{
	uint32_t up = t->parent[row];
	return t->kind[row] == EVENT_OP && (up == NO_ROW || t->kind[up] != EVENT_OP);
}

static struct thread thread_of(const struct facts *s)
{
	struct launched of = launched_of(s);
	struct thread t = {.s = s};
	size_t room = 0;
	for (uint32_t i = of.from; i < of.to; i++) {
		if (s->t->track[i] != of.track || !is_outermost(s->t, i))
			continue;
		if (t.n == room) {
			room = room ? 2 * room : 256;
			t.row = xrealloc(t.row, room, sizeof *t.row);
		}
		t.row[t.n++] = i;
	}
	t.given = xalloc((t.n + 1) * sizeof *t.given);
	for (size_t i = 0; i < t.n; i++)
		t.given[i] = NOT_ASKED;
	return t;
}

void constant_chains_each(const struct facts *s, constant_chain_again *again, void *to)
{
	struct thread t = thread_of(s);
	struct start all[STARTS];
	size_t n_starts = 0;
	for (size_t i = 0; i < t.n; i++) {
		struct start *of =
			is_start(s, t.row[i]) ? start_of(all, &n_starts, s, t.row[i]) : NULL;
		if (!of)
			continue;
		size_t n = same_as(&t, of, of->last, i),
		       before = same_as(&t, of, of->before_last, i);
		n = before > n ? before : n;
		of->before_last = of->last;
		of->last = i + 1;
		if (n > 1)
			again(to, &t.row[i], n);
		for (size_t k = 0; k < n; k++)
			t.given[i + k] = NOTHING; /* constants */
		i += n > 1 ? n - 1 : 0;
	}
	free(t.row);
	free(t.given);
}
