/* SPDX-License-Identifier: Apache-2.0 */
/* Each outcome of each answer comes from the traces that show it, with their numbers. */
#include "report/page/rich_text.h"
#include "tests/unit/answer_changes.h"

enum { LONGEST_ANSWER = 480 };

#define THIN "\u2009" /* between thousands */

/* What each outcome takes, and what its text must say then. */
static const struct scenario {
	const char *question, *outcome;
	void (*change)(void);
	const char *says[3];
	bool cuda, no_squares;
} scenarios[] = {
	{"hotspot", "one", nothing, {"“large”", "brg:x matmul", "95.7 %"}, 0, 0},
	{"hotspot", "spread", even_activities, {"jit:x add", "49.7 %"}, 0, 0},
	{"when", "late", nothing, {"ProfilerStep#3", "hostLaunchKernel", "3.00 µs"}, 0, 0},
	{"when", "queued", long_kernels, {"still busy", "tb::mm"}, 0, 0},
	{"when", "both", slow_to_wake,
		{"Of 3.00 µs in this step", "for 1.50 µs", "other 1.50 µs it is idle"}, 0, 0},
	{"when", "early", quick_kernel, {"32.0 µs before"}, 0, 0},
	{"self", "nested", nothing, {"tb::matmul", "tb::mm"}, 0, 0},
	{"regime", "overhead", nothing, {"overhead-bound", "3.00 µs"}, 0, 0},
	{"regime", "cheap", cheap_calls, {"400 µs"}, 0, 0},
	{"regime", "even", uneven_steps, {"Neither is surely the longer", ": noise]"}, 0, 0},
	{"regime", "mixed", mixed_calls, {"20.0 µs"}, 0, 0},
	{"way_out", "left", nothing, {"64" THIN "000×", "313×", "1.00×"}, 0, 0},
	{"way_out", "already", cheap_calls, {"left it here already"}, 0, 0},
	{"way_out", "stayed", tiny_large, {"is overhead-bound"}, 0, 0},
	{"schedule", "later", nothing, {"wait 1", "record 3", "ProfilerStep#2"}, 0, 0},
	{"schedule", "at_once", from_zero, {"ProfilerStep#0"}, 0, 0},
	{"first_step", "explained", nothing, {"500 µs", "primitive creation"}, 0, 0},
	{"first_step", "bare", unmarked_setup, {"not why"}, 0, 0},
	{"first_step", "even", warm_cold, {"1.00×"}, 0, 0},
	{"warm_up", "moved", nothing, {"500 µs", "0 µs in “small”"}, 0, 0},
	{"warm_up", "still", warm_with_setup, {"400 µs"}, 0, 0},
	{"warm_up", "none", warm_cold, {"nothing to remove"}, 0, 0},
	{"late_lane", "host", nothing,
		{"15.0 µs after its step: 2.00 µs before", "13.0 µs", "In the posts (A100)"}, 0, 0},
	{"late_lane", "none", nothing, {"13.0 µs"}, 1, 0},
	{"late_lane", "request", buffer_request,
		{"takes 2.50 ms of the 2.52 ms: the profiler makes"}, 1, 0},
	{"lone_gap", "never", nothing, {"of 20 gaps", "0.50 µs", "code, which launches late"}, 0,
		0},
	{"lone_gap", "never", long_before, {"what the queue takes to hand over"}, 0, 0},
	{"lone_gap", "once", lone_gap, {"ProfilerStep#7", "90.5 µs", "once in 20"}, 0, 0},
	{"lone_gap", "often", many_gaps, {"5 of 20"}, 0, 0},
	{"chain", "chain", nothing,
		{"ProfilerStep#3 → tb::matmul → tb::mm → hostLaunchKernel → matmul"}, 0, 0},
	{"batched", "batched", nothing, {"[8, 64, 64]", "tb::bmm", "2 launches for 8"}, 0, 0},
	{"batched", "plain", same_operator, {"both end in tb::mm"}, 0, 0},
	{"query", "host", nothing, {"no occupancy query", "500 µs"}, 0, 0},
	{"query", "none", other_setup, {"no occupancy query for 6"}, 0, 0},
	{"query", "calls", more_calls,
		{"makes 2 runtime calls, the addition’s 1: cudaGetDevice, hostLaunchKernel"}, 0, 0},
	{"query", "query", with_query, {"cudaOccupancyMax", "1.00 µs"}, 1, 0},
	{"wait", "idle", idle_wait, {"5.00 ms"}, 0, 0},
	{"wait", "work", busy_wait, {"computes nothing"}, 0, 0},
	{"spread", "varies", nothing,
		{"20 times", "900 µs to 3.60 ms", "longest in ProfilerStep#9"}, 0, 0},
	{"spread", "steady", steady, {"900 µs (ProfilerStep#2) to 900 µs"}, 0, 0},
	{"median", "apart", mean_apart, {"1.26 ms", "900 µs", "40.0 %"}, 0, 0},
	{"median", "close", steady, {"0.0 %"}, 0, 0},
	{"fused", "copy", nothing, {"Memcpy HtoH, matmul+sum instead of matmul, add"}, 0, 0},
	{"fused", "kernel", fused_product, {"runs matmul+sum instead of matmul, add"}, 0, 0},
	{"fused", "same", not_fused, {"matmul+sum, add"}, 0, 0},
	{"compile_rows", "rows", nothing, {"cache lookup", "30.0 µs", "call graph 0123abcd"}, 0, 0},
	{"launches", "copy", cleared_first,
		{"from 2 to 1", "1 call that copies", "gets 3 kernels and copies"}, 0, 0},
	{"launches", "fewer", fused_product, {"from 2 to 1", "gets 1 kernel or copy instead of 2"},
		0, 0},
	{"launches", "same", not_fused, {"2 launches"}, 0, 0},
	{"bias", "copy", nothing, {"101 MB", "67.1 MB", "33.6 MB"}, 0, 0},
	{"bias", "no_copy", fused_product, {"no copy"}, 0, 0},
	{"compile_cost", "dearer", nothing, {"30.5 µs", "No, it rose"}, 0, 0},
	{"compile_cost", "cheaper", cheap_checks, {"though", "1.50 µs"}, 0, 0},
	{"compile_cost", "same", equal_cost, {"Nothing shows that it did"}, 0, 0},
	{"cheaper_mode", "lower", nothing, {"1 launch, not 2", "Compiled alone: "}, 0, 0},
	{"cheaper_mode", "not", dear_graph, {"Yet a step takes", "Compiled alone: "}, 0, 0},
	{"addmm", "same", nothing, {"Memcpy HtoH, matmul+sum", "4 events of compiled code"}, 0, 0},
	{"addmm", "other", other_addmm, {"Not like"}, 0, 0},
	{"transpose", "view", nothing, {"[32, 64] with strides [1, 32]", "[64, 32]", "0.20 µs"}, 0,
		0},
	{"epilogue", "epilogue", nothing, {"1 kernel and no copy", "matmul+bias"}, 0, 0},
	{"epilogue", "apart", bias_apart, {"2 kernels"}, 0, 0},
	{"one_layer", "cheaper", nothing, {"1.00× [n 2 + 2] the time"}, 0, 0},
	{"one_layer", "even", even_layer, {"Hardly"}, 0, 0},
	{"one_layer", "dearer", dear_layer,
		{"No.", "is cache lookup and guard: 0 µs before, 40.5 µs compiled"}, 0, 0},
	{"one_layer", "other", other_layer, {"another kernel"}, 0, 0},
	{"transpose_gone", "gone", nothing, {"has 1 tb::t", "has 0"}, 0, 0},
	{"transpose_gone", "still", kept_transposition, {"still has 1"}, 0, 0},
	{"layout", "untold", nothing, {"brg:x matmul+bias"}, 0, 0},
	{"layout", "letters", telling_name, {"tn in cutlass_80"}, 0, 0},
	{"mlp", "kept", nothing, {"3 matmuls and 2 element-wise", "2 × matmul"}, 0, 0},
	{"mlp", "kept", copy_behind, {"gelu_tanh, mul, matmul. The matmuls"}, 0, 0},
	{"mlp", "other", split_kernel, {"5 kernels were expected, and 6 ran"}, 0, 0},
	{"two_gemms", "one", nothing, {"190 µs, 191 µs and 170 µs", "3072 back to 768"}, 0, 0},
	{"two_gemms", "two", other_down, {"brg:y matmul 170 µs for the last"}, 0, 0},
	{"op_names", "rows", nothing,
		{"3 operators", "only 1 launches work: tb::addmm", "tb::linear, tb::t"}, 0, 0},
	{"mlp_compiled", "fused", nothing,
		{"5 kernels became 4", "gelu_tanh*mul", "the same kernels, 551 µs"}, 0, 0},
	{"mlp_compiled", "other_gemms", other_products, {"other kernels, too: 551 µs"}, 0, 0},
	{"mlp_compiled", "same", nothing_fused, {"nothing was fused"}, 0, 0},
	{"fusion_gain", "faster", nothing, {"50.3 MB", "101 MB", "150 µs"}, 0, 0},
	{"fusion_gain", "slower", slow_fusion, {"1.33× [n 3 + 3]"}, 0, 0},
	{"attention", "faster", nothing,
		{"256 B", "1.02 kB", "512 B, 2.00× fewer. A step takes the device 125 µs"}, 0, 0},
	{"attention", "slower", slow_attention, {"512 B, 2.00× fewer", "(1.20× [n 2 + 2])"}, 0, 0},
	{"masked", "copied", nothing,
		{"256 B each here", "moves 512 B and takes 40.0 µs of 290 µs",
			"25.0 µs (0.09× [n 2 + 2])"},
		0, 0},
	{"masked", "same", copied_all_the_same,
		{"256 B each here; the mask writes what it hides, 128 B: 290 µs", "290 µs (1.00×"},
		0, 0},
	{"packaged", "price", nothing,
		{"700 µs of first-call work in the middle of the run, 0 µs of it",
			"900 µs, 900 µs of it page faults"},
		0, 0},
	{"packaged", "free", free_compile, {"no cache lookup", "0 times"}, 0, 0},
	{"tuned", "plain", nothing, {"8192 rows of 3072"}, 0, 0},
	{"tuned", "grid", with_grid, {"100 blocks of 256"}, 1, 0},
	{"generic", "slower", nothing, {"96.0 µs", "89.0 µs", "1.08×"}, 0, 0},
	{"generic", "faster", good_hand, {"60.0 µs"}, 0, 0},
	{"generic", "even", equal_hand, {"1.01× [n 3 + 3]"}, 0, 0},
	{"host_clock", "queued", nothing, {"10.0 µs", "900 µs"}, 0, 0},
	{"host_clock", "slow_call", slow_call, {"2.00 ms"}, 0, 0},
	{"square", "same", nothing, {"tracebook_square", "tb::square"}, 1, 0},
	{"square", "square", square_is_pow, {"tb::square_of", "tracebook_square"}, 1, 0},
	{"square", "same", only_wide_squares, {"tracebook_square_wide"}, 0, 0},
	{"square", "nested", nothing, {"tb::linear", "tb::addmm"}, 0, 1},
	{"square", "alone", one_operator, {"tb::addmm"}, 0, 1},
	{"padded_row", "loop", nothing, {"16" THIN "384 lanes", "39.0 %", "300 µs"}, 1, 0},
	{"padded_row", "row", fast_row, {"100 µs"}, 1, 0},
	{"padded_row", "rule", nothing, {"4096 lanes", "25.0 %"}, 0, 1},
	{"limits", "memory", nothing, {"153 TFLOP/s", "2.52 TB/s", "100 %"}, 0, 0},
	{"limits", "below", slow_add, {"11.2 %", "at 60.0 %"}, 0, 0},
	{"freedom", "pair", nothing, {"gelu_tanh*mul", "tracebook_geglu"}, 0, 0},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* What is wrong with an answer, "" when nothing. */
static const char *wrong_with(
	const struct scenario *s, const struct answered *answer, const char *text)
{
	if (strcmp(answer->outcome, s->outcome) != 0)
		return answer->outcome;
	for (size_t i = 0; i < sizeof s->says / sizeof *s->says && s->says[i]; i++)
		if (!strstr(text, s->says[i]))
			return s->says[i];
	return strlen(text) > LONGEST_ANSWER ? "too long" : "";
}

static bool try_scenario(const struct scenario *s)
{
	enum { SQUARES = 4 };
	use_plans();
	s->change();
	struct world *w = make_world(
		s->cuda ? "cuda" : "host", changed, s->no_squares ? N_PLANS - SQUARES : N_PLANS);
	struct document bare;
	document_init(&bare, &w->arena, texts, fonts);
	struct answered answer = question_answer(&bare, &w->input, find_question(s->question));
	const char *text = rich_plain(&w->arena, answer.text);
	const char *wrong = wrong_with(s, &answer, text);
	if (wrong[0])
		print_message("%s, %s: %s: %s\n", s->question, s->outcome, wrong, text);
	assert_texts();
	release_world(w);
	return !wrong[0];
}

static void test_outcomes(void **state)
{
	(void)state;
	int good = 0;
	for (int i = 0; i < SCENARIOS; i++)
		good += try_scenario(&scenarios[i]);
	assert_int_equal(good, SCENARIOS);
}

static bool is_tried(const char *question, const char *outcome)
{
	for (int i = 0; i < SCENARIOS; i++)
		if (!strcmp(scenarios[i].question, question) &&
			!strcmp(scenarios[i].outcome, outcome))
			return true;
	return false;
}

static void assert_tried(const struct question *q)
{
	for (int k = 0; k < QUESTION_OUTCOMES && q->outcome[k]; k++)
		if (!is_tried(q->id, q->outcome[k]))
			fail_msg("no test of %s, %s", q->id, q->outcome[k]);
	if (q->instead)
		assert_tried(q->instead);
}

static void test_every_outcome_is_tried(void **state)
{
	(void)state;
	for (int i = 0; i < n_questions; i++)
		assert_tried(&questions[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_outcomes, clear_arena),
		cmocka_unit_test_teardown(test_every_outcome_is_tried, clear_arena),
	};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
