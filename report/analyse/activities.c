/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis.h"

#include "base/sort.h"
#include "report/analyse/analysis_stages.h"

#include <stdlib.h>
#include <string.h>

/* What makes two device events the same activity. */
struct signature {
	name_id name;
	int32_t size[6]; /* grid, block */
};

static struct signature signature_of(const struct trace *t, uint32_t row)
{
	struct signature s = {t->name[row], {-1, -1, -1, -1, -1, -1}};
	if (t->kind[row] == EVENT_KERNEL && t->side[row] != NO_ROW) {
		const struct kernel *k = &t->kernels[t->side[row]];
		memcpy(s.size, k->grid, sizeof k->grid);
		memcpy(s.size + 3, k->block, sizeof k->block);
	}
	return s;
}

static uint64_t hash_of(const struct signature *s)
{
	uint64_t h = s->name;
	for (int i = 0; i < 6; i++)
		h = (h ^ (uint32_t)s->size[i]) * 0x9e3779b97f4a7c15ull ^ h >> 29;
	return h ^ h >> 32;
}

/* Distinct signatures in order of first appearance. */
struct signatures {
	struct signature *seen; /* (n) */
	uint32_t n, room;
	uint32_t *slot; /* (n_slots) index + 1; n_slots is a power of two, at most half full */
	uint32_t n_slots;
};

static uint32_t *slot_of(const struct signatures *s, const struct signature *wanted)
{
	uint32_t i = (uint32_t)hash_of(wanted);
	for (;; i++) {
		uint32_t *slot = &s->slot[i & (s->n_slots - 1)];
		if (!*slot || !memcmp(&s->seen[*slot - 1], wanted, sizeof *wanted))
			return slot;
	}
}

static void make_room(struct signatures *s)
{
	if (s->n < s->room)
		return;
	s->room = s->room ? 2 * s->room : 64;
	s->seen = xrealloc(s->seen, s->room, sizeof *s->seen);
	free(s->slot);
	s->n_slots = 2 * s->room;
	s->slot = xcalloc(s->n_slots, sizeof *s->slot);
	for (uint32_t i = 0; i < s->n; i++)
		*slot_of(s, &s->seen[i]) = i + 1;
}

static uint32_t signature_index(struct signatures *s, const struct signature *wanted)
{
	make_room(s);
	uint32_t *slot = slot_of(s, wanted);
	if (!*slot) {
		s->seen[s->n] = *wanted;
		*slot = ++s->n;
	}
	return *slot - 1;
}

/* Rows of activities, of each in one piece, and the calls that launched them. */
struct grouped {
	uint32_t *row; /* (n_device) */
	uint32_t *call; /* (n_device) NULL: not asked for */
	size_t n; /* handed out */
};

static struct grouped grouped_of(const struct analysis *a, struct arena *arena)
{
	return (struct grouped){.row = arena_array(arena, a->n_device, sizeof(uint32_t))};
}

/* Gives activities their rows; `which` (n_device): of which each event is, NO_ROW of none. */
static void hand_out_rows(const struct analysis *a, struct grouped *g, struct activity *activities,
	uint32_t n, const uint32_t *which)
{
	size_t *next = xcalloc(n, sizeof *next);
	for (uint32_t i = 0; i < n; i++) {
		if (activities[i].row)
			continue;
		next[i] = g->n;
		activities[i].row = g->row + g->n;
		g->n += activities[i].calls;
	}
	for (size_t i = 0; i < a->n_device; i++) {
		if (which[i] == NO_ROW)
			continue;
		size_t at = next[which[i]]++;
		g->row[at] = a->device_rows[i];
		if (g->call)
			g->call[at] = a->device_calls[i];
	}
	free(next);
}

/* The signature of each device event; kernels of which the file says the same share one. */
static void find_signatures(const struct analysis *a, struct signatures *s, uint32_t *which)
{
	const struct trace *t = a->trace;
	uint32_t *last = xcalloc(t->n_kernels, sizeof *last); /* of each kernel, + 1 */
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		bool kernel = t->kind[row] == EVENT_KERNEL && t->side[row] < t->n_kernels;
		uint32_t known = kernel ? last[t->side[row]] : 0;
		if (known && s->seen[known - 1].name == t->name[row]) {
			which[i] = known - 1;
			continue;
		}
		struct signature wanted = signature_of(t, row);
		which[i] = signature_index(s, &wanted);
		if (kernel)
			last[t->side[row]] = which[i] + 1;
	}
	free(last);
}

/* The activities with their names, sizes and rows. */
static struct activity *group_rows(
	const struct analysis *a, struct arena *arena, struct grouped *g, uint32_t *n)
{
	struct signatures s = {0};
	uint32_t *which = xcalloc(a->n_device, sizeof *which);
	find_signatures(a, &s, which);
	struct activity *activities = arena_array(arena, s.n, sizeof *activities);
	*n = s.n;
	for (size_t i = 0; i < a->n_device; i++)
		activities[which[i]].calls++;
	for (uint32_t i = 0; i < s.n; i++) {
		struct activity *act = &activities[i];
		act->name = s.seen[i].name;
		memcpy(act->grid, s.seen[i].size, sizeof act->grid);
		memcpy(act->block, s.seen[i].size + 3, sizeof act->block);
	}
	hand_out_rows(a, g, activities, s.n, which);
	free(which);
	free(s.seen);
	free(s.slot);
	return activities;
}

static int64_t launch_delay(const struct trace *t, uint32_t row, uint32_t call)
{
	return t->start_ns[row] - row_end(t, call);
}

static int64_t launch_call(const struct trace *t, uint32_t row, uint32_t call)
{
	(void)row;
	return t->dur_ns[call];
}

static struct stats of_launches(const struct trace *t, const uint32_t *row, size_t n,
	int64_t measure(const struct trace *t, uint32_t row, uint32_t call))
{
	int64_t *sample = xcalloc(n, sizeof *sample);
	size_t joined = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t call = analysis_launch_of(t, row[i]);
		if (call != NO_ROW)
			sample[joined++] = measure(t, row[i], call);
	}
	struct stats s = stats_of(sample, joined);
	free(sample);
	return s;
}

struct stats launch_delays_of(const struct trace *t, const uint32_t *device_row, size_t n)
{
	return of_launches(t, device_row, n, launch_delay);
}

struct stats launch_calls_of(const struct trace *t, const uint32_t *device_row, size_t n)
{
	return of_launches(t, device_row, n, launch_call);
}

static void count_in_steps(const struct analysis *a, struct activity *act, const struct grouped *g)
{
	const uint32_t *call = g->call + (act->row - g->row);
	uint32_t near = 0;
	for (size_t i = 0; a->n_steps && i < act->calls; i++)
		act->calls_in_steps += call[i] != NO_ROW &&
			analysis_step_near(a, a->trace->start_ns[call[i]], &near) != NO_ROW;
}

static void measure(const struct analysis *a, struct activity *act, int64_t *scratch)
{
	for (size_t i = 0; i < act->calls; i++)
		scratch[i] = a->trace->dur_ns[act->row[i]];
	act->dur = stats_of(scratch, act->calls);
	act->class = a->class[act->row[0]];
	act->share = a->device_ns ? (double)act->dur.total / (double)a->device_ns : 0;
	if (a->n_steps)
		act->calls_per_step = (double)act->calls_in_steps / a->n_steps;
}

static int by_total(const void *left, const void *right, const void *context)
{
	const struct activity *a = left, *b = right;
	const struct names *names = context;
	if (a->dur.total != b->dur.total)
		return a->dur.total < b->dur.total ? 1 : -1;
	int order = strcmp(names_text(names, a->name), names_text(names, b->name));
	for (int i = 0; i < 3 && !order; i++)
		order = (a->grid[i] > b->grid[i]) - (a->grid[i] < b->grid[i]);
	for (int i = 0; i < 3 && !order; i++)
		order = (a->block[i] > b->block[i]) - (a->block[i] < b->block[i]);
	return order;
}

void analyse_activities(struct analysis *a, struct arena *arena)
{
	struct grouped g = grouped_of(a, arena);
	g.call = xcalloc(a->n_device, sizeof *g.call);
	a->activities = group_rows(a, arena, &g, &a->n_activities);
	int64_t *scratch = xcalloc(a->n_device, sizeof *scratch);
	for (uint32_t i = 0; i < a->n_activities; i++) {
		count_in_steps(a, &a->activities[i], &g);
		measure(a, &a->activities[i], scratch);
	}
	free(scratch);
	free(g.call);
	sort_with(
		a->activities, a->n_activities, sizeof *a->activities, by_total, &a->trace->names);
}

/* Of the grids and blocks of its rows those that are the same in all. */
static void find_size(const struct trace *t, struct activity *act)
{
	for (size_t i = 0; i < act->calls; i++) {
		struct signature s = signature_of(t, act->row[i]);
		if (!i) {
			memcpy(act->grid, s.size, sizeof act->grid);
			memcpy(act->block, s.size + 3, sizeof act->block);
		} else if (memcmp(act->grid, s.size, sizeof act->grid) != 0 ||
			memcmp(act->block, s.size + 3, sizeof act->block) != 0) {
			memset(act->grid, -1, sizeof act->grid);
			memset(act->block, -1, sizeof act->block);
			return;
		}
	}
}

/* Those of one name as one, without rows where they are several; index (names): theirs. */
static struct activity *merge_names(
	const struct analysis *a, struct arena *arena, uint32_t *index, uint32_t *n)
{
	struct activity *all = arena_array(arena, a->n_activities, sizeof *all);
	memset(index, 0xff, a->trace->names.n * sizeof *index);
	*n = 0;
	for (uint32_t i = 0; i < a->n_activities; i++) {
		const struct activity *one = &a->activities[i];
		uint32_t *at = &index[one->name];
		if (*at == NO_ROW) {
			*at = (*n)++;
			all[*at] = *one;
		} else {
			all[*at] = (struct activity){.name = one->name,
				.calls = all[*at].calls + one->calls,
				.calls_in_steps = all[*at].calls_in_steps + one->calls_in_steps};
		}
	}
	return all;
}

static void measure_merged(const struct analysis *a, struct arena *arena, struct activity *all,
	uint32_t n, uint32_t *which)
{
	struct grouped g = grouped_of(a, arena);
	int64_t *scratch = xcalloc(a->n_device, sizeof *scratch);
	uint8_t *merged = xcalloc(n, 1);
	for (uint32_t i = 0; i < n; i++)
		merged[i] = !all[i].row;
	for (size_t i = 0; i < a->n_device; i++)
		which[i] = merged[which[i]] ? which[i] : NO_ROW;
	hand_out_rows(a, &g, all, n, which);
	for (uint32_t i = 0; i < n; i++) {
		if (!merged[i])
			continue;
		measure(a, &all[i], scratch);
		find_size(a->trace, &all[i]);
	}
	free(merged);
	free(scratch);
}

struct activity *activities_by_name(struct arena *arena, const struct analysis *a, uint32_t *n)
{
	const struct trace *t = a->trace;
	uint32_t *index = xcalloc(t->names.n, sizeof *index);
	uint32_t *which = xcalloc(a->n_device, sizeof *which);
	struct activity *all = merge_names(a, arena, index, n);
	for (size_t i = 0; i < a->n_device; i++)
		which[i] = index[t->name[a->device_rows[i]]];
	if (*n < a->n_activities)
		measure_merged(a, arena, all, *n, which);
	free(which);
	free(index);
	sort_with(all, *n, sizeof *all, by_total, &t->names);
	return all;
}

/* The operator that launched a row; NO_ROW: none is recorded. */
static uint32_t operator_of(const struct trace *t, uint32_t row)
{
	uint32_t call = analysis_launch_of(t, row);
	uint32_t op = call == NO_ROW ? NO_ROW : analysis_op_of(t, call);
	return op != NO_ROW && t->kind[op] == EVENT_OP ? op : NO_ROW;
}

uint32_t activity_operator(const struct trace *t, const struct activity *act)
{
	uint32_t candidate = NO_ROW;
	size_t lead = 0, n = 0;
	bool several = false;
	for (size_t i = 0; i < act->calls; i++) {
		uint32_t op = operator_of(t, act->row[i]);
		bool same =
			op != NO_ROW && candidate != NO_ROW && t->name[op] == t->name[candidate];
		several |= op != NO_ROW && candidate != NO_ROW && !same;
		n += op != NO_ROW;
		if (same) {
			lead++;
		} else if (lead) {
			lead--;
		} else if (op != NO_ROW) {
			candidate = op;
			lead = 1;
		}
	}
	n = several ? 0 : n; /* with one name alone all have been counted */
	for (size_t i = 0; several && i < act->calls; i++) {
		uint32_t op = operator_of(t, act->row[i]);
		n += op != NO_ROW && t->name[op] == t->name[candidate];
	}
	return 2 * n > act->calls ? candidate : NO_ROW;
}

void analyse_launches(struct analysis *a)
{
	int64_t *ns = xcalloc(a->n_device, sizeof *ns);
	size_t n = 0;
	for (size_t i = 0; i < a->n_device; i++)
		if (a->device_calls[i] != NO_ROW)
			ns[n++] = a->trace->dur_ns[a->device_calls[i]];
	a->call_median_ns = n ? stats_median(ns, n) : 0;
	free(ns);
}
