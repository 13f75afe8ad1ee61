/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios of kernels with the interval of all their runs. */
#include "report/judge/judge.h"
#include "report/section/ratio_words.h"
#include "tests/unit/page.h"

enum { MOST = 20 };

/* n runs of about `ns`, `step` apart. */
static struct times runs(int64_t *to, size_t n, int64_t ns, int64_t step)
{
	for (size_t i = 0; i < n; i++)
		to[i] = ns + (int64_t)i * step - (int64_t)n / 2 * step;
	return (struct times){to, n};
}

static void assert_said(
	double ratio, struct times mine, struct times others, double apart, const char *text)
{
	const struct sure_ratio r = sure_of_times(ratio, &mine, &others, apart);
	assert_string_equal(sure_text(texts, &arena, &r), text);
}

static void runs_of_kernels(void **state)
{
	(void)state;
	int64_t one[MOST], other[MOST];
	struct times slow = runs(one, MOST, 20000, 10), fast = runs(other, MOST, 10000, 10);
	assert_said(2, slow, fast, 0, "2.00× [1.99–2.01]");
	assert_said(2, slow, fast, 1.5, "2.00× [1.33–3.00]"); /* one process a side */
	assert_said(1, slow, slow, 0, "1.00× [1.00–1.00: noise]");
	/* Two a side reach no level: every run with every other. */
	slow = runs(one, 2, 20000, 4000);
	fast = runs(other, 2, 10000, 2000);
	assert_said(2, slow, fast, 0, "2.00× [1.60–2.50]");
	assert_said(2, runs(one, 3, 20000, 0), runs(other, 3, 10000, 0), 0, "2.00× [n 3 + 3]");
	fast.n = 0;
	assert_said(2, slow, fast, 0, "–");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(runs_of_kernels, clear_arena)};
	return cmocka_run_group_tests(tests, open_page, close_page);
}
