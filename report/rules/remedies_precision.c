/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for numbers wider than what they are for: fp64, and fp32 beside tensor cores. */
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/operator_cost.h"
#include "report/rules/action_window.h"

#include <math.h>
#include <string.h>

enum { MOST_TIMES = 4 };

/* A product in fp32 that takes half of its time at least to read and write: weights by a vector. */
static bool reads_wide(const struct facts *s, const struct seen_event *e)
{
	struct product p;
	const struct product *m = product_near_event(s, e, &p);
	return m && m->element_bytes == 4 &&
		2 * product_memory_ns(s->chip, m) > (double)s->t->dur_ns[e->row];
}

/* How much faster half precision makes a kernel that works in fp32 or TF32; 1: not, or nobody
 * knows. What moves data moves half of it; attention in fp32 has no flash kernel; weights stay
 * fp32. */
static double times_in_half(const struct facts *s, const struct seen_event *e, bool wide)
{
	switch (e->part) {
	case TIME_GEMM:
	case TIME_CONVOLUTION:
		if (wide)
			return 2;
		return s->chip->tf32 > 0 && e->traits & TRAIT_TF32 ? s->chip->half / s->chip->tf32
								   : 1;
	case TIME_ATTENTION:
		return e->traits & TRAIT_ATTENDS_FP32 ? MOST_TIMES : 1;
	case TIME_POINTWISE:
	case TIME_REDUCTION:
		return e->traits & TRAIT_MOVES_FP32 ? 2 : 1;
	default:
		return 1;
	}
}

static bool multiplies(const struct seen_event *e)
{
	return e->part == TIME_GEMM || e->part == TIME_CONVOLUTION;
}

/* What a good kernel of the plain cores takes for the convolution that a kernel is the first of. */
static double direct_ns(const struct facts *s, size_t i)
{
	const struct seen_event *e = &s->event[i];
	if (i && s->event[i - 1].op == e->op && s->event[i - 1].traits & TRAIT_FOURIER)
		return 0;
	struct cost c = cost_of(s->a, e->op);
	return s->chip && c.flop > 0 ? c.flop / (CHIP_REACHED * s->chip->fp32) * 1e9
				     : (double)e->exposed_ns;
}

/* No product becomes shorter than the shortest: of 86 000 in half precision and 11 600 in TF32 of
 * 190 programs on H100s none took less than 2.0 us. */
static double no_shorter(const struct seen_event *e, double ns)
{
	const double shortest_ns = 2000;
	return fmin((double)e->exposed_ns, fmax(ns, shortest_ns));
}

/* Nor, in TF32, than it takes to read and write: that stays four bytes a number. */
static double in_tf32_ns(const struct facts *s, const struct seen_event *e, double ns)
{
	struct product p;
	const struct product *m = product_near_event(s, e, &p);
	return no_shorter(e, fmax(ns, m ? product_memory_ns(s->chip, m) : 0));
}

/* How much faster than the plain cores the tensor cores are, by the data sheets. */
static double tensor_times(const struct facts *s)
{
	return (s->chip->tf32 > 0 ? s->chip->tf32 : s->chip->half) / s->chip->fp32;
}

/* Of fewer channels than the tensor cores take at once, four of TF32 (NVIDIA's guide to
 * convolutions), they would multiply mostly zeros. Weights are the second input; of a gradient the
 * third. */
static bool has_few_channels(const struct facts *s, const struct seen_event *e)
{
	enum { CHANNELS = 4 };
	const struct inputs *x = e->op == NO_ROW ? NULL : inputs_of(s->a, e->op);
	int at = x && !strcmp(op_name(s, e), "aten::convolution_backward") ? 2 : 1;
	return e->part == TIME_CONVOLUTION && x && x->n > at && x->in[at].rank > 2 &&
		(x->in[at].dim[0] < CHANNELS || x->in[at].dim[1] < CHANNELS);
}

/* Products on the plain cores that matter: a share of the window. floor_ns: what good kernels of
 * these cores would take. f: to prove them to, or NULL. */
static struct weighed plain_products(const struct facts *s, double share, struct finding *f)
{
	static const struct weighed none;
	struct weighed k = {0};
	double least = share * (double)advised_ns(s);
	if ((double)(s->w->ns[TIME_GEMM] + s->w->ns[TIME_CONVOLUTION]) < least)
		return none;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!multiplies(e) || !(e->traits & TRAIT_PLAIN_FP32) || has_few_channels(s, e))
			continue;
		double good_ns =
			e->traits & TRAIT_FOURIER ? direct_ns(s, i) : (double)e->exposed_ns;
		count(&k, e);
		k.floor_ns += good_ns;
		if (!f)
			continue;
		prove(f, e->row);
		if (s->chip)
			plan_exposed(f, e,
				e->traits & TRAIT_FOURIER
					? good_ns / tensor_times(s)
					: in_tf32_ns(s, e, good_ns / tensor_times(s)));
	}
	k.floor_ns = k.floor_ns < (double)k.ns ? k.floor_ns : (double)k.ns;
	return (double)k.ns < least ? none : k;
}

static void tell_products(const struct facts *s, struct finding *f, const struct weighed *k)
{
	TELL(f, {"n", (double)k->n}, {"time", (double)k->ns}, {"share", share_of_window(s, k->ns)});
	tell_name(f, "kernel", s->t, k->longest->row);
	tell_text(f, "chip", s->chip->name);
}

/* A step whose products run in TF32, so everything around them in fp32: half precision is next. */
static enum finding_state half(const struct facts *s, struct finding *f)
{
	struct weighed k = {0}, multiplied = {0}, wide = {0};
	double stays = 0;
	const int64_t *ns = s->w->ns;
	int64_t most = ns[TIME_GEMM] + ns[TIME_CONVOLUTION] + ns[TIME_ATTENTION];
	if (!s->chip || !is_about(s, f, most) || plain_products(s, limit(f, "plain"), NULL).n)
		return FINDING_NOT_FIRED; /* TF32 comes first */
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		bool reads = reads_wide(s, e);
		double times = times_in_half(s, e, reads);
		if (times <= 1)
			continue;
		double short_ns = (double)e->exposed_ns / times;
		short_ns = multiplies(e) ? no_shorter(e, short_ns) : short_ns;
		count(&k, e);
		stays += short_ns;
		plan_takes(f->plan, e->row,
			e->exposed_ns ? short_ns / (double)e->exposed_ns : 1 / times);
		if (e->part == TIME_POINTWISE || e->part == TIME_REDUCTION)
			continue;
		count(&multiplied, e);
		if (reads)
			count(&wide, e);
		prove(f, e->row);
	}
	if (!multiplied.n || !is_about(s, f, multiplied.ns))
		return FINDING_NOT_FIRED;
	f->variant = 2 * wide.ns > multiplied.ns ? "bytes" : "";
	k.longest = multiplied.longest;
	tell_products(s, f, &k);
	tell(f, "stays", stays);
	return FINDING_FIRED;
}

/* In fp32, the tensor cores' TF32 where there is one: a kernel in fp64. */
static double single_ns(const struct facts *s, const struct seen_event *e)
{
	double to = s->chip->tf32 > 0 ? s->chip->tf32 : s->chip->fp32, ns = (double)e->exposed_ns;
	if (!multiplies(e))
		return ns / 2;
	struct product p;
	const struct product *m = product_near_event(s, e, &p);
	double least = m ? m->flop / (CHIP_REACHED * to) * 1e9 : ns / MOST_TIMES;
	return no_shorter(e, least);
}

/* By whatever operator: products that lose the tensor cores, and all else that moves twice the
 * bytes.
 */
static enum finding_state in_double(const struct facts *s, struct finding *f)
{
	struct weighed k = {0}, all = {0};
	if (!s->chip)
		return FINDING_NOT_FIRED;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->part > TIME_OTHER || !(e->traits & TRAIT_FP64))
			continue;
		double floor_ns = single_ns(s, e);
		count(&all, e);
		all.floor_ns += floor_ns;
		plan_exposed(f, e, floor_ns);
		prove(f, e->row);
		if (multiplies(e))
			count(&k, e);
	}
	if (!all.n || !is_about(s, f, all.ns))
		return FINDING_NOT_FIRED;
	bool moves = 2 * k.ns < all.ns;
	f->variant = moves ? "moves" : s->chip->tf32 > 0 ? "" : "plain";
	tell_products(s, f, moves ? &all : &k);
	TELL(f, {"all", (double)all.ns}, {"floor", all.floor_ns});
	return FINDING_FIRED;
}

static enum finding_state precision(const struct facts *s, struct finding *f)
{
	struct weighed k = plain_products(s, limit(f, "share"), f);
	int architecture = chip_architecture(s->t);
	if (!k.n || !s->chip || architecture < 70 || s->chip->half <= s->chip->fp32)
		return FINDING_NOT_FIRED;
	f->variant = k.floor_ns < (double)k.ns / 2 ? "fourier" : s->chip->tf32 > 0 ? "" : "half";
	tell_products(s, f, &k);
	TELL(f, {"times", tensor_times(s)}, {"good", k.floor_ns});
	return FINDING_FIRED;
}

/* ---- fp8 ---- */

/* Twice the rate of half precision from compute capability 8.9 on: NVIDIA's data sheets of Ada,
 * Hopper and Blackwell. */
enum { HAS_FP8 = 89, FP8_MULTIPLE = 16, FP8_LEAST = 1024 };

/* Matrices that the fp8 kernels take, in half precision, and large enough that arithmetic is what
 * they wait for. */
static bool may_be_fp8(const struct facts *s, const struct seen_event *e, const struct product *m)
{
	const int64_t dim[] = {m->m, m->n, m->k};
	for (int i = 0; i < 3; i++)
		if (dim[i] < FP8_LEAST || dim[i] % FP8_MULTIPLE != 0)
			return false;
	double ns = (double)s->t->dur_ns[e->row];
	return m->half && m->element_bytes == 2 && m->batch == 1 &&
		product_memory_ns(s->chip, m) < ns / 2 && m->flop / (s->chip->half * ns / 1e9) <= 1;
}

/* What it takes to scale and convert one factor: its largest number, and the conversion. */
static double converting_ns(const struct facts *s, const struct product *m)
{
	const double passes = 2 + 2 + 1; /* bytes of an element: read twice, written once */
	return passes * (double)(m->m * m->k) / (MEMORY_REACHED * s->chip->memory) * 1e9;
}

static enum finding_state fp8(const struct facts *s, struct finding *f)
{
	struct weighed k = {0};
	if (!s->chip || chip_architecture(s->t) < HAS_FP8 || !is_about(s, f, s->w->ns[TIME_GEMM]))
		return FINDING_NOT_FIRED;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		struct product p;
		const struct product *m = product_near_event(s, e, &p);
		if (!m || !may_be_fp8(s, e, m))
			continue;
		double ns = (double)s->t->dur_ns[e->row], in_fp8 = ns / 2 + converting_ns(s, m);
		count(&k, e);
		prove(f, e->row);
		if (in_fp8 < ns)
			plan_takes(f->plan, e->row, in_fp8 / ns);
	}
	if (!k.n || !is_about(s, f, k.ns))
		return FINDING_NOT_FIRED;
	f->variant = s->backward ? "training" : "";
	tell_products(s, f, &k);
	return FINDING_FIRED;
}

#define PRODUCT_VALUES \
	{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE}, {"kernel", UNIT_TEXT}, \
	{ \
		"chip", UNIT_TEXT \
	}

static const struct rule rows[] = {
	{.id = "fp64",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {ABOUT(0.05)},
		.value = {PRODUCT_VALUES, {"all", UNIT_NS}, {"floor", UNIT_NS}},
		.one = in_double},
	{.id = "precision",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.yields = 0.5,
		.threshold = {ABOUT(0.05)},
		.value = {PRODUCT_VALUES, {"times", UNIT_RATIO}, {"good", UNIT_NS}},
		.one = precision},
	{.id = "half",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.yields = 0.5,
		.threshold = {ABOUT(0.2), {"plain", 0.05, UNIT_SHARE}},
		.value = {PRODUCT_VALUES, {"stays", UNIT_NS}},
		.one = half},
	{.id = "fp8",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.cause_share = 0.1,
		.threshold = {ABOUT(0.5), LEAST(0.1)},
		.value = {PRODUCT_VALUES},
		.covers = {"products"},
		.one = fp8},
};

const struct rule_list remedy_precision_rows = RULE_LIST(rows);
