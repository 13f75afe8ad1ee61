/* SPDX-License-Identifier: Apache-2.0 */
/* The advice about graphs that are there already. */
#include "report/rules/advice.h"
#include "tests/unit/advising.h"

/* A graph for each part, and between two of them a copy of 40 us, or something that computes. */
static void graphs_that_hand_over_are_one(void **state)
{
	(void)state;
	for (int computes = 0; computes < 2; computes++) {
		struct world w = {0};
		for (int i = 0; i < 8; i++) {
			uint32_t id = 2 * (uint32_t)i + 1;
			double at = 20 * i, on = 10 + 140 * i;
			made_add(&w.made, EVENT_RUNTIME,
				computes ? "cudaLaunchKernel" : "cudaMemcpyAsync", at, at + 5, id);
			made_add(&w.made, computes ? EVENT_KERNEL : EVENT_MEMCPY,
				computes ? HOPPER : "Memcpy DtoD (Device -> Device)", on, on + 40,
				id);
			made_add(
				&w.made, EVENT_RUNTIME, "cudaGraphLaunch", at + 6, at + 12, id + 1);
			made_add(&w.made, EVENT_KERNEL, HOPPER, on + 40, on + 140, id + 1);
		}
		seal(&w);
		struct advice x = advise(&w);
		const struct finding *told = find(&x, "graphs");
		assert_int_equal(told == NULL, computes);
		if (told) {
			assert_string_equal(told->variant, "pieces");
			assert_int_equal(finding_number(told, "graphs"), 8);
			assert_int_equal(finding_number(told, "handed"), 7);
		}
		world_release(&w);
	}
}

/* One graph, and in front of it a copy of its input on the device, or an upload. */
static void inputs_of_a_graph_are_written_where_it_reads(void **state)
{
	(void)state;
	for (int uploads = 0; uploads < 2; uploads++) {
		struct world w = {0};
		made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 0, 5, 1);
		made_add(&w.made, EVENT_KERNEL, HOPPER, 10, 30, 1);
		made_add(&w.made, EVENT_RUNTIME, "cudaMemcpyAsync", 6, 11, 2);
		made_add(&w.made, EVENT_MEMCPY,
			uploads ? "Memcpy HtoD (Pinned -> Device)"
				: "Memcpy DtoD (Device -> Device)",
			30, 70, 2);
		made_add(&w.made, EVENT_RUNTIME, "cudaGraphLaunch", 12, 18, 3);
		made_add(&w.made, EVENT_KERNEL, HOPPER, 70, 170, 3);
		seal(&w);
		struct advice x = advise(&w);
		const struct finding *told = find(&x, "graphs");
		assert_int_equal(told == NULL, uploads);
		if (told) {
			assert_string_equal(told->variant, "inputs");
			assert_int_equal(told->give_back_ns, 40000);
		}
		world_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_that_hand_over_are_one),
		cmocka_unit_test(inputs_of_a_graph_are_written_where_it_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
