#include "report/judge_parts.h"

#include "base/stats.h"
#include "report/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char judge_nothing[] = "\xe2\x80\x93"; /* – */

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

void set_evidence(struct court *c, struct verdict *v, const uint32_t *row, uint32_t n)
{
	v->n_evidence = n < MOST_EVIDENCE ? n : MOST_EVIDENCE;
	uint32_t *copy = arena_array(c->arena, v->n_evidence, sizeof *copy);
	for (uint32_t i = 0; i < v->n_evidence; i++)
		copy[i] = row[i];
	v->evidence = copy;
}

void set_steps_evidence(struct court *c, struct verdict *v, uint32_t first)
{
	uint32_t row[MOST_EVIDENCE], n = 0;
	for (uint32_t i = first; i < c->a->n_steps && n < MOST_EVIDENCE; i++)
		row[n++] = c->a->steps[i].row;
	set_evidence(c, v, row, n);
}

const struct analysis *other_case(struct court *c, struct verdict *v, const cJSON *id)
{
	v->other = cJSON_GetStringValue(id);
	if (!v->other) {
		leave_open(v, OPEN_MALFORMED);
		return NULL;
	}
	const struct analysis *other = c->find ? c->find(c->context, v->other) : NULL;
	if (!other || !other->n_steps) {
		leave_open(v, OPEN_NO_CASE);
		return NULL;
	}
	return other;
}

/* ---- what a step holds ---- */

uint32_t first_steady(const struct analysis *a)
{
	return a->n_steps > 1;
}

bool counts_with_gemm(const struct analysis *a, uint32_t row)
{
	return a->class[row] == CLASS_SPLITK;
}

int64_t kernels_of(const struct analysis *a, const struct step *s)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		n += a->trace->kind[s->device[i]] == EVENT_KERNEL &&
			!counts_with_gemm(a, s->device[i]);
	return n;
}

int64_t copies_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->copies;
}

int64_t launches_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return (int64_t)s->launches + s->copy_calls;
}

int64_t cpu_ns_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->dur_ns;
}

int64_t device_ns_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->busy_ns;
}

double median_from(const struct analysis *a, uint32_t first, step_quantity *quantity)
{
	uint32_t n = a->n_steps - first;
	int64_t *sample = xcalloc(n, sizeof *sample);
	for (uint32_t i = 0; i < n; i++)
		sample[i] = quantity(a, &a->steps[first + i]);
	double median = stats_of(sample, n).median;
	free(sample);
	return median;
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

const char *list_text(struct court *c, const struct list *l)
{
	return l->n ? arena_strdup(c->arena, l->text) : judge_nothing;
}

const char *ratio_text(struct court *c, double ratio)
{
	return format_ratio(c->arena, ratio);
}

const char *range_text(struct court *c, double min, double max)
{
	if (isinf(min))
		return arena_printf(c->arena, "\xe2\x89\xa4 %g\xc3\x97", max);
	if (isinf(max))
		return arena_printf(c->arena, "\xe2\x89\xa5 %g\xc3\x97", min);
	return arena_printf(c->arena, "%g\xe2\x80\x93%g\xc3\x97", min, max);
}
