/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - what a step does, written down once and made smaller.
 *
 * While ops.recording points to a graph, each operator appends a node instead of launching, and
 * tensors name values of the graph. Views are only strides, so a transpose is folded by being
 * recorded. Nodes stand in the order of the calls; every operand is made before it is used.
 */
#ifndef EXPERIMENTS_GRAPH_H
#define EXPERIMENTS_GRAPH_H

#include "experiments/tensor.h"

enum {
	GRAPH_NODES = 64,
	GRAPH_INPUTS = 4,
	GRAPH_VALUES = GRAPH_INPUTS + GRAPH_NODES,
	GRAPH_STEPS = 4
};

enum node_kind { NODE_GEMM, NODE_POINTWISE };

/* How a GEMM gets what is added to its product. */
enum addend {
	ADDEND_NONE,
	ADDEND_EPILOGUE, /* in the kernel, a row or a matrix */
	ADDEND_COPIED /* a matrix, copied into the result first; the GEMM accumulates */
};

struct node {
	enum node_kind kind;
	int out; /* value */
	bool dead; /* fused into another */
	struct tensor a, b; /* GEMM: views of values */
	enum addend how; /* GEMM */
	struct tensor addend; /* GEMM, unless ADDEND_NONE */
	int n_steps, n_in; /* POINTWISE, see struct device_pointwise */
	enum pointwise step[GRAPH_STEPS];
	int in[GRAPH_STEPS]; /* values */
};

struct graph {
	int n_inputs; /* values 0 to n_inputs - 1 */
	int n_values, n_nodes;
	struct tensor value[GRAPH_VALUES]; /* (n_values) dense; inputs with their own layout */
	struct node node[GRAPH_NODES]; /* (n_nodes) */
	struct tensor out; /* the result: a dense view of a value */
};

/* An empty graph of at most GRAPH_INPUTS inputs; in[] become its first values and are given as
 * traced tensors in `traced`. */
void graph_init(struct graph *g, int n_inputs, const struct tensor *in, struct tensor *traced);

/* Appending, for the operators; they have checked the shapes. d becomes a new value of the graph.
 */
int graph_gemm(struct graph *g, const struct tensor *a, const struct tensor *b, enum addend how,
	const struct tensor *addend, struct tensor *d, struct err *err);
int graph_pointwise(struct graph *g, enum pointwise step, int n_in, const struct tensor *const *in,
	struct tensor *d, struct err *err);

/* The passes, in this order. A product (m,n) that only an add of a matrix reads becomes a GEMM
 * onto a copy of that matrix, as PyTorch's Inductor makes of matmul + add; a pointwise node that
 * only another reads as its running value moves into it. */
void graph_fuse(struct graph *g);

#endif
