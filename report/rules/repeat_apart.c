/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of which none takes what the one before it gave, as sizes tell: the members of an
 * ensemble, a head for each task, pictures one by one, a network on two inputs. */
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 4 };

/* One round, and the one before it: operators of a thread. */
struct pair_of_rounds {
	const struct facts *s;
	const struct unit *before, *round; /* (n) */
	size_t n;
	const struct unit *gap[GAP]; /* (n_gap) between the two, what goes on with what `before`
					gave */
	size_t n_gap;
	bool weighed; /* what it gives has a factor for each row, from the next slice of a tensor,
			 and is summed up: what its products take is no layer's result */
};

static name_id dims_of(const struct facts *s, const struct unit *u)
{
	uint32_t side = s->t->side[u->row];
	return side == NO_ROW ? 0 : s->t->inputs[side].dims;
}

static bool is_alike(const struct facts *s, const struct unit *one, const struct unit *other)
{
	return one->name == other->name && dims_of(s, one) && dims_of(s, one) == dims_of(s, other);
}

/* Is what an operator takes first what comes to the device right in front of it? */
static bool takes_upload(const struct facts *s, uint32_t row)
{
	enum { NEAR = 2 };
	const struct inputs *x = inputs_of(s->a, row);
	for (int i = 0; x && i < NEAR && (row = operator_before(s, row)) != NO_ROW; i++)
		if (is_on(s, row, NAMES_UPLOADS) && launches_inside(s, row, TRAIT_TO_DEVICE, false))
			return elements_at(s, row, 0) == elements_of(x, 0);
	return false;
}

static bool reduces(const struct facts *s, uint32_t row)
{
	return is_on(s, row, NAMES_PARTS);
}

/* Elements of what an operator gives; 0: not known, as of what convolves or pools. */
static int64_t given_by(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	struct product p;
	if (!x)
		return 0;
	if (multiplies(s, row))
		return product_of(s->a, row, &p) ? p.batch * p.m * p.n : 0;
	if (is_named(s, row, "aten::embedding") && x->in[0].rank == 2)
		return elements_of(x, 1) * x->in[0].dim[1];
	int64_t one = elements_of(x, 0), other = elements_of(x, 1);
	return one > other ? one : other;
}

/* Does an operator in front of the k-th give it, or what it is a part of? What one gives that
 * convolves the next one takes. */
static bool is_own(const struct pair_of_rounds *r, size_t k, int64_t size)
{
	for (size_t i = 0; i < k && size > 0; i++) {
		uint32_t row = r->round[i].row;
		int64_t given = given_by(r->s, row);
		bool convolves = !given && multiplies(r->s, row);
		if (convolves ? i + 1 == k : given >= size && given % size == 0)
			return true;
	}
	return false;
}

/* What an operator takes another may have given it, too; of the first that is known to be else. */
static bool is_of_row(const struct facts *s, uint32_t row, bool first, int64_t size)
{
	const struct inputs *x = inputs_of(s->a, row);
	int64_t taken = x ? elements_of(x, 0) : 0;
	return given_by(s, row) == size || (!first && taken == size) ||
		(reduces(s, row) && taken > size && taken % size == 0);
}

static bool is_of_before(const struct pair_of_rounds *r, int64_t size)
{
	for (size_t i = 0; i < r->n; i++)
		if (is_of_row(r->s, r->before[i].row, !i, size))
			return true;
	for (size_t i = 0; i < r->n_gap; i++)
		if (is_of_row(r->s, r->gap[i]->row, true, size))
			return true;
	return false;
}

/* What all rounds give may be summed up behind each. */
static bool adds_up(const struct pair_of_rounds *r, size_t k)
{
	const struct inputs *x = inputs_of(r->s->a, r->round[k].row);
	uint32_t row = r->round[k].row;
	return k && (is_named(r->s, row, "aten::add") || is_named(r->s, row, "aten::add_")) && x &&
		elements_of(x, 0) == elements_of(x, 1) && is_own(r, k, elements_of(x, 0));
}

/* Of a layer all but the first input are its own. */
static bool is_of_layer(const struct facts *s, uint32_t row, int input)
{
	const char *name = row_name(s, row);
	if (!strcmp(name, "aten::addmm"))
		return input != 1;
	return input && (!strcmp(name, "aten::linear") || !strncmp(name, "aten::conv", 10));
}

enum { OPERANDS = 3 };

static int64_t size_taken(const struct inputs *x, int i)
{
	return x->in[i].tensors ? x->in[i].largest : elements_of(x, i);
}

/* A number alone may be anything, but not right behind what gives one. */
static void look_at_gap(struct pair_of_rounds *r, const struct unit *u, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const struct inputs *x = inputs_of(r->s->a, u[k].row);
		bool behind = k && r->n_gap && r->gap[r->n_gap - 1] == &u[k - 1], goes_on = !x;
		for (int i = 0; x && i < x->n && i < OPERANDS && !goes_on; i++)
			goes_on = size_taken(x, i) > !behind && !is_of_layer(r->s, u[k].row, i) &&
				is_of_before(r, size_taken(x, i));
		if (goes_on)
			r->gap[r->n_gap++] = &u[k];
	}
}

static bool takes_of_before(const struct pair_of_rounds *r, size_t k)
{
	uint32_t row = r->round[k].row;
	const struct inputs *x = inputs_of(r->s->a, row);
	if ((!k && takes_upload(r->s, row)) || adds_up(r, k))
		return false;
	for (int i = 0; x && i < x->n && i < OPERANDS; i++) {
		int64_t size = size_taken(x, i);
		bool other = is_of_layer(r->s, row, i) || (r->weighed && multiplies(r->s, row));
		if (size > 1 && !other && !is_own(r, k, size) && is_of_before(r, size))
			return true;
	}
	return !x;
}

/* What a convolution or a pooling gives at the end is of a size that the file does not tell. */
static bool has_known_end(const struct pair_of_rounds *r)
{
	uint32_t last = r->round[r->n - 1].row;
	const struct inputs *x = inputs_of(r->s->a, last);
	return (given_by(r->s, last) > 0 || (x && !x->in[0].rank)) &&
		!strstr(row_name(r->s, last), "pool");
}

/* A backward pass or a step of an optimizer between the two: the second has the weights of that. */
static bool has_passed(const struct pair_of_rounds *r)
{
	const struct facts *s = r->s;
	for (uint32_t i = r->before[0].row; i < r->round[0].row; i++)
		if ((s->t->kind[i] == EVENT_OP && is_node_of_autograd(s, i)) ||
			host_traits(s->a, i) & TRAIT_OPTIMIZER)
			return true;
	return false;
}

/* Of what others than PyTorch's operators give nothing is known. */
static bool are_apart(const struct pair_of_rounds *r)
{
	size_t products = 0;
	for (size_t k = 0; k < r->n; k++) {
		if (!is_alike(r->s, &r->before[k], &r->round[k]) || takes_of_before(r, k) ||
			strncmp(row_name(r->s, r->round[k].row), "aten::", 6) != 0)
			return false;
		products += multiplies(r->s, r->round[k].row);
	}
	return products && has_known_end(r) && !has_passed(r);
}

static struct pair_of_rounds second_and_third(const struct facts *s, const struct repeat *r)
{
	const struct unit *u = &r->of->unit[r->first];
	return (struct pair_of_rounds){
		.s = s, .before = u + r->period, .round = u + 2 * r->period, .n = r->period};
}

bool repeat_hands_on(const struct facts *s, const struct repeat *r)
{
	struct pair_of_rounds p = second_and_third(s, r);
	for (size_t k = 0; k < r->period; k++)
		if (takes_of_before(&p, k))
			return true;
	return false;
}

/* An answer is read, and the next round begins before the program could do anything with it. */
static bool is_asked_in_vain(const struct facts *s, const struct repeat *r)
{
	enum { SOON_NS = SILENCE_NS / 2, BEHIND = 3 };
	uint32_t row = repeat_row(r, 1, r->period - 1);
	for (int i = 0; i < BEHIND && (row = next_operator(s, row)) != NO_ROW; i++) {
		if (!(host_traits(s->a, row) & TRAIT_WAITS_ITEM))
			continue;
		uint32_t next = next_operator(s, row);
		return next != NO_ROW && takes_upload(s, repeat_row(r, 2, 0)) &&
			s->t->start_ns[next] - row_end(s->t, row) < SOON_NS;
	}
	return false;
}

/* As experts are of which each has its weight for each word. */
static bool is_weighed(const struct pair_of_rounds *p, const struct repeat *r)
{
	const struct facts *s = p->s;
	uint32_t view[REPEAT_VIEWS];
	struct product first;
	size_t k = 0;
	while (k < p->n && !multiplies(s, p->round[k].row))
		k++;
	if (k == p->n || !adds_up(p, p->n - 1) || !product_of(s->a, p->round[k].row, &first))
		return false;
	int n = views_that_go_on(s, r, view);
	for (int i = 0; i < n; i++)
		if (elements_shown(s, view[i]) == first.batch * first.m)
			return true;
	return false;
}

/* A loader's batches are as large as somebody wants them. */
bool repeat_is_apart(const struct facts *s, const struct repeat *r)
{
	struct pair_of_rounds p = second_and_third(s, r);
	p.weighed = is_weighed(&p, r);
	if (!s->p->n_steps || s->loaders.n || r->rounds < REPEAT_ROUNDS || repeat_trains(s, r) ||
		!are_apart(&p))
		return false;
	return !repeat_waits(s, r) || is_asked_in_vain(s, r);
}

/* ---- a network on two inputs ---- */

enum { LEAST_OPERATORS = 4, LEAST_PRODUCTS = 2, TRIES = 4, FAR = REPEAT_SHORT };

/* What is asked at many places: by distance, where operators differ from those so far behind them,
 * + 1, as far as was seen; and (n + 1) the products in front of each. */
struct twice {
	const struct facts *s;
	const struct unit_list *of;
	size_t differs[FAR + 1];
	uint32_t *products;
};

static void count_products(struct twice *x)
{
	x->products = arena_unset(x->s->scratch, x->of->n + 1, sizeof *x->products);
	x->products[0] = 0;
	for (size_t i = 0; i < x->of->n; i++)
		x->products[i + 1] = x->products[i] + multiplies(x->s, x->of->unit[i].row);
}

/* How many operators from the i-th on are those from the j-th on, with the same sizes. */
static size_t alike_from(struct twice *x, size_t i, size_t j)
{
	const struct unit *u = x->of->unit;
	size_t far = j - i, *differs = &x->differs[far];
	if (*differs <= i) {
		size_t end = i;
		while (end + far < x->of->n && is_alike(x->s, &u[end], &u[end + far]))
			end++;
		*differs = end + 1;
	}
	return min_size(*differs - 1 - i, far);
}

bool waits_between(const struct facts *s, uint32_t from, uint32_t to)
{
	const struct idle_causes *l = s->l;
	for (size_t i = 0; i < l->n_waits && l->waits[i] < to; i++)
		if (l->waits[i] > from)
			return true;
	return false;
}

/* Where what begins at the i-th operator is done again, on other inputs, soon behind its end; 0:
 * nowhere. */
static size_t again_at(struct twice *x, size_t i, size_t *n)
{
	const struct facts *s = x->s;
	const struct unit_list *of = x->of;
	int tries = 0;
	for (size_t j = i + LEAST_OPERATORS; j < of->n && j - i <= FAR && tries < TRIES; j++) {
		if (of->unit[j].name != of->unit[i].name)
			continue;
		tries++;
		*n = alike_from(x, i, j);
		if (*n < LEAST_OPERATORS || j - i - *n > GAP ||
			x->products[i + *n] - x->products[i] < LEAST_PRODUCTS)
			continue;
		struct pair_of_rounds p = {
			.s = s, .before = &of->unit[i], .round = &of->unit[j], .n = *n};
		look_at_gap(&p, &of->unit[i + *n], j - i - *n);
		if (are_apart(&p) && !waits_between(s, of->unit[i].row, of->unit[j].row))
			return j;
	}
	return 0;
}

bool repeat_feeds(const struct facts *s, const struct repeat *a, const struct repeat *b)
{
	const struct unit *u = a->of->unit;
	size_t end = a->first + a->period * a->rounds, gap = b->first - end;
	struct pair_of_rounds p = {.s = s, .before = u + end - 1, .round = u + b->first, .n = 1};
	if (gap > GAP)
		return false;
	look_at_gap(&p, u + end, gap);
	if (gap && (!p.n_gap || p.gap[p.n_gap - 1] != p.round - 1))
		return false; /* something else is in front of the second */
	p = (struct pair_of_rounds){.s = s, .before = p.round - 1, .round = p.round, .n = 1};
	return !given_by(s, p.before->row) || takes_of_before(&p, 0);
}

bool batch_of_inputs(const struct facts *s, struct finding *f)
{
	const struct repeats *all = repeats_of(s);
	size_t pairs = 0, n = 0, operators = 0;
	for (int k = 0; k < REPEAT_THREADS && s->p->n_steps; k++) {
		const struct unit_list *of = &all->thread[k];
		struct twice x = {.s = s, .of = of};
		count_products(&x);
		for (size_t i = 0; i + 1 < of->n; i++) {
			size_t j =
				is_node_of_autograd(s, of->unit[i].row) ? 0 : again_at(&x, i, &n);
			if (!j)
				continue;
			plan_beside_first(s, f, of->track,
				(struct time_span){s->t->start_ns[of->unit[j].row],
					row_end(s->t, of->unit[j + n - 1].row)});
			prove(f, of->unit[j].row);
			if (!pairs++)
				tell_name(f, "name", s->t, of->unit[j].row);
			operators = operators ? operators : n;
			i = j - 1;
		}
	}
	f->variant = "twice";
	TELL(f, {"rounds", (double)pairs}, {"operators", (double)operators},
		{"launches", (double)s->launches});
	return pairs > 0;
}
