/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answer/sure.h"

#include "base/format.h"

#include <math.h>
#include <string.h>

bool sure_is_noise(const struct sure_ratio *r)
{
	return r->certainty.low <= 1 && r->certainty.high >= 1;
}

static const char *number(struct arena *a, double ratio)
{
	const char *text = format_ratio(a, ratio);
	return arena_strndup(a, text, strcspn(text, "\xc3")); /* without its sign */
}

const char *sure_words(const struct texts *t, struct arena *a, const struct report_case *mine,
	const struct report_case *others, bool device)
{
	const struct sure_ratio r = case_ratio(a, mine, others, device);
	const struct certainty *x = &r.certainty;
	if (!(r.ratio > 0))
		return "–";
	const char *low = number(a, x->low), *high = number(a, x->high);
	const char *key = !strcmp(low, high) ? "ratio.alone"
		: sure_is_noise(&r)	     ? "ratio.noise"
					     : "ratio.sure";
	return say(t, a, key, "ratio", format_ratio(a, r.ratio), "low", low, "high", high, "mine",
		format_count(a, (int64_t)x->n_mine), "others",
		format_count(a, (int64_t)x->n_others), NULL);
}

double least_visible(struct arena *a, const struct report_case *c, bool device)
{
	const struct sure_ratio r = case_ratio(a, c, c, device);
	return r.ratio > 0 ? fmax(r.certainty.high - 1, 1 - r.certainty.low) : 0;
}
