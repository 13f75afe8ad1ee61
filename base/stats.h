/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h - what a set of measurements looks like, in a few numbers.
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats {
	size_t n;
	int64_t total, min, max; /* unit of the samples */
	double mean;
	double p5, p25, median, p75, p95;
	double mad; /* median of |x - median| */
};

/* The quantile q (0..1) of n sorted samples, linear between neighbours (Hyndman and Fan, type 7, as
 * numpy's default). n must be at least 1. */
double quantile(const int64_t *sorted, size_t n, double q);

/* Of fewer samples the 5 % quantile lies between the smallest two: say their range instead. */
enum { PERCENTILES_FROM = 20 };

/* Sorts the samples in place and describes them; all zero when n is 0. */
struct stats stats_of(int64_t *samples, size_t n);

/* Where the sample stands that is quoted and drawn for all n (at least 1), which keep their order:
 * the middle one by size. The two middle ones of an even number are as near to their mean: the
 * smaller one, since recording only ever makes a step longer (of the two later steps of 68
 * recordings it took 1.21 times the program's own time on geometric average, both together 1.25).
 */
size_t median_place(const int64_t *samples, size_t n);

/* The one that sorting would put at place k, in linear time; changes their order. */
int64_t stats_nth(int64_t *samples, size_t n, size_t k);

/* Their median alone, as stats_of has it, in linear time; changes their order. n must be at
 * least 1. */
double stats_median(int64_t *samples, size_t n);

#endif
