/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/parts.h"

#include "base/format.h"
#include "report/name/shorten.h"

#include <string.h>

const char *verdict_where(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v)
{
	const char *step =
		v->step != NO_ROW ? format_count(a, c->analysis->steps[v->step].number) : "";
	if (v->state != VERDICT_BROKEN || (!verdict_differs(v) && !*step))
		return "";
	if (!verdict_differs(v))
		return say(t, a, "verdict.at.only", "step", step, NULL);
	const char *more = say(t, a, "verdict.nothing", NULL);
	const char *wanted = v->wanted ? brief_name(a, v->wanted) : more;
	const char *saw = v->saw ? brief_name(a, v->saw) : more;
	if (v->wanted && v->saw && !strcmp(wanted, saw)) { /* what differs was left out */
		wanted = tidy_name(a, v->wanted);
		saw = tidy_name(a, v->saw);
	}
	const char *place = v->element != NO_ROW ? format_count(a, (int64_t)v->element + 1) : "";
	const char *key = !*place ? "verdict.at.step"
		: *step		  ? "verdict.at.step.place"
				  : "verdict.at.place";
	return say(t, a, key, "step", step, "place", place, "wanted", wanted, "saw", saw, NULL);
}

const char *verdict_brief(struct arena *a, const char *text)
{
	enum { LONGEST = 120 };
	size_t n = LONGEST;
	if (strlen(text) <= n)
		return text;
	while (n && (text[n] & 0xc0) == 0x80)
		n--;
	return arena_printf(a, "%.*s\xe2\x80\xa6", (int)n, text);
}

const char *verdict_event(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v)
{
	if (v->state != VERDICT_BROKEN || v->at == NO_ROW)
		return "";
	const struct trace *trace = &c->trace;
	uint32_t call =
		event_on_device(trace->kind[v->at]) ? analysis_launch_of(trace, v->at) : NO_ROW;
	uint32_t op = call != NO_ROW ? analysis_op_of(trace, call) : NO_ROW;
	const char *name = brief_name(a, trace_row_name(trace, v->at));
	const char *start = format_time(a, (double)trace->start_ns[v->at]);
	const char *time = format_time(a, (double)trace->dur_ns[v->at]);
	if (op == NO_ROW)
		return say(t, a, "verdict.event", "name", name, "start", start, "time", time, NULL);
	return say(t, a, "verdict.event.op", "name", name, "start", start, "time", time, "op",
		trace_row_name(trace, op), NULL);
}

const char *verdict_hint(struct arena *a, const struct texts *t, const struct verdict *v)
{
	char key[96];
	if (v->state != VERDICT_BROKEN)
		return "";
	snprintf(key, sizeof key, "look.%s.same", v->key);
	if (verdict_differs(v) || !texts_find(t, key)[0])
		snprintf(key, sizeof key, "look.%s", v->key);
	return say(t, a, key, NULL);
}
