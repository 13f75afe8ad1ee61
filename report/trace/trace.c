/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace/trace.h"

#include "base/binary_search.h"
#include "report/trace/growing_arrays.h"

#include <string.h>

static const char *const kind_names[] = {EVENT_KIND_LIST(KIND_NAME)};

const char *event_kind_name(enum event_kind kind)
{
	return kind < EVENT_KINDS ? kind_names[kind] : "?";
}

void trace_init(struct trace *t)
{
	*t = (struct trace){.rank = -1, .world = -1, .resolution_ns = 1, .part = NO_PART};
	names_init(&t->names);
}

/* Frees a column that the trace owns. */
static void forget(struct trace *t, uint32_t **column)
{
	for (size_t i = 0; i < TRACE_OWNED && *column; i++) {
		if (t->owned[i] != *column)
			continue;
		pages_free(*column);
		t->owned[i] = *column = NULL;
	}
}

void trace_forget(struct trace *t)
{
	if (t->snapshot)
		return;
	forget(t, &t->category);
	forget(t, &t->external);
}

void trace_release(struct trace *t)
{
	for (size_t i = 0; i < TRACE_OWNED; i++)
		pages_free(t->owned[i]);
	names_release(&t->names);
	arena_release(&t->arena);
	*t = (struct trace){0};
}

const char *trace_meta(const struct trace *t, const char *key)
{
	for (size_t i = 0; i < t->n_meta; i++)
		if (!strcmp(t->meta[i].key, key))
			return t->meta[i].value;
	return NULL;
}

const char *trace_readable(const struct trace *t, const char *name)
{
	name_id id = t->shown ? names_find(&t->names, name) : 0;
	return id ? trace_name(t, id) : name;
}

size_t trace_first_from(const struct trace *t, int64_t time_ns)
{
	return first_where(i, 0, t->n, t->start_ns[i] >= time_ns);
}

size_t trace_next_of(const struct trace *t, enum event_kind kind, size_t i)
{
	const uint8_t *at = i < t->n ? memchr(t->kind + i, (int)kind, t->n - i) : NULL;
	return at ? (size_t)(at - t->kind) : t->n;
}
