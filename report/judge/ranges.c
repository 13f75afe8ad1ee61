/* SPDX-License-Identifier: Apache-2.0 */
#include "report/judge/parts.h"

#include "base/config.h"
#include "base/min_max.h"
#include "base/number_format.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a number within limits ---- */

/* False, and the verdict is open, when the limits are none. */
static bool read_limits(struct judging *c, struct verdict *v, const cJSON *wanted, const char *unit)
{
	const cJSON *min = config_find(wanted, "min"), *max = config_find(wanted, "max");
	if ((min && !cJSON_IsNumber(min)) || (max && !cJSON_IsNumber(max)) || (!min && !max)) {
		leave_open(v, OPEN_MALFORMED);
		return false;
	}
	v->min = min ? min->valuedouble : -(double)INFINITY;
	v->max = max ? max->valuedouble : (double)INFINITY;
	v->expected = range_text(c, v->min, v->max, unit);
	return true;
}

static void decide_range(struct verdict *v)
{
	decide(v, v->value >= v->min && v->value <= v->max);
}

/* A share that is out of its limits must not be rounded onto one of them. */
static const char *share_beside(struct judging *c, const struct verdict *v)
{
	double limit = v->value < v->min ? v->min : v->max;
	int digits = 3;
	const char *text = arena_printf(c->arena, "%.*g", digits, v->value);
	while ((v->value < v->min || v->value > v->max) && strtod(text, NULL) == limit &&
		digits < DBL_DECIMAL_DIG)
		text = arena_printf(c->arena, "%.*g", ++digits, v->value);
	return text;
}

static bool looks_right(struct judging *c, const struct verdict *v, const char *text)
{
	return !strcmp(text, ratio_text(c, v->min)) || !strcmp(text, ratio_text(c, v->max)) ||
		strtod(text, NULL) == v->min || strtod(text, NULL) == v->max;
}

/* A ratio that is out of its limits, or an end of its interval, must not be rounded onto one of
 * them. */
static const char *ratio_beside(struct judging *c, const struct verdict *v, double ratio)
{
	const char *text = ratio_text(c, ratio);
	if (ratio >= v->min && ratio <= v->max)
		return text;
	for (int digits = 3; looks_right(c, v, text) && digits < DBL_DECIMAL_DIG; digits++)
		text = arena_printf(c->arena, "%.*g\xc3\x97", digits, ratio);
	return text;
}

/* "0.86× (0.71–1.02×)": where it may lie, too. */
static const char *ratio_in_interval(struct judging *c, const struct verdict *v)
{
	const struct certainty *x = &v->certainty;
	const char *low = ratio_beside(c, v, x->low), *high = ratio_beside(c, v, x->high);
	const char *text = ratio_beside(c, v, v->value);
	if (!strcmp(low, high))
		return text;
	return arena_printf(
		c->arena, "%s (%.*s\xe2\x80\x93%s)", text, (int)strcspn(low, "\xc3"), low, high);
}

/* "144 µs (120 µs–173 µs)" */
static const char *time_in_interval(struct judging *c, const struct verdict *v)
{
	const struct certainty *x = &v->certainty;
	const char *text = format_time(c->arena, v->value * 1000),
		   *low = format_time(c->arena, x->low * 1000),
		   *high = format_time(c->arena, x->high * 1000);
	if (!strcmp(low, high))
		return text;
	return arena_printf(c->arena, "%s (%s\xe2\x80\x93%s)", text, low, high);
}

/* Does a limit lie inside the interval? Then neither kept nor broken is known: the next run may
 * well say the other. */
static bool limit_inside(const struct verdict *v)
{
	const struct certainty *x = &v->certainty;
	return (x->low < v->min && x->high >= v->min) || (x->low <= v->max && x->high > v->max);
}

/* So it is with what one process of a case of a matrix says, unless it is out by more than a busy
 * minute makes: under load one quantity came out as 1.02, 1.26 and 1.72 times the other. */
static void decide_sure(const struct judging *c, struct verdict *v)
{
	static const double MINUTE = 2;
	const struct certainty *x = &v->certainty;
	decide_range(v);
	if (limit_inside(v))
		v->state = VERDICT_NOISE;
	else if (v->state == VERDICT_BROKEN && c->seen->work && x->processes < 2 &&
		x->high * MINUTE >= v->min && x->low <= v->max * MINUTE)
		v->state = VERDICT_NOISE;
}

/* The steady step that takes the most or the least. */
static uint32_t farthest(struct judging *c, bool most, enum quantity quantity)
{
	const struct view *seen = &c->view;
	uint32_t *known = c->seen->known ? &c->seen->known->farthest[quantity][most] : NULL;
	if (known && *known)
		return *known - 1;
	uint32_t worst = seen->steady;
	for (uint32_t i = seen->steady; i < seen->n; i++) {
		double a = quantity_of(quantity, seen, &seen->step[i]);
		double b = quantity_of(quantity, seen, &seen->step[worst]);
		if (most ? a > b : a < b)
			worst = i;
	}
	if (known)
		*known = worst + 1;
	return worst;
}

static uint32_t longest_of(const struct analysis *a, const struct step *s)
{
	uint32_t longest = NO_ROW;
	for (uint32_t i = 0; i < s->n_device; i++)
		if (longest == NO_ROW || a->trace->dur_ns[s->device[i]] > a->trace->dur_ns[longest])
			longest = s->device[i];
	return longest;
}

/* Shows the steps; of a time on the device, and of a whole trace, the device work of the farthest.
 */
static void show_time(struct judging *c, struct verdict *v, enum quantity quantity)
{
	const struct step *s = &c->view.step[farthest(c, v->value > v->max, quantity)];
	if (c->view.whole || quantity == QUANTITY_DEVICE_US) {
		set_evidence(c, v, s->device, s->n_device);
		v->at = longest_of(c->a, s);
	} else {
		set_steps_evidence(c, v, c->view.steady);
		v->at = s->row;
	}
}

static void judge_time(
	struct judging *c, struct verdict *v, const cJSON *wanted, enum quantity quantity)
{
	if (!read_limits(c, v, wanted, " \xc2\xb5s"))
		return;
	if (!c->view.n)
		return leave_open(v, OPEN_NO_STEPS);
	v->value = case_median(c->arena, c->seen, quantity);
	if (quantity == QUANTITY_DEVICE_US && v->value <= 0)
		return leave_open(v, OPEN_NO_DEVICE);
	v->observed = format_time(c->arena, v->value * 1000);
	show_time(c, v, quantity);
	decide_range(v);
}

void judge_cpu_step(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_time(c, v, wanted, QUANTITY_CPU_US);
}

void judge_device_step(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_time(c, v, wanted, QUANTITY_DEVICE_US);
}

/* ---- single steps on the CPU ---- */

static double first_us(const struct analysis *a)
{
	return (double)a->steps[0].dur_ns / 1000;
}

static void show_first(struct judging *c, struct verdict *v)
{
	v->at = c->a->steps[0].row;
	set_evidence(c, v, &v->at, 1);
}

void judge_first_time(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	if (!read_limits(c, v, wanted, " \xc2\xb5s"))
		return;
	if (!c->a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	v->value = first_us(c->a);
	v->certainty = certainty_of_single(c->arena, c->seen, false, v->value);
	v->observed = time_in_interval(c, v);
	show_first(c, v);
	decide_sure(c, v);
}

/* Any first step of this case over any of the other. */
static struct certainty ratio_of_firsts(
	struct judging *c, const struct judged *other, const struct verdict *v)
{
	struct certainty x = certainty_of_single(c->arena, c->seen, false, v->mine),
			 y = certainty_of_single(c->arena, other, false, v->others);
	x.n_others = y.n_mine;
	x.low /= y.high;
	x.high /= y.low;
	x.processes = min_int(x.processes, y.processes);
	return x;
}

void judge_first_ratio(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	struct judged other;
	if (!read_limits(c, v, wanted, "\xc3\x97") ||
		!other_judged(c, v, config_find(wanted, "case"), &other))
		return;
	if (!other.analysis->n_steps)
		return leave_open(v, OPEN_NO_CASE);
	if (!c->a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	v->mine = first_us(c->a);
	v->others = first_us(other.analysis);
	if (v->others <= 0)
		return leave_open(v, OPEN_NO_CASE);
	v->value = v->mine / v->others;
	v->certainty = ratio_of_firsts(c, &other, v);
	v->observed = ratio_in_interval(c, v);
	show_first(c, v);
	decide_sure(c, v);
}

/* The longest steady step by their median. */
void judge_widest(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	const struct view *seen = &c->view;
	if (!read_limits(c, v, wanted, "\xc3\x97"))
		return;
	if (seen->n - seen->steady < 2)
		return leave_open(v, seen->n ? OPEN_ONE_STEP : OPEN_NO_STEPS);
	uint32_t widest = farthest(c, true, QUANTITY_CPU_US);
	v->mine = quantity_of(QUANTITY_CPU_US, seen, &seen->step[widest]);
	v->others = case_median(c->arena, c->seen, QUANTITY_CPU_US);
	v->value = v->others > 0 ? v->mine / v->others : 0;
	v->certainty = certainty_of_single(c->arena, c->seen, true, v->value);
	v->observed = ratio_in_interval(c, v);
	set_place(c, v, widest, NO_ROW);
	v->at = seen->step[widest].row;
	set_evidence(c, v, &v->at, 1);
	decide_sure(c, v);
}

/* ---- shares ---- */

/* What begins after the longest gaps, the longest first. */
static void show_gaps(struct judging *c, struct verdict *v)
{
	uint32_t row[LONGEST_GAPS], n = 0;
	const struct analysis *a = c->a;
	for (uint32_t i = 0; i < a->n_longest; i++) {
		struct gap g = analysis_gap(a, a->longest[i]);
		uint32_t beside = g.after != NO_ROW ? g.after : g.before;
		if (beside != NO_ROW)
			row[n++] = beside;
	}
	if (!n)
		return set_steps_evidence(c, v, 0);
	set_evidence(c, v, row, n);
}

void judge_device_busy(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	if (!read_limits(c, v, wanted, ""))
		return;
	if (!c->a->n_device)
		return leave_open(v, OPEN_NO_DEVICE);
	v->value = c->a->window.busy_share;
	v->observed = share_beside(c, v);
	show_gaps(c, v);
	decide_range(v);
}

void judge_setup_share(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	if (!read_limits(c, v, wanted, ""))
		return;
	if (!c->a->n_steps)
		return leave_open(v, OPEN_NO_STEPS);
	const struct step *s = &c->a->steps[0];
	uint32_t *row = arena_array(c->arena, (size_t)s->n_setup + 1, sizeof *row);
	row[0] = s->row;
	v->value = setup_share_of(c->a);
	v->observed = share_beside(c, v);
	v->at = s->row;
	for (uint32_t i = 0; i < s->n_setup; i++) {
		row[i + 1] = s->setup[i];
		if (!i || c->a->trace->dur_ns[s->setup[i]] > c->a->trace->dur_ns[v->at])
			v->at = s->setup[i];
	}
	set_evidence(c, v, row, s->n_setup + 1);
	decide_range(v);
}

/* ---- against another case ---- */

void judge_fewer_kernels(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	struct judged other;
	const cJSON *by = config_find(wanted, "by");
	if (!cJSON_IsNumber(by))
		return leave_open(v, OPEN_MALFORMED);
	v->min = v->max = by->valuedouble;
	v->expected = arena_printf(c->arena, "%g", by->valuedouble);
	if (!other_judged(c, v, config_find(wanted, "case"), &other))
		return;
	if (!other.whole && !other.analysis->n_steps)
		return leave_open(v, OPEN_NO_CASE);
	if (!c->view.n)
		return leave_open(v, OPEN_NO_STEPS);
	v->mine = case_median(c->arena, c->seen, QUANTITY_KERNELS);
	v->others = case_median(c->arena, &other, QUANTITY_KERNELS);
	v->value = v->others - v->mine;
	v->observed = arena_printf(c->arena, "%g", v->value);
	const struct step *s = &c->view.step[c->view.steady];
	set_evidence(c, v, s->device, s->n_device);
	decide(v, v->value == by->valuedouble);
}

static void judge_ratio(
	struct judging *c, struct verdict *v, const cJSON *wanted, enum quantity quantity)
{
	struct judged other;
	if (!read_limits(c, v, wanted, "\xc3\x97") ||
		!other_judged(c, v, config_find(wanted, "case"), &other))
		return;
	if (!other.whole && !other.analysis->n_steps)
		return leave_open(v, OPEN_NO_CASE);
	if (!c->view.n)
		return leave_open(v, OPEN_NO_STEPS);
	v->mine = case_median(c->arena, c->seen, quantity);
	v->others = case_median(c->arena, &other, quantity);
	if (v->mine <= 0 || v->others <= 0)
		return leave_open(v, OPEN_NO_DEVICE);
	v->value = v->mine / v->others;
	v->certainty = certainty_of(c->arena, c->seen, &other, quantity, v->value);
	v->observed = ratio_in_interval(c, v);
	show_time(c, v, quantity);
	decide_sure(c, v);
}

void judge_step_time(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_ratio(c, v, wanted, QUANTITY_CPU_US);
}

void judge_device_time(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_ratio(c, v, wanted, QUANTITY_DEVICE_US);
}
