/* SPDX-License-Identifier: Apache-2.0 */
#include "base/faster_slower_same.h"

#include "base/arena.h"
#include "base/sort.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double change_least = 0.05;
const double usual_levels[3] = {0.95, 0.90, 0};

const char *change_name(enum change change)
{
	static const char *const names[CHANGES] = {"same", "faster", "slower", "inconclusive"};
	return names[change];
}

static int64_t *sorted_copy(const int64_t *v, size_t n)
{
	int64_t *copy = xcalloc(n + 1, sizeof *copy);
	if (n)
		memcpy(copy, v, n * sizeof *v);
	qsort(copy, n, sizeof *copy, by_int64);
	return copy;
}

/* Sorted samples, of which at most MOST_SAMPLES stay, evenly spread. */
static size_t thin(int64_t *sorted, size_t n)
{
	if (n <= MOST_SAMPLES)
		return n;
	for (size_t i = 0; i < MOST_SAMPLES; i++)
		sorted[i] = sorted[(2 * i + 1) * n / (2 * (size_t)MOST_SAMPLES)];
	return MOST_SAMPLES;
}

/* How many orders of n and m samples have each value of Mann and Whitney's statistic: the
 * coefficients of the Gaussian binomial, by its product formula. */
static double *rank_orders(size_t n, size_t m)
{
	size_t most = n * m;
	double *count = xcalloc(most + 1, sizeof *count);
	count[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t u = most; u >= m + i; u--)
			count[u] -= count[u - m - i];
		for (size_t u = i; u <= most; u++)
			count[u] += count[u - i];
	}
	return count;
}

/* The largest k for which the first k of (n) counts are at most the tail of all. */
static size_t place_of(const double *count, size_t n, double tail)
{
	double all = 0, below = 0;
	for (size_t u = 0; u < n; u++)
		all += count[u];
	size_t k = 0;
	while (k + 1 < n && below + count[k] <= tail * all * (1 + 1e-9))
		below += count[k++];
	return k;
}

static size_t exact_place(size_t n, size_t m, double tail)
{
	double *count = rank_orders(n, m);
	size_t k = place_of(count, n * m + 1, tail);
	free(count);
	return k;
}

/* The quantile of the normal distribution for a small tail (Abramowitz and Stegun 26.2.23). */
static double normal_quantile(double tail)
{
	double t = sqrt(-2 * log(tail));
	return t -
		(2.515517 + t * (0.802853 + t * 0.010328)) /
		(1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* k: the interval goes from the k-th ratio from below to the k-th from above; 0: none. */
static size_t interval_place(size_t n, size_t m, double level)
{
	double tail = (1 - level) / 2;
	if (n <= EXACT_SAMPLES && m <= EXACT_SAMPLES)
		return exact_place(n, m, tail);
	double mean = (double)n * (double)m / 2;
	double off = normal_quantile(tail) * sqrt(mean * (double)(n + m + 1) / 6);
	return mean - off >= 1 ? (size_t)(mean - off) : 0;
}

/* The one that sorting would put at place k: numbers above 0 are in the order of their bits. */
static double nth_ratio(int64_t *bits, size_t n, size_t k)
{
	double ratio;
	int64_t nth = stats_nth(bits, n, k);
	memcpy(&ratio, &nth, sizeof ratio);
	return ratio;
}

static void set_interval(
	struct ratio *r, const int64_t *before, size_t n, const int64_t *after, size_t m, size_t k)
{
	int64_t *all = xcalloc(n * m, sizeof *all);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++) {
			double ratio = (double)after[j] / (double)before[i];
			memcpy(&all[i * m + j], &ratio, sizeof ratio);
		}
	r->low = fmin(nth_ratio(all, n * m, k - 1), r->ratio);
	r->high = fmax(nth_ratio(all, n * m, n * m - k), r->ratio);
	free(all);
}

/* ---- few samples ---- */

/* The continued fraction of the incomplete beta function (Press et al., Numerical Recipes, 6.4). */
static double beta_fraction(double a, double b, double x)
{
	enum { MOST_TERMS = 300 };
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (int i = 1; i <= MOST_TERMS; i++) {
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
		for (int k = 0; k < 2; k++) {
			double term = k ? odd : even;
			d = 1 + term * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + term / c;
			c = fabs(c) < tiny ? tiny : c;
			h *= c * d;
		}
		if (fabs(c * d - 1) < 1e-14)
			break;
	}
	return h;
}

/* The share of Student's distribution beyond t > 0. */
static double student_tail(double t, double degrees)
{
	double a = degrees / 2, b = 0.5, x = degrees / (degrees + t * t);
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	bool low = x < (a + 1) / (a + b + 2);
	double beta = low ? front * beta_fraction(a, b, x) / a
			  : 1 - front * beta_fraction(b, a, 1 - x) / b;
	return beta / 2;
}

double student_quantile(double tail, double degrees)
{
	double low = 1e-9, high = 1;
	while (student_tail(high, degrees) > tail && high < 1e15)
		high *= 2;
	for (int i = 0; i < 200 && high / low > 1 + 1e-12; i++) {
		double middle = sqrt(low * high);
		if (student_tail(middle, degrees) > tail)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The mean of the logarithms; *squares grows by the squares of what they are off it. */
static double log_mean(const struct ratio_side *side, double *squares)
{
	double mean = 0;
	for (size_t i = 0; i < side->n_sorted; i++)
		mean += log((double)side->sorted[i]) / (double)side->n_sorted;
	for (size_t i = 0; i < side->n_sorted; i++)
		*squares += pow(log((double)side->sorted[i]) - mean, 2);
	return mean;
}

/* Where ranks reach no level: Student's interval of the difference of the logarithms' means, around
 * the ratio of the medians. */
static void set_few(struct ratio *r, const struct ratio_side *before,
	const struct ratio_side *after, double level)
{
	double n = (double)before->n_sorted, m = (double)after->n_sorted, squares = 0;
	double change = log_mean(after, &squares), free = n + m - 2;
	double was = log_mean(before, &squares);
	change -= was;
	/* Samples that are equal are so by the clock. */
	double clock = CHANGE_FLOOR_NS / (double)r->before_ns,
	       spread = fmax(sqrt(squares / free), clock);
	double off = student_quantile((1 - level) / 2, free) * spread * sqrt(1 / n + 1 / m);
	r->low = fmin(exp(change - off), r->ratio);
	r->high = fmax(exp(change + off), r->ratio);
	r->level = level;
	r->student = true;
}

enum change ratio_change(const struct ratio *r, double least)
{
	if (!(r->level > 0))
		return CHANGE_INCONCLUSIVE;
	double base = (double)r->before_ns, floor_ns = CHANGE_FLOOR_NS;
	bool far = round(fabs(r->ratio - 1) * base) >= floor_ns;
	if (far && r->low > 1 && r->ratio > 1 + least)
		return CHANGE_SLOWER;
	if (far && r->high < 1 && r->ratio < 1 - least)
		return CHANGE_FASTER;
	bool within = r->low >= 1 - least && r->high <= 1 + least;
	bool tiny = fabs(r->low - 1) * base < floor_ns && fabs(r->high - 1) * base < floor_ns;
	return within || tiny ? CHANGE_SAME : CHANGE_INCONCLUSIVE;
}

struct ratio_side ratio_side_of(const int64_t *v, size_t n)
{
	struct ratio_side side = {.n = n};
	int64_t *sorted = sorted_copy(v, n);
	side.median_ns = n ? v[median_place(v, n)] : 0;
	side.n_sorted = thin(sorted, n);
	memcpy(side.sorted, sorted, side.n_sorted * sizeof *sorted);
	free(sorted);
	return side;
}

struct ratio ratio_of_sides(
	const struct ratio_side *before, const struct ratio_side *after, const double *levels)
{
	size_t n = before->n_sorted, m = after->n_sorted, k = 0;
	struct ratio r = {.before_ns = before->median_ns,
		.after_ns = after->median_ns,
		.n_before = before->n,
		.n_after = after->n,
		.change = CHANGE_INCONCLUSIVE};
	if (!n || !m || r.before_ns <= 0)
		return r;
	r.ratio = (double)r.after_ns / (double)r.before_ns;
	for (; *levels > 0 && !k && before->sorted[0] > 0; levels++) {
		k = interval_place(n, m, *levels);
		r.level = k ? *levels : 0;
	}
	if (k)
		set_interval(&r, before->sorted, n, after->sorted, m, k);
	r.change = ratio_change(&r, change_least);
	return r;
}

struct ratio ratio_of(const int64_t *before, size_t n_before, const int64_t *after, size_t n_after,
	const double *levels)
{
	const struct ratio_side b = ratio_side_of(before, n_before);
	const struct ratio_side a = ratio_side_of(after, n_after);
	return ratio_of_sides(&b, &a, levels);
}

struct ratio ratio_of_steps(const int64_t *before, size_t n_before, const int64_t *after,
	size_t n_after, const double *levels)
{
	const struct ratio_side b = ratio_side_of(before, n_before);
	const struct ratio_side a = ratio_side_of(after, n_after);
	struct ratio r = ratio_of_sides(&b, &a, levels);
	size_t last = 0;
	while (*levels > 0 && levels[last + 1] > 0)
		last++;
	bool told = r.level > 0 || !(*levels > 0) || !(r.ratio > 0);
	if (told || b.n < 2 || a.n < 2 || b.sorted[0] <= 0 || a.sorted[0] <= 0)
		return r;
	set_few(&r, &b, &a, levels[last]);
	r.change = ratio_change(&r, change_least);
	return r;
}

size_t ratio_samples_for(double level)
{
	size_t n = 2;
	while (!interval_place(n, n, level))
		n++;
	return n;
}

size_t ratio_needs(const struct ratio *r, double level, double least)
{
	const double MOST = 1000;
	size_t fewest = ratio_samples_for(level);
	if (!(r->level > 0) || !(r->low > 0))
		return fewest;
	double off = fabs(log(r->ratio)), border = log(1 + least);
	double half = log(r->high / r->low) / 2, have = (double)(r->n_before + r->n_after) / 2;
	double may_be = off > border ? off : border - off; /* off 1, or within `least` of it */
	double n = may_be > 0 ? ceil(have * pow(half / may_be, 2)) : MOST;
	return n >= MOST ? (size_t)MOST : n > (double)fewest ? (size_t)n : fewest;
}

/* ---- in turn ---- */

/* The first of n rounds that stands in block k. */
static size_t block_begin(size_t n, size_t blocks, size_t k)
{
	return k * n / blocks;
}

/* The distribution of the sum of a block's statistic and one with (n) values; frees the latter. */
static double *with_block(double *so_far, size_t n, size_t rounds)
{
	size_t its = rounds * rounds + 1;
	double *block = rank_orders(rounds, rounds), all = 0;
	double *sum = xcalloc(n + its - 1, sizeof *sum);
	for (size_t u = 0; u < its; u++)
		all += block[u];
	for (size_t i = 0; i < n; i++)
		for (size_t u = 0; u < its; u++)
			sum[i + u] += so_far[i] * (block[u] / all);
	free(block);
	free(so_far);
	return sum;
}

/* All ratios within blocks, in order, *n of them; *place as of interval_place(). */
static double *ratios_in_turn(const int64_t *before, const int64_t *after, size_t rounds,
	const double *levels, size_t *n, struct ratio *r, size_t *place)
{
	size_t blocks = rounds < 2 * BLOCK_ROUNDS ? 1 : rounds / BLOCK_ROUNDS, most = 0;
	double *chance = xcalloc(1, sizeof *chance);
	double *all = xcalloc(rounds * (rounds / blocks + 1), sizeof *all);
	chance[0] = 1;
	*n = *place = 0;
	for (size_t k = 0; k < blocks; k++) {
		size_t from = block_begin(rounds, blocks, k),
		       to = block_begin(rounds, blocks, k + 1);
		chance = with_block(chance, most + 1, to - from);
		most += (to - from) * (to - from);
		for (size_t i = from; i < to; i++)
			for (size_t j = from; j < to; j++)
				all[(*n)++] = (double)after[j] / (double)before[i];
	}
	qsort(all, *n, sizeof *all, by_double);
	for (; *levels > 0 && !*place; levels++) {
		*place = place_of(chance, most + 1, (1 - *levels) / 2);
		r->level = *place ? *levels : 0;
	}
	free(chance);
	return all;
}

struct ratio ratio_in_turn(
	const int64_t *before, const int64_t *after, size_t n, const double *levels)
{
	int64_t *b = xcalloc(n + 1, sizeof *b), *a = xcalloc(n + 1, sizeof *a);
	size_t rounds = 0, ratios, place;
	for (size_t i = 0; i < n; i++)
		if (before[i] > 0 && after[i] > 0) {
			b[rounds] = before[i];
			a[rounds++] = after[i];
		}
	struct ratio r = {.n_before = rounds,
		.n_after = rounds,
		.change = CHANGE_INCONCLUSIVE,
		.in_turn = true};
	if (rounds) {
		double *all = ratios_in_turn(b, a, rounds, levels, &ratios, &r, &place);
		r.before_ns = b[median_place(b, rounds)];
		r.after_ns = a[median_place(a, rounds)];
		r.ratio = all[(ratios - 1) / 2];
		r.low = place ? all[place - 1] : 0;
		r.high = place ? all[ratios - place] : 0;
		r.change = ratio_change(&r, change_least);
		free(all);
	}
	free(b);
	free(a);
	return r;
}
