/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations for anybody's traces: the form of the file, which trace is meant, what it gets. */
#include "base/config.h"
#include "base/expectation.h"
#include "report/judge/judge.h"
#include "report/run/manifest.h"
#include "tests/unit/written_trace.h"

static void assert_says(const struct err *err, const char *const *words)
{
	assert_true(err->set);
	for (; *words; words++)
		if (!strstr(err->text, *words))
			fail_msg("\"%s\" does not say \"%s\"", err->text, *words);
}

static void expect_refused(const char *text, const char *const *words)
{
	struct expectations e = {0};
	struct err err = {0};
	assert_int_equal(expectations_read(&e, write_text("refused.json", text), &err), -1);
	assert_says(&err, words);
	assert_says(&err, (const char *const[]){"refused.json", NULL});
	expectations_release(&e);
}

#define REFUSED(text, ...) expect_refused(text, (const char *const[]){__VA_ARGS__, NULL})
#define TRACES(more) "{\"tracebook_expectations\": 1, \"traces\": [" more "]}"
#define EXPECT(what) TRACES("{\"trace\": \"a.json\", \"expect\": {" what "}}")

static void wrong_files(void **state)
{
	(void)state;
	REFUSED("[]", "object");
	REFUSED("{", "line 1");
	REFUSED("{}", "\"expect\" is missing");
	REFUSED("{\"tracebook_expectations\": 2, \"expect\": {}}", "is 2");
	REFUSED("{\"expects\": {}}", "\"expects\"", "did you mean \"expect\"");
	REFUSED("{\"trace\": \"a\", \"expect\": {}}", "\"trace\"");
	REFUSED("{\"traces\": {}}", "list");
	REFUSED(TRACES(""), "at least one");
	REFUSED("{\"traces\": [{\"trace\": \"a\", \"expect\": {}}], \"expect\": {}}",
		"unknown field \"expect\"");
	REFUSED(TRACES("3"), "trace 1", "object");
	REFUSED(TRACES("{\"expect\": {}}"), "trace 1", "\"trace\" is missing");
	REFUSED(TRACES("{\"trace\": \"a.json\"}"), "trace 1 (a.json)", "\"expect\" is missing");
	REFUSED(TRACES("{\"trace\": \"a\", \"expect\": {}},"
		       "{\"trace\": \"b\", \"titel\": \"T\", \"expect\": {}}"),
		"trace 2 (b)", "\"titel\"", "did you mean \"title\"");
	REFUSED(TRACES("{\"trace\": \"a\", \"whole\": 1, \"expect\": {}}"), "true or false");
}

static void wrong_expectations(void **state)
{
	(void)state;
	REFUSED("{\"thresholds\": {\"T9.ratio\": 1}, \"expect\": {}}", "\"thresholds\"",
		"no detector \"T9\"", "OVERHEAD-BOUND, DEVICE-BOUND");
	REFUSED("{\"thresholds\": [], \"traces\": [{\"trace\": \"a\", \"expect\": {}}]}",
		"\"thresholds\" must be an object");
	REFUSED(EXPECT("\"kernel\": 2"), "trace 1 (a.json)", "did you mean \"kernels\"");
	REFUSED(EXPECT("\"syncs\": -1"), "\"syncs\"", "negative");
	REFUSED(EXPECT("\"queries\": 1.5"), "whole number");
	REFUSED(EXPECT("\"kernel_names\": \"a\""), "\"kernel_names\"", "list of texts");
	REFUSED(EXPECT("\"kernel_names\": [\"\"]"), "no empty one");
	REFUSED(EXPECT("\"device_busy\": 0.5"), "\"device_busy\"", "object");
	REFUSED(EXPECT("\"device_busy\": {}"), "\"min\" or \"max\"");
	REFUSED(EXPECT("\"device_busy\": {\"max\": 1.5}"), "share");
	REFUSED(EXPECT("\"device_busy\": {\"least\": 1}"), "\"least\"");
	REFUSED(EXPECT("\"cpu_step_us\": {\"min\": 3, \"max\": 2}"), "\"min\" is above");
	REFUSED(EXPECT("\"cpu_step_us\": {\"min\": -1}"), "at least 0");
	REFUSED(EXPECT("\"same_kernels_as\": 1"), "\"same_kernels_as\"");
	REFUSED(EXPECT("\"must_fire\": \"T1\""), "\"must_fire\"", "list of detectors");
	REFUSED(EXPECT("\"must_fire\": [1]"), "list of detectors");
	REFUSED(EXPECT("\"must_fire\": [{\"id\": \"G4\", \"than\": \"b\"}]"), "\"than\"");
	REFUSED(EXPECT("\"must_not_fire\": [\"T99\"]"), "\"T99\"", "known are OVERHEAD-BOUND, ");
	REFUSED(EXPECT("\"must_fire\": [\"G4\"]"), "G4 compares two traces");
	REFUSED(EXPECT("\"must_fire\": [{\"id\": \"T1\", \"case\": \"b\"}]"),
		"T1 looks at one trace");
}

/* Of every form one that is right. */
static void right_expectations(void **state)
{
	(void)state;
	const char *text = EXPECT(
		"\"step\": [\"gemm\"], \"kernels\": 0, \"syncs\": 0, \"queries\": 1,"
		"\"kernel_names\": [\"a\", \"b\"], \"regime\": \"mixed\", \"first_step\": \"equal\","
		"\"setup_share_first_step\": {\"min\": 0}, \"cpu_step_us\": {\"max\": 10},"
		"\"first_step_us\": {\"min\": 5}, \"widest_step\": {\"max\": 2},"
		"\"first_step_ratio\": {\"case\": \"b\", \"min\": 1},"
		"\"device_step_us\": {\"min\": 1, \"max\": 2}, \"device_busy\": {\"max\": 1},"
		"\"same_gemm_as\": \"b\", \"other_gemm_than\": \"b\", \"same_kernels_as\": \"b\","
		"\"fewer_kernels_than\": {\"case\": \"b\", \"by\": 1}, \"recompiles\": 0,"
		"\"step_time_ratio\": {\"case\": \"b\", \"min\": 1},"
		"\"device_time_ratio\": {\"case\": \"b\", \"max\": 1},"
		"\"same_kernel_every_step\": true, \"must_not_fire\": [],"
		"\"must_fire\": [\"T1\", {\"id\": \"G4\", \"case\": \"b\"}]");
	struct expectations e = {0};
	struct err err = {0};
	if (expectations_read(&e, write_text("right.json", text), &err))
		fail_msg("%s", err.text);
	assert_int_equal(e.n, 1);
	assert_string_equal(e.trace[0].name, "a.json");
	expectations_release(&e);
}

/* ---- which trace is meant ---- */

static void names_of_files(void **state)
{
	(void)state;
	struct report_case foreign = {.id = "runs/two/rank[1].json.gz"};
	assert_true(case_is_named(&foreign, "rank[1].json.gz"));
	assert_true(case_is_named(&foreign, "rank*.json.gz"));
	assert_true(case_is_named(&foreign, "two/rank*"));
	assert_true(case_is_named(&foreign, "t?o/*"));
	assert_true(case_is_named(&foreign, "*"));
	assert_true(case_is_named(&foreign, "runs/two/rank[1].json.gz"));
	assert_false(case_is_named(&foreign, "rank"));
	assert_false(case_is_named(&foreign, "one/rank*"));
	assert_false(case_is_named(&foreign, "two/*/rank*"));
	assert_false(case_is_named(&foreign, ""));

	struct run run = {.folder = "out/traces/host"};
	cJSON *entry = cJSON_Parse("{\"trace\": \"linear/8_eager.json\"}");
	struct report_case ours = {
		.id = "linear/8", .raw_entry = entry, .work = &no_work, .run = &run};
	assert_true(case_is_named(&ours, "linear/8"));
	assert_true(case_is_named(&ours, "linear/8_eager.json"));
	assert_true(case_is_named(&ours, "8_*.json"));
	assert_true(case_is_named(&ours, "host/linear/*"));
	assert_false(case_is_named(&ours, "linear/8_eager"));
	cJSON_Delete(entry);
}

/* ---- what the cases get ---- */

static void apply(struct input *in, struct expectations *e, const char *text)
{
	struct err err = {0};
	if (expectations_read(e, write_text("expect.json", text), &err) ||
		expectations_apply(e, in, &err))
		fail_msg("%s", err.text);
}

static void release(struct input *in, struct expectations *e)
{
	input_release(in);
	expectations_release(e);
}

static void a_foreign_trace_is_judged(void **state)
{
	(void)state;
	const struct written_step steps[] = {gemm_and_add, gemm_and_add, gemm_and_add};
	struct expectations e = {0};
	struct input in;
	read_paths(&in, write_trace("a.json", steps, 3), write_trace("b.json", steps, 3));
	assert_int_equal(in.runs[0].cases[0].verdicts->n, 0);
	apply(&in, &e,
		TRACES("{\"trace\": \"a.*\", \"title\": \"A\", \"question\": \"Q\", \"guess\": "
		       "\"G\", \"expect\": {\"kernels\": 2, \"step\": [\"gemm\", \"copy\"]}},"
		       "{\"trace\": \"*\", \"expect\": {\"syncs\": 0, \"same_kernels_as\": \"a.*\"}},"
		       "{\"trace\": \"nowhere\", \"expect\": {}}"));
	const struct report_case *a = &in.runs[0].cases[0], *b = a + 1;
	assert_string_equal(a->title, "A (a.json)");
	assert_string_equal(a->question, "Q");
	assert_string_equal(a->guess, "G");
	assert_int_equal(a->verdicts->n, 2);
	assert_int_equal(find_verdict(a, "kernels")->state, VERDICT_KEPT);
	const struct verdict *order = find_verdict(a, "step");
	assert_int_equal(order->state, VERDICT_BROKEN);
	assert_string_equal(order->wanted, "copy");
	assert_string_equal(order->saw, "add");
	assert_string_equal(b->title, "b.json");
	assert_int_equal(b->verdicts->kept, 2);
	assert_true(e.trace[0].seen && e.trace[1].seen && !e.trace[2].seen);
	release(&in, &e);
}

static void a_trace_without_steps(void **state)
{
	(void)state;
	struct expectations e = {0};
	struct input in;
	read_paths(&in, write_trace("a.json", &gemm_and_add, 0), NULL);
	apply(&in, &e, "{\"expect\": {\"kernels\": 2, \"launches\": 2}}");
	assert_int_equal(in.runs[0].cases[0].verdicts->open, 2);
	assert_int_equal(in.runs[0].cases[0].verdicts->verdict[0].reason, OPEN_NO_STEPS);
	expectations_release(&e);
	apply(&in, &e, "{\"whole\": true, \"expect\": {\"kernels\": 2, \"launches\": 3}}");
	assert_int_equal(in.runs[0].cases[0].verdicts->kept, 1);
	assert_int_equal(in.runs[0].cases[0].verdicts->broken, 1);
	release(&in, &e);
}

/* What the detectors say of the trace is what the judge hears. */
static void detectors_are_asked(void **state)
{
	(void)state;
	const struct written_step steps[] = {gemm_and_add, gemm_and_add, gemm_and_add};
	struct expectations e = {0};
	struct input in;
	read_paths(&in, write_trace("a.json", steps, 3), write_trace("b.json", steps, 3));
	apply(&in, &e,
		TRACES("{\"trace\": \"b.json\", \"expect\": {\"must_fire\": [\"T1\"], "
		       "\"must_not_fire\": [{\"id\": \"G4\", \"case\": \"a.json\"}]}}"));
	const struct report_case *b = &in.runs[0].cases[1];
	const struct finding *t1 = NULL;
	for (int i = 0; i < b->findings.n; i++)
		if (!strcmp(b->findings.finding[i].rule->id, "OVERHEAD-BOUND"))
			t1 = &b->findings.finding[i];
	assert_non_null(t1);
	assert_int_not_equal(t1->state, FINDING_NOT_APPLICABLE);
	assert_int_equal(find_verdict(b, "must_fire")->state,
		t1->state == FINDING_FIRED ? VERDICT_KEPT : VERDICT_BROKEN);
	assert_int_equal(find_verdict(b, "must_not_fire")->state, VERDICT_KEPT);
	release(&in, &e);
}

static void assert_not_applied(const char *text, const char *const *words)
{
	struct expectations e = {0};
	struct input in;
	struct err err = {0};
	read_paths(&in, write_trace("a.json", &gemm_and_add, 1),
		write_trace("b.json", &gemm_and_add, 1));
	if (expectations_read(&e, write_text("expect.json", text), &err))
		fail_msg("%s", err.text);
	assert_int_equal(expectations_apply(&e, &in, &err), -1);
	assert_says(&err, words);
	release(&in, &e);
}

static void names_that_fit_nothing(void **state)
{
	(void)state;
	assert_not_applied("{\"expect\": {\"kernels\": 2}}",
		(const char *const[]){"expect.json", "2 were read", "traces", NULL});
	assert_not_applied(TRACES("{\"trace\": \"c*\", \"expect\": {}}"),
		(const char *const[]){"it names c*", "read were a.json, b.json", NULL});
	assert_not_applied(TRACES("{\"trace\": \"a.json\", \"expect\": {\"same_gemm_as\": \"c\"}}"),
		(const char *const[]){"trace 1 (a.json)", "the case \"c\"", "was not read", NULL});
}

/* A partner that the file names need not be there. */
static void a_partner_that_was_not_read(void **state)
{
	(void)state;
	const struct written_step steps[] = {gemm_and_add, gemm_and_add};
	struct expectations e = {0};
	struct input in;
	read_paths(&in, write_trace("a.json", steps, 2), NULL);
	apply(&in, &e,
		TRACES("{\"trace\": \"a.json\", \"expect\": {\"same_kernels_as\": \"z.json\"}},"
		       "{\"trace\": \"z.json\", \"expect\": {}}"));
	assert_int_equal(in.runs[0].cases[0].verdicts->verdict[0].reason, OPEN_NO_CASE);
	release(&in, &e);
}

/* The file counts instead of run.json, for the cases that it names. */
static void a_case_of_a_run(void **state)
{
	(void)state;
	struct expectations e = {0};
	struct input in;
	read_paths(&in, "tests/golden/host/in", NULL);
	const struct run *run = &in.runs[0];
	int before = run->cases[1].verdicts->n;
	assert_true(run->cases[1].verdicts->broken > 0);
	char text[512];
	snprintf(text, sizeof text, TRACES("{\"trace\": \"%s\", \"expect\": {\"kernels\": 1}}"),
		run->cases[1].id);
	apply(&in, &e, text);
	assert_true(before > 1);
	assert_int_equal(run->cases[1].verdicts->n, 1);
	assert_int_equal(run->cases[1].verdicts->kept, 1);
	assert_true(run->cases[0].verdicts->n > 1); /* not named: as run.json says */
	assert_true(run->cases[1].question[0] != 0);
	release(&in, &e);
}

/* ---- the matrices ---- */

static bool any_case(const void *context, const char *id)
{
	(void)context;
	return id[0] != 0;
}

/* collect does not know the detectors, so that this is the place to find a wrong one. */
static void check_detectors(const cJSON *expect, const char *key)
{
	const cJSON *one;
	cJSON_ArrayForEach(one, config_find(expect, key))
	{
		bool pair = cJSON_IsObject(one);
		const char *id = cJSON_GetStringValue(pair ? config_find(one, "id") : one);
		const struct rule *d = rule_find(id);
		if (!d || !d->two == pair)
			fail_msg("%s: \"%s\" is no detector of that kind", key, id);
	}
}

static void the_matrices_ask_for_what_there_is(void **state)
{
	(void)state;
	static const char *const files[] = {"experiments/matrix.json", "experiments/gpu.json"};
	const struct case_ids ids = {any_case, NULL, ""};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct stat st;
		struct err err = {0};
		if (stat(files[i], &st))
			continue;
		cJSON *matrix = config_read(files[i], &err), *c;
		int n = 0;
		cJSON_ArrayForEach(c, config_find(matrix, "cases"))
		{
			const cJSON *expect = config_find(c, "expect");
			n += expect != NULL;
			if (expect && expectation_ok(expect, &ids, &err))
				fail_msg("%s: %s", files[i], err.text);
			check_detectors(expect, "must_fire");
			check_detectors(expect, "must_not_fire");
		}
		assert_true(n > 0);
		cJSON_Delete(matrix);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_files),
		cmocka_unit_test(wrong_expectations),
		cmocka_unit_test(right_expectations),
		cmocka_unit_test(names_of_files),
		cmocka_unit_test(a_foreign_trace_is_judged),
		cmocka_unit_test(a_trace_without_steps),
		cmocka_unit_test(detectors_are_asked),
		cmocka_unit_test(names_that_fit_nothing),
		cmocka_unit_test(a_partner_that_was_not_read),
		cmocka_unit_test(a_case_of_a_run),
		cmocka_unit_test(the_matrices_ask_for_what_there_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
