/* SPDX-License-Identifier: Apache-2.0 */
#include "report/advise/partition_parts.h"
#include "report/analyse/parts.h"

#include <stdlib.h>

/* Calls long enough to be stalls, and the waits among them. */
struct candidate {
	uint32_t row;
	uint32_t slot; /* of its name */
	bool wait;
	bool stall;
	int64_t inside_ns; /* the waits and stalls in it */
};

/* The durations of all calls of one name. */
struct durations {
	int64_t *ns; /* (n) */
	size_t n;
	int64_t median_ns; /* the lower one of two */
};

struct candidates {
	struct candidate *c; /* (n) by start */
	size_t n;
	uint32_t *slot; /* (names) index + 1 into `name` of those that have candidates */
	struct durations *name; /* (n_names) */
	uint32_t n_names;
};

static bool may_stall(uint8_t kind)
{
	return kind == EVENT_OP || kind == EVENT_PYTHON || kind == EVENT_RUNTIME ||
		kind == EVENT_DRIVER;
}

static struct candidates candidates_of(
	const struct analysis *a, const uint8_t *wanted, int64_t least_ns)
{
	const struct trace *t = a->trace;
	struct candidates k = {.slot = xcalloc(t->names.n, sizeof *k.slot)};
	for (size_t i = 0; i < t->n; i++) {
		if (t->dur_ns[i] < least_ns || !may_stall(t->kind[i]) || !wanted[t->track[i]])
			continue;
		if (!(k.n & (k.n - 1)))
			k.c = xrealloc(k.c, k.n ? 2 * k.n : 1, sizeof *k.c);
		uint32_t *slot = &k.slot[t->name[i]];
		*slot = *slot ? *slot : ++k.n_names;
		k.c[k.n++] = (struct candidate){.row = (uint32_t)i,
			.slot = *slot - 1,
			.wait = is_call(t, (uint32_t)i) && ledger_is_wait(a, (uint32_t)i)};
	}
	return k;
}

/* ---- medians ---- */

static void swap(int64_t *a, int64_t *b)
{
	int64_t kept = *a;
	*a = *b;
	*b = kept;
}

/* The value that would stand at `at` if the n values were sorted (Hoare's FIND). */
static int64_t nth(int64_t *x, size_t n, size_t at)
{
	ptrdiff_t low = 0, high = (ptrdiff_t)n - 1, wanted = (ptrdiff_t)at;
	while (low < high) {
		int64_t pivot = x[wanted];
		ptrdiff_t i = low, j = high;
		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i <= j)
				swap(&x[i++], &x[j--]);
		}
		low = j < wanted ? i : low;
		high = i > wanted ? j : high;
	}
	return x[at];
}

static void count_durations(struct candidates *k, const struct trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (k->slot[t->name[i]] && may_stall(t->kind[i]))
			k->name[k->slot[t->name[i]] - 1].n++;
	for (uint32_t i = 0; i < k->n_names; i++) {
		k->name[i].ns = xcalloc(k->name[i].n, sizeof *k->name[i].ns);
		k->name[i].n = 0;
	}
}

static void find_medians(struct candidates *k, const struct trace *t)
{
	if (!k->n)
		return;
	k->name = xcalloc(k->n_names, sizeof *k->name);
	count_durations(k, t);
	for (size_t i = 0; i < t->n; i++) {
		if (!k->slot[t->name[i]] || !may_stall(t->kind[i]))
			continue;
		struct durations *d = &k->name[k->slot[t->name[i]] - 1];
		d->ns[d->n++] = t->dur_ns[i];
	}
	for (uint32_t i = 0; i < k->n_names; i++)
		k->name[i].median_ns = nth(k->name[i].ns, k->name[i].n, (k->name[i].n - 1) / 2);
}

/* ---- stalls ---- */

/* What a call took by itself: without the waits and stalls in it; of a Python function without all
 * that it calls, which is its work. 0 for calls that nest in themselves. */
static int64_t own_ns(const struct trace *t, const struct candidate *c)
{
	uint32_t row = c->row;
	bool python = t->kind[row] == EVENT_PYTHON;
	int64_t end = row_end(t, row), own = t->dur_ns[row] - (python ? 0 : c->inside_ns);
	for (size_t i = row + 1; i < t->n && t->start_ns[i] < end; i++) {
		if (t->track[i] != t->track[row] || !event_on_host(t->kind[i]))
			continue;
		if (t->name[i] == t->name[row])
			return 0;
		if (python && t->parent[i] == row)
			own -= t->dur_ns[i];
	}
	return own;
}

static bool is_stall(const struct candidates *k, const struct candidate *c, const struct trace *t,
	int64_t least_ns)
{
	const struct durations *d = &k->name[c->slot];
	int64_t least = STALL_TIMES * d->median_ns;
	least = least > least_ns ? least : least_ns;
	if (c->wait || d->n < STALL_CALLS || t->dur_ns[c->row] - c->inside_ns < least)
		return false;
	return own_ns(t, c) >= least;
}

static struct candidate *find(const struct candidates *k, uint32_t row)
{
	size_t low = 0, high = k->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (k->c[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low < k->n && k->c[low].row == row ? &k->c[low] : NULL;
}

static struct candidate *around(const struct candidates *k, const struct trace *t, uint32_t row)
{
	struct candidate *c = NULL;
	for (row = t->parent[row]; row != NO_ROW && !c; row = t->parent[row])
		c = find(k, row);
	return c;
}

/* From the last to the first, so that what is inside comes before what is around it. */
static size_t judge(struct candidates *k, const struct trace *t, int64_t least_ns)
{
	size_t n = 0;
	for (size_t i = k->n; i-- > 0;) {
		struct candidate *c = &k->c[i], *outer = around(k, t, c->row);
		c->stall = is_stall(k, c, t, least_ns);
		n += c->stall;
		if (outer)
			outer->inside_ns += c->wait || c->stall ? t->dur_ns[c->row] : c->inside_ns;
	}
	return n;
}

uint32_t *stalls_of(const struct analysis *a, const uint8_t *wanted, int64_t least_ns, size_t *n)
{
	struct candidates k = candidates_of(a, wanted, least_ns);
	find_medians(&k, a->trace);
	*n = judge(&k, a->trace, least_ns);
	uint32_t *row = xcalloc(*n, sizeof *row);
	for (size_t i = 0, at = 0; i < k.n; i++)
		if (k.c[i].stall)
			row[at++] = k.c[i].row;
	for (uint32_t i = 0; i < k.n_names; i++)
		free(k.name[i].ns);
	free(k.name);
	free(k.slot);
	free(k.c);
	return row;
}
