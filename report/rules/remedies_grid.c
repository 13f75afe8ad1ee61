/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for kernels whose blocks do not fill the device: the program's own, whose blocks it
 * chooses, and PyTorch's where these come from what they are given. */
#include "report/rules/action_window.h"

#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/launches.h"

#include <math.h>
#include <string.h>

/* So much of the threads that a device has room for keeps it busy: a Triton kernel whose 141 blocks
 * fill 0.07 of them took 5.2 times as long on an H100 as in 564 smaller blocks. */
static const double ENOUGH_THREADS = 0.25, LARGE_TAIL = 0.6;

/* Of the room for threads on all multiprocessors of a kernel's device; 1: not known. */
static double share_of_threads(
	const struct facts *s, const struct kernel *k, const struct footprint *p)
{
	const struct trace_device *d = device_of_kernel(s->t, k);
	double room = d ? (double)d->sms * d->threads_per_sm : 0;
	return room > 0 ? (double)p->blocks * p->threads / room : 1;
}

/* Of blocks that keep a multiprocessor busy alone, how many each has on average: where one has two
 * and most have one, it takes twice as long as they do. 1 where a block leaves room. */
static double blocks_each(const struct facts *s, const struct kernel *k, const struct footprint *p)
{
	const struct trace_device *d = device_of_kernel(s->t, k);
	bool busy = d && (double)p->threads >= ENOUGH_THREADS * (double)d->threads_per_sm;
	double each = busy && d->sms > 0 ? (double)p->blocks / (double)d->sms : 1;
	return each > 1 ? each : 1;
}

/* The share of its time in which a kernel has blocks for the whole device. */
static double share_filled(const struct facts *s, uint32_t row)
{
	struct footprint p;
	const struct kernel *k = kernel_of(s->t, row);
	if (!footprint_read(s->t, k, &p) || p.waves <= 0)
		return 1;
	double filled = p.waves < 1 ? fmin(1, share_of_threads(s, k, &p) / ENOUGH_THREADS) : 1;
	double waves = p.waves < 1 ? blocks_each(s, k, &p) : (double)p.waves;
	double full = waves / ceil(waves);
	return full <= LARGE_TAIL ? fmin(filled, full) : filled;
}

/* Nobody but the program launches it: no operator of PyTorch, nor its compiler, nor a graph. */
static bool is_own_kernel(const struct facts *s, const struct seen_event *e)
{
	static const char compiled[] = "triton_";
	return s->t->kind[e->row] == EVENT_KERNEL && e->part <= TIME_OTHER && e->call != NO_ROW &&
		!(host_traits(s->a, e->call) & TRAIT_GRAPH) &&
		(e->op == NO_ROW || strncmp(op_name(s, e), "aten::", 6) != 0) &&
		strncmp(row_name(s, e->row), compiled, sizeof compiled - 1) != 0;
}

/* A norm of rows or groups, or attention, forward, long enough that it waits for more than its own
 * start. Batch norms are a matter of the order of channels, and what a backward pass sums by
 * channel has no other kernel. */
static bool is_of_operator(const struct facts *s, const struct seen_event *e)
{
	enum { LONG_NS = 50000 };
	if (s->t->kind[e->row] != EVENT_KERNEL || s->t->dur_ns[e->row] < LONG_NS || e->op == NO_ROW)
		return false;
	const char *name = op_name(s, e);
	bool norm = strstr(name, "group_norm") || strstr(name, "layer_norm") ||
		strstr(name, "rms_norm");
	return !strncmp(name, "aten::", 6) && (norm || e->part == TIME_ATTENTION) &&
		!strstr(name, "_backward");
}

/* Such norms have a block for each row or group, attention one for some queries of a head: the
 * share of its time in which such a kernel has blocks for the whole device, or that of reading what
 * it is given. */
static double share_of_operator(const struct facts *s, const struct seen_event *e)
{
	struct footprint p;
	if (!is_of_operator(s, e) || !footprint_read(s->t, kernel_of(s->t, e->row), &p))
		return 1;
	bool few = e->part == TIME_REDUCTION && p.waves > 0 && p.waves < 1;
	bool tail = e->part == TIME_ATTENTION && p.waves > 1;
	const struct inputs *x = inputs_of(s->a, e->op);
	double bytes = x ? (double)elements_of(x, 0) * x->in[0].bytes : 0;
	double reading_ns = s->chip ? bytes / s->chip->memory * 1e9 : 0;
	return few || tail
		? fmin(1, fmax(share_filled(s, e->row), reading_ns / (double)s->t->dur_ns[e->row]))
		: 1;
}

static double share_of_own(const struct facts *s, const struct seen_event *e)
{
	return is_own_kernel(s, e) ? share_filled(s, e->row) : 1;
}

/* All kernels that have blocks for the whole device for a share of their time, and the footprint of
 * the longest. False: they are not worth a word. */
static bool fill_too_little(const struct facts *s, struct finding *f,
	double (*share)(const struct facts *s, const struct seen_event *e), struct weighed *k,
	struct footprint *p)
{
	*k = (struct weighed){0};
	forget_finding(f);
	for (size_t i = 0; s->torch && i < s->n; i++) {
		const struct seen_event *e = &s->event[i];
		double filled = share(s, e);
		if (filled >= 1)
			continue;
		count(k, e);
		plan_takes(f->plan, e->row, filled);
		prove(f, e->row);
	}
	return k->n && is_about(s, f, k->ns) &&
		footprint_read(s->t, kernel_of(s->t, k->longest->row), p);
}

static enum finding_state blocks(const struct facts *s, struct finding *f)
{
	struct weighed k;
	struct footprint p;
	double each = 1;
	if (fill_too_little(s, f, share_of_own, &k, &p)) {
		each = p.waves < 1 ? blocks_each(s, kernel_of(s->t, k.longest->row), &p) : 1;
		f->variant = p.waves > 1 ? "tail" : each > 1 ? "uneven" : "";
	} else if (fill_too_little(s, f, share_of_operator, &k, &p)) {
		f->variant = k.longest->part == TIME_ATTENTION ? "attention" : "rows";
	} else {
		return FINDING_NOT_FIRED;
	}
	TELL(f, {"n", (double)k.n}, {"time", (double)k.ns}, {"share", share_of_window(s, k.ns)},
		{"blocks", p.blocks},
		{"room", round((double)p.blocks / (each > 1 ? each : (double)p.waves))});
	tell_text(f, "kernel", row_name(s, k.longest->row));
	return FINDING_FIRED;
}

static const struct rule rows[] = {
	{.id = "blocks",
		.kind = RULE_ACTION,
		.of_kernels = true,
		.threshold = {ABOUT(0.1), LEAST(0.05)},
		.value = {{"n", UNIT_COUNT}, {"time", UNIT_NS}, {"share", UNIT_SHARE},
			{"kernel", UNIT_TEXT}, {"blocks", UNIT_COUNT}, {"room", UNIT_COUNT}},
		.one = blocks},
};

const struct rule_list remedy_grid_rows = RULE_LIST(rows);
