#include "report/judge_parts.h"

#include "base/config.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

/* ---- counts in every steady step ---- */

static void judge_count(
	struct court *c, struct verdict *v, const cJSON *wanted, step_quantity *quantity)
{
	const struct analysis *a = c->a;
	if (!cJSON_IsNumber(wanted))
		return leave_open(v, OPEN_MALFORMED);
	v->min = v->max = wanted->valuedouble;
	v->expected = arena_printf(c->arena, "%g", wanted->valuedouble);
	if (!a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	int64_t least = INT64_MAX, most = INT64_MIN;
	for (uint32_t i = first_steady(a); i < a->n_steps; i++) {
		int64_t n = quantity(a, &a->steps[i]);
		least = n < least ? n : least;
		most = n > most ? n : most;
		if (v->step == NO_ROW && (double)n != wanted->valuedouble)
			v->step = i;
	}
	const struct step *s = &a->steps[v->step == NO_ROW ? first_steady(a) : v->step];
	v->value = (double)quantity(a, s);
	v->observed = least == most
		? arena_printf(c->arena, "%g", (double)most)
		: arena_printf(c->arena, "%g\xe2\x80\x93%g", (double)least, (double)most);
	set_evidence(c, v, s->device, s->n_device);
	decide(v, v->step == NO_ROW);
}

void judge_kernels(struct court *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, kernels_of);
}

void judge_copies(struct court *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, copies_of);
}

void judge_launches(struct court *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, launches_of);
}

/* ---- the order of a step's device work ---- */

/* The words of the expectation; what has none of its own is "other". */
static const char *word_of(const struct analysis *a, uint32_t row)
{
	switch (a->class[row]) {
	case CLASS_GEMM:
	case CLASS_ADD:
	case CLASS_MUL:
	case CLASS_GELU:
	case CLASS_FUSED:
	case CLASS_COPY:
	case CLASS_FILL:
		return event_class_name(a->class[row]);
	default:
		return "other";
	}
}

/* The place where the step differs from the wanted words, NO_ROW if nowhere. */
static uint32_t first_difference(
	const struct analysis *a, const struct step *s, const cJSON *wanted)
{
	const cJSON *word = wanted->child;
	uint32_t place = 0;
	for (uint32_t i = 0; i < s->n_device; i++) {
		if (counts_with_gemm(a, s->device[i]))
			continue;
		if (!word || strcmp(word->valuestring, word_of(a, s->device[i])) != 0)
			return place;
		word = word->next;
		place++;
	}
	return word ? place : NO_ROW;
}

void judge_step(struct court *c, struct verdict *v, const cJSON *wanted)
{
	const struct analysis *a = c->a;
	struct list expected = {"", 0}, observed = {"", 0};
	const cJSON *word;
	if (!cJSON_IsArray(wanted))
		return leave_open(v, OPEN_MALFORMED);
	cJSON_ArrayForEach(word, wanted)
	{
		if (!cJSON_IsString(word))
			return leave_open(v, OPEN_MALFORMED);
		list_add(&expected, word->valuestring);
	}
	v->expected = list_text(c, &expected);
	if (!a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	for (uint32_t i = first_steady(a); i < a->n_steps && v->step == NO_ROW; i++) {
		v->element = first_difference(a, &a->steps[i], wanted);
		if (v->element != NO_ROW)
			v->step = i;
	}
	const struct step *s = &a->steps[v->step == NO_ROW ? first_steady(a) : v->step];
	for (uint32_t i = 0; i < s->n_device; i++)
		if (!counts_with_gemm(a, s->device[i]))
			list_add(&observed, word_of(a, s->device[i]));
	v->observed = list_text(c, &observed);
	set_evidence(c, v, s->device, s->n_device);
	decide(v, v->step == NO_ROW);
}

/* ---- the regime ---- */

void judge_regime(struct court *c, struct verdict *v, const cJSON *wanted)
{
	const struct analysis *a = c->a;
	if (!cJSON_IsString(wanted))
		return leave_open(v, OPEN_MALFORMED);
	v->expected = wanted->valuestring;
	if (a->regime.regime == REGIME_NONE)
		return leave_open(v, OPEN_NO_DEVICE);
	v->observed = regime_name(a->regime.regime);
	v->value = a->regime.ratio;
	v->mine = a->regime.busy_share;
	set_steps_evidence(c, v, 0);
	decide(v, !strcmp(v->expected, v->observed));
}

/* ---- the first step ---- */

/* C1 of the cheatsheet: at least twice the median of the others, and at least 30 us more. */
void judge_first_step(struct court *c, struct verdict *v, const cJSON *wanted)
{
	enum { LEAST_NS = 30000 };
	const struct analysis *a = c->a;
	const char *word = cJSON_GetStringValue(wanted);
	if (!word || (strcmp(word, "wider") != 0 && strcmp(word, "equal") != 0))
		return leave_open(v, OPEN_MALFORMED);
	v->expected = word;
	if (a->n_steps < 2)
		return leave_open(v, a->n_steps ? OPEN_ONE_STEP : OPEN_NO_STEPS);
	v->mine = (double)a->steps[0].dur_ns;
	v->others = median_from(a, 1, cpu_ns_of);
	v->value = v->others > 0 ? v->mine / v->others : 0;
	bool wider = v->mine >= 2 * v->others && v->mine - v->others >= LEAST_NS;
	double more = v->mine - v->others;
	v->observed = arena_printf(c->arena, "%s, %s (%s%s)", wider ? "wider" : "equal",
		ratio_text(c, v->value), more < 0 ? "\xe2\x88\x92" : "+",
		format_time(c->arena, fabs(more)));
	const struct step *s = &a->steps[0];
	uint32_t *row = arena_array(c->arena, (size_t)s->n_setup + 1, sizeof *row);
	row[0] = s->row;
	for (uint32_t i = 0; i < s->n_setup; i++)
		row[i + 1] = s->setup[i];
	set_evidence(c, v, row, s->n_setup + 1);
	decide(v, wider == !strcmp(word, "wider"));
}

/* ---- against another case ---- */

void judge_fewer_kernels(struct court *c, struct verdict *v, const cJSON *wanted)
{
	const struct analysis *a = c->a;
	const cJSON *by = config_find(wanted, "by");
	if (!cJSON_IsNumber(by))
		return leave_open(v, OPEN_MALFORMED);
	v->min = v->max = by->valuedouble;
	v->expected = arena_printf(c->arena, "%g", by->valuedouble);
	const struct analysis *other = other_case(c, v, config_find(wanted, "case"));
	if (!other)
		return;
	if (!a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	v->mine = median_from(a, first_steady(a), kernels_of);
	v->others = median_from(other, first_steady(other), kernels_of);
	v->value = v->others - v->mine;
	v->observed = arena_printf(c->arena, "%g", v->value);
	const struct step *s = &a->steps[first_steady(a)];
	set_evidence(c, v, s->device, s->n_device);
	decide(v, v->value == by->valuedouble);
}

static void judge_ratio(
	struct court *c, struct verdict *v, const cJSON *wanted, step_quantity *quantity)
{
	const struct analysis *a = c->a;
	const cJSON *min = config_find(wanted, "min"), *max = config_find(wanted, "max");
	if ((min && !cJSON_IsNumber(min)) || (max && !cJSON_IsNumber(max)) || (!min && !max))
		return leave_open(v, OPEN_MALFORMED);
	v->min = min ? min->valuedouble : -(double)INFINITY;
	v->max = max ? max->valuedouble : (double)INFINITY;
	v->expected = range_text(c, v->min, v->max);
	const struct analysis *other = other_case(c, v, config_find(wanted, "case"));
	if (!other)
		return;
	if (!a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	v->mine = median_from(a, first_steady(a), quantity);
	v->others = median_from(other, first_steady(other), quantity);
	if (v->mine <= 0 || v->others <= 0)
		return leave_open(v, OPEN_NO_DEVICE);
	v->value = v->mine / v->others;
	v->observed = ratio_text(c, v->value);
	set_steps_evidence(c, v, first_steady(a));
	decide(v, v->value >= v->min && v->value <= v->max);
}

void judge_step_time(struct court *c, struct verdict *v, const cJSON *wanted)
{
	judge_ratio(c, v, wanted, cpu_ns_of);
}

void judge_device_time(struct court *c, struct verdict *v, const cJSON *wanted)
{
	judge_ratio(c, v, wanted, device_ns_of);
}
