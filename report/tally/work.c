/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/sort.h"
#include "report/tally/parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

static const char *three(struct arena *a, const int32_t v[3])
{
	return v[0] < 0 ? "" : arena_printf(a, "%d,%d,%d", v[0], v[1], v[2]);
}

static const char *operator_of(const struct trace *t, uint32_t device_row)
{
	uint32_t call = analysis_launch_of(t, device_row);
	uint32_t op = call == NO_ROW ? NO_ROW : analysis_op_of(t, call);
	return op == NO_ROW ? "" : names_text(&t->names, t->name[op]);
}

void tally_kernels(struct tally_table *t, const struct tally_source *s)
{
	const struct trace *trace = s->a->trace;
	for (uint32_t i = 0; i < s->a->n_activities; i++) {
		const struct activity *x = &s->a->activities[i];
		uint32_t row = x->row[0];
		const struct kernel *k =
			trace->kind[row] == EVENT_KERNEL ? &trace->kernels[trace->side[row]] : NULL;
		put_text(t, names_text(&trace->names, x->name));
		put_text(t, operator_of(trace, row));
		put_text(t, spent_name(spent_of(s->a, row)));
		put_text(t, three(t->arena, x->grid));
		put_text(t, three(t->arena, x->block));
		put_number(t, (double)x->calls);
		put_number(t, x->dur.mean * (double)x->calls);
		put_number(t, x->dur.median);
		put_number(t, x->share);
		put_number(t, k && k->registers >= 0 ? k->registers : (double)NAN);
		put_number(t, k && k->shared_bytes >= 0 ? k->shared_bytes : (double)NAN);
	}
}

/* ---- kinds ---- */

void tally_kinds(struct tally_table *t, const struct tally_source *s)
{
	double ns[SPENT_PARTS] = {0}, n[SPENT_PARTS] = {0};
	for (size_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i];
		enum spent part = spent_of(s->a, row);
		ns[part] += (double)s->a->trace->dur_ns[row];
		n[part]++;
	}
	for (int p = 0; p < SPENT_PARTS; p++) {
		if (n[p] == 0)
			continue;
		put_text(t, spent_name((enum spent)p));
		put_number(t, n[p]);
		put_number(t, ns[p]);
		put_number(t, over(ns[p], (double)s->a->device_ns));
		put_number(t, (double)s->partition->whole.ns[p]);
	}
}

/* ---- ranges ---- */

struct range {
	name_id name; /* of ranges.names */
	size_t calls, events;
	int64_t cpu_ns, device_ns, self_device_ns;
	uint32_t seen; /* the last device event it counted, + 1 */
};

struct ranges {
	struct names names; /* numbers as "#" */
	struct range *range; /* (names.n) by name */
	uint32_t room;
	uint32_t *of_name; /* (names of the trace) name_id, 0 unknown yet */
};

static name_id folded(struct ranges *r, const char *name)
{
	struct arena own = {0};
	char *text = arena_strdup(&own, name), *to = text;
	for (const char *p = text; *p;) {
		*to++ = isdigit((unsigned char)*p) ? '#' : *p;
		p += isdigit((unsigned char)*p) ? strspn(p, "0123456789") : 1;
	}
	name_id id = names_add(&r->names, text, (size_t)(to - text));
	arena_release(&own);
	return id;
}

static struct range *range_of(struct ranges *r, const struct trace *t, uint32_t row)
{
	name_id *known = &r->of_name[t->name[row]];
	if (!*known)
		*known = folded(r, names_text(&t->names, t->name[row]));
	if (*known >= r->room) {
		uint32_t room = 2 * r->names.n;
		r->range = xrealloc(r->range, room, sizeof *r->range);
		memset(r->range + r->room, 0, (room - r->room) * sizeof *r->range);
		r->room = room;
	}
	r->range[*known].name = *known;
	return &r->range[*known];
}

/* Every range around the launch of a device event has it; the innermost as its own. */
static void add_event(struct ranges *r, const struct trace *t, uint32_t device_row)
{
	bool own = true;
	for (uint32_t p = t->launch[device_row]; p != NO_ROW; p = t->parent[p]) {
		if (t->kind[p] != EVENT_ANNOTATION)
			continue;
		struct range *range = range_of(r, t, p);
		range->self_device_ns += own ? t->dur_ns[device_row] : 0;
		own = false;
		if (range->seen == device_row + 1)
			continue;
		range->seen = device_row + 1;
		range->events++;
		range->device_ns += t->dur_ns[device_row];
	}
}

ORDER(by_device_then_cpu, struct range, DOWN(device_ns) ?: DOWN(cpu_ns) ?: UP(name));

void tally_ranges(struct tally_table *t, const struct tally_source *s)
{
	const struct trace *trace = s->a->trace;
	struct ranges r = {.of_name = xcalloc(trace->names.n, sizeof *r.of_name)};
	names_init(&r.names);
	for (uint32_t i = 0; i < trace->n; i++) {
		if (trace->kind[i] != EVENT_ANNOTATION)
			continue;
		struct range *range = range_of(&r, trace, i);
		range->calls++;
		range->cpu_ns += trace->dur_ns[i];
	}
	for (size_t i = 0; i < s->a->n_device; i++)
		add_event(&r, trace, s->a->device_rows[i]);
	if (r.room)
		qsort(r.range, r.room, sizeof *r.range, by_device_then_cpu);
	for (uint32_t i = 0; i < r.room; i++) {
		const struct range *x = &r.range[i];
		if (!x->calls)
			continue;
		put_text(t, arena_strdup(t->arena, names_text(&r.names, x->name)));
		put_number(t, (double)x->calls);
		put_number(t, (double)x->cpu_ns);
		put_number(t, (double)x->events);
		put_number(t, (double)x->device_ns);
		put_number(t, (double)x->self_device_ns);
		put_number(t, over((double)x->device_ns, (double)s->a->device_ns));
	}
	names_release(&r.names);
	free(r.range);
	free(r.of_name);
}

/* ---- steps ---- */

void tally_steps(struct tally_table *t, const struct tally_source *s)
{
	for (uint32_t i = 0; i < s->a->n_steps; i++) {
		const struct step *x = &s->a->steps[i];
		const double numbers[] = {(double)x->number, (double)x->start_ns, (double)x->dur_ns,
			(double)x->busy_ns, x->kernels, x->copies, x->fills,
			(double)x->launches + x->copy_calls, x->syncs, (double)x->sync_ns};
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			put_number(t, numbers[k]);
	}
}
