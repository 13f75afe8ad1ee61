/* SPDX-License-Identifier: Apache-2.0 */
/* Backward passes that go on into a network which another optimizer trains, by gradients of its
 * own: what one network gives was not detached from it in front of the other. */
#include "base/min_max.h"
#include "report/rules/pattern.h"

#include "report/replay/changes.h"

#include <string.h>

enum { MOST_STEPS = 16, LEAST_SET = 4 };

/* What a step of an optimizer has to go on: gradients that were set since the step before it. */
struct turn {
	uint32_t step; /* the optimizer's row */
	int64_t trains, elements; /* tensors of its lists, and elements of them */
	int64_t nodes; /* that keep gradients since the step before */
	int64_t set, others; /* elements of as many of the first as it trains, and of the others */
	uint32_t last; /* the last of the first */
	bool adds; /* one of the first adds to what was there */
};

/* Elements of the list of an operator of the step that has all tensors; 0: there is none. */
static int64_t elements_trained(const struct facts *s, uint32_t step, int64_t tensors)
{
	const struct trace *t = s->t;
	int64_t most = 0; /* a list of step counts has as many tensors */
	for (uint32_t i = step + 1; i < t->n && t->start_ns[i] < row_end(t, step); i++) {
		const struct inputs *x = inputs_of(s->a, i);
		if (x && tensors > 0 && x->in[0].tensors == tensors)
			most = max64(most, x->in[0].list_elements);
	}
	return most;
}

static size_t steps_of(const struct facts *s, struct turn *turn)
{
	size_t n = 0;
	for (size_t o = 0; o < s->optimizers.n && n < MOST_STEPS; o++) {
		uint32_t row = s->optimizers.row[o];
		bool inside = n && s->t->start_ns[row] < row_end(s->t, turn[n - 1].step);
		int64_t tensors = inside ? 0 : tensors_of_step(s, row);
		int64_t elements = elements_trained(s, row, tensors);
		if (elements)
			turn[n++] = (struct turn){.step = row,
				.trains = tensors,
				.elements = elements,
				.last = NO_ROW};
	}
	return n;
}

static bool adds_inside(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	for (uint32_t i = row + 1; i < t->n && t->start_ns[i] < row_end(t, row); i++)
		if (t->track[i] == t->track[row] && !strncmp(row_name(s, i), "aten::add", 9))
			return true;
	return false;
}

static void see_node(const struct facts *s, struct turn *x, uint32_t row)
{
	if (x->nodes++ >= x->trains) {
		x->others += elements_at(s, row, 0);
		return;
	}
	x->set += elements_at(s, row, 0);
	x->adds |= adds_inside(s, row);
	x->last = row;
}

static void see_nodes(const struct facts *s, struct turn *turn, size_t n)
{
	const struct trace *t = s->t;
	name_id node = names_find(&t->names, "torch::autograd::AccumulateGrad");
	size_t k = 0;
	for (uint32_t i = s->work_from; node && i < s->work_to && k < n; i++) {
		while (k < n && t->start_ns[i] >= t->start_ns[turn[k].step])
			k++;
		if (k < n && t->name[i] == node)
			see_node(s, &turn[k], i);
	}
}

/* Its own gradients come first, all of them and cleared before, and behind them those of another
 * turn, which has a backward pass of its own for them. Two alike may be one that goes on. */
static bool goes_too_far(const struct turn *turn, size_t n, size_t k)
{
	const struct turn *x = &turn[k];
	int64_t more = x->nodes - x->trains;
	if (x->adds || more < LEAST_SET || x->set != x->elements || x->others == x->elements)
		return false;
	for (size_t i = 0; i < n; i++)
		if (turn[i].trains == more && turn[i].elements == x->others &&
			turn[i].nodes >= more)
			return true;
	return false;
}

bool goes_into_others(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	struct turn turn[MOST_STEPS];
	size_t n = steps_of(s, turn), nodes = 0;
	int64_t ns = 0;
	see_nodes(s, turn, n > 1 ? n : 0);
	for (size_t k = 0; k < n && n > 1; k++) {
		if (!goes_too_far(turn, n, k))
			continue;
		prove(f, turn[k].step);
		for (uint32_t i = turn[k].last; i < turn[k].step; i++) {
			uint32_t up = t->parent[i];
			bool inside = up != NO_ROW && t->kind[up] == EVENT_OP;
			if (t->track[i] != t->track[turn[k].last] || inside ||
				t->start_ns[i] < row_end(t, turn[k].last) || t->kind[i] != EVENT_OP)
				continue;
			plan_goes(f->plan, t, i);
			ns += t->dur_ns[i];
			nodes++;
		}
	}
	f->variant = "detached";
	TELL(f, {"n", (double)nodes}, {"time", 0}, {"share", share_of_window(s, ns)},
		{"host", (double)ns}, {"launches", 0});
	return nodes > 0;
}
