/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/limit_words.h"

#include "base/number_format.h"
#include "report/analyse/breakdown.h"
#include "report/name/shorten.h"

#include <math.h>

enum { SHOWN_INPUTS = 3 };

/* The tensors that it is given. */
static const char *shapes_of(const struct document *d, const struct inputs *x)
{
	const char *list = "";
	for (int i = 0, shown = 0; x && i < x->n && shown < SHOWN_INPUTS; i++)
		if (x->in[i].rank > 0 && ++shown)
			list = listed(d->arena, list, ", ",
				shape_text(d->arena, x->in[i].dim, x->in[i].rank));
	return list;
}

/* Of the allowed chips those on which one or the other limits it. */
static const char *chips_with(const struct document *d, const struct report_case *c, bool memory)
{
	const struct limited_work *w = &c->breakdown->limited;
	const char *list = "";
	for (int i = 0; i < w->chips.n; i++) {
		const struct chip *chip = w->chips.chip[i];
		bool here = limit_memory_ns(w, chip) > limit_arithmetic_ns(c->analysis, w, chip);
		if (here == memory)
			list = listed(d->arena, list, ", ", chip->name);
	}
	return list;
}

static const char *chips_words(const struct document *d, const struct limited_work *w)
{
	return w->chips.named
		? said(d, "limit.on.chip", "chip", w->chips.chip[0]->name, NULL)
		: said(d, "limit.on.all", "n", format_count(d->arena, w->chips.n), NULL);
}

/* "It does 31.6 TFLOP/s, 2.4 % of the peak." */
static const char *rate_words(const struct document *d, const struct limited_work *w)
{
	bool memory = w->limit == LIMIT_MEMORY;
	double amount = memory ? w->cost.bytes : w->cost.flop;
	if (w->call_ns <= 0 || isnan(amount) || w->limit > LIMIT_MEMORY)
		return "";
	const char *rate =
		format_si(d->arena, amount / w->call_ns * 1e9, memory ? "B/s" : "FLOP/s");
	const char *key = isnan(w->reached) ? "limit.rate"
		: w->chips.named	    ? "limit.rate.share"
					    : "limit.rate.most";
	bool far = !isnan(w->reached) && !limit_is_near(w) && !limit_is_held(w);
	return said(d, key, "rate", rate, "share",
		isnan(w->reached) ? "" : format_share(d->arena, w->reached), "far",
		far ? said(d, "limit.neither", NULL) : "", NULL);
}

/* FLOP for each byte that is moved. */
static const char *intensity_words(const struct document *d, double intensity)
{
	enum { WHOLE = 100 };
	return intensity < WHOLE ? arena_printf(d->arena, "%.3g", intensity)
				 : format_count(d->arena, llround(intensity));
}

static const char *below_words(const struct document *d, const struct limited_work *w)
{
	int64_t step = w->odd_step ? w->odd_step : 1;
	if (w->below == BELOW_NOTHING || w->limit > LIMIT_MEMORY || limit_is_held(w))
		return "";
	return said(d, arena_printf(d->arena, "limit.below.%s", work_below_name(w->below)),
		"blocks", format_count(d->arena, llround(w->blocks)), "units",
		format_count(d->arena, w->units), "odd", format_count(d->arena, w->odd), "step",
		format_count(d->arena, step), "padded",
		format_count(d->arena, (w->odd + step - 1) / step * step), "ns",
		format_time(d->arena, w->call_ns), NULL);
}

/* What does not come near its limit is told what would be one. */
static const char *limit_key(const struct document *d, const struct limited_work *w)
{
	bool one = w->limit == LIMIT_ARITHMETIC || w->limit == LIMIT_MEMORY;
	if (limit_is_held(w))
		return "limit.held";
	return arena_printf(d->arena, "limit.%s%s", work_limit_name(w->limit),
		one && !limit_is_near(w) ? ".best" : "");
}

void add_limit(struct document *d, const struct report_case *c)
{
	const struct limited_work *w = &c->breakdown->limited;
	struct arena *a = d->arena;
	if (w->limit == LIMIT_NONE || !breakdown_computes(c->breakdown))
		return;
	double flop = isnan(w->cost.flop) ? 0 : w->cost.flop;
	document_say(d, BLOCK_TEXT, limit_key(d, w), "name",
		brief_name(a, trace_row_name(&c->trace, w->op_row)), "shapes",
		shapes_of(d, inputs_of(c->analysis, w->op_row)), "share", format_share(a, w->share),
		"flop", format_si(a, flop, "FLOP"), "bytes", format_si(a, w->cost.bytes, "B"),
		"most", format_si(a, w->cost.most_bytes, "B"), "intensity",
		intensity_words(d, flop / w->cost.bytes), "chips", chips_words(d, w), "blocks",
		format_count(a, llround(w->blocks)), "units", format_count(a, w->units),
		"arithmetic", chips_with(d, c, false), "memory", chips_with(d, c, true), "rate",
		rate_words(d, w), "below", below_words(d, w), NULL);
}
