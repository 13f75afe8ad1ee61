/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/demangle.h"

#include "report/name/unfold.h"

#include <string.h>

const char *demangle(struct arena *a, const char *name)
{
	char mangled[MANGLED_BYTES + 1];
	struct unfolded u;
	size_t n = strlen(name);
	if (strncmp(name, "_Z", 2) != 0 || n > MANGLED_BYTES)
		return NULL;
	if (n > 3 && !strcmp(name + n - 3, ".kd"))
		n -= 3;
	memcpy(mangled, name, n);
	mangled[n] = '\0';
	return unfold(mangled, &u) ? arena_strndup(a, u.text, u.n) : NULL;
}

const char *readable_name(struct arena *a, const char *name)
{
	const char *readable = demangle(a, name);
	return readable ? readable : name;
}

void demangle_names(struct trace *t)
{
	size_t left = MANGLED_IN_ALL;
	for (name_id id = 0; id < t->names.n; id++) {
		const char *name = names_text(&t->names, id);
		if (strncmp(name, "_Z", 2) != 0 || t->names.length[id] > left)
			continue;
		left -= t->names.length[id];
		const char *shown = demangle(&t->arena, name);
		if (!shown)
			continue;
		if (!t->shown)
			t->shown = arena_array(&t->arena, t->names.n, sizeof *t->shown);
		t->shown[id] = shown;
	}
}
