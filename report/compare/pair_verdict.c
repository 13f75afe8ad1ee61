/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a pair: the sum decides, then the parts. */
#include "report/compare/compare.h"

#include <math.h>
#include <stdlib.h>

static bool has_processes(const struct pair *p)
{
	return p->before.n > 1 && p->after.n > 1;
}

/* Is the step rather shorter, or longer, as far as both of its lengths go, and the better known at
 * one pace of the host? A ratio of 1 is neither. Of several processes a side, whose parts are sure,
 * a median that is shorter by less than what counts as a change is a busy machine's. */
static bool sum_is(const struct pair *p, bool longer)
{
	double recorded = p->recorded.ratio, unrecorded = p->unrecorded.ratio;
	double at_pace = (unrecorded > 0 ? unrecorded : recorded) / p->step_pace;
	double least = has_processes(p) ? 1 - p->least : 1;
	return longer ? recorded >= least && at_pace >= least
		      : recorded > 0 && recorded < 1 && unrecorded < 1 && at_pace < 1;
}

/* Behind a device that takes as long as before, what the host takes is how far one process ran
 * ahead; and what the recorder explains of a step it explains of the host. */
static bool host_is_slower(const struct pair *p)
{
	return p->cpu.change == CHANGE_SLOWER &&
		(has_processes(p) || (p->step.change != CHANGE_SAME && !p->contradicted));
}

bool pair_device_arrives(const struct pair *p)
{
	double device = (double)(p->device.after_ns - p->device.before_ns);
	double before = (double)p->recorded.before_ns;
	if (!p->recorded.level || p->step.change == CHANGE_SAME)
		return true;
	return device < 0 ? (p->recorded.low - 1) * before <= device / 2
			  : (p->recorded.high - 1) * before >= device / 2;
}

/* Of single recordings, whose step does not tell: is the device's change as much of the step as
 * counts, or does the host's work, call by call, go the same way? What the device does is sure, and
 * of a step in which it hardly works it says nothing. */
static bool device_speaks(const struct pair *p)
{
	double least = p->least, work = p->pace.work;
	double change = (double)(p->device.after_ns - p->device.before_ns);
	if (!pair_is_single(p) || p->step.change == CHANGE_SAME ||
		fabs(change) >= least * (double)p->recorded.before_ns)
		return true;
	return change < 0 ? work > 0 && work <= 1 - least : work >= 1 + least;
}

bool pair_has_slower_part(const struct pair *p)
{
	if (host_is_slower(p))
		return true;
	if (!pair_device_arrives(p) || !device_speaks(p))
		return false;
	if (p->device.change == CHANGE_SLOWER)
		return true;
	for (size_t i = 0; i < p->n_kernels && p->device.change != CHANGE_FASTER; i++)
		if (kernel_is_worse(p, &p->kernel[i]))
			return true;
	return false;
}

enum change pair_change(const struct pair *p)
{
	bool silent = p->contradicted && !pair_is_single(p);
	if (p->identical || silent || ratio_tells(&p->step))
		return p->step.change;
	if (pair_has_slower_part(p))
		return p->step.change == CHANGE_SAME || sum_is(p, true) ? CHANGE_SLOWER
									: CHANGE_INCONCLUSIVE;
	bool faster = p->device.change == CHANGE_FASTER && p->step.change != CHANGE_SAME &&
		pair_device_arrives(p) && device_speaks(p);
	return faster && sum_is(p, false) ? CHANGE_FASTER : p->step.change;
}

bool kernel_matters(const struct pair *p, const struct compared_kernel *k)
{
	double least = KERNEL_LEAST * (double)pair_side_length(&p->before);
	double change = (double)(k->after_ns - k->before_ns);
	return (double)k->before_ns >= least || (double)k->after_ns >= least || change >= least ||
		change <= -least;
}

bool kernel_is_worse(const struct pair *p, const struct compared_kernel *k)
{
	double before = k->calls_before * (double)k->time.before_ns,
	       after = k->calls_after * (double)k->time.after_ns;
	return k->time.change == CHANGE_SLOWER && after > before &&
		(k->fate == FATE_SAME || k->calls_before == k->calls_after) && kernel_matters(p, k);
}

bool pair_is_unlike(const struct pair *p)
{
	return p->before.whole != p->after.whole;
}

bool pair_bars(const struct pair *p, struct part_bar bar[PART_BARS])
{
	const struct time_parts *b = &p->before.split, *n = &p->after.split;
	if (!p->before.has_split || !p->after.has_split)
		return false;
	bar[0] = (struct part_bar){
		"computing", time_parts_computing_ns(b), time_parts_computing_ns(n)};
	for (int i = TIME_COMMUNICATION; i < TIME_PARTS; i++)
		bar[i - TIME_OTHER] =
			(struct part_bar){time_part_name((enum time_part)i), b->ns[i], n->ns[i]};
	return true;
}

const struct part_bar *largest_bar(const struct part_bar bar[PART_BARS])
{
	const struct part_bar *most = NULL;
	for (int i = 0; i < PART_BARS; i++) {
		int64_t d = llabs(bar[i].after_ns - bar[i].before_ns);
		if (d && (!most || d > llabs(most->after_ns - most->before_ns)))
			most = &bar[i];
	}
	return most;
}
