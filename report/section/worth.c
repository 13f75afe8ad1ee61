/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings a reader of a few pages needs, and what each of them saves. */
#include "report/section/parts.h"

/* A program that captures graphs launches nothing meanwhile that could be late. */
static bool is_covered(const struct report_case *c, const struct finding *f)
{
	const struct advice *x = c->advice;
	int64_t saves = 0;
	bool any = false;
	if (x->captures && f->detector->late_launches)
		return true;
	for (int i = 0; i < x->n; i++)
		if (detector_repeats(f->detector, x->action[i].detector->id)) {
			any = true;
			saves += x->action[i].give_back_ns;
		}
	return any && (!f->detector->repeats_half || 2 * saves >= finding_saves(c, f));
}

bool finding_repeats(const struct finding *f, const struct findings *all)
{
	for (int i = 0; i < all->n_fired; i++)
		if (detector_repeats(f->detector, all->finding[all->ranked[i]].detector->id))
			return true;
	return false;
}

int64_t finding_saves(const struct report_case *c, const struct finding *f)
{
	const struct partition *p = c->partition;
	const struct split *w = partition_window(p);
	double whole = (double)(p->whole.end_ns - p->whole.start_ns);
	int64_t idle = split_idle_ns(w), busy = w->end_ns - w->start_ns - idle, most = 0;
	if (f->gain == GAIN_IDLE)
		most = idle;
	else if (f->gain == GAIN_BUSY)
		most = busy >= idle ? busy : 0;
	else if (f->gain == GAIN_CPU)
		most = w->ns[SPENT_LAUNCHING];
	double share = whole > 0 ? (double)(w->end_ns - w->start_ns) / whole : 0;
	double own = f->gain == GAIN_IDLE || f->gain == GAIN_CPU ? c->advice->host : 1;
	int64_t saves = (int64_t)((double)f->give_back_ns * share * own);
	return saves < most ? saves : most;
}

bool finding_is_worth(const struct report_case *c, const struct finding *f)
{
	const struct split *w = partition_window(c->partition);
	return f->detector->page == PAGE_ADVISES && !is_covered(c, f) &&
		(double)finding_saves(c, f) >= ADVICE_LEAST * (double)(w->end_ns - w->start_ns);
}
