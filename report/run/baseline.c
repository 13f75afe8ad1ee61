/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/baseline.h"

#include "report/analyse/case_numbers.h"

#include <stdlib.h>
#include <string.h>

const double change_least = 0.05;

const char *change_name(enum change change)
{
	static const char *const names[] = {"same", "faster", "slower", "inconclusive"};
	return names[change];
}

enum side { SIDE_CPU, SIDE_DEVICE };

static struct stats step_stats(const struct analysis *a, enum side side)
{
	uint32_t first = steady_from(a), n = a->n_steps - first;
	int64_t *ns = xcalloc((size_t)n + 1, sizeof *ns);
	for (uint32_t i = 0; i < n; i++) {
		const struct step *step = &a->steps[first + i];
		ns[i] = side == SIDE_CPU ? step->dur_ns : step->busy_ns;
	}
	struct stats s = stats_of(ns, n);
	free(ns);
	return s;
}

static enum change judge_change(const struct stats *base, const struct stats *now)
{
	if (base->n < CHANGE_STEPS || now->n < CHANGE_STEPS)
		return CHANGE_INCONCLUSIVE;
	double least = base->median * change_least;
	bool differ = now->median > base->median + least || now->median < base->median - least;
	bool apart = now->p25 > base->p75 || now->p75 < base->p25;
	if (differ && apart)
		return now->median > base->median ? CHANGE_SLOWER : CHANGE_FASTER;
	return differ ? CHANGE_INCONCLUSIVE : CHANGE_NONE;
}

static struct compared compare(
	const struct analysis *base, const struct analysis *now, enum side side)
{
	struct stats b = step_stats(base, side), n = step_stats(now, side);
	return (struct compared){.base_ns = b.median,
		.now_ns = n.median,
		.ratio = b.median > 0 ? n.median / b.median : 0,
		.change = judge_change(&b, &n)};
}

static bool has_kernel(const struct analysis *a, const char *name)
{
	for (uint32_t i = 0; i < a->n_activities; i++)
		if (!strcmp(names_text(&a->trace->names, a->activities[i].name), name))
			return true;
	return false;
}

static bool kernels_within(const struct analysis *a, const struct analysis *b)
{
	for (uint32_t i = 0; i < a->n_activities; i++)
		if (!has_kernel(b, names_text(&a->trace->names, a->activities[i].name)))
			return false;
	return true;
}

static bool same_shape(const struct report_case *a, const struct report_case *b)
{
	return cJSON_Compare(
		       config_find(a->entry, "shape"), config_find(b->entry, "shape"), true) ||
		(!a->entry && !b->entry);
}

static void add_row(
	struct baseline *b, const struct report_case *base, const struct report_case *now)
{
	struct baseline_row *r = &b->row[b->n++];
	*r = (struct baseline_row){.base = base, .now = now};
	r->cpu = compare(base->analysis, now->analysis, SIDE_CPU);
	r->device = compare(base->analysis, now->analysis, SIDE_DEVICE);
	r->other_kernels = !kernels_within(base->analysis, now->analysis) ||
		!kernels_within(now->analysis, base->analysis);
	bool slower = r->cpu.change == CHANGE_SLOWER || r->device.change == CHANGE_SLOWER;
	bool faster = r->cpu.change == CHANGE_FASTER || r->device.change == CHANGE_FASTER;
	b->slower += slower;
	b->faster += faster && !slower;
}

static int count_cases(const struct input *in)
{
	int n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		n += c->readable;
	return n;
}

struct baseline baseline_of(struct arena *a, const struct input *base, const struct input *now)
{
	struct baseline b = {.only_now = count_cases(now), .only_base = count_cases(base)};
	b.row = arena_array(a, (size_t)b.only_now, sizeof *b.row);
	for (const struct report_case *c = NULL; (c = next_case(now, c));) {
		const struct report_case *before =
			c->readable ? input_find(base, NULL, c->id) : NULL;
		if (!before || !same_shape(before, c))
			continue;
		add_row(&b, before, c);
		b.only_now--;
		b.only_base--;
	}
	return b;
}
