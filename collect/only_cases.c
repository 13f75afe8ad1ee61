/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/only_cases.h"

#include <fnmatch.h>
#include <string.h>

int select_cases(
	const struct matrix *m, const struct opt_list *only, bool *selected, struct err *err)
{
	for (size_t i = 0; i < m->n_cases; i++)
		selected[i] = only->n == 0;
	for (int g = 0; g < only->n; g++) {
		bool any = false, whole = strchr(only->item[g], '/') != NULL;
		for (size_t i = 0; i < m->n_cases; i++) {
			const struct matrix_case *c = &m->cases[i];
			if (fnmatch(only->item[g], whole ? c->id : c->spec.tag, 0) != 0 &&
				fnmatch(only->item[g], c->id, 0) != 0)
				continue;
			selected[i] = any = true;
		}
		if (!any)
			return fail(err, "--only %s: no case of %s matches; --list shows them",
				only->item[g], m->path);
	}
	return 0;
}
