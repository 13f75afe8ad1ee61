/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare/host_pace.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/cpu_work.h"
#include "report/analyse/idle_causes.h"

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

/* Names count alike: of one that a change made longer the time would count more. */
static struct pace pace_between(const struct host *b, const struct host *a)
{
	double *ratio = xcalloc(b->n + 1, sizeof *ratio);
	struct pace p = {0};
	int64_t common = 0, most = min64(b->total_ns, a->total_ns);
	size_t n = 0;
	for (size_t i = 0, k = 0; i < b->n && k < a->n;) {
		const struct called *was = &b->name[i], *is = &a->name[k];
		if (was->hash == is->hash && was->n * a->steps == is->n * b->steps) {
			ratio[n++] = (double)is->median_ns / (double)was->median_ns;
			common += min64(was->total_ns, is->total_ns);
		}
		i += was->hash <= is->hash;
		k += is->hash <= was->hash;
	}
	qsort(ratio, n, sizeof *ratio, by_double);
	if (n >= PACE_NAMES && 2 * common >= most)
		p = (struct pace){ratio[n / 4], ratio[n / 2], ratio[n - 1 - n / 4], n};
	free(ratio);
	return p;
}

struct pace pace_of(const struct analysis *before, const struct analysis *after)
{
	if (!before->n_device || !after->n_device)
		return (struct pace){0};
	struct host b = host_of(before), a = host_of(after);
	struct pace p = pace_between(&b, &a);
	free(b.name);
	free(a.name);
	return p;
}

bool pace_explains(const struct pace *p, const struct ratio *r, double least)
{
	if (!(p->low > 0) || !ratio_tells(r))
		return false;
	if (r->change == CHANGE_SLOWER)
		return p->low > 1 && (r->low <= p->middle || r->ratio <= p->middle * (1 + least));
	return p->high < 1 && (r->high >= p->middle || r->ratio >= p->middle * (1 - least));
}
