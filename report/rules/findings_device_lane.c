/* SPDX-License-Identifier: Apache-2.0 */
/* G1, G3, G5: the device's lane. */
#include "base/sort.h"
#include "report/rules/facts.h"

#include <stdlib.h>
#include <string.h>

/* ---- G1: the recorder asks for a buffer ---- */

/* How long after its launch began the first device event of a step began; false without one. */
static bool first_offset(const struct facts *x, const struct step *s, int64_t *ns, uint32_t *launch)
{
	if (!s->n_device)
		return false;
	*launch = analysis_launch_of(x->t, s->device[0]);
	*ns = x->t->start_ns[s->device[0]] - x->t->start_ns[*launch];
	return true;
}

/* What the first step's offset is more than that of the others, and what of it the recorder's
 * requests during its launch account for. */
static void tell_offset(const struct facts *x, struct finding *f, const struct spans *requests)
{
	const struct analysis *a = x->a;
	const struct trace *t = x->t;
	int64_t first, *others = xcalloc(a->n_steps, sizeof *others);
	uint32_t launch, other;
	size_t n = 0;
	for (uint32_t i = 1; i < a->n_steps; i++)
		n += first_offset(x, &a->steps[i], &others[n], &other);
	if (a->n_steps && n && first_offset(x, &a->steps[0], &first, &launch)) {
		double offset = (double)first - median_of(others, n);
		double during =
			(double)spans_covered(requests, t->start_ns[launch], row_end(t, launch));
		double rest = offset > during ? offset - during : during - offset;
		TELL(f, {"offset", offset}, {"during_launch", during});
		if (offset >= limit(f, "offset"))
			f->reason = rest <= limit(f, "match") * offset ? REASON_EXPLAINED
								       : REASON_UNEXPLAINED;
	}
	free(others);
}

static enum finding_state buffer_request(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	struct row_list requests = {.row = arena_array(x->scratch, x->overhead.n, 4)};
	double time = 0, largest = 0;
	if (!x->overhead.n)
		return not_applicable(f, REASON_NO_OVERHEAD);
	for (size_t i = 0; i < x->overhead.n; i++) {
		uint32_t row = x->overhead.row[i];
		if (!(host_traits(x->a, row) & TRAIT_REQUEST))
			continue;
		requests.row[requests.n++] = row;
		time += (double)t->dur_ns[row];
		if ((double)t->dur_ns[row] > largest)
			largest = (double)t->dur_ns[row];
		show(f, row, t->dur_ns[row]);
	}
	TELL(f, {"requests", (double)requests.n}, {"time", time}, {"largest", largest});
	struct spans spans = union_of(x->scratch, t, requests.row, requests.n);
	if (requests.n)
		tell_offset(x, f, &spans);
	return fired_if(requests.n > 0);
}

/* ---- G3: the same work, different times ---- */

/* Runs of one activity that did the same, as far as the file tells: launched by operators with the
 * same input shapes and, where recorded, strides; copies of the same size. */
struct runs {
	const struct activity *act;
	int64_t key; /* of their work */
	uint32_t *row; /* (n) */
	size_t n;
	struct stats dur;
};

struct keyed {
	int64_t key;
	uint32_t row;
};

static int64_t work_key(const struct facts *x, size_t i)
{
	const struct trace *t = x->t;
	uint32_t row = device_row(x, i), op = x->op[i];
	if (t->kind[row] == EVENT_MEMCPY)
		return bytes_of(x, row);
	if (op == NO_ROW || t->side[op] == NO_ROW)
		return 0;
	const struct op_inputs *in = &t->inputs[t->side[op]];
	return in->dims ? (int64_t)in->dims << 31 | in->strides : 0;
}

/* Runs without shapes, in a trace that has them, may be anything, and so may those of a program
 * that compiled again for another shape. In any other trace without shapes all are looked at, and
 * it is said. */
static bool may_differ(const struct facts *x, const struct keyed *k)
{
	return x->t->kind[k->row] != EVENT_MEMCPY && !k->key &&
		(x->shapes || x->a->compile.recompiles);
}

ORDER(by_key, struct keyed, UP(key) ?: UP(row));

/* The rows of an activity in order of their work, and in order of time within it. */
static struct keyed *sort_by_work(const struct facts *x, const struct activity *act)
{
	struct keyed *k = xcalloc(act->calls, sizeof *k);
	bool mixed = false;
	for (size_t i = 0, at = 0; i < act->calls; i++) {
		at = device_index(x, act->row[i], at);
		k[i] = (struct keyed){work_key(x, at), act->row[i]};
		mixed |= k[i].key != k[0].key;
	}
	if (mixed)
		qsort(k, act->calls, sizeof *k, by_key);
	return k;
}

struct variation {
	double kernels, varying, excess;
	struct runs most; /* the largest (p95 - p5) * n */
};

static double spread_of(const struct runs *r)
{
	return (r->dur.p95 - r->dur.p5) * (double)r->n;
}

static bool varies(const struct facts *x, const struct finding *f, const struct stats *d)
{
	if (d->median < 10 * (double)x->t->resolution_ns)
		return false;
	return (double)d->max >= limit(f, "max") * d->median ||
		d->p95 - d->p5 >= limit(f, "spread") * d->median;
}

static void look_at_runs(const struct facts *x, const struct finding *f, const struct activity *act,
	const struct keyed *k, size_t n, struct variation *v)
{
	int64_t *sample = xcalloc(n, sizeof *sample), total = 0;
	for (size_t i = 0; i < n; i++)
		total += sample[i] = x->t->dur_ns[k[i].row];
	struct runs r = {.act = act, .key = k->key, .n = n};
	bool matters = (double)total >= limit(f, "share") * (double)x->a->device_ns;
	if (matters)
		r.dur = stats_of(sample, n);
	free(sample);
	v->kernels++;
	if (!matters || !varies(x, f, &r.dur))
		return;
	r.row = arena_array(x->scratch, n, sizeof *r.row);
	for (size_t i = 0; i < n; i++)
		r.row[i] = k[i].row;
	double above = (double)r.dur.total - (double)n * r.dur.median;
	v->varying++;
	v->excess += above > 0 && k->key ? above : 0;
	if (!v->most.n || spread_of(&r) > spread_of(&v->most))
		v->most = r;
}

static struct variation find_variation(const struct facts *x, const struct finding *f)
{
	struct variation v = {0};
	double calls = limit(f, "calls"), share = limit(f, "share");
	for (uint32_t i = 0; i < x->a->n_activities; i++) {
		const struct activity *act = &x->a->activities[i];
		if ((double)act->calls < calls || act->class == CLASS_COMMUNICATION)
			continue;
		if (act->share < share) { /* no part of it can have more */
			v.kernels++;
			continue;
		}
		struct keyed *k = sort_by_work(x, act);
		for (size_t from = 0, to; from < act->calls; from = to) {
			for (to = from + 1; to < act->calls && k[to].key == k[from].key;)
				to++;
			if ((double)(to - from) >= calls && !may_differ(x, &k[from]))
				look_at_runs(x, f, act, k + from, to - from, &v);
		}
		free(k);
	}
	return v;
}

static enum finding_state same_kernel_other_time(const struct facts *x, struct finding *f)
{
	if (!x->a->n_device)
		return not_applicable(f, REASON_NO_DEVICE);
	struct variation v = find_variation(x, f);
	if (!v.kernels)
		return not_applicable(f, REASON_FEW_CALLS);
	TELL(f, {"kernels", v.kernels}, {"varying", v.varying});
	if (!v.most.n)
		return FINDING_NOT_FIRED;
	const struct stats *d = &v.most.dur;
	double off = (d->mean - d->median) / d->median;
	tell_text(f, "name", trace_name(x->t, v.most.act->name));
	bool few = v.most.n < PERCENTILES_FROM;
	TELL(f, {"calls", (double)v.most.n}, {"median", d->median}, {"mean", d->mean}, {"few", few},
		{"low", few ? (double)d->min : d->p5}, {"high", few ? (double)d->max : d->p95},
		{"max", (double)d->max}, {"mean_off", off});
	gives_back(f, v.excess);
	for (size_t i = 0; i < v.most.n; i++)
		show(f, v.most.row[i], x->t->dur_ns[v.most.row[i]]);
	if (!v.most.key)
		return fired_as(f, REASON_NO_SHAPES);
	struct clock_of_runs clock;
	if (clock_of_runs(x, v.most.row, v.most.n, &clock)) {
		TELL(f, {"clock_rank", clock.rank}, {"clock_low", clock.low_mhz},
			{"clock_high", clock.high_mhz});
		if (-clock.rank >= limit(f, "clock"))
			return fired_as(f, REASON_CLOCK);
	}
	bool misleads = off >= limit(f, "mean") || -off >= limit(f, "mean");
	return fired_as(f, misleads ? REASON_MEAN : REASON_NONE);
}

/* ---- G5: a copy right before a product ---- */

/* The copy is as large as the product's result, as far as that can be told. */
static bool fits_result(const struct facts *x, size_t copy, size_t gemm, bool *checked)
{
	struct product p;
	bool known = product_of_event(x, gemm, &p);
	int64_t bytes = bytes_of(x, device_row(x, copy));
	*checked = bytes >= 0 && known && p.element_bytes;
	return !*checked || bytes == p.batch * p.m * p.n * p.element_bytes;
}

static bool are_of_one_step(const struct facts *x, size_t a, size_t b)
{
	const int64_t *start = x->t->start_ns;
	uint32_t one = x->launch[a], other = x->launch[b];
	uint32_t step = one == NO_ROW ? NO_ROW : analysis_step_at(x->a, start[one]);
	return step == (other == NO_ROW ? NO_ROW : analysis_step_at(x->a, start[other]));
}

/* One operator launched both: then a late launch in between does not part them. */
static bool are_of_one_product(const struct facts *x, size_t a, size_t b)
{
	return x->product[a] != NO_ROW && x->product[a] == x->product[b];
}

static bool is_copy_before_gemm(
	const struct facts *x, const struct finding *f, size_t i, bool *checked)
{
	const struct trace *t = x->t;
	uint32_t row = device_row(x, i), next = x->next[i];
	if (!copies_within(x, row) || next == NO_ROW || !are_of_one_step(x, i, next))
		return false;
	if (class_of(x, device_row(x, next)) == CLASS_CLEAR && x->next[next] != NO_ROW)
		next = x->next[next];
	uint32_t gemm = device_row(x, next);
	int64_t gap = t->start_ns[gemm] - row_end(t, row);
	return is_gemm(class_of(x, gemm)) &&
		((double)gap <= limit(f, "gap") || are_of_one_product(x, i, next)) &&
		fits_result(x, i, next, checked);
}

static enum finding_state copy_before_gemm(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double gemms = 0, copies = 0, bytes = 0, time = 0, checked = 0;
	bool untold = false;
	for (size_t k = 0; k < x->gemms.n; k++)
		gemms += is_gemm(class_of(x, device_row(x, x->gemms.row[k])));
	for (size_t k = 0; k < x->copies.n; k++) {
		uint32_t i = x->copies.row[k], row = device_row(x, i);
		bool is_checked = false;
		if (!is_copy_before_gemm(x, f, i, &is_checked))
			continue;
		copies++;
		checked += is_checked;
		time += (double)t->dur_ns[row];
		bytes += (double)bytes_of(x, row);
		untold |= bytes_of(x, row) < 0;
		show(f, row, t->dur_ns[row]);
	}
	if (!gemms)
		return not_applicable(f, x->a->n_device ? REASON_NO_GEMM : REASON_NO_DEVICE);
	TELL(f, {"copies", copies}, {"checked", checked});
	if (!untold)
		tell(f, "bytes", bytes);
	tell(f, "time", time);
	if (x->a->n_steps)
		tell(f, "per_step", copies / x->a->n_steps);
	gives_back(f, time);
	return fired_if(copies > 0);
}

static const struct rule request_rows[] = {
	{.id = "BUFFER-REQUEST",
		.label = "G1",
		.page = PAGE_DESCRIBES,
		.threshold = {{"offset", 500000, UNIT_NS}, {"match", 0.2, UNIT_SHARE}},
		.value = {{"requests", UNIT_COUNT}, {"time", UNIT_NS}, {"largest", UNIT_NS},
			{"offset", UNIT_NS}, {"during_launch", UNIT_NS}},
		.one = buffer_request},
};

const struct rule_list findings_request_rows = RULE_LIST(request_rows);

static const struct rule lane_rows[] = {
	{.id = "UNEVEN-KERNEL",
		.label = "G3",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_BUSY,
		.threshold = {{"calls", 5, UNIT_COUNT}, {"max", 1.25, UNIT_RATIO},
			{"spread", 0.1, UNIT_RATIO}, {"mean", 0.1, UNIT_RATIO},
			{"share", 0.01, UNIT_SHARE}, {"clock", 0.5, UNIT_RATIO}},
		.value = {{"kernels", UNIT_COUNT}, {"varying", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"calls", UNIT_COUNT}, {"median", UNIT_NS}, {"mean", UNIT_NS},
			{"few", UNIT_COUNT}, {"low", UNIT_NS}, {"high", UNIT_NS}, {"max", UNIT_NS},
			{"mean_off", UNIT_SHARE}, {"clock_rank", UNIT_RATIO},
			{"clock_low", UNIT_COUNT}, {"clock_high", UNIT_COUNT}},
		.one = same_kernel_other_time},
	{.id = "COPY-BEFORE-MATMUL",
		.label = "G5",
		.repeats = {"rewrites", "HIDDEN-COPY"},
		.gain = GAIN_BUSY,
		.threshold = {{"gap", 50000, UNIT_NS}},
		.value = {{"copies", UNIT_COUNT}, {"checked", UNIT_COUNT}, {"per_step", UNIT_COUNT},
			{"bytes", UNIT_BYTES}, {"time", UNIT_NS}},
		.one = copy_before_gemm},
};

const struct rule_list findings_lane_rows = RULE_LIST(lane_rows);
