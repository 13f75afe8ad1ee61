/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/graph_compiler.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One program: what it was compiled for, and all it needs to run. */
struct compiled_entry {
	uint64_t key;
	struct tensor in[FUNCTION_INPUTS]; /* with the memory a captured graph reads */
	struct program program;
	struct storage *buffer[PROGRAM_SLOTS]; /* by slot, NULL for inputs */
	struct device_memory *memory[PROGRAM_SLOTS]; /* by slot; inputs are set on each call */
	struct device_graph *captured; /* launched in replay mode */
	const char *region, *call; /* names of its spans */
	struct compiled_entry *next;
};

void compiled_init(struct compiled *c, struct ops *o, const struct function *function, bool replay)
{
	*c = (struct compiled){
		.ops = o,
		.function = function,
		.replay = replay,
		.frame = o->frames++,
	};
}

/* ---- cache and guard ---- */

static uint64_t mix(uint64_t hash, int64_t word)
{
	hash = (hash ^ (uint64_t)word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t inputs_key(int n_in, const struct tensor *in)
{
	uint64_t hash = (uint64_t)n_in;
	for (int i = 0; i < n_in; i++) {
		hash = mix(mix(mix(hash, in[i].dtype), in[i].rank), in[i].offset);
		for (int d = 0; d < in[i].rank; d++)
			hash = mix(mix(hash, in[i].dim[d]), in[i].stride[d]);
	}
	return hash;
}

static struct compiled_entry *lookup(struct compiled *c, uint64_t *key, const struct tensor *in)
{
	struct op_scope scope = ops_begin(c->ops, "cache lookup", 0, NULL);
	*key = inputs_key(c->function->n_inputs, in);
	struct compiled_entry *e = c->first;
	while (e && e->key != *key)
		e = e->next;
	ops_end(c->ops, scope);
	return e;
}

static bool guard_check(struct compiled *c, const struct compiled_entry *e, const struct tensor *in)
{
	struct op_scope scope = ops_begin(c->ops, "guard check", 0, NULL);
	bool same = true;
	for (int i = 0; i < c->function->n_inputs; i++)
		same = same && tensor_same_layout(&in[i], &e->in[i]);
	ops_end(c->ops, scope);
	return same;
}

/* ---- names ---- */

static const char *name_text(struct ops *o, const char *text)
{
	return names_text(o->names, names_add_text(o->names, text));
}

struct changes {
	int n;
	const char *name[FUNCTION_INPUTS * TENSOR_RANK];
	char text[256];
};

static void add_change(struct changes *w, const char *name, int64_t from, int64_t to)
{
	for (int i = 0; i < w->n; i++)
		if (!strcmp(w->name[i], name))
			return;
	size_t used = strlen(w->text);
	snprintf(w->text + used, sizeof w->text - used, "%s %s %" PRId64 " -> %" PRId64,
		w->n ? "," : "", name, from, to);
	w->name[w->n++] = name;
}

/* What differs from the latest call, a dimension of several inputs named once. */
static const char *why_again(const struct compiled *c, const struct tensor *in)
{
	struct changes why = {.text = "recompile:"};
	for (int i = 0; i < c->function->n_inputs; i++) {
		const struct tensor *old = &c->last_run->in[i];
		for (int d = 0; d < in[i].rank && d < old->rank; d++)
			if (in[i].dim[d] != old->dim[d])
				add_change(&why, c->function->input[i].dim[d], old->dim[d],
					in[i].dim[d]);
	}
	if (!why.n)
		strncat(why.text, " the inputs' layout", sizeof why.text - strlen(why.text) - 1);
	return name_text(c->ops, why.text);
}

/* ---- compiling ---- */

static int record(struct compiled *c, struct graph *g, const struct tensor *in, struct err *err)
{
	struct ops *o = c->ops;
	struct tensor traced[FUNCTION_INPUTS];
	struct span *span = ops_setup(o, "record");
	graph_init(g, c->function->n_inputs, in, traced);
	o->recording = g;
	int rc = c->function->call(o, traced, &g->out, err);
	o->recording = NULL;
	span_end(span);
	return rc;
}

static void fuse(struct compiled *c, struct graph *g)
{
	struct span *span = ops_setup(c->ops, "fuse");
	graph_fuse(g);
	span_end(span);
}

static void name_rows(const struct compiled *c, struct compiled_entry *e)
{
	char text[64];
	snprintf(text, sizeof text, "compiled region %d/%d", c->frame, c->n_compiled);
	e->region = name_text(c->ops, text);
	snprintf(text, sizeof text, "%s graph %016" PRIx64, c->replay ? "replay" : "call",
		e->program.hash);
	e->call = name_text(c->ops, text);
}

static int plan(
	struct compiled *c, struct compiled_entry *e, const struct graph *g, struct err *err)
{
	struct span *span = ops_setup(c->ops, "plan");
	int rc = 0;
	program_init(&e->program, g, c->ops->arena);
	for (int i = 0; i < e->program.n_kernels; i++)
		e->program.kernel[i].gemm.tune = c->tune;
	for (int s = e->program.n_inputs; s < e->program.n_slots && !rc; s++) {
		e->buffer[s] = storage_take(&c->ops->cache, e->program.slot_bytes[s], err);
		if (e->buffer[s])
			e->memory[s] = e->buffer[s]->memory;
		else
			rc = -1;
	}
	name_rows(c, e);
	span_end(span);
	return rc;
}

static void lend_inputs(struct compiled_entry *e, int n_in, const struct tensor *in)
{
	for (int i = 0; i < n_in; i++)
		e->memory[i] = in[i].memory;
}

static void drop_captured(struct compiled *c, struct compiled_entry *e)
{
	if (e->captured)
		c->ops->call->graph_free(c->ops->device, e->captured);
	e->captured = NULL;
}

/* Everything the device makes on first use is made while the program is captured, here and not in
 * the first launch. Only replay launches what was captured, but it is kept in any case: to free it
 * now may wait for the queue. */
static int capture(
	struct compiled *c, struct compiled_entry *e, const struct tensor *in, struct err *err)
{
	struct ops *o = c->ops;
	drop_captured(c, e);
	memcpy(e->in, in, (size_t)c->function->n_inputs * sizeof *in);
	lend_inputs(e, c->function->n_inputs, in);
	if (o->call->capture_begin(o->device, err))
		return -1;
	int rc = program_run(&e->program, o, e->memory, err);
	e->captured = o->call->capture_end(o->device, err);
	return e->captured ? rc : -1;
}

static int make_kernels(
	struct compiled *c, struct compiled_entry *e, const struct tensor *in, struct err *err)
{
	struct ops *o = c->ops;
	struct span *span = ops_setup(o, c->replay ? "capture graph" : "make kernels");
	int rc = capture(c, e, in, err);
	if (rc)
		drop_captured(c, e);
	span_end(span);
	return rc;
}

static void entry_free(struct compiled *c, struct compiled_entry *e)
{
	drop_captured(c, e);
	for (int s = 0; s < PROGRAM_SLOTS; s++)
		if (e->buffer[s])
			storage_give_back(e->buffer[s]);
	free(e);
}

static int fill_entry(
	struct compiled *c, struct compiled_entry *e, const struct tensor *in, struct err *err)
{
	struct graph *g = xalloc(sizeof *g);
	int rc = record(c, g, in, err);
	if (!rc) {
		fuse(c, g);
		rc = plan(c, e, g, err);
	}
	free(g);
	return rc ? rc : make_kernels(c, e, in, err);
}

static struct compiled_entry *compile(
	struct compiled *c, uint64_t key, const struct tensor *in, struct err *err)
{
	struct ops *o = c->ops;
	struct span *why = c->last_run ? ops_setup(o, why_again(c, in)) : NULL;
	struct span *span = ops_setup(o, "graph compile");
	struct compiled_entry *e = xcalloc(1, sizeof *e);
	e->key = key;
	int rc = fill_entry(c, e, in, err);
	span_end(span);
	span_end(why);
	if (rc) {
		entry_free(c, e);
		return NULL;
	}
	c->n_compiled++;
	e->next = c->first;
	c->first = e;
	return e;
}

/* ---- calling ---- */

static bool captured_elsewhere(
	const struct compiled *c, const struct compiled_entry *e, const struct tensor *in)
{
	for (int i = 0; c->replay && i < c->function->n_inputs; i++)
		if (in[i].memory != e->in[i].memory)
			return true;
	return false;
}

static struct compiled_entry *entry_for(
	struct compiled *c, const struct tensor *in, struct err *err)
{
	uint64_t key;
	struct compiled_entry *e = lookup(c, &key, in);
	if (!e || !guard_check(c, e, in))
		return compile(c, key, in, err);
	if (captured_elsewhere(c, e, in) && make_kernels(c, e, in, err))
		return NULL;
	return e;
}

static int run_entry(
	struct compiled *c, struct compiled_entry *e, const struct tensor *in, struct err *err)
{
	struct op_scope region = ops_begin(c->ops, e->region, 0, NULL);
	struct op_scope call = ops_begin(c->ops, e->call, 0, NULL);
	int rc;
	if (c->replay) {
		rc = ops_enqueue_graph(c->ops, e->captured, err);
	} else {
		lend_inputs(e, c->function->n_inputs, in);
		rc = program_run(&e->program, c->ops, e->memory, err);
	}
	ops_end(c->ops, call);
	ops_end(c->ops, region);
	return rc;
}

int compiled_call(struct compiled *c, const struct tensor *in, struct tensor *out, struct err *err)
{
	struct compiled_entry *e = entry_for(c, in, err);
	if (!e)
		return -1;
	c->last_run = e;
	if (run_entry(c, e, in, err))
		return -1;
	*out = e->program.shape;
	out->value = 0;
	out->memory = e->memory[e->program.out];
	return 0;
}

const struct program *compiled_program(const struct compiled *c)
{
	return c->last_run ? &c->last_run->program : NULL;
}

void compiled_release(struct compiled *c)
{
	while (c->first) {
		struct compiled_entry *e = c->first;
		c->first = e->next;
		entry_free(c, e);
	}
	c->last_run = NULL;
}
