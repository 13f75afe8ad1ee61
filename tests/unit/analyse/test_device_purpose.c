/* SPDX-License-Identifier: Apache-2.0 */
/* Why the device's work is there, in made traces: each reason, its sums, phases and modules. */
#include "tests/unit/breakdown_world.h"

#include <string.h>

static uint32_t last_id;

/* An operator from `at` to `at` + 4, its launch inside it, and the kernel from `at` + 5 on. */
static struct made_event *run(
	struct world *w, const char *op, const char *kernel, double at, double us)
{
	world_launch(w, kernel, ++last_id, at + 1, at + 3, at + 5, at + 5 + us);
	return made_add(&w->made, EVENT_OP, op, at, at + 4, 0);
}

static int took(const struct breakdown *p, enum device_why why)
{
	return (int)(p->purposes.whole.ns[why] / 1000);
}

static void around(struct world *w, enum event_kind kind, const char *name, double at)
{
	made_add(&w->made, kind, name, at - 1, at + 4.5, 0);
}

static const char gemm[] = "nvjet_tst_128x128", add[] = "at::native::elementwise_kernel<add>",
		  copy[] = "at::native::elementwise_kernel<direct_copy_kernel_cuda>",
		  fill[] = "at::native::elementwise_kernel<FillFunctor>";

static void what_is_moved(void **state)
{
	TEST_WORLD(w);
	run(&w, "aten::mm", gemm, 0, 50);
	run(&w, "aten::copy_", copy, 100, 10);
	run(&w, "aten::copy_", copy, 200, 20);
	around(&w, EVENT_OP, "aten::_to_copy", 200);
	run(&w, "aten::cat", "CatArrayBatchedCopy<float>", 300, 30);
	run(&w, "aten::fill_", fill, 400, 5);
	run(&w, "aten::copy_", copy, 500, 7);
	around(&w, EVENT_OP, "aten::index", 500);
	run(&w, "aten::upsample_bilinear2d", "upsample_bilinear2d_out_frame", 560, 8);
	world_copy(&w, "Memcpy HtoD (Pinned -> Device)", "cudaMemcpyAsync", ++last_id,
		(double[]){600, 601, 605, 645});
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(took(&p, WHY_COMPUTED), 50 + 8);
	assert_int_equal(took(&p, WHY_COPIED), 10);
	assert_int_equal(took(&p, WHY_CONVERTED), 20);
	assert_int_equal(took(&p, WHY_JOINED), 30);
	assert_int_equal(took(&p, WHY_FILLED), 5);
	assert_int_equal(took(&p, WHY_GATHERED), 7);
	assert_int_equal(took(&p, WHY_UPLOADED), 40);
	assert_int_equal(purposes_worst(&p.purposes), WHY_UPLOADED);
	assert_int_equal(purpose_use_ns(&p.purposes.whole, USE_MOVED), 112000);
}

/* A layer norm runs in the forward pass, and again inside a backward node; a gradient is no such
 * work, nor is what the forward pass did not run. */
static void what_runs_again(void **state)
{
	TEST_WORLD(w);
	const char node[] = "autograd::engine::evaluate_function: CheckpointFunctionBackward";
	run(&w, "aten::native_layer_norm", add, 10, 50);
	run(&w, "aten::native_layer_norm", add, 110, 60);
	around(&w, EVENT_OP, node, 110);
	run(&w, "aten::native_layer_norm_backward", add, 210, 70);
	around(&w, EVENT_OP, node, 210);
	run(&w, "aten::gelu", add, 310, 80);
	around(&w, EVENT_OP, node, 310);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(took(&p, WHY_RECOMPUTED), 60);
	assert_int_equal(took(&p, WHY_COMPUTED), 50 + 70 + 80);
}

static void phases_and_modules(void **state)
{
	TEST_WORLD(w);
	run(&w, "aten::mm", gemm, 10, 50);
	around(&w, EVENT_PYTHON, "nn.Module: Linear_3", 10);
	run(&w, "aten::mm", gemm, 110, 60);
	around(&w, EVENT_OP, "autograd::engine::evaluate_function: MmBackward0", 110);
	run(&w, "aten::_foreach_add_", add, 210, 70);
	around(&w, EVENT_ANNOTATION, "Optimizer.step#SGD.step", 210);
	struct breakdown p = breakdown_of_world(&w);
	const struct purpose *g = p.purposes.group;
	assert_int_equal(p.purposes.n, 3);
	assert_int_equal(g[0].phase, PHASE_OPTIMIZER);
	assert_int_equal(g[1].phase, PHASE_BACKWARD);
	assert_int_equal(g[2].phase, PHASE_FORWARD);
	assert_string_equal(names_text(&w.a.trace->names, g[2].module), "nn.Module: Linear_3");
	assert_int_equal(p.purposes.placed_ns, 180000);
}

/* Four of its kind say what is usual: a quarter stays below 100 us, so above 130 it waits. */
static void a_collective_waits(void **state)
{
	TEST_WORLD(w);
	const double us[] = {100, 100, 100, 100, 430};
	for (int i = 0; i < 5; i++)
		run(&w, "c10d::allreduce_", "ncclDevKernel_AllReduce_Sum", 500 * i, us[i]);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(took(&p, WHY_LATE), 300);
	assert_int_equal(took(&p, WHY_SENT), 530);
}

static void slower_kinds_and_waits(void **state)
{
	TEST_WORLD(w);
	run(&w, "aten::mul", add, 0, 50);
	around(&w, EVENT_OP, "aten::_scaled_dot_product_attention_math", 1);
	run(&w, "aten::bmm", gemm, 100, 50);
	around(&w, EVENT_OP, "aten::_scaled_dot_product_attention_math", 101);
	run(&w, "aten::mm", "dgemm_128x128", 200, 30);
	run(&w, "aten::fill_", fill, 300, 9);
	around(&w, EVENT_OP, "aten::empty", 301);
	run(&w, "aten::native_dropout", "fused_dropout_kernel", 400, 11);
	run(&w, "aten::mul", add, 420, 17);
	around(&w, EVENT_OP, "aten::alpha_dropout", 421); /* of whatever kind */
	run(&w, "spin", "event_wait", 500, 13);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(took(&p, WHY_APART), 50);
	assert_int_equal(took(&p, WHY_FP64), 30); /* no shapes: all of it */
	assert_int_equal(took(&p, WHY_DETERMINISTIC), 9);
	assert_int_equal(took(&p, WHY_DROPOUT), 11 + 17);
	assert_int_equal(took(&p, WHY_SPINNING), 13);
	assert_int_equal(took(&p, WHY_COMPUTED), 50);
}

/* 10 of 1000 rows are asked for, so 99 of 100 of the gradient are for nobody, and of the
 * optimizer's work on it; half of what that is given is another tensor. */
static void whole_tables(void **state)
{
	TEST_WORLD(w);
	const char *concrete = "[\"\", \"\", \"1000\", \"-1\", \"False\"]";
	struct made_event *e = run(&w, "aten::embedding_dense_backward", fill, 100, 100);
	e->dims = "[[10, 4], [10], [], [], []]";
	e->concrete = concrete;
	e = run(&w, "aten::_foreach_add_", add, 300, 200);
	e->dims = "[[[1000, 4], [2000, 2]], [[1000, 4], [2000, 2]], []]";
	around(&w, EVENT_ANNOTATION, "Optimizer.step#SGD.step", 300);
	e = run(&w, "aten::add_", add, 600, 50);
	e->dims = "[[2000, 2], [2000, 2], []]";
	around(&w, EVENT_ANNOTATION, "Optimizer.step#SGD.step", 600);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(took(&p, WHY_TABLE), 99 + 99);
	assert_int_equal(took(&p, WHY_FILLED), 1);
	assert_int_equal(took(&p, WHY_COMPUTED), 101 + 50);
}

/* The same mask twice in one step is made again the second time; in another step, of another size
 * or of data it is not. */
static void what_is_made_again(void **state)
{
	TEST_WORLD(w);
	const double at[] = {100, 200, 300, 1100};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 999, 0);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#2", 1000, 1999, 0);
	for (int i = 0; i < 4; i++) {
		struct made_event *e = run(&w, "aten::arange", add, at[i], 10);
		e->dims = "[[], [], [], [], []]";
		e->concrete = i == 2 ? "[\"512\"]" : "[\"1024\"]";
		e = run(&w, "aten::tril", add, at[i] + 50, 20);
		e->dims = "[[64, 64], []]";
		e->concrete = "[\"\", \"0\"]";
	}
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(took(&p, WHY_REMADE), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_moved),
		cmocka_unit_test(what_runs_again),
		cmocka_unit_test(phases_and_modules),
		cmocka_unit_test(a_collective_waits),
		cmocka_unit_test(slower_kinds_and_waits),
		cmocka_unit_test(whole_tables),
		cmocka_unit_test(what_is_made_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
