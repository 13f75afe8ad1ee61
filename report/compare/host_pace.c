/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/host_pace.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/cpu_work.h"
#include "report/analyse/idle_causes.h"

#include <math.h>
#include <stdlib.h>

/* A call of the host, with its time without those that it makes. */
struct own {
	name_id name;
	int64_t ns;
};

ORDER(by_name, struct own, UP(name) ?: UP(ns));

/* All calls of one name. */
struct called {
	uint64_t hash;
	size_t n;
	int64_t median_ns, total_ns;
};

ORDER(by_hash, struct called, UP(hash));

struct host {
	struct called *name; /* (n) by hash */
	size_t n;
	int64_t total_ns;
	uint32_t steps;
};

static bool is_work(const struct analysis *a, uint32_t row)
{
	uint8_t kind = a->trace->kind[row];
	return (kind == EVENT_OP || event_is_call(kind)) && !idle_causes_is_wait(a, row);
}

/* Of the steady steps, of a recording without steps of all: (*n) malloc. */
static struct own *calls_of(const struct analysis *a, size_t *n)
{
	const struct trace *t = a->trace;
	int64_t *ns = own_times(t);
	struct own *own = xcalloc((size_t)t->n + 1, sizeof *own);
	int64_t from = a->n_steps ? a->steps[steps_steady_from(a->n_steps)].start_ns : INT64_MIN;
	*n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (ns[i] && t->start_ns[i] >= from && is_work(a, i))
			own[(*n)++] = (struct own){t->name[i], ns[i]};
	free(ns);
	return own;
}

static struct host host_of(const struct analysis *a)
{
	size_t n;
	struct own *own = calls_of(a, &n);
	struct host h = {.name = xcalloc(n + 1, sizeof *h.name),
		.steps = a->n_steps ? a->n_steps - steps_steady_from(a->n_steps) : 1};
	qsort(own, n, sizeof *own, by_name);
	for (size_t i = 0, end; i < n; i = end) {
		struct called *one = &h.name[h.n++];
		one->hash = hash_of_text(names_text(&a->trace->names, own[i].name));
		for (end = i; end < n && own[end].name == own[i].name; end++)
			one->total_ns += own[end].ns;
		one->n = end - i;
		one->median_ns = own[i + one->n / 2].ns;
		h.total_ns += one->total_ns;
	}
	free(own);
	qsort(h.name, h.n, sizeof *h.name, by_hash);
	return h;
}

/* The middle does not depend on which side is before. */
struct pace pace_of_ratios(double *ratio, size_t n)
{
	if (n < PACE_NAMES)
		return (struct pace){0};
	qsort(ratio, n, sizeof *ratio, by_double);
	return (struct pace){.low = ratio[n / 4],
		.middle = sqrt(ratio[(n - 1) / 2] * ratio[n / 2]),
		.high = ratio[n - 1 - n / 4],
		.names = n};
}

/* Names count alike: of one that a change made longer the time would count more. */
static struct pace pace_between(const struct host *b, const struct host *a)
{
	double *ratio = xcalloc(b->n + 1, sizeof *ratio);
	struct pace p = {0};
	int64_t common = 0, most = min64(b->total_ns, a->total_ns);
	size_t n = 0;
	for (size_t i = 0, k = 0; i < b->n && k < a->n;) {
		const struct called *was = &b->name[i], *is = &a->name[k];
		if (was->hash == is->hash) {
			ratio[n++] = (double)is->median_ns / (double)was->median_ns;
			common += min64(was->total_ns, is->total_ns);
		}
		i += was->hash <= is->hash;
		k += is->hash <= was->hash;
	}
	if (2 * common >= most)
		p = pace_of_ratios(ratio, n);
	free(ratio);
	return p;
}

/* What the calls of both sides take where a call of one name takes as long on both: the mean of its
 * medians at one pace. */
static double work_between(const struct host *b, const struct host *a, double pace)
{
	double before = 0, after = 0;
	for (size_t i = 0, k = 0; i < b->n || k < a->n;) {
		const struct called *was = i < b->n ? &b->name[i] : NULL;
		const struct called *is = k < a->n ? &a->name[k] : NULL;
		bool first = was && (!is || was->hash <= is->hash);
		bool second = is && (!was || is->hash <= was->hash);
		double old = first ? (double)was->median_ns : (double)is->median_ns / pace;
		double now = second ? (double)is->median_ns / pace : old;
		double call = sqrt(old * now);
		before += first ? call * (double)was->n / b->steps : 0;
		after += second ? call * (double)is->n / a->steps : 0;
		i += first;
		k += second;
	}
	return after / before;
}

struct pace pace_of(const struct analysis *before, const struct analysis *after)
{
	if (!before->n_device || !after->n_device)
		return (struct pace){0};
	struct host b = host_of(before), a = host_of(after);
	struct pace p = pace_between(&b, &a);
	if (p.names)
		p.work = work_between(&b, &a, p.middle);
	free(b.name);
	free(a.name);
	return p;
}

static double share_of(int64_t busy, int64_t step)
{
	return step > 0 ? (double)min64(busy, step) / (double)step : 0;
}

double pace_of_step(const struct pace *p, const struct ratio *step, const struct ratio *device)
{
	if (p->low > 1) {
		double busy = share_of(device->after_ns, step->after_ns);
		return busy * p->middle > 1 ? 1 / busy : p->middle;
	}
	if (p->high > 0 && p->high < 1)
		return fmax(p->middle, share_of(device->before_ns, step->before_ns));
	return 1;
}

bool pace_explains(const struct pace *p, double pace, const struct ratio *r, double least)
{
	if (!(p->low > 0) || !ratio_tells(r))
		return false;
	if (r->change == CHANGE_SLOWER)
		return p->low > 1 && (r->low <= pace || r->ratio <= pace * (1 + least));
	return p->high < 1 && (r->high >= pace || r->ratio >= pace * (1 - least));
}
