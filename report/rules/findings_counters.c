/* SPDX-License-Identifier: Apache-2.0 */
/* Lecture 1's rules that take hardware counters: occupancy, and how near to which roof. */
#include "report/rules/facts.h"

#include "report/rules/case_counters.h"

#include <math.h>

/* A kernel of the typical step and what was counted of it. */
struct paired {
	size_t i; /* index into device_rows */
	uint32_t row;
	double ns;
	const struct counted_kernel *c;
};

/* How many kernels of the typical step were counted: all or none, for they are told apart by their
 * place in the step alone. `list` may be NULL. */
static size_t pair_up(const struct facts *x, struct paired *list)
{
	const struct step *s = x->counted ? typical_step(x->a) : NULL;
	size_t n = 0, at = 0;
	for (size_t i = 0; s && i < x->a->n_device && at < s->n_device; i++) {
		uint32_t row = device_row(x, i);
		if (row != s->device[at])
			continue;
		at++;
		if (x->t->kind[row] != EVENT_KERNEL)
			continue;
		if (list)
			list[n] = (struct paired){
				i, row, (double)x->t->dur_ns[row], &x->counted->kernel[n]};
		n++;
	}
	return x->counted && n == x->counted->n ? n : 0;
}

static struct paired *paired_kernels(const struct facts *x, size_t *n)
{
	*n = pair_up(x, NULL);
	struct paired *list = arena_array(x->scratch, *n, sizeof *list);
	if (*n)
		pair_up(x, list);
	return list;
}

static enum finding_state uncounted(const struct facts *x, struct finding *f)
{
	return not_applicable(f, x->a->n_kernels ? REASON_NO_COUNTERS : REASON_NO_DEVICE);
}

/* ---- occupancy ---- */

/* Of the warps that a multiprocessor can hold, by the footprint; 0 unknown. */
static double theoretical(const struct facts *x, const struct paired *k)
{
	const struct footprint fit = footprint_of(x, k->i);
	if (fit.blocks_per_sm <= 0)
		return 0;
	const struct trace_device *d = device_of_kernel(x->t, kernel_of(x->t, k->row));
	return fit.blocks_per_sm * 32.0 * ((fit.threads + 31) / 32) / d->threads_per_sm;
}

/* There more warps have nothing to win. */
static bool reaches_roof(const struct finding *f, const struct counted_kernel *c)
{
	return (!isnan(c->memory) && c->memory >= limit(f, "near")) ||
		(!isnan(c->compute) && c->compute >= limit(f, "near"));
}

/* What leaves warps idle goes by how often the grid fills the device. */
static enum finding_reason advice_of_waves(const struct finding *f, double waves)
{
	if (waves <= 0)
		return REASON_NONE;
	return waves < 1		    ? REASON_SMALL_GRID
		: waves >= limit(f, "many") ? REASON_MANY_WAVES
					    : REASON_NONE;
}

static enum finding_state occupancy_gap(const struct facts *x, struct finding *f)
{
	size_t n;
	const struct paired *k = paired_kernels(x, &n);
	struct weighed_sum gaps = {0};
	double lost = 0;
	for (size_t i = 0; i < n; i++) {
		double could = theoretical(x, &k[i]), did = k[i].c->occupancy;
		if (could <= 0 || isnan(did))
			continue;
		gaps.known++;
		gaps.time += k[i].ns;
		if (could - did < limit(f, "gap") || reaches_roof(f, k[i].c))
			continue;
		double here = (1 - did / could) * k[i].ns;
		lost += here;
		if (!weigh(f, &gaps, k[i].row, k[i].ns, here))
			continue;
		tell_name(f, "name", x->t, k[i].row);
		TELL(f, {"theoretical", could}, {"achieved", did});
		double waves = footprint_of(x, k[i].i).waves;
		if (waves > 0)
			tell(f, "waves", waves);
		f->advice = advice_of_waves(f, waves);
	}
	if (!gaps.known)
		return uncounted(x, f);
	gives_back(f, lost * x->a->n_steps);
	return weigh_end(f, &gaps, "gaps");
}

/* ---- how near to which roof ---- */

/* What a rule says of one kernel; `known` when the counters that it takes are there. */
struct ruled {
	bool known, such;
};
typedef struct ruled rule(const struct finding *f, const struct counted_kernel *c);

static enum finding_state by_rule(const struct facts *x, struct finding *f, rule *of)
{
	size_t n;
	const struct paired *k = paired_kernels(x, &n);
	struct weighed_sum such = {0};
	for (size_t i = 0; i < n; i++) {
		struct ruled r = of(f, k[i].c);
		such.known += r.known;
		such.time += r.known ? k[i].ns : 0;
		if (!r.such || !weigh(f, &such, k[i].row, k[i].ns, k[i].ns))
			continue;
		tell_name(f, "name", x->t, k[i].row);
		if (!isnan(k[i].c->memory))
			tell(f, "memory", k[i].c->memory);
		if (!isnan(k[i].c->compute))
			tell(f, "compute", k[i].c->compute);
	}
	if (!such.known)
		return uncounted(x, f);
	return weigh_end(f, &such, "such");
}

static struct ruled is_latency_bound(const struct finding *f, const struct counted_kernel *c)
{
	bool known = !isnan(c->memory) && !isnan(c->compute);
	return (struct ruled){
		known, known && c->memory < limit(f, "low") && c->compute < limit(f, "low")};
}

static struct ruled is_memory_bound(const struct finding *f, const struct counted_kernel *c)
{
	bool known = !isnan(c->memory) && !isnan(c->compute);
	return (struct ruled){known,
		known && c->memory >= limit(f, "memory") &&
			c->memory >= limit(f, "lead") * c->compute};
}

/* Memory alone is enough to say yes, and with the other counter to say no. */
static struct ruled is_near_roof(const struct finding *f, const struct counted_kernel *c)
{
	return (struct ruled){!isnan(c->memory) || !isnan(c->compute), reaches_roof(f, c)};
}

static enum finding_state latency_bound(const struct facts *x, struct finding *f)
{
	return by_rule(x, f, is_latency_bound);
}

static enum finding_state memory_bound(const struct facts *x, struct finding *f)
{
	return by_rule(x, f, is_memory_bound);
}

static enum finding_state near_roof(const struct facts *x, struct finding *f)
{
	return by_rule(x, f, is_near_roof);
}

#define ROOF_VALUES \
	{ \
		{"kernels", UNIT_COUNT}, {"such", UNIT_COUNT}, {"share", UNIT_SHARE}, \
			{"name", UNIT_TEXT}, {"memory", UNIT_SHARE}, {"compute", UNIT_SHARE}, \
	}

static const struct rule rows[] = {
	{.id = "OCCUPANCY",
		.gain = GAIN_BUSY,
		.threshold = {{"gap", 0.1, UNIT_SHARE}, {"share", 0.05, UNIT_SHARE},
			{"near", 0.8, UNIT_SHARE}, {"many", 10, UNIT_RATIO}},
		.value = {{"kernels", UNIT_COUNT}, {"gaps", UNIT_COUNT}, {"share", UNIT_SHARE},
			{"name", UNIT_TEXT}, {"theoretical", UNIT_SHARE}, {"achieved", UNIT_SHARE},
			{"waves", UNIT_RATIO}},
		.one = occupancy_gap},
	{.id = "LATENCY",
		.threshold = {{"low", 0.6, UNIT_SHARE}, {"share", 0.5, UNIT_SHARE}},
		.value = ROOF_VALUES,
		.one = latency_bound},
	{.id = "MEMORY",
		.threshold = {{"memory", 0.6, UNIT_SHARE}, {"lead", 1.5, UNIT_RATIO},
			{"share", 0.05, UNIT_SHARE}},
		.value = ROOF_VALUES,
		.one = memory_bound},
	{.id = "NEAR-ROOF",
		.threshold = {{"near", 0.8, UNIT_SHARE}, {"share", 0.05, UNIT_SHARE}},
		.value = ROOF_VALUES,
		.one = near_roof},
};

const struct rule_list findings_counted_rows = RULE_LIST(rows);
