/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for what the device does: other kernels for the same work, or fewer of them. */
#define _GNU_SOURCE /* strcasestr */
#include "report/rules/action_window.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- alignment ---- */

/* 16 bytes are what a thread reads at once. */
static int64_t multiple_of(const struct product *m)
{
	return m->element_bytes > 0 && m->element_bytes <= 16 ? 16 / m->element_bytes : 8;
}

static int64_t odd_dimension(const struct product *m)
{
	int64_t dims[] = {m->n, m->k, m->m};
	for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
		if (dims[i] % multiple_of(m))
			return dims[i];
	return 0;
}

/* What a product takes at a good share of the chip's rates, of arithmetic or of memory. */
static double product_ns(const struct chip *chip, const struct product *m)
{
	return fmax(product_arithmetic_ns(chip, m), product_memory_ns(chip, m));
}

/* 64 of them are what cuBLAS likes best: 128 bytes of half precision. */
static int64_t padded(int64_t n)
{
	return (n + 63) / 64 * 64;
}

static bool is_batched_product(const struct facts *s, const struct seen_event *e)
{
	return e->part == TIME_GEMM && s->a->host_traits[e->op_name] & TRAIT_BATCHED;
}

/* Where the file does not tell, half: what a second load for each takes. */
static double aligned_ns(const struct facts *s, const struct seen_event *e, const struct product *m)
{
	double ns = (double)e->exposed_ns;
	return !m || !s->chip ? ns / 2 : fmin(ns, product_ns(s->chip, m));
}

static bool is_misaligned(const struct facts *s, const struct seen_event *e)
{
	return e->part == TIME_GEMM && e->traits & TRAIT_MISALIGNED && !is_batched_product(s, e) &&
		!strstr(op_name(s, e), "conv");
}

/* The first size that is to blame, where the file tells one. */
static void tell_odd(struct finding *f, const struct product *m)
{
	int64_t odd = m ? odd_dimension(m) : 0;
	f->variant = odd ? "" : "no-shapes";
	TELL(f, {"odd", (double)odd}, {"multiple", (double)(m ? multiple_of(m) : 8)},
		{"padded", (double)padded(odd)});
}

/* The products that read unaligned operands, but those of attention, whose sizes are the data's.
 * Padding takes them to where the others are. */
static enum finding_state alignment(const struct facts *s, struct finding *f)
{
	struct weighed k = {0};
	struct product first;
	bool known = false;
	int64_t known_ns = 0;
	if (!is_about(s, f, s->w->ns[TIME_GEMM]))
		return FINDING_NOT_FIRED;
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		struct product p;
		const struct product *m = is_misaligned(s, e) ? product_near_event(s, e, &p) : NULL;
		if (!is_misaligned(s, e) || (m && !odd_dimension(m)))
			continue;
		count(&k, e);
		prove(f, e->row);
		k.flop += m ? m->flop : 0;
		known_ns += m ? e->exposed_ns : 0;
		double floor_ns = aligned_ns(s, e, m);
		k.floor_ns += floor_ns;
		plan_exposed(f, e, floor_ns);
		if (m && !known)
			first = *m;
		known |= m != NULL;
	}
	if (!k.n || !is_about(s, f, k.ns))
		return FINDING_NOT_FIRED;
	tell_odd(f, known ? &first : NULL);
	TELL(f, {"n", (double)k.n}, {"time", (double)k.ns}, {"share", share_of_window(s, k.ns)},
		{"rate", known_ns ? k.flop / (double)known_ns * 1e9 : 0}, {"floor", k.floor_ns});
	tell_text(f, "kernel", row_name(s, k.longest->row));
	return FINDING_FIRED;
}

/* ---- layout ---- */

/* A batch norm reads its input twice and writes once; backward it reads input and gradient twice
 * and writes once. Half of its time where shapes or the chip are not known. */
static double norm_floor_ns(const struct facts *s, const struct seen_event *e)
{
	const struct inputs *in = inputs_of(s->a, e->op);
	double passes = strstr(op_name(s, e), "backward") ? 5 : 3;
	if (!s->chip || !in || !elements_of(in, 0) || !in->in[0].bytes)
		return (double)e->exposed_ns / 2;
	double bytes = passes * (double)elements_of(in, 0) * in->in[0].bytes;
	return bytes / (MEMORY_REACHED * s->chip->memory) * 1e9;
}

static enum finding_state layout(const struct facts *s, struct finding *f)
{
	struct weighed turned = {0}, norms = {0};
	for (size_t i = 0; i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		if (e->traits & TRAIT_TURNS) {
			count(&turned, e);
			plan_goes(f->plan, s->t, e->row);
			prove(f, e->row);
		} else if (e->traits & TRAIT_CHANNELS_FIRST) {
			double floor_ns = fmin(norm_floor_ns(s, e), (double)e->exposed_ns);
			count(&norms, e);
			norms.floor_ns += floor_ns;
			plan_exposed(f, e, floor_ns);
		}
	}
	if (!turned.n || !is_about(s, f, turned.ns))
		return strided_norms(s, f);
	f->variant = norms.n ? "norms" : "";
	TELL(f, {"n", (double)turned.n}, {"time", (double)turned.ns},
		{"share", (double)turned.ns / (double)s->computing_ns}, {"norms", (double)norms.n},
		{"norms_time", (double)norms.ns}, {"floor", norms.floor_ns});
	return FINDING_FIRED;
}

/* ---- attention ---- */

enum { ATTENTION_REACH = 6 };

static bool is_loss(const struct facts *s, const struct seen_event *e)
{
	return strcasestr(op_name(s, e), "log_softmax") || strcasestr(op_name(s, e), "nll");
}

/* A mask is applied to a copy of the scores. */
static bool stays_on_device(const struct facts *s, const struct seen_event *e)
{
	return e->part <= TIME_OTHER ||
		(e->part == TIME_COPIES && device_traits(s->a, e->row) & TRAIT_WITHIN);
}

/* The nearest product in one direction, s->n when there is none near. */
static size_t product_near(const struct facts *s, size_t i, int step)
{
	for (int k = 0; k < ATTENTION_REACH; k++) {
		i += (size_t)step;
		if (i >= s->n || !stays_on_device(s, &s->event[i]))
			return s->n;
		if (s->event[i].part == TIME_GEMM)
			return i;
	}
	return s->n;
}

static bool is_of_layer(const struct facts *s, const struct seen_event *e)
{
	for (uint32_t up = e->op; up != NO_ROW; up = s->t->parent[up])
		if (!strcmp(row_name(s, up), "aten::linear") ||
			!strcmp(row_name(s, up), "aten::addmm"))
			return true;
	return false;
}

/* q k, and then what became of it times v: batches of both; or of one head the second takes what
 * the first gave, and neither is a layer with weights. */
static bool attend(const struct facts *s, size_t from, size_t to)
{
	enum { LEAST_KEYS = 64 };
	struct product p, q;
	if (from == s->n || to == s->n)
		return false;
	const struct seen_event *one = &s->event[from], *other = &s->event[to];
	if (is_batched_product(s, one) && is_batched_product(s, other))
		return true;
	const struct product *x = product_near_event(s, one, &p);
	const struct product *y = product_near_event(s, other, &q);
	return x && y && x->n == y->k && x->m == y->m && x->n >= LEAST_KEYS &&
		!is_of_layer(s, one) && !is_of_layer(s, other);
}

/* exp and then, before the next product, a sum and what divides by it: a softmax written out. */
static bool is_written_out(const struct facts *s, size_t i)
{
	enum { BEHIND = 4 };
	bool summed = false;
	if (strcmp(op_name(s, &s->event[i]), "aten::exp") != 0)
		return false;
	for (size_t k = i + 1; k < s->n && k <= i + BEHIND; k++) {
		const char *name = op_name(s, &s->event[k]);
		summed |= !strcmp(name, "aten::sum");
		if (summed && (!strcmp(name, "aten::div") || !strcmp(name, "aten::div_")))
			return true;
	}
	return false;
}

static bool is_softmax(const struct facts *s, size_t i)
{
	const struct seen_event *e = &s->event[i];
	return e->traits & TRAIT_SOFTMAX ? !is_loss(s, e) : is_written_out(s, i);
}

/* Where the first product of attention has its operands written again in front of it, that begins.
 */
static size_t with_operands(const struct facts *s, size_t product, size_t least)
{
	enum { OPERANDS = 3 };
	size_t from = product;
	while (from > least && product - from < OPERANDS &&
		s->event[from - 1].part == TIME_POINTWISE &&
		is_under(s, &s->event[from - 1], TRAIT_MATMUL))
		from--;
	return from;
}

/* What one fused kernel takes for the same two products: its flop, or half the products' time. */
static double product_floor_ns(const struct facts *s, const struct seen_event *e)
{
	double rate = s->chip ? CHIP_REACHED * s->chip->half : 0;
	struct product p;
	const struct product *m = rate > 0 ? product_near_event(s, e, &p) : NULL;
	if (!m)
		return (double)e->exposed_ns / 2;
	double ns = m->flop / (m->element_bytes > 2 ? rate / 2 : rate) * 1e9;
	return ns < (double)e->exposed_ns ? ns : (double)e->exposed_ns;
}

/* The node of autograd that launched an event, NO_ROW. */
static uint32_t node_of(const struct facts *s, size_t i)
{
	for (uint32_t up = s->event[i].op; up != NO_ROW; up = s->t->parent[up])
		if (!strncmp(row_name(s, up), "autograd::engine::evaluate_function", 35))
			return up;
	return NO_ROW;
}

/* The farthest event in one direction that the same node launched: a product's node has two. */
static size_t last_of_node(const struct facts *s, size_t i, int step, size_t least)
{
	uint32_t node = node_of(s, i);
	while (node != NO_ROW && (step > 0 ? i + 1 < s->n : i > least) &&
		node_of(s, i + (size_t)step) == node)
		i += (size_t)step;
	return i;
}

/* One kernel instead of those from one event to another, and one operator for what the thread does
 * for them. */
static void plan_fused(
	const struct facts *s, struct finding *f, size_t from, size_t to, double floor_ns)
{
	const struct trace *t = s->t;
	if (from > to)
		return;
	uint32_t first = s->event[from].call, last = s->event[to].call;
	plan_exposed(f, &s->event[from], floor_ns);
	for (size_t i = from + 1; i <= to; i++)
		plan_goes(f->plan, t, s->event[i].row);
	if (first != NO_ROW && last != NO_ROW && t->track[first] == t->track[last])
		plan_spare(f->plan, row_end(t, first), row_end(t, last));
}

/* softmax(q k) v as products, softmax and what stands between them. */
static enum finding_state attention(const struct facts *s, struct finding *f)
{
	struct weighed k = {0};
	size_t softmaxes = 0, next = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!is_softmax(s, i))
			continue;
		size_t from = product_near(s, i, -1), to = product_near(s, i, 1);
		if (!attend(s, from, to))
			continue;
		softmaxes++;
		prove(f, s->event[i].row);
		from = last_of_node(s, with_operands(s, from, next), -1, next);
		from = max_size(from, next);
		to = last_of_node(s, to, 1, next);
		double floor_ns = -k.floor_ns;
		for (size_t at = from; at <= to; at++) {
			count(&k, &s->event[at]);
			if (s->event[at].part == TIME_GEMM)
				k.floor_ns += product_floor_ns(s, &s->event[at]);
			next = at + 1;
		}
		plan_fused(s, f, from, to, floor_ns + k.floor_ns);
	}
	if (!softmaxes || !is_about(s, f, k.ns))
		return FINDING_NOT_FIRED;
	TELL(f, {"n", (double)softmaxes}, {"kernels", (double)k.n}, {"time", (double)k.ns},
		{"share", share_of_window(s, k.ns)}, {"floor", k.floor_ns});
	return FINDING_FIRED;
}

/* ---- fusion ---- */

static bool is_fusible(const struct facts *s, const struct seen_event *e)
{
	bool moves = e->part == TIME_POINTWISE || e->part == TIME_REDUCTION;
	return moves && e->traits & TRAIT_FUSIBLE && s->t->kind[e->row] == EVENT_KERNEL;
}

/* Kernels that move data, one behind the other on a stream. */
struct chain {
	const struct seen_event *first;
	size_t n;
	int64_t sum_ns, longest_ns;
};

struct chains {
	size_t n, kernels;
	int64_t sum_ns, stays_ns; /* stays: the longest of each */
};

static void chain_end(struct chains *all, struct chain *c, struct finding *f)
{
	if (c->n > 1) {
		all->n++;
		all->kernels += c->n;
		all->sum_ns += c->sum_ns;
		all->stays_ns += c->longest_ns;
		prove(f, c->first->row);
		plan_exposed(f, c->first, (double)c->longest_ns);
	}
	c->n = 0;
}

static void chain_add(
	const struct facts *s, struct finding *f, struct chain *c, const struct seen_event *e)
{
	if (!c->n)
		*c = (struct chain){.first = e};
	else
		plan_goes(f->plan, s->t, e->row);
	c->n++;
	c->sum_ns += e->exposed_ns;
	c->longest_ns = max64(e->exposed_ns, c->longest_ns);
}

static struct chains fusible_chains(
	const struct facts *s, struct finding *f, const struct time_span *at)
{
	struct chains all = {0};
	struct chain *open = xcalloc(s->t->n_tracks, sizeof *open);
	for (size_t i = 0; i < s->n; i++) {
		struct chain *c = &open[s->t->track[s->event[i].row]];
		uint32_t call = s->event[i].call;
		int64_t launched = call == NO_ROW ? -1 : s->t->start_ns[call];
		if (is_fusible(s, &s->event[i]) &&
			(!at || (launched >= at->start_ns && launched < at->end_ns)))
			chain_add(s, f, c, &s->event[i]);
		else
			chain_end(&all, c, f);
	}
	for (size_t i = 0; i < s->t->n_tracks; i++)
		chain_end(&all, &open[i], f);
	free(open);
	return all;
}

size_t plan_joined(const struct facts *s, struct finding *f, const struct time_span *at)
{
	return fusible_chains(s, f, at).kernels;
}

static enum finding_state fusion(const struct facts *s, struct finding *f)
{
	double least = limit(f, "share") * (double)s->computing_ns;
	int64_t moves = s->w->ns[TIME_POINTWISE] + s->w->ns[TIME_REDUCTION];
	if (!moves || s->n_compiled || !chip_compiles(s->t) || (double)moves < least)
		return FINDING_NOT_FIRED;
	struct chains all = fusible_chains(s, f, NULL);
	if (!all.n || (double)(all.sum_ns - all.stays_ns) < least)
		return FINDING_NOT_FIRED;
	TELL(f, {"n", (double)all.kernels}, {"chains", (double)all.n}, {"time", (double)all.sum_ns},
		{"share", (double)all.sum_ns / (double)s->computing_ns},
		{"stays", (double)all.stays_ns});
	return FINDING_FIRED;
}

static const struct rule rows[] = {
	{.id = "pad",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {ABOUT(0.02), LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE},
			{"kernel", UNIT_TEXT}, {"odd", UNIT_COUNT}, {"multiple", UNIT_COUNT},
			{"padded", UNIT_COUNT}, {"rate", UNIT_FLOP_PER_S}, {"floor", UNIT_NS}},
		.one = alignment},
	{.id = "channels-last",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {ABOUT(0.02)},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE},
			{"norms", UNIT_COUNT}, {"norms_time", UNIT_NS}, {"floor", UNIT_NS}},
		.one = layout},
	{.id = "attention",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {ABOUT(0.02)},
		.value = {{"n", UNIT_COUNT}, {"kernels", UNIT_COUNT}, {"time", UNIT_NS},
			{"share", UNIT_SHARE}, {"floor", UNIT_NS}},
		.covers = {"in-place"},
		.one = attention},
	{.id = "rewrites",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {ABOUT(0.02), LEAST(0.1)},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE}},
		.one = rewrites},
	{.id = "fusion",
		.cause_share = 0.5,
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {ABOUT(0.1), LEAST(0.02)},
		.value = {{"n", UNIT_COUNT}, {"chains", UNIT_COUNT}, {"time", UNIT_NS},
			{"share", UNIT_SHARE}, {"stays", UNIT_NS}},
		.one = fusion},
};

const struct rule_list remedy_device_rows = RULE_LIST(rows);
