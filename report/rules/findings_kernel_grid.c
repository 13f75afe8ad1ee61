/* SPDX-License-Identifier: Apache-2.0 */
/* Lecture 1's rules, as far as a kernel's record tells: waves, tail, masked lanes, occupancy,
 * bandwidth; and X10. */
#include "base/min_max.h"
#include "report/analyse/chips.h"
#include "report/analyse/kernel_fit.h"
#include "report/rules/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rules of the grid ---- */

/* Why no kernel of the trace could be fitted. */
static enum finding_state unfitted(const struct facts *x, struct finding *f)
{
	const struct trace *t = x->t;
	if (!x->a->n_kernels)
		return not_applicable(f, REASON_NO_DEVICE);
	for (size_t i = 0; i < t->n_devices; i++)
		if (fit_known(&t->devices[i]))
			return not_applicable(f, REASON_NO_FOOTPRINT);
	return not_applicable(f, REASON_NO_PROPERTIES);
}

/* The next kernel that was fitted, NULL behind the last. */
static inline const struct footprint *next_fit(const struct facts *x, size_t *i)
{
	size_t n = x->a->n_device;
	while (*i < n && x->fitted[*i] == NO_ROW)
		++*i;
	return *i < n ? &x->footprint[x->fitted[*i]] : NULL;
}

static const struct trace_device *device_of_row(const struct facts *x, uint32_t row)
{
	return device_of_kernel(x->t, kernel_of(x->t, row));
}

static enum finding_state grid_too_small(const struct facts *x, struct finding *f)
{
	double waves = limit(f, "waves");
	double below = 0;
	struct weighed_sum small = {.most = -1};
	const struct footprint *fit;
	for (size_t i = 0; (fit = next_fit(x, &i)); i++) {
		uint32_t row = device_row(x, i);
		double ns = (double)x->t->dur_ns[row];
		small.known++;
		small.time += ns;
		if ((double)fit->waves >= waves)
			continue;
		double sms = device_of_row(x, row)->sms;
		below += (double)fit->blocks < sms ? ns : 0;
		if (!weigh(f, &small, row, ns, ns))
			continue;
		tell_name(f, "name", x->t, row);
		TELL(f, {"grid", fit->blocks}, {"waves", fit->waves}, {"sms", sms});
	}
	if (!small.known)
		return unfitted(x, f);
	tell(f, "below_sms", share_of(below, small.time));
	return weigh_end(f, &small, "small");
}

static enum finding_state tail(const struct facts *x, struct finding *f)
{
	struct weighed_sum tails = {0};
	const struct footprint *fit;
	for (size_t i = 0; (fit = next_fit(x, &i)); i++) {
		uint32_t row = device_row(x, i);
		double waves = fit->waves, lost = 1 - waves / ceil(waves);
		tails.known++;
		tails.time += (double)x->t->dur_ns[row];
		if (waves < 1 || lost <= 0)
			continue;
		double here = lost * (double)x->t->dur_ns[row];
		if (!weigh(f, &tails, row, here, here))
			continue;
		tell_name(f, "name", x->t, row);
		TELL(f, {"waves", waves}, {"gain", lost});
	}
	if (!tails.known)
		return unfitted(x, f);
	tell(f, "time", tails.counts);
	gives_back(f, tails.counts);
	return weigh_end(f, &tails, "tails");
}

/* Kernels that are written to take a row a block. Triton's blocks are powers of two, and these take
 * the row at once (persistent reductions by Inductor's rule, the others by their source); with
 * `lanes` as many at a time, in a loop. */
static const struct {
	const char *name; /* "*" at the end: any rest */
	int64_t lanes; /* 0: the next power of two */
} row_kernels[] = {
	{"tracebook_square_row", 0},
	{"tracebook_square_row_loop", 1024},
	{"square_kernel*", 0},
	{"_geglu_tanh_forward_kernel*", 0},
	{"_swiglu_forward_kernel*", 0},
	{"triton_per_*", 0},
};

static bool is_named(const char *name, const char *pattern)
{
	size_t n = strlen(pattern);
	return pattern[n - 1] == '*' ? !strncmp(name, pattern, n - 1) : !strcmp(name, pattern);
}

static int64_t lanes_for(int64_t columns, int64_t at_a_time)
{
	int64_t lanes = 1;
	if (at_a_time)
		return (columns + at_a_time - 1) / at_a_time * at_a_time;
	while (lanes < columns)
		lanes *= 2;
	return lanes;
}

static bool takes_rows(const char *name)
{
	for (size_t k = 0; k < sizeof row_kernels / sizeof *row_kernels; k++)
		if (is_named(name, row_kernels[k].name))
			return true;
	return false;
}

/* Lanes for a row's columns; false when the kernel is not known to take a row a block, or its grid
 * has not as many blocks as the recorded shape has rows. */
static bool row_lanes(const struct facts *x, size_t i, int64_t *columns, int64_t *lanes)
{
	const char *name = row_name(x, device_row(x, i));
	int64_t rows;
	for (size_t k = 0; k < sizeof row_kernels / sizeof *row_kernels; k++) {
		if (!is_named(name, row_kernels[k].name) || x->op[i] == NO_ROW ||
			!rows_and_columns(x->a, x->op[i], &rows, columns) ||
			(double)rows != (double)footprint_of(x, i).blocks)
			continue;
		*lanes = lanes_for(*columns, row_kernels[k].lanes);
		return true;
	}
	return false;
}

static enum finding_state masked_lanes(const struct facts *x, struct finding *f)
{
	struct weighed_sum masked = {0};
	const struct footprint *fit;
	struct name_question by_rows = name_question(&x->t->names, takes_rows);
	for (size_t i = 0; (fit = next_fit(x, &i)); i++) {
		uint32_t row = device_row(x, i);
		int64_t columns = 0, lanes = 0;
		bool by_row = name_answers(&by_rows, &x->t->names, x->t->name[row]) &&
			row_lanes(x, i, &columns, &lanes);
		double used = fit->threads / (32.0 * ((fit->threads + 31) / 32));
		used *= by_row ? (double)columns / (double)lanes : 1;
		double here = (1 - used) * (double)x->t->dur_ns[row];
		masked.known++;
		masked.time += (double)x->t->dur_ns[row];
		if (used >= 1 || !weigh(f, &masked, row, here, here))
			continue;
		tell_name(f, "name", x->t, row);
		TELL(f, {"threads", fit->threads}, {"idle", 1 - used});
		f->reason = by_row ? REASON_ROWS : REASON_NONE;
		if (by_row) {
			TELL(f, {"columns", (double)columns}, {"lanes", (double)lanes});
		}
	}
	name_question_end(&by_rows);
	if (!masked.known)
		return unfitted(x, f);
	gives_back(f, masked.counts);
	enum finding_state state = weigh_end(f, &masked, "masked");
	if (state != FINDING_FIRED)
		f->reason = REASON_NONE;
	return state;
}

/* ---- one block alone on its multiprocessor ---- */

/* Products, attention and communication are made to be alone. */
static bool is_made_alone(const struct facts *x, uint32_t row)
{
	uint8_t class = class_of(x, row);
	return class_multiplies(class) || class == CLASS_SPLITK || class == CLASS_ATTENTION ||
		class == CLASS_COMMUNICATION;
}

static enum finding_state alone_on_sm(const struct facts *x, struct finding *f)
{
	struct weighed_sum alone = {0};
	const struct footprint *fit;
	for (size_t i = 0; (fit = next_fit(x, &i)); i++) {
		uint32_t row = device_row(x, i);
		double ns = (double)x->t->dur_ns[row];
		alone.known++;
		alone.time += ns;
		if (fit->blocks_per_sm != 1 || fit->threads <= 32 || fit->shared_bytes <= 0 ||
			is_made_alone(x, row) || !weigh(f, &alone, row, ns, ns))
			continue;
		tell_name(f, "name", x->t, row);
		TELL(f, {"threads", fit->threads}, {"registers", fit->registers},
			{"shared", fit->shared_bytes});
	}
	if (!alone.known)
		return unfitted(x, f);
	return weigh_end(f, &alone, "alone");
}

/* ---- X10: a launch whose occupancy the recorder did not estimate ---- */

/* Kineto's estimate: as many blocks as fit, or as the grid gives each multiprocessor, in percent of
 * its threads (libkineto, CuptiActivity). */
static double estimated_occupancy(const struct footprint *fit, const struct trace_device *d)
{
	double blocks = (double)fit->blocks / d->sms;
	blocks = fmin(blocks, fit->blocks_per_sm);
	return blocks * fit->threads / d->threads_per_sm;
}

static enum finding_state no_estimate(const struct facts *x, struct finding *f)
{
	double known = 0, missing = 0;
	const struct footprint *fit;
	for (size_t i = 0; (fit = next_fit(x, &i)); i++) {
		uint32_t row = device_row(x, i);
		known++;
		if (kernel_of(x->t, row)->occupancy_pct != 0 || x->launch[i] == NO_ROW ||
			!(host_traits(x->a, x->launch[i]) & TRAIT_LAUNCH_EX))
			continue;
		double occupancy = estimated_occupancy(fit, device_of_row(x, row));
		if (occupancy < limit(f, "occupancy"))
			continue;
		if (!missing++) {
			tell_name(f, "name", x->t, row);
			tell(f, "occupancy", occupancy);
		}
		show(f, row, x->t->dur_ns[row]);
	}
	if (!known)
		return unfitted(x, f);
	TELL(f, {"kernels", known}, {"missing", missing});
	return fired_if(missing > 0);
}

/* ---- bandwidth, by model ---- */

/* The neighbours on the stream belong to other operators: this is the operator's only kernel. */
static bool is_only_kernel_of_op(const struct facts *x, size_t i)
{
	uint32_t before = x->previous[i], after = x->next[i];
	return (before == NO_ROW || x->op[before] != x->op[i]) &&
		(after == NO_ROW || x->op[after] != x->op[i]);
}

/* Bytes that a row must move at least: a copy reads and writes, a point-wise kernel reads its
 * inputs and writes one result. 0: unknown. */
static double bytes_moved(const struct facts *x, size_t i)
{
	uint32_t row = device_row(x, i);
	int64_t in, out;
	if (copies_within(x, row))
		return bytes_of(x, row) > 0 ? 2 * (double)bytes_of(x, row) : 0;
	if (!is_pointwise(class_of(x, row)) || class_of(x, row) == CLASS_FUSED ||
		x->op[i] == NO_ROW || !is_only_kernel_of_op(x, i) ||
		!pointwise_bytes(x->a, x->op[i], &in, &out))
		return 0;
	return (double)in + (double)out;
}

static enum finding_state bandwidth(const struct facts *x, struct finding *f)
{
	const struct chip *chip = chip_of(x->t);
	double peak = chip ? chip->memory : 0, bytes = 0, time = 0, modelled = 0, cached = 0,
	       most = 0;
	if (!x->a->n_device)
		return not_applicable(f, REASON_NO_DEVICE);
	if (!peak)
		return not_applicable(f, REASON_NO_PEAK);
	for (size_t i = 0; i < x->a->n_device; i++) {
		uint32_t row = device_row(x, i);
		double ns = (double)x->t->dur_ns[row], moved = bytes_moved(x, i);
		if (!moved || ns <= 0)
			continue;
		/* Faster than the memory: the bytes came out of a cache. */
		if (moved / ns * 1e9 > peak) {
			cached++;
			continue;
		}
		modelled++;
		bytes += moved;
		time += ns;
		show(f, row, (int64_t)moved);
		if (moved <= most)
			continue;
		most = moved;
		tell_name(f, "name", x->t, row);
		TELL(f, {"rate", moved / ns * 1e9}, {"of_peak", moved / ns * 1e9 / peak});
	}
	if (!modelled)
		return not_applicable(f, REASON_NO_SHAPES);
	double share = bytes / time * 1e9 / peak;
	TELL(f, {"peak", peak}, {"modelled", modelled}, {"cached", cached}, {"share", share},
		{"of_device", share_of(time, (double)x->a->device_ns)});
	bool fired = share >= limit(f, "share") &&
		time >= limit(f, "of_device") * (double)x->a->device_ns;
	f->reason = fired && share >= limit(f, "near") ? REASON_NEAR_ROOF : REASON_NONE;
	return fired_if(fired);
}

static const struct rule estimate_rows[] = {
	{.id = "OCCUPANCY-UNKNOWN",
		.label = "X10",
		.page = PAGE_ATLAS,
		.threshold = {{"occupancy", 0.01, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"missing", UNIT_COUNT}, {"name", UNIT_TEXT},
			{"occupancy", UNIT_SHARE}},
		.one = no_estimate},
};

const struct rule_list findings_estimate_rows = RULE_LIST(estimate_rows);

static const struct rule kernel_rows[] = {
	{.id = "GRID-SMALL",
		.threshold = {{"waves", 0.9, UNIT_RATIO}, {"share", 0.05, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"small", UNIT_COUNT}, {"share", UNIT_SHARE},
			{"below_sms", UNIT_SHARE}, {"name", UNIT_TEXT}, {"grid", UNIT_COUNT},
			{"waves", UNIT_RATIO}, {"sms", UNIT_COUNT}},
		.one = grid_too_small},
	{.id = "TAIL",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_BUSY,
		.threshold = {{"share", 0.05, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"tails", UNIT_COUNT}, {"share", UNIT_SHARE},
			{"time", UNIT_NS}, {"name", UNIT_TEXT}, {"waves", UNIT_RATIO},
			{"gain", UNIT_SHARE}},
		.one = tail},
	{.id = "MASKED",
		.gain = GAIN_BUSY,
		.threshold = {{"share", 0.05, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"masked", UNIT_COUNT}, {"share", UNIT_SHARE},
			{"name", UNIT_TEXT}, {"threads", UNIT_COUNT}, {"idle", UNIT_SHARE},
			{"columns", UNIT_COUNT}, {"lanes", UNIT_COUNT}},
		.one = masked_lanes},
	{.id = "ONE-BLOCK",
		.threshold = {{"share", 0.05, UNIT_SHARE}},
		.value = {{"kernels", UNIT_COUNT}, {"alone", UNIT_COUNT}, {"share", UNIT_SHARE},
			{"name", UNIT_TEXT}, {"threads", UNIT_COUNT}, {"registers", UNIT_COUNT},
			{"shared", UNIT_BYTES}},
		.one = alone_on_sm},
	{.id = "BANDWIDTH",
		.repeats = {"fusion", "attention", "rewrites"},
		.threshold = {{"share", 0.6, UNIT_SHARE}, {"of_device", 0.1, UNIT_SHARE},
			{"near", 0.8, UNIT_SHARE}},
		.value = {{"share", UNIT_SHARE}, {"peak", UNIT_BYTES_PER_S},
			{"modelled", UNIT_COUNT}, {"cached", UNIT_COUNT}, {"of_device", UNIT_SHARE},
			{"name", UNIT_TEXT}, {"rate", UNIT_BYTES_PER_S}, {"of_peak", UNIT_SHARE}},
		.one = bandwidth},
};

const struct rule_list findings_kernel_rows = RULE_LIST(kernel_rows);
