/* SPDX-License-Identifier: Apache-2.0 */
/* Names of counters and how many passes they take: worked out by CUPTI without a GPU. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "experiments/cuda/hardware_counters.h"

#include <cmocka.h>

static struct counters *plan(const char *chip, bool deep)
{
	struct err err = {0};
#ifdef __SANITIZE_ADDRESS__
	print_message("CUPTI's planning does not run under a sanitizer (RTLD_DEEPBIND)\n");
	skip();
#endif
	struct counters *c = counters_plan(chip, deep, &err);
	if (!c && strstr(err.text, "is missing")) {
		print_message("%s\n", err.text);
		skip();
	}
	if (!c)
		fail_msg("%s", err.text);
	return c;
}

static void test_passes(void **state)
{
	(void)state;
	static const struct {
		const char *chip;
		bool deep;
		size_t most;
	} examples[] = {
		{"GH100", false, 1}, {"GA100", false, 1}, {"GH100", true, 8}, {"GA100", true, 5}};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct counters *c = plan(examples[i].chip, examples[i].deep);
		print_message("%s%s: %zu metrics, %zu passes\n", examples[i].chip,
			examples[i].deep ? " deep" : "", counters_metrics(c), counters_passes(c));
		assert_true(counters_passes(c) >= 1 && counters_passes(c) <= examples[i].most);
		assert_true(examples[i].deep == (counters_passes(c) > 1));
		counters_close(c);
	}
}

static void test_metrics(void **state)
{
	(void)state;
	struct counters *c = plan("GH100", false), *deep = plan("GH100", true);
	assert_int_equal(counters_metrics(c) + 1, counters_metrics(deep));
	for (size_t i = 0; i < counters_metrics(c); i++) {
		assert_non_null(counters_metric(c, i)->about);
		assert_false(counters_metric(c, i)->deep);
	}
	counters_close(c);
	counters_close(deep);
}

static void test_unknown_chip(void **state)
{
	(void)state;
	struct err err = {0};
	counters_close(plan("GH100", false));
	assert_null(counters_plan("ZX81", false, &err));
	assert_non_null(strstr(err.text, "ZX81: CUPTI says"));
}

/* No GPU, no counters; and no crash, which CUPTI 13.0 has for it. */
static void test_without_a_gpu(void **state)
{
	(void)state;
	struct err err = {0};
	struct counters *c = counters_open(false, &err);
	if (c) {
		counters_close(c);
		print_message("there is a GPU here\n");
		skip();
	}
	assert_true(err.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passes),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_unknown_chip),
		cmocka_unit_test(test_without_a_gpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
