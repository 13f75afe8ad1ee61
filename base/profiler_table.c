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
	int64_t *children_bytes[PROFILER_MEMORIES]; /* (n) of direct children; NULL: not told */
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
	for (int m = 0; m < PROFILER_MEMORIES; m++)
		if (in->bytes[m])
			g.children_bytes[m] = xcalloc(in->n, sizeof **g.children_bytes);
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
	for (int m = 0; m < PROFILER_MEMORIES; m++)
		free(g->children_bytes[m]);
}

/* Where the launch itself is no CPU row, or a range, the nearest row around it that is one has the
 * work. Parents come before their children. */
static void credit_launches(struct grouping *g)
{
	const struct profiler_table_in *in = g->in;
	for (size_t i = 0; i < in->n; i++)
		if (in->side[i] == PROFILER_DEVICE && in->launch[i] != NO_ROW)
			g->launched_ns[in->launch[i]] += in->dur_ns[i];
	for (size_t i = in->n; i-- > 0;) {
		if (!g->launched_ns[i] || (in->side[i] == PROFILER_CPU && !in->annotation[i]))
			continue;
		if (in->parent[i] != NO_ROW)
			g->launched_ns[in->parent[i]] += g->launched_ns[i];
		g->launched_ns[i] = 0;
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
		for (int m = 0; m < PROFILER_MEMORIES; m++)
			if (in->bytes[m])
				g->children_bytes[m][p] += in->bytes[m][i];
	}
}

static void add_work(struct profiler_row *row, const struct grouping *g, size_t i)
{
	const struct profiler_table_in *in = g->in;
	row->flop += in->flop ? in->flop[i] : 0;
	for (int m = 0; m < PROFILER_MEMORIES; m++) {
		if (!in->bytes[m] || !g->children_bytes[m])
			continue;
		row->bytes[m] += in->bytes[m][i];
		row->self_bytes[m] += in->bytes[m][i] - g->children_bytes[m][i];
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
		add_work(row, g, i);
	} else {
		bool shadow = g->in->side[i] == PROFILER_DEVICE_ANNOTATION;
		int64_t ns = g->in->dur_ns[i] - (shadow ? g->in->shadow_ns : 0);
		row->device_ns += ns;
		row->self_device_ns += ns;
	}
}

/* A CPU row, a device row and an annotation of one name stay apart, and so do groups. */
struct row_key {
	name_id name;
	uint32_t group;
	bool cpu, annotation;
};

static struct row_key key_of(const struct grouping *g, size_t i)
{
	const struct profiler_table_in *in = g->in;
	bool cpu = is_cpu(in->side[i]);
	return (struct row_key){.name = g->key[in->name[i]],
		.group = in->group ? in->group[i] : 0,
		.cpu = cpu,
		.annotation =
			in->side[i] == PROFILER_DEVICE_ANNOTATION || (cpu && in->annotation[i])};
}

/* Rows by key: chains of those that share a bucket. */
struct rows_found {
	uint32_t *bucket; /* (mask + 1) index into the rows + 1, 0 none */
	uint32_t *next; /* (room) of a row: the next of its bucket + 1 */
	struct row_key *key; /* (room) */
	size_t mask, room;
};

static struct profiler_row *add_key(
	struct profiler_table *t, struct rows_found *f, struct row_key key, uint32_t *bucket)
{
	if (t->n == f->room) {
		f->room *= 2;
		t->row = xrealloc(t->row, f->room, sizeof *t->row);
		f->next = xrealloc(f->next, f->room, sizeof *f->next);
		f->key = xrealloc(f->key, f->room, sizeof *f->key);
	}
	f->key[t->n] = key;
	f->next[t->n] = *bucket;
	*bucket = (uint32_t)++t->n;
	return &t->row[t->n - 1];
}

static struct profiler_row *find_row(
	struct profiler_table *t, struct rows_found *f, const struct grouping *g, size_t i)
{
	struct row_key key = key_of(g, i);
	uint64_t hash = ((uint64_t)key.name << 32 | key.group) * 0x9e3779b97f4a7c15ull +
		2u * key.cpu + key.annotation;
	uint32_t *bucket = &f->bucket[(hash ^ hash >> 32) & f->mask];
	for (uint32_t at = *bucket; at; at = f->next[at - 1]) {
		const struct row_key *k = &f->key[at - 1];
		if (k->name == key.name && k->group == key.group && k->cpu == key.cpu &&
			k->annotation == key.annotation)
			return &t->row[at - 1];
	}
	const char *name = names_text(g->in->names, key.name);
	struct profiler_row *row = add_key(t, f, key, bucket);
	*row = (struct profiler_row){.name = is_step(name) ? step_row : name,
		.side = key.cpu ? PROFILER_CPU : g->in->side[i],
		.annotation = key.annotation,
		.group = key.group};
	return row;
}

static int by_time(const void *left, const void *right)
{
	const struct profiler_row *a = left, *b = right;
	if (a->device_ns != b->device_ns)
		return a->device_ns < b->device_ns ? 1 : -1;
	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns < b->cpu_ns ? 1 : -1;
	int order = strcmp(a->name, b->name);
	if (order || a->group == b->group)
		return order ? order
			     : ((int)a->side - (int)b->side) * 2 + a->annotation - b->annotation;
	return a->group < b->group ? -1 : 1;
}

static void group(struct profiler_table *t, const struct grouping *g)
{
	const struct profiler_table_in *in = g->in;
	struct rows_found f = {.mask = 1023, .room = 64};
	while (f.mask < 4 * (size_t)in->names->n || f.mask < 2 * (size_t)in->n_groups)
		f.mask = 2 * f.mask + 1;
	f.bucket = xcalloc(f.mask + 1, sizeof *f.bucket);
	f.next = xcalloc(f.room, sizeof *f.next);
	f.key = xcalloc(f.room, sizeof *f.key);
	t->row = xcalloc(f.room, sizeof *t->row);
	for (size_t i = 0; i < in->n; i++)
		if (in->side[i] != PROFILER_NEITHER && g->kept[i] == i)
			add_row(find_row(t, &f, g, i), g, i);
	free(f.bucket);
	free(f.next);
	free(f.key);
}

struct profiler_table profiler_table_of(struct arena *a, const struct profiler_table_in *in)
{
	struct profiler_table t = {.has_flop = in->flop != NULL,
		.has_memory = in->bytes[PROFILER_HOST_BYTES] || in->bytes[PROFILER_DEVICE_BYTES]};
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
