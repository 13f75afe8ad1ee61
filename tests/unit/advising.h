/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advising.h - the advice on a made trace, and what tests of it ask.
 */
#ifndef TESTS_UNIT_ADVISING_H
#define TESTS_UNIT_ADVISING_H

#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/idle_causes.h"
#include "report/rules/advice.h"
#include "tests/unit/detecting.h"

#define HOPPER "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_TNT"
#define POINTWISE "void at::native::vectorized_elementwise_kernel<4, X>(int)"

static const struct trace_device h200 = {
	.name = "NVIDIA H200", .sms = 132, .major = 9, .minor = 0, .warp = 32};

static inline struct advice advise(struct world *w)
{
	static struct breakdown p; /* outlives the advice, as the case does */
	w->a = analysis_of(&w->arena, &w->made.trace);
	w->l = idle_causes_of(&w->arena, &w->a);
	p = breakdown_of(&w->arena, &w->a, &w->l);
	w->p = &p;
	detect_world(w);
	return *w->f.advice;
}

static const struct finding *find(const struct advice *x, const char *id)
{
	for (int i = 0; i < x->n; i++)
		if (!strcmp(x->action[i].rule->id, id))
			return &x->action[i];
	return NULL;
}

static inline double value(const struct finding *x, const char *name)
{
	const struct finding_value *v = finding_value(x, name);
	if (!v || !v->known)
		fail_msg("%s has no value %s", x->rule->id, name);
	return v->number;
}

/* An operator that launches one kernel: 10 us from `at` on, the kernel from `start` to `end`. */
static inline void operate(
	struct world *w, const char *op, const char *kernel, double at, double start, double end)
{
	uint32_t id = (uint32_t)w->made.n + 1;
	made_add(&w->made, EVENT_OP, op, at, at + 10, 0);
	made_add(&w->made, EVENT_RUNTIME, "cudaLaunchKernel", at + 2, at + 8, id);
	made_add(&w->made, EVENT_KERNEL, kernel, start, end, id);
}

#endif
