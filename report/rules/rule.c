/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/rule.h"

#include "base/config.h"
#include "base/min_max.h"
#include "base/two_threads.h"
#include "report/analyse/profiler_cost.h"
#include "report/replay/replay.h"
#include "report/rules/advice.h"
#include "report/rules/facts.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define RULE_TABLE_AT(rows) &rows,
static const struct rule_list *const lists[] = {RULE_TABLES(RULE_TABLE_AT)};

enum { LISTS = sizeof lists / sizeof *lists };

int rule_count(void)
{
	int n = 0;
	for (int i = 0; i < LISTS; i++)
		n += lists[i]->n;
	return n;
}

int rule_findings(void)
{
	int n = 0;
	for (int i = 0; i < LISTS && lists[i]->row->kind == RULE_FINDING; i++)
		n += lists[i]->n;
	return n;
}

const struct rule *rule_at(int i)
{
	for (int k = 0; k < LISTS; k++) {
		if (i < lists[k]->n)
			return &lists[k]->row[i];
		i -= lists[k]->n;
	}
	bug("there are %d rules", rule_count());
}

const struct rule *rule_find(const char *id)
{
	for (int i = 0; i < rule_count(); i++)
		if (!strcmp(rule_at(i)->id, id) ||
			(rule_at(i)->label && !strcmp(rule_at(i)->label, id)))
			return rule_at(i);
	return NULL;
}

const char *rule_label(const struct rule *d)
{
	return d->label ? d->label : d->id;
}

bool rule_repeats(const struct rule *d, const char *id)
{
	for (int i = 0; d->repeats[i]; i++)
		if (!strcmp(d->repeats[i], id))
			return true;
	return false;
}

static const cJSON *entry_of(const cJSON *words, const char *list, const char *id)
{
	const cJSON *e;
	cJSON_ArrayForEach(e, config_find(words, list))
	{
		if (!strcmp(config_words(e, "id"), id))
			return e;
	}
	return NULL;
}

const cJSON *finding_words(const cJSON *words, const char *id)
{
	return entry_of(words, "findings", id);
}

const cJSON *rule_words(const cJSON *words, const struct rule *d)
{
	static const char *const in[] = {"findings", "actions", "leave"};
	return entry_of(words, in[d->kind], d->id);
}

/* ---- words ---- */

NAMES(rule_kind_name, enum rule_kind, "finding", "action", "leave");

NAMES(finding_state_name, enum finding_state, "fired", "not fired", "not applicable");

NAMES(finding_unit_name, enum finding_unit, UNIT_LIST(KIND_NAME));

NAMES(finding_reason_name, enum finding_reason, REASON_LIST(KIND_NAME));

NAMES(gain_source_name, enum gain_source, GAIN_LIST(KIND_NAME));

/* ---- what a detector says ---- */

int rule_threshold(const struct rule *d, const char *name, size_t length)
{
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
		if (strlen(d->threshold[i].name) == length &&
			!strncmp(d->threshold[i].name, name, length))
			return i;
	return -1;
}

static int value_index(const struct rule *d, const char *name)
{
	for (int i = 0; i < RULE_VALUES && d->value[i].name; i++)
		if (!strcmp(d->value[i].name, name))
			return i;
	return -1;
}

double limit(const struct finding *f, const char *threshold)
{
	const struct rule *d = f->rule;
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
		if (!strcmp(d->threshold[i].name, threshold))
			return f->threshold[i];
	bug("detector %s has no threshold \"%s\"", d->id, threshold);
}

static struct finding_value *value_for(struct finding *f, const char *name, bool text)
{
	int i = value_index(f->rule, name);
	if (i < 0 || (f->rule->value[i].unit == UNIT_TEXT) != text)
		bug("detector %s has no value \"%s\" of that kind", f->rule->id, name);
	return &f->value[i];
}

void tell(struct finding *f, const char *value, double number)
{
	if (!isfinite(number))
		bug("detector %s: \"%s\" is not a number", f->rule->id, value);
	*value_for(f, value, false) = (struct finding_value){.known = true, .number = number};
}

void tell_all(struct finding *f, const struct told *told)
{
	for (; told->value; told++)
		tell(f, told->value, told->number);
}

void tell_text(struct finding *f, const char *value, const char *text)
{
	*value_for(f, value, true) = (struct finding_value){.known = true, .text = text};
}

void tell_name(struct finding *f, const char *value, const struct trace *t, uint32_t row)
{
	if (row != NO_ROW)
		tell_text(f, value, trace_row_name(t, row));
}

double finding_number(const struct finding *f, const char *name)
{
	return value_for((struct finding *)f, name, false)->number;
}

const struct finding *findings_find(const struct findings *f, const char *id)
{
	for (int i = 0; f && i < f->n; i++)
		if (!strcmp(f->finding[i].rule->id, id))
			return &f->finding[i];
	return NULL;
}

const struct finding_value *finding_value(const struct finding *f, const char *name)
{
	int i = value_index(f->rule, name);
	return i < 0 ? NULL : &f->value[i];
}

/* ---- evidence: the most telling row first ---- */

/* How many of n weights, the largest first, are no less than one. */
static int place_of(const int64_t *weight, int n, int64_t one)
{
	int at = 0;
	for (int step = FINDING_EVIDENCE; step; step /= 2)
		at += at + step <= n && weight[at + step - 1] >= one ? step : 0;
	return at;
}

/* Room for all that a finding keeps, once there is something: most of them have nothing to show. */
static void *room_of(const struct finding *f, void *array, int n, size_t size)
{
	return array ? array : arena_array(f->arena, (size_t)n, size);
}

static void keep(uint32_t *row, int64_t *weight, int *n, uint32_t new_row, int64_t new_weight)
{
	int at = place_of(weight, *n, new_weight);
	while (at && weight[at - 1] == new_weight && row[at - 1] > new_row)
		at--;
	if (at == FINDING_EVIDENCE)
		return;
	*n += *n < FINDING_EVIDENCE;
	size_t behind = (size_t)(*n - 1 - at);
	memmove(&row[at + 1], &row[at], behind * sizeof *row);
	memmove(&weight[at + 1], &weight[at], behind * sizeof *weight);
	row[at] = new_row;
	weight[at] = new_weight;
}

void show_kept(struct finding *f, uint32_t row, int64_t weight)
{
	f->evidence = room_of(f, f->evidence, FINDING_EVIDENCE, sizeof *f->evidence);
	f->weight = room_of(f, f->weight, FINDING_EVIDENCE, sizeof *f->weight);
	keep(f->evidence, f->weight, &f->n_evidence, row, weight);
}

void show_as(struct finding *f, const struct finding *other)
{
	for (int i = 0; i < other->n_evidence; i++)
		show_kept(f, other->evidence[i], other->weight[i]);
	f->n_events = other->n_events;
}

void show_gap_kept(struct finding *f, int64_t start_ns, int64_t end_ns, uint32_t beside)
{
	int at = f->n_gaps < FINDING_GAPS ? f->n_gaps++ : FINDING_GAPS;
	f->gap = room_of(f, f->gap, FINDING_GAPS, sizeof *f->gap);
	struct finding_gap *g = f->gap;
	for (; at && g[at - 1].end_ns - g[at - 1].start_ns < end_ns - start_ns; at--)
		if (at < FINDING_GAPS)
			g[at] = g[at - 1];
	if (at < FINDING_GAPS)
		g[at] = (struct finding_gap){start_ns, end_ns, beside};
}

void show_base(struct finding *f, uint32_t row, int64_t weight)
{
	if (row == NO_ROW)
		return;
	f->n_base_events++;
	f->base_evidence = room_of(f, f->base_evidence, FINDING_EVIDENCE, sizeof *f->evidence);
	f->base_weight = room_of(f, f->base_weight, FINDING_EVIDENCE, sizeof *f->weight);
	keep(f->base_evidence, f->base_weight, &f->n_base_evidence, row, weight);
}

bool weigh(struct finding *f, struct weighed_sum *all, uint32_t row, double counts, double weight)
{
	all->n++;
	all->counts += counts;
	show(f, row, (int64_t)weight);
	if (weight <= all->most)
		return false;
	all->most = weight;
	return true;
}

enum finding_state weigh_end(struct finding *f, const struct weighed_sum *all, const char *n)
{
	TELL(f, {"kernels", all->known}, {n, all->n}, {"share", share_of(all->counts, all->time)});
	return fired_if(all->n > 0 && all->counts >= limit(f, "share") * all->time);
}

/* ---- running them ---- */

void begin_finding(struct finding *f, const struct rule *d, const struct rule_settings *settings)
{
	f->rule = d;
	f->variant = "";
	f->saves_ns = -1;
	f->gain = d->kind == RULE_FINDING ? d->gain : GAIN_WINDOW;
	for (int i = 0; i < RULE_THRESHOLDS && d->threshold[i].name; i++)
		f->threshold[i] = rule_threshold_used(settings, d, i);
}

static int64_t ceiling_of(enum gain_source source, const struct analysis *a)
{
	switch (source) {
	case GAIN_IDLE:
		return a->window.idle_ns;
	case GAIN_BUSY:
		return a->busy[BUSY_DEVICE].busy_ns;
	case GAIN_CPU:
		return a->profiler_table.self_cpu_ns;
	case GAIN_START:
		return a->n_steps ? a->steps[0].dur_ns : 0;
	case GAIN_WINDOW:
	case GAIN_NOTHING:
	case GAIN_SOURCES:
		break;
	}
	return 0;
}

static void end_finding(struct finding *f, const struct analysis *a)
{
	f->ceiling_ns = ceiling_of(f->gain, a);
	if (f->state != FINDING_FIRED || f->give_back_ns < 0)
		f->give_back_ns = 0;
	if (f->give_back_ns > f->ceiling_ns)
		f->give_back_ns = f->ceiling_ns;
}

static void rank(struct findings *all, struct arena *arena)
{
	all->ranked = arena_array(arena, (size_t)all->n, sizeof *all->ranked);
	for (int i = 0; i < all->n; i++) {
		const struct finding *f = &all->finding[i];
		int at = all->n_fired;
		if (f->state != FINDING_FIRED)
			continue;
		while (at && all->finding[all->ranked[at - 1]].give_back_ns < f->give_back_ns)
			at--;
		memmove(&all->ranked[at + 1], &all->ranked[at],
			(size_t)(all->n_fired - at) * sizeof *all->ranked);
		all->ranked[at] = i;
		all->n_fired++;
	}
}

/* Findings know nothing of each other, so whoever is free takes the next; what to do comes first,
 * as it takes longest. */
struct detecting {
	const struct rule_settings *settings;
	struct advice *advice; /* NULL: not asked for */
	const struct facts *base, *seen;
	struct findings *all;
	atomic_int *next;
	struct arena arena;
};

static void run_detectors(void *detecting)
{
	struct detecting *w = detecting;
	for (int i; (i = atomic_fetch_add(w->next, 1)) <= w->all->n;) {
		if (!i) {
			if (w->advice)
				*w->advice = advice_of(&w->arena, w->seen, w->settings);
			continue;
		}
		struct finding *f = &w->all->finding[i - 1];
		f->arena = &w->arena;
		if (w->seen->t->ends_early || (w->base && w->base->t->ends_early))
			f->state = not_applicable(f, REASON_CUT);
		else
			f->state = w->base ? f->rule->two(w->base, w->seen, f)
					   : f->rule->one(w->seen, f);
		end_finding(f, w->seen->a);
	}
}

/* ---- one measure for a finding and an action ---- */

/* In the window of the advice: what the actions save that the row repeats; -1: there is none. */
static int64_t repeated_ns(const struct rule *d, const struct advice *x)
{
	int64_t ns = -1;
	for (int i = 0; i < x->n; i++)
		if (rule_repeats(d, x->action[i].rule->id))
			ns = max64(ns, 0) + x->action[i].give_back_ns;
	return min64(ns, x->window_ns);
}

static bool is_given(const struct advice *x, const char *id)
{
	for (int i = 0; i < x->n; i++)
		if (!strcmp(x->action[i].rule->id, id))
			return true;
	return false;
}

static void agree(struct finding *f, const struct advice *x)
{
	const struct rule *d = f->rule;
	int64_t ns = repeated_ns(d, x);
	if (!d->action || f->state == FINDING_NOT_APPLICABLE || x->window_ns <= 0 || x->cpu)
		return;
	if (!d->own_rule && f->state == FINDING_NOT_FIRED && is_given(x, d->action)) {
		f->state = FINDING_FIRED;
		f->reason = REASON_ADVISED;
	}
	if (f->state != FINDING_FIRED || (ns < 0 && d->own_rule))
		return;
	f->saves_ns = max64(ns, 0);
	f->own_ns = f->give_back_ns;
	double times = (double)x->whole_ns / (double)x->window_ns;
	double whole = (double)f->saves_ns * times, most = (double)f->ceiling_ns;
	f->give_back_ns = (int64_t)fmin(whole, most);
}

static struct findings detect(struct arena *arena, const struct facts *base,
	const struct facts *seen, bool ask, const struct rule_settings *settings)
{
	struct findings all = {.trace = seen->t, .base = base ? base->t : NULL};
	struct advice *advice = ask ? arena_alloc(arena, sizeof *advice) : NULL;
	atomic_int next = 0;
	all.finding = arena_array(arena, (size_t)rule_findings(), sizeof *all.finding);
	for (int i = 0; i < rule_findings(); i++)
		if (!base == !rule_at(i)->two)
			begin_finding(&all.finding[all.n++], rule_at(i), settings);
	struct arena scratch = {0};
	struct facts other = facts_beside(&scratch, seen);
	struct facts other_base = base ? facts_beside(&scratch, base) : (struct facts){0};
	struct detecting here = {settings, advice, base, seen, &all, &next, {0}};
	struct detecting there = {
		settings, advice, base ? &other_base : NULL, &other, &all, &next, {0}};
	both(seen->t->n >= BOTH_FROM, run_detectors, &here, run_detectors, &there);
	arena_adopt(arena, &here.arena);
	arena_adopt(arena, &there.arena);
	arena_release(&scratch);
	for (int i = 0; i < all.n; i++) {
		all.finding[i].arena = arena;
		if (advice)
			agree(&all.finding[i], advice);
	}
	all.advice = advice;
	rank(&all, arena);
	return all;
}

/* Of so many rows one is worked out behind the other: both at once take 6 MB more of a gigabyte. */
enum { ONE_FROM = 1000000 };

/* What the rules look at, and what the advice is priced with: neither asks the other. */
struct preparing {
	struct arena scratch;
	const struct rules_in *in;
	struct facts facts;
	struct replay *replay;
	int64_t recording_ns;
};

static void prepare_facts(void *preparing)
{
	struct preparing *x = preparing;
	x->facts = facts_of(&x->scratch, x->in);
}

static void prepare_replay(void *preparing)
{
	struct preparing *x = preparing;
	const struct breakdown *p = x->in->breakdown;
	const struct analysis *a = x->in->analysis;
	if (!p || p->lack == LACK_DEVICE || p->headline == HEADLINE_NONE)
		return;
	x->recording_ns = profiler_cost_operator_ns(a->trace);
	x->replay = replay_of(&x->scratch, a, p, x->recording_ns);
}

struct findings rules_all(
	struct arena *arena, const struct rules_in *in, const struct rule_settings *settings)
{
	struct preparing look = {.in = in}, replay = look;
	size_t n = in->analysis->trace->n;
	both(n >= BOTH_FROM && n < ONE_FROM, prepare_facts, &look, prepare_replay, &replay);
	look.facts.replay = replay.replay;
	look.facts.recording_ns = replay.recording_ns;
	struct findings all = detect(arena, NULL, &look.facts, in->breakdown, settings);
	facts_release(&look.facts);
	arena_release(&look.scratch);
	arena_release(&replay.scratch);
	return all;
}

struct facts *rules_side(const struct rules_in *in)
{
	struct arena *scratch = xcalloc(1, sizeof *scratch);
	struct facts *side = arena_alloc(scratch, sizeof *side);
	*side = facts_of(scratch, in);
	look_at_pair_side(side);
	return side;
}

void rules_side_free(struct facts *side)
{
	if (!side)
		return;
	struct arena *scratch = side->scratch;
	facts_release(side);
	arena_release(scratch);
	free(scratch);
}

struct findings rules_pair(struct arena *arena, const struct facts *base, const struct facts *seen,
	const struct rule_settings *settings)
{
	struct arena scratch = {0};
	struct facts before = facts_beside(&scratch, base), after = facts_beside(&scratch, seen);
	struct findings all = detect(arena, &before, &after, false, settings);
	arena_release(&scratch);
	return all;
}
