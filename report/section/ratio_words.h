/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ratio_words.h - a ratio of two cases as a reader sees it: with its interval and the steps behind
 * it.
 */
#ifndef REPORT_SECTION_RATIO_WORDS_H
#define REPORT_SECTION_RATIO_WORDS_H

#include "report/page/template_texts.h"
#include "report/run/run.h"

/* "0.63× [0.60–0.66, n 42 + 42]", and that it lies within the noise where it does: mine ÷ others',
 * of the device time or the CPU time of a step. "0.63× [n 1 + 1]" where no interval is known, "–"
 * without a ratio. */
const char *sure_words(const struct texts *t, struct arena *a, const struct report_case *mine,
	const struct report_case *others, bool device);

const char *sure_text(const struct texts *t, struct arena *a, const struct sure_ratio *r);

/* Times in nanoseconds, such as all runs of a kernel. */
struct times {
	const int64_t *ns; /* (n) */
	size_t n;
};

/* The same of two kernels whose medians have this ratio: the interval is that of all their runs
 * (base/faster_slower_same.h), of too few the whole range; and as wide at least as recordings of
 * the same work were apart in the run (run.apart_device; below 1: not known). */
struct sure_ratio sure_of_times(
	double ratio, const struct times *mine, const struct times *others, double apart);

/* Does the interval hold 1, so that nothing says which of the two takes longer? */
bool sure_is_noise(const struct sure_ratio *r);

/* A step's time on the device ÷ its time on the CPU, of all recordings of one case. */
struct sure_ratio device_to_cpu(struct arena *a, const struct report_case *c);

/* The smallest change of a case that stands out of its noise, as a share: how far a ratio of the
 * case with itself may be from 1. 0: not known. */
double least_visible(struct arena *a, const struct report_case *c, bool device);

#endif
