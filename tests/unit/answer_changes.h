/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_changes.h - what changes the outcome of an answer: each of these changes the plans of
 * questions_world.h, before a run is made of them.
 */
#ifndef TESTS_UNIT_ANSWER_CHANGES_H
#define TESTS_UNIT_ANSWER_CHANGES_H

#include "tests/unit/questions_world.h"

static inline void nothing(void)
{
}

static inline void even_activities(void)
{
	LARGE->work[1].kernel_us = 899;
	LARGE->work[0].kernel_us = 450;
	LARGE->work[2] =
		(struct work){NULL, "tb::mul", "hostLaunchKernel", "jit:x mul", 10, 460, 0, 0};
}

static inline void long_kernels(void)
{
	SMALL->work[0].kernel_us = 300;
}

static inline void quick_kernel(void)
{
	for (int i = 0; i < SMALL->n_steps; i++)
		SMALL->slower[i] = 0;
	SMALL->work[0].call_us = 40;
	SMALL->wait_us = -35;
	SMALL->n_steps = 1;
}

static inline void cheap_calls(void)
{
	SMALL->work[0].kernel_us = 300;
	SMALL->work[1].kernel_us = 100;
}

/* The device is done with the step before while the call returns, and is awake only later. */
static inline void slow_to_wake(void)
{
	SMALL->work[1].kernel_us = 11.7;
}

static inline void uneven_steps(void)
{
	SMALL->work[0].kernel_us = 20;
	SMALL->slower[2] = 3;
}

static inline void mixed_calls(void)
{
	SMALL->work[0].kernel_us = 12;
	SMALL->work[1].kernel_us = 8;
}

static inline void tiny_large(void)
{
	LARGE->work[0].kernel_us = 2;
	LARGE->work[1].kernel_us = 1;
}

static inline void from_zero(void)
{
	SMALL->first_step = 0;
}

static inline void unmarked_setup(void)
{
	COLD->setup_us = 0;
	COLD->first_us = 400;
}

static inline void warm_cold(void)
{
	COLD->setup_us = 0;
}

static inline void warm_with_setup(void)
{
	SMALL->setup_us = 400;
}

static inline void buffer_request(void)
{
	AT_ONCE->request_us = 2500;
}

static inline void lone_gap(void)
{
	OFTEN->gap_us[5] = 90;
}

static inline void long_before(void)
{
	SMALL->work[0].kernel_us = 500;
}

static inline void many_gaps(void)
{
	for (int i = 0; i < PLAN_STEPS; i += 4)
		OFTEN->gap_us[i] = 90;
}

static inline void same_operator(void)
{
	BATCH->work[0].op = "tb::mm";
}

static inline void with_query(void)
{
	SMALL->query = true;
}

static inline void more_calls(void)
{
	SMALL->device_asked = true;
}

static inline void other_setup(void)
{
	COLD->setup = "queue thread start";
}

static inline void idle_wait(void)
{
	SMALL->sync_us = 5000;
}

static inline void busy_wait(void)
{
	SMALL->work[0].kernel_us = 400;
}

static inline void steady(void)
{
	OFTEN->slower[7] = 0;
}

static inline void mean_apart(void)
{
	OFTEN->slower[7] = 9;
}

static inline void fused_product(void)
{
	LARGE_COMPILED->work[0] = LARGE_COMPILED->work[1];
	LARGE_COMPILED->work[1] = (struct work){0};
}

static inline void cleared_first(void)
{
	LARGE_COMPILED->work[2] = LARGE_COMPILED->work[1];
	LARGE_COMPILED->work[1] =
		(struct work){NULL, "clear", "cudaMemsetAsync", "Memset (Device)", 5, 1, 0, 0};
}

static inline void not_fused(void)
{
	LARGE_COMPILED->work[0] = (struct work)SUM(900);
	LARGE_COMPILED->work[1] = (struct work)ADD(40);
}

static inline void cheap_checks(void)
{
	SMALL_COMPILED->lookup_us = 1;
}

static inline void equal_cost(void)
{
	SMALL_COMPILED->lookup_us = 12.2;
}

static inline void dear_graph(void)
{
	GRAPH->lookup_us = 90;
}

static inline void other_addmm(void)
{
	ADDMM->work[0] = (struct work)SUM(920);
	ADDMM->work[1] = (struct work)ADD(40);
}

static inline void bias_apart(void)
{
	LAYER->work[1] = (struct work)ADD(5);
}

static inline void dear_layer(void)
{
	LAYER_COMPILED->lookup_us = 40;
}

static inline void even_layer(void)
{
	LAYER_COMPILED->lookup_us = 6.2;
}

static inline void other_layer(void)
{
	LAYER_COMPILED->work[0].kernel = "brg:y matmul+bias";
}

static inline void kept_transposition(void)
{
	LAYER_COMPILED->transposition = "tb::t";
	LAYER_COMPILED->compiled = false;
}

static inline void telling_name(void)
{
	LAYER->work[0].kernel =
		"cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_32x1_tn_align8";
}

static inline void copy_behind(void)
{
	MLP->work[5] = (struct work)COPY(1);
}

static inline void split_kernel(void)
{
	MLP->work[5] = (struct work)POINTWISE("mul", 5);
}

static inline void other_down(void)
{
	MLP->work[4].kernel = "brg:y matmul";
}

static inline void other_products(void)
{
	for (int i = 0; i < 4; i++)
		if (i != 2)
			MLP_COMPILED->work[i].kernel = "brg:y matmul";
}

static inline void nothing_fused(void)
{
	memcpy(MLP_COMPILED->work, MLP->work, sizeof MLP->work);
}

static inline void slow_attention(void)
{
	ATTENTION_FUSED->work[0].kernel_us = 300;
}

static inline void copied_all_the_same(void)
{
	memcpy(MASKED_IN_PLACE->work, plan_of("causal_attention/16_2048_64_eager")->work,
		sizeof MASKED_IN_PLACE->work);
}

static inline void slow_fusion(void)
{
	MLP_COMPILED->work[2].kernel_us = 200;
}

static inline void free_compile(void)
{
	MLP_NEW->later_setup_us = 0;
}

static inline void with_grid(void)
{
	MLP_HAND->work[2].block = 256;
}

static inline void good_hand(void)
{
	MLP_HAND->work[2].kernel_us = 60;
}

static inline void equal_hand(void)
{
	MLP_HAND->work[2].kernel_us = 90;
}

static inline void slow_call(void)
{
	LARGE->work[0].call_us = 2000;
}

static inline void one_operator(void)
{
	LAYER->work[0].outer = NULL;
}

static inline void fast_row(void)
{
	ROW->work[0].kernel_us = 100;
}

static inline void only_wide_squares(void)
{
	SQUARE->id = "square/other";
}

static inline void square_is_pow(void)
{
	SQUARE->work[0].outer = "tb::square_of";
}

static inline void slow_add(void)
{
	LARGE->work[1].kernel_us = 400;
}

#endif
