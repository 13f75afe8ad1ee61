/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings a reader of a few pages needs, and what each of them saves. */
#include "report/section/parts.h"

#include <string.h>

static bool is_one_of(const char *id, const char *const *ids)
{
	for (; *ids; ids++)
		if (!strcmp(id, *ids))
			return true;
	return false;
}

bool finding_describes(const struct finding *f)
{
	static const char *const ids[] = {"T3", "T4", "T5", "C1", "C2", "C5", "G1", "G2", "G3",
		"K1", "K4", "X1", "X11", "K2", "GRAPH", "SKEWED", "TAIL", "LAUNCH-OUTLIER", NULL};
	return is_one_of(f->detector->id, ids);
}

/* What the page says elsewhere, by the headline with its bar and the table of the trace's health,
 * and what is true of most traces. The atlas has it. */
static bool is_left_to_atlas(const struct finding *f)
{
	static const char *const ids[] = {"T1", "T2", "UTIL-LOW", "LAUNCH-BOUND", "HEALTH-UNLINKED",
		"HEALTH-OVERLAP", "ZERO-TS", "C3", "C3'", "C4", "D1", "D2", "D3", "D4", "K3", "X2",
		"X10", NULL};
	return is_one_of(f->detector->id, ids);
}

/* Actions that say the same, and what to do about it. */
static const struct {
	const char *id;
	const char *actions[10]; /* NULL ends the list */
	bool half; /* where they save half of what it would, together */
} covers[] = {
	{"IDLE-HOST",
		{"graphs", "batch", "loops", "elsewhere", "first-calls", "input", "small-copies",
			"allocator", "sync"},
		true},
	{"SYNC", {"sync", "tuning", "small-copies", "pinned", "allocator"}, true},
	{"COMM", {"overlap-communication", "buckets"}, false},
	{"DATALOADER", {"input"}, false},
	{"MEMCPY-PAGEABLE", {"pinned", "small-copies"}, false},
	{"X8", {"pinned", "small-copies"}, false},
	{"X3", {"pad"}, false},
	{"X9", {"precision", "pad"}, false},
	{"TC-UNUSED", {"precision"}, false},
	{"BANDWIDTH", {"fusion", "attention", "rewrites"}, false},
	{"C6", {"rewrites"}, false},
	{"G5", {"rewrites"}, false},
};

/* A program that captures graphs launches nothing meanwhile that could be late. */
static bool is_covered(const struct report_case *c, const struct finding *f)
{
	const struct advice *x = c->advice;
	int64_t saves = 0;
	bool half = false, any = false;
	if (x->captures && !strcmp(f->detector->id, "IDLE-HOST"))
		return true;
	for (size_t i = 0; i < sizeof covers / sizeof *covers; i++)
		for (int k = 0; !strcmp(covers[i].id, f->detector->id) && k < x->n; k++) {
			if (!is_one_of(x->action[k].id, covers[i].actions))
				continue;
			any = true;
			half = covers[i].half;
			saves += x->action[k].gain_ns;
		}
	return any && (!half || 2 * saves >= finding_saves(c, f));
}

bool finding_repeats(const struct finding *f, const struct findings *all)
{
	const struct finding *hidden = findings_find(all, "C6");
	return !strcmp(f->detector->id, "G5") && hidden && hidden->state == FINDING_FIRED;
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
	return !finding_describes(f) && !is_left_to_atlas(f) && !is_covered(c, f) &&
		(double)finding_saves(c, f) >= ADVICE_LEAST * (double)(w->end_ns - w->start_ns);
}
