/* SPDX-License-Identifier: Apache-2.0 */
/* Who asked for the time: modules, functions of Python, ranges. */
#include "report/analyse/call_tree.h"
#include "report/tables/parts.h"

#include <math.h>

static void put_sums(struct result_table *t, int64_t cpu_ns, const struct call_sums *whole,
	const struct call_sums *own, const struct call_sums *joined, const struct tables_source *s)
{
	put_number(t, (double)cpu_ns);
	put_number(t, (double)own->cpu_ns);
	put_number(t, (double)joined->backward_cpu_ns);
	put_number(t, (double)whole->events);
	put_number(t, (double)whole->device_ns);
	put_number(t, (double)own->device_ns);
	put_number(t, (double)joined->backward_device_ns);
	put_number(t, over((double)whole->device_ns, (double)s->a->device_ns));
}

static bool is_recorded(const struct trace *t, enum event_kind kind)
{
	return trace_next_of(t, kind, 0) < t->n;
}

void tables_modules(struct result_table *t, const struct tables_source *s)
{
	const struct call_tree_form form = {.frames = FRAME_MODULE, .joined = true};
	if (!is_recorded(s->a->trace, EVENT_PYTHON))
		return;
	struct call_tree tree = call_tree_of(s->a, &form);
	for (uint32_t i = 0; i < tree.n && tree.n > 1; i++) {
		const struct call_node *x = &tree.node[i];
		put_number(t, i);
		put_number(t, x->parent == NO_ROW ? (double)NAN : x->parent);
		put_text(t, arena_strdup(t->arena, call_node_name(&tree, i)));
		put_number(t, x->calls);
		put_sums(t, x->whole.cpu_ns, &x->whole, &x->own, &x->whole, s);
	}
	call_tree_release(&tree);
}

void tables_functions(struct result_table *t, const struct tables_source *s)
{
	const struct call_tree_form form = {
		.frames = FRAME_PYTHON | FRAME_BUILT_IN, .joined = true};
	struct arena own = {0};
	uint32_t n;
	if (!is_recorded(s->a->trace, EVENT_PYTHON))
		return;
	struct call_tree tree = call_tree_of(s->a, &form);
	const struct call_name *of = call_names(&own, &tree, &n);
	for (uint32_t i = 0; i < n && n > 1; i++) {
		put_text(t, arena_strdup(t->arena, call_name_text(&tree, &of[i])));
		put_number(t, of[i].calls);
		put_sums(t, of[i].whole.cpu_ns, &of[i].whole, &of[i].own, &of[i].whole, s);
	}
	arena_release(&own);
	call_tree_release(&tree);
}

/* (names) what is joined to each range, by its name. */
static struct call_sums *joined_to_ranges(struct arena *arena, const struct tables_source *s)
{
	const struct call_tree_form form = {
		.frames = FRAME_RANGE, .numberless = FRAME_RANGE, .joined = true};
	struct call_tree tree = call_tree_of(s->a, &form);
	struct call_sums *of = arena_array(arena, tree.trace->names.n, sizeof *of);
	uint32_t n;
	const struct call_name *name = call_names(arena, &tree, &n);
	for (uint32_t i = 0; i < n; i++)
		if (name[i].frame)
			of[name[i].name] = name[i].whole;
	call_tree_release(&tree);
	return of;
}

/* What a range has of a backward pass is no part of it: that belongs to the range it ran in. */
void tables_ranges(struct result_table *t, const struct tables_source *s)
{
	const struct call_tree_form form = {.frames = FRAME_RANGE, .numberless = FRAME_RANGE};
	struct arena own = {0};
	uint32_t n;
	if (!is_recorded(s->a->trace, EVENT_ANNOTATION))
		return;
	struct call_tree tree = call_tree_of(s->a, &form);
	const struct call_name *of = call_names(&own, &tree, &n);
	const struct call_sums *joined = joined_to_ranges(&own, s);
	for (uint32_t i = 0; i < n; i++) {
		if (!of[i].frame)
			continue;
		put_text(t, arena_strdup(t->arena, call_name_text(&tree, &of[i])));
		put_number(t, of[i].calls);
		put_sums(t, of[i].calls_ns, &of[i].whole, &of[i].own, &joined[of[i].name], s);
	}
	arena_release(&own);
	call_tree_release(&tree);
}
