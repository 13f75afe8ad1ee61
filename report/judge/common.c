/* SPDX-License-Identifier: Apache-2.0 */
#include "report/judge/parts.h"

#include "base/min_max.h"
#include "base/number_format.h"
#include "base/sort.h"
#include "base/stats.h"
#include "report/analyse/analysis_stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char judge_nothing[] = "\xe2\x80\x93"; /* – */

/* ---- the steps that are judged ---- */

/* A product is two launches where the library splits it, or clears a counter for it. */
static const uint8_t *fold_launches(struct arena *arena, const struct analysis *a)
{
	const struct trace *t = a->trace;
	uint8_t *folded = NULL;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = t->launch[row];
		if (!counts_with_gemm(a, row) || call == NO_ROW || t->launch[call] != row)
			continue;
		if (!folded)
			folded = arena_array(arena, t->n, sizeof *folded);
		folded[analysis_launch_of(t, row)] = 1;
	}
	return folded;
}

static const struct step *whole_step(struct arena *arena, const struct analysis *a)
{
	struct step *s = arena_alloc(arena, sizeof *s);
	*s = (struct step){.row = NO_ROW,
		.start_ns = a->window.start_ns,
		.dur_ns = a->window.end_ns - a->window.start_ns,
		.device = a->device_rows,
		.n_device = (uint32_t)a->n_device,
		.busy_ns = a->window.busy_ns};
	return s;
}

struct view times_of(struct arena *arena, const struct analysis *a, bool whole)
{
	struct view v = {.a = a, .whole = whole};
	v.step = v.whole ? whole_step(arena, a) : a->steps;
	v.n = v.whole ? 1 : a->n_steps;
	v.steady = steps_steady_from(v.n);
	return v;
}

struct view view_of(struct arena *arena, const struct judged *seen)
{
	struct known_times *known = seen->known;
	if (known && known->view)
		return *known->view;
	struct view *v = arena_alloc(known ? known->arena : arena, sizeof *v);
	*v = times_of(arena, seen->analysis, seen->whole);
	v->folded = fold_launches(arena, seen->analysis);
	if (known)
		known->view = v;
	return *v;
}

/* ---- verdicts ---- */

void leave_open(struct verdict *v, enum open_reason reason)
{
	v->state = VERDICT_OPEN;
	v->reason = reason;
}

void decide(struct verdict *v, bool kept)
{
	v->state = kept ? VERDICT_KEPT : VERDICT_BROKEN;
}

bool verdict_of_findings(const struct verdict *v)
{
	return !strncmp(v->key, "must_", strlen("must_"));
}

bool verdict_differs(const struct verdict *v)
{
	return v->state == VERDICT_BROKEN && (v->wanted || v->saw);
}

void set_evidence(struct judging *c, struct verdict *v, const uint32_t *row, uint32_t n)
{
	v->n_evidence = min32(n, MOST_EVIDENCE);
	uint32_t *copy = arena_array(c->arena, v->n_evidence, sizeof *copy);
	for (uint32_t i = 0; i < v->n_evidence; i++)
		copy[i] = row[i];
	v->evidence = copy;
}

void set_steps_evidence(struct judging *c, struct verdict *v, uint32_t first)
{
	uint32_t row[MOST_EVIDENCE], n = 0;
	if (c->view.whole)
		return set_evidence(c, v, c->view.step->device, c->view.step->n_device);
	for (uint32_t i = first; i < c->view.n && n < MOST_EVIDENCE; i++)
		row[n++] = c->view.step[i].row;
	set_evidence(c, v, row, n);
}

void set_place(struct judging *c, struct verdict *v, uint32_t step, uint32_t element)
{
	v->step = c->view.whole ? NO_ROW : step;
	v->element = element;
}

bool other_judged(struct judging *c, struct verdict *v, const cJSON *id, struct judged *other)
{
	*other = (struct judged){0};
	v->other = cJSON_GetStringValue(id);
	if (!v->other) {
		leave_open(v, OPEN_MALFORMED);
		return false;
	}
	if (!c->sources->find || !c->sources->find(c->sources->context, v->other, other)) {
		leave_open(v, OPEN_NO_CASE);
		return false;
	}
	return true;
}

bool other_case(struct judging *c, struct verdict *v, const cJSON *id, struct view *other)
{
	struct judged found;
	if (!other_judged(c, v, id, &found))
		return false;
	*other = view_of(c->arena, &found);
	return true;
}

/* ---- what a step holds ---- */

bool counts_with_gemm(const struct analysis *a, uint32_t row)
{
	return class_counts_with_gemm(a->class[row]);
}

static bool counts_on_host(const struct view *v, uint32_t row, enum counted what)
{
	if (!is_outer_call(v->a->trace, row))
		return false;
	switch (v->a->class[row]) {
	case CLASS_LAUNCH:
	case CLASS_COPY_CALL:
		return what == COUNTED_LAUNCHES && !(v->folded && v->folded[row]);
	case CLASS_SYNC:
		return what == COUNTED_SYNCS;
	case CLASS_QUERY:
		return what == COUNTED_QUERIES;
	default:
		return false;
	}
}

/* Of overlapping steps a call belongs to one. */
static bool is_in_step(const struct analysis *a, int64_t time_ns, const struct step *s)
{
	uint32_t at = analysis_step_at(a, time_ns);
	return at != NO_ROW && &a->steps[at] == s;
}

static uint32_t count_calls(
	const struct view *v, const struct step *s, enum counted what, uint32_t *row, uint32_t room)
{
	const struct trace *t = v->a->trace;
	uint32_t n = 0;
	size_t i = v->whole ? 0 : trace_first_from(t, s->start_ns);
	for (; i < t->n && (v->whole || t->start_ns[i] < s->start_ns + s->dur_ns); i++) {
		if (!counts_on_host(v, (uint32_t)i, what) ||
			(!v->whole && !is_in_step(v->a, t->start_ns[i], s)))
			continue;
		if (n < room)
			row[n] = (uint32_t)i;
		n++;
	}
	return n;
}

uint32_t count_rows(
	const struct view *v, const struct step *s, enum counted what, uint32_t *row, uint32_t room)
{
	if (what != COUNTED_KERNELS && what != COUNTED_COPIES)
		return count_calls(v, s, what, row, room);
	uint8_t kind = what == COUNTED_KERNELS ? EVENT_KERNEL : EVENT_MEMCPY;
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_device; i++) {
		if (v->a->trace->kind[s->device[i]] != kind || counts_with_gemm(v->a, s->device[i]))
			continue;
		if (n < room)
			row[n] = s->device[i];
		n++;
	}
	return n;
}

_Static_assert(sizeof(((struct known_times *)0)->counts) / sizeof(void *) == COUNTED_QUERIES + 1,
	"a place for each");

struct count_range count_range(struct judging *c, enum counted what)
{
	const struct view *v = &c->view;
	struct known_times *known = c->seen->known;
	if (known && known->counts[what])
		return *known->counts[what];
	struct count_range *r = arena_alloc(known ? known->arena : c->arena, sizeof *r);
	*r = (struct count_range){UINT32_MAX, 0, 0, NO_ROW};
	for (uint32_t i = v->steady; i < v->n; i++) {
		uint32_t n = count_rows(v, &v->step[i], what, NULL, 0);
		r->least = min32(n, r->least);
		r->most = max32(n, r->most);
		r->first = i == v->steady ? n : r->first;
		r->other = n != r->first && r->other == NO_ROW ? i : r->other;
	}
	if (known)
		known->counts[what] = r;
	return *r;
}

double quantity_of(enum quantity quantity, const struct view *v, const struct step *s)
{
	switch (quantity) {
	case QUANTITY_CPU_US:
		return (double)s->dur_ns / 1000;
	case QUANTITY_DEVICE_US:
		return (double)s->busy_ns / 1000;
	default:
		return count_rows(v, s, COUNTED_KERNELS, NULL, 0);
	}
}

double median_steady(const struct view *v, enum quantity quantity)
{
	uint32_t n = v->n - v->steady;
	double *sample = xcalloc(n, sizeof *sample);
	for (uint32_t i = 0; i < n; i++)
		sample[i] = quantity_of(quantity, v, &v->step[v->steady + i]);
	qsort(sample, n, sizeof *sample, by_double);
	double median = (sample[(n - 1) / 2] + sample[n / 2]) / 2;
	free(sample);
	return median;
}

const char *name_of_row(const struct analysis *a, uint32_t row)
{
	return names_text(&a->trace->names, a->trace->name[row]);
}

/* ---- texts ---- */

void list_add(struct list *l, const char *word)
{
	int n = snprintf(l->text + l->n, sizeof l->text - l->n, "%s%s", l->n ? ", " : "", word);
	l->n += (size_t)n;
	if (l->n < sizeof l->text)
		return;
	l->n = sizeof l->text - 1; /* full: mark the cut at a whole character */
	size_t cut = sizeof l->text - sizeof "\xe2\x80\xa6";
	while (cut > 0 && (l->text[cut] & 0xc0) == 0x80)
		cut--;
	memcpy(l->text + cut, "\xe2\x80\xa6", sizeof "\xe2\x80\xa6");
}

const char *list_text(struct judging *c, const struct list *l)
{
	return l->n ? arena_strdup(c->arena, l->text) : judge_nothing;
}

const char *ratio_text(struct judging *c, double ratio)
{
	return format_ratio(c->arena, ratio);
}

const char *range_text(struct judging *c, double min, double max, const char *unit)
{
	if (isinf(min))
		return arena_printf(c->arena, "\xe2\x89\xa4 %g%s", max, unit);
	if (isinf(max))
		return arena_printf(c->arena, "\xe2\x89\xa5 %g%s", min, unit);
	return arena_printf(c->arena, "%g\xe2\x80\x93%g%s", min, max, unit);
}
