/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge_world.h - two cases written down in a test, judged one against the other.
 */
#ifndef TESTS_UNIT_JUDGE_WORLD_H
#define TESTS_UNIT_JUDGE_WORLD_H

#include "report/judge/judge.h"
#include "tests/unit/made_trace.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST_STEPS = 4 };

/* One case: steps of 100 us, each launching the named kernels ("=" in front: a copy; "0": a fill of
 * 4 bytes, "9": of 8192; the operators say of which launches they are). */
struct one {
	struct made_trace made;
	struct analysis a;
	const char *id;
	double step_us[MOST_STEPS];
	double kernel_us;
	const char *work[MOST_STEPS][8];
	const char *region[MOST_STEPS];
	const char *call[MOST_STEPS][4]; /* further calls, 1 us each */
	double setup_us[MOST_STEPS];
};

struct world {
	struct arena arena;
	struct one cases[2];
	cJSON *expect;
	bool whole;
	const struct findings *findings, *pair;
	struct verdicts all;
	const struct verdict *v;
	int of_matrix; /* the number of its work */
	double apart; /* of the processes of its run */
};

static inline void add_step(struct one *c, int i, double at)
{
	static const char *const step[] = {
		"ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5"};
	made_add(&c->made, EVENT_ANNOTATION, step[i], at, at + c->step_us[i], 0);
	if (c->region[i])
		made_add(&c->made, EVENT_OP, c->region[i], at + 1, at + c->step_us[i] - 1, 0);
	if (c->setup_us[i] > 0)
		made_add(&c->made, EVENT_OVERHEAD, "Activity Buffer Request", at + 2,
			at + 2 + c->setup_us[i], 0);
	for (int k = 0; c->call[i][k]; k++)
		made_add(&c->made, EVENT_RUNTIME, c->call[i][k], at + 30 + 2 * k, at + 31 + 2 * k,
			0);
	for (int k = 0; c->work[i][k]; k++) {
		bool copy = c->work[i][k][0] == '=';
		uint32_t id = (uint32_t)(100 * i + k + 1);
		double then = at + 5 + 2 * k;
		made_add(&c->made, EVENT_RUNTIME, copy ? "hostMemcpyAsync" : "hostLaunchKernel",
			then, then + 1, id);
		then = at + 10 + k * (c->kernel_us + 1);
		char fill = c->work[i][k][0];
		bool fills = fill == '0' || fill == '9';
		struct made_event *e = made_add(&c->made,
			fills	       ? EVENT_MEMSET
				: copy ? EVENT_MEMCPY
				       : EVENT_KERNEL,
			fills ? "Memset (Device)" : c->work[i][k] + copy, then, then + c->kernel_us,
			id);
		e->bytes = fill == '0' ? 4 : fill == '9' ? 8192 : 0;
	}
}

static inline void make_case(struct world *w, struct one *c)
{
	double at = 0;
	for (int i = 0; i < MOST_STEPS && c->step_us[i] > 0; i++) {
		add_step(c, i, at);
		at += c->step_us[i] + 50;
	}
	c->a = analysis_of(&w->arena, made_seal(&c->made));
}

static inline bool find_case(void *context, const char *id, struct judged *other)
{
	struct world *w = context;
	for (int i = 0; i < 2; i++) {
		if (w->cases[i].id && !strcmp(w->cases[i].id, id)) {
			*other = (struct judged){.analysis = &w->cases[i].a};
			return true;
		}
	}
	return false;
}

static inline const struct findings *find_findings(void *context, const char *base_id)
{
	const struct world *w = context;
	return base_id ? w->pair : w->findings;
}

static inline struct verdicts judge_cases(struct world *w, const cJSON *expect)
{
	const struct judge_sources sources = {w, find_case, find_findings};
	return judge(&w->arena, expect,
		&(struct judged){.analysis = &w->cases[0].a,
			.whole = w->whole,
			.work = w->of_matrix,
			.apart_cpu = w->apart},
		&sources);
}

static inline void judge_text(struct world *w, const char *json)
{
	for (int i = 0; i < 2; i++)
		make_case(w, &w->cases[i]);
	w->expect = cJSON_Parse(json);
	assert_non_null(w->expect);
	w->all = judge_cases(w, w->expect);
	assert_int_equal(w->all.n, cJSON_GetArraySize(w->expect));
	assert_int_equal(w->all.kept + w->all.broken + w->all.open + w->all.noise, w->all.n);
	w->v = w->all.verdict;
}

static inline void release(struct world *w)
{
	cJSON_Delete(w->expect);
	for (int i = 0; i < 2; i++)
		made_release(&w->cases[i].made);
	arena_release(&w->arena);
}

/* matmul and add in four steps, the first one wide; beside it the compiled twin: copy and GEMM. */
static inline struct world eager_and_compiled(void)
{
	struct world w = {
		.cases[0] = {.id = "x/eager", .kernel_us = 4, .step_us = {400, 100, 90, 110}},
		.cases[1] = {.id = "x/compile", .kernel_us = 8, .step_us = {60, 50, 50, 50}}};
	for (int i = 0; i < MOST_STEPS; i++) {
		w.cases[0].work[i][0] = "brg matmul";
		w.cases[0].work[i][1] = "jit add";
		w.cases[1].work[i][0] = "=Memcpy HtoH (host -> host)";
		w.cases[1].work[i][1] = "brg matmul+sum";
	}
	return w;
}

static inline void assert_verdict(const struct verdict *v, enum verdict_state state,
	const char *expected, const char *observed)
{
	assert_int_equal(v->state, state);
	assert_string_equal(v->expected, expected);
	assert_string_equal(v->observed, observed);
	assert_int_equal(v->state == VERDICT_OPEN, v->reason != OPEN_NOT);
}

static inline void assert_open(
	const char *json, enum open_reason reason, bool steps, const char *work)
{
	struct world w = {.cases[0] = {.id = "x", .kernel_us = 1}};
	w.cases[0].step_us[0] = steps ? 100 : 0;
	w.cases[0].work[0][0] = work;
	judge_text(&w, json);
	assert_int_equal(w.all.open, 1);
	if (w.v[0].reason != reason)
		fail_msg("%s: %s, not %s", json, open_reason_name(w.v[0].reason),
			open_reason_name(reason));
	assert_non_null(w.v[0].expected);
	assert_non_null(w.v[0].observed);
	assert_int_equal(w.v[0].n_evidence, 0);
	release(&w);
}

#endif
