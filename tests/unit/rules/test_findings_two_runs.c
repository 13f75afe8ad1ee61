/* SPDX-License-Identifier: Apache-2.0 */
/* The detectors that compare two traces: one pair where each must fire and one where it must not.
 */
#include "tests/unit/detecting.h"

#define GELU "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>"
#define MUL "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>>"
#define FUSED "triton_poi_fused__unsafe_view_gelu_mul_0"
#define HANDMADE "_geglu_tanh_forward_kernel"

struct pair {
	struct world base, seen;
	struct arena arena;
	struct findings f;
};

static const char *const step_name[] = {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"};

enum { COMPILED = 1, WITH_VIEW = 2 };

/* Three steps of `took` us, each launching `kernels` (NULL ends them), 10 us each, or
 * `last` us for the last of them. */
static void steps(struct world *w, int how, double took, double last, const char *const *kernels)
{
	uint32_t id = 1;
	for (int i = 0; i < 3; i++) {
		double at = 200.0 * i, pre = how & COMPILED ? 30 : 4;
		made_add(&w->made, EVENT_ANNOTATION, step_name[i], at, at + took, 0);
		if (how & COMPILED)
			made_add(&w->made, EVENT_OP, "cache lookup", at + 2, at + 20, 0);
		if (how & WITH_VIEW)
			made_add(&w->made, EVENT_OP, "aten::t", at + 1, at + 2, 0);
		for (int k = 0; kernels[k]; k++) {
			bool is_last = !kernels[k + 1];
			double start = at + 90 + 12 * k;
			made_add(&w->made, EVENT_OP, "aten::op", at + pre + 4 * k,
				at + pre + 4 * k + 3, 0);
			launch(w, kernels[k], at + pre + 4 * k + 0.5, start,
				start + (is_last ? last : 10), id++);
		}
	}
	seal(w);
}

static void compare(struct pair *p)
{
	detect_world(&p->base);
	detect_world(&p->seen);
	struct rules_in base = {&p->base.a, &p->base.h, &p->base.l, &p->base.s, NULL, NULL, NULL};
	struct rules_in seen = {&p->seen.a, &p->seen.h, &p->seen.l, &p->seen.s, NULL, NULL, NULL};
	struct facts *side[] = {rules_side(&base), rules_side(&seen)};
	p->f = rules_pair(&p->arena, side[0], side[1], NULL);
	rules_side_free(side[0]);
	rules_side_free(side[1]);
	assert_ptr_equal(p->f.trace, &p->seen.made.trace);
	assert_ptr_equal(p->f.base, &p->base.made.trace);
}

static void pair_release(struct pair *p)
{
	world_release(&p->base);
	world_release(&p->seen);
	arena_release(&p->arena);
}

static void assert_pair(
	const struct pair *p, const char *id, enum finding_state state, enum finding_reason reason)
{
	assert_state(&p->f, id, state, reason);
	if (state == FINDING_FIRED)
		assert_true(finding_in(&p->f, id)->n_base_evidence > 0);
}

static void eager_against_compiled(void **state)
{
	(void)state;
	struct pair p = {0};
	steps(&p.base, WITH_VIEW, 60, 10, (const char *const[]){GEMM, GELU, MUL, NULL});
	steps(&p.seen, COMPILED, 90, 12, (const char *const[]){GEMM, FUSED, NULL});
	compare(&p);
	assert_pair(&p, "OTHER-MATMUL", FINDING_NOT_FIRED, REASON_NONE);
	assert_pair(&p, "COMPILED-CPU-COST", FINDING_FIRED, REASON_NONE);
	assert_number(finding_in(&p.f, "COMPILED-CPU-COST"), "ratio", 1.5);
	assert_number(finding_in(&p.f, "COMPILED-CPU-COST"), "activities", 2);
	assert_int_equal(finding_in(&p.f, "COMPILED-CPU-COST")->give_back_ns, 3 * 30000);
	assert_pair(&p, "FEWER-OPERATORS", FINDING_NOT_FIRED, REASON_NONE); /* other kernels */
	assert_pair(&p, "FUSED", FINDING_FIRED, REASON_NO_SHAPES);
	assert_number(finding_in(&p.f, "FUSED"), "removed", 2);
	assert_number(finding_in(&p.f, "FUSED"), "fused", 1);
	assert_number(finding_in(&p.f, "FUSED"), "base_time", 20e3);
	assert_number(finding_in(&p.f, "FUSED"), "time", 12e3);
	assert_pair(&p, "CLEANER-SLOWER", FINDING_FIRED, REASON_NONE); /* 4 operators, now 3 */
	assert_pair(&p, "FUSED-NO-STACK", FINDING_NOT_APPLICABLE, REASON_NOT_SUCH_A_PAIR);
	pair_release(&p);
}

static void compiling_that_pays(void **state)
{
	(void)state;
	struct pair p = {0};
	steps(&p.base, WITH_VIEW, 60, 10, (const char *const[]){GEMM, GELU, MUL, NULL});
	steps(&p.seen, COMPILED, 50, 10, (const char *const[]){GEMM, GELU, MUL, NULL});
	compare(&p);
	assert_pair(&p, "COMPILED-CPU-COST", FINDING_NOT_FIRED, REASON_NONE);
	assert_pair(&p, "FEWER-OPERATORS", FINDING_FIRED, REASON_NONE); /* the view is gone */
	assert_pair(&p, "FUSED", FINDING_NOT_FIRED, REASON_NONE);
	assert_pair(&p, "CLEANER-SLOWER", FINDING_NOT_FIRED, REASON_NONE);
	pair_release(&p);

	p = (struct pair){0}; /* neither is compiled */
	steps(&p.base, 0, 60, 10, (const char *const[]){GEMM, NULL});
	steps(&p.seen, 0, 90, 10, (const char *const[]){GEMM, NULL});
	compare(&p);
	assert_pair(&p, "COMPILED-CPU-COST", FINDING_NOT_APPLICABLE, REASON_NOT_SUCH_A_PAIR);
	pair_release(&p);
}

static void bytes_that_fusing_saves(void **state)
{
	(void)state;
	struct pair p = {0};
	steps(&p.base, 0, 60, 10, (const char *const[]){GEMM, GELU, MUL, NULL});
	for (int i = 0; i < 9; i++)
		inputs(&p.base, "aten::op", i, "[[1024, 512]]", "[\"c10::BFloat16\"]");
	steps(&p.seen, COMPILED, 90, 12, (const char *const[]){GEMM, FUSED, NULL});
	compare(&p);
	assert_pair(&p, "FUSED", FINDING_FIRED, REASON_NONE);
	assert_number(finding_in(&p.f, "FUSED"), "saved", 2 * 1024 * 512 * 2);
	pair_release(&p);
}

static void bookkeeping_removed(void **state)
{
	(void)state;
	struct pair p = {0};
	steps(&p.base, 0, 60, 10, (const char *const[]){GEMM, NULL}); /* nothing to remove */
	steps(&p.seen, COMPILED, 60, 10, (const char *const[]){GEMM, NULL});
	compare(&p);
	assert_pair(&p, "FEWER-OPERATORS", FINDING_NOT_FIRED, REASON_NONE);
	pair_release(&p);

	p = (struct pair){0};
	steps(&p.base, WITH_VIEW, 60, 10, (const char *const[]){GEMM, NULL});
	steps(&p.seen, 0, 60, 10, (const char *const[]){GEMM, NULL});
	compare(&p);
	assert_pair(&p, "FEWER-OPERATORS", FINDING_FIRED, REASON_NONE);
	assert_number(finding_in(&p.f, "FEWER-OPERATORS"), "base_ops", 2);
	assert_number(finding_in(&p.f, "FEWER-OPERATORS"), "ops", 1);
	pair_release(&p);
}

/* ---- G4 ---- */

static void other_kernel_for_the_product(void **state)
{
	(void)state;
	struct pair p = {0};
	steps(&p.base, 0, 60, 10, (const char *const[]){GEMM, NULL});
	steps(&p.seen, 0, 60, 10,
		(const char *const[]){"ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_nn", NULL});
	compare(&p);
	assert_pair(&p, "OTHER-MATMUL", FINDING_FIRED, REASON_NONE);
	assert_number(finding_in(&p.f, "OTHER-MATMUL"), "only", 1);
	assert_number(finding_in(&p.f, "OTHER-MATMUL"), "base_only", 1);
	assert_string_equal(
		finding_value(finding_in(&p.f, "OTHER-MATMUL"), "base_name")->text, GEMM);
	pair_release(&p);
}

static void other_product(void **state)
{
	(void)state;
	struct pair p = {0};
	for (int seen = 0; seen < 2; seen++) {
		struct world *w = seen ? &p.seen : &p.base;
		made_add(&w->made, EVENT_OP, "aten::mm", 0, 20, 0);
		launch(w, seen ? "cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64" : GEMM, 5, 30, 40,
			1);
		seal(w);
		inputs(w, "aten::mm", 0, seen ? "[[64, 64], [64, 64]]" : "[[32, 32], [32, 32]]",
			"[\"float\", \"float\"]");
	}
	compare(&p);
	assert_pair(&p, "OTHER-MATMUL", FINDING_NOT_APPLICABLE, REASON_OTHER_WORK);
	assert_pair(&p, "COMPILED-CPU-COST", FINDING_NOT_APPLICABLE, REASON_NOT_SUCH_A_PAIR);
	assert_pair(&p, "CLEANER-SLOWER", FINDING_NOT_APPLICABLE, REASON_NO_STEPS);
	pair_release(&p);

	p = (struct pair){0};
	steps(&p.base, 0, 60, 10, (const char *const[]){ADD, NULL});
	steps(&p.seen, 0, 60, 10, (const char *const[]){ADD, NULL});
	compare(&p);
	assert_pair(&p, "OTHER-MATMUL", FINDING_NOT_APPLICABLE, REASON_NO_GEMM);
	pair_release(&p);
}

/* ---- compiled against hand-written ---- */

static void handwritten(struct pair *p, double took)
{
	steps(&p->base, COMPILED, 90, 10, (const char *const[]){GEMM, FUSED, NULL});
	steps(&p->seen, 0, 60, took, (const char *const[]){GEMM, HANDMADE, NULL});
	compare(p);
}

static void price_of_generality(void **state)
{
	(void)state;
	struct pair p = {0};
	handwritten(&p, 10.4);
	assert_pair(&p, "GENERALITY-COST", FINDING_FIRED, REASON_NONE);
	assert_number(finding_in(&p.f, "GENERALITY-COST"), "ratio", 1.04);
	assert_int_equal(finding_in(&p.f, "GENERALITY-COST")->give_back_ns, 1200);
	assert_pair(&p, "FUSED-NO-STACK", FINDING_FIRED, REASON_NONE);
	assert_number(finding_in(&p.f, "FUSED-NO-STACK"), "base_pre", 30.5e3);
	assert_number(finding_in(&p.f, "FUSED-NO-STACK"), "pre", 4.5e3);
	pair_release(&p);

	p = (struct pair){0};
	handwritten(&p, 10);
	assert_pair(&p, "GENERALITY-COST", FINDING_NOT_FIRED, REASON_NONE);
	pair_release(&p);
}

static void not_to_be_compared(void **state)
{
	(void)state;
	struct pair p = {0}; /* another product beside it */
	steps(&p.base, COMPILED, 90, 10, (const char *const[]){GEMM, FUSED, NULL});
	steps(&p.seen, 0, 60, 12,
		(const char *const[]){
			"ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_nn", HANDMADE, NULL});
	compare(&p);
	assert_pair(&p, "GENERALITY-COST", FINDING_NOT_APPLICABLE, REASON_OTHER_WORK);
	pair_release(&p);

	p = (struct pair){0}; /* as slow before the first launch as the compiled one */
	steps(&p.base, COMPILED, 90, 10, (const char *const[]){GEMM, FUSED, NULL});
	for (int i = 0; i < 3; i++) {
		double at = 200.0 * i;
		made_add(&p.seen.made, EVENT_ANNOTATION, step_name[i], at, at + 100, 0);
		launch(&p.seen, GEMM, at + 25, at + 90, at + 100, 2 * (uint32_t)i + 1);
		launch(&p.seen, HANDMADE, at + 28, at + 102, at + 112, 2 * (uint32_t)i + 2);
	}
	seal(&p.seen);
	compare(&p);
	assert_pair(&p, "FUSED-NO-STACK", FINDING_NOT_FIRED, REASON_NONE);
	pair_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eager_against_compiled),
		cmocka_unit_test(compiling_that_pays),
		cmocka_unit_test(bytes_that_fusing_saves),
		cmocka_unit_test(bookkeeping_removed),
		cmocka_unit_test(other_kernel_for_the_product),
		cmocka_unit_test(other_product),
		cmocka_unit_test(price_of_generality),
		cmocka_unit_test(not_to_be_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
