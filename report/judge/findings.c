/* SPDX-License-Identifier: Apache-2.0 */
#include "report/judge/parts.h"

#include "base/config.h"

#include <string.h>

/* One detector of a list, and what it said. */
struct asked {
	const char *id, *base; /* base: NULL where it looks at one trace */
	const struct finding *finding;
	enum open_reason reason; /* OPEN_NOT when it fired or did not */
};

static struct asked ask(struct judging *c, const cJSON *one)
{
	bool pair = cJSON_IsObject(one);
	struct asked q = {.id = cJSON_GetStringValue(pair ? config_find(one, "id") : one),
		.base = cJSON_GetStringValue(config_find(pair ? one : NULL, "case")),
		.reason = OPEN_MALFORMED};
	if (!q.id || (pair && !q.base))
		return q;
	const struct rule *d = rule_find(q.id);
	if (!d || !d->two != !q.base) {
		q.reason = !d ? OPEN_NO_DETECTOR : d->two ? OPEN_ONE_TRACE : OPEN_TWO_TRACES;
		return q;
	}
	q.id = d->id;
	const struct judge_sources *s = c->sources;
	q.finding = findings_find(s->findings ? s->findings(s->context, q.base) : NULL, q.id);
	if (!q.finding)
		q.reason = q.base ? OPEN_NO_CASE : OPEN_NOT_APPLICABLE;
	else if (q.finding->state == FINDING_NOT_APPLICABLE)
		q.reason = OPEN_NOT_APPLICABLE;
	else
		q.reason = OPEN_NOT;
	return q;
}

static enum finding_state state_of(const struct asked *q)
{
	return q->finding ? q->finding->state : FINDING_NOT_APPLICABLE;
}

/* "OVERHEAD-BOUND fired": the words of the dumps, which name states as the tables do. */
static const char *said(struct judging *c, const struct asked *q)
{
	return arena_printf(c->arena, "%s %s", q->id, finding_state_name(state_of(q)));
}

static void note_broken(struct judging *c, struct verdict *v, const struct asked *q, uint32_t place,
	enum finding_state wanted)
{
	v->element = place;
	v->wanted = arena_printf(c->arena, "%s %s", q->id, finding_state_name(wanted));
	v->saw = said(c, q);
	v->other = q->base;
	if (q->finding->state == FINDING_FIRED)
		set_evidence(c, v, q->finding->evidence, (uint32_t)q->finding->n_evidence);
}

/* One that answered otherwise breaks it; else one that did not answer leaves it open. */
static void judge_detectors(
	struct judging *c, struct verdict *v, const cJSON *wanted, enum finding_state state)
{
	struct list expected = {"", 0}, observed = {"", 0};
	struct asked_finding *asked;
	enum open_reason reason = OPEN_NOT;
	uint32_t place = 0;
	const cJSON *one;
	if (!cJSON_IsArray(wanted))
		return leave_open(v, OPEN_MALFORMED);
	asked = arena_array(c->arena, (size_t)cJSON_GetArraySize(wanted), sizeof *asked);
	v->asked = asked;
	cJSON_ArrayForEach(one, wanted)
	{
		struct asked q = ask(c, one);
		reason = reason ? reason : q.reason;
		list_add(&expected, q.id ? q.id : judge_nothing);
		asked[v->n_asked++] =
			(struct asked_finding){q.id ? q.id : judge_nothing, state_of(&q)};
		if (q.id)
			list_add(&observed, said(c, &q));
		if (!q.reason && q.finding->state != state && v->element == NO_ROW)
			note_broken(c, v, &q, place, state);
		place++;
	}
	v->expected = list_text(c, &expected);
	v->observed = list_text(c, &observed);
	if (v->element == NO_ROW && reason)
		return leave_open(v, reason);
	decide(v, v->element == NO_ROW);
}

void judge_must_fire(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_detectors(c, v, wanted, FINDING_FIRED);
}

void judge_must_not_fire(struct judging *c, struct verdict *v, const cJSON *wanted)
{
	judge_detectors(c, v, wanted, FINDING_NOT_FIRED);
}
