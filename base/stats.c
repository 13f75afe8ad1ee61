/* SPDX-License-Identifier: Apache-2.0 */
#include "base/stats.h"

#include "base/err.h"
#include "base/min_max.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, SHORT_DIGIT_BITS = 8, MANY = 512, FEW = 24 };

/* One pass of a radix sort: from `from` to `to` by the digit of so many bits at `shift`, counted
 * from `least`. */
static void sort_by_digit(
	const int64_t *from, int64_t *to, size_t n, int64_t least, int shift, int bits)
{
	size_t place[1 << DIGIT_BITS], sum = 0, digits = (size_t)1 << bits;
	memset(place, 0, digits * sizeof *place);
	for (size_t i = 0; i < n; i++)
		place[((uint64_t)from[i] - (uint64_t)least) >> shift & (digits - 1)]++;
	for (size_t d = 0; d < digits; d++) {
		size_t count = place[d];
		place[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[place[((uint64_t)from[i] - (uint64_t)least) >> shift & (digits - 1)]++] =
			from[i];
}

static void insert_each(int64_t *samples, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int64_t one = samples[i];
		size_t at = i;
		for (; at && samples[at - 1] > one; at--)
			samples[at] = samples[at - 1];
		samples[at] = one;
	}
}

/* Durations span few digits, so that sorting a million of them digit by digit takes a fifth of
 * qsort's time, and sorting a hundred a ninth. */
static void sort(int64_t *samples, size_t n)
{
	if (n < FEW) {
		insert_each(samples, n);
		return;
	}
	int64_t least = samples[0], most = samples[0], here[MANY];
	for (size_t i = 1; i < n; i++) {
		least = min64(samples[i], least);
		most = max64(samples[i], most);
	}
	int64_t *other = n < MANY ? here : xalloc(n * sizeof *other);
	int64_t *from = samples, *to = other;
	int bits = n < MANY ? SHORT_DIGIT_BITS : DIGIT_BITS;
	uint64_t range = (uint64_t)most - (uint64_t)least;
	for (int shift = 0; shift < 64 && range >> shift; shift += bits) {
		sort_by_digit(from, to, n, least, shift, bits);
		int64_t *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != samples)
		memcpy(samples, from, n * sizeof *samples);
	if (other != here)
		free(other);
}

double quantile(const int64_t *sorted, size_t n, double q)
{
	double place = q * (double)(n - 1);
	size_t below = (size_t)place;
	size_t above = below + 1 < n ? below + 1 : below;
	double share = place - (double)below;
	return (double)sorted[below] * (1 - share) + (double)sorted[above] * share;
}

/* The middle of the distances from the median, found by walking outwards from it on both sides. */
static double median_distance(const int64_t *sorted, size_t n, double median)
{
	size_t right = 0;
	while (right < n && (double)sorted[right] < median)
		right++;
	size_t left = right;
	double previous = 0, distance = 0;
	for (size_t taken = 0; taken <= n / 2; taken++) {
		double to_left = left ? median - (double)sorted[left - 1] : (double)INFINITY;
		double to_right = right < n ? (double)sorted[right] - median : (double)INFINITY;
		previous = distance;
		if (to_left < to_right) {
			distance = to_left;
			left--;
		} else {
			distance = to_right;
			right++;
		}
	}
	return n % 2 ? distance : (previous + distance) / 2;
}

struct stats stats_of(int64_t *samples, size_t n)
{
	struct stats s = {.n = n};
	if (!n)
		return s;
	sort(samples, n);
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		s.total += samples[i];
		sum += (double)samples[i];
	}
	s.min = samples[0];
	s.max = samples[n - 1];
	s.mean = sum / (double)n;
	s.p5 = quantile(samples, n, 0.05);
	s.p25 = quantile(samples, n, 0.25);
	s.median = quantile(samples, n, 0.5);
	s.p75 = quantile(samples, n, 0.75);
	s.p95 = quantile(samples, n, 0.95);
	s.mad = median_distance(samples, n, s.median);
	return s;
}

static int64_t middle_of_three(int64_t a, int64_t b, int64_t c)
{
	if ((a <= b) == (b <= c))
		return b;
	return (b <= a) == (a <= c) ? a : c;
}

/* Moves what is less than a pivot to the front and returns how many that is. There is no branch to
 * be guessed wrong every other time. */
static size_t move_less(int64_t *s, size_t n, int64_t pivot)
{
	size_t less = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t v = s[i];
		s[i] = s[less];
		s[less] = v;
		less += v < pivot;
	}
	return less;
}

/* Near the middle, of nine all over where there are many: rising and falling samples, as queues
 * make them, have their middle at neither end nor half-way. */
static int64_t pivot_of(const int64_t *s, size_t n)
{
	enum { NINE = 9 };
	int64_t third[3];
	if (n < MANY)
		return middle_of_three(s[0], s[n / 2], s[n - 1]);
	for (size_t i = 0; i < 3; i++) {
		const size_t step = (n - 1) / (NINE - 1);
		third[i] = middle_of_three(s[i * step], s[(i + 3) * step], s[(i + 6) * step]);
	}
	return middle_of_three(third[0], third[1], third[2]);
}

/* Selection: s[k] is then what a sort would put there, nothing behind it is less. What does not
 * come to an end soon is sorted. */
static void select_nth(int64_t *s, size_t n, size_t k)
{
	for (int round = 0; n > 1; round++) {
		if (round == 64) {
			sort(s, n);
			return;
		}
		int64_t pivot = pivot_of(s, n);
		size_t less = move_less(s, n, pivot);
		if (k < less) {
			n = less;
			continue;
		}
		size_t upto =
			pivot < INT64_MAX ? less + move_less(s + less, n - less, pivot + 1) : n;
		if (k < upto)
			return;
		s += upto;
		n -= upto;
		k -= upto;
	}
}

size_t median_place(const int64_t *samples, size_t n)
{
	int64_t *sorted = xalloc(n * sizeof *sorted);
	memcpy(sorted, samples, n * sizeof *sorted);
	sort(sorted, n);
	int64_t median = sorted[(n - 1) / 2];
	size_t place = 0;
	while (samples[place] != median)
		place++;
	free(sorted);
	return place;
}

int64_t stats_nth(int64_t *samples, size_t n, size_t k)
{
	select_nth(samples, n, k);
	return samples[k];
}

double stats_median(int64_t *samples, size_t n)
{
	size_t below = (n - 1) / 2;
	int64_t median = stats_nth(samples, n, below);
	if (n % 2)
		return (double)median;
	int64_t above = samples[below + 1];
	for (size_t i = below + 2; i < n; i++)
		above = min64(samples[i], above);
	return (double)median * 0.5 + (double)above * 0.5;
}
