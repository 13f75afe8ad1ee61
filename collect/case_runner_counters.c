/* SPDX-License-Identifier: Apache-2.0 */
#include "base/verbosity.h"
#include "collect/case_runner.h"
#include "collect/measure_case.h"

#include <string.h>

static bool wants_counting(const struct runner *r, size_t i)
{
	const struct case_result *result = &r->manifest.result[i];
	bool counted = result->counts.how >= r->counting && !result->counts.reason;
	return r->selected[i] && result->status == CASE_DONE && !counted;
}

static int count_case(struct runner *r, size_t i, struct err *err)
{
	struct case_result *result = &r->manifest.result[i];
	const struct matrix_case *asked = &r->matrix->cases[i];
	struct measure_case m = {.library = r->device->library,
		.asked = asked,
		.spec = result->spec,
		.counting = r->counting};
	cJSON *answer = child_run(&(struct child_job){.run = measure_counts,
					  .context = &m,
					  .limit_s = runner_patience_s(r, asked, &result->spec)},
		r->interrupt, err);
	if (answer)
		result->counts = counts_of(r->arena, answer);
	cJSON_Delete(answer);
	return answer ? 0 : -1;
}

/* What refuses one case refuses all: after the same reason twice nothing more is tried. */
int runner_count(struct runner *r, struct err *err)
{
	if (!r->counting)
		return 0;
	const char *refused = "";
	for (size_t i = 0; i < r->matrix->n_cases; i++) {
		struct case_counts *counts = &r->manifest.result[i].counts;
		struct err reason = {0};
		if (!wants_counting(r, i))
			continue;
		if (count_case(r, i, &reason))
			*counts = (struct case_counts){
				.how = r->counting, .reason = arena_strdup(r->arena, reason.text)};
		if (interrupt_seen(r->interrupt))
			return fail(err, "interrupted while counting; every case is measured");
		runner_save(r);
		if (!counts->reason)
			continue;
		if (!strcmp(counts->reason, refused)) {
			talk_tell("no counters in this run: %s", refused);
			return 0;
		}
		refused = counts->reason;
		talk_tell("%s: no counters: %s", r->matrix->cases[i].id, refused);
	}
	return 0;
}
