/* SPDX-License-Identifier: Apache-2.0 */
/* The advice about graphs that are there already, and about optimizers. */
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

/* A wait of the main thread behind each ten launches of backward's, which launches most. */
static void waits_are_in_the_way_of_backward(void **state)
{
	(void)state;
	for (int every = 10; every <= 200; every += 190) {
		struct world w = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 12000, 0);
		for (int k = 0; k < 110; k++) {
			double at = 100.0 * k;
			uint32_t id = (uint32_t)k + 1;
			made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", at, at + 6, id)
				->track = k % 10 > 3 ? MADE_OTHER_THREAD : MADE_HOST;
			made_add(&w.made, EVENT_KERNEL, POINTWISE, at + 10, at + 15, id);
			if (k % every == every - 1)
				made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", at + 50,
					at + 55, 0);
		}
		seal(&w);
		device(&w, h200);
		struct advice x = advise(&w);
		const struct finding *told = find(&x, "graphs");
		assert_non_null(told);
		assert_string_equal(told->variant, every == 10 ? "waits" : "");
		world_release(&w);
	}
}

/* 110 launches, each 100 us after the other, in the step of an optimizer. */
static void an_optimizer_has_the_switch_of_its_class(void **state)
{
	(void)state;
	static const struct {
		const char *range, *variant;
	} cases[] = {{"Optimizer.step#AdamW.step", ""}, {"Optimizer.step#RMSprop.step", "foreach"},
		{"Optimizer.step#Lion.step", "own"}, {"Optimizer.step", "unnamed"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct world w = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#1", 0, 11000, 0);
		made_add(&w.made, EVENT_ANNOTATION, cases[i].range, 0, 11000, 0);
		for (uint32_t k = 0; k < 110; k++) {
			double at = 100.0 * k;
			made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", at, at + 6, k + 1);
			made_add(&w.made, EVENT_KERNEL, POINTWISE, at + 10, at + 15, k + 1);
		}
		seal(&w);
		device(&w, h200);
		struct advice x = advise(&w);
		const struct finding *told = find(&x, "optimizer");
		assert_non_null(told);
		assert_string_equal(told->variant, cases[i].variant);
		const struct finding_value *class = finding_value(told, "class");
		const char *named = strchr(cases[i].range, '#');
		assert_true((class && class->known) == (named != NULL));
		if (named)
			assert_memory_equal(class->text, named + 1, strlen(class->text));
		world_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_that_hand_over_are_one),
		cmocka_unit_test(inputs_of_a_graph_are_written_where_it_reads),
		cmocka_unit_test(waits_are_in_the_way_of_backward),
		cmocka_unit_test(an_optimizer_has_the_switch_of_its_class),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
