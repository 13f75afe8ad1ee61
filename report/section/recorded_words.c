/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/recorded_words.h"

#include <string.h>

const char *recorded_holds(const struct texts *t, struct arena *a, const struct run *run)
{
	const char *list = "";
	for (int i = 0; i < run->n_cases; i++) {
		bool seen = false;
		for (int k = 0; k < i && !seen; k++)
			seen = !strcmp(run->cases[k].experiment, run->cases[i].experiment);
		if (!seen)
			list = arena_printf(a, "%s%s%s", list, *list ? ", " : "",
				say(t, a, "recorded.experiment", "name", run->cases[i].experiment,
					NULL));
	}
	return list;
}

const char *recorded_label(const struct texts *t, struct arena *a, const struct run *run)
{
	return say(t, a, "recorded.label", "device", recorded_device(run), "date",
		arena_strndup(a, run->created, strcspn(run->created, "T")), NULL);
}
