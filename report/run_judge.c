#include "report/run.h"

#include "report/expectations.h"

#include <string.h>

/* Who is judged, and in which company. */
struct bench {
	struct input *in;
	const struct report_case *of;
};

/* Two cases that were asked to be alike, but ran at different sizes because one was made smaller.
 */
static bool sizes_parted(const cJSON *a, const cJSON *b)
{
	const cJSON *ran_a = config_find(a, "shape"), *ran_b = config_find(b, "shape");
	const cJSON *asked_a = config_find(a, "asked"), *asked_b = config_find(b, "asked");
	bool asked_alike =
		cJSON_Compare(asked_a ? asked_a : ran_a, asked_b ? asked_b : ran_b, true);
	return asked_alike && !cJSON_Compare(ran_a, ran_b, true);
}

/* By id in the run of its own, then by file name anywhere; NULL when it cannot be compared with. */
static const struct report_case *partner(const struct bench *b, const char *id)
{
	const struct run *own = b->of->run;
	const struct report_case *c = NULL;
	for (int i = 0; i < own->n_cases && !c; i++)
		c = !strcmp(own->cases[i].id, id) ? &own->cases[i] : NULL;
	c = c ? c : input_find_trace(b->in, id);
	if (!c || !c->readable)
		return NULL;
	return c->entry && b->of->entry && sizes_parted(b->of->entry, c->entry) ? NULL : c;
}

static bool find_case(void *context, const char *id, struct judged *other)
{
	const struct report_case *c = partner(context, id);
	if (c)
		*other = (struct judged){c->analysis, c->whole};
	return c != NULL;
}

static const struct findings *compare(struct arena *a, const struct detect_settings *settings,
	const struct report_case *base, const struct report_case *seen)
{
	const struct report_case *both[2] = {base, seen};
	struct detect_in side[2];
	for (int i = 0; i < 2; i++)
		side[i] = (struct detect_in){both[i]->analysis, both[i]->health, both[i]->ledger,
			both[i]->streams, both[i]->counted};
	struct findings *found = arena_alloc(a, sizeof *found);
	*found = detect_pair(a, &side[0], &side[1], settings);
	return found;
}

static const struct findings *findings_of(void *context, const char *base_id)
{
	const struct bench *b = context;
	if (!base_id)
		return &b->of->findings;
	const struct report_case *base = partner(b, base_id);
	return base ? compare(&b->in->arena, b->in->settings, base, b->of) : NULL;
}

struct verdicts case_judge(
	struct input *in, const struct report_case *c, const cJSON *expect, bool whole)
{
	struct bench bench = {in, c};
	const struct judge_sources sources = {&bench, find_case, findings_of};
	return judge(&in->arena, expect, &(struct judged){c->analysis, whole}, &sources);
}

const cJSON *case_expects(const struct report_case *c)
{
	return c->expect ? c->expect : config_find(c->entry, "expect");
}

const struct report_case *case_partner(
	struct input *in, const struct report_case *c, const char *id)
{
	const struct bench bench = {in, c};
	return partner(&bench, id);
}

const struct findings *case_compare(
	struct arena *a, struct input *in, const struct report_case *c, const char *id)
{
	const struct report_case *base = case_partner(in, c, id);
	return base ? compare(a, in->settings, base, c) : NULL;
}

void input_judge(struct input *in)
{
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++)
			in->runs[r].cases[i].run = &in->runs[r];
	for (int r = 0; r < in->n_runs; r++) {
		for (int i = 0; i < in->runs[r].n_cases; i++) {
			struct report_case *c = &in->runs[r].cases[i];
			if (c->readable)
				c->verdicts = case_judge(in, c, case_expects(c), c->whole);
		}
	}
}
