/* SPDX-License-Identifier: Apache-2.0 */
/* Who asked for the time: trees that grow beside each other are those that grow alone. */
#include "report/analyse/call_tree.h"
#include "tests/unit/trust_world.h"

static void assert_same_tree(const struct call_tree *x, const struct call_tree *y)
{
	assert_int_equal(x->n, y->n);
	assert_int_equal(x->frames, y->frames);
	for (uint32_t i = 0; i < x->n; i++) {
		assert_int_equal(x->node[i].parent, y->node[i].parent);
		assert_string_equal(call_node_name(x, i), call_node_name(y, i));
		assert_int_equal(x->node[i].own.cpu_ns, y->node[i].own.cpu_ns);
		assert_int_equal(x->node[i].own.device_ns, y->node[i].own.device_ns);
		assert_int_equal(x->node[i].whole.cpu_ns, y->node[i].whole.cpu_ns);
	}
}

static void add_steps(struct world *w)
{
	for (uint32_t step = 0; step < 2; step++) {
		double at = 100 * step;
		made_add(&w->made, EVENT_ANNOTATION, step ? "step 2" : "step 1", at, at + 90, 0);
		made_add(&w->made, EVENT_OP, "aten::linear", at + 10, at + 40, 0);
		made_add(&w->made, EVENT_OP, "aten::addmm", at + 15, at + 35, 0);
		made_add(&w->made, EVENT_RUNTIME, "cudaLaunchKernel", at + 20, at + 25, step + 1);
		made_add(&w->made, EVENT_KERNEL, "gemm", at + 30, at + 60, step + 1);
	}
}

static void beside_each_other(void **state)
{
	TEST_WORLD(w);
	const struct call_tree_form form[] = {{.frames = FRAME_RANGE, .numberless = FRAME_RANGE},
		{.frames = FRAME_OPERATOR | FRAME_DEVICE, .joined = true},
		{.frames = FRAME_ALL, .outermost = FRAME_OPERATOR}};
	enum { TREES = sizeof form / sizeof *form };
	struct call_tree tree[TREES];
	add_steps(&w);
	world_seal(&w);
	call_trees_of(&w.a, form, TREES, tree);
	for (int i = 0; i < TREES; i++) {
		struct call_tree alone = call_tree_of(&w.a, &form[i]);
		assert_same_tree(&tree[i], &alone);
		assert_int_equal(alone.node[0].whole.cpu_ns, 180000);
		assert_int_equal(alone.node[0].whole.device_ns, 60000);
		call_tree_release(&alone);
		call_tree_release(&tree[i]);
	}
}

/* Ranges that differ in their numbers are one node; what is no node has its time in it. */
static void a_node_and_its_sums(void **state)
{
	TEST_WORLD(w);
	const struct call_tree_form form = {.frames = FRAME_RANGE, .numberless = FRAME_RANGE};
	add_steps(&w);
	world_seal(&w);
	struct call_tree tree = call_tree_of(&w.a, &form);
	assert_int_equal(tree.n, 2);
	assert_string_equal(call_node_name(&tree, 1), "step #");
	assert_int_equal(tree.node[1].calls, 2);
	assert_int_equal(tree.node[1].own.cpu_ns, 180000);
	assert_int_equal(tree.node[1].own.device_ns, 60000);
	call_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_each_other),
		cmocka_unit_test(a_node_and_its_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
