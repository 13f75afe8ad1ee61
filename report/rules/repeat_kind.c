/* SPDX-License-Identifier: Apache-2.0 */
/* What a repeat is, by the sizes of what its operators take. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/rules/pattern.h"
#include "report/rules/repeats.h"

#include <string.h>

bool multiplies(const struct facts *s, uint32_t row)
{
	return host_traits(s->a, row) & TRAIT_PRODUCT;
}

bool is_node_of_autograd(const struct facts *s, uint32_t row)
{
	return !strncmp(row_name(s, row), "autograd::", 10);
}

/* ---- what a repeat is ---- */

enum { SMALL_ROUNDS = 16, SMALL_PERIOD = 16, LEAST_CELLS = 8, LEAST_REQUESTS = 8 };

/* The optimizer's own loops have a switch of their own; what backward repeats is the network's. */
static bool is_small(const struct facts *s, const struct repeat *r)
{
	if (r->rounds < SMALL_ROUNDS || r->period > SMALL_PERIOD)
		return false;
	for (size_t k = 0; k < r->period; k++) {
		uint32_t row = repeat_row(r, 0, k);
		if (multiplies(s, row) || strncmp(row_name(s, row), "aten::", 6) != 0)
			return false;
		for (uint32_t up = s->t->parent[row]; up != NO_ROW; up = s->t->parent[up])
			if (!strncmp(row_name(s, up), "Optimizer.", 10))
				return false;
	}
	return true;
}

/* What one round is made of. */
struct round_of {
	int products, convolutions, sigmoids, tanhs, cells, picks, lookups;
	uint32_t first_product; /* in the second round; NO_ROW */
	bool sum_of_two; /* two products, and then their sum */
	bool joins; /* two tensors are joined and multiplied at once, as large in each round */
	int64_t added; /* elements of what is added to a single product; 0 */
};

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static void look_at_row(const struct facts *s, uint32_t row, struct round_of *x)
{
	static const char *const sigmoids[] = {"aten::sigmoid", "aten::sigmoid_", NULL},
				 *const tanhs[] = {"aten::tanh", "aten::tanh_", NULL},
				 *const cells[] = {"aten::lstm_cell", "aten::gru_cell",
					 "aten::rnn_tanh_cell", "aten::rnn_relu_cell", NULL},
				 *const picks[] = {"aten::argmax", "aten::multinomial",
					 "aten::topk", "aten::sort", "aten::argsort", "aten::max",
					 "aten::gather", "aten::searchsorted", NULL},
				 *const lookups[] = {"aten::embedding", NULL};
	const char *name = row_name(s, row);
	x->products += multiplies(s, row);
	x->convolutions += (host_traits(s->a, row) & TRAIT_CONVOLUTION) != 0;
	x->sigmoids += is_one_of(name, sigmoids);
	x->tanhs += is_one_of(name, tanhs);
	x->cells += is_one_of(name, cells);
	x->picks += is_one_of(name, picks);
	x->lookups += is_one_of(name, lookups);
}

/* A list of two of the same sizes in the next round. */
static bool joins_alike(const struct facts *s, const struct repeat *r, size_t k)
{
	uint32_t row = repeat_row(r, 1, k);
	const struct inputs *x = inputs_of(s->a, row);
	const struct inputs *y = inputs_of(s->a, repeat_row(r, 2, k));
	return is_named(s, row, "aten::cat") && x && y && x->in[0].tensors == 2 &&
		x->in[0].list_elements > 0 && x->in[0].list_elements == y->in[0].list_elements;
}

static void look_behind_product(
	const struct facts *s, uint32_t row, int in_a_row, struct round_of *x)
{
	const struct inputs *in = inputs_of(s->a, row);
	bool adds = is_named(s, row, "aten::add") || is_named(s, row, "aten::add_");
	x->sum_of_two |= in_a_row >= 2 && adds;
	if (in_a_row == 1 && adds && in && elements_of(in, 0) == elements_of(in, 1))
		x->added = elements_of(in, 0);
}

static struct round_of look_at_round(const struct facts *s, const struct repeat *r)
{
	struct round_of x = {.first_product = NO_ROW};
	int in_a_row = 0;
	for (size_t k = 0; k < r->period; k++) {
		uint32_t row = repeat_row(r, 1, k);
		look_at_row(s, row, &x);
		if (multiplies(s, row)) {
			x.first_product = x.first_product == NO_ROW ? row : x.first_product;
			x.joins |= k && joins_alike(s, r, k - 1);
			in_a_row++;
			continue;
		}
		look_behind_product(s, row, in_a_row, &x);
		in_a_row = 0;
	}
	return x;
}

/* Gates, or a sum of two products that is squashed, or the product of a part and what was before:
 * nothing else squashes what it adds up part by part of a sequence. */
static bool is_recurrent(const struct round_of *x)
{
	if (x->convolutions)
		return false;
	return x->cells || (x->products && x->sigmoids && x->tanhs) ||
		((x->sum_of_two || x->joins) && x->tanhs);
}

static bool takes(const struct facts *s, uint32_t op, int64_t elements)
{
	const struct inputs *x = inputs_of(s->a, op);
	return x &&
		(elements_of(x, 0) == elements || elements_of(x, 1) == elements ||
			(x->n > 2 && elements_of(x, 2) == elements));
}

/* Is a slice written in place, by an operator whose name ends so? */
static bool writes(const struct facts *s, const struct repeat *r, int64_t elements)
{
	for (size_t k = 0; k < r->period; k++) {
		uint32_t row = repeat_row(r, 1, k);
		const char *name = row_name(s, row);
		const struct inputs *x = inputs_of(s->a, row);
		if (x && name[strlen(name) - 1] == '_' && elements_of(x, 0) == elements)
			return true;
	}
	return false;
}

/* The first product multiplies by a slice; or a single one, of a few operators, writes its result
 * into one. What writes a slice and does more may be a step of a sequence. */
static bool works_on_slices(const struct facts *s, const struct repeat *r, const struct round_of *x,
	const uint32_t *view, int n)
{
	enum { FEW = 8 };
	for (int i = 0; i < n && x->first_product != NO_ROW; i++) {
		int64_t elements = elements_shown(s, view[i]);
		if (takes(s, x->first_product, elements) ||
			(x->products == 1 && r->period <= FEW && writes(s, r, elements)))
			return true;
	}
	return false;
}

/* ---- does a round take what the one before it gave? ---- */

/* Elements of what an operator gives: where it is no product of matrices, those of the larger of
 * its operands. */
static int64_t elements_given(const struct facts *s, uint32_t row)
{
	const struct inputs *x = inputs_of(s->a, row);
	struct product p;
	if (!x)
		return 0;
	return product_of(s->a, row, &p) ? p.batch * p.m * p.n
					 : max64(elements_of(x, 0), elements_of(x, 1));
}

static int views_of_size(const struct facts *s, const uint32_t *view, int n, int64_t elements)
{
	int found = 0;
	for (int i = 0; i < n; i++)
		found += elements_shown(s, view[i]) == elements;
	return found;
}

/* How many operands of that size an operator takes that a slice or an operator in front of it in
 * the round must have given. What multiplies two slices of unlike sizes may use one again. */
static int operands_of_size(
	const struct facts *s, uint32_t row, int64_t size, const uint32_t *view, int n)
{
	const struct inputs *x = inputs_of(s->a, row);
	int taken = 0;
	for (int i = 0; x && i < x->n && i < 3; i++) {
		int64_t one = elements_of(x, i);
		if (multiplies(s, row) && x->in[i].rank == 1)
			continue; /* a bias */
		taken += one == size;
		if (one && one != size && multiplies(s, row) && views_of_size(s, view, n, one) &&
			views_of_size(s, view, n, size))
			return 0;
	}
	return taken;
}

/* Is the slice that a round writes one that the next one reads, or the one before it? */
static bool writes_for_another(
	const struct facts *s, const struct repeat *r, const uint32_t *view, int n)
{
	for (int i = 1; i < n; i++) {
		const struct inputs *x = inputs_of(s->a, view[0]), *y = inputs_of(s->a, view[i]);
		int64_t one = 0, other = 0;
		if (x && y && elements_of(x, 0) == elements_of(y, 0) &&
			view_begins_at(s, view[0], &one) && view_begins_at(s, view[i], &other) &&
			one != other && writes(s, r, elements_shown(s, view[0])))
			return true;
	}
	return false;
}

/* What it gives is as large as the next operator says. */
static bool convolves(const struct facts *s, uint32_t row)
{
	return host_traits(s->a, row) & TRAIT_CONVOLUTION;
}

/* Is what a round makes of a slice held against the slice itself? */
static bool compares_with_slice(const struct facts *s, uint32_t row, int views)
{
	return views && is_on(s, row, NAMES_COMPARES);
}

/* Where the round needs more values of its result's size than its slices and its own operators
 * give, one of them may be the result of the round before: a recurrence, or a scan over layers. A
 * value that is used twice counts as such, too, but what is compared with a slice. */
static bool may_depend(const struct facts *s, const struct repeat *r, const uint32_t *view, int n)
{
	int64_t size = elements_given(s, repeat_row(r, 1, r->period - 1));
	int views = views_of_size(s, view, n, size), there = views;
	for (size_t k = 0; k < r->period; k++) {
		uint32_t row = repeat_row(r, 1, k);
		int taken = operands_of_size(s, row, size, view, n);
		there -= taken == 2 && compares_with_slice(s, row, views) ? 1 : taken;
		if (there < 0)
			return true;
		there += elements_given(s, row) == size || convolves(s, row);
	}
	return !size || writes_for_another(s, r, view, n);
}

/* Does something in the round in front of its k-th operator give as many elements, be it by a
 * reduction? */
static bool is_given_before(const struct facts *s, const struct repeat *r, size_t k, int64_t size)
{
	for (size_t i = 0; i < k; i++) {
		uint32_t row = repeat_row(r, 1, i);
		int64_t given = elements_given(s, row);
		if (given == size || (given && !multiplies(s, row) && given % size == 0))
			return true;
	}
	return false;
}

/* A round whose last operator gives a number, as a sum of losses that goes on, hands over no more
 * than that if each other operator works on what slices show or the round itself gave, each slice
 * once. Of a product only the first operand is asked: the other may be weights. */
static bool hands_over_a_number(
	const struct facts *s, const struct repeat *r, const uint32_t *view, int n)
{
	if (elements_given(s, repeat_row(r, 1, r->period - 1)) > 1)
		return false;
	for (size_t k = 0; k + 1 < r->period; k++) {
		const struct inputs *x = inputs_of(s->a, repeat_row(r, 1, k));
		int asked = multiplies(s, repeat_row(r, 1, k)) ? 1 : 3;
		for (int i = 0; x && i < x->n && i < asked; i++) {
			int64_t size = elements_of(x, i);
			if (size <= 1 || is_given_before(s, r, k, size))
				continue;
			int taken = 0;
			for (size_t j = 0; j <= k; j++) {
				const struct inputs *y = inputs_of(s->a, repeat_row(r, 1, j));
				taken += y && elements_of(y, 0) == size;
			}
			if (taken > views_of_size(s, view, n, size))
				return false;
		}
	}
	return true;
}

/* Elements of the first input, and of the weights. */
static int64_t elements_in(const struct facts *s, uint32_t row, int which)
{
	const struct inputs *x = inputs_of(s->a, row);
	return x ? elements_of(x, which) : 0;
}

/* Does an input change from round to round, and not by as much each time, as a sequence that grows
 * does? */
static bool changes_freely(const struct facts *s, const struct repeat *r, size_t k)
{
	bool changes = false, evenly = true;
	int64_t step =
		elements_in(s, repeat_row(r, 1, k), 0) - elements_in(s, repeat_row(r, 0, k), 0);
	for (size_t i = 1; i < r->rounds; i++) {
		int64_t now = elements_in(s, repeat_row(r, i, k), 0),
			before = elements_in(s, repeat_row(r, i - 1, k), 0);
		if (!now || !before)
			return false;
		changes |= now != before;
		evenly &= now - before == step;
	}
	return changes && !evenly;
}

static bool has_same_weights(const struct facts *s, const struct repeat *r, size_t k)
{
	int64_t first = elements_in(s, repeat_row(r, 0, k), 1);
	for (size_t i = 1; i < r->rounds && first; i++)
		if (elements_in(s, repeat_row(r, i, k), 1) != first)
			return false;
	return first > 0;
}

/* A layer may pad by more than the one before it; of a request all is of another size. */
static bool changes_mostly(const struct facts *s, const struct repeat *r)
{
	size_t change = 0, all = 0;
	for (size_t k = 0; k < r->period; k++) {
		all += elements_in(s, repeat_row(r, 0, k), 0) > 0;
		change += changes_freely(s, r, k);
	}
	return 2 * change > all;
}

/* All products have the weights of the round before, and inputs of another size. */
static bool is_requests(const struct facts *s, const struct repeat *r, const struct round_of *x)
{
	if (r->rounds < LEAST_REQUESTS || x->products < 2)
		return false;
	for (size_t k = 0; k < r->period; k++)
		if (multiplies(s, repeat_row(r, 0, k)) &&
			(is_node_of_autograd(s, repeat_row(r, 0, k)) || !has_same_weights(s, r, k)))
			return false;
	for (size_t k = 0; k < r->period; k++)
		if (multiplies(s, repeat_row(r, 0, k)))
			return changes_freely(s, r, k) && changes_mostly(s, r);
	return false;
}

/* Elements of what an operator that joins tensors gives: where its list is too long to be recorded,
 * of what the next operator behind it takes. */
static int64_t elements_joined(const struct facts *s, uint32_t row, int64_t *tensors)
{
	const struct inputs *x = inputs_of(s->a, row);
	*tensors = x ? x->in[0].tensors : 0;
	if (*tensors)
		return x->in[0].list_elements;
	uint32_t next = next_operator(s, row);
	return next == NO_ROW ? 0 : elements_in(s, next, 0);
}

/* Does a round that begins with a slice end in a part of that size of what its last operator takes,
 * as a mean is? */
static bool reduces_slice(
	const struct facts *s, const struct repeat *r, int64_t size, const uint32_t *view, int n)
{
	uint32_t first = repeat_row(r, 1, 0), last = repeat_row(r, 1, r->period - 1);
	int64_t taken = elements_in(s, last, 0);
	return size > 0 && taken > size && taken % size == 0 && is_on(s, last, NAMES_REDUCES) &&
		views_of_size(s, view, n, elements_in(s, first, 0));
}

/* Does a round give a tensor of that size: its last operator, or, where each begins from slices of
 * which one is so large, any? */
static bool gives(
	const struct facts *s, const struct repeat *r, int64_t size, const uint32_t *view, int n)
{
	uint32_t last = repeat_row(r, 1, r->period - 1);
	bool reduces = is_on(s, last, NAMES_PARTS) || strstr(row_name(s, last), "pool");
	int64_t given = elements_given(s, last);
	if (given == size || (reduces && size > 0 && given % size == 0) ||
		reduces_slice(s, r, size, view, n))
		return true;
	for (size_t k = 0; k + 1 < r->period && views_of_size(s, view, n, size); k++)
		if (elements_given(s, repeat_row(r, 1, k)) == size)
			return true;
	return false;
}

/* Behind the last round as many tensors are joined as there are rounds, each of what a round gives.
 */
static bool are_joined(const struct facts *s, const struct repeat *r, const uint32_t *view, int n)
{
	enum { BEHIND = 3 };
	size_t end = r->first + r->rounds * r->period;
	for (size_t i = end; i < r->of->n && i < end + BEHIND; i++) {
		uint32_t row = r->of->unit[i].row;
		if (!is_named(s, row, "aten::cat") && !is_named(s, row, "aten::stack"))
			continue;
		int64_t rounds = (int64_t)r->rounds, tensors = 0,
			all = elements_joined(s, row, &tensors);
		tensors = tensors ? tensors : rounds;
		if (tensors >= LEAST_REQUESTS && tensors <= rounds && tensors + 1 >= rounds &&
			all % tensors == 0 && gives(s, r, all / tensors, view, n))
			return true;
	}
	return false;
}

/* Each round gives a number, and takes a tensor as large as one that the round before made, which
 * is no part of another: a state that goes on, as in a recurrence of vectors. */
static bool keeps_a_state(const struct facts *s, const struct repeat *r, int views)
{
	uint32_t last = repeat_row(r, 1, r->period - 1);
	return !views && is_on(s, last, NAMES_REDUCES) && repeat_hands_on(s, r);
}

/* What one round picks the next one looks up: the sequence is not there before, and no layer can
 * take it at once. */
static bool feeds_itself(const struct round_of *x)
{
	return x->picks && x->lookups;
}

bool repeat_feeds_itself(const struct facts *s, const struct repeat *r)
{
	struct round_of x = look_at_round(s, r);
	return feeds_itself(&x);
}

/* A part of the sequence is added to the product of what was before. */
static bool adds_parts(const struct facts *s, const struct repeat *r, const struct round_of *x,
	const uint32_t *view, int n)
{
	return x->added && (x->tanhs || x->sigmoids) && !x->convolutions &&
		views_of_size(s, view, n, x->added) && may_depend(s, r, view, n);
}

enum repeat_kind repeat_kind(const struct facts *s, const struct repeat *r)
{
	if (is_node_of_autograd(s, repeat_row(r, 0, 0)))
		return REPEAT_OTHER;
	struct round_of x = look_at_round(s, r);
	uint32_t view[REPEAT_VIEWS];
	if (!x.products && !x.cells && repeat_waits(s, r))
		return repeat_asks(s, r, elements_given(s, repeat_row(r, 1, r->period - 1)));
	if (!x.products && !x.cells)
		return is_small(s, r) ? REPEAT_SMALL : REPEAT_OTHER;
	int n = views_that_go_on(s, r, view);
	bool recurrent = is_recurrent(&x) || adds_parts(s, r, &x, view, n);
	bool gates = x.sigmoids >= 2 && x.tanhs; /* a gated layer has one of each */
	if (recurrent && feeds_itself(&x))
		return REPEAT_DECODES;
	if (recurrent && r->rounds >= LEAST_CELLS && (n || x.cells || gates))
		return REPEAT_CELLS;
	if (repeat_trains(s, r)) /* the next has the weights that this one gives */
		return REPEAT_OTHER;
	if (n && r->rounds >= LEAST_REQUESTS && !recurrent && !repeat_waits(s, r) &&
		works_on_slices(s, r, &x, view, n) &&
		(!may_depend(s, r, view, n) || hands_over_a_number(s, r, view, n)))
		return REPEAT_SLICES;
	if (is_requests(s, r, &x))
		return REPEAT_REQUESTS;
	if (x.products && repeat_is_routed(s, r))
		return REPEAT_ROUTED;
	if (feeds_itself(&x))
		return REPEAT_OTHER;
	if (!recurrent && !repeat_waits(s, r) && are_joined(s, r, view, n))
		return keeps_a_state(s, r, n) ? REPEAT_OTHER : REPEAT_JOINED;
	return !recurrent && repeat_is_apart(s, r) ? REPEAT_APART : REPEAT_OTHER;
}
