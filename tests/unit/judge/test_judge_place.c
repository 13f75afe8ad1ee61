/* SPDX-License-Identifier: Apache-2.0 */
/* Where a verdict differs and how that is said; whole traces, ranges, names in order, detectors. */
#include "report/section/parts.h"
#include "tests/unit/judge_world.h"

#include <math.h>

/* ---- where it differs ---- */

static void assert_place(const struct verdict *v, uint32_t step, uint32_t element,
	const char *wanted, const char *saw)
{
	assert_int_equal(v->state, VERDICT_BROKEN);
	assert_int_equal(v->step, step);
	assert_int_equal(v->element, element);
	assert_true(verdict_differs(v));
	if (wanted)
		assert_string_equal(v->wanted, wanted);
	else
		assert_null(v->wanted);
	if (saw)
		assert_string_equal(v->saw, saw);
	else
		assert_null(v->saw);
}

static const char *name_at(const struct world *w, uint32_t row)
{
	const struct trace *t = &w->cases[0].made.trace;
	assert_true(row < t->n);
	return names_text(&t->names, t->name[row]);
}

static void an_order_differs_at_a_place(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	w.cases[0].work[2][1] = "=Memcpy HtoH (host -> host)";
	judge_text(&w, "{\"step\": [\"gemm\", \"add\"]}");
	assert_place(w.v, 2, 1, "add", "copy");
	assert_string_equal(name_at(&w, w.v->at), "Memcpy HtoH (host -> host)");
	release(&w);

	w = eager_and_compiled();
	w.cases[0].work[3][2] = "jit mul"; /* one more */
	judge_text(&w, "{\"step\": [\"gemm\", \"add\"], \"kernels\": 2}");
	assert_place(&w.v[0], 3, 2, NULL, "mul");
	assert_string_equal(name_at(&w, w.v[0].at), "jit mul");
	assert_place(&w.v[1], 3, NO_ROW, "2", "3");
	assert_string_equal(name_at(&w, w.v[1].at), "jit mul");
	release(&w);

	w = eager_and_compiled();
	w.cases[0].work[1][1] = NULL; /* one less */
	judge_text(&w, "{\"step\": [\"gemm\", \"add\"], \"kernels\": 2}");
	assert_place(&w.v[0], 1, 1, "add", NULL);
	assert_string_equal(name_at(&w, w.v[0].at), "brg matmul");
	assert_place(&w.v[1], 1, NO_ROW, "2", "1");
	release(&w);
}

static void it_is_said_in_words(void **state)
{
	(void)state;
	struct err err = {0};
	struct texts *t = texts_open(NULL, "en", &err);
	if (!t)
		fail_msg("%s", err.text);
	struct world w = eager_and_compiled();
	w.cases[0].work[2][1] = "=Memcpy HtoH (host -> host)";
	judge_text(&w,
		"{\"step\": [\"gemm\", \"add\"], \"copies\": 0, \"launches\": 2, \"syncs\": 1}");
	struct report_case c = {.analysis = &w.cases[0].a, .trace = w.cases[0].made.trace};
	assert_string_equal(
		verdict_where(&w.arena, t, &c, &w.v[0]), "step 4, place 2: expected add, saw copy");
	assert_string_equal(verdict_where(&w.arena, t, &c, &w.v[1]), "step 4: expected 0, saw 1");
	assert_non_null(strstr(verdict_event(&w.arena, t, &c, &w.v[1]), "Memcpy HtoH"));
	assert_string_equal(verdict_where(&w.arena, t, &c, &w.v[2]), "");
	assert_string_equal(verdict_event(&w.arena, t, &c, &w.v[2]), "");
	assert_string_equal(verdict_hint(&w.arena, t, &w.v[2]), "");
	assert_string_equal(verdict_where(&w.arena, t, &c, &w.v[3]), "step 3");
	release(&w);
	assert_int_equal(texts_error(t, &err), 0);
	texts_close(t);
}

/* Every expectation has its words: what it says, and what to look at when it breaks. */
static void every_expectation_has_words(void **state)
{
	(void)state;
	static const char *const keys[] = {"step", "kernels", "copies", "launches", "syncs",
		"queries", "kernel_names", "regime", "first_step", "setup_share_first_step",
		"first_step_us", "first_step_ratio", "widest_step", "cpu_step_us", "device_step_us",
		"device_busy", "fewer_kernels_than", "same_gemm_as", "other_gemm_than",
		"same_kernels_as", "recompiles", "step_time_ratio", "device_time_ratio",
		"same_kernel_every_step", "must_fire", "must_not_fire"};
	struct err err = {0};
	struct world w = eager_and_compiled();
	struct texts *t = texts_open(NULL, "en", &err);
	assert_non_null(t);
	cJSON *all = cJSON_CreateObject();
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		cJSON_AddNullToObject(all, keys[i]);
	judge_text(&w, "{}");
	struct verdicts v = judge_cases(&w, all);
	for (int i = 0; i < v.n; i++) {
		char key[80];
		snprintf(key, sizeof key, "expect.%s", v.verdict[i].key);
		assert_true(texts_find(t, key)[0] != 0);
		v.verdict[i].state = VERDICT_BROKEN;
		assert_true(verdict_hint(&w.arena, t, &v.verdict[i])[0] != 0);
		if (v.verdict[i].reason != OPEN_MALFORMED)
			fail_msg("\"%s\": null is %s", v.verdict[i].key,
				open_reason_name(v.verdict[i].reason));
	}
	for (int r = OPEN_NO_STEPS; r <= OPEN_MALFORMED; r++) {
		char key[80];
		snprintf(key, sizeof key, "open.%s", open_reason_name((enum open_reason)r));
		if (!texts_find(t, key)[0])
			fail_msg("no words for %s", key);
	}
	assert_int_equal(texts_error(t, &err), 0);
	texts_close(t);
	cJSON_Delete(all);
	release(&w);
}

/* ---- calls ---- */

static void waits_and_questions(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	for (int i = 0; i < MOST_STEPS; i++)
		w.cases[0].call[i][0] = "cudaOccupancyMaxActiveBlocksPerMultiprocessor";
	judge_text(&w, "{\"queries\": 1, \"syncs\": 0}");
	assert_int_equal(w.all.kept, 2);
	assert_verdict(&w.v[0], VERDICT_KEPT, "1", "1");
	assert_int_equal(w.v[0].n_evidence, 1);
	release(&w);

	w = eager_and_compiled();
	w.cases[0].call[3][0] = "cudaStreamSynchronize";
	judge_text(&w, "{\"queries\": 1, \"syncs\": 0}");
	assert_verdict(&w.v[0], VERDICT_BROKEN, "1", "0");
	assert_int_equal(w.v[0].step, 1);
	assert_false(verdict_differs(&w.v[0])); /* all steps are so */
	assert_string_equal(name_at(&w, w.v[0].at), "ProfilerStep#3");
	assert_verdict(&w.v[1], VERDICT_BROKEN, "0",
		"0\xe2\x80\x93"
		"1");
	assert_place(&w.v[1], 3, NO_ROW, "0", "1");
	assert_string_equal(name_at(&w, w.v[1].at), "cudaStreamSynchronize");
	release(&w);
}

/* ---- names ---- */

static void parts_of_names(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w, "{\"kernel_names\": [\"mat\", \"add\"]}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "mat, add", "brg matmul, jit add");
	release(&w);
	w = eager_and_compiled(); /* others may stand between */
	for (int i = 0; i < MOST_STEPS; i++)
		w.cases[0].work[i][2] = "jit mul";
	judge_text(&w, "{\"kernel_names\": [\"matmul\", \"jit mul\"]}");
	assert_int_equal(w.all.kept, 1);
	release(&w);
	w = eager_and_compiled(); /* the order counts */
	judge_text(&w, "{\"kernel_names\": [\"add\", \"matmul\"]}");
	assert_place(w.v, 1, 1, "matmul", NULL);
	assert_string_equal(name_at(&w, w.v->at), "jit add");
	release(&w);
	w = eager_and_compiled();
	w.cases[0].work[3][0] = "ref matrix";
	judge_text(&w, "{\"kernel_names\": [\"matmul\", \"add\"]}");
	assert_place(w.v, 3, 0, "matmul", "ref matrix");
	assert_string_equal(name_at(&w, w.v->at), "ref matrix");
	release(&w);
}

static void names_against_another_case(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w, "{\"other_gemm_than\": \"x/compile\", \"same_kernels_as\": \"x/compile\"}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "\xe2\x89\xa0 brg matmul+sum", "brg matmul");
	assert_place(&w.v[1], 1, 0, "brg matmul+sum", "brg matmul");
	assert_string_equal(name_at(&w, w.v[1].at), "brg matmul");
	release(&w);

	w = eager_and_compiled();
	for (int i = 0; i < MOST_STEPS; i++) { /* copies do not matter, names do */
		w.cases[1].work[i][1] = "brg matmul";
		w.cases[1].work[i][2] = "jit add";
	}
	judge_text(&w, "{\"other_gemm_than\": \"x/compile\", \"same_kernels_as\": \"x/compile\"}");
	assert_int_equal(w.v[0].state, VERDICT_BROKEN);
	assert_false(verdict_differs(&w.v[0]));
	assert_string_equal(name_at(&w, w.v[0].at), "brg matmul");
	assert_verdict(&w.v[1], VERDICT_KEPT, "brg matmul, jit add", "brg matmul, jit add");
	release(&w);
}

/* ---- ranges ---- */

static void times_within_limits(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w,
		"{\"cpu_step_us\": {\"min\": 99, \"max\": 101}, \"device_step_us\": {\"max\": "
		"8.5}}");
	assert_verdict(&w.v[0], VERDICT_KEPT,
		"99\xe2\x80\x93"
		"101 \xc2\xb5s",
		"100 \xc2\xb5s");
	assert_verdict(&w.v[1], VERDICT_KEPT, "\xe2\x89\xa4 8.5 \xc2\xb5s", "8.00 \xc2\xb5s");
	release(&w);
	w = eager_and_compiled();
	judge_text(&w, "{\"cpu_step_us\": {\"max\": 99}, \"device_step_us\": {\"min\": 8.01}}");
	assert_int_equal(w.all.broken, 2);
	assert_string_equal(name_at(&w, w.v[0].at), "ProfilerStep#5"); /* the widest */
	assert_string_equal(name_at(&w, w.v[1].at), "brg matmul");
	release(&w);
	w = eager_and_compiled();
	judge_text(&w, "{\"cpu_step_us\": {\"min\": 101}}");
	assert_string_equal(name_at(&w, w.v[0].at), "ProfilerStep#4"); /* the narrowest */
	release(&w);
}

/* eager_and_compiled(): the first step takes 400 us, the later ones 100 in the median. */
static void single_steps_within_limits(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	judge_text(&w,
		"{\"first_step_us\": {\"min\": 400}, \"widest_step\": {\"max\": 2},"
		" \"first_step_ratio\": {\"case\": \"x/compile\", \"min\": 0.001}}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "\xe2\x89\xa5 400 \xc2\xb5s", "400 \xc2\xb5s");
	assert_int_equal(w.v[1].state, VERDICT_KEPT);
	assert_true(w.v[1].value > 1 && w.v[1].value < 2);
	assert_int_equal(w.v[2].state, VERDICT_KEPT);
	assert_true(fabs(w.v[2].value - w.v[2].mine / w.v[2].others) < 1e-12);
	assert_true(w.v[2].mine == 400);
	release(&w);
	w = eager_and_compiled();
	judge_text(&w,
		"{\"first_step_us\": {\"max\": 399}, \"widest_step\": {\"max\": 1},"
		" \"first_step_ratio\": {\"case\": \"x/compile\", \"min\": 1000}}");
	assert_int_equal(w.all.broken, 3);
	assert_string_equal(name_at(&w, w.v[0].at), "ProfilerStep#2");
	assert_string_equal(name_at(&w, w.v[1].at), "ProfilerStep#5"); /* the widest later one */
	assert_string_equal(name_at(&w, w.v[2].at), "ProfilerStep#2");
	release(&w);
	w = eager_and_compiled();
	judge_text(&w,
		"{\"first_step_ratio\": {\"case\": \"nowhere\", \"min\": 1}, \"widest_step\": {}}");
	assert_int_equal(w.v[0].reason, OPEN_NO_CASE);
	assert_int_equal(w.v[1].reason, OPEN_MALFORMED);
	release(&w);
}

/* One first step says no more than single processes of this run do: undecided where a limit lies as
 * near as they were apart, too few where it lies within twice the value. */
static void single_steps_of_one_process(void **state)
{
	(void)state;
	static const char FIRST[] = "{\"first_step_ratio\": {\"case\": \"x/compile\", \"min\": 8}}";
	struct world w = eager_and_compiled();
	w.of_matrix = 1;
	w.apart = 1.5; /* 400 us over 60: 4.4 to 10 */
	judge_text(&w, FIRST);
	assert_verdict(&w.v[0], VERDICT_NOISE, "\xe2\x89\xa5 8\xc3\x97",
		"6.67\xc3\x97 (4.44\xe2\x80\x93"
		"10.0\xc3\x97)");
	release(&w);
	w = eager_and_compiled();
	w.of_matrix = 1;
	judge_text(&w, FIRST);
	assert_int_equal(w.v[0].state, VERDICT_NOISE);
	release(&w);
	w = eager_and_compiled();
	w.of_matrix = 1;
	w.apart = 1.5;
	judge_text(&w,
		"{\"first_step_ratio\": {\"case\": \"x/compile\", \"min\": 30},"
		" \"first_step_us\": {\"max\": 300}, \"widest_step\": {\"max\": 1}}");
	assert_int_equal(w.v[0].state, VERDICT_BROKEN);
	assert_int_equal(w.v[1].state, VERDICT_NOISE);
	assert_int_equal(w.v[2].state, VERDICT_NOISE);
	release(&w);
}

static void shares_within_limits(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	w.cases[0].setup_us[0] = 100; /* of 400 */
	w.cases[0].setup_us[2] = 50; /* of a step that is not the first */
	judge_text(&w,
		"{\"setup_share_first_step\": {\"min\": 0.24, \"max\": 0.26},"
		" \"device_busy\": {\"max\": 0.5}}");
	assert_verdict(&w.v[0], VERDICT_KEPT,
		"0.24\xe2\x80\x93"
		"0.26",
		"0.25");
	assert_int_equal(w.v[0].n_evidence, 2);
	assert_int_equal(w.v[1].state, VERDICT_KEPT);
	assert_true(fabs(w.v[1].value - w.cases[0].a.window.busy_share) < 1e-12);
	release(&w);
	w = eager_and_compiled();
	w.cases[0].setup_us[0] = 100;
	judge_text(&w,
		"{\"setup_share_first_step\": {\"max\": 0.2}, \"device_busy\": {\"min\": 0.5}}");
	assert_int_equal(w.all.broken, 2);
	assert_string_equal(name_at(&w, w.v[0].at), "Activity Buffer Request");
	const struct analysis *a = &w.cases[0].a;
	uint32_t after = analysis_gap(a, a->longest[0]).after;
	assert_int_equal(w.v[1].at, after); /* what ended the longest gap */
	release(&w);
	/* What is not a quarter does not read as one beside it. */
	w = eager_and_compiled();
	w.cases[0].setup_us[0] = 99.92;
	judge_text(&w, "{\"setup_share_first_step\": {\"min\": 0.25}}");
	assert_verdict(&w.v[0], VERDICT_BROKEN, "\xe2\x89\xa5 0.25", "0.2498");
	release(&w);
}

/* ---- a trace as a whole ---- */

static void the_whole_is_one_step(void **state)
{
	(void)state;
	struct world w = eager_and_compiled();
	w.whole = true;
	judge_text(&w,
		"{\"kernels\": 8, \"launches\": 8, \"copies\": 0, \"kernel_names\": [\"add\", "
		"\"matmul\"], \"step\": [\"gemm\", \"add\", \"gemm\", \"add\", \"gemm\", \"add\", "
		"\"gemm\", \"add\"], \"first_step\": \"wider\"}");
	assert_int_equal(w.all.kept, 6);
	release(&w);
	w = eager_and_compiled();
	w.whole = true;
	judge_text(&w, "{\"kernels\": 7, \"step\": [\"gemm\", \"add\", \"add\"]}");
	assert_verdict(&w.v[0], VERDICT_BROKEN, "7", "8");
	assert_false(verdict_differs(&w.v[0]));
	assert_place(&w.v[1], NO_ROW, 2, "add", "gemm");
	assert_int_equal(w.v[1].at, made_find(&w.cases[0].made.trace, "brg matmul", 1));
	release(&w);
}

static void a_whole_trace_needs_no_steps(void **state)
{
	(void)state;
	struct world w = {.cases[0] = {.id = "x"}, .whole = true};
	struct made_trace *m = &w.cases[0].made;
	made_add(m, EVENT_RUNTIME, "cudaLaunchKernel", 10, 12, 1);
	made_add(m, EVENT_KERNEL, "jit add", 15, 20, 1);
	made_add(m, EVENT_RUNTIME, "cudaDeviceSynchronize", 20, 30, 0);
	judge_text(&w,
		"{\"kernels\": 1, \"launches\": 1, \"syncs\": 1, \"step\": [\"add\"], "
		"\"device_step_us\": {\"min\": 4, \"max\": 6}, \"first_step\": \"equal\", "
		"\"setup_share_first_step\": {\"max\": 1}}");
	assert_int_equal(w.all.kept, 5);
	assert_int_equal(w.v[5].reason, OPEN_NO_STEPS);
	assert_int_equal(w.v[6].reason, OPEN_NO_STEPS);
	release(&w);
}

/* ---- what detectors say ---- */

static struct finding finding_of(const char *id, enum finding_state state)
{
	return (struct finding){.rule = rule_find(id), .state = state};
}

static void detectors_asked(void **state)
{
	(void)state;
	struct finding one[] = {finding_of("OVERHEAD-BOUND", FINDING_FIRED),
		finding_of("DEVICE-BOUND", FINDING_NOT_FIRED),
		finding_of("COMPILED-REGION", FINDING_NOT_APPLICABLE)};
	struct finding two[] = {finding_of("OTHER-MATMUL", FINDING_FIRED)};
	const struct findings findings = {.finding = one, .n = 3}, pair = {.finding = two, .n = 1};
	struct world w = eager_and_compiled();
	one[0].evidence = (uint32_t[]){3};
	one[0].n_evidence = 1;
	w.findings = &findings;
	w.pair = &pair;
	judge_text(&w,
		"{\"must_fire\": [\"OVERHEAD-BOUND\", {\"id\": \"OTHER-MATMUL\", \"case\": \"x/compile\"}],"
		" \"must_not_fire\": [\"DEVICE-BOUND\"]}");
	assert_verdict(&w.v[0], VERDICT_KEPT, "OVERHEAD-BOUND, OTHER-MATMUL",
		"OVERHEAD-BOUND fired, OTHER-MATMUL fired");
	assert_verdict(&w.v[1], VERDICT_KEPT, "DEVICE-BOUND", "DEVICE-BOUND not fired");
	release(&w);

	w = eager_and_compiled();
	w.findings = &findings;
	w.pair = &pair;
	judge_text(&w,
		"{\"must_fire\": [\"OVERHEAD-BOUND\", \"DEVICE-BOUND\"], \"must_not_fire\": [\"COMPILED-REGION\", \"OVERHEAD-BOUND\"]}");
	assert_place(&w.v[0], NO_ROW, 1, "DEVICE-BOUND fired", "DEVICE-BOUND not fired");
	assert_int_equal(w.v[0].at, NO_ROW);
	assert_place(&w.v[1], NO_ROW, 1, "OVERHEAD-BOUND not fired", "OVERHEAD-BOUND fired");
	assert_int_equal(w.v[1].at, 3);
	release(&w);
}

static void assert_asked_open(const char *json, enum open_reason reason, bool detected)
{
	struct finding one[] = {finding_of("OVERHEAD-BOUND", FINDING_FIRED),
		finding_of("COMPILED-REGION", FINDING_NOT_APPLICABLE)};
	const struct findings findings = {.finding = one, .n = 2};
	struct world w = eager_and_compiled();
	w.findings = detected ? &findings : NULL;
	judge_text(&w, json);
	if (w.v->state != VERDICT_OPEN || w.v->reason != reason)
		fail_msg("%s: %s %s, not %s", json, verdict_state_name(w.v->state),
			open_reason_name(w.v->reason), open_reason_name(reason));
	release(&w);
}

static void detectors_without_an_answer(void **state)
{
	(void)state;
	assert_asked_open("{\"must_fire\": [\"OVERHEAD-BOUND\", \"COMPILED-REGION\"]}",
		OPEN_NOT_APPLICABLE, true);
	assert_asked_open("{\"must_not_fire\": [\"COMPILED-REGION\"]}", OPEN_NOT_APPLICABLE, true);
	assert_asked_open("{\"must_fire\": [\"T99\"]}", OPEN_NO_DETECTOR, true);
	assert_asked_open("{\"must_fire\": [\"OTHER-MATMUL\"]}", OPEN_ONE_TRACE, true);
	assert_asked_open(
		"{\"must_fire\": [{\"id\": \"OVERHEAD-BOUND\", \"case\": \"x/compile\"}]}",
		OPEN_TWO_TRACES, true);
	assert_asked_open("{\"must_fire\": [{\"id\": \"OTHER-MATMUL\", \"case\": \"x/compile\"}]}",
		OPEN_NO_CASE, true);
	assert_asked_open("{\"must_fire\": [{\"id\": \"OTHER-MATMUL\"}]}", OPEN_MALFORMED, true);
	assert_asked_open("{\"must_fire\": \"OVERHEAD-BOUND\"}", OPEN_MALFORMED, true);
	assert_asked_open("{\"must_fire\": [\"OVERHEAD-BOUND\"]}", OPEN_NOT_APPLICABLE, false);
}

static void more_open_verdicts(void **state)
{
	(void)state;
	assert_open("{\"syncs\": 0}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"kernel_names\": [\"k\"]}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"cpu_step_us\": {\"min\": 1}}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"first_step_us\": {\"min\": 1}}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"widest_step\": {\"min\": 1}}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"setup_share_first_step\": {\"min\": 1}}", OPEN_NO_STEPS, false, NULL);
	assert_open("{\"device_busy\": {\"min\": 0}}", OPEN_NO_DEVICE, true, NULL);
	assert_open("{\"device_step_us\": {\"min\": 1}}", OPEN_NO_DEVICE, true, NULL);
	assert_open("{\"same_kernels_as\": \"nowhere\"}", OPEN_NO_CASE, true, "k");
	assert_open("{\"same_kernels_as\": \"x\"}", OPEN_NO_DEVICE, true, NULL);
	assert_open("{\"other_gemm_than\": \"x\"}", OPEN_NO_GEMM, true, "k");
	assert_open("{\"kernel_names\": \"k\"}", OPEN_MALFORMED, true, "k");
	assert_open("{\"kernel_names\": [1]}", OPEN_MALFORMED, true, "k");
	assert_open("{\"device_busy\": {}}", OPEN_MALFORMED, true, "k");
	assert_open("{\"queries\": -1}", OPEN_MALFORMED, true, "k");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_differs_at_a_place),
		cmocka_unit_test(it_is_said_in_words),
		cmocka_unit_test(every_expectation_has_words),
		cmocka_unit_test(waits_and_questions),
		cmocka_unit_test(parts_of_names),
		cmocka_unit_test(names_against_another_case),
		cmocka_unit_test(times_within_limits),
		cmocka_unit_test(single_steps_within_limits),
		cmocka_unit_test(single_steps_of_one_process),
		cmocka_unit_test(shares_within_limits),
		cmocka_unit_test(the_whole_is_one_step),
		cmocka_unit_test(a_whole_trace_needs_no_steps),
		cmocka_unit_test(detectors_asked),
		cmocka_unit_test(detectors_without_an_answer),
		cmocka_unit_test(more_open_verdicts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
