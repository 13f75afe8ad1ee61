/* SPDX-License-Identifier: Apache-2.0 */
#include "report/replay/changes.h"
#include "report/replay/graph.h"

#include <inttypes.h>

void replay_dump(const struct replay *r, const struct breakdown *p, FILE *f)
{
	if (!r) {
		fprintf(f, "replay: nothing to run\n");
		return;
	}
	fprintf(f,
		"replay: %" PRIu32 " points, recorded %" PRId64 " ns, again %" PRId64
		", by the graph alone %" PRId64 ", unrecorded %" PRId64 "\n",
		r->n_calls, r->recorded_ns, replay_ns(r, NULL), r->plain_ns, r->unrecorded_ns);
	fprintf(f,
		"  as a step that recurs %" PRId64 " ns; launch %" PRId64 " ns, behind %" PRId64
		", inside %" PRId64 ", tail %" PRId64 ", operator %" PRId64
		"; unexplained %zu, %" PRId64 " ns\n",
		r->n_step ? r->steady_ns : -r->steady_ns, r->launch_ns, r->behind_ns, r->inside_ns,
		r->tail_ns, r->operator_ns, r->n_unexplained, r->unexplained_ns);
	struct arena arena = {0};
	struct replay_plan launches = {.arena = &arena}, input = launches, kernels = launches,
			   waits = launches;
	plan_one_launch(&launches, p);
	plan_input(&input, r->a->trace, p);
	for (uint32_t i = 0; i < r->a->n_device; i++)
		plan_takes(&kernels, r->a->device_rows[i], 0.5);
	for (uint32_t i = 0; i < r->n_points; i++)
		plan_wait(&waits, r->point[i].row);
	int64_t was = replay_ns(r, NULL);
	fprintf(f,
		"  as recorded, saved by one launch %" PRId64 " ns, no input %" PRId64
		", no waits %" PRId64 ", events of half their length %" PRId64 "\n",
		was - plan_ns(&launches, r), was - plan_ns(&input, r), was - plan_ns(&waits, r),
		was - plan_ns(&kernels, r));
	arena_release(&arena);
}
