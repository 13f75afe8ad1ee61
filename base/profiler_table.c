/* SPDX-License-Identifier: Apache-2.0 */
#include "base/profiler_table.h"

#include "base/err.h"
#include "base/nest.h"

#include <stdlib.h>
#include <string.h>

static const char step_prefix[] = "ProfilerStep#";
static const char step_row[] = "ProfilerStep*";

/* A CPU row, a device row and an annotation of one name stay apart, and so do groups. */
struct row_key {
	name_id name;
	uint32_t group;
	bool cpu, annotation;
};

/* What happened inside a span, without what melted into it. */
struct inside {
	uint32_t children; /* direct ones */
	int64_t children_ns; /* their durations */
	int64_t launched_ns; /* own kernels */
	int64_t device_ns; /* kernels of all children */
	int64_t children_bytes[PROFILER_MEMORIES];
};

/* What is told of a span beside its times. */
struct told {
	double flop;
	int64_t bytes[PROFILER_MEMORIES];
};

/* A span whose end was not reached yet. Its first child waits until it is known to have a sibling:
 * an only one may melt into it. */
struct open_span {
	struct open_span *outer; /* of its lane; of one that is free: the next free one */
	int64_t end_ns;
	uint32_t row, child;
	struct inside in, of_child;
	struct told told, child_told;
};

/* Rows by key: chains of those that share a bucket. Without groups each has one of its own. */
struct rows_found {
	uint32_t *bucket; /* (mask + 1) index into the rows + 1, 0 none */
	uint32_t *next; /* (room) of a row: the next of its bucket + 1 */
	struct row_key *key; /* (room) */
	size_t mask, room;
};

/* Scratch while the table is made; all freed before it is handed out. */
struct grouping {
	const struct profiler_table_in *in;
	struct profiler_table *table;
	struct rows_found found;
	name_id *key; /* (names) the name a name is grouped under */
	uint32_t *plain; /* (names) index + 1 of the CPU's row, where there are no groups; 0: not
			    met */
	int64_t *launched_ns; /* (n) kernels that a row launched itself */
	struct open_span **open; /* (n_lanes) the innermost */
	struct open_span *unused;
	struct arena arena;
};

static bool is_cpu(uint8_t side)
{
	side &= (uint8_t)~PROFILER_RANGE;
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

static struct row_key key_of(const struct grouping *g, size_t i)
{
	const struct profiler_table_in *in = g->in;
	bool cpu = is_cpu(in->side[i]);
	return (struct row_key){.name = g->key[in->name[i]],
		.group = in->group ? in->group[i] : 0,
		.cpu = cpu,
		.annotation =
			in->side[i] == PROFILER_DEVICE_ANNOTATION || in->side[i] & PROFILER_RANGE};
}

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

static struct profiler_row *find_row(struct grouping *g, size_t i)
{
	struct profiler_table *t = g->table;
	struct rows_found *f = &g->found;
	struct row_key key = key_of(g, i);
	uint64_t place = (uint64_t)key.name * 4 + 2u * key.cpu + key.annotation;
	place += key.group * UINT64_C(0x9e3779b97f4a7c15) >> 20;
	uint32_t *bucket = &f->bucket[place & f->mask];
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

/* Of a row of the CPU: most have a name that was met before. */
static inline struct profiler_row *find_cpu_row(struct grouping *g, size_t i)
{
	uint32_t *met = &g->plain[g->in->name[i]];
	if (g->in->group || g->in->side[i] & PROFILER_RANGE)
		return find_row(g, i);
	if (!*met)
		*met = (uint32_t)(find_row(g, i) - g->table->row) + 1;
	return &g->table->row[*met - 1];
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

/* ---- spans that are open ---- */

static void add_span(
	struct grouping *g, uint32_t i, const struct inside *x, const struct told *told)
{
	const struct profiler_table_in *in = g->in;
	struct profiler_row *row = find_cpu_row(g, i);
	row->calls++;
	row->cpu_ns += in->dur_ns[i];
	row->self_cpu_ns += in->dur_ns[i] - x->children_ns;
	row->device_ns += x->launched_ns + x->device_ns;
	row->self_device_ns += x->launched_ns;
	row->flop += told->flop;
	for (int m = 0; in->bytes_of && m < PROFILER_MEMORIES; m++) {
		row->bytes[m] += told->bytes[m];
		row->self_bytes[m] += told->bytes[m] - x->children_bytes[m];
	}
}

/* A child that stands on its own. */
static void settle(struct grouping *g, struct inside *to, uint32_t child, const struct inside *x,
	const struct told *told)
{
	to->children_ns += g->in->dur_ns[child];
	to->device_ns += x->launched_ns + x->device_ns;
	for (int m = 0; g->in->bytes_of && m < PROFILER_MEMORIES; m++)
		to->children_bytes[m] += told->bytes[m];
	add_span(g, child, x, told);
}

static void settle_first(struct grouping *g, struct open_span *s)
{
	settle(g, &s->in, s->child, &s->of_child, &s->child_told);
}

static void take_child(struct grouping *g, struct open_span *s, const struct open_span *child)
{
	if (!s->in.children++) {
		s->child = child->row;
		s->of_child = child->in;
		s->child_told = child->told;
		return;
	}
	if (s->in.children == 2)
		settle_first(g, s);
	settle(g, &s->in, child->row, &child->in, &child->told);
}

/* The child's kernels replace the parent's, as PyTorch does it. */
static void end_only_child(struct grouping *g, struct open_span *s)
{
	const struct profiler_table_in *in = g->in;
	if (g->key[in->name[s->row]] == g->key[in->name[s->child]])
		s->in = s->of_child;
	else
		settle_first(g, s);
}

/* Where the launch itself is no CPU row, or a range, the nearest row around it that is one has the
 * work. */
static struct open_span *close_span(struct grouping *g, struct open_span *s)
{
	const struct profiler_table_in *in = g->in;
	struct open_span *outer = s->outer;
	if (in->side[s->row] != PROFILER_CPU) {
		if (outer)
			outer->in.launched_ns += s->in.launched_ns;
		s->in.launched_ns = 0;
	}
	if (s->in.children == 1)
		end_only_child(g, s);
	if (outer)
		take_child(g, outer, s);
	else
		add_span(g, s->row, &s->in, &s->told);
	s->outer = g->unused;
	g->unused = s;
	return outer;
}

static void open_row(struct grouping *g, uint32_t i, uint32_t lane)
{
	const struct profiler_table_in *in = g->in;
	int64_t start = in->start_ns[i], end = start + in->dur_ns[i];
	struct open_span *outer = g->open[lane], *s;
	while (outer && !nest_inside(start, end, outer->end_ns))
		outer = close_span(g, outer);
	s = g->unused;
	if (s)
		g->unused = s->outer;
	else
		s = arena_alloc(&g->arena, sizeof *s);
	s->outer = outer;
	s->end_ns = end;
	s->row = i;
	s->in = (struct inside){.launched_ns = g->launched_ns[i]};
	s->told = (struct told){.flop = in->flop_of ? in->flop_of(in->on, i) : 0};
	if (in->bytes_of)
		in->bytes_of(in->on, i, s->told.bytes);
	g->open[lane] = s;
}

/* ---- all rows ---- */

static void add_device_row(struct grouping *g, size_t i)
{
	bool shadow = g->in->side[i] == PROFILER_DEVICE_ANNOTATION;
	int64_t ns = g->in->dur_ns[i] - (shadow ? g->in->shadow_ns : 0);
	struct profiler_row *row = find_row(g, i);
	row->calls++;
	row->device_ns += ns;
	row->self_device_ns += ns;
}

static void walk_rows(struct grouping *g)
{
	const struct profiler_table_in *in = g->in;
	size_t moved = 0;
	for (size_t i = 0; i < in->n; i++)
		if (in->side[i] == PROFILER_DEVICE && in->launch[i] != NO_ROW)
			g->launched_ns[in->launch[i]] += in->dur_ns[i];
	for (size_t i = 0; i < in->n; i++) {
		uint8_t side = in->side[i];
		if (is_cpu(side)) {
			while (moved < in->n_moved && in->moved[moved].row < i)
				moved++;
			bool elsewhere = moved < in->n_moved && in->moved[moved].row == i;
			open_row(g, (uint32_t)i, elsewhere ? in->moved[moved].lane : in->lane[i]);
		} else if (side != PROFILER_NEITHER) {
			add_device_row(g, i);
		}
	}
	for (uint32_t lane = 0; lane < in->n_lanes; lane++)
		for (struct open_span *s = g->open[lane]; s;)
			s = close_span(g, s);
}

static void group(struct profiler_table *t, const struct profiler_table_in *in)
{
	struct grouping g = {.in = in,
		.table = t,
		.found = {.mask = 1023, .room = 64},
		.key = fold_names(in->names),
		.plain = xcalloc(in->names->n, sizeof *g.plain),
		.launched_ns = xcalloc(in->n, sizeof *g.launched_ns),
		.open = xcalloc(in->n_lanes, sizeof *g.open)};
	struct rows_found *f = &g.found;
	while (f->mask < 4 * (size_t)in->names->n || f->mask < 2 * (size_t)in->n_groups)
		f->mask = 2 * f->mask + 1;
	f->bucket = xcalloc(f->mask + 1, sizeof *f->bucket);
	f->next = xcalloc(f->room, sizeof *f->next);
	f->key = xcalloc(f->room, sizeof *f->key);
	t->row = xcalloc(f->room, sizeof *t->row);
	walk_rows(&g);
	free(f->bucket);
	free(f->next);
	free(f->key);
	free(g.key);
	free(g.plain);
	free(g.launched_ns);
	free(g.open);
	arena_release(&g.arena);
}

struct profiler_table profiler_table_of(struct arena *a, const struct profiler_table_in *in)
{
	struct profiler_table t = {
		.has_flop = in->flop_of != NULL, .has_memory = in->bytes_of != NULL};
	group(&t, in);
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
	for (const char *const *h = hidden; *h; h++) {
		size_t n = 0; /* most differ soon, so that a call would take longer */
		while (name[n] && name[n] == (*h)[n])
			n++;
		if (name[n] == (*h)[n])
			return true;
	}
	return false;
}
