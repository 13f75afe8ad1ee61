/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/number_format.h"

#include <string.h>

const char *recorded_holds(const struct document *d, const struct run *run)
{
	const char *list = "";
	for (int i = 0; i < run->n_cases; i++) {
		bool seen = false;
		for (int k = 0; k < i && !seen; k++)
			seen = !strcmp(run->cases[k].experiment, run->cases[i].experiment);
		if (!seen)
			list = listed(d->arena, list, ", ",
				said(d, "recorded.experiment", "name", run->cases[i].experiment,
					NULL));
	}
	return list;
}

const char *machine_on_sheet(const struct document *d, const struct run *run)
{
	return run->is_gpu ? recorded_device(run) : said(d, "sheet.host", NULL);
}

const char *recorded_label(const struct document *d, const struct run *run)
{
	return said(d, "recorded.label", "device", recorded_device(run), "date",
		arena_strndup(d->arena, run->created, strcspn(run->created, "T")), NULL);
}
