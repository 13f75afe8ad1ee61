/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/compile_cost.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

static const char MARK[] = "entire_frame_compile_data:", ID[] = "compile_id=",
		  SPAN[] = "_compile.compile_inner (dynamo_timed)";

/* The id of a mark, NULL of any other name. */
static const char *id_of(const char *name)
{
	const char *id = strncmp(name, MARK, sizeof MARK - 1) ? NULL : strstr(name, ID);
	return id ? id + sizeof ID - 1 : NULL;
}

/* The span behind a mark, on its thread and before the next mark there. */
static uint32_t span_behind(const struct trace *t, uint32_t mark, name_id span)
{
	for (uint32_t i = mark + 1; i < t->n; i++) {
		if (t->track[i] != t->track[mark])
			continue;
		if (t->name[i] == span)
			return i;
		if (id_of(trace_row_name(t, i)))
			break;
	}
	return NO_ROW;
}

struct compile_cost *compile_costs_of(const struct trace *t, uint32_t *n)
{
	struct compile_cost *all = NULL;
	uint32_t room = 0;
	name_id span = names_find(&t->names, SPAN);
	*n = 0;
	if (!span)
		return NULL;
	uint8_t *is_mark = xcalloc(t->names.n + 1, 1);
	for (name_id i = 0; i < t->names.n; i++)
		is_mark[i] = id_of(names_text(&t->names, i)) != NULL;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t row = is_mark[t->name[i]] ? span_behind(t, i, span) : NO_ROW;
		if (row == NO_ROW)
			continue;
		if (*n == room)
			all = xrealloc(all, room = 2 * room + 16, sizeof *all);
		all[(*n)++] = (struct compile_cost){id_of(trace_row_name(t, i)), row};
	}
	free(is_mark);
	return all;
}
