/* SPDX-License-Identifier: Apache-2.0 */
/* What is learnt from a trace is kept by it, and broken by another one. */
#include "base/config.h"
#include "report/judge/judge.h"
#include "report/run/learn.h"
#include "tests/unit/written_trace.h"

#include <math.h>

static cJSON *learn(struct input *in, bool whole)
{
	return learn_case(in, &in->runs[0].cases[0], whole);
}

static void assert_count(const cJSON *expect, const char *key, double wanted)
{
	const cJSON *m = config_find(expect, key);
	if (!m || m->valuedouble != wanted)
		fail_msg("\"%s\" is %g, not %g", key, m ? m->valuedouble : (double)NAN, wanted);
}

static void assert_list(const cJSON *expect, const char *key, const char *const *wanted)
{
	const cJSON *word = config_find(expect, key);
	assert_non_null(word);
	for (word = word->child; word && *wanted; word = word->next)
		assert_string_equal(word->valuestring, *wanted++);
	assert_null(word);
	assert_null(*wanted);
}

static void assert_limits(const cJSON *expect, const char *key, double min, double max)
{
	const cJSON *range = config_find(expect, key);
	assert_non_null(range);
	const cJSON *least = config_find(range, "min"), *most = config_find(range, "max");
	if (fabs(least->valuedouble - min) > 1e-9 || fabs(most->valuedouble - max) > 1e-9)
		fail_msg("\"%s\" is %g to %g, not %g to %g", key, least->valuedouble,
			most->valuedouble, min, max);
}

static void steady_steps(void **state)
{
	(void)state;
	struct written_step steps[] = {gemm_and_add, gemm_and_add, gemm_and_add, gemm_and_add};
	steps[0].us = 400;
	steps[2].us = 60;
	struct input in;
	read_paths(&in, write_trace("a.json", steps, 4), NULL);
	cJSON *e = learn(&in, false);
	assert_list(e, "step", (const char *const[]){"gemm", "add", NULL});
	assert_list(e, "kernel_names",
		(const char *const[]){gemm_and_add.kernel[0], gemm_and_add.kernel[1], NULL});
	assert_count(e, "kernels", 2);
	assert_count(e, "copies", 0);
	assert_count(e, "launches", 2);
	assert_count(e, "syncs", 0);
	assert_count(e, "queries", 0);
	assert_string_equal(config_find(e, "first_step")->valuestring, "wider");
	assert_true(cJSON_IsTrue(config_find(e, "same_kernel_every_step")));
	assert_limits(e, "cpu_step_us", 50 / learn_times, 60 * learn_times);
	assert_limits(e, "device_step_us", 2 / learn_times, 2 * learn_times);
	assert_null(config_find(e, "recompiles"));
	cJSON_Delete(e);
	input_release(&in);
}

/* What one steady step does otherwise is not expected of them. */
static void unsteady_steps(void **state)
{
	(void)state;
	struct written_step steps[] = {gemm_and_add, gemm_and_add, gemm_and_add};
	steps[2].waits = true;
	steps[2].kernels = 1;
	struct input in;
	read_paths(&in, write_trace("a.json", steps, 3), NULL);
	cJSON *e = learn(&in, false);
	static const char *const left_out[] = {
		"step", "kernels", "launches", "syncs", "kernel_names", "same_kernel_every_step"};
	for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
		if (config_find(e, left_out[i]))
			fail_msg("\"%s\" is expected of steps that differ in it", left_out[i]);
	assert_count(e, "queries", 0);
	cJSON_Delete(e);
	input_release(&in);
}

static void near_a_threshold(void **state)
{
	(void)state;
	static const struct {
		double us;
		const char *word; /* NULL: left out */
	} first[] = {{100, "equal"}, {130, "equal"}, {180, NULL}, {220, NULL}, {310, "wider"}};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		struct written_step steps[] = {gemm_and_add, gemm_and_add, gemm_and_add};
		struct input in;
		for (int k = 0; k < 3; k++)
			steps[k].us = k ? 100 : first[i].us;
		read_paths(&in, write_trace("a.json", steps, 3), NULL);
		cJSON *e = learn(&in, false);
		const char *word = cJSON_GetStringValue(config_find(e, "first_step"));
		if (!word != !first[i].word || (word && strcmp(word, first[i].word) != 0))
			fail_msg("%g us: %s", first[i].us, word ? word : "nothing");
		cJSON_Delete(e);
		input_release(&in);
	}
}

static void a_long_step(void **state)
{
	(void)state;
	struct written_step steps[] = {gemm_and_add, gemm_and_add};
	for (int i = 0; i < 2; i++) {
		steps[i].us = 500;
		steps[i].kernels = 100;
		for (int k = 0; k < 100; k++)
			steps[i].kernel[k] = k < LEARN_LIST ? "gemm" : "other";
	}
	struct input in;
	read_paths(&in, write_trace("a.json", steps, 2), NULL);
	cJSON *e = learn(&in, false);
	assert_null(config_find(e, "step"));
	assert_int_equal(cJSON_GetArraySize(config_find(e, "kernel_names")), LEARN_LIST);
	assert_count(e, "kernels", 100);
	cJSON_Delete(e);
	input_release(&in);
}

static void no_steps(void **state)
{
	(void)state;
	struct input in;
	read_paths(&in, write_trace("a.json", &gemm_and_add, 0), NULL);
	cJSON *e = learn(&in, false);
	assert_null(config_find(e, "kernels"));
	assert_null(config_find(e, "cpu_step_us"));
	cJSON_Delete(e);
	e = learn(&in, true);
	assert_count(e, "kernels", 2);
	assert_null(config_find(e, "first_step"));
	cJSON_Delete(e);
	input_release(&in);
}

/* ---- the file ---- */

static void learn_to(const char *path, const char *a, const char *b)
{
	struct err err = {0};
	struct input in;
	read_paths(&in, a, b);
	if (learn_write(&in, path, &err))
		fail_msg("%s", err.text);
	input_release(&in);
}

static void judge_by(struct input *in, struct expectations *e, const char *path)
{
	struct err err = {0};
	if (expectations_read(e, path, &err) || expectations_apply(e, in, &err))
		fail_msg("%s", err.text);
}

static void learnt_is_kept_and_others_break_it(void **state)
{
	(void)state;
	struct written_step steps[] = {gemm_and_add, gemm_and_add, gemm_and_add};
	struct expectations e = {0};
	struct input in;
	const char *file = scratch_path("learnt.json");
	const char *a = write_trace("a.json", steps, 3), *b = write_trace("b.json", steps, 0);
	learn_to(file, a, b);
	read_paths(&in, a, b);
	judge_by(&in, &e, file);
	assert_int_equal(e.n, 2);
	assert_true(in.runs[0].cases[1].whole);
	for (int i = 0; i < 2; i++) {
		assert_true(in.runs[0].cases[i].verdicts->kept > 8);
		assert_int_equal(in.runs[0].cases[i].verdicts->broken, 0);
		assert_int_equal(in.runs[0].cases[i].verdicts->open, 0);
	}
	expectations_release(&e);
	input_release(&in);

	for (int i = 0; i < 3; i++)
		steps[i].kernel[0] = "sm80_xmma_gemm_bf16_128x64"; /* another variant */
	write_trace("a.json", steps, 3);
	read_paths(&in, a, b);
	judge_by(&in, &e, file);
	const struct verdict *names = find_verdict(&in.runs[0].cases[0], "kernel_names");
	assert_int_equal(names->state, VERDICT_BROKEN);
	assert_string_equal(names->wanted, gemm_and_add.kernel[0]);
	assert_string_equal(names->saw, steps[0].kernel[0]);
	assert_int_equal(in.runs[0].cases[0].verdicts->broken, 1);
	expectations_release(&e);
	input_release(&in);
}

/* Two files of one name are told apart by their folders. */
static void names_are_unique(void **state)
{
	(void)state;
	struct written_step steps[] = {gemm_and_add, gemm_and_add};
	struct expectations e = {0};
	struct err err = {0};
	mkdir(scratch_path("one"), 0777);
	mkdir(scratch_path("two"), 0777);
	const char *a = write_trace("one/t.json", steps, 2);
	const char *b = write_trace("two/t.json", steps, 2);
	const char *file = scratch_path("learnt.json");
	learn_to(file, a, b);
	if (expectations_read(&e, file, &err))
		fail_msg("%s", err.text);
	assert_string_equal(e.trace[0].name, "one/t.json");
	assert_string_equal(e.trace[1].name, "two/t.json");
	expectations_release(&e);
}

/* What a case was compared with it is compared with again, under the other's name in the file. */
static void comparisons_are_learnt(void **state)
{
	(void)state;
	struct written_step steps[] = {gemm_and_add, gemm_and_add, gemm_and_add};
	struct expectations e = {0}, learnt = {0};
	struct err err = {0};
	struct input in;
	const char *a = write_trace("a.json", steps, 3);
	for (int i = 0; i < 3; i++) {
		steps[i].us = 25;
		steps[i].kernels = 1;
	}
	const char *b = write_trace("b.json", steps, 3), *file = scratch_path("learnt.json");
	read_paths(&in, a, b);
	judge_by(&in, &e,
		write_text("e.json",
			"{\"traces\": [{\"trace\": \"b.json\", \"guess\": \"half\", \"expect\": {"
			"\"fewer_kernels_than\": {\"case\": \"a.*\", \"by\": 9},"
			"\"same_gemm_as\": \"a.*\", \"step_time_ratio\": {\"case\": \"a.*\", "
			"\"max\": 0.1}, \"must_fire\": [{\"id\": \"G4\", \"case\": \"a.*\"}, "
			"\"K1\"]}}]}"));
	if (learn_write(&in, file, &err) || expectations_read(&learnt, file, &err))
		fail_msg("%s", err.text);
	assert_string_equal(
		cJSON_GetStringValue(config_find(learnt.trace[1].entry, "guess")), "half");
	const cJSON *x = config_find(learnt.trace[1].entry, "expect");
	assert_count(config_find(x, "fewer_kernels_than"), "by", 1);
	assert_string_equal(config_find(x, "same_gemm_as")->valuestring, "a.json");
	assert_null(config_find(x, "other_gemm_than"));
	assert_limits(x, "step_time_ratio", floor(500 / learn_ratios) / 1000,
		ceil(500 * learn_ratios) / 1000);
	const cJSON *quiet = config_find(x, "must_not_fire");
	assert_int_equal(cJSON_GetArraySize(quiet), 1); /* K1 has nothing to look at */
	assert_string_equal(config_find(quiet->child, "case")->valuestring, "a.json");
	assert_null(config_find(x, "must_fire"));
	expectations_release(&learnt);
	expectations_release(&e);
	input_release(&in);
}

static void nothing_to_learn(void **state)
{
	(void)state;
	struct input in = {0};
	struct err err = {0};
	const char *path = scratch_path("none.json");
	struct stat st;
	assert_int_equal(learn_write(&in, path, &err), -1);
	assert_non_null(strstr(err.text, "nothing to learn"));
	assert_int_equal(stat(path, &st), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_steps),
		cmocka_unit_test(unsteady_steps),
		cmocka_unit_test(near_a_threshold),
		cmocka_unit_test(a_long_step),
		cmocka_unit_test(no_steps),
		cmocka_unit_test(learnt_is_kept_and_others_break_it),
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(comparisons_are_learnt),
		cmocka_unit_test(nothing_to_learn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
