/* SPDX-License-Identifier: Apache-2.0 */
#include "base/profiler_table.h"

#include "base/err.h"
#include "base/nest.h"

#include <stdlib.h>
#include <string.h>

static const char step_prefix[] = "ProfilerStep#";
static const char step_row[] = "ProfilerStep*";

/* Scratch while the table is made; all freed before it is handed out. */
struct grouping {
	const struct profiler_table_in *in;
	name_id *key; /* (names) the name a name is grouped under */
	uint32_t *kept; /* (n) the row a CPU row lives on in, itself or the parent it melted into */
	uint32_t *children; /* (n) direct children of kept rows */
	int64_t *children_ns; /* (n) their summed durations */
	int64_t *launched_ns; /* (n) own kernels */
	int64_t *device_ns; /* (n) own kernels and those of all children */
};

static bool is_cpu(uint8_t side)
{
	return side == PROFILER_CPU || side == PROFILER_CALL;
}

static bool is_step(const char *name)
{
	return !strncmp(name, step_prefix, sizeof step_prefix - 1);
}

static name_id *fold_names(const struct names *names)
{
	name_id *key = xcalloc(names->n, sizeof *key);
	name_id step = 0;
	for (name_id i = 0; i < names->n; i++) {
		key[i] = i;
		if (!is_step(names_text(names, i)))
			continue;
		step = step ? step : i;
		key[i] = step;
	}
	return key;
}

static struct grouping grouping_of(const struct profiler_table_in *in)
{
	struct grouping g = {.in = in,
		.key = fold_names(in->names),
		.kept = xcalloc(in->n, sizeof *g.kept),
		.children = xcalloc(in->n, sizeof *g.children),
		.children_ns = xcalloc(in->n, sizeof *g.children_ns),
		.launched_ns = xcalloc(in->n, sizeof *g.launched_ns),
		.device_ns = xcalloc(in->n, sizeof *g.device_ns)};
	return g;
}

static void grouping_release(struct grouping *g)
{
	free(g->key);
	free(g->kept);
	free(g->children);
	free(g->children_ns);
	free(g->launched_ns);
	free(g->device_ns);
}

static void credit_launches(struct grouping *g)
{
	const struct profiler_table_in *in = g->in;
	for (size_t i = 0; i < in->n; i++) {
		if (in->side[i] != PROFILER_DEVICE)
			continue;
		uint32_t row = in->launch[i];
		while (row != NO_ROW && (in->side[row] != PROFILER_CPU || in->annotation[row]))
			row = in->parent[row];
		if (row != NO_ROW)
			g->launched_ns[row] += in->dur_ns[i];
	}
}

/* Parents come before their children, so one pass settles a chain of any length. The child's
 * kernels replace the parent's, as PyTorch does it. */
static void melt_repeats(struct grouping *g)
{
	const struct profiler_table_in *in = g->in;
	for (size_t i = 0; i < in->n; i++)
		if (is_cpu(in->side[i]) && in->parent[i] != NO_ROW)
			g->children[in->parent[i]]++;
	for (size_t i = 0; i < in->n; i++) {
		g->kept[i] = (uint32_t)i;
		if (!is_cpu(in->side[i]) || in->parent[i] == NO_ROW)
			continue;
		uint32_t p = g->kept[in->parent[i]];
		if (g->children[p] != 1 || g->key[in->name[p]] != g->key[in->name[i]])
			continue;
		g->kept[i] = p;
		g->children[p] = g->children[i];
		g->launched_ns[p] = g->launched_ns[i];
	}
}

static void sum_children(struct grouping *g)
{
	const struct profiler_table_in *in = g->in;
	for (size_t i = in->n; i-- > 0;) {
		if (!is_cpu(in->side[i]) || g->kept[i] != i)
			continue;
		g->device_ns[i] += g->launched_ns[i];
		if (in->parent[i] == NO_ROW)
			continue;
		uint32_t p = g->kept[in->parent[i]];
		g->children_ns[p] += in->dur_ns[i];
		g->device_ns[p] += g->device_ns[i];
	}
}

static void add_row(struct profiler_row *row, const struct grouping *g, size_t i)
{
	row->calls++;
	if (is_cpu(g->in->side[i])) {
		row->cpu_ns += g->in->dur_ns[i];
		row->self_cpu_ns += g->in->dur_ns[i] - g->children_ns[i];
		row->device_ns += g->device_ns[i];
		row->self_device_ns += g->launched_ns[i];
	} else {
		bool shadow = g->in->side[i] == PROFILER_DEVICE_ANNOTATION;
		int64_t ns = g->in->dur_ns[i] - (shadow ? g->in->shadow_ns : 0);
		row->device_ns += ns;
		row->self_device_ns += ns;
	}
}

/* A CPU row, a device row and an annotation of one name stay apart: four slots a name. */
static struct profiler_row *find_row(
	struct profiler_table *t, uint32_t *slots, const struct grouping *g, size_t i)
{
	const struct profiler_table_in *in = g->in;
	name_id key = g->key[in->name[i]];
	bool cpu = is_cpu(in->side[i]);
	bool annotation = in->side[i] == PROFILER_DEVICE_ANNOTATION || (cpu && in->annotation[i]);
	uint32_t *slot = &slots[4 * (size_t)key + 2 * (size_t)cpu + annotation];
	if (*slot)
		return &t->row[*slot - 1];
	if (!(t->n & (t->n - 1)))
		t->row = xrealloc(t->row, t->n ? 2 * t->n : 1, sizeof *t->row);
	const char *name = names_text(in->names, key);
	t->row[t->n] = (struct profiler_row){.name = is_step(name) ? step_row : name,
		.side = cpu ? PROFILER_CPU : in->side[i],
		.annotation = annotation};
	*slot = (uint32_t)++t->n;
	return &t->row[t->n - 1];
}

static int by_time(const void *left, const void *right)
{
	const struct profiler_row *a = left, *b = right;
	if (a->device_ns != b->device_ns)
		return a->device_ns < b->device_ns ? 1 : -1;
	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns < b->cpu_ns ? 1 : -1;
	int order = strcmp(a->name, b->name);
	return order ? order : ((int)a->side - (int)b->side) * 2 + a->annotation - b->annotation;
}

static void group(struct profiler_table *t, const struct grouping *g)
{
	const struct profiler_table_in *in = g->in;
	uint32_t *slots = xcalloc(in->names->n, 4 * sizeof *slots);
	for (size_t i = 0; i < in->n; i++)
		if (in->side[i] != PROFILER_NEITHER && g->kept[i] == i)
			add_row(find_row(t, slots, g, i), g, i);
	free(slots);
}

struct profiler_table profiler_table_of(struct arena *a, const struct profiler_table_in *in)
{
	struct profiler_table t = {0};
	struct grouping g = grouping_of(in);
	credit_launches(&g);
	melt_repeats(&g);
	sum_children(&g);
	group(&t, &g);
	grouping_release(&g);

	struct profiler_row *row = arena_array(a, t.n, sizeof *row);
	for (size_t i = 0; i < t.n; i++) {
		row[i] = t.row[i];
		row[i].name = arena_strdup(a, row[i].name);
		t.self_cpu_ns += row[i].self_cpu_ns;
		if (row[i].side == PROFILER_DEVICE)
			t.self_device_ns += row[i].self_device_ns;
	}
	free(t.row);
	qsort(row, t.n, sizeof *row, by_time);
	t.row = row;
	return t;
}

bool profiler_table_hides(const char *name)
{
	static const char *const hidden[] = {"[memory]", "[OutOfMemory]",
		"profiler::_record_function_enter", "profiler::_record_function_enter_new",
		"profiler::_record_function_exit", "aten::is_leaf", "aten::output_nr",
		"aten::_version", NULL};
	for (const char *const *h = hidden; *h; h++)
		if (!strcmp(*h, name))
			return true;
	return false;
}
