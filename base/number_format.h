/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number_format.h - numbers as a reader likes them: thin spaces between thousands from five digits
 * on, a true minus, "n/a" for what is not finite. All results live in the arena; the locale plays
 * no part.
 */
#ifndef BASE_NUMBER_FORMAT_H
#define BASE_NUMBER_FORMAT_H

#include "base/arena.h"

#include <stdint.h>

/* Three significant digits with the fitting unit: "0.84 µs", "12.3 µs", "730 ms", "1.40 s";
 * a few nanoseconds as they are: "4 ns", "12.5 ns". */
const char *format_time(struct arena *a, double ns);

/* "1 234 567". */
const char *format_count(struct arena *a, int64_t n);

/* "12.3 %" of a share 0..1. */
const char *format_share(struct arena *a, double share);

/* "1.80×"; "< 0.01×" of what would be 0. */
const char *format_ratio(struct arena *a, double ratio);

/* A list with one more part: "a" and "b" with ", " between them; the part alone after "". Behind 8
 * kB nobody reads on: "…" stands for all that follows. */
const char *listed(struct arena *a, const char *list, const char *between, const char *part);

/* A grid or a block: "12×16×2"; dimensions of 1 behind the last other one are left out. */
const char *format_triple(struct arena *a, const int32_t n[3]);

/* A number with a metric prefix: "137 GFLOP", "33.6 MB" (powers of 1000). */
const char *format_si(struct arena *a, double value, const char *unit);

#endif
