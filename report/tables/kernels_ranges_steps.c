/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/sort.h"
#include "report/analyse/kernel_fit.h"
#include "report/analyse/kernel_footprint.h"
#include "report/tables/parts.h"

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

void tables_kernels(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	for (uint32_t i = 0; i < s->a->n_activities; i++) {
		const struct activity *x = &s->a->activities[i];
		uint32_t row = x->row[0];
		const struct kernel *k =
			trace->kind[row] == EVENT_KERNEL ? &trace->kernels[trace->side[row]] : NULL;
		put_text(t, names_text(&trace->names, x->name));
		put_text(t, operator_of(trace, row));
		put_text(t, time_part_name(time_part_of(s->a, row)));
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

void tables_occupancy(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	for (uint32_t i = 0; i < s->a->n_activities; i++) {
		const struct activity *x = &s->a->activities[i];
		const struct kernel *k = kernel_of(trace, x->row[0]);
		const struct fit fit = fit_of(k, k ? device_of_kernel(trace, k) : NULL);
		if (fit.resident <= 0)
			continue;
		put_text(t, names_text(&trace->names, x->name));
		put_text(t, three(t->arena, x->grid));
		put_text(t, three(t->arena, x->block));
		put_number(t, fit.resident);
		put_text(t, fit_limit_key(fit.limit));
		put_number(t, fit.theoretical);
		put_number(t, fit.estimate);
		put_number(t, fit.waves > 0 ? fit.waves : (double)NAN);
		put_number(t, fit.empty);
	}
}

/* ---- kinds ---- */

void tables_kinds(struct result_table *t, const struct tables_source *s)
{
	double ns[TIME_PARTS] = {0}, n[TIME_PARTS] = {0};
	for (size_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i];
		enum time_part part = time_part_of(s->a, row);
		ns[part] += (double)s->a->trace->dur_ns[row];
		n[part]++;
	}
	for (int p = 0; p < TIME_PARTS; p++) {
		if (n[p] == 0)
			continue;
		put_text(t, time_part_name((enum time_part)p));
		put_number(t, n[p]);
		put_number(t, ns[p]);
		put_number(t, over(ns[p], (double)s->a->device_ns));
		put_number(t, (double)s->breakdown->whole.ns[p]);
	}
}

/* ---- ranges ---- */

struct range {
	name_id name; /* of ranges.names */
	size_t calls, events;
	int64_t cpu_ns, device_ns, self_device_ns;
	uint32_t counted; /* the outermost call whose events it has, + 1 */
};

/* One call of a range, in the order of the rows, so behind those around it. */
struct range_call {
	uint32_t row, outer; /* outer: index of the call around it, NO_ROW */
	uint32_t size, place; /* calls inside it, itself with them; where it stands when each is
				 followed by those inside it */
	uint32_t used; /* of its size, while places are given */
	size_t events; /* of the device, launched inside it */
	int64_t device_ns, self_device_ns;
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
		size_t digits = strspn(p, "0123456789");
		if (!digits || to == text || to[-1] != '#') /* "ProfilerStep#3" has its own */
			*to++ = digits ? '#' : *p;
		p += digits ? digits : 1;
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
static void add_events(
	struct range_call *call, uint32_t n, const uint32_t *inner, const struct tables_source *s)
{
	const struct trace *t = s->a->trace;
	for (size_t i = 0; i < s->a->n_device; i++) {
		uint32_t row = s->a->device_rows[i], launch = t->launch[row];
		if (launch == NO_ROW || inner[launch] == NO_ROW)
			continue;
		struct range_call *c = &call[inner[launch]];
		c->events++;
		c->self_device_ns += t->dur_ns[row];
	}
	for (uint32_t i = n; i--;) {
		struct range_call *c = &call[i];
		c->device_ns += c->self_device_ns;
		c->size++;
		if (c->outer == NO_ROW)
			continue;
		call[c->outer].events += c->events;
		call[c->outer].device_ns += c->device_ns;
		call[c->outer].size += c->size;
	}
}

/* The calls by their places; to be freed. */
static uint32_t *by_place(struct range_call *call, uint32_t n)
{
	uint32_t *at = xalloc((n + 1) * sizeof *at), roots = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct range_call *c = &call[i],
				  *outer = c->outer == NO_ROW ? NULL : &call[c->outer];
		c->place = outer ? outer->place + 1 + outer->used : roots;
		*(outer ? &outer->used : &roots) += c->size;
		at[c->place] = i;
	}
	return at;
}

/* Calls of one name inside each other count once. */
static void add_calls(struct ranges *r, const struct trace *t, struct range_call *call, uint32_t n)
{
	uint32_t *at = by_place(call, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct range_call *c = &call[at[i]];
		struct range *range = range_of(r, t, c->row);
		const struct range_call *open = range->counted ? &call[range->counted - 1] : NULL;
		range->calls++;
		range->cpu_ns += t->dur_ns[c->row];
		range->self_device_ns += c->self_device_ns;
		if (open && c->place < open->place + open->size)
			continue;
		range->counted = at[i] + 1;
		range->events += c->events;
		range->device_ns += c->device_ns;
	}
	free(at);
}

static void gather_ranges(struct ranges *r, const struct tables_source *s)
{
	const struct trace *t = s->a->trace;
	uint32_t *inner = xalloc(t->n * sizeof *inner), n = 0, room = 0;
	struct range_call *call = NULL;
	for (uint32_t i = 0; i < t->n; i++) {
		inner[i] = t->parent[i] == NO_ROW ? NO_ROW : inner[t->parent[i]];
		if (t->kind[i] != EVENT_ANNOTATION)
			continue;
		if (n == room) {
			room = room ? 2 * room : 64;
			call = xrealloc(call, room, sizeof *call);
		}
		call[n] = (struct range_call){.row = i, .outer = inner[i]};
		inner[i] = n++;
	}
	add_events(call, n, inner, s);
	add_calls(r, t, call, n);
	free(call);
	free(inner);
}

ORDER(by_device_then_cpu, struct range, DOWN(device_ns) ?: DOWN(cpu_ns) ?: UP(name));

void tables_ranges(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	struct ranges r = {.of_name = xcalloc(trace->names.n, sizeof *r.of_name)};
	names_init(&r.names);
	gather_ranges(&r, s);
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

void tables_steps(struct result_table *t, const struct tables_source *s)
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
