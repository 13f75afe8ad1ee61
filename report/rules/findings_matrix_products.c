/* SPDX-License-Identifier: Apache-2.0 */
/* X3, X9, X11, TC-UNUSED: matrix products and the units they run on. */
#include "base/binary_search.h"
#include "base/sort.h"
#include "report/rules/facts.h"

#include <stdlib.h>
#include <string.h>

/* ---- tensor cores, by name ---- */

static bool has_any(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

/* The generation of the chip: 7 has tensor cores for half precision, 8 for full precision too. -1:
 * unknown, or no NVIDIA chip. */
static int capability(const struct trace *t)
{
	static const char *const makes[] = {"NVIDIA", "Tesla", "GeForce", "Quadro", "TITAN", NULL};
	for (size_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].name && has_any(t->devices[i].name, makes))
			return t->devices[i].major;
	return -1;
}

/* Time of products by what they run on. */
struct core_times {
	double all, tensor, plain, kernels_plain;
	bool half; /* a plain one was given half precision */
};

static bool asks_for_half(const struct facts *x, size_t i)
{
	struct product p;
	return product_of_event(x, i, &p) && p.half;
}

static bool is_plain(const struct facts *x, uint32_t row)
{
	return device_traits(x->a, row) & TRAIT_PLAIN;
}

static struct core_times sum_units(const struct facts *x)
{
	struct core_times u = {0};
	for (size_t g = 0; g < x->gemms.n; g++) {
		uint32_t i = x->gemms.row[g], row = device_row(x, i);
		double ns = (double)x->t->dur_ns[row];
		u.all += ns;
		u.tensor += device_traits(x->a, row) & TRAIT_TENSOR ? ns : 0;
		if (!is_plain(x, row))
			continue;
		u.plain += ns;
		u.kernels_plain++;
		u.half |= asks_for_half(x, i);
	}
	return u;
}

static void show_plain(const struct facts *x, struct finding *f)
{
	for (size_t g = 0; g < x->gemms.n; g++) {
		uint32_t row = device_row(x, x->gemms.row[g]);
		if (is_plain(x, row))
			show(f, row, x->t->dur_ns[row]);
	}
}

/* ---- TC-UNUSED ---- */

static enum finding_state tensor_cores_unused(const struct facts *x, struct finding *f)
{
	int generation = capability(x->t);
	struct core_times u = sum_units(x);
	if (!u.all)
		return not_applicable(f, x->a->n_device ? REASON_NO_GEMM : REASON_NO_DEVICE);
	if (generation < 0)
		return not_applicable(f, REASON_NO_PROPERTIES);
	TELL(f, {"products", u.all}, {"plain", u.plain}, {"tensor", u.tensor},
		{"kernels", u.kernels_plain}, {"share", share_of(u.plain, (double)x->a->kernel_ns)},
		{"generation", generation});
	/* Before generation 8 tensor cores take half precision only. */
	bool eligible = generation >= 8 || (generation == 7 && u.half);
	bool fired = eligible && !u.tensor &&
		u.plain >= limit(f, "share") * (double)x->a->kernel_ns && u.plain > 0;
	if (!fired)
		return FINDING_NOT_FIRED;
	show_plain(x, f);
	gives_back(f, u.plain);
	return fired_as(f, u.half ? REASON_NONE : REASON_FP32);
}

/* ---- X9: half precision asked for, a full-precision kernel ran ---- */

static enum finding_state half_on_plain_units(const struct facts *x, struct finding *f)
{
	double halves = 0, plain = 0, time = 0;
	if (!x->types || !x->shapes)
		return not_applicable(f, x->a->n_device ? REASON_NO_TYPES : REASON_NO_DEVICE);
	for (size_t g = 0; g < x->gemms.n; g++) {
		uint32_t i = x->gemms.row[g], row = device_row(x, i);
		if (class_of(x, row) != CLASS_GEMM || !asks_for_half(x, i))
			continue;
		halves++;
		if (!is_plain(x, row))
			continue;
		plain++;
		time += (double)x->t->dur_ns[row];
		tell_name(f, "name", x->t, row);
		show(f, row, x->t->dur_ns[row]);
	}
	if (!halves)
		return not_applicable(f, REASON_NO_GEMM);
	TELL(f, {"halves", halves}, {"plain", plain}, {"time", time});
	gives_back(f, time);
	return fired_if(plain > 0);
}

/* ---- X3, X11: as many operations, different kernels ---- */

/* The GEMMs of one activity that have a known product; all of equal size, or it is left out. */
struct measured {
	const struct activity *act;
	double flop, ns; /* of one; median */
	int32_t occupancy; /* -1 unknown */
};

ORDER(by_flop, struct measured, DOWN(flop) ?: UP(ns));

/* Its time with that of the kernel that adds up the parts of a split sum, which follows it. */
static int64_t product_ns(const struct facts *x, size_t i)
{
	const struct trace *t = x->t;
	uint32_t row = device_row(x, i), next = x->next[i];
	if (next == NO_ROW || class_of(x, device_row(x, next)) != CLASS_SPLITK ||
		x->op[next] != x->op[i])
		return t->dur_ns[row];
	return t->dur_ns[row] + t->dur_ns[device_row(x, next)];
}

static bool measure_activity(const struct facts *x, const struct activity *act, struct measured *m)
{
	*m = (struct measured){.act = act, .occupancy = -1};
	if (act->class != CLASS_GEMM || act->dur.median <= 0)
		return false;
	bool equal = true;
	int64_t *sample = xalloc(act->calls * sizeof *sample);
	for (size_t k = 0, i = 0; equal && k < act->calls; k++) {
		i = device_index(x, act->row[k], i);
		struct product p;
		bool known = product_of_event(x, i, &p);
		equal = known && (!m->flop || m->flop == p.flop);
		m->flop = known ? p.flop : 0;
		sample[k] = product_ns(x, i);
	}
	m->ns = equal ? median_of(sample, act->calls) : 0;
	free(sample);
	if (!equal)
		return false;
	const struct kernel *k = kernel_of(x->t, act->row[0]);
	m->occupancy = k ? k->occupancy_pct : -1;
	return true;
}

/* Two of them with different names and equal work: the fastest of that work, and of all such pairs
 * the slower one that loses the most time against it. */
struct twins {
	struct measured fast, slow;
	double lost; /* ns */
	size_t n; /* all activities with a known product */
	bool found;
};

static double rate_of(const struct measured *m)
{
	return m->flop / m->ns;
}

/* Of m[0 .. n), all of equal work. */
static void look_at_equals(const struct measured *m, size_t n, double gap, struct twins *w)
{
	size_t fast = 0;
	for (size_t i = 1; i < n; i++)
		fast = rate_of(&m[i]) > rate_of(&m[fast]) ? i : fast;
	for (size_t i = 0; i < n; i++) {
		double lost = (double)m[i].act->calls * (m[i].ns - m[i].flop / rate_of(&m[fast]));
		if (m[i].act->name == m[fast].act->name || lost <= w->lost ||
			rate_of(&m[fast]) < (1 + gap) * rate_of(&m[i]))
			continue;
		w->fast = m[fast];
		w->slow = m[i];
		w->lost = lost;
		w->found = true;
	}
}

/* The faster is faster by `gap` at least. */
static struct twins find_twins(const struct facts *x, const struct finding *f, double gap)
{
	const struct analysis *a = x->a;
	struct measured *m = xcalloc(a->n_activities, sizeof *m);
	struct twins w = {0};
	for (uint32_t i = 0; i < a->n_activities; i++)
		w.n += measure_activity(x, &a->activities[i], &m[w.n]);
	qsort(m, w.n, sizeof *m, by_flop);
	for (size_t from = 0, to; from < w.n; from = to) {
		for (to = from + 1;
			to < w.n && m[from].flop - m[to].flop <= limit(f, "equal") * m[from].flop;)
			to++;
		look_at_equals(m + from, to - from, gap, &w);
	}
	free(m);
	return w;
}

static bool tell_twins(const struct facts *x, struct finding *f, double gap, struct twins *w)
{
	if (!x->shapes) {
		f->reason = x->a->n_device ? REASON_NO_SHAPES : REASON_NO_DEVICE;
		return false;
	}
	*w = find_twins(x, f, gap);
	tell(f, "products", (double)w->n);
	if (!w->n)
		f->reason = REASON_NO_GEMM;
	if (!w->found)
		return w->n > 0;
	tell(f, "flop", w->fast.flop);
	tell_text(f, "fast", trace_name(x->t, w->fast.act->name));
	tell_text(f, "slow", trace_name(x->t, w->slow.act->name));
	TELL(f, {"fast_rate", w->fast.flop / w->fast.ns * 1e9},
		{"slow_rate", w->slow.flop / w->slow.ns * 1e9});
	for (size_t k = 0; k < w->fast.act->calls; k++)
		show(f, w->fast.act->row[k], 1);
	for (size_t k = 0; k < w->slow.act->calls; k++)
		show(f, w->slow.act->row[k], 1);
	return true;
}

static enum finding_state equal_work_other_kernel(const struct facts *x, struct finding *f)
{
	struct twins w = {0};
	if (!tell_twins(x, f, limit(f, "gap"), &w))
		return FINDING_NOT_APPLICABLE;
	gives_back(f, w.lost);
	return fired_if(w.found && w.lost >= limit(f, "share") * (double)x->a->device_ns);
}

static enum finding_state low_occupancy_yet_fastest(const struct facts *x, struct finding *f)
{
	struct twins w = {0};
	if (!tell_twins(x, f, 0, &w))
		return FINDING_NOT_APPLICABLE;
	if (!w.found || w.fast.occupancy < 0 || w.slow.occupancy < 0)
		return w.found ? not_applicable(f, REASON_NO_FOOTPRINT) : FINDING_NOT_FIRED;
	TELL(f, {"fast_occupancy", w.fast.occupancy / 100.0},
		{"slow_occupancy", w.slow.occupancy / 100.0});
	return fired_if(
		w.fast.occupancy < w.slow.occupancy && w.fast.occupancy <= 100 * limit(f, "low"));
}

#define TWIN_VALUES \
	{"products", UNIT_COUNT}, {"flop", UNIT_FLOP}, {"fast", UNIT_TEXT}, {"slow", UNIT_TEXT}, \
		{"fast_rate", UNIT_FLOP_PER_S}, \
	{ \
		"slow_rate", UNIT_FLOP_PER_S \
	}

static const struct rule twin_rows[] = {
	{.id = "EQUAL-WORK",
		.label = "X3",
		.action = "pad",
		.own_rule = true,
		.repeats = {"pad"},
		.gain = GAIN_BUSY,
		.threshold = {{"equal", 0.01, UNIT_SHARE}, {"gap", 0.2, UNIT_SHARE},
			{"share", 0.01, UNIT_SHARE}},
		.value = {TWIN_VALUES},
		.one = equal_work_other_kernel},
};

const struct rule_list findings_twin_rows = RULE_LIST(twin_rows);

static const struct rule product_rows[] = {
	{.id = "HALF-ON-CUDA-CORES",
		.label = "X9",
		.repeats = {"precision", "pad"},
		.gain = GAIN_BUSY,
		.value = {{"halves", UNIT_COUNT}, {"plain", UNIT_COUNT}, {"time", UNIT_NS},
			{"name", UNIT_TEXT}},
		.one = half_on_plain_units},
	{.id = "LOW-OCCUPANCY-FASTEST",
		.label = "X11",
		.page = PAGE_DESCRIBES,
		.threshold = {{"equal", 0.01, UNIT_SHARE}, {"low", 0.25, UNIT_SHARE}},
		.value = {TWIN_VALUES, {"fast_occupancy", UNIT_SHARE},
			{"slow_occupancy", UNIT_SHARE}},
		.one = low_occupancy_yet_fastest},
};

const struct rule_list findings_product_rows = RULE_LIST(product_rows);

static const struct rule cores_rows[] = {
	{.id = "TC-UNUSED",
		.action = "precision",
		.repeats = {"precision"},
		.gain = GAIN_BUSY,
		.threshold = {{"share", 0.05, UNIT_SHARE}},
		.value = {{"products", UNIT_NS}, {"plain", UNIT_NS}, {"tensor", UNIT_NS},
			{"kernels", UNIT_COUNT}, {"share", UNIT_SHARE}, {"generation", UNIT_COUNT}},
		.one = tensor_cores_unused},
};

const struct rule_list findings_cores_rows = RULE_LIST(cores_rows);
