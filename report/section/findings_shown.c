/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings a reader of a few pages needs, and what each of them saves. */
#include "report/section/parts.h"

#include "base/min_max.h"
#include "report/analyse/breakdown.h"
#include "report/rules/advice.h"

static bool is_covered(const struct report_case *c, const struct finding *f)
{
	const struct advice *x = c->advice;
	for (int i = 0; i < x->n; i++)
		if (rule_repeats(f->rule, x->action[i].rule->id))
			return true;
	return false;
}

bool finding_repeats(const struct finding *f, const struct findings *all)
{
	for (int i = 0; i < all->n_fired; i++)
		if (rule_repeats(f->rule, all->finding[all->ranked[i]].rule->id))
			return true;
	return false;
}

/* What of idle time is not the recorder's. */
static double own_share(const struct report_case *c, int64_t idle_ns)
{
	int64_t recorder_ns = c->advice->window_ns - c->advice->unrecorded_ns;
	return idle_ns > recorder_ns ? 1 - (double)recorder_ns / (double)idle_ns : 0;
}

/* What of a time of the whole trace falls on the window, and only where it is what that waits for.
 */
static int64_t on_window(const struct report_case *c, const struct finding *f, int64_t whole_ns)
{
	const struct breakdown *p = c->breakdown;
	const struct time_parts *w = breakdown_window(p);
	double whole = (double)(p->whole.end_ns - p->whole.start_ns);
	int64_t idle = time_parts_idle_ns(w), busy = w->end_ns - w->start_ns - idle, most = 0;
	if (f->gain == GAIN_IDLE)
		most = idle;
	else if (f->gain == GAIN_BUSY)
		most = busy >= idle ? busy : 0;
	else if (f->gain == GAIN_CPU)
		most = w->ns[TIME_LAUNCHING];
	double share = whole > 0 ? (double)(w->end_ns - w->start_ns) / whole : 0;
	double own = f->gain == GAIN_IDLE || f->gain == GAIN_CPU ? own_share(c, idle) : 1;
	int64_t saves = (int64_t)((double)whole_ns * share * own);
	return min64(saves, most);
}

int64_t finding_saves(const struct report_case *c, const struct finding *f)
{
	return f->saves_ns >= 0 ? f->saves_ns : on_window(c, f, f->give_back_ns);
}

static bool is_enough(const struct report_case *c, int64_t ns)
{
	const struct time_parts *w = breakdown_window(c->breakdown);
	return c->breakdown->lack == LACK_DEVICE ||
		(double)ns >= ADVICE_LEAST * (double)(w->end_ns - w->start_ns);
}

bool finding_describes(const struct report_case *c, const struct finding *f)
{
	return f->rule->page == PAGE_DESCRIBES ||
		(f->rule->page == PAGE_ADVISES && !f->saves_ns && !is_covered(c, f) &&
			is_enough(c, on_window(c, f, f->own_ns)));
}

bool finding_is_worth(const struct report_case *c, const struct finding *f)
{
	return f->rule->page == PAGE_ADVISES && !is_covered(c, f) &&
		is_enough(c, finding_saves(c, f));
}
