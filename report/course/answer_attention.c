/* SPDX-License-Identifier: Apache-2.0 */
/* Attention: as three kernels or one, and with a mask. */
#include "report/course/answers.h"
#include "report/run/manifest.h"

#include <math.h>

/* What the kernels of a step read and write, as the run says it of each: of attention as one
 * kernel, or of the separate ones. */
static double moved_bytes(const struct report_case *c, bool as_one)
{
	double bytes = 0;
	const struct case_work *w = told_work(c);
	for (int i = 0; i < w->n_kernels; i++) {
		double moved = w->kernel[i].read_bytes + w->kernel[i].write_bytes;
		if (isfinite(moved) && as_one == (w->kernel[i].class == CLASS_ATTENTION))
			bytes += moved;
	}
	return bytes;
}

/* a->c: softmax(q kT)v as three kernels, then as one, which moves what a step does at least. */
const char *answer_attention(struct answer *a)
{
	double tokens = shape_of(a->c[0], "seq");
	double scores = shape_of(a->c[0], "batch") * tokens * tokens * element_bytes(a->c[0]);
	double moved = moved_bytes(a->c[0], false), least = moved_bytes(a->c[1], true);
	if (!(scores > 0) || !(moved > 0) || !(least > 0) || !same_shape(a->c[0], a->c[1]) ||
		!(a->n[0].device_ns > 0) || a->n[1].kernels >= a->n[0].kernels)
		return NULL;
	tell_kernels(a, "work", 0);
	fill_in_bytes(a, "scores", scores);
	fill_in_bytes(a, "moved", moved);
	fill_in_bytes(a, "least", least);
	fill_in_ratio(a, "fewer", moved / least);
	return told_trend(a, "other.device_ratio") == TREND_LESS ? "faster" : "slower";
}

/* a->c: written out, the mask in place, and in one kernel. */
const char *answer_masked(struct answer *a)
{
	double tokens = shape_of(a->c[0], "seq");
	double scores = shape_of(a->c[0], "batch") * tokens * tokens * element_bytes(a->c[0]);
	if (!(scores > 0) || !same_shape(a->c[0], a->c[1]) || !same_shape(a->c[0], a->c[2]) ||
		!(a->n[0].device_ns > 0))
		return NULL;
	fill_in_bytes(a, "scores", scores);
	enum { READ_AND_WRITTEN = 2 };
	fill_in_bytes(a, "hidden", scores / 2); /* of a causal mask, which reads none */
	fill_in_bytes(a, "copied", READ_AND_WRITTEN * scores);
	fill_in_time(a, "copy", steady_ns(a->c[0], CLASS_COPY));
	return a->n[0].copies > a->n[1].copies ? "copied" : "same";
}
