/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/compare.h"
#include "report/judge/judge.h"

#include <string.h>

static bool fired(const struct report_case *c, int i)
{
	return i < c->findings.n && c->findings.finding[i].state == FINDING_FIRED;
}

/* In more than half of the recordings. */
static bool fired_mostly(const struct pair_side *s, int i)
{
	int n = 0;
	for (int k = 0; k < s->n; k++)
		n += fired(s->recording[k], i);
	return 2 * n > s->n;
}

static bool fired_never(const struct pair_side *s, int i)
{
	for (int k = 0; k < s->n; k++)
		if (fired(s->recording[k], i))
			return false;
	return true;
}

static void list_findings(struct arena *a, const struct pair_side *with,
	const struct pair_side *without, const struct rule ***list, int *n)
{
	const struct findings *f = &with->recording[0]->findings;
	*list = arena_array(a, (size_t)f->n + 1, sizeof **list);
	*n = 0;
	for (int i = 0; i < f->n; i++)
		if (fired_mostly(with, i) && fired_never(without, i))
			(*list)[(*n)++] = f->finding[i].rule;
}

static const char *text_or_none(const char *text)
{
	return text ? text : "";
}

static bool kept_before(const struct verdicts *all, const struct verdict *now)
{
	for (int i = 0; i < all->n; i++) {
		const struct verdict *v = &all->verdict[i];
		if (!strcmp(v->key, now->key) && !strcmp(v->expected, now->expected) &&
			!strcmp(text_or_none(v->other), text_or_none(now->other)))
			return v->state == VERDICT_KEPT;
	}
	return false;
}

void set_changes(struct arena *a, struct pair *p)
{
	const struct verdicts *before = p->before.recording[0]->verdicts,
			      *after = p->after.recording[0]->verdicts;
	list_findings(a, &p->after, &p->before, &p->came, &p->n_came);
	list_findings(a, &p->before, &p->after, &p->went, &p->n_went);
	p->broke = arena_array(a, (size_t)after->n + 1, sizeof *p->broke);
	for (int i = 0; i < after->n; i++)
		if (after->verdict[i].state == VERDICT_BROKEN &&
			kept_before(before, &after->verdict[i]))
			p->broke[p->n_broke++] = &after->verdict[i];
}

const struct report_case *comparison_lacks(const struct comparison *all)
{
	for (int i = 0; i < all->n; i++) {
		const struct pair *p = &all->pair[i];
		if (p->identical || p->step.ratio > 0 || p->cpu.ratio > 0 || p->device.ratio > 0)
			return NULL;
	}
	const struct pair *first = all->n ? &all->pair[0] : NULL;
	const struct pair_side *side = !first ? NULL
		: first->step.before_ns	      ? &first->after
					      : &first->before;
	return side ? side->recording[side->main] : NULL;
}

/* A part decides where the step does not. */
static bool tells_by_part(const struct pair *p)
{
	enum change change = pair_change(p);
	return change == CHANGE_FASTER || change == CHANGE_SLOWER;
}

bool pair_is_unrelated(const struct pair *p)
{
	bool before = false, after = false;
	for (size_t i = 0; i < p->n_kernels; i++) {
		const struct compared_kernel *k = &p->kernel[i];
		if (k->fate != FATE_GONE && k->fate != FATE_NEW)
			return false;
		before |= k->fate == FATE_GONE;
		after |= k->fate == FATE_NEW;
	}
	return before && after;
}

const char *pair_doubt(const struct pair *p)
{
	if (p->step.change != CHANGE_INCONCLUSIVE || tells_by_part(p))
		return NULL;
	return pair_is_unlike(p)					       ? "steps"
		: p->contradicted					       ? "recorder"
		: p->paced						       ? "pace"
		: ratio_tells(&p->device) && !pair_device_arrives(p)	       ? "hidden"
		: p->device.change == CHANGE_FASTER && pair_has_slower_part(p) ? "parts"
		: !(p->step.level > 0)					       ? "few"
		: p->unsteady						       ? "kernel"
									       : "noise";
}
