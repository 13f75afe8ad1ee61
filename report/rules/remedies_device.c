/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for what the device does: other kernels for the same work, or fewer of them. */
#define _GNU_SOURCE /* strcasestr */
#include "report/rules/advice_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- alignment ---- */

/* 16 bytes are what a thread reads at once. */
static int64_t multiple_of(const struct matmul *m)
{
	return m->bytes > 0 && m->bytes <= 16 ? 16 / m->bytes : 8;
}

static int64_t odd_dimension(const struct matmul *m)
{
	int64_t dims[] = {m->n, m->k, m->m};
	for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
		if (dims[i] % multiple_of(m))
			return dims[i];
	return 0;
}

/* What a product takes at a good share of the chip's rates, of arithmetic or of memory. */
static double product_ns(const struct chip *chip, const struct matmul *m)
{
	return fmax(matmul_arithmetic_ns(chip, m), matmul_memory_ns(chip, m));
}

/* 64 of them are what cuBLAS likes best: 128 bytes of half precision. */
static int64_t padded(int64_t n)
{
	return (n + 63) / 64 * 64;
}

static bool is_batched_product(const struct sight *s, const struct seen_event *e)
{
	return e->part == SPENT_GEMM && sight_traits(s, e->op_name) & TRAIT_BATCHED;
}

/* The products that read unaligned operands, but those of attention, whose sizes are the data's.
 * Padding takes them to where the others are. */
bool remedy_alignment(const struct sight *s, struct action *x)
{
	struct weighed k = {0};
	int64_t odd = 0, multiple = 8;
	if (!worth(s, s->w->ns[SPENT_GEMM]))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->part != SPENT_GEMM || !(e->traits & TRAIT_MISALIGNED) ||
			is_batched_product(s, e) || strstr(sight_op(s, e), "conv"))
			continue;
		const struct matmul *m = sight_product_near(s, e);
		if (m && !odd_dimension(m))
			continue;
		count(&k, e);
		prove(x, e->row);
		if (m && !odd) {
			odd = odd_dimension(m);
			multiple = multiple_of(m);
		}
		k.flop += m ? matmul_flop(m) : 0;
		/* Where the file does not tell, half: what a second load for each takes. */
		double floor = (double)e->exposed_ns;
		if (!m || !s->chip)
			floor /= 2;
		else if (product_ns(s->chip, m) < floor)
			floor = product_ns(s->chip, m);
		k.floor_ns += floor;
	}
	if (!k.n || !worth(s, k.ns))
		return false;
	x->gain_ns = k.ns - (int64_t)k.floor_ns;
	x->variant = odd ? "" : "no-shapes";
	put_value(x, "n", UNIT_COUNT, (double)k.n);
	put_value(x, "time", UNIT_NS, (double)k.ns);
	put_value(x, "share", UNIT_SHARE, (double)k.ns / (double)sight_ns(s));
	put_name(x, "kernel", sight_name(s, k.longest->row));
	put_value(x, "odd", UNIT_COUNT, (double)odd);
	put_value(x, "multiple", UNIT_COUNT, (double)multiple);
	put_value(x, "padded", UNIT_COUNT, (double)padded(odd));
	put_value(x, "rate", UNIT_FLOP_PER_S, k.flop / (double)k.ns * 1e9);
	put_value(x, "floor", UNIT_NS, k.floor_ns);
	return worth(s, x->gain_ns);
}

/* ---- layout ---- */

/* A batch norm reads its input twice and writes once; backward it reads input and gradient twice
 * and writes once. Half of its time where shapes or the chip are not known. */
static double norm_floor_ns(const struct sight *s, const struct seen_event *e)
{
	struct tensors in;
	double passes = strstr(sight_op(s, e), "backward") ? 5 : 3;
	if (!s->chip || !tensors_of(s->t, e->op, &in) || !tensors_elements(&in, 0) ||
		!in.in[0].bytes)
		return (double)e->exposed_ns / 2;
	double bytes = passes * (double)tensors_elements(&in, 0) * in.in[0].bytes;
	return bytes / (MEMORY_REACHED * s->chip->memory) * 1e9;
}

bool remedy_layout(const struct sight *s, struct action *x)
{
	struct weighed turned = {0}, norms = {0};
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->traits & TRAIT_TURNS) {
			count(&turned, e);
			prove(x, e->row);
		} else if (e->traits & TRAIT_CHANNELS_FIRST) {
			double floor = norm_floor_ns(s, e);
			count(&norms, e);
			norms.floor_ns +=
				floor < (double)e->exposed_ns ? floor : (double)e->exposed_ns;
		}
	}
	if (!turned.n || !worth(s, turned.ns))
		return false;
	x->gain_ns = turned.ns + norms.ns - (int64_t)norms.floor_ns;
	x->spares_ns = launches_ns(s, turned.n);
	x->variant = norms.n ? "norms" : "";
	put_value(x, "n", UNIT_COUNT, (double)turned.n);
	put_value(x, "time", UNIT_NS, (double)turned.ns);
	put_value(x, "share", UNIT_SHARE, (double)turned.ns / (double)s->computing_ns);
	put_value(x, "norms", UNIT_COUNT, (double)norms.n);
	put_value(x, "norms_time", UNIT_NS, (double)norms.ns);
	put_value(x, "floor", UNIT_NS, norms.floor_ns);
	return true;
}

/* ---- attention ---- */

enum { ATTENTION_REACH = 6 };

static bool is_loss(const struct sight *s, const struct seen_event *e)
{
	return strcasestr(sight_op(s, e), "log_softmax") || strcasestr(sight_op(s, e), "nll");
}

/* A mask is applied to a copy of the scores. */
static bool stays_on_device(const struct sight *s, const struct seen_event *e)
{
	const char *name = sight_name(s, e->row);
	return e->part <= SPENT_OTHER ||
		(e->part == SPENT_COPIES &&
			(strstr(name, "DtoD") || strstr(name, "DeviceToDevice")));
}

/* The nearest batched product in one direction, s->n when there is none near. */
static size_t product_near(const struct sight *s, size_t i, int step)
{
	for (int k = 0; k < ATTENTION_REACH; k++) {
		i += (size_t)step;
		if (i >= s->n || !stays_on_device(s, &s->event[i]))
			return s->n;
		if (is_batched_product(s, &s->event[i]))
			return i;
		if (s->event[i].part == SPENT_GEMM)
			return s->n;
	}
	return s->n;
}

/* Where the first product of attention has its operands written again in front of it, that begins.
 */
static size_t with_operands(const struct sight *s, size_t product, size_t least)
{
	enum { OPERANDS = 3 };
	size_t from = product;
	while (from > least && product - from < OPERANDS &&
		s->event[from - 1].part == SPENT_POINTWISE &&
		sight_is_under(s, &s->event[from - 1], TRAIT_MATMUL))
		from--;
	return from;
}

/* What one fused kernel takes for the same two products: its flop, or half the products' time. */
static double product_floor_ns(const struct sight *s, const struct seen_event *e)
{
	double rate = s->chip ? CHIP_REACHED * s->chip->half : 0;
	const struct matmul *m = rate > 0 ? sight_product_near(s, e) : NULL;
	if (!m)
		return (double)e->exposed_ns / 2;
	double ns = matmul_flop(m) / (m->bytes > 2 ? rate / 2 : rate) * 1e9;
	return ns < (double)e->exposed_ns ? ns : (double)e->exposed_ns;
}

/* softmax(q k) v as products, softmax and what stands between them. */
bool remedy_attention(const struct sight *s, struct action *x)
{
	struct weighed k = {0};
	size_t softmaxes = 0, next = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!(e->traits & TRAIT_SOFTMAX) || is_loss(s, e))
			continue;
		size_t from = product_near(s, i, -1), to = product_near(s, i, 1);
		if (from == s->n || to == s->n)
			continue;
		softmaxes++;
		prove(x, e->row);
		from = with_operands(s, from, next);
		for (size_t at = from > next ? from : next; at <= to; at++) {
			count(&k, &s->event[at]);
			if (s->event[at].part == SPENT_GEMM)
				k.floor_ns += product_floor_ns(s, &s->event[at]);
			next = at + 1;
		}
	}
	if (!softmaxes || !worth(s, k.ns))
		return false;
	x->gain_ns = k.ns - (int64_t)k.floor_ns;
	x->spares_ns = operators_ns(s, k.n - softmaxes);
	put_value(x, "n", UNIT_COUNT, (double)softmaxes);
	put_value(x, "kernels", UNIT_COUNT, (double)k.n);
	put_value(x, "time", UNIT_NS, (double)k.ns);
	put_value(x, "share", UNIT_SHARE, (double)k.ns / (double)sight_ns(s));
	put_value(x, "floor", UNIT_NS, k.floor_ns);
	return true;
}

/* ---- the same again in another order, or type ---- */

static bool only_copies(const struct sight *s, const struct seen_event *e)
{
	return e->part == SPENT_POINTWISE && s->t->kind[e->row] == EVENT_KERNEL &&
		sight_traits(s, e->op_name) & TRAIT_COPIES;
}

bool remedy_rewrites(const struct sight *s, struct action *x)
{
	struct weighed order = {0}, type = {0};
	if (10 * s->w->ns[SPENT_POINTWISE] < sight_ns(s))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (!only_copies(s, e))
			continue;
		if (sight_is_under(s, e, TRAIT_CASTS))
			count(&type, e);
		else if (sight_is_under(s, e, TRAIT_REORDERS))
			count(&order, e);
	}
	bool types = type.ns > order.ns;
	const struct weighed *k = types ? &type : &order;
	if (!k->n || 10 * k->ns < sight_ns(s))
		return false;
	x->gain_ns = k->ns;
	x->spares_ns = operators_ns(s, k->n);
	x->variant = types ? "type" : "";
	prove(x, k->longest->row);
	put_value(x, "n", UNIT_COUNT, (double)k->n);
	put_value(x, "time", UNIT_NS, (double)k->ns);
	put_value(x, "share", UNIT_SHARE, (double)k->ns / (double)sight_ns(s));
	return true;
}

/* ---- fusion ---- */

static bool is_fusible(const struct sight *s, const struct seen_event *e)
{
	bool moves = e->part == SPENT_POINTWISE || e->part == SPENT_REDUCTION;
	return moves && e->traits & TRAIT_FUSIBLE && s->t->kind[e->row] == EVENT_KERNEL;
}

/* Kernels that move data, one behind the other on a stream. */
struct chain {
	uint32_t first; /* row */
	size_t n;
	int64_t sum_ns, longest_ns;
};

struct chains {
	size_t n, kernels;
	int64_t sum_ns, stays_ns; /* stays: the longest of each */
};

static void chain_end(struct chains *all, struct chain *c, struct action *x)
{
	if (c->n > 1) {
		all->n++;
		all->kernels += c->n;
		all->sum_ns += c->sum_ns;
		all->stays_ns += c->longest_ns;
		prove(x, c->first);
	}
	c->n = 0;
}

static void chain_add(struct chain *c, const struct seen_event *e)
{
	if (!c->n)
		*c = (struct chain){.first = e->row};
	c->n++;
	c->sum_ns += e->exposed_ns;
	c->longest_ns = e->exposed_ns > c->longest_ns ? e->exposed_ns : c->longest_ns;
}

static struct chains fusible_chains(const struct sight *s, struct action *x)
{
	struct chains all = {0};
	struct chain *open = xcalloc(s->t->n_tracks, sizeof *open);
	for (size_t i = 0; i < s->n; i++) {
		struct chain *c = &open[s->t->track[s->event[i].row]];
		if (is_fusible(s, &s->event[i]))
			chain_add(c, &s->event[i]);
		else
			chain_end(&all, c, x);
	}
	for (size_t i = 0; i < s->t->n_tracks; i++)
		chain_end(&all, &open[i], x);
	free(open);
	return all;
}

bool remedy_fusion(const struct sight *s, struct action *x)
{
	int64_t moves = s->w->ns[SPENT_POINTWISE] + s->w->ns[SPENT_REDUCTION];
	if (s->compiled || !chip_compiles(s->t) || 10 * moves < s->computing_ns)
		return false;
	struct chains all = fusible_chains(s, x);
	x->gain_ns = all.sum_ns - all.stays_ns;
	if (!all.n || 10 * x->gain_ns < s->computing_ns)
		return false;
	x->spares_ns = operators_ns(s, all.kernels - all.n);
	put_value(x, "n", UNIT_COUNT, (double)all.kernels);
	put_value(x, "chains", UNIT_COUNT, (double)all.n);
	put_value(x, "time", UNIT_NS, (double)all.sum_ns);
	put_value(x, "share", UNIT_SHARE, (double)all.sum_ns / (double)s->computing_ns);
	return worth(s, x->gain_ns);
}
