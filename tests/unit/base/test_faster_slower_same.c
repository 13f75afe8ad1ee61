/* SPDX-License-Identifier: Apache-2.0 */
/* The interval of a ratio: against tables of Mann and Whitney's test, and against numbers made so
 * that the answer is known. */
#include "base/faster_slower_same.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ratio judge(
	const int64_t *before, size_t n, const int64_t *after, size_t m, const double *levels)
{
	return ratio_of(before, n, after, m, levels);
}

static void three_a_side_reach_90_percent(void **state)
{
	(void)state;
	int64_t before[] = {100000, 110000, 105000}, after[] = {50000, 52000, 51000};
	struct ratio r = judge(before, 3, after, 3, usual_levels);
	assert_true(r.level == 0.90);
	assert_int_equal(r.change, CHANGE_FASTER);
	assert_true(r.low == 50000.0 / 110000 && r.high == 52000.0 / 100000);
	assert_true(r.before_ns == 105000 && r.after_ns == 51000);
}

static void two_a_side_say_nothing(void **state)
{
	(void)state;
	int64_t before[] = {100000, 100000}, after[] = {900000, 900000};
	struct ratio r = judge(before, 2, after, 2, usual_levels);
	assert_true(r.level == 0);
	assert_int_equal(r.change, CHANGE_INCONCLUSIVE);
	r = judge(before, 2, before, 2, usual_levels);
	assert_int_equal(r.change, CHANGE_INCONCLUSIVE);
}

/* Of 5 and 5 samples the table of Mann and Whitney (two-sided 5 %) rejects at U <= 2: the third
 * ratio from either end. */
static void five_a_side_are_as_in_the_table(void **state)
{
	(void)state;
	int64_t before[] = {100000, 100000, 100000, 100000, 100000},
		after[] = {101000, 102000, 103000, 104000, 105000};
	struct ratio r = judge(before, 5, after, 5, usual_levels);
	assert_true(r.level == 0.95);
	/* Each of the five ratios stands five times. */
	assert_true(r.low == 1.01 && r.high == 1.05);
	int64_t other[] = {100000, 200000, 400000, 800000, 1600000},
		one[] = {100000, 100000, 100000, 100000, 100001};
	r = judge(other, 5, one, 5, usual_levels);
	assert_true(r.low <= 0.0625 && r.high >= 0.99);
	assert_int_equal(r.change, CHANGE_INCONCLUSIVE);
}

/* Tables of Student's distribution (Abramowitz and Stegun, table 26.10). */
static void students_quantiles_are_as_in_the_table(void **state)
{
	(void)state;
	static const struct {
		double tail, degrees, t;
	} row[] = {{0.05, 1, 6.314}, {0.025, 1, 12.706}, {0.05, 2, 2.920}, {0.025, 2, 4.303},
		{0.005, 4, 4.604}, {0.025, 10, 2.228}, {0.0005, 10, 4.587}, {0.025, 120, 1.980}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_true(fabs(student_quantile(row[i].tail, row[i].degrees) - row[i].t) < 6e-4);
}

/* Two steps a side have an interval of their own, one has none; equal steps are so by the clock. */
static void few_steps_are_told_by_student(void **state)
{
	(void)state;
	int64_t before[] = {100000, 102000}, after[] = {80000, 81000}, wild[] = {80000, 160000};
	struct ratio r = ratio_of_steps(before, 2, after, 2, usual_levels);
	assert_true(r.level == 0.90 && r.student);
	assert_int_equal(r.change, CHANGE_FASTER);
	double spread = sqrt((pow(log(1.02), 2) + pow(log(81.0 / 80), 2)) / 4);
	double middle = (log(80) + log(81) - log(100) - log(102)) / 2;
	assert_true(fabs(log(r.high) - (middle + 2.919986 * spread)) < 1e-6);
	assert_true(fabs(log(r.low) - (middle - 2.919986 * spread)) < 1e-6);
	r = ratio_of_steps(before, 2, wild, 2, usual_levels);
	assert_int_equal(r.change, CHANGE_INCONCLUSIVE);
	assert_true(r.low < 1 && r.high > 1);
	assert_true(ratio_of_steps(before, 1, after, 1, usual_levels).level == 0);
	int64_t equal[] = {100000, 100000};
	r = ratio_of_steps(equal, 2, equal, 2, usual_levels);
	assert_true(r.change == CHANGE_SAME && r.high > 1.002 && r.high < 1.004);
	assert_false(ratio_of(before, 2, after, 2, usual_levels).student);
}

/* Four a side reach 95 %, three 90 %; a wider interval and a smaller difference want more. */
static void what_would_decide(void **state)
{
	(void)state;
	assert_int_equal(ratio_samples_for(0.90), 3);
	assert_int_equal(ratio_samples_for(0.95), 4);
	assert_true(ratio_samples_for(1 - 0.001 / 220) > 8);
	struct ratio r = {.ratio = 1.2,
		.low = 1 / 1.44,
		.high = 1.44 * 1.44,
		.level = 0.9,
		.n_before = 4,
		.n_after = 4};
	size_t wide = ratio_needs(&r, 0.90, change_least);
	assert_true(wide >= 4 * 9 && wide <= 4 * 9 + 1); /* thrice as wide as it may be */
	r.low = 1.1, r.high = 1.3;
	assert_int_equal(ratio_needs(&r, 0.90, change_least), 3);
	r.level = 0;
	assert_int_equal(ratio_needs(&r, 0.95, change_least), 4);
	r = (struct ratio){
		.ratio = 1.0499, .low = 0.5, .high = 2, .level = 0.9, .n_before = 4, .n_after = 4};
	assert_int_equal(ratio_needs(&r, 0.90, change_least), 1000);
	assert_int_equal(ratio_change(&(struct ratio){.ratio = 1.04,
					      .low = 1.03,
					      .high = 1.05,
					      .level = 0.9,
					      .before_ns = 100000},
				 0.03),
		CHANGE_SLOWER);
}

static void equal_ones_are_the_same(void **state)
{
	(void)state;
	int64_t v[30], w[30];
	for (int i = 0; i < 30; i++) {
		v[i] = 100000 + 100 * (i % 7);
		w[i] = 100000 + 100 * (i % 5);
	}
	struct ratio r = judge(v, 30, w, 30, usual_levels);
	assert_int_equal(r.change, CHANGE_SAME);
	for (int i = 0; i < 30; i++)
		w[i] = w[i] * 11 / 10;
	r = judge(v, 30, w, 30, usual_levels);
	assert_int_equal(r.change, CHANGE_SLOWER);
	assert_true(r.ratio > 1.09 && r.ratio < 1.11);
}

/* 4 % are certain, and less than a gate looks for; 50 ns are the clock's. */
static void small_changes_are_no_changes(void **state)
{
	(void)state;
	int64_t v[8], w[8];
	for (int i = 0; i < 8; i++) {
		v[i] = 100000 + i;
		w[i] = 104000 + i;
	}
	assert_int_equal(judge(v, 8, w, 8, usual_levels).change, CHANGE_SAME);
	for (int i = 0; i < 8; i++) {
		v[i] = 310;
		w[i] = 360;
	}
	assert_int_equal(judge(v, 8, w, 8, usual_levels).change, CHANGE_SAME);
}

/* One wild sample on a side changes no verdict. */
static void a_wild_sample_is_borne(void **state)
{
	(void)state;
	int64_t v[10], w[10];
	for (int i = 0; i < 10; i++) {
		v[i] = 100000 + 10 * i;
		w[i] = 120000 + 10 * i;
	}
	v[9] = 90000000;
	assert_int_equal(judge(v, 10, w, 10, usual_levels).change, CHANGE_SLOWER);
}

static void many_samples_are_thinned(void **state)
{
	(void)state;
	enum { MANY = 5000 };
	static int64_t v[MANY], w[MANY];
	for (int i = 0; i < MANY; i++) {
		v[i] = 20000 + i % 100;
		w[i] = 22000 + i % 100;
	}
	struct ratio r = judge(v, MANY, w, MANY, usual_levels);
	assert_int_equal(r.change, CHANGE_SLOWER);
	assert_true(r.level == 0.95 && r.n_before == MANY && r.low > 1.09 && r.high < 1.11);
}

static void empty_sides_say_nothing(void **state)
{
	(void)state;
	int64_t v[] = {0, 0, 0, 0};
	assert_int_equal(judge(v, 0, v, 4, usual_levels).change, CHANGE_INCONCLUSIVE);
	assert_int_equal(judge(v, 4, v, 4, usual_levels).change, CHANGE_INCONCLUSIVE);
}

/* Twelve rounds are one block: the test of all against all. */
static void one_block_is_mann_and_whitney(void **state)
{
	(void)state;
	int64_t v[12], w[12];
	for (int i = 0; i < 12; i++) {
		v[i] = 100000 + 137 * ((i * 5) % 12);
		w[i] = 112000 + 211 * ((i * 7) % 12);
	}
	struct ratio turn = ratio_in_turn(v, w, 12, usual_levels),
		     all = judge(v, 12, w, 12, usual_levels);
	assert_true(turn.in_turn && turn.level == 0.95);
	assert_true(turn.low == all.low && turn.high == all.high);
	assert_int_equal(turn.change, CHANGE_SLOWER);
}

/* Five blocks of eight, ten times longer in each: without blocks nothing is told, with them 10 %
 * are. */
static void what_drifts_is_borne_in_turn(void **state)
{
	(void)state;
	enum { ROUNDS = 40 };
	static const double strict[] = {0.9999, 0};
	int64_t v[ROUNDS], w[ROUNDS];
	int64_t base = 10000;
	for (int i = 0; i < ROUNDS; i++) {
		if (i && i % 8 == 0)
			base *= 10;
		v[i] = base + base / 1000 * (i % 5);
		w[i] = base * 11 / 10 + base / 1000 * (i % 3);
	}
	assert_int_equal(judge(v, ROUNDS, w, ROUNDS, strict).change, CHANGE_INCONCLUSIVE);
	struct ratio r = ratio_in_turn(v, w, ROUNDS, strict);
	assert_int_equal(r.change, CHANGE_SLOWER);
	assert_true(r.low > 1.09 && r.high < 1.11 && r.level == strict[0]);
	assert_int_equal(ratio_in_turn(w, v, ROUNDS, strict).change, CHANGE_FASTER);
	assert_int_equal(ratio_in_turn(v, v, ROUNDS, strict).change, CHANGE_SAME);
}

/* Two blocks of 8 rounds: both statistics at their end is one of C(16, 8) squared orders. */
static void levels_are_those_of_the_sum(void **state)
{
	(void)state;
	int64_t v[16], w[16];
	for (int i = 0; i < 16; i++) {
		v[i] = 100000;
		w[i] = 120000;
	}
	const double orders = 12870.0 * 12870.0;
	const double reached[] = {1 - 2 / orders * 1.01, 0}, missed[] = {1 - 2 / orders * 0.99, 0};
	assert_true(ratio_in_turn(v, w, 16, reached).level > 0);
	assert_true(ratio_in_turn(v, w, 16, missed).level == 0);
	v[3] = 0; /* a round without a time is none */
	assert_int_equal(ratio_in_turn(v, w, 16, usual_levels).n_before, 15);
	assert_int_equal(ratio_in_turn(v, w, 0, usual_levels).change, CHANGE_INCONCLUSIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_a_side_reach_90_percent),
		cmocka_unit_test(two_a_side_say_nothing),
		cmocka_unit_test(five_a_side_are_as_in_the_table),
		cmocka_unit_test(students_quantiles_are_as_in_the_table),
		cmocka_unit_test(few_steps_are_told_by_student),
		cmocka_unit_test(what_would_decide),
		cmocka_unit_test(equal_ones_are_the_same),
		cmocka_unit_test(small_changes_are_no_changes),
		cmocka_unit_test(a_wild_sample_is_borne),
		cmocka_unit_test(many_samples_are_thinned),
		cmocka_unit_test(empty_sides_say_nothing),
		cmocka_unit_test(one_block_is_mann_and_whitney),
		cmocka_unit_test(what_drifts_is_borne_in_turn),
		cmocka_unit_test(levels_are_those_of_the_sum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
