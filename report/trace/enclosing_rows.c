/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace/enclosing_rows.h"

#include "base/err.h"

#include <stdlib.h>

enum { SHORT_WALK = 32, DEEP = 64 };

/* Rows stand behind those around them. */
static void make(struct enclosing *o)
{
	const struct trace *t = o->trace;
	uint32_t *depth = xalloc(t->n * sizeof *depth);
	o->far = xalloc(t->n * sizeof *o->far);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up = t->parent[i];
		depth[i] = up == NO_ROW ? 0 : depth[up] + 1;
		o->far[i] = i;
		if (up == NO_ROW)
			continue;
		uint32_t far = o->far[up], farther = o->far[far];
		bool level = depth[up] - depth[far] == depth[far] - depth[farther];
		o->far[i] = level ? farther : up;
	}
	free(depth);
}

uint32_t enclosing_find(struct enclosing *o, uint32_t row, enclosing_test *has, const void *what)
{
	const struct trace *t = o->trace;
	for (int i = 0; i < SHORT_WALK; i++, row = t->parent[row])
		if (row == NO_ROW || has(t, row, what))
			return row;
	if (row != NO_ROW && !o->far)
		make(o);
	while (row != NO_ROW && !has(t, row, what)) {
		uint32_t far = o->far[row];
		row = far != row && !has(t, far, what) ? far : t->parent[row];
	}
	return row;
}

void enclosing_release(struct enclosing *o)
{
	free(o->far);
	o->far = NULL;
}

uint32_t trace_op_of(const struct trace *t, uint32_t row)
{
	if (t->around_op && row != NO_ROW)
		return t->around_op[row];
	while (row != NO_ROW && t->kind[row] != EVENT_OP)
		row = t->parent[row];
	return row;
}

static bool is_deep(const struct trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->depth[i] > DEEP && event_on_host(t->kind[i]))
			return true;
	return false;
}

void trace_find_ops(struct trace *t)
{
	if (!is_deep(t))
		return;
	t->around_op = arena_array(&t->arena, t->n, sizeof *t->around_op);
	for (uint32_t i = 0; i < t->n; i++)
		t->around_op[i] = t->kind[i] == EVENT_OP ? i
			: t->parent[i] == NO_ROW	 ? NO_ROW
							 : t->around_op[t->parent[i]];
}
