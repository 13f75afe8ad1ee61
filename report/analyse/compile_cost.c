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

struct compile_cost *compile_costs_of(const struct trace *t, uint32_t *n)
{
	struct compile_cost *all = NULL;
	uint32_t room = 0;
	name_id span = names_find(&t->names, SPAN);
	*n = 0;
	if (!span)
		return NULL;
	const char **id = xcalloc(t->names.n + 1, sizeof *id); /* of names that are marks */
	const char **waits = xcalloc(t->n_tracks + 1, sizeof *waits); /* the last mark's */
	for (name_id i = 0; i < t->names.n; i++)
		id[i] = id_of(names_text(&t->names, i));
	for (uint32_t i = 0; i < t->n; i++) {
		const char **waiting = &waits[t->track[i]];
		if (id[t->name[i]])
			*waiting = id[t->name[i]];
		if (t->name[i] != span || !*waiting)
			continue;
		if (*n == room)
			all = xrealloc(all, room = 2 * room + 16, sizeof *all);
		all[(*n)++] = (struct compile_cost){*waiting, i};
		*waiting = NULL;
	}
	free(id);
	free(waits);
	return all;
}
