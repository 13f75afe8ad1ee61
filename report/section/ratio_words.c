/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/ratio_words.h"

#include "base/faster_slower_same.h"
#include "base/number_format.h"
#include "report/analyse/case_numbers.h"
#include "report/judge/judge.h"

#include <math.h>
#include <string.h>

bool sure_is_noise(const struct sure_ratio *r)
{
	return r->certainty.low <= 1 && r->certainty.high >= 1;
}

static const char *number(struct arena *a, double ratio)
{
	const char *text = format_ratio(a, ratio);
	return arena_strndup(a, text, strcspn(text, "\xc3")); /* without its sign */
}

const char *sure_text(const struct texts *t, struct arena *a, const struct sure_ratio *r)
{
	const struct certainty *x = &r->certainty;
	if (!(r->ratio > 0))
		return "–";
	const char *key = !(x->low < x->high) ? "ratio.alone"
		: sure_is_noise(r)	      ? "ratio.noise"
					      : "ratio.sure";
	return say(t, a, key, "ratio", format_ratio(a, r->ratio), "low", number(a, x->low), "high",
		number(a, x->high), "mine", format_count(a, (int64_t)x->n_mine), "others",
		format_count(a, (int64_t)x->n_others), NULL);
}

const char *sure_words(const struct texts *t, struct arena *a, const struct report_case *mine,
	const struct report_case *others, bool device)
{
	const struct sure_ratio r = case_ratio(a, mine, others, device);
	return sure_text(t, a, &r);
}

static void range_of(const int64_t *ns, size_t n, double *least, double *most)
{
	*least = *most = (double)ns[0];
	for (size_t i = 1; i < n; i++) {
		*least = fmin(*least, (double)ns[i]);
		*most = fmax(*most, (double)ns[i]);
	}
}

struct sure_ratio sure_of_times(
	double ratio, const struct times *mine, const struct times *others, double apart)
{
	struct sure_ratio r = {
		.ratio = ratio, .certainty = {.n_mine = mine->n, .n_others = others->n}};
	struct certainty *x = &r.certainty;
	if (!mine->n || !others->n)
		return (struct sure_ratio){0};
	const struct ratio test = ratio_of(others->ns, others->n, mine->ns, mine->n, usual_levels);
	double least, most, from, to;
	range_of(mine->ns, mine->n, &least, &most);
	range_of(others->ns, others->n, &from, &to);
	x->low = fmin(test.level > 0 ? test.low : least / to, ratio / fmax(apart, 1));
	x->high = fmax(test.level > 0 ? test.high : most / from, ratio * fmax(apart, 1));
	return r;
}

static void add_steps(const struct analysis *an, struct times *device, struct times *cpu,
	int64_t *device_ns, int64_t *cpu_ns)
{
	for (uint32_t i = steady_from(an); i < an->n_steps; i++) {
		device_ns[device->n++] = an->steps[i].busy_ns;
		cpu_ns[cpu->n++] = an->steps[i].dur_ns;
	}
}

struct sure_ratio device_to_cpu(struct arena *a, const struct report_case *c)
{
	size_t steps = c->analysis->n_steps;
	for (int i = 0; i < c->n_repeats; i++)
		steps += c->repeat[i].analysis->n_steps;
	int64_t *device_ns = arena_array(a, steps + 1, sizeof *device_ns);
	int64_t *cpu_ns = arena_array(a, steps + 1, sizeof *cpu_ns);
	struct times device = {.ns = device_ns}, cpu = {.ns = cpu_ns};
	struct case_numbers n = numbers_of(c->analysis);
	if (!(n.cpu_ns > 0) || !(n.device_ns > 0))
		return (struct sure_ratio){0};
	add_steps(c->analysis, &device, &cpu, device_ns, cpu_ns);
	double ratio = n.device_ns / n.cpu_ns, low = ratio, high = ratio;
	for (int i = 0; i < c->n_repeats; i++) {
		const struct case_numbers again = numbers_of(c->repeat[i].analysis);
		add_steps(c->repeat[i].analysis, &device, &cpu, device_ns, cpu_ns);
		double other = again.cpu_ns > 0 ? again.device_ns / again.cpu_ns : ratio;
		low = fmin(low, other);
		high = fmax(high, other);
	}
	double apart = c->n_repeats ? 1 : c->run->apart_cpu;
	struct sure_ratio r = sure_of_times(ratio, &device, &cpu, apart);
	r.certainty.low = fmin(r.certainty.low, low);
	r.certainty.high = fmax(r.certainty.high, high);
	return r;
}

double least_visible(struct arena *a, const struct report_case *c, bool device)
{
	const struct sure_ratio r = case_ratio(a, c, c, device);
	return r.ratio > 0 ? fmax(r.certainty.high - 1, 1 - r.certainty.low) : 0;
}
