/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a case as run.json keeps them: what is written is read again, and what is wrong in
 * the file does no harm. */
#include "base/config.h"
#include "collect/hardware_counters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int clear(void **state)
{
	(void)state;
	arena_release(&arena);
	arena = (struct arena){0};
	return 0;
}

static const char *written(const struct case_counts *c)
{
	char *text = NULL;
	size_t n = 0;
	struct json_out j;
	FILE *f = open_memstream(&text, &n);
	assert_non_null(f);
	json_init(&j, f);
	json_object(&j, NULL, JSON_INLINE);
	counts_write(&j, c);
	json_end(&j);
	json_finish(&j);
	fclose(f);
	const char *kept = arena_strdup(&arena, text);
	free(text);
	return kept;
}

static struct case_counts from(const char *text)
{
	cJSON *json = cJSON_Parse(text);
	assert_non_null(json);
	struct case_counts c = counts_read(&arena, json);
	cJSON_Delete(json);
	return c;
}

static void round_trip(void **state)
{
	static const char *metric[] = {"dram__bytes_read.sum", "sm__cycles_elapsed.max"};
	static const double step[] = {1e9, 0.125}, kernel[] = {5e8, (double)NAN, 7, 8};
	(void)state;
	const struct case_counts c = {.how = COUNTING_DEEP,
		.passes = 3,
		.n_metrics = 2,
		.metric = metric,
		.step = step,
		.n_kernels = 2,
		.kernel = kernel};
	struct case_counts again = from(written(&c));
	assert_string_equal(written(&again), written(&c));
	assert_int_equal(again.how, COUNTING_DEEP);
	assert_int_equal(again.passes, 3);
	assert_string_equal(again.metric[1], metric[1]);
	assert_true(again.step[0] >= 1e9 && again.step[0] <= 1e9);
	assert_true(isnan(again.kernel[1]));
	assert_true(again.kernel[2] > 6 && again.kernel[2] < 8);
	assert_null(again.reason);
}

static void a_reason_is_all_there_is(void **state)
{
	(void)state;
	struct case_counts c = {.how = COUNTING_PLAIN, .reason = "counters are for root"};
	struct case_counts again = from(written(&c));
	assert_int_equal(again.how, COUNTING_PLAIN);
	assert_string_equal(again.reason, "counters are for root");
	assert_int_equal(again.n_metrics + again.n_kernels, 0);
}

static void odd_members(void **state)
{
	static const char *const odd[] = {"{\"metrics\": 3, \"step\": {}, \"kernels\": \"x\"}",
		"{\"metrics\": [1, null], \"step\": [\"a\"], \"kernels\": [[], 4, [1, 2, 3]]}",
		"{\"deep\": \"yes\", \"passes\": \"many\", \"reason\": 4}"};
	(void)state;
	assert_int_equal(counts_read(&arena, NULL).how, COUNTING_NONE);
	assert_int_equal(from("[1]").how, COUNTING_NONE);
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		assert_int_equal(from(odd[i]).how, COUNTING_PLAIN);
	struct case_counts c = from(odd[1]);
	assert_int_equal(c.n_metrics, 2);
	assert_int_equal(c.n_kernels, 3);
	assert_true(isnan(c.step[0]) && isnan(c.step[1]) && isnan(c.kernel[2]));
	assert_true(c.kernel[5] > 1 && c.kernel[5] < 3);
	assert_string_equal(c.metric[1], "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(round_trip, clear),
		cmocka_unit_test_teardown(a_reason_is_all_there_is, clear),
		cmocka_unit_test_teardown(odd_members, clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
