/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faster_slower_same.h - is one set of times longer than another, and are we sure?
 *
 * Judged is the ratio of the medians, after ÷ before. Its interval is that of Hodges and Lehmann
 * (1963), by inverting the test of Mann and Whitney: of all ratios of one time after and one
 * before, in order, the k-th from either end, where k is the largest at which the test still
 * rejects at the level. The test's distribution is exact up to EXACT_SAMPLES a side, beyond by its
 * normal approximation. It asks nothing of the distribution but that both sides have the same
 * shape, and one wild time moves an end by one place at most. (Hollander, Wolfe, Chicken:
 * Nonparametric Statistical Methods, 3rd ed., section 4.3; on logarithms, so that the shift is a
 * ratio.)
 *
 * Of so few steps that ranks reach no level, two a side at least, the interval is Student's, of the
 * logarithms, with one variance for both sides and the last level that is asked for
 * (ratio_of_steps): it asks that they are normal, and is wide. Of 108 comparisons of one recording
 * with another of the same program, on H100s, by two steps each it called 16 slower or faster that
 * were not so by the wall; ranks, by three steps each, 15: what differs is the process.
 *
 * Samples that were taken in turn (rounds of `collect --against`) are compared within blocks of
 * BLOCK_ROUNDS rounds that follow each other, so that what drifts from block to block hits both
 * sides alike: Mann and Whitney's statistics of the blocks, added up (van Elteren 1960, all blocks
 * of one size), whose distribution is exact, too. Ratio and interval are the median and the k-th
 * from either end of all ratios within blocks. Wider blocks tell more where nothing drifts: one
 * block is the test above, blocks of one round are the sign test.
 *
 *   faster, slower  the interval lies on one side of 1, the medians differ by more than
 *                   change_least and by CHANGE_FLOOR_NS
 *   same            the whole interval lies within change_least of 1, or the medians of so many
 *                   samples do not differ by CHANGE_FLOOR_NS at either end
 *   inconclusive    anything else: also too few samples for an interval. Never "same" then
 *
 * An interval is about the samples at hand: what a next process would differ by is not in steps of
 * one. The level that was reached stands beside it.
 */
#ifndef BASE_FASTER_SLOWER_SAME_H
#define BASE_FASTER_SLOWER_SAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum change { CHANGE_SAME, CHANGE_FASTER, CHANGE_SLOWER, CHANGE_INCONCLUSIVE, CHANGES };

/* "same", "faster", "slower", "inconclusive": words of the templates. */
const char *change_name(enum change change);

enum {
	CHANGE_FLOOR_NS = 100, /* smaller differences are the clock's */
	EXACT_SAMPLES = 20,
	BLOCK_ROUNDS = 8, /* at least, of more than as many */
	MOST_SAMPLES = 100 /* of more, so many quantiles stand for all */
};
extern const double change_least; /* 0.05 */

struct ratio {
	int64_t before_ns, after_ns; /* medians, each a sample (median_place of stats.h) */
	double ratio; /* after ÷ before; in turn the median within blocks. 0 when before is 0 or a
			 side has no samples */
	double low, high; /* 0 and 0: no interval */
	double level; /* 0.95: the confidence of the interval, 0 without */
	size_t n_before, n_after;
	enum change change;
	bool in_turn; /* of rounds */
	bool student; /* the interval is Student's */
};

static inline bool ratio_tells(const struct ratio *r)
{
	return r->change == CHANGE_FASTER || r->change == CHANGE_SLOWER;
}

/* What became, by another threshold than change_least. */
enum change ratio_change(const struct ratio *r, double least);

/* How few samples a side reach a level by ranks. */
size_t ratio_samples_for(double level);

/* About how many samples a side would decide a ratio that is inconclusive: so many that the
 * interval, which becomes narrower by their square root, leaves 1 or lies within `least` of it;
 * those of the level at least, and 1000 at most. */
size_t ratio_needs(const struct ratio *r, double level, double least);

/* A side of many ratios: its samples, counted, sorted and thinned once. */
struct ratio_side {
	size_t n;
	int64_t median_ns; /* of all n; 0 for none */
	int64_t sorted[MOST_SAMPLES]; /* (n_sorted) those that stand for all */
	size_t n_sorted;
};
struct ratio_side ratio_side_of(const int64_t *v, size_t n);
struct ratio ratio_of_sides(
	const struct ratio_side *before, const struct ratio_side *after, const double *levels);

/* Levels are tried in order up to a 0; the first one is taken that so few samples reach. */
struct ratio ratio_of(const int64_t *before, size_t n_before, const int64_t *after, size_t n_after,
	const double *levels);

/* The same, by Student's interval where ranks reach none of the levels. */
struct ratio ratio_of_steps(const int64_t *before, size_t n_before, const int64_t *after,
	size_t n_after, const double *levels);

/* The same of n rounds taken in turn; rounds in which a side has no time (0) do not count. */
struct ratio ratio_in_turn(
	const int64_t *before, const int64_t *after, size_t n, const double *levels);

/* The t at which Student's distribution with so many degrees of freedom (1 or more) has a share of
 * `tail` beyond: the incomplete beta function by its continued fraction, and bisection. */
double student_quantile(double tail, double degrees);

/* 0.95, else 0.90. */
extern const double usual_levels[3];

#endif
