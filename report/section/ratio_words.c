/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/ratio_words.h"

#include "base/faster_slower_same.h"
#include "base/number_format.h"
#include "report/judge/judge.h"

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

const char *sure_text(const struct texts *t, struct arena *a, const struct sure_ratio *r)
{
	const struct certainty *x = &r->certainty;
	if (!(r->ratio > 0))
		return "–";
	const char *key = !(x->low < x->high) ? "ratio.alone"
		: sure_is_noise(r)	      ? "ratio.noise"
					      : "ratio.sure";
	return say(t, a, key, "ratio", format_ratio(a, r->ratio), "low", number(a, x->low), "high",
		number(a, x->high), "mine", format_count(a, (int64_t)x->n_mine), "others",
		format_count(a, (int64_t)x->n_others), NULL);
}

const char *sure_words(const struct texts *t, struct arena *a, const struct report_case *mine,
	const struct report_case *others, bool device)
{
	const struct sure_ratio r = case_ratio(a, mine, others, device);
	return sure_text(t, a, &r);
}

static void range_of(const int64_t *ns, size_t n, double *least, double *most)
{
	*least = *most = (double)ns[0];
	for (size_t i = 1; i < n; i++) {
		*least = fmin(*least, (double)ns[i]);
		*most = fmax(*most, (double)ns[i]);
	}
}

struct sure_ratio sure_of_times(
	double ratio, const struct times *mine, const struct times *others, double apart)
{
	struct sure_ratio r = {
		.ratio = ratio, .certainty = {.n_mine = mine->n, .n_others = others->n}};
	struct certainty *x = &r.certainty;
	if (!mine->n || !others->n)
		return (struct sure_ratio){0};
	const struct ratio test = ratio_of(others->ns, others->n, mine->ns, mine->n, usual_levels);
	double least, most, from, to;
	range_of(mine->ns, mine->n, &least, &most);
	range_of(others->ns, others->n, &from, &to);
	x->low = fmin(test.level > 0 ? test.low : least / to, ratio / fmax(apart, 1));
	x->high = fmax(test.level > 0 ? test.high : most / from, ratio * fmax(apart, 1));
	return r;
}

double least_visible(struct arena *a, const struct report_case *c, bool device)
{
	const struct sure_ratio r = case_ratio(a, c, c, device);
	return r.ratio > 0 ? fmax(r.certainty.high - 1, 1 - r.certainty.low) : 0;
}
