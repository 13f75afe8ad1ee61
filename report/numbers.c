#include "report/numbers.h"

#include <math.h>
#include <stdlib.h>

typedef int64_t (*step_number)(const struct analysis *a, const struct step *s);

static int64_t cpu_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->dur_ns;
}

static int64_t device_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->busy_ns;
}

static int64_t kernels_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->kernels;
}

static int64_t copies_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->copies + s->fills;
}

static int64_t launches_of(const struct analysis *a, const struct step *s)
{
	(void)a;
	return s->launches + s->copy_calls;
}

static double median_of(const struct analysis *a, step_number number, uint32_t first)
{
	if (a->n_steps <= first)
		return 0;
	int64_t *v = xcalloc(a->n_steps, sizeof *v);
	for (uint32_t i = first; i < a->n_steps; i++)
		v[i - first] = number(a, &a->steps[i]);
	double median = stats_of(v, a->n_steps - first).median;
	free(v);
	return median;
}

static uint32_t nearest_step(const struct analysis *a, double cpu_ns)
{
	uint32_t best = a->n_steps > 1;
	for (uint32_t i = best; i < a->n_steps; i++) {
		double distance = fabs((double)a->steps[i].dur_ns - cpu_ns);
		if (distance < fabs((double)a->steps[best].dur_ns - cpu_ns))
			best = i;
	}
	return best;
}

static double ops_per_step(const struct analysis *a)
{
	const struct trace *t = a->trace;
	double n = 0;
	uint32_t near = 0;
	for (size_t i = 0; i < t->n; i++)
		n += t->kind[i] == EVENT_OP &&
			analysis_step_near(a, t->start_ns[i], &near) != NO_ROW;
	return a->n_steps ? n / a->n_steps : 0;
}

struct case_numbers numbers_of(const struct analysis *a)
{
	struct case_numbers n = {.n_steps = a->n_steps,
		.cpu_ns = median_of(a, cpu_of, 0),
		.device_ns = median_of(a, device_of, 0),
		.kernels = median_of(a, kernels_of, 0),
		.copies = median_of(a, copies_of, 0),
		.launches = median_of(a, launches_of, 0)};
	double others = median_of(a, cpu_of, 1);
	if (others > 0)
		n.first_ratio = (double)a->steps[0].dur_ns / others;
	n.typical = nearest_step(a, n.cpu_ns);
	n.ops = ops_per_step(a);
	return n;
}
