/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/compare.h"

#include "base/format.h"

#include <inttypes.h>
#include <string.h>

struct list {
	struct arena *a;
	struct pair *p;
	int room;
};

static void differ(
	struct list *l, const char *what, bool own, const char *before, const char *after)
{
	before = before ? before : "";
	after = after ? after : "";
	if (!strcmp(before, after))
		return;
	struct pair *p = l->p;
	p->differs = arena_room(l->a, p->differs, p->n_differs, &l->room, sizeof *p->differs);
	p->differs[p->n_differs++] = (struct difference){what, own, before, after};
}

/* "2 × NVIDIA H200": names of the devices, equal neighbours once. */
static const char *devices_of(struct arena *a, const struct trace *t)
{
	const char *list = "";
	for (size_t i = 0, n; i < t->n_devices; i += n) {
		const char *name = t->devices[i].name ? t->devices[i].name : "?";
		for (n = 1; i + n < t->n_devices; n++)
			if (!t->devices[i + n].name || strcmp(t->devices[i + n].name, name) != 0)
				break;
		list = listed(a, list, ", ", n > 1 ? arena_printf(a, "%zu × %s", n, name) : name);
	}
	return list;
}

static const char *number(struct arena *a, int64_t n)
{
	return n < 0 ? "" : arena_printf(a, "%" PRId64, n);
}

/* Of run.json: of a matrix or of a program. */
static const cJSON *told_by_run(const struct report_case *c, const char *what)
{
	const struct run *run = c->run;
	return run ? config_find(run->program ? run->program : run->manifest, what) : NULL;
}

/* What run.json says of the machine and the libraries. */
static void differ_environment(
	struct list *l, const struct report_case *before, const struct report_case *after)
{
	const cJSON *side[2] = {told_by_run(before, "environment"),
		told_by_run(after, "environment")},
		    *e;
	if (!side[0] || !side[1])
		return;
	for (int s = 0; s < 2; s++) {
		cJSON_ArrayForEach(e, side[s])
		{
			const cJSON *other = config_find(side[!s], e->string);
			const char *mine = cJSON_GetStringValue(e),
				   *its = cJSON_GetStringValue(other);
			if (!mine || (s && other))
				continue;
			differ(l, e->string, true, s ? its : mine, s ? mine : its);
		}
	}
}

/* Members of the trace that say with what it was recorded. */
static const struct member {
	const char *key, *what;
} members[] = {
	{"cuda_driver_version", "differs.driver"},
	{"cuda_runtime_version", "differs.runtime"},
	{"cupti_version", "differs.cupti"},
	{"hip_driver_version", "differs.driver"},
	{"hip_runtime_version", "differs.runtime"},
	{"record_shapes", "differs.shapes"},
	{"with_stack", "differs.stacks"},
	{"profile_memory", "differs.memory"},
	{"with_flops", "differs.flops"},
};

static void differ_traces(
	struct list *l, const struct report_case *before, const struct report_case *after)
{
	struct arena *a = l->a;
	const struct trace *b = &before->trace, *n = &after->trace;
	differ(l, "differs.device", false, devices_of(a, b), devices_of(a, n));
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		differ(l, members[i].what, false, trace_meta(b, members[i].key),
			trace_meta(n, members[i].key));
	differ(l, "differs.rank", false, number(a, b->rank), number(a, n->rank));
	differ(l, "differs.world", false, number(a, b->world), number(a, n->world));
	differ(l, "differs.repairs", false, number(a, before->health->repairs),
		number(a, after->health->repairs));
}

static void differ_steps(
	struct list *l, const struct report_case *before, const struct report_case *after)
{
	const struct partition *b = before->partition, *n = after->partition;
	struct arena *a = l->a;
	differ(l, "differs.steps", false, number(a, b->n_steps), number(a, n->n_steps));
	differ(l, "differs.steps_by", false, steps_by_name(b->steps_by),
		steps_by_name(n->steps_by));
	differ(l, "differs.lack", false, partition_lack_name(b->lack),
		partition_lack_name(n->lack));
	differ(l, "differs.recordings", false, number(a, l->p->before.n), number(a, l->p->after.n));
}

void set_differences(struct arena *a, struct pair *p)
{
	struct list l = {a, p, 0};
	const struct report_case *before = p->before.recording[p->before.main],
				 *after = p->after.recording[p->after.main];
	differ_environment(&l, before, after);
	differ_traces(&l, before, after);
	differ_steps(&l, before, after);
}
