/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for numbers wider than what they are for: fp64, and fp32 beside tensor cores. */
#include "report/analyse/cost.h"
#include "report/rules/advice_parts.h"

#include <string.h>

enum { MOST_TIMES = 4 };

/* A product in fp32 that takes half of its time at least to read and write: weights by a vector. */
static bool reads_wide(const struct sight *s, const struct seen_event *e)
{
	const struct matmul *m = e->part == SPENT_GEMM ? sight_product_near(s, e) : NULL;
	return m && m->bytes == 4 &&
		2 * matmul_memory_ns(s->chip, m) > (double)s->t->dur_ns[e->row];
}

/* How much faster half precision makes a kernel that works in fp32 or TF32; 1: not, or nobody
 * knows. What moves data moves half of it; attention in fp32 has no flash kernel; weights stay
 * fp32. */
static double times_in_half(const struct sight *s, const struct seen_event *e, bool wide)
{
	switch (e->part) {
	case SPENT_GEMM:
	case SPENT_CONVOLUTION:
		if (wide)
			return 2;
		return s->chip->tf32 > 0 && e->traits & TRAIT_TF32 ? s->chip->half / s->chip->tf32
								   : 1;
	case SPENT_ATTENTION:
		return e->traits & TRAIT_ATTENDS_FP32 ? MOST_TIMES : 1;
	case SPENT_POINTWISE:
	case SPENT_REDUCTION:
		return e->traits & TRAIT_MOVES_FP32 ? 2 : 1;
	default:
		return 1;
	}
}

static bool multiplies(const struct seen_event *e)
{
	return e->part == SPENT_GEMM || e->part == SPENT_CONVOLUTION;
}

/* What a good kernel of the plain cores takes for the convolution that a kernel is the first of. */
static double direct_ns(const struct sight *s, size_t i)
{
	const struct seen_event *e = &s->event[i];
	if (i && s->event[i - 1].op == e->op && s->event[i - 1].traits & TRAIT_FOURIER)
		return 0;
	struct cost c = cost_of(s->t, e->op);
	return s->chip && c.flop > 0 ? c.flop / (CHIP_REACHED * s->chip->fp32) * 1e9
				     : (double)e->exposed_ns;
}

/* Products on the plain cores that matter: a twentieth of the window. floor_ns: what good kernels
 * of these cores would take. x: to prove them to, or NULL. */
static struct weighed plain_products(const struct sight *s, struct action *x)
{
	static const struct weighed none;
	struct weighed k = {0};
	if (s->w->ns[SPENT_GEMM] + s->w->ns[SPENT_CONVOLUTION] < sight_ns(s) / 20)
		return none;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!multiplies(e) || !(e->traits & TRAIT_PLAIN))
			continue;
		count(&k, e);
		k.floor_ns += e->traits & TRAIT_FOURIER ? direct_ns(s, i) : (double)e->exposed_ns;
		if (x)
			prove(x, e->row);
	}
	k.floor_ns = k.floor_ns < (double)k.ns ? k.floor_ns : (double)k.ns;
	return k.ns < sight_ns(s) / 20 ? none : k;
}

/* A step whose products run in TF32, so everything around them in fp32: half precision is next. */
bool remedy_half(const struct sight *s, struct action *x)
{
	struct weighed k = {0}, multiplied = {0}, wide = {0};
	double stays = 0;
	const int64_t *ns = s->w->ns;
	int64_t most = ns[SPENT_GEMM] + ns[SPENT_CONVOLUTION] + ns[SPENT_ATTENTION];
	if (!s->chip || 5 * most < sight_ns(s) || plain_products(s, NULL).n) /* TF32 comes first */
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		bool reads = reads_wide(s, e);
		double times = times_in_half(s, e, reads);
		if (times <= 1)
			continue;
		count(&k, e);
		stays += (double)e->exposed_ns / times;
		if (e->part == SPENT_POINTWISE || e->part == SPENT_REDUCTION)
			continue;
		count(&multiplied, e);
		if (reads)
			count(&wide, e);
		prove(x, e->row);
	}
	if (!multiplied.n || 5 * multiplied.ns < sight_ns(s))
		return false;
	x->gain_ns = k.ns - (int64_t)stays;
	x->variant = 2 * wide.ns > multiplied.ns ? "bytes" : "";
	put_value(x, "n", UNIT_COUNT, (double)k.n);
	put_value(x, "time", UNIT_NS, (double)k.ns);
	put_value(x, "share", UNIT_SHARE, (double)k.ns / (double)sight_ns(s));
	put_name(x, "kernel", sight_name(s, multiplied.longest->row));
	put_name(x, "chip", s->chip->name);
	return true;
}

static void put_products(const struct sight *s, struct action *x, const struct weighed *k)
{
	put_value(x, "n", UNIT_COUNT, (double)k->n);
	put_value(x, "time", UNIT_NS, (double)k->ns);
	put_value(x, "share", UNIT_SHARE, (double)k->ns / (double)sight_ns(s));
	put_name(x, "kernel", sight_name(s, k->longest->row));
	put_name(x, "chip", s->chip->name);
}

/* In fp32, the tensor cores' TF32 where there is one: a kernel in fp64. */
static double single_ns(const struct sight *s, const struct seen_event *e)
{
	double to = s->chip->tf32 > 0 ? s->chip->tf32 : s->chip->fp32, ns = (double)e->exposed_ns;
	if (!multiplies(e))
		return ns / 2;
	const struct matmul *m = sight_product_near(s, e);
	double floor = m ? matmul_flop(m) / (CHIP_REACHED * to) * 1e9 : ns / MOST_TIMES;
	return floor < ns ? floor : ns;
}

bool remedy_double(const struct sight *s, struct action *x)
{
	struct weighed k = {0}, all = {0};
	if (!s->chip || s->w->ns[SPENT_GEMM] + s->w->ns[SPENT_CONVOLUTION] < sight_ns(s) / 20)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->part > SPENT_OTHER || !(e->traits & TRAIT_FP64))
			continue;
		count(&all, e);
		all.floor_ns += single_ns(s, e);
		if (!multiplies(e))
			continue;
		count(&k, e);
		prove(x, e->row);
	}
	if (k.ns < sight_ns(s) / 20 || !k.n)
		return false;
	x->gain_ns = all.ns - (int64_t)all.floor_ns;
	x->variant = s->chip->tf32 > 0 ? "" : "plain";
	put_products(s, x, &k);
	return true;
}

/* What tensor cores make of it at most: as much faster than good plain kernels as the data sheets
 * say.
 */
bool remedy_precision(const struct sight *s, struct action *x)
{
	struct weighed k = plain_products(s, x);
	int architecture = chip_architecture(s->t);
	if (!k.n || !s->chip || architecture < 70 || s->chip->half <= s->chip->fp32)
		return false;
	double to = s->chip->tf32 > 0 ? s->chip->tf32 : s->chip->half;
	double times = to / s->chip->fp32;
	x->gain_ns = k.ns - (int64_t)(k.floor_ns / times);
	x->variant = k.floor_ns < (double)k.ns / 2 ? "fourier" : s->chip->tf32 > 0 ? "" : "half";
	put_products(s, x, &k);
	put_value(x, "times", UNIT_RATIO, times);
	put_value(x, "good", UNIT_NS, k.floor_ns);
	return true;
}
