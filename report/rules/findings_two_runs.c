/* SPDX-License-Identifier: Apache-2.0 */
/* G4, K5, X4 to X7, X12: what changed from one trace to another that does the same work. */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/analysis.h"
#include "report/analyse/health.h"
#include "report/rules/advice.h"
#include "report/rules/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernels of a typical step ---- */

struct work {
	const char *name;
	int32_t size[6]; /* grid, block */
	uint8_t class;
	uint32_t row;
	double bytes; /* that it wrote, where an operator of one element at a time says so; 0:
			 unknown */
};

struct work_list {
	struct work *work; /* (n) by name and size */
	size_t n;
	uint8_t *shared; /* (n) the other trace has it too */
};

struct pair_side {
	struct work_list list;
	double ops, ops_and_compiled; /* of the typical step */
	double step_ns; /* the median of the steady ones, where there are steps */
	double launch_ns; /* from the begin of a step to its first launch, the median; < 0: none */
	double flop; /* of the products in the list; < 0: not known of all */
};

static int by_kind(const void *left, const void *right)
{
	const struct work *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	for (int i = 0; i < 6 && !order; i++)
		order = (a->size[i] > b->size[i]) - (a->size[i] < b->size[i]);
	return order;
}

ORDER(by_kind_then_row, struct work, by_kind(a, b) ?: UP(row));

/* What the first of the replaced kernels wrote and the next read again. */
static double intermediate_bytes(const struct facts *x, uint32_t row)
{
	uint32_t launch = analysis_launch_of(x->t, row);
	uint32_t op = launch == NO_ROW ? NO_ROW : analysis_op_of(x->t, launch);
	int64_t in, out;
	return op != NO_ROW && pointwise_bytes(x->a, op, &in, &out) ? (double)out : 0;
}

/* Without steps the whole trace stands for one. */
static struct work_list list_work(const struct facts *x)
{
	const struct step *s = typical_step(x->a);
	const uint32_t *row = s ? s->device : x->a->device_rows;
	size_t n = s ? s->n_device : x->a->n_device;
	struct work_list list = {.work = arena_array(x->scratch, n, sizeof *list.work)};
	for (size_t i = 0; i < n; i++) {
		if (x->t->kind[row[i]] != EVENT_KERNEL)
			continue;
		struct work *w = &list.work[list.n++];
		const struct kernel *k = kernel_of(x->t, row[i]);
		*w = (struct work){.name = row_name(x, row[i]),
			.class = class_of(x, row[i]),
			.row = row[i],
			.bytes = intermediate_bytes(x, row[i])};
		if (k) {
			memcpy(w->size, k->grid, sizeof k->grid);
			memcpy(w->size + 3, k->block, sizeof k->block);
		}
	}
	qsort(list.work, list.n, sizeof *list.work, by_kind_then_row);
	return list;
}

static struct work_list work_of(const struct facts *x)
{
	return x->pair->list;
}

/* Marks what both lists hold, one for one; returns how many that are. */
static size_t match(struct arena *scratch, struct work_list *a, struct work_list *b)
{
	size_t i = 0, k = 0, both = 0;
	a->shared = arena_array(scratch, a->n, 1);
	b->shared = arena_array(scratch, b->n, 1);
	while (i < a->n && k < b->n) {
		int order = by_kind(&a->work[i], &b->work[k]);
		if (!order) {
			a->shared[i] = b->shared[k] = true;
			both++;
		}
		i += order <= 0;
		k += order >= 0;
	}
	return both;
}

static bool is_compiled(const struct facts *x)
{
	return x->compiled.n > 0;
}

/* Operators of the typical step, and with them the rows that compiled code has in their place;
 * those of set-up are not counted. Without steps the whole trace stands for one. */
static void count_ops(const struct facts *x, struct pair_side *side)
{
	const struct case_numbers n = numbers_of(x->a);
	double compiled = n.compile_rows;
	side->ops = n.ops;
	for (uint32_t i = 0; i < x->t->n && !n.n_steps; i++) {
		side->ops += class_of(x, i) == CLASS_OP;
		compiled += class_of(x, i) == CLASS_COMPILE;
	}
	side->ops_and_compiled = side->ops + compiled;
}

/* From the begin of each steady step to its first launch: the median. */
static double time_to_launch(const struct facts *x)
{
	const struct analysis *a = x->a;
	int64_t *sample = xcalloc((size_t)a->n_steps + 1, sizeof *sample);
	size_t n = 0, i = 0;
	for (uint32_t s = steps_steady_from(a->n_steps); s < a->n_steps; s++) {
		int64_t from = a->steps[s].start_ns, to = from + a->steps[s].dur_ns;
		for (; i < x->calls.n && x->t->start_ns[x->calls.row[i]] < to; i++) {
			uint32_t row = x->calls.row[i];
			uint8_t class = class_of(x, row);
			if (x->t->start_ns[row] < from || x->t->track[row] != a->main_track ||
				(class != CLASS_LAUNCH && class != CLASS_COPY_CALL))
				continue;
			sample[n++] = x->t->start_ns[row] - from;
			break;
		}
	}
	double ns = n ? median_of(sample, n) : -1;
	free(sample);
	return ns;
}

static double flop_of_products(const struct facts *x, const struct work_list *list)
{
	double flop = 0;
	for (size_t i = 0; i < list->n; i++) {
		if (list->work[i].class != CLASS_GEMM)
			continue;
		struct product p;
		if (!product_of_event(x, device_index(x, list->work[i].row, 0), &p))
			return -1;
		flop += p.flop;
	}
	return flop;
}

void look_at_pair_side(struct facts *x)
{
	struct pair_side *side = arena_alloc(x->scratch, sizeof *side);
	side->list = list_work(x);
	count_ops(x, side);
	side->step_ns = x->a->n_steps ? median_step_ns(x, steady_from(x->a)) : 0;
	side->launch_ns = time_to_launch(x);
	side->flop = flop_of_products(x, &side->list);
	x->pair = side;
}

/* ---- G4: the kernels of the products ---- */

static bool has_gemm_named(const struct work_list *list, const char *name)
{
	size_t at = first_where(i, 0, list->n, strcmp(list->work[i].name, name) >= 0);
	for (; at < list->n && !strcmp(list->work[at].name, name); at++)
		if (list->work[at].class == CLASS_GEMM)
			return true;
	return false;
}

/* Shows the products whose name the other trace lacks; returns how many, and one of the names. */
static double show_unmatched(struct finding *f, const struct work_list *list,
	const struct work_list *other, bool is_base, double *gemms, const char **name)
{
	double unmatched = 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct work *w = &list->work[i];
		if (w->class != CLASS_GEMM)
			continue;
		bool missing = !has_gemm_named(other, w->name);
		++*gemms;
		*name = !*name || (missing && !unmatched) ? w->name : *name;
		unmatched += missing;
		(is_base ? show_base : show)(f, w->row, missing);
	}
	return unmatched;
}

static enum finding_state other_product_kernels(
	const struct facts *base, const struct facts *seen, struct finding *f)
{
	struct work_list a = work_of(base), b = work_of(seen);
	const char *base_name = NULL, *seen_name = NULL;
	double base_gemms = 0, seen_gemms = 0;
	double base_flop = base->pair->flop, seen_flop = seen->pair->flop;
	double base_only = show_unmatched(f, &a, &b, true, &base_gemms, &base_name);
	double seen_only = show_unmatched(f, &b, &a, false, &seen_gemms, &seen_name);
	if (!base_gemms || !seen_gemms)
		return not_applicable(f, REASON_NO_GEMM);
	if (base_flop >= 0 && seen_flop >= 0 &&
		(base_flop > 1.01 * seen_flop || seen_flop > 1.01 * base_flop))
		return not_applicable(f, REASON_OTHER_WORK);
	TELL(f, {"base_products", base_gemms}, {"products", seen_gemms}, {"base_only", base_only},
		{"only", seen_only});
	tell_text(f, "base_name", base_name);
	tell_text(f, "name", seen_name);
	return fired_if(base_only + seen_only > 0);
}

/* ---- K5, X12: what the CPU pays ---- */

static bool tell_steps(const struct facts *base, const struct facts *seen, struct finding *f)
{
	if (!base->a->n_steps || !seen->a->n_steps) {
		f->reason = REASON_NO_STEPS;
		return false;
	}
	double before = base->pair->step_ns, after = seen->pair->step_ns;
	if (before <= 0 || after <= 0) {
		f->reason = REASON_RESOLUTION;
		return false;
	}
	TELL(f, {"base_step", before}, {"step", after}, {"ratio", after / before});
	gives_back(f, (after - before) * seen->a->n_steps);
	for (uint32_t i = 0; i < base->a->n_steps && i < FINDING_EVIDENCE; i++)
		show_base(f, base->a->steps[i].row, -(int64_t)i);
	for (uint32_t i = 0; i < seen->a->n_steps && i < FINDING_EVIDENCE; i++)
		show(f, seen->a->steps[i].row, -(int64_t)i);
	f->n_base_events = base->a->n_steps;
	f->n_events = seen->a->n_steps;
	return true;
}

static enum finding_state compiled_costs_more(
	const struct facts *base, const struct facts *seen, struct finding *f)
{
	if (is_compiled(base) || !is_compiled(seen))
		return not_applicable(f, REASON_NOT_SUCH_A_PAIR);
	if (!tell_steps(base, seen, f))
		return FINDING_NOT_APPLICABLE;
	const struct step *s = typical_step(seen->a);
	double activities = s->kernels + s->copies;
	tell(f, "activities", activities);
	f->advice = seen->h->graphs.n ? REASON_GRAPHS : REASON_NONE;
	return fired_if(seen->pair->step_ns >= limit(f, "ratio") * base->pair->step_ns &&
		activities <= limit(f, "activities"));
}

static enum finding_state cleaner_yet_dearer(
	const struct facts *base, const struct facts *seen, struct finding *f)
{
	double before = base->pair->ops_and_compiled, after = seen->pair->ops_and_compiled;
	if (!before || !after)
		return not_applicable(f, REASON_NO_OPS);
	if (!tell_steps(base, seen, f))
		return FINDING_NOT_APPLICABLE;
	TELL(f, {"base_ops", before}, {"ops", after});
	return fired_if(after <= limit(f, "ops") * before &&
		seen->pair->step_ns >= limit(f, "ratio") * base->pair->step_ns);
}

/* ---- X4: bookkeeping removed ---- */

static enum finding_state fewer_ops_same_kernels(
	const struct facts *base, const struct facts *seen, struct finding *f)
{
	struct work_list a = work_of(base), b = work_of(seen);
	size_t both = match(seen->scratch, &a, &b);
	double before = base->pair->ops, after = seen->pair->ops;
	if (!a.n || !b.n)
		return not_applicable(f, REASON_NO_DEVICE);
	if (!before || (!after && !is_compiled(seen)))
		return not_applicable(f, REASON_NO_OPS);
	TELL(f, {"kernels", (double)b.n}, {"base_ops", before}, {"ops", after});
	for (size_t i = 0; i < a.n; i++)
		show_base(f, a.work[i].row, a.shared[i]);
	for (size_t i = 0; i < b.n; i++)
		show(f, b.work[i].row, b.shared[i]);
	return fired_if(both == a.n && both == b.n && after < before);
}

/* ---- X5: point-wise kernels became one ---- */

/* What an event of this kind usually takes: the median of its activity, which one slow run does not
 * move. */
static double usual_ns(const struct facts *x, uint32_t row)
{
	const struct activity *act = activity_of_row(x->a, row);
	return act ? act->dur.median : (double)x->t->dur_ns[row];
}

static enum finding_state really_fused(
	const struct facts *base, const struct facts *seen, struct finding *f)
{
	struct work_list a = work_of(base), b = work_of(seen);
	double removed = 0, fused = 0, others = 0, before = 0, after = 0, largest = 0;
	match(seen->scratch, &a, &b);
	if (!a.n || !b.n)
		return not_applicable(f, REASON_NO_DEVICE);
	for (size_t i = 0; i < a.n; i++) {
		if (a.shared[i])
			continue;
		double bytes = a.work[i].bytes;
		bool pointwise = is_pointwise(a.work[i].class);
		removed += pointwise;
		others += !pointwise;
		largest = fmax(bytes, largest);
		before += usual_ns(base, a.work[i].row);
		show_base(f, a.work[i].row, base->t->dur_ns[a.work[i].row]);
	}
	for (size_t i = 0; i < b.n; i++) {
		if (b.shared[i])
			continue;
		fused += b.work[i].class == CLASS_FUSED;
		others += b.work[i].class != CLASS_FUSED;
		after += usual_ns(seen, b.work[i].row);
		tell_name(f, "name", seen->t, b.work[i].row);
		show(f, b.work[i].row, seen->t->dur_ns[b.work[i].row]);
	}
	TELL(f, {"removed", removed}, {"fused", fused}, {"others", others}, {"base_time", before},
		{"time", after});
	if (largest && removed > fused)
		tell(f, "saved", 2 * largest * (removed - fused));
	if (others || !fused || removed <= fused)
		return FINDING_NOT_FIRED;
	return fired_as(f, largest ? REASON_NONE : REASON_NO_SHAPES);
}

/* ---- X6, X7: compiled against hand-written ---- */

/* The fused kernels of the typical step; NULL list when there is none. */
static bool first_fused(const struct work_list *list, const struct facts *x, const char **name)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->work[i].class == CLASS_FUSED) {
			*name = row_name(x, list->work[i].row);
			return true;
		}
	return false;
}

static bool are_compiled_and_handwritten(const struct facts *base, const struct facts *seen,
	const struct work_list *a, const struct work_list *b, const char **base_name,
	const char **name)
{
	return is_compiled(base) && !is_compiled(seen) && first_fused(a, base, base_name) &&
		first_fused(b, seen, name) && strcmp(*base_name, *name) != 0;
}

static enum finding_state fused_without_stack(
	const struct facts *base, const struct facts *seen, struct finding *f)
{
	struct work_list a = work_of(base), b = work_of(seen);
	const char *base_name, *name;
	double before = base->pair->launch_ns, after = seen->pair->launch_ns;
	if (!are_compiled_and_handwritten(base, seen, &a, &b, &base_name, &name))
		return not_applicable(f, REASON_NOT_SUCH_A_PAIR);
	if (before < 0 || after < 0)
		return not_applicable(f, REASON_NO_STEPS);
	TELL(f, {"base_pre", before}, {"pre", after});
	tell_text(f, "name", name);
	for (size_t i = 0; i < base->compiled.n; i++)
		show_base(f, base->compiled.row[i], base->t->dur_ns[base->compiled.row[i]]);
	for (size_t i = 0; i < b.n; i++)
		if (b.work[i].class == CLASS_FUSED)
			show(f, b.work[i].row, 1);
	return fired_if(before >= limit(f, "ratio") * after);
}

/* The median duration of all events of a name; with evidence. */
static double median_named(
	const struct facts *x, struct finding *f, const char *name, bool is_base, size_t *calls)
{
	int64_t *sample = xcalloc(x->a->n_kernels, sizeof *sample);
	size_t n = 0;
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		if (x->t->kind[row] != EVENT_KERNEL || strcmp(row_name(x, row), name) != 0)
			continue;
		sample[n++] = x->t->dur_ns[row];
		(is_base ? show_base : show)(f, row, x->t->dur_ns[row]);
	}
	double median = median_of(sample, n);
	free(sample);
	*calls = n;
	return median;
}

static enum finding_state price_of_generality(
	const struct facts *base, const struct facts *seen, struct finding *f)
{
	struct work_list a = work_of(base), b = work_of(seen);
	const char *base_name, *name;
	size_t base_calls, calls;
	if (!are_compiled_and_handwritten(base, seen, &a, &b, &base_name, &name))
		return not_applicable(f, REASON_NOT_SUCH_A_PAIR);
	match(seen->scratch, &a, &b);
	for (size_t i = 0; i < a.n; i++)
		if (!a.shared[i] && a.work[i].class != CLASS_FUSED)
			return not_applicable(f, REASON_OTHER_WORK);
	for (size_t i = 0; i < b.n; i++)
		if (!b.shared[i] && b.work[i].class != CLASS_FUSED)
			return not_applicable(f, REASON_OTHER_WORK);
	double before = median_named(base, f, base_name, true, &base_calls);
	double after = median_named(seen, f, name, false, &calls);
	if (before <= 0)
		return not_applicable(f, REASON_RESOLUTION);
	tell_text(f, "base_name", base_name);
	tell_text(f, "name", name);
	TELL(f, {"base_median", before}, {"median", after}, {"ratio", after / before});
	gives_back(f, (after - before) * (double)calls);
	return fired_if(after >= (1 + limit(f, "slower")) * before);
}

#define STEP_VALUES \
	{"base_step", UNIT_NS}, {"step", UNIT_NS}, \
	{ \
		"ratio", UNIT_RATIO \
	}

static const struct rule rows[] = {
	{.id = "OTHER-MATMUL",
		.label = "G4",
		.value = {{"base_products", UNIT_COUNT}, {"products", UNIT_COUNT},
			{"base_only", UNIT_COUNT}, {"only", UNIT_COUNT}, {"base_name", UNIT_TEXT},
			{"name", UNIT_TEXT}},
		.two = other_product_kernels},
	{.id = "COMPILED-CPU-COST",
		.label = "K5",
		.gain = GAIN_CPU,
		.threshold = {{"ratio", 1.2, UNIT_RATIO}, {"activities", 3, UNIT_COUNT}},
		.value = {STEP_VALUES, {"activities", UNIT_COUNT}},
		.two = compiled_costs_more},
	{.id = "FEWER-OPERATORS",
		.label = "X4",
		.value = {{"kernels", UNIT_COUNT}, {"base_ops", UNIT_COUNT}, {"ops", UNIT_COUNT}},
		.two = fewer_ops_same_kernels},
	{.id = "FUSED",
		.label = "X5",
		.value = {{"removed", UNIT_COUNT}, {"fused", UNIT_COUNT}, {"others", UNIT_COUNT},
			{"name", UNIT_TEXT}, {"base_time", UNIT_NS}, {"time", UNIT_NS},
			{"saved", UNIT_BYTES}},
		.two = really_fused},
	{.id = "FUSED-NO-STACK",
		.label = "X6",
		.threshold = {{"ratio", 3, UNIT_RATIO}},
		.value = {{"base_pre", UNIT_NS}, {"pre", UNIT_NS}, {"name", UNIT_TEXT}},
		.two = fused_without_stack},
	{.id = "GENERALITY-COST",
		.label = "X7",
		.gain = GAIN_BUSY,
		.threshold = {{"slower", 0.01, UNIT_SHARE}},
		.value = {{"base_name", UNIT_TEXT}, {"name", UNIT_TEXT}, {"base_median", UNIT_NS},
			{"median", UNIT_NS}, {"ratio", UNIT_RATIO}},
		.two = price_of_generality},
	{.id = "CLEANER-SLOWER",
		.label = "X12",
		.gain = GAIN_CPU,
		.threshold = {{"ops", 0.9, UNIT_SHARE}, {"ratio", 1.1, UNIT_RATIO}},
		.value = {STEP_VALUES, {"base_ops", UNIT_COUNT}, {"ops", UNIT_COUNT}},
		.two = cleaner_yet_dearer},
};

const struct rule_list findings_pair_rows = RULE_LIST(rows);
