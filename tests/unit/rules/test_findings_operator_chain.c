/* SPDX-License-Identifier: Apache-2.0 */
/* D1 to D4, X1, X2, K1 to K4: one trace where each must fire and one where it must not. */
#include "tests/unit/detecting.h"

/* ---- the chain ---- */

static void normal_nesting(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&w.made, EVENT_ANNOTATION, "matmul_add", 1, 99, 0);
	made_add(&w.made, EVENT_OP, "aten::matmul", 5, 40, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 10, 35, 0);
	launch(&w, GEMM, 15, 30, 60, 1);
	launch(&w, ADD, 50, 70, 80, 2); /* in no operator */
	made_add(&w.made, EVENT_KERNEL, "stray", 85, 90, 0); /* without a launch */
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "DISPATCH-CHAIN");
	assert_value(&w, "DISPATCH-CHAIN", "kernels", 3);
	assert_value(&w, "DISPATCH-CHAIN", "complete", 1);
	assert_value(&w, "DISPATCH-CHAIN", "no_launch", 1);
	assert_value(&w, "DISPATCH-CHAIN", "no_op", 1);
	assert_value(
		&w, "DISPATCH-CHAIN", "levels", 6); /* step, range, matmul, mm, launch, kernel */
	assert_first_row(&w, "DISPATCH-CHAIN", GEMM, 0);
	assert_fired(&w, "PLAIN-MATMUL");
	assert_value(&w, "PLAIN-MATMUL", "mm", 1);
	assert_value(&w, "PLAIN-MATMUL", "calls_each", 1);
	assert_not_fired(&w, "BATCHED-MATMUL");
}

/* Deeper than what launches share, and a launch that shares the outer part of it. */
static void deep_nesting(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 1000, 0);
	for (int i = 1; i <= 150; i++)
		made_add(&w.made, EVENT_OP, "aten::add", i, 1000 - i, 0);
	launch(&w, ADD, 200, 210, 220, 1);
	launch(&w, ADD, 230, 240, 250, 2);
	launch(&w, ADD, 900, 910, 920, 3); /* behind the inner ones */
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "DISPATCH-CHAIN");
	assert_value(&w, "DISPATCH-CHAIN", "complete", 3);
	assert_value(&w, "DISPATCH-CHAIN", "levels", 153);
}

/* As deep as it is shared: the innermost is left, and what is around it counts on. */
static void shared_nesting(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&w.made, EVENT_OP, "aten::matmul", 5, 10, 0);
	launch(&w, GEMM, 6, 20, 30, 1);
	launch(&w, ADD, 40, 50, 60, 2); /* in the step alone */
	made_add(&w.made, EVENT_OP, "aten::linear", 70, 90, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 71, 89, 0);
	launch(&w, GEMM, 75, 92, 95, 3);
	seal(&w);
	detect_world(&w);
	assert_value(&w, "DISPATCH-CHAIN", "kernels", 3);
	assert_value(&w, "DISPATCH-CHAIN", "complete", 2);
	assert_value(&w, "DISPATCH-CHAIN", "no_op", 1);
	assert_value(&w, "DISPATCH-CHAIN", "levels", 5);
}

static void no_nesting(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OP, "aten::mm", 10, 35, 0);
	launch(&w, GEMM, 15, 30, 60, 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "DISPATCH-CHAIN"); /* neither range nor step */
	assert_not_applicable(&w, "PLAIN-MATMUL", REASON_NO_SUCH_OP);
	assert_not_applicable(&w, "BATCHED-MATMUL", REASON_NO_SUCH_OP);
	assert_not_applicable(&w, "ONE-ADDMM", REASON_NO_SUCH_OP);
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_KERNEL, "stray", 85, 90, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "DISPATCH-CHAIN", REASON_NO_LINKS);
	world_release(&w);
}

static void batched(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::matmul", 0, 40, 0);
	made_add(&w.made, EVENT_OP, "aten::bmm", 5, 35, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaOccupancyMaxActiveClusters", 8, 9, 0);
	launch(&w, GEMM, 15, 50, 60, 1);
	made_add(&w.made, EVENT_OP, "aten::matmul", 60, 90, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 65, 85, 0);
	launch(&w, GEMM, 70, 100, 110, 2);
	seal(&w);
	inputs(&w, "aten::matmul", 0, "[[8, 64, 32], [8, 32, 64]]", "[\"float\", \"float\"]");
	detect_world(&w);
	assert_fired(&w, "BATCHED-MATMUL");
	assert_value(&w, "BATCHED-MATMUL", "bmm", 1);
	assert_value(&w, "BATCHED-MATMUL", "batch", 8);
	assert_value(&w, "BATCHED-MATMUL", "calls_each", 2);
	assert_value(&w, "BATCHED-MATMUL", "mm_calls_each", 1);
	assert_value(&w, "PLAIN-MATMUL", "mm", 1);
}

/* ---- self times ---- */

static void self_times_sum(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 10, 60, 0);
	launch(&w, GEMM, 20, 50, 90, 1);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "DISPATCH-CHAIN");
	assert_value(&w, "DISPATCH-CHAIN", "total", 100e3);
	assert_value(&w, "DISPATCH-CHAIN", "self", 100e3);
	assert_value(&w, "DISPATCH-CHAIN", "overlaps", 0);
}

/* What overlapping children share is in both of them: the selves do not sum to the total. */
static void self_times_do_not_sum(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 70, 0);
	made_add(&w.made, EVENT_OP, "aten::add", 60, 100, 0);
	launch(&w, GEMM, 20, 50, 90, 1);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "DISPATCH-CHAIN");
	assert_value(&w, "DISPATCH-CHAIN", "total", 100e3);
	assert_value(&w, "DISPATCH-CHAIN", "self", 110e3);
	assert_value(&w, "DISPATCH-CHAIN", "overlaps", 1);
	world_release(&w);

	w = (struct world){0}; /* by a nanosecond: a matter of rounding */
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 70, 0);
	made_add(&w.made, EVENT_OP, "aten::add", 69.999, 100, 0);
	launch(&w, GEMM, 20, 50, 90, 1);
	seal(&w);
	detect_world(&w);
	assert_value(&w, "DISPATCH-CHAIN", "overlaps", 0);
	world_release(&w);
}

/* ---- addmm ---- */

static void addmm(struct world *w, const char *op, double at, bool copies, bool adds, uint32_t id)
{
	made_add(&w->made, EVENT_OP, op, at, at + 30, 0);
	if (copies)
		copy(w, "Memcpy DtoD (Device -> Device)", at + 2, at + 32, at + 34, id);
	launch(w, GEMM, at + 10, at + 35, at + 45, id + 1);
	launch(w, "cublasLt::splitKreduce_kernel", at + 14, at + 45, at + 46, id + 2);
	if (adds)
		launch(w, ADD, at + 20, at + 47, at + 49, id + 3);
}

static void ways_of_addmm(void **state)
{
	(void)state;
	struct world w = {0};
	addmm(&w, "aten::addmm", 0, false, false, 1);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "ONE-ADDMM", REASON_GEMM_ALONE); /* a split product counts as one */
	world_release(&w);

	w = (struct world){0};
	addmm(&w, "tb::addmm", 0, true, false, 1);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "ONE-ADDMM", REASON_COPY_AND_GEMM);
	assert_value(&w, "ONE-ADDMM", "copied", 1);
	world_release(&w);

	w = (struct world){0};
	addmm(&w, "aten::addmm", 0, true, false, 1);
	addmm(&w, "aten::addmm", 60, false, true, 11);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "ONE-ADDMM", REASON_MIXED);
	assert_value(&w, "ONE-ADDMM", "others", 1);
	world_release(&w);
}

static void addmm_on_the_cpu(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::addmm", 0, 30, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "ONE-ADDMM", REASON_NO_DEVICE);
}

/* ---- views and layers ---- */

static void views(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::linear", 0, 60, 0);
	made_add(&w.made, EVENT_OP, "aten::t", 2, 12, 0);
	made_add(&w.made, EVENT_OP, "aten::transpose", 4, 10, 0); /* inside: counted once */
	made_add(&w.made, EVENT_OP, "aten::addmm", 20, 50, 0);
	launch(&w, GEMM, 25, 60, 80, 1);
	made_add(&w.made, EVENT_OP, "aten::reshape", 70, 90, 0); /* had to copy */
	launch(&w, "void at::native::elementwise_kernel<direct_copy_kernel_cuda>", 75, 90, 99, 2);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "METADATA-ONLY");
	assert_value(&w, "METADATA-ONLY", "views", 1);
	assert_text(&w, "METADATA-ONLY", "widest", "aten::t");
	assert_gives_back(&w, "METADATA-ONLY", 10);
	assert_int_equal(finding(&w, "METADATA-ONLY")->advice, REASON_NONE);
	assert_fired(&w, "BIAS-IN-MATMUL");
	assert_value(&w, "BIAS-IN-MATMUL", "linears", 1);
	assert_value(&w, "BIAS-IN-MATMUL", "alone", 1);
}

/* One of four views takes 27 ms: the thread stood still, and that is no view's doing. */
static void views_that_stood_still(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 0, 10, 20, 1);
	for (int i = 0; i < 3; i++)
		made_add(&w.made, EVENT_OP, "aten::view", 20 + 20 * i, 31 + 20 * i, 0);
	made_add(&w.made, EVENT_OP, "aten::view", 100, 27100, 0);
	made_add(&w.made, EVENT_OP, "Torch-Compiled Region: 0/0", 27200, 27300, 0);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "METADATA-ONLY");
	assert_value(&w, "METADATA-ONLY", "views", 4);
	assert_value(&w, "METADATA-ONLY", "time", 33e3);
	assert_value(&w, "METADATA-ONLY", "stalls", 1);
	assert_value(&w, "METADATA-ONLY", "stalled", 27000e3);
	assert_gives_back(&w, "METADATA-ONLY", 33);
	/* Compiling is no advice to who has compiled. */
	assert_int_equal(finding(&w, "METADATA-ONLY")->advice, REASON_COMPILED);
}

static void no_views(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OP, "aten::addmm", 20, 50, 0);
	launch(&w, GEMM, 25, 60, 80, 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "METADATA-ONLY");
	assert_not_applicable(&w, "BIAS-IN-MATMUL", REASON_NO_SUCH_OP);
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "aten::reshape", 20, 50, 0); /* on the CPU it may copy */
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "METADATA-ONLY", REASON_NO_DEVICE);
	world_release(&w);
}

static void bias_apart(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OP, "aten::linear", 0, 60, 0);
	launch(&w, GEMM, 25, 60, 80, 1);
	launch(&w, ADD, 35, 80, 90, 2);
	seal(&w);
	inputs(&w, "aten::linear", 0, "[[8, 64], [32, 64], [32]]",
		"[\"float\", \"float\", \"float\"]");
	detect_world(&w);
	assert_not_fired(&w, "BIAS-IN-MATMUL");
	assert_value(&w, "BIAS-IN-MATMUL", "apart", 1);
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "tb::linear", 0, 60, 0); /* no bias */
	launch(&w, GEMM, 25, 60, 80, 1);
	seal(&w);
	inputs(&w, "tb::linear", 0, "[[8, 64], [32, 64]]", "[\"float\", \"float\"]");
	detect_world(&w);
	assert_not_applicable(&w, "BIAS-IN-MATMUL", REASON_NO_SUCH_OP);
	world_release(&w);
}

/* ---- compiled code ---- */

static const char *const step_name[] = {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"};

struct names_of_compiling {
	const char *lookup, *guard, *region, *prologue, *graph;
};

static const struct names_of_compiling torch = {"TorchDynamo Cache Lookup", NULL,
	"Torch-Compiled Region: 0/0", "AOTDispatcher Runtime Wrapper Prologue",
	"## Call CompiledFxGraph fabc ##"};
static const struct names_of_compiling ours = {
	"cache lookup", "guard check", "compiled region 0/0", NULL, "call graph c0a6"};

static void compiled_step(struct world *w, int i, const struct names_of_compiling *n)
{
	double at = 100.0 * i;
	made_add(&w->made, EVENT_ANNOTATION, step_name[i], at, at + 100, 0);
	made_add(&w->made, EVENT_OP, n->lookup, at + 5, at + 10, 0);
	if (n->guard)
		made_add(&w->made, EVENT_OP, n->guard, at + 10, at + 12, 0);
	made_add(&w->made, EVENT_OP, n->region, at + 12, at + 90, 0);
	if (n->prologue)
		made_add(&w->made, EVENT_OP, n->prologue, at + 13, at + 14, 0);
	made_add(&w->made, EVENT_OP, n->graph, at + 15, at + 80, 0);
	launch(w, GEMM, at + 20, at + 30, at + 60, (uint32_t)i + 1);
}

static void compiled_by_torch(void **state)
{
	TEST_WORLD(w);
	for (int i = 0; i < 3; i++)
		compiled_step(&w, i, &torch);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "COMPILED-REGION");
	assert_value(&w, "COMPILED-REGION", "regions", 3);
	assert_value(&w, "COMPILED-REGION", "recompiles", 0);
	assert_fired(&w, "CACHE-LOOKUP");
	assert_value(&w, "CACHE-LOOKUP", "steps_with", 3);
	assert_value(&w, "CACHE-LOOKUP", "median", 5e3);
	assert_gives_back(&w, "CACHE-LOOKUP", 15);
	assert_fired(&w, "NEEDLESS-WRAPPER");
	assert_gives_back(&w, "NEEDLESS-WRAPPER", 3);
	assert_fired(&w, "SAME-GRAPH");
	assert_value(&w, "SAME-GRAPH", "calls", 3);
	assert_value(&w, "SAME-GRAPH", "graphs", 1);
	assert_text(&w, "SAME-GRAPH", "hash", "fabc");
}

/* What happened after the first step cannot be said of a recording without steps. */
static void compiled_without_steps(void **state)
{
	TEST_WORLD(w);
	for (int i = 0; i < 3; i++)
		made_add(&w.made, EVENT_OP, torch.graph, i * 100, i * 100 + 50, 0);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "SAME-GRAPH", REASON_NO_STEPS);
}

static void compiled_by_us(void **state)
{
	(void)state;
	struct world w = {.made.label = "host queue"};
	for (int i = 0; i < 3; i++)
		compiled_step(&w, i, &ours);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "COMPILED-REGION");
	assert_fired(&w, "CACHE-LOOKUP");
	assert_value(&w, "CACHE-LOOKUP", "time", 21e3);
	assert_value(&w, "CACHE-LOOKUP", "guard_time", 6e3);
	assert_value(&w, "CACHE-LOOKUP", "each", 7e3);
	assert_not_applicable(&w, "NEEDLESS-WRAPPER", REASON_NO_COMPILE);
	assert_fired(&w, "SAME-GRAPH");
	world_release(&w);
}

static void recompiled(void **state)
{
	TEST_WORLD(w);
	struct names_of_compiling again = torch;
	again.region = "Torch-Compiled Region: 0/1";
	again.graph = "## Call CompiledFxGraph fdef ##";
	compiled_step(&w, 0, &torch);
	compiled_step(&w, 1, &torch);
	compiled_step(&w, 2, &again);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "COMPILED-REGION", REASON_RECOMPILED);
	assert_value(&w, "COMPILED-REGION", "recompiles", 1);
	assert_first_row(&w, "COMPILED-REGION", "Torch-Compiled Region: 0/1", 0);
	assert_not_fired(&w, "SAME-GRAPH");
	assert_value(&w, "SAME-GRAPH", "late", 1);
	assert_text(&w, "SAME-GRAPH", "late_hash", "fdef");
}

static void not_in_every_step(void **state)
{
	TEST_WORLD(w);
	compiled_step(&w, 0, &torch);
	compiled_step(&w, 1, &torch);
	made_add(&w.made, EVENT_ANNOTATION, step_name[2], 200, 300, 0);
	made_add(
		&w.made, EVENT_OP, "autograd::engine::evaluate_function: MmBackward0", 210, 220, 0);
	launch(&w, GEMM, 212, 230, 260, 99);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "CACHE-LOOKUP");
	assert_not_fired(&w, "NEEDLESS-WRAPPER"); /* gradients are what the wrapper is for */
}

static void nothing_compiled(void **state)
{
	(void)state;
	struct world w = {0};
	launch(&w, GEMM, 20, 30, 60, 1);
	seal(&w);
	detect_world(&w);
	static const char *const ids[] = {
		"COMPILED-REGION", "CACHE-LOOKUP", "NEEDLESS-WRAPPER", "SAME-GRAPH"};
	for (int i = 0; i < 4; i++)
		assert_not_applicable(&w, ids[i], REASON_NO_COMPILE);
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "TorchDynamo Cache Lookup", 5, 10, 0); /* a region never ran */
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "COMPILED-REGION");
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_nesting),
		cmocka_unit_test(deep_nesting),
		cmocka_unit_test(shared_nesting),
		cmocka_unit_test(no_nesting),
		cmocka_unit_test(batched),
		cmocka_unit_test(self_times_sum),
		cmocka_unit_test(self_times_do_not_sum),
		cmocka_unit_test(ways_of_addmm),
		cmocka_unit_test(addmm_on_the_cpu),
		cmocka_unit_test(views),
		cmocka_unit_test(views_that_stood_still),
		cmocka_unit_test(no_views),
		cmocka_unit_test(bias_apart),
		cmocka_unit_test(compiled_by_torch),
		cmocka_unit_test(compiled_without_steps),
		cmocka_unit_test(compiled_by_us),
		cmocka_unit_test(recompiled),
		cmocka_unit_test(not_in_every_step),
		cmocka_unit_test(nothing_compiled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
