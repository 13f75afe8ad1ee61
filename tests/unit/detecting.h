/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detecting.h - small traces by hand, what the file would say beside them, and what the detectors
 * find.
 *
 *	struct world w = {0};
 *	made_add(&w.made, EVENT_RUNTIME, ...);
 *	seal(&w);
 *	footprint(&w, "gemm", 0, 128, 256, 200, 0);
 *	detect_world(&w);
 *	assert_fired(&w, "OVERHEAD-BOUND");
 *	world_release(&w);
 */
#ifndef TESTS_UNIT_DETECTING_H
#define TESTS_UNIT_DETECTING_H

#include "base/config.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/streams.h"
#include "report/rules/advice.h"
#include "report/rules/case_counters.h"
#include "report/rules/rule.h"
#include "tests/unit/made_trace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct world {
	struct made_trace made;
	struct arena arena;
	struct analysis a;
	struct health h;
	struct idle_causes l;
	struct streams s;
	const struct breakdown *p; /* NULL: there is no advice */
	struct rule_settings settings;
	const struct case_counters *counted;
	struct findings f;
};

static inline void seal(struct world *w)
{
	struct trace *t = &w->made.trace;
	made_seal(&w->made);
	t->copies = arena_array(&w->made.arena, t->n, sizeof *t->copies);
	t->resolution_ns = 1;
}

static inline uint32_t row_of(struct world *w, const char *name, int nth)
{
	uint32_t row = made_find(&w->made.trace, name, nth);
	if (row == NO_ROW)
		fail_msg("there is no event \"%s\" number %d", name, nth);
	return row;
}

/* Only the nth of a name, from 0; a grid and a block of one dimension. */
static inline void footprint(struct world *w, const char *name, int nth, int32_t grid,
	int32_t block, int32_t registers, int32_t shared)
{
	struct trace *t = &w->made.trace;
	uint32_t row = row_of(w, name, nth);
	if (t->side[row] == NO_ROW)
		t->side[row] = (uint32_t)t->n_kernels++;
	t->kernels[t->side[row]] = (struct kernel){.grid = {grid, 1, 1},
		.block = {block, 1, 1},
		.registers = registers,
		.shared_bytes = shared,
		.occupancy_pct = -1};
}

static inline void inputs(
	struct world *w, const char *name, int nth, const char *dims, const char *types)
{
	struct trace *t = &w->made.trace;
	uint32_t row = row_of(w, name, nth);
	t->side[row] = (uint32_t)t->n_inputs;
	t->inputs[t->n_inputs++] = (struct op_inputs){
		.dims = names_add_text(&t->names, dims), .types = names_add_text(&t->names, types)};
}

static inline void bytes(struct world *w, const char *name, int nth, int64_t n)
{
	struct trace *t = &w->made.trace;
	uint32_t row = row_of(w, name, nth);
	t->side[row] = (uint32_t)t->n_copies;
	t->copies[t->n_copies++] = (struct copy){.bytes = n, .gb_per_s = -1};
}

static const struct trace_device a100 = {.name = "NVIDIA A100-SXM4-80GB",
	.sms = 108,
	.threads_per_sm = 2048,
	.registers_per_sm = 65536,
	.shared_per_sm = 167936,
	.major = 8,
	.minor = 0,
	.warp = 32};

static inline void device(struct world *w, struct trace_device d)
{
	w->made.trace.devices = arena_array(&w->made.arena, 1, sizeof d);
	w->made.trace.devices[0] = d;
	w->made.trace.n_devices = 1;
}

/* The regime is what T1 and T2 say, in every trace. */
static inline void assert_regime_agrees(
	const char *path, const struct analysis *a, const struct findings *f)
{
	enum finding_state t1 = f->finding[0].state, t2 = f->finding[1].state;
	assert_string_equal(f->finding[0].rule->id, "OVERHEAD-BOUND");
	assert_string_equal(f->finding[1].rule->id, "DEVICE-BOUND");
	assert_int_equal(t1 == FINDING_NOT_APPLICABLE, t2 == FINDING_NOT_APPLICABLE);
	enum regime says = t1 == FINDING_NOT_APPLICABLE ? REGIME_NONE
		: t1 == t2				? REGIME_MIXED
		: t1 == FINDING_FIRED			? REGIME_OVERHEAD_BOUND
							: REGIME_COMPUTE_BOUND;
	if (a->regime.regime != says)
		fail_msg("%s: the regime is %s, T1 and T2 say %s", path,
			regime_name(a->regime.regime), regime_name(says));
}

static inline void detect_world(struct world *w)
{
	const struct trace *t = &w->made.trace;
	struct regime_limits limits = rule_regime_limits(&w->settings);
	w->a = analysis_of(&w->arena, t);
	analysis_judge_regime(&w->a, &limits);
	w->h = health_of(t);
	w->l = idle_causes_of(&w->arena, &w->a);
	w->s = streams_of(&w->arena, &w->a);
	struct breakdown p = breakdown_of(&w->arena, &w->a, &w->l);
	struct rules_in in = {&w->a, &w->h, &w->l, &w->s, w->counted, w->p, &p.blame.whole};
	w->f = rules_all(&w->arena, &in, &w->settings);
	assert_regime_agrees("made", &w->a, &w->f);
}

static inline cJSON *read_texts(const char *path)
{
	struct err err = {0};
	cJSON *words = config_read(path, &err);
	if (!words)
		fail_msg("%s", err.text);
	return words;
}

static inline cJSON *read_words(void)
{
	return read_texts("templates/en/findings.json");
}

static inline void world_release(struct world *w)
{
	made_release(&w->made);
	arena_release(&w->arena);
}

/* The first line of a test: an empty world, which is released when the test is over. */
#define TEST_WORLD(w) WORLD_OF_TEST(w, world_release)

static inline const struct finding *finding_in(const struct findings *f, const char *id)
{
	for (int i = 0; i < f->n; i++)
		if (!strcmp(f->finding[i].rule->id, id))
			return &f->finding[i];
	fail_msg("there is no finding %s", id);
	return NULL;
}

static inline const struct finding *finding(const struct world *w, const char *id)
{
	return finding_in(&w->f, id);
}

static inline void assert_state(const struct findings *all, const char *id,
	enum finding_state state, enum finding_reason reason)
{
	const struct finding *f = finding_in(all, id);
	if (f->state != state || f->reason != reason)
		fail_msg("%s is %s (%s), not %s (%s)", id, finding_state_name(f->state),
			finding_reason_name(f->reason), finding_state_name(state),
			finding_reason_name(reason));
	if (state == FINDING_FIRED)
		assert_true(f->n_evidence > 0);
}

static inline void assert_fired_as(
	const struct world *w, const char *id, enum finding_reason reason)
{
	assert_state(&w->f, id, FINDING_FIRED, reason);
}

static inline void assert_fired(const struct world *w, const char *id)
{
	assert_state(&w->f, id, FINDING_FIRED, REASON_NONE);
}

static inline void assert_not_fired(const struct world *w, const char *id)
{
	assert_state(&w->f, id, FINDING_NOT_FIRED, REASON_NONE);
}

static inline void assert_not_applicable(
	const struct world *w, const char *id, enum finding_reason reason)
{
	assert_state(&w->f, id, FINDING_NOT_APPLICABLE, reason);
}

static inline void assert_number(const struct finding *f, const char *name, double wanted)
{
	const struct finding_value *v = finding_value(f, name);
	if (!v || !v->known || fabs(v->number - wanted) > 1e-6 * (1 + fabs(wanted)))
		fail_msg("%s: %s is %g, not %g", f->rule->id, name, v ? v->number : -1, wanted);
}

static inline void assert_value(
	const struct world *w, const char *id, const char *name, double wanted)
{
	assert_number(finding(w, id), name, wanted);
}

static inline void assert_text(
	const struct world *w, const char *id, const char *name, const char *wanted)
{
	const struct finding_value *v = finding_value(finding(w, id), name);
	assert_non_null(v);
	assert_true(v->known);
	assert_string_equal(v->text, wanted);
}

/* The most telling event is the nth of that name. */
static inline void assert_first_row(struct world *w, const char *id, const char *name, int nth)
{
	assert_int_equal(finding(w, id)->evidence[0], row_of(w, name, nth));
}

static inline void assert_gives_back(const struct world *w, const char *id, double us)
{
	assert_int_equal(finding(w, id)->give_back_ns, (int64_t)(us * 1000));
}

/* ---- pieces of traces; times in us ---- */

/* A launch call of 2 us and its kernel. */
static inline void launch(struct world *w, const char *kernel, double call_us, double start_us,
	double end_us, uint32_t id)
{
	made_add(&w->made, EVENT_RUNTIME, "cudaLaunchKernel", call_us, call_us + 2, id);
	made_add(&w->made, EVENT_KERNEL, kernel, start_us, end_us, id);
}

static inline void copy(struct world *w, const char *name, double call_us, double start_us,
	double end_us, uint32_t id)
{
	made_add(&w->made, EVENT_RUNTIME, "cudaMemcpyAsync", call_us, call_us + 2, id);
	made_add(&w->made, EVENT_MEMCPY, name, start_us, end_us, id);
}

#define GEMM "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn"
#define ADD "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"

#endif
