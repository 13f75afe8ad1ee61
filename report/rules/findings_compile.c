/* SPDX-License-Identifier: Apache-2.0 */
/* K1 to K4: rows of compiled code. */
#include "report/rules/facts.h"

#include <stdlib.h>
#include <string.h>

static enum compile_row compile_kind(const struct facts *x, size_t i, const char **key, int *length)
{
	return compile_row_of(row_name(x, x->compiled.row[i]), key, length);
}

/* ---- K1 ---- */

static enum finding_state compiled_region(const struct facts *x, struct finding *f)
{
	const struct compile_facts *c = &x->a->compile;
	if (!x->compiled.n)
		return not_applicable(f, REASON_NO_COMPILE);
	for (size_t i = 0; i < x->compiled.n; i++) {
		const char *key;
		int length;
		if (compile_kind(x, i, &key, &length) != COMPILE_REGION)
			continue;
		/* "0/1": compiled again; those are the ones to look at. */
		const char *slash = memchr(key, '/', (size_t)length);
		bool again = slash && slash[1] != '0';
		show(f, x->compiled.row[i],
			(again ? INT64_MAX / 2 : 0) + x->t->dur_ns[x->compiled.row[i]]);
	}
	TELL(f, {"regions", c->regions}, {"frames", c->frames},
		{"recompiles", c->regions ? c->recompiles : 0});
	if (c->regions && c->recompiles)
		f->reason = REASON_RECOMPILED;
	return fired_if(c->regions > 0);
}

/* ---- K2 ---- */

static enum finding_state lookup_each_step(const struct facts *x, struct finding *f)
{
	const struct analysis *a = x->a;
	const struct trace *t = x->t;
	uint8_t *in_step = xcalloc(a->n_steps, 1);
	int64_t *sample = xcalloc(x->compiled.n, sizeof *sample);
	double lookups = 0, lookup_time = 0, guard_time = 0, steps_with = 0;
	size_t n = 0;
	for (size_t i = 0; i < x->compiled.n; i++) {
		uint32_t row = x->compiled.row[i], step = analysis_step_at(a, t->start_ns[row]);
		const char *key;
		int length;
		enum compile_row kind = compile_kind(x, i, &key, &length);
		if (kind == COMPILE_GUARD)
			guard_time += (double)t->dur_ns[row];
		if (kind != COMPILE_LOOKUP)
			continue;
		lookups++;
		lookup_time += (double)t->dur_ns[row];
		sample[n++] = t->dur_ns[row];
		if (step != NO_ROW)
			in_step[step] = 1;
		show(f, row, t->dur_ns[row]);
	}
	double median = n ? median_of(sample, n) : 0;
	for (uint32_t s = 0; s < a->n_steps; s++)
		steps_with += in_step[s];
	free(in_step);
	free(sample);
	if (!lookups)
		return not_applicable(f, REASON_NO_COMPILE);
	TELL(f, {"lookups", lookups}, {"median", median}, {"time", lookup_time + guard_time},
		{"each", (lookup_time + guard_time) / lookups}, {"guard_time", guard_time});
	if (a->n_steps) {
		TELL(f, {"steps", a->n_steps}, {"steps_with", steps_with});
	}
	gives_back(f, lookup_time + guard_time);
	return fired_if(a->n_steps ? steps_with == a->n_steps : lookups >= 2);
}

/* ---- K3 ---- */

static enum finding_state prologue_without_gradients(const struct facts *x, struct finding *f)
{
	double time = 0, prologues = 0;
	for (size_t i = 0; i < x->compiled.n; i++) {
		const char *key;
		int length;
		uint32_t row = x->compiled.row[i];
		if (compile_kind(x, i, &key, &length) != COMPILE_PROLOGUE)
			continue;
		prologues++;
		time += (double)x->t->dur_ns[row];
		show(f, row, x->t->dur_ns[row]);
	}
	if (!prologues)
		return not_applicable(f, REASON_NO_COMPILE);
	TELL(f, {"prologues", prologues}, {"time", time});
	gives_back(f, time);
	return fired_if(!x->backward);
}

/* ---- K4 ---- */

/* The calls of one compiled graph, which its hash tells from others. */
struct graph {
	uint32_t calls;
	uint32_t first_row, first_step; /* NO_ROW outside of steps */
};

/* Hashes that are called for the first time after the first step were compiled meanwhile. */
static enum finding_state same_graph(const struct facts *x, struct finding *f)
{
	struct names hashes;
	struct graph *graph = xcalloc(x->compiled.n + 1, sizeof *graph);
	double calls = 0, late = 0;
	names_init(&hashes);
	for (size_t i = 0; i < x->compiled.n; i++) {
		const char *key;
		int length;
		uint32_t row = x->compiled.row[i];
		if (compile_kind(x, i, &key, &length) != COMPILE_GRAPH)
			continue;
		struct graph *g = &graph[names_add(&hashes, key, (size_t)length)];
		if (!g->calls++) {
			g->first_row = row;
			g->first_step = analysis_step_at(x->a, x->t->start_ns[row]);
			if (calls && g->first_step != NO_ROW && g->first_step > 0) {
				late++;
				tell_text(f, "late_hash",
					arena_strndup(f->arena, key, (size_t)length));
			}
		}
		if (!calls++)
			tell_text(f, "hash", arena_strndup(f->arena, key, (size_t)length));
		show(f, row, g->calls == 1 ? INT64_MAX : x->t->dur_ns[row]);
	}
	double graphs = hashes.n - 1;
	names_release(&hashes);
	free(graph);
	if (!calls)
		return not_applicable(f, REASON_NO_COMPILE);
	TELL(f, {"calls", calls}, {"graphs", graphs}, {"late", late});
	if (calls <= graphs || late)
		return FINDING_NOT_FIRED;
	return fired_as(f, x->a->n_steps ? REASON_NONE : REASON_NO_STEPS);
}

static const struct rule rows[] = {
	{.id = "COMPILED-REGION",
		.label = "K1",
		.page = PAGE_DESCRIBES,
		.value = {{"regions", UNIT_COUNT}, {"frames", UNIT_COUNT},
			{"recompiles", UNIT_COUNT}},
		.one = compiled_region},
	{.id = "CACHE-LOOKUP",
		.label = "K2",
		.page = PAGE_DESCRIBES,
		.gain = GAIN_CPU,
		.value = {{"lookups", UNIT_COUNT}, {"steps", UNIT_COUNT},
			{"steps_with", UNIT_COUNT}, {"median", UNIT_NS}, {"time", UNIT_NS},
			{"each", UNIT_NS}, {"guard_time", UNIT_NS}},
		.one = lookup_each_step},
	{.id = "NEEDLESS-WRAPPER",
		.label = "K3",
		.page = PAGE_ATLAS,
		.gain = GAIN_CPU,
		.value = {{"prologues", UNIT_COUNT}, {"time", UNIT_NS}},
		.one = prologue_without_gradients},
	{.id = "SAME-GRAPH",
		.label = "K4",
		.page = PAGE_DESCRIBES,
		.value = {{"calls", UNIT_COUNT}, {"graphs", UNIT_COUNT}, {"late", UNIT_COUNT},
			{"hash", UNIT_TEXT}, {"late_hash", UNIT_TEXT}},
		.one = same_graph},
};

const struct rule_list findings_compile_rows = RULE_LIST(rows);
