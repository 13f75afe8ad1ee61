/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/compare.h"

#include "base/number_format.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/run/manifest.h"

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

static const struct machine_fact *find_fact(const struct run *run, const char *name)
{
	for (int i = 0; i < run->machine->n; i++)
		if (!strcmp(run->machine->fact[i].name, name))
			return &run->machine->fact[i];
	return NULL;
}

/* What run.json says of the machine and the libraries. */
static void differ_environment(
	struct list *l, const struct report_case *before, const struct report_case *after)
{
	const struct run *side[2] = {before->run, after->run};
	if (!side[0] || !side[1] || !side[0]->machine->n || !side[1]->machine->n)
		return;
	for (int s = 0; s < 2; s++)
		for (int i = 0; i < side[s]->machine->n; i++) {
			const struct machine_fact *mine = &side[s]->machine->fact[i];
			const struct machine_fact *other = find_fact(side[!s], mine->name);
			const char *its = other ? other->value : NULL;
			if (mine->value && !(s && other))
				differ(l, mine->name, true, s ? its : mine->value,
					s ? mine->value : its);
		}
}

/* Members of the trace that say with what it was recorded. */
static const struct member {
	const char *key, *what;
	bool flag;
} members[] = {
	{"cuda_driver_version", "differs.driver", false},
	{"cuda_runtime_version", "differs.runtime", false},
	{"cupti_version", "differs.cupti", false},
	{"hip_driver_version", "differs.driver", false},
	{"hip_runtime_version", "differs.runtime", false},
	{"record_shapes", "differs.shapes", true},
	{"with_stack", "differs.stacks", true},
	{"profile_memory", "differs.memory", true},
	{"with_flops", "differs.flops", true},
};

enum { MEMBERS = sizeof members / sizeof *members };

static bool is_first_of_its_kind(size_t i)
{
	size_t first = 0;
	while (strcmp(members[first].what, members[i].what) != 0)
		first++;
	return first == i;
}

/* By the first member that says it: CUDA and HIP have each their own. */
static const char *told(const struct trace *t, const struct member *m)
{
	const char *value = trace_meta(t, m->key);
	for (const struct member *o = m + 1; !value && o < members + MEMBERS; o++)
		value = strcmp(o->what, m->what) ? NULL : trace_meta(t, o->key);
	if (!value || !m->flag)
		return value;
	return !strcmp(value, "0") || !strcmp(value, "false") ? "no" : "yes";
}

static void differ_traces(
	struct list *l, const struct report_case *before, const struct report_case *after)
{
	struct arena *a = l->a;
	const struct trace *b = &before->trace, *n = &after->trace;
	differ(l, "differs.device", false, devices_of(a, b), devices_of(a, n));
	for (size_t i = 0; i < MEMBERS; i++)
		if (is_first_of_its_kind(i))
			differ(l, members[i].what, false, told(b, &members[i]),
				told(n, &members[i]));
	differ(l, "differs.rank", false, number(a, b->rank), number(a, n->rank));
	differ(l, "differs.world", false, number(a, b->world), number(a, n->world));
	differ(l, "differs.repairs", false, number(a, before->health->repairs),
		number(a, after->health->repairs));
}

/* What a side was measured by; without a device the profiler's steps come first. */
static uint32_t steps_of(const struct report_case *c)
{
	bool host = c->breakdown->lack == LACK_DEVICE && c->analysis->n_steps;
	return host ? c->analysis->n_steps : c->breakdown->n_steps;
}

static const char *steps_by(const struct report_case *c)
{
	bool host = c->breakdown->lack == LACK_DEVICE && c->analysis->n_steps;
	return steps_by_name(host ? STEPS_BY_PROFILER : c->breakdown->steps_by);
}

/* Steps before it were waited for, or warmed up: of the profiler's schedule. */
static int64_t first_number(const struct report_case *c)
{
	return c->analysis->n_steps ? c->analysis->steps[0].number : -1;
}

static void differ_steps(
	struct list *l, const struct report_case *before, const struct report_case *after)
{
	struct arena *a = l->a;
	differ(l, "differs.steps", false, number(a, steps_of(before)), number(a, steps_of(after)));
	differ(l, "differs.steps_by", false, steps_by(before), steps_by(after));
	if (before->analysis->n_steps && after->analysis->n_steps && l->p->before.n == 1 &&
		l->p->after.n == 1)
		differ(l, "differs.first", false, number(a, first_number(before)),
			number(a, first_number(after)));
	differ(l, "differs.lack", false, breakdown_lack_name(before->breakdown->lack),
		breakdown_lack_name(after->breakdown->lack));
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
