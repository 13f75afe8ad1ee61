/* G1, G3, G5: the device's lane. */
#include "report/detect_parts.h"

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
static void tell_offset(const struct facts *x, struct finding *f, const struct span_list *requests)
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
		double during = (double)covered(requests, t->start_ns[launch], row_end(t, launch));
		double rest = offset > during ? offset - during : during - offset;
		tell(f, "offset", offset);
		tell(f, "during_launch", during);
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
		if (role_of(x, row) != ROLE_REQUEST)
			continue;
		requests.row[requests.n++] = row;
		time += (double)t->dur_ns[row];
		if ((double)t->dur_ns[row] > largest)
			largest = (double)t->dur_ns[row];
		show(f, row, t->dur_ns[row]);
	}
	tell(f, "requests", (double)requests.n);
	tell(f, "time", time);
	tell(f, "largest", largest);
	struct span_list spans = union_of(x->scratch, t, requests.row, requests.n);
	if (requests.n)
		tell_offset(x, f, &spans);
	return fired_if(requests.n > 0);
}

/* ---- G3: one kernel, different times ---- */

/* How far the middle nine tenths of an activity's samples lie apart, summed over its calls: what
 * ranks one varying kernel over another. */
static double spread_weight(const struct activity *act)
{
	return (act->dur.p95 - act->dur.p5) * (double)act->calls;
}

static bool varies(const struct facts *x, const struct finding *f, const struct activity *act)
{
	const struct stats *d = &act->dur;
	if ((double)act->calls < limit(f, "calls") || act->class == CLASS_COMMUNICATION ||
		act->share < limit(f, "share") || d->median < 10 * (double)x->t->resolution_ns)
		return false;
	return (double)d->max >= limit(f, "max") * d->median ||
		d->p95 - d->p5 >= limit(f, "spread") * d->median;
}

static enum finding_state same_kernel_other_time(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	const struct activity *most = NULL;
	double candidates = 0, varying = 0, excess = 0;
	if (!a->n_device)
		return not_applicable(f, REASON_NO_DEVICE);
	for (uint32_t i = 0; i < a->n_activities; i++) {
		const struct activity *act = &a->activities[i];
		candidates += (double)act->calls >= limit(f, "calls");
		if (!varies(x, f, act))
			continue;
		varying++;
		double above = (double)act->dur.total - (double)act->calls * act->dur.median;
		excess += above > 0 ? above : 0;
		if (!most || spread_weight(act) > spread_weight(most))
			most = act;
	}
	if (!candidates)
		return not_applicable(f, REASON_FEW_CALLS);
	tell(f, "kernels", candidates);
	tell(f, "varying", varying);
	if (!most)
		return FINDING_NOT_FIRED;
	const struct stats *d = &most->dur;
	double off = (d->mean - d->median) / d->median;
	tell_text(f, "name", names_text(&x->t->names, most->name));
	tell(f, "calls", (double)most->calls);
	tell(f, "median", d->median);
	tell(f, "mean", d->mean);
	tell(f, "p5", d->p5);
	tell(f, "p95", d->p95);
	tell(f, "max", (double)d->max);
	tell(f, "mean_off", off);
	gives_back(f, excess);
	for (size_t i = 0; i < most->calls; i++)
		show(f, most->row[i], x->t->dur_ns[most->row[i]]);
	bool misleads = off >= limit(f, "mean") || -off >= limit(f, "mean");
	return fired_as(f, misleads ? REASON_MEAN : REASON_NONE);
}

/* ---- G5: a copy right before a product ---- */

/* The copy is as large as the product's result, as far as that can be told. */
static bool fits_result(const struct facts *x, size_t copy, size_t gemm, bool *checked)
{
	struct product p;
	int64_t bytes = bytes_of(x, device_row(x, copy));
	*checked = bytes >= 0 && product_of_kernel(x, gemm, &p) && p.element_bytes;
	return !*checked || bytes == p.batch * p.m * p.n * p.element_bytes;
}

static bool is_copy_before_gemm(
	const struct facts *x, const struct finding *f, size_t i, bool *checked)
{
	const struct trace *t = x->t;
	uint32_t row = device_row(x, i), next = x->next[i];
	if (!copies_within(x, row) || next == NO_ROW || x->step[i] != x->step[next])
		return false;
	uint32_t gemm = device_row(x, next);
	int64_t gap = t->start_ns[gemm] - row_end(t, row);
	return is_gemm(class_of(x, gemm)) && (double)gap <= limit(f, "gap") &&
		fits_result(x, i, next, checked);
}

static enum finding_state copy_before_gemm(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	double gemms = 0, copies = 0, bytes = 0, time = 0, checked = 0;
	bool untold = false;
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		bool is_checked = false;
		gemms += is_gemm(class_of(x, row));
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
	tell(f, "copies", copies);
	tell(f, "checked", checked);
	if (!untold)
		tell(f, "bytes", bytes);
	tell(f, "time", time);
	if (x->a->n_steps)
		tell(f, "per_step", copies / x->a->n_steps);
	gives_back(f, time);
	return fired_if(copies > 0);
}

static const struct detector request_rows[] = {
	{.id = "G1",
		.name = "buffer request",
		.formula =
			"overhead rows by which the recorder asks for a buffer. Fires at any. "
			"offset = (begin of a step's first device event less its launch's "
			"begin) of the first step less the median of the others; explained if it "
			"is >= offset and the requests during that launch equal it to within "
			"match",
		.source = "cheatsheet G1; the posts, part 1",
		.threshold = {{"offset", 500000, UNIT_NS}, {"match", 0.2, UNIT_SHARE}},
		.value = {{"requests", UNIT_COUNT}, {"time", UNIT_NS}, {"largest", UNIT_NS},
			{"offset", UNIT_NS}, {"during_launch", UNIT_NS}},
		.one = buffer_request},
};

const struct detector_list detect_request_rows = DETECTOR_LIST(request_rows);

static const struct detector lane_rows[] = {
	{.id = "G3",
		.name = "same kernel, different times",
		.formula =
			"kernels of one name, grid and block with >= calls calls and >= share of "
			"the device time (communication left out). Fires if max >= max * median "
			"or p95 - p5 >= spread * median; the one with the largest (p95 - p5) * "
			"calls. mean if |mean - median| >= mean * median. Gives back at most the "
			"sum of total - calls * median over those that vary",
		.source = "cheatsheet G3; the posts, part 1; share: ours",
		.gain = GAIN_BUSY,
		.threshold = {{"calls", 5, UNIT_COUNT}, {"max", 1.25, UNIT_RATIO},
			{"spread", 0.1, UNIT_RATIO}, {"mean", 0.1, UNIT_RATIO},
			{"share", 0.01, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"varying", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"calls", UNIT_COUNT}, {"median", UNIT_NS}, {"mean", UNIT_NS},
			{"p5", UNIT_NS}, {"p95", UNIT_NS}, {"max", UNIT_NS},
			{"mean_off", UNIT_SHARE}},
		.one = same_kernel_other_time},
	{.id = "G5",
		.name = "copy before a product",
		.formula =
			"copies of the device to itself whose next on the stream is a GEMM of the "
			"same step, begun within gap of the copy's end, with a result as large as "
			"the copy where shapes are known. Fires at any. Gives back at most their "
			"time",
		.source = "cheatsheet G5; the posts, part 1; curriculum 5.1",
		.gain = GAIN_BUSY,
		.threshold = {{"gap", 50000, UNIT_NS}},
		.value = {{"copies", UNIT_COUNT}, {"checked", UNIT_COUNT}, {"per_step", UNIT_COUNT},
			{"bytes", UNIT_BYTES}, {"time", UNIT_NS}},
		.one = copy_before_gemm},
};

const struct detector_list detect_lane_rows = DETECTOR_LIST(lane_rows);
