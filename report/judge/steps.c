/* SPDX-License-Identifier: Apache-2.0 */
#include "report/judge/parts.h"

#include "base/number_format.h"

#include <math.h>
#include <string.h>

/* ---- counts in every steady step ---- */

/* The first row too many, or the last one before some are missing. */
static void show_count(struct judging *c, struct verdict *v, enum counted what, uint32_t step)
{
	const struct step *s = &c->view.step[step];
	uint32_t n = count_rows(&c->view, s, what, NULL, 0);
	uint32_t *row = arena_array(c->arena, n, sizeof *row);
	count_rows(&c->view, s, what, row, n);
	v->value = n;
	set_evidence(c, v, row, n);
	v->at = !n ? s->row : row[v->min < n ? (uint32_t)v->min : n - 1];
}

static void judge_count(
	struct judging *c, struct verdict *v, const cJSON *wanted, enum counted what)
{
	const struct view *seen = &c->view;
	if (!cJSON_IsNumber(wanted) || wanted->valuedouble < 0)
		return leave_open(v, OPEN_MALFORMED);
	v->min = v->max = wanted->valuedouble;
	v->expected = arena_printf(c->arena, "%g", wanted->valuedouble);
	if (!seen->n)
		return leave_open(v, OPEN_NO_STEPS);
	const struct count_range r = count_range(c, what);
	uint32_t other = r.first != v->min ? seen->steady : r.other;
	v->observed = r.least == r.most
		? arena_printf(c->arena, "%u", r.most)
		: arena_printf(c->arena, "%u\xe2\x80\x93%u", r.least, r.most);
	show_count(c, v, what, other == NO_ROW ? seen->steady : other);
	decide(v, other == NO_ROW);
	if (v->state == VERDICT_KEPT)
		return;
	set_place(c, v, other, NO_ROW);
	if (r.least == r.most)
		return;
	v->wanted = v->expected;
	v->saw = arena_printf(c->arena, "%g", v->value);
}

void judge_kernels(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, COUNTED_KERNELS);
}

void judge_copies(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, COUNTED_COPIES);
}

void judge_launches(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, COUNTED_LAUNCHES);
}

void judge_syncs(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, COUNTED_SYNCS);
}

void judge_queries(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_count(c, v, wanted, COUNTED_QUERIES);
}

/* ---- the order of a step's device work ---- */

const char *word_of(const struct analysis *a, uint32_t row)
{
	switch (a->class[row]) {
	case CLASS_GEMM:
	case CLASS_ADD:
	case CLASS_MUL:
	case CLASS_GELU:
	case CLASS_FUSED:
	case CLASS_REDUCTION:
	case CLASS_ATTENTION:
	case CLASS_COPY:
	case CLASS_FILL:
		return event_class_name(a->class[row]);
	default:
		return "other";
	}
}

/* "other" was the word for reductions and attention before they had their own. */
static bool is_word(const struct analysis *a, uint32_t row, const char *word)
{
	bool newer = a->class[row] == CLASS_REDUCTION || a->class[row] == CLASS_ATTENTION;
	return !strcmp(word, word_of(a, row)) || (newer && !strcmp(word, "other"));
}

/* Compares a step with the wanted words; false where it differs, and then says at which place. */
static bool order_holds(
	struct judging *c, struct verdict *v, const struct step *s, const cJSON *wanted)
{
	const struct analysis *a = c->a;
	const cJSON *word = wanted->child;
	uint32_t place = 0, last = s->row;
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t row = s->device[i];
		if (counts_with_gemm(a, row))
			continue;
		last = row;
		if (!word || !is_word(a, row, word->valuestring)) {
			v->saw = word_of(a, row);
			break;
		}
		word = word->next;
		place++;
	}
	if (!word && !v->saw)
		return true;
	v->wanted = word ? word->valuestring : NULL;
	v->element = place;
	v->at = last;
	return false;
}

static const char *order_text(struct judging *c, const struct step *s)
{
	struct list l = {"", 0};
	bool cleared = false;
	for (uint32_t i = 0; i < s->n_device; i++) {
		uint32_t row = s->device[i];
		if (!counts_with_gemm(c->a, row))
			list_add(&l, cleared ? "gemm (+ fill)" : word_of(c->a, row));
		cleared = c->a->class[row] == CLASS_CLEAR;
	}
	return list_text(c, &l);
}

void judge_step(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	const struct view *seen = &c->view;
	struct list expected = {"", 0};
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
	if (!seen->n)
		return leave_open(v, OPEN_NO_STEPS);
	uint32_t other = seen->steady;
	while (other < seen->n && order_holds(c, v, &seen->step[other], wanted))
		other++;
	decide(v, other == seen->n);
	const struct step *s = &seen->step[other == seen->n ? seen->steady : other];
	if (v->state == VERDICT_BROKEN)
		set_place(c, v, other, v->element);
	v->observed = order_text(c, s);
	set_evidence(c, v, s->device, s->n_device);
}

/* ---- the regime ---- */

void judge_regime(struct judging *c, struct verdict *v, const cJSON *wanted)
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

struct first_step first_step_of(struct arena *arena, const struct judged *of)
{
	const struct judged alone = {.analysis = of->analysis};
	struct first_step f = {.mine_us = (double)of->analysis->steps[0].dur_ns / 1000,
		.others_us = case_median(arena, of->whole ? &alone : of, QUANTITY_CPU_US)};
	f.wider = f.mine_us >= FIRST_STEP_TIMES * f.others_us &&
		f.mine_us - f.others_us >= FIRST_STEP_LEAST_US;
	return f;
}

/* Shows the step itself, then its first-call work, by start. */
static void show_first_step(struct judging *c, struct verdict *v)
{
	const struct step *s = &c->a->steps[0];
	uint32_t *row = arena_array(c->arena, (size_t)s->n_setup + 1, sizeof *row);
	row[0] = s->row;
	for (uint32_t i = 0; i < s->n_setup; i++)
		row[i + 1] = s->setup[i];
	set_evidence(c, v, row, s->n_setup + 1);
}

void judge_first_step(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	const struct analysis *a = c->a;
	const char *word = cJSON_GetStringValue(wanted);
	if (!word || (strcmp(word, "wider") != 0 && strcmp(word, "equal") != 0))
		return leave_open(v, OPEN_MALFORMED);
	v->expected = word;
	if (a->n_steps < 2)
		return leave_open(v, a->n_steps ? OPEN_ONE_STEP : OPEN_NO_STEPS);
	struct first_step f = first_step_of(c->arena, c->seen);
	v->mine = f.mine_us;
	v->others = f.others_us;
	v->value = v->others > 0 ? v->mine / v->others : 0;
	double more = v->mine - v->others;
	v->observed = arena_printf(c->arena, "%s, %s (%s%s)", f.wider ? "wider" : "equal",
		ratio_text(c, v->value), more < 0 ? "\xe2\x88\x92" : "+",
		format_time(c->arena, fabs(more) * 1000));
	show_first_step(c, v);
	decide(v, f.wider == !strcmp(word, "wider"));
	if (!f.wider && v->value >= FIRST_STEP_TIMES)
		v->state = VERDICT_NOISE;
}

double setup_share_of(const struct analysis *a)
{
	const struct step *s = &a->steps[0];
	return s->dur_ns > 0 ? (double)s->setup_ns / (double)s->dur_ns : 0;
}
