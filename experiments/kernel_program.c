/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/kernel_program.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- buffers ---- */

struct planner {
	const struct graph *g;
	struct program *p;
	int slot[GRAPH_VALUES]; /* of each value, -1 before it is made */
	int last_use[GRAPH_VALUES]; /* node that reads it last; n_nodes for the result */
	int owner[PROGRAM_SLOTS]; /* value that is in the slot now */
};

static void note_use(struct planner *pl, int value, int node)
{
	if (pl->last_use[value] < node)
		pl->last_use[value] = node;
}

static void find_last_uses(struct planner *pl)
{
	const struct graph *g = pl->g;
	for (int i = 0; i < g->n_nodes; i++) {
		const struct node *n = &g->node[i];
		if (n->dead)
			continue;
		note_use(pl, n->out, i);
		if (n->kind == NODE_GEMM) {
			note_use(pl, n->a.value, i);
			note_use(pl, n->b.value, i);
		}
		if (n->kind == NODE_GEMM && n->how != ADDEND_NONE)
			note_use(pl, n->addend.value, i);
		for (int k = 0; k < n->n_in; k++)
			note_use(pl, n->in[k], i);
	}
	note_use(pl, g->out.value, g->n_nodes);
}

/* The smallest large enough buffer that is free at this node, or a new one. */
static int choose_buffer(struct planner *pl, size_t bytes, int node)
{
	struct program *p = pl->p;
	int best = -1;
	for (int s = p->n_inputs; s < p->n_slots; s++) {
		bool free = pl->last_use[pl->owner[s]] < node;
		if (free && p->slot_bytes[s] >= bytes &&
			(best < 0 || p->slot_bytes[s] < p->slot_bytes[best]))
			best = s;
	}
	if (best >= 0)
		return best;
	p->slot_bytes[p->n_slots] = bytes;
	return p->n_slots++;
}

static int place(struct planner *pl, int value, int node)
{
	int s = choose_buffer(pl, tensor_bytes(&pl->g->value[value]), node);
	pl->owner[s] = value;
	pl->slot[value] = s;
	return s;
}

/* ---- kernels ---- */

static struct program_kernel *append(struct program *p, enum program_kind kind, int out)
{
	struct program_kernel *k = &p->kernel[p->n_kernels++];
	*k = (struct program_kernel){.kind = kind, .out = out};
	return k;
}

static void add_copy(struct planner *pl, const struct node *n, int out)
{
	struct program_kernel *k = append(pl->p, PROGRAM_COPY, out);
	k->n_in = 1;
	k->in[0] = pl->slot[n->addend.value];
	k->bytes = tensor_bytes(&n->addend);
}

static void add_gemm(struct planner *pl, const struct node *n, int out)
{
	if (n->how == ADDEND_COPIED)
		add_copy(pl, n, out);
	struct program_kernel *k = append(pl->p, PROGRAM_GEMM, out);
	k->n_in = 2;
	k->in[0] = pl->slot[n->a.value];
	k->in[1] = pl->slot[n->b.value];
	k->gemm = (struct device_gemm){
		.dtype = n->a.dtype,
		.batch = tensor_batch(&n->a),
		.a = tensor_matrix(&n->a),
		.b = tensor_matrix(&n->b),
		.d = tensor_matrix(&pl->g->value[n->out]),
		.accumulate = n->how == ADDEND_COPIED,
	};
	if (n->how != ADDEND_EPILOGUE)
		return;
	k->in[k->n_in++] = pl->slot[n->addend.value];
	k->addend = tensor_matrix(&n->addend);
}

static void add_pointwise(struct planner *pl, const struct node *n, int out)
{
	struct program_kernel *k = append(pl->p, PROGRAM_POINTWISE, out);
	k->n_in = n->n_in;
	for (int i = 0; i < n->n_in; i++)
		k->in[i] = pl->slot[n->in[i]];
	k->pointwise = (struct device_pointwise){
		.dtype = pl->g->value[n->out].dtype,
		.n = tensor_elements(&pl->g->value[n->out]),
		.n_steps = n->n_steps,
		.n_inputs = n->n_in,
	};
	for (int i = 0; i < n->n_steps; i++)
		k->pointwise.step[i] = n->step[i];
}

/* ---- text ---- */

static const char *step_name(enum pointwise step)
{
	switch (step) {
	case POINTWISE_ADD:
		return "add";
	case POINTWISE_MUL:
		return "mul";
	case POINTWISE_GELU_TANH:
		return "gelu_tanh";
	case POINTWISE_SQUARE:
		return "square";
	}
	bug("unknown pointwise step %d", (int)step);
}

static void print_matrix(FILE *f, const char *label, int slot, const struct device_matrix *m)
{
	fprintf(f,
		" %s=%%%d[%" PRId64 ",%" PRId64 " +%" PRId64 " by %" PRId64 ",%" PRId64 ",%" PRId64
		"]",
		label, slot, m->rows, m->cols, m->offset, m->batch_stride, m->row_stride,
		m->col_stride);
}

static void print_gemm(FILE *f, const struct program_kernel *k)
{
	fprintf(f, "gemm %s batch=%" PRId64, dtype_name(k->gemm.dtype), k->gemm.batch);
	print_matrix(f, k->gemm.accumulate ? "d+" : "d", k->out, &k->gemm.d);
	print_matrix(f, "a", k->in[0], &k->gemm.a);
	print_matrix(f, "b", k->in[1], &k->gemm.b);
	if (k->n_in == 3)
		print_matrix(f, "addend", k->in[2], &k->addend);
	fputc('\n', f);
}

static void print_pointwise(FILE *f, const struct program_kernel *k)
{
	fprintf(f, "pointwise %s n=%" PRId64 " %%%d =", dtype_name(k->pointwise.dtype),
		k->pointwise.n, k->out);
	for (int i = 0; i < k->pointwise.n_steps; i++)
		fprintf(f, " %s", step_name(k->pointwise.step[i]));
	for (int i = 0; i < k->n_in; i++)
		fprintf(f, " %%%d", k->in[i]);
	fputc('\n', f);
}

static void print_kernel(FILE *f, const struct program_kernel *k)
{
	switch (k->kind) {
	case PROGRAM_COPY:
		fprintf(f, "copy %zu bytes %%%d = %%%d\n", k->bytes, k->out, k->in[0]);
		break;
	case PROGRAM_GEMM:
		print_gemm(f, k);
		break;
	case PROGRAM_POINTWISE:
		print_pointwise(f, k);
		break;
	}
}

static void print_program(FILE *f, const struct program *p)
{
	char text[TENSOR_TEXT];
	fprintf(f, "inputs %d\n", p->n_inputs);
	for (int s = p->n_inputs; s < p->n_slots; s++)
		fprintf(f, "buffer %%%d %zu bytes\n", s, p->slot_bytes[s]);
	for (int i = 0; i < p->n_kernels; i++)
		print_kernel(f, &p->kernel[i]);
	fprintf(f, "return %%%d %s %s\n", p->out, dtype_name(p->shape.dtype),
		tensor_text(&p->shape, text));
}

static void set_text(struct program *p, struct arena *a)
{
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	if (!f)
		out_of_memory(0);
	print_program(f, p);
	if (fclose(f))
		out_of_memory(length);
	p->text = arena_strndup(a, text, length);
	p->hash = hash_of_text(p->text);
	free(text);
}

void program_init(struct program *p, const struct graph *g, struct arena *a)
{
	*p = (struct program){.n_inputs = g->n_inputs, .n_slots = g->n_inputs};
	struct planner pl = {.g = g, .p = p};
	for (int v = 0; v < g->n_values; v++) {
		pl.slot[v] = v < g->n_inputs ? v : -1;
		pl.last_use[v] = -1;
	}
	find_last_uses(&pl);
	/* a node makes a kernel, or a copy and a kernel */
	p->kernel = arena_array(a, 2 * (size_t)g->n_nodes, sizeof *p->kernel);
	for (int i = 0; i < g->n_nodes; i++) {
		const struct node *n = &g->node[i];
		if (n->dead)
			continue;
		int out = place(&pl, n->out, i);
		if (n->kind == NODE_GEMM)
			add_gemm(&pl, n, out);
		else
			add_pointwise(&pl, n, out);
	}
	p->out = pl.slot[g->out.value];
	p->shape = g->out;
	set_text(p, a);
}

/* ---- running ---- */

static int run_gemm(const struct program_kernel *k, struct ops *o,
	struct device_memory *const *memory, struct err *err)
{
	struct device_gemm gemm = k->gemm;
	struct device_matrix addend = k->addend;
	gemm.d.memory = memory[k->out];
	gemm.a.memory = memory[k->in[0]];
	gemm.b.memory = memory[k->in[1]];
	if (k->n_in == 3) {
		addend.memory = memory[k->in[2]];
		gemm.addend = &addend;
	}
	return ops_enqueue_gemm(o, &gemm, err);
}

static int run_pointwise(const struct program_kernel *k, struct ops *o,
	struct device_memory *const *memory, struct err *err)
{
	struct device_pointwise p = k->pointwise;
	p.out = memory[k->out];
	for (int i = 0; i < k->n_in; i++)
		p.in[i] = memory[k->in[i]];
	return ops_enqueue_pointwise(o, &p, err);
}

static int run_kernel(const struct program_kernel *k, struct ops *o,
	struct device_memory *const *memory, struct err *err)
{
	switch (k->kind) {
	case PROGRAM_COPY:
		return ops_enqueue_copy(o, memory[k->out], memory[k->in[0]], k->bytes, err);
	case PROGRAM_GEMM:
		return run_gemm(k, o, memory, err);
	case PROGRAM_POINTWISE:
		return run_pointwise(k, o, memory, err);
	}
	bug("unknown kernel kind %d", (int)k->kind);
}

int program_run(const struct program *p, struct ops *o, struct device_memory *const *memory,
	struct err *err)
{
	for (int i = 0; i < p->n_kernels; i++)
		if (run_kernel(&p->kernel[i], o, memory, err))
			return -1;
	return 0;
}
