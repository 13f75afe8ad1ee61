/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/graph.h"

#include <string.h>

void graph_init(struct graph *g, int n_inputs, const struct tensor *in, struct tensor *traced)
{
	/* Not zeroed whole: most of the room is never touched. */
	g->n_inputs = g->n_values = n_inputs;
	g->n_nodes = 0;
	g->out = (struct tensor){0};
	for (int i = 0; i < n_inputs; i++) {
		g->value[i] = in[i];
		g->value[i].memory = NULL;
		g->value[i].storage = NULL;
		g->value[i].value = i;
		traced[i] = g->value[i];
	}
}

static struct node *append(struct graph *g, enum node_kind kind, enum dtype dtype, int rank,
	const int64_t *dim, struct tensor *d, struct err *err)
{
	if (g->n_nodes == GRAPH_NODES) {
		fail(err, "the step has more than %d operators: too many to compile", GRAPH_NODES);
		return NULL;
	}
	struct node *n = &g->node[g->n_nodes++];
	*n = (struct node){.kind = kind, .out = g->n_values++};
	*d = tensor_dense(dtype, rank, dim);
	d->value = n->out;
	g->value[n->out] = *d;
	return n;
}

int graph_gemm(struct graph *g, const struct tensor *a, const struct tensor *b, enum addend how,
	const struct tensor *addend, struct tensor *d, struct err *err)
{
	int64_t dim[TENSOR_RANK];
	memcpy(dim, a->dim, sizeof dim);
	dim[a->rank - 1] = b->dim[b->rank - 1];
	struct tensor left = *a, right = *b; /* d may be one of them */
	struct node *n = append(g, NODE_GEMM, a->dtype, a->rank, dim, d, err);
	if (!n)
		return -1;
	n->a = left;
	n->b = right;
	n->how = how;
	if (how != ADDEND_NONE)
		n->addend = *addend;
	return 0;
}

int graph_pointwise(struct graph *g, enum pointwise step, int n_in, const struct tensor *const *in,
	struct tensor *d, struct err *err)
{
	int value[GRAPH_STEPS];
	for (int i = 0; i < n_in; i++)
		value[i] = in[i]->value;
	struct tensor shape = *in[0];
	struct node *n = append(g, NODE_POINTWISE, shape.dtype, shape.rank, shape.dim, d, err);
	if (!n)
		return -1;
	n->n_steps = 1;
	n->step[0] = step;
	n->n_in = n_in;
	memcpy(n->in, value, (size_t)n_in * sizeof *value);
	return 0;
}

static int node_uses(const struct node *n, int value)
{
	if (n->kind == NODE_GEMM)
		return (n->a.value == value) + (n->b.value == value) +
			(n->how != ADDEND_NONE && n->addend.value == value);
	int uses = 0;
	for (int i = 0; i < n->n_in; i++)
		uses += n->in[i] == value;
	return uses;
}

/* The node that makes a value read exactly once, by another node; NULL if there is none. */
static struct node *sole_producer(struct graph *g, int value)
{
	struct node *producer = NULL;
	int uses = g->out.value == value;
	for (int i = 0; i < g->n_nodes; i++) {
		struct node *n = &g->node[i];
		if (n->dead)
			continue;
		uses += node_uses(n, value);
		if (n->out == value)
			producer = n;
	}
	return uses == 1 ? producer : NULL;
}

/* Turns an add into the GEMM that made one of its operands, now onto a copy of the other. The
 * GEMM moves to the add's place, where both operands exist. */
static bool fuse_product(struct graph *g, struct node *add)
{
	for (int side = 0; side < 2; side++) {
		struct node *gemm = sole_producer(g, add->in[side]);
		const struct tensor *other = &g->value[add->in[1 - side]];
		if (!gemm || gemm->kind != NODE_GEMM || gemm->how != ADDEND_NONE ||
			other->rank != 2 || !tensor_same_shape(other, &g->value[gemm->out]))
			continue;
		int out = add->out;
		*add = *gemm;
		add->out = out;
		add->how = ADDEND_COPIED;
		add->addend = *other;
		gemm->dead = true;
		return true;
	}
	return false;
}

static bool takes_two(enum pointwise step)
{
	return step == POINTWISE_ADD || step == POINTWISE_MUL;
}

/* `last` with the steps of `first` in front; the running value was last's operand number `side`. */
static void chain(struct node *last, const struct node *first, int side)
{
	struct node n = *first;
	memcpy(n.step + n.n_steps, last->step, (size_t)last->n_steps * sizeof *n.step);
	n.n_steps += last->n_steps;
	for (int i = 0; i < last->n_in; i++)
		if (i != side)
			n.in[n.n_in++] = last->in[i];
	n.out = last->out;
	*last = n;
}

static bool fuse_pointwise(struct graph *g, struct node *last)
{
	int sides = takes_two(last->step[0]) ? 2 : 1;
	for (int side = 0; side < sides; side++) {
		struct node *first = sole_producer(g, last->in[side]);
		if (!first || first->kind != NODE_POINTWISE ||
			first->n_steps + last->n_steps > GRAPH_STEPS ||
			first->n_in + last->n_in - 1 > GRAPH_STEPS)
			continue;
		chain(last, first, side);
		first->dead = true;
		return true;
	}
	return false;
}

void graph_fuse(struct graph *g)
{
	for (int i = 0; i < g->n_nodes; i++) {
		struct node *n = &g->node[i];
		if (n->kind == NODE_POINTWISE && n->step[0] == POINTWISE_ADD)
			fuse_product(g, n);
	}
	for (int i = 0; i < g->n_nodes; i++)
		while (!g->node[i].dead && g->node[i].kind == NODE_POINTWISE &&
			fuse_pointwise(g, &g->node[i]))
			continue;
}
