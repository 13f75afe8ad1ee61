/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/run.h"

#include "base/config.h"
#include "report/judge/judge.h"
#include "report/run/expectations.h"
#include "report/run/guess.h"
#include "report/run/manifest.h"
#include "report/run/same_work.h"

#include <string.h>

/* Who is judged, and in which company. */
struct judged_case {
	struct input *in;
	const struct report_case *of;
};

/* Two cases that were asked to be alike, but ran at different sizes because one was made smaller.
 */
static bool sizes_parted(const struct case_work *a, const struct case_work *b)
{
	return a->asked_dtype == b->asked_dtype &&
		same_sizes(
			a->asked.n ? &a->asked : &a->shape, b->asked.n ? &b->asked : &b->shape) &&
		!same_sizes(&a->shape, &b->shape);
}

/* By id in the run of its own, then by file name anywhere; NULL when it cannot be compared with. */
static const struct report_case *partner(const struct judged_case *b, const char *id)
{
	const struct report_case *c = run_find(b->of->run, id);
	c = c ? c : input_find_trace(b->in, id);
	if (!c || !c->readable || c->trace.ends_early)
		return NULL;
	return c->work && b->of->work && sizes_parted(b->of->work, c->work) ? NULL : c;
}

static struct judged judged_of(struct arena *a, const struct report_case *c, bool whole)
{
	const struct analysis **repeat = arena_array(a, (size_t)c->n_repeats, sizeof *repeat);
	for (int i = 0; i < c->n_repeats; i++)
		repeat[i] = c->repeat[i].analysis;
	struct judged j = {.analysis = c->analysis,
		.whole = whole,
		.repeat = repeat,
		.n_repeats = c->n_repeats,
		.work = c->same_work,
		.known = whole == c->whole ? c->known : NULL};
	if (c->same_work && !whole) {
		j.same = c->run->works[c->same_work].recording;
		j.n_same = c->run->works[c->same_work].n;
	}
	if (c->work && !whole) {
		j.apart_cpu = c->run->apart_cpu;
		j.apart_device = c->run->apart_device;
	}
	return j;
}

struct sure_ratio case_ratio(struct arena *a, const struct report_case *mine,
	const struct report_case *others, bool device)
{
	const struct judged one = judged_of(a, mine, mine->whole);
	const struct judged other = judged_of(a, others, others->whole);
	return sure_ratio_of(a, &one, mine == others ? &one : &other, device);
}

static bool find_case(void *context, const char *id, struct judged *other)
{
	const struct report_case *c = partner(context, id);
	if (c)
		*other = judged_of(&((const struct judged_case *)context)->in->arena, c, c->whole);
	return c != NULL;
}

static const struct facts *side_of(const struct report_case *c)
{
	const struct rules_in in = {
		c->analysis, c->health, c->idle_causes, c->streams, c->counted, NULL, NULL};
	if (!c->known->side)
		c->known->side = rules_side(&in);
	return c->known->side;
}

static struct findings compare(
	struct input *in, const struct report_case *base, const struct report_case *seen)
{
	return rules_pair(&in->arena, side_of(base), side_of(seen), in->settings);
}

static const struct compared_case *find_compared(const struct report_case *c, const char *id)
{
	const struct compared_case *one = c->compared;
	while (one && strcmp(one->id, id) != 0)
		one = one->next;
	return one;
}

static const struct findings *findings_of(void *context, const char *base_id)
{
	const struct judged_case *b = context;
	if (!base_id)
		return &b->of->findings;
	const struct compared_case *known = find_compared(b->of, base_id);
	const struct report_case *base = known ? NULL : partner(b, base_id);
	if (!base)
		return known ? &known->findings : NULL;
	struct findings *found = arena_alloc(&b->in->arena, sizeof *found);
	*found = compare(b->in, base, b->of);
	return found;
}

/* Each partner of a list once, behind those that are there. */
static void compare_all(struct input *in, struct report_case *c, const cJSON *list)
{
	struct compared_case **end = &c->compared;
	const cJSON *one;
	while (*end)
		end = &(*end)->next;
	cJSON_ArrayForEach(one, list)
	{
		const char *id = config_words(one, "case");
		const struct report_case *base =
			id[0] && !find_compared(c, id) ? case_partner(in, c, id) : NULL;
		if (!base)
			continue;
		struct compared_case *next = arena_alloc(&in->arena, sizeof *next);
		*next = (struct compared_case){
			.base = base, .id = id, .findings = compare(in, base, c)};
		*end = next;
		end = &next->next;
	}
}

static void compare_lists(struct input *in, struct report_case *c, const cJSON *expect)
{
	compare_all(in, c, config_find(expect, "must_fire"));
	compare_all(in, c, config_find(expect, "must_not_fire"));
}

/* Behind those of the sentences before; `room` is that of the list. */
static void add_verdicts(
	struct arena *a, struct verdicts *all, int *room, const struct verdicts *more, int sentence)
{
	for (int i = 0; i < more->n; i++) {
		all->verdict = arena_room(a, all->verdict, all->n, room, sizeof *all->verdict);
		all->verdict[all->n] = more->verdict[i];
		all->verdict[all->n++].sentence = sentence;
	}
}

static void judge_case(struct input *in, struct report_case *c)
{
	const cJSON *expect = case_expects(c);
	c->compared = NULL;
	for (int i = 0; i < c->n_sentences; i++)
		c->sentence[i].state = SENTENCE_UNTESTED;
	compare_lists(in, c, expect);
	struct verdicts *all = c->verdicts;
	*all = case_judge(in, c, expect, c->whole);
	int room = all->n;
	for (int i = 0; i < c->n_sentences && !c->expect; i++) {
		const struct sentence *s = &c->sentence[i];
		if (s->contrast || !s->by)
			continue;
		compare_lists(in, c, s->by);
		const struct verdicts more = case_judge(in, c, s->by, c->whole);
		add_verdicts(&in->arena, all, &room, &more, i);
	}
	guess_count(c);
}

struct verdicts case_judge(
	struct input *in, const struct report_case *c, const cJSON *expect, bool whole)
{
	struct judged_case bench = {in, c};
	const struct judge_sources sources = {&bench, find_case, findings_of};
	const struct judged seen = judged_of(&in->arena, c, whole);
	return judge(&in->arena, expect, &seen, &sources);
}

const cJSON *case_expects(const struct report_case *c)
{
	return c->expect ? c->expect : config_find(c->raw_entry, "expect");
}

const struct report_case *case_partner(
	struct input *in, const struct report_case *c, const char *id)
{
	const struct judged_case bench = {in, c};
	return partner(&bench, id);
}

void input_judge(struct input *in)
{
	for (int r = 0; r < in->n_runs; r++)
		for (int i = 0; i < in->runs[r].n_cases; i++)
			in->runs[r].cases[i].run = &in->runs[r];
	same_work_find(in);
	input_release_sides(in);
	for (struct report_case *c = NULL; (c = next_case(in, c));) {
		c->known = arena_alloc(&in->arena, sizeof *c->known);
		c->known->arena = &in->arena;
	}
	for (struct report_case *c = NULL; (c = next_case(in, c));) {
		if (c->readable)
			judge_case(in, c);
	}
	for (struct report_case *c = NULL; (c = next_case(in, c));)
		guess_follow(in, c);
	input_release_sides(in);
}

void input_release_sides(struct input *in)
{
	for (struct report_case *c = NULL; (c = next_case(in, c));) {
		if (!c->known)
			continue;
		rules_side_free(c->known->side);
		c->known->side = NULL;
	}
}
