/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
#include "report/judge/parts.h"

#include "report/name/demangle.h"
#include "report/name/shorten.h"

#include <stdlib.h>
#include <string.h>

/* ---- GEMM kernels of the whole trace ---- */

ORDER(by_text, char *, strcmp(*a, *b));

struct name_set gemm_names(struct arena *arena, const struct analysis *a)
{
	struct name_set set = {arena_array(arena, a->n_activities, sizeof *set.name), 0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < a->n_activities; i++)
		if (a->activities[i].class == CLASS_GEMM)
			set.name[n++] = names_text(&a->trace->names, a->activities[i].name);
	if (n)
		qsort(set.name, n, sizeof *set.name, by_text);
	for (uint32_t i = 0; i < n; i++)
		if (!set.n || strcmp(set.name[set.n - 1], set.name[i]) != 0)
			set.name[set.n++] = set.name[i];
	return set;
}

static const char *set_text(struct judging *c, const struct name_set *set)
{
	struct list l = {"", 0};
	for (uint32_t i = 0; i < set->n; i++)
		list_add(&l, brief_name(c->arena, readable_name(c->arena, set->name[i])));
	return list_text(c, &l);
}

/* Shows the first run of every GEMM kernel; to be looked at first is the one called `name`. */
static void show_gemms(struct judging *c, struct verdict *v, const char *name)
{
	uint32_t row[MOST_EVIDENCE], n = 0;
	const struct analysis *a = c->a;
	for (uint32_t i = 0; i < a->n_activities && n < MOST_EVIDENCE; i++) {
		if (a->activities[i].class != CLASS_GEMM)
			continue;
		row[n] = a->activities[i].row[0];
		if (name && v->at == NO_ROW && !strcmp(name_of_row(a, row[n]), name))
			v->at = row[n];
		n++;
	}
	set_evidence(c, v, row, n);
}

/* False, and the verdict is open, when there is nothing to compare. */
static bool compare_gemms(struct judging *c, struct verdict *v, const cJSON *id, bool *same)
{
	struct view other;
	if (!other_case(c, v, id, &other))
		return false;
	struct name_set mine = gemm_names(c->arena, c->a);
	struct name_set theirs = gemm_names(c->arena, other.a);
	v->expected = set_text(c, &theirs);
	v->observed = set_text(c, &mine);
	if (!mine.n && !theirs.n) {
		leave_open(v, OPEN_NO_GEMM);
		return false;
	}
	uint32_t i = 0;
	while (i < mine.n && i < theirs.n && !strcmp(mine.name[i], theirs.name[i]))
		i++;
	*same = i == mine.n && i == theirs.n;
	if (!*same) {
		v->element = i;
		v->wanted = i < theirs.n ? theirs.name[i] : NULL;
		v->saw = i < mine.n ? mine.name[i] : NULL;
	}
	show_gemms(c, v, v->saw);
	return true;
}

void judge_same_gemm(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	bool same;
	if (compare_gemms(c, v, wanted, &same))
		decide(v, same);
}

void judge_other_gemm(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	bool same;
	if (!compare_gemms(c, v, wanted, &same))
		return;
	v->element = NO_ROW; /* kept where they differ, and broken without a difference */
	v->wanted = v->saw = NULL;
	v->expected = arena_printf(c->arena, "\xe2\x89\xa0 %s", v->expected);
	decide(v, !same);
}

/* ---- kernels of a step, in order ---- */

static const char *kernel_names(struct judging *c, const struct view *seen, const struct step *s)
{
	struct list l = {"", 0};
	uint32_t row;
	for (uint32_t at = 0; (row = next_kernel(seen, s, &at)) != NO_ROW;)
		list_add(&l, brief_name(c->arena, trace_row_name(seen->a->trace, row)));
	return list_text(c, &l);
}

uint32_t next_kernel(const struct view *v, const struct step *s, uint32_t *at)
{
	while (*at < s->n_device &&
		(v->a->trace->kind[s->device[*at]] != EVENT_KERNEL ||
			counts_with_gemm(v->a, s->device[*at])))
		++*at;
	return *at < s->n_device ? s->device[(*at)++] : NO_ROW;
}

/* True when both launch kernels of the same names in the same order; else tells the first that
 * differs. */
static bool same_kernels(struct verdict *v, const struct view *seen, const struct step *mine,
	const struct view *other, const struct step *theirs)
{
	uint32_t last = mine->row;
	for (uint32_t l = 0, r = 0, place = 0;; place++) {
		uint32_t a = next_kernel(seen, mine, &l), b = next_kernel(other, theirs, &r);
		if (a == NO_ROW && b == NO_ROW)
			return true;
		last = a != NO_ROW ? a : last;
		const char *saw = a != NO_ROW ? name_of_row(seen->a, a) : NULL;
		const char *wanted = b != NO_ROW ? name_of_row(other->a, b) : NULL;
		if (saw && wanted && !strcmp(saw, wanted))
			continue;
		v->element = place;
		v->wanted = b != NO_ROW ? trace_row_name(other->a->trace, b) : NULL;
		v->saw = a != NO_ROW ? trace_row_name(seen->a->trace, a) : NULL;
		v->at = last;
		return false;
	}
}

/* The first step behind `from` that runs others than it; view.n: none. */
static uint32_t other_kernels(struct judging *c, uint32_t from)
{
	const struct view *seen = &c->view;
	uint32_t *known = c->seen->known ? &c->seen->known->other_kernels[from] : NULL;
	if (known && *known)
		return *known - 1;
	struct verdict nobody;
	uint32_t i = from + 1;
	while (i < seen->n && same_kernels(&nobody, seen, &seen->step[i], seen, &seen->step[from]))
		i++;
	if (known)
		*known = i + 1;
	return i;
}

/* The steps from index `from` on against one step of another case, or of this one. */
static bool steps_run(struct judging *c, struct verdict *v, uint32_t from, const struct view *other,
	const struct step *theirs)
{
	const struct view *seen = &c->view;
	uint32_t i = from;
	if (same_kernels(v, seen, &seen->step[i], other, theirs))
		i = other_kernels(c, from);
	if (i > from && i < seen->n)
		same_kernels(v, seen, &seen->step[i], other, theirs);
	bool same = i == seen->n;
	const struct step *shown = &seen->step[same ? from : i];
	v->expected = kernel_names(c, other, theirs);
	v->observed = kernel_names(c, seen, shown);
	set_evidence(c, v, shown->device, shown->n_device);
	if (!same)
		set_place(c, v, i, v->element);
	return same;
}

/* Every recorded step, the first too, launches the same kernels in the same order. */
void judge_same_kernel(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	if (!cJSON_IsBool(wanted))
		return leave_open(v, OPEN_MALFORMED);
	if (!c->view.n)
		return leave_open(v, OPEN_NO_STEPS);
	if (!c->a->n_kernels)
		return leave_open(v, OPEN_NO_DEVICE);
	bool same = steps_run(c, v, 0, &c->view, c->view.step);
	decide(v, same == cJSON_IsTrue(wanted));
}

void judge_same_kernels(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	struct view other;
	if (!other_case(c, v, wanted, &other))
		return;
	if (!other.n)
		return leave_open(v, OPEN_NO_CASE);
	if (!c->view.n)
		return leave_open(v, OPEN_NO_STEPS);
	if (!c->a->n_kernels && !other.a->n_kernels)
		return leave_open(v, OPEN_NO_DEVICE);
	decide(v, steps_run(c, v, c->view.steady, &other, &other.step[other.steady]));
}

/* ---- parts of names, in order ---- */

/* Finds each part in a kernel behind the one before; false where one is in none of them. What it
 * saw instead is the kernel that follows the last one found. */
static bool names_hold(
	struct verdict *v, const struct view *seen, const struct step *s, const cJSON *parts)
{
	const cJSON *part;
	uint32_t next = 0, place = 0, found = s->row;
	cJSON_ArrayForEach(part, parts)
	{
		uint32_t at = next, row, before = next;
		while ((row = next_kernel(seen, s, &at)) != NO_ROW &&
			!strstr(name_of_row(seen->a, row), part->valuestring) &&
			!strstr(trace_row_name(seen->a->trace, row), part->valuestring))
			;
		if (row == NO_ROW) {
			uint32_t there = next_kernel(seen, s, &before);
			v->element = place;
			v->wanted = part->valuestring;
			v->saw = there != NO_ROW ? trace_row_name(seen->a->trace, there) : NULL;
			v->at = there != NO_ROW ? there : found;
			return false;
		}
		found = row;
		next = at;
		place++;
	}
	return true;
}

void judge_kernel_names(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	const struct view *seen = &c->view;
	struct list expected = {"", 0};
	const cJSON *part;
	if (!cJSON_IsArray(wanted))
		return leave_open(v, OPEN_MALFORMED);
	cJSON_ArrayForEach(part, wanted)
	{
		if (!cJSON_IsString(part))
			return leave_open(v, OPEN_MALFORMED);
		list_add(&expected,
			brief_name(c->arena, readable_name(c->arena, part->valuestring)));
	}
	v->expected = list_text(c, &expected);
	if (!seen->n)
		return leave_open(v, OPEN_NO_STEPS);
	uint32_t i = seen->steady;
	while (i < seen->n && names_hold(v, seen, &seen->step[i], wanted))
		i++;
	decide(v, i == seen->n);
	const struct step *s = &seen->step[i == seen->n ? seen->steady : i];
	if (v->state == VERDICT_BROKEN)
		set_place(c, v, i, v->element);
	v->observed = kernel_names(c, seen, s);
	set_evidence(c, v, s->device, s->n_device);
}

/* ---- recompilations ---- */

/* The first row of every distinct region, or graph where there are no regions. */
static void show_compilations(struct judging *c, struct verdict *v)
{
	const struct analysis *a = c->a;
	const struct trace *t = a->trace;
	enum compile_row shown = a->compile.regions ? COMPILE_REGION : COMPILE_GRAPH;
	uint32_t row[MOST_EVIDENCE], n = 0;
	uint8_t *seen = xcalloc(t->names.n, 1);
	for (size_t i = 0; i < t->n && n < MOST_EVIDENCE; i++) {
		const char *key;
		int length;
		if (a->class[i] != CLASS_COMPILE || seen[t->name[i]]++)
			continue;
		if (compile_row_of(names_text(&t->names, t->name[i]), &key, &length) == shown)
			row[n++] = (uint32_t)i;
	}
	free(seen);
	set_evidence(c, v, row, n);
	if (n)
		v->at = row[n - 1]; /* what was compiled last */
}

void judge_recompiles(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	if (!cJSON_IsNumber(wanted))
		return leave_open(v, OPEN_MALFORMED);
	v->min = v->max = wanted->valuedouble;
	v->value = c->a->compile.recompiles;
	v->expected = arena_printf(c->arena, "%g", v->min);
	v->observed = arena_printf(c->arena, "%g", v->value);
	show_compilations(c, v);
	decide(v, v->value == v->min);
}
