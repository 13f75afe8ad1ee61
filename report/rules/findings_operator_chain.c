/* SPDX-License-Identifier: Apache-2.0 */
/* D1 to D4, X1, X2: the chain from an operator to a kernel. */
#include "report/rules/facts.h"

#include "base/min_max.h"
#include "report/analyse/analysis.h"
#include "report/analyse/health.h"
#include "report/rules/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- D1: the normal nesting ---- */

/* What stands around a launch on the host's side, from the operator out to the step. */
struct chain {
	bool op, range, step;
	uint32_t levels; /* spans of the host around the launch, the launch and the kernel */
};

/* What stands around a row, the row with it. */
struct scope {
	uint32_t row;
	struct chain around;
};

/* The scopes of the last launch, the outermost first: the next launch shares most of them. */
enum { MOST_SCOPES = 128 };
struct scopes {
	struct scope at[MOST_SCOPES];
	int n;
	struct chain *deep; /* (rows) owned: with each row; made when they do not fit above */
};

static struct chain chain_with(const struct facts *x, struct chain c, uint32_t row)
{
	uint8_t kind = x->t->kind[row], class = class_of(x, row);
	if (kind == EVENT_PYTHON)
		return c;
	c.levels++;
	c.op |= kind == EVENT_OP;
	c.range |= class == CLASS_ANNOTATION;
	c.step |= class == CLASS_STEP;
	return c;
}

static const struct chain bare = {.levels = 2};

/* Rows stand behind those around them. */
static struct chain deep_chain_of(const struct facts *x, uint32_t launch, struct scopes *s)
{
	const uint32_t *parent = x->t->parent;
	if (!s->deep) {
		s->deep = xalloc(x->t->n * sizeof *s->deep);
		for (uint32_t row = 0; row < x->t->n; row++)
			s->deep[row] = chain_with(
				x, parent[row] == NO_ROW ? bare : s->deep[parent[row]], row);
	}
	return parent[launch] == NO_ROW ? bare : s->deep[parent[launch]];
}

/* Rows stand behind those around them, so that what begins behind a scope's row is not around it.
 * What is too deep inside the shared scopes is not kept. */
static struct chain chain_of(const struct facts *x, uint32_t launch, struct scopes *s)
{
	const uint32_t *parent = x->t->parent;
	uint32_t inner[MOST_SCOPES], row = parent[launch];
	int n = 0;
	for (; row != NO_ROW; row = parent[row]) {
		while (s->n && s->at[s->n - 1].row > row)
			s->n--;
		if (s->n && s->at[s->n - 1].row == row)
			break;
		if (n == MOST_SCOPES)
			return deep_chain_of(x, launch, s);
		inner[n++] = row;
	}
	if (row == NO_ROW)
		s->n = 0;
	struct chain c = s->n ? s->at[s->n - 1].around : bare;
	while (n--) {
		c = chain_with(x, c, inner[n]);
		if (s->n < MOST_SCOPES)
			s->at[s->n++] = (struct scope){inner[n], c};
	}
	return c;
}

static enum finding_state dispatch_chain(const struct facts *x, struct finding *f)
{
	double kernels = 0, complete = 0, no_launch = 0, no_op = 0, no_step = 0, levels = 0;
	double least = limit(f, "levels");
	struct scopes scopes;
	scopes.n = 0;
	scopes.deep = NULL;
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		if (x->t->kind[row] != EVENT_KERNEL)
			continue;
		kernels++;
		if (x->launch[i] == NO_ROW) {
			no_launch++;
			continue;
		}
		struct chain c = chain_of(x, x->launch[i], &scopes);
		no_op += !c.op;
		no_step += !c.step;
		if (!c.op || (!c.step && !c.range) || c.levels < least)
			continue;
		complete++;
		if (c.levels > levels)
			levels = c.levels;
		show(f, row, 256 * (int64_t)c.levels + (c.step && c.range));
	}
	free(scopes.deep);
	if (!kernels)
		return not_applicable(f, REASON_NO_DEVICE);
	if (no_launch == kernels)
		return not_applicable(f, REASON_NO_LINKS);
	TELL(f, {"kernels", kernels}, {"complete", complete}, {"no_launch", no_launch},
		{"no_op", no_op}, {"no_step", no_step}, {"levels", levels},
		{"total", (double)x->nesting.total_ns},
		{"self", (double)(x->nesting.total_ns + x->nesting.overlap_ns)},
		{"overlaps", x->nesting.overlaps});
	return fired_if(complete > 0);
}

/* ---- D2, D3: which product a matmul becomes ---- */

struct matmuls {
	double mm, bmm; /* matmuls that hold the one, and not the other; that hold the other */
	double mm_calls, bmm_calls; /* runtime calls inside them */
	double any;
};

static struct matmuls count_matmuls(const struct facts *x)
{
	struct matmuls m = {0};
	for (uint32_t i = 0; i < x->n_products; i++) {
		const struct product_op *p = &x->products[i];
		if (p->role != ROLE_MATMUL)
			continue;
		m.any++;
		m.bmm += p->bmm;
		m.bmm_calls += p->bmm ? p->calls : 0;
		m.mm += p->mm && !p->bmm;
		m.mm_calls += p->mm && !p->bmm ? p->calls : 0;
	}
	return m;
}

static enum finding_state matmul_to_mm(const struct facts *x, struct finding *f)
{
	struct matmuls m = count_matmuls(x);
	if (!m.any)
		return not_applicable(f, REASON_NO_SUCH_OP);
	TELL(f, {"matmuls", m.any}, {"mm", m.mm});
	if (m.mm)
		tell(f, "calls_each", m.mm_calls / m.mm);
	for (uint32_t i = 0; i < x->n_products; i++) {
		const struct product_op *p = &x->products[i];
		if (p->role == ROLE_MATMUL && p->mm && !p->bmm)
			show(f, p->row, x->t->dur_ns[p->row]);
	}
	return fired_if(m.mm > 0);
}

/* How many products the last of them is made of. */
static void tell_batch(const struct facts *x, struct finding *f)
{
	for (uint32_t i = x->n_products; i-- > 0;) {
		const struct product_op *p = &x->products[i];
		struct product shape;
		if (p->role != ROLE_MATMUL || !p->bmm || !product_of(x->a, p->row, &shape) ||
			shape.batch <= 1)
			continue;
		tell(f, "batch", (double)shape.batch);
		return;
	}
}

static enum finding_state matmul_to_bmm(const struct facts *x, struct finding *f)
{
	struct matmuls m = count_matmuls(x);
	if (!m.any)
		return not_applicable(f, REASON_NO_SUCH_OP);
	TELL(f, {"matmuls", m.any}, {"bmm", m.bmm});
	if (m.bmm)
		tell(f, "calls_each", m.bmm_calls / m.bmm);
	if (m.mm)
		tell(f, "mm_calls_each", m.mm_calls / m.mm);
	for (uint32_t i = 0; i < x->n_products; i++) {
		const struct product_op *p = &x->products[i];
		if (p->role == ROLE_MATMUL && p->bmm)
			show(f, p->row, x->t->dur_ns[p->row]);
	}
	tell_batch(x, f);
	return fired_if(m.bmm > 0);
}

/* ---- D4: addmm ---- */

static bool is_inside_addmm(const struct facts *x, const struct product_op *p)
{
	for (uint32_t o = p->outer; o != NO_ROW; o = x->products[o].outer)
		if (x->products[o].role == ROLE_ADDMM)
			return true;
	return false;
}

static enum finding_state one_addmm(const struct facts *x, struct finding *f)
{
	double addmms = 0, copied = 0, alone = 0, others = 0;
	for (uint32_t i = 0; i < x->n_products; i++) {
		const struct product_op *p = &x->products[i];
		if (p->role != ROLE_ADDMM || is_inside_addmm(x, p))
			continue;
		addmms++;
		if (!p->gemms)
			continue;
		copied += p->copies;
		alone += !p->copies && !p->others;
		others += !p->copies && p->others;
		show(f, p->row, p->copies ? INT64_MAX : x->t->dur_ns[p->row]);
	}
	if (!addmms)
		return not_applicable(f, REASON_NO_SUCH_OP);
	if (!(copied + alone + others))
		return not_applicable(f, x->a->n_device ? REASON_NO_GEMM : REASON_NO_DEVICE);
	TELL(f, {"addmms", addmms}, {"copied", copied}, {"alone", alone}, {"others", others});
	if (!copied && !others)
		return fired_as(f, REASON_GEMM_ALONE);
	return fired_as(f, !alone && !others ? REASON_COPY_AND_GEMM : REASON_MIXED);
}

/* ---- X1: operators that only change the view ---- */

/* A row so many times the median that it stood still: what stopped the thread is not its own. */
static double stall_from(const struct facts *x, const struct finding *f)
{
	int64_t longest = 0;
	for (size_t i = 0; i < x->n_views; i++) {
		int64_t dur = x->t->dur_ns[x->views[i].row];
		longest = max64(dur, longest);
	}
	if ((double)longest < limit(f, "least")) /* to sort costs more than to look */
		return limit(f, "least");
	int64_t *sample = xalloc((x->n_views + 1) * sizeof *sample);
	for (size_t i = 0; i < x->n_views; i++)
		sample[i] = x->t->dur_ns[x->views[i].row];
	double median = x->n_views ? median_of(sample, x->n_views) : 0;
	free(sample);
	return fmax(limit(f, "stall") * median, limit(f, "least"));
}

static enum finding_state metadata_only(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double time = 0, stalls = 0, stalled = 0;
	if (!x->n_links)
		return not_applicable(f, x->a->n_device ? REASON_NO_LINKS : REASON_NO_DEVICE);
	if (!x->h->of_kind[EVENT_OP])
		return not_applicable(f, REASON_NO_OPS);
	uint32_t widest = NO_ROW;
	double least = stall_from(x, f);
	for (size_t i = 0; i < x->n_views; i++) {
		uint32_t row = x->views[i].row;
		if ((double)t->dur_ns[row] >= least) {
			stalled += (double)t->dur_ns[row];
			stalls++;
			continue;
		}
		time += (double)t->dur_ns[row];
		show(f, row, t->dur_ns[row]);
		if (widest == NO_ROW || t->dur_ns[row] > t->dur_ns[widest])
			widest = row;
	}
	TELL(f, {"ops", (double)x->h->of_kind[EVENT_OP]}, {"views", (double)x->n_views},
		{"time", time}, {"stalls", stalls}, {"stalled", stalled});
	tell_name(f, "widest", t, widest);
	gives_back(f, time);
	f->advice = x->compiled.n ? REASON_COMPILED : REASON_NONE;
	return fired_if((double)x->n_views > stalls);
}

/* ---- X2: a linear layer that is one kernel ---- */

/* A third input with a shape, or an addmm inside: the layer adds a bias. */
static bool has_bias(const struct facts *x, const struct product_op *p)
{
	const struct inputs *in = inputs_of(x->a, p->row);
	return p->addmm || (in && in->n > 2 && in->in[2].rank);
}

static enum finding_state bias_inside(const struct facts *x, struct finding *f)
{
	double linears = 0, alone = 0, apart = 0;
	for (uint32_t i = 0; i < x->n_products; i++) {
		const struct product_op *p = &x->products[i];
		if (p->role != ROLE_LINEAR || !has_bias(x, p) || !p->gemms)
			continue;
		linears++;
		if (p->gemms == 1 && !p->copies && !p->others) {
			alone++;
			show(f, p->row, x->t->dur_ns[p->row]);
		} else {
			apart++;
		}
	}
	if (!linears)
		return not_applicable(f, REASON_NO_SUCH_OP);
	TELL(f, {"linears", linears}, {"alone", alone}, {"apart", apart});
	return fired_if(alone > 0);
}

static const struct rule chain_rows[] = {
	{.id = "DISPATCH-CHAIN",
		.label = "D1",
		.page = PAGE_ATLAS,
		.threshold = {{"levels", 4, UNIT_COUNT}},
		.value = {{"kernels", UNIT_COUNT}, {"complete", UNIT_COUNT},
			{"no_launch", UNIT_COUNT}, {"no_op", UNIT_COUNT}, {"no_step", UNIT_COUNT},
			{"levels", UNIT_COUNT}, {"total", UNIT_NS}, {"self", UNIT_NS},
			{"overlaps", UNIT_COUNT}},
		.one = dispatch_chain},
	{.id = "PLAIN-MATMUL",
		.label = "D2",
		.page = PAGE_ATLAS,
		.value = {{"matmuls", UNIT_COUNT}, {"mm", UNIT_COUNT}, {"calls_each", UNIT_COUNT}},
		.one = matmul_to_mm},
	{.id = "BATCHED-MATMUL",
		.label = "D3",
		.page = PAGE_ATLAS,
		.value = {{"matmuls", UNIT_COUNT}, {"bmm", UNIT_COUNT}, {"batch", UNIT_COUNT},
			{"calls_each", UNIT_COUNT}, {"mm_calls_each", UNIT_COUNT}},
		.one = matmul_to_bmm},
	{.id = "ONE-ADDMM",
		.label = "D4",
		.page = PAGE_ATLAS,
		.value = {{"addmms", UNIT_COUNT}, {"copied", UNIT_COUNT}, {"alone", UNIT_COUNT},
			{"others", UNIT_COUNT}},
		.one = one_addmm},
};

const struct rule_list findings_chain_rows = RULE_LIST(chain_rows);

static const struct rule layer_rows[] = {
	{.id = "METADATA-ONLY",
		.label = "X1",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_CPU,
		.threshold = {{"stall", 20, UNIT_RATIO}, {"least", 100000, UNIT_NS}},
		.value = {{"ops", UNIT_COUNT}, {"views", UNIT_COUNT}, {"time", UNIT_NS},
			{"stalls", UNIT_COUNT}, {"stalled", UNIT_NS}, {"widest", UNIT_TEXT}},
		.one = metadata_only},
	{.id = "BIAS-IN-MATMUL",
		.label = "X2",
		.page = PAGE_ATLAS,
		.value = {{"linears", UNIT_COUNT}, {"alone", UNIT_COUNT}, {"apart", UNIT_COUNT}},
		.one = bias_inside},
};

const struct rule_list findings_layer_rows = RULE_LIST(layer_rows);
