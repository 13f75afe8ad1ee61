#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
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
	qsort(samples, n, sizeof *samples, ascending);
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
