/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/compare.h"

#include "base/json_out.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/judge/judge.h"

#include <math.h>

enum { RATIO_DECIMALS = 6, MOST_KERNELS = 100 };

/* Members of the object that is open. */
static void put_members(struct json_out *j, const struct ratio *r)
{
	bool interval = r->level > 0;
	json_text(j, "verdict", change_name(r->change));
	json_number(j, "ratio", r->ratio > 0 ? r->ratio : (double)NAN, RATIO_DECIMALS);
	json_number(j, "low", interval ? r->low : (double)NAN, RATIO_DECIMALS);
	json_number(j, "high", interval ? r->high : (double)NAN, RATIO_DECIMALS);
	json_number(j, "level", interval ? r->level : (double)NAN, RATIO_DECIMALS);
	json_int(j, "before_ns", r->before_ns);
	json_int(j, "after_ns", r->after_ns);
	json_int(j, "samples_before", (int64_t)r->n_before);
	json_int(j, "samples_after", (int64_t)r->n_after);
}

static void put_ratio(struct json_out *j, const char *key, const struct ratio *r)
{
	if (!(r->ratio > 0)) {
		json_null(j, key);
		return;
	}
	json_object(j, key, JSON_INLINE);
	put_members(j, r);
	json_end(j);
}

static void put_parts(struct json_out *j, const struct pair *p)
{
	json_array(j, "parts", JSON_LINES);
	for (int i = 0; i < TIME_PARTS && p->before.has_split && p->after.has_split; i++) {
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "part", time_part_name((enum time_part)i));
		json_int(j, "before_ns", p->before.split.ns[i]);
		json_int(j, "after_ns", p->after.split.ns[i]);
		json_end(j);
	}
	json_end(j);
}

static void put_kernel(struct json_out *j, const struct compared_kernel *k)
{
	json_object(j, NULL, JSON_LINES);
	json_text(j, "kernel", k->name);
	if (k->was)
		json_text(j, "was", k->was);
	if (k->n_parts) {
		json_array(j, k->fate == FATE_FUSED ? "from" : "into", JSON_INLINE);
		for (int i = 0; i < k->n_parts; i++)
			json_text(j, NULL, k->part[i]);
		json_end(j);
	}
	json_text(j, "operator", k->op);
	json_text(j, "state", fate_name(k->fate));
	json_number(j, "calls_before", k->calls_before, 3);
	json_number(j, "calls_after", k->calls_after, 3);
	json_int(j, "before_ns", k->before_ns);
	json_int(j, "after_ns", k->after_ns);
	put_ratio(j, "call", &k->time);
	json_end(j);
}

static void put_kernels(struct json_out *j, const struct pair *p)
{
	int n = 0;
	json_array(j, "kernels", JSON_LINES);
	for (size_t i = 0; i < p->n_kernels && n < MOST_KERNELS; i++) {
		if (!kernel_matters(p, &p->kernel[i]))
			continue;
		put_kernel(j, &p->kernel[i]);
		n++;
	}
	json_end(j);
}

static void put_differs(struct json_out *j, const struct pair *p)
{
	json_array(j, "differs", JSON_LINES);
	for (int i = 0; i < p->n_differs; i++) {
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "what", p->differs[i].what);
		json_text(j, "before", p->differs[i].before);
		json_text(j, "after", p->differs[i].after);
		json_end(j);
	}
	json_end(j);
}

static void put_detectors(
	struct json_out *j, const char *key, const struct rule *const *detector, int n)
{
	json_array(j, key, JSON_INLINE);
	for (int i = 0; i < n; i++)
		json_text(j, NULL, detector[i]->id);
	json_end(j);
}

static void put_changes(struct json_out *j, const struct pair *p)
{
	put_detectors(j, "findings_came", p->came, p->n_came);
	put_detectors(j, "findings_went", p->went, p->n_went);
	json_array(j, "predictions_broken_now", JSON_LINES);
	for (int i = 0; i < p->n_broke; i++) {
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "key", p->broke[i]->key);
		json_text(j, "expected", p->broke[i]->expected);
		json_text(j, "observed", p->broke[i]->observed);
		json_end(j);
	}
	json_end(j);
}

static void put_pair(struct json_out *j, const struct pair *p)
{
	struct part_bar bar[PART_BARS];
	const struct part_bar *largest = pair_bars(p, bar) ? largest_bar(bar) : NULL;
	json_text(j, "before", p->before.recording[p->before.main]->id);
	json_text(j, "after", p->after.recording[p->after.main]->id);
	json_bool(j, "identical", p->identical);
	json_text(j, "became", change_name(pair_change(p)));
	put_members(j, &p->step);
	if (pair_doubt(p))
		json_text(j, "why", pair_doubt(p));
	if (p->needs)
		json_int(j, "needs", (int64_t)p->needs);
	json_int(j, "saved_ns", p->saved_ns);
	json_bool(j, "estimated", p->estimated);
	json_int(j, "recorder_before_ns", p->before.recorder_ns);
	json_int(j, "recorder_after_ns", p->after.recorder_ns);
	put_ratio(j, "recorded", &p->recorded);
	put_ratio(j, "unrecorded", &p->unrecorded);
	put_ratio(j, "cpu", &p->cpu);
	put_ratio(j, "device", &p->device);
	put_parts(j, p);
	if (largest)
		json_text(j, "largest", largest->part);
	else
		json_null(j, "largest");
	put_kernels(j, p);
	put_differs(j, p);
	put_changes(j, p);
}

void comparison_json(struct json_out *j, const char *key, const struct comparison *all)
{
	json_object(j, key, JSON_LINES);
	if (all->n == 1)
		put_pair(j, &all->pair[0]);
	json_int(j, "compared", all->n);
	json_int(j, "only_before", all->only_before);
	json_int(j, "only_after", all->only_after);
	json_int(j, "slower", all->slower);
	json_int(j, "faster", all->faster);
	json_int(j, "same", all->same);
	json_int(j, "inconclusive", all->inconclusive);
	json_array(j, "pairs", JSON_LINES);
	for (int i = 0; i < all->n; i++) {
		json_object(j, NULL, JSON_LINES);
		json_text(j, "id", all->pair[i].id);
		put_pair(j, &all->pair[i]);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}
