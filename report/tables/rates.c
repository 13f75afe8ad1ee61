/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/sort.h"
#include "report/analyse/chips.h"
#include "report/analyse/operator_cost.h"
#include "report/tables/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Calls of one operator with the same inputs, and what they ran on the device; without an operator
 * in the file, the calls of one kernel. */
struct group {
	name_id key[5]; /* name, dims, types, strides; of convolutions also concrete inputs */
	uint32_t op; /* the first such call, NO_ROW */
	uint32_t kernel; /* the longest of its events */
	size_t calls;
	int64_t ns;
	struct cost cost;
};

struct groups {
	struct group *group; /* (n) */
	uint32_t *chain; /* (n) the next in its bucket + 1 */
	uint32_t *bucket; /* (mask + 1) index + 1 */
	uint32_t n, room, mask;
};

static uint32_t hash_of(const name_id key[5])
{
	uint64_t h = 0;
	for (int i = 0; i < 5; i++)
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static struct group *find(struct groups *g, const name_id key[5])
{
	uint32_t *bucket = &g->bucket[hash_of(key) & g->mask];
	for (uint32_t at = *bucket; at; at = g->chain[at - 1])
		if (!memcmp(g->group[at - 1].key, key, sizeof g->group->key))
			return &g->group[at - 1];
	if (g->n == g->room) {
		g->room *= 2;
		g->group = xrealloc(g->group, g->room, sizeof *g->group);
		g->chain = xrealloc(g->chain, g->room, sizeof *g->chain);
	}
	struct group *x = &g->group[g->n];
	*x = (struct group){.op = NO_ROW, .kernel = NO_ROW};
	memcpy(x->key, key, sizeof x->key);
	g->chain[g->n] = *bucket;
	*bucket = ++g->n;
	return x;
}

static void key_of(const struct trace *t, uint32_t op, uint32_t event, name_id key[5])
{
	bool inputs = op != NO_ROW && t->side[op] != NO_ROW;
	const struct op_inputs none = {0}, *in = inputs ? &t->inputs[t->side[op]] : &none;
	key[0] = t->name[op == NO_ROW ? event : op];
	key[1] = in->dims;
	key[2] = in->types;
	key[3] = in->strides;
	key[4] = strstr(names_text(&t->names, key[0]), "conv") ? in->concrete : 0;
}

static void add_event(
	struct groups *g, const struct trace *t, uint32_t event, uint32_t op, uint8_t *counted)
{
	name_id key[5];
	key_of(t, op, event, key);
	struct group *x = find(g, key);
	x->calls += op == NO_ROW || !counted[op];
	if (op != NO_ROW)
		counted[op] = 1;
	x->op = x->op == NO_ROW ? op : x->op;
	if (x->kernel == NO_ROW || t->dur_ns[event] > t->dur_ns[x->kernel])
		x->kernel = event;
	x->ns += t->dur_ns[event];
}

static struct groups groups_of(const struct analysis *a)
{
	const struct trace *t = a->trace;
	struct groups g = {.mask = 1023, .room = 64};
	while (g.mask < a->n_device && g.mask < UINT32_MAX / 2)
		g.mask = 2 * g.mask + 1;
	g.bucket = xcalloc((size_t)g.mask + 1, sizeof *g.bucket);
	g.group = xcalloc(g.room, sizeof *g.group);
	g.chain = xcalloc(g.room, sizeof *g.chain);
	uint8_t *counted = xcalloc(t->n, 1);
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t event = a->device_rows[i], call = analysis_launch_of(t, event);
		bool copies = t->kind[event] == EVENT_MEMCPY;
		if (!copies && a->class[event] != CLASS_COMMUNICATION)
			add_event(&g, t, event, call == NO_ROW ? NO_ROW : analysis_op_of(t, call),
				counted);
	}
	free(counted);
	for (uint32_t i = 0; i < g.n; i++)
		g.group[i].cost = cost_of(a, g.group[i].op);
	return g;
}

static void groups_release(struct groups *g)
{
	free(g->group);
	free(g->chain);
	free(g->bucket);
}

/* By the operator where it tells, else by its longest kernel. */
static enum work_kind work_of(const struct analysis *a, const struct group *x)
{
	if (x->cost.work != WORK_OTHER)
		return x->cost.work;
	switch (time_part_of(a, x->kernel)) {
	case TIME_GEMM:
		return WORK_GEMM;
	case TIME_ATTENTION:
		return WORK_ATTENTION;
	case TIME_CONVOLUTION:
		return WORK_CONVOLUTION;
	case TIME_POINTWISE:
	case TIME_REDUCTION:
		return WORK_POINTWISE;
	default:
		return WORK_OTHER;
	}
}

ORDER(by_time, struct group, DOWN(ns) ?: memcmp(a->key, b->key, sizeof a->key));

static void put_group(struct result_table *t, const struct tables_source *s, enum work_kind work,
	const struct group *x)
{
	const struct trace *trace = s->a->trace;
	const struct chip *chip = chip_of(trace);
	double times = (double)x->calls, seconds = (double)x->ns / 1e9;
	double flop = over(x->cost.flop * times, seconds),
	       bytes = over(x->cost.bytes * times, seconds);
	put_text(t, names_text(&trace->names, x->key[0]));
	put_text(t, names_text(&trace->names, x->key[1]));
	put_text(t, names_text(&trace->names, x->key[2]));
	put_text(t, names_text(&trace->names, x->key[3]));
	put_number(t, times);
	put_number(t, (double)x->ns);
	put_number(t, x->cost.flop);
	put_number(t, x->cost.bytes);
	put_number(t, flop);
	bool plain = device_traits(s->a, x->kernel) & TRAIT_PLAIN;
	put_number(t, flop / cost_rate(chip, &x->cost, work, plain));
	put_number(t, bytes);
	put_number(t, chip ? bytes / chip->memory : (double)NAN);
}

static void put_groups(struct result_table *t, const struct tables_source *s, enum work_kind work)
{
	struct groups g = groups_of(s->a);
	if (g.n)
		qsort(g.group, g.n, sizeof *g.group, by_time);
	for (uint32_t i = 0; i < g.n; i++)
		if (work_of(s->a, &g.group[i]) == work)
			put_group(t, s, work, &g.group[i]);
	groups_release(&g);
}

void tables_gemm(struct result_table *t, const struct tables_source *s)
{
	put_groups(t, s, WORK_GEMM);
}

void tables_convolution(struct result_table *t, const struct tables_source *s)
{
	put_groups(t, s, WORK_CONVOLUTION);
}

void tables_attention(struct result_table *t, const struct tables_source *s)
{
	put_groups(t, s, WORK_ATTENTION);
}

void tables_pointwise(struct result_table *t, const struct tables_source *s)
{
	put_groups(t, s, WORK_POINTWISE);
}
