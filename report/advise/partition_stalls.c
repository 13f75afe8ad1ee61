/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
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
	int64_t called_ns; /* of Python functions: what it calls itself */
};

/* All calls of one name. */
struct calls {
	uint32_t *row; /* (n) by start, then by track and start */
	size_t n;
	bool by_track;
	int64_t median_ns; /* the lower one of two */
};

struct candidates {
	struct candidate *c; /* (n) by start */
	size_t n;
	uint32_t *slot; /* (names) index + 1 into `name` of those that have candidates */
	struct calls *name; /* (n_names) */
	uint32_t n_names;
};

static bool may_stall(uint8_t kind)
{
	return kind == EVENT_OP || kind == EVENT_PYTHON || kind == EVENT_RUNTIME ||
		kind == EVENT_DRIVER;
}

static bool waits(const struct analysis *a, uint32_t call)
{
	return ledger_is_wait(a, call) || call_frees(a, call);
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
			.wait = is_call(t, (uint32_t)i) && waits(a, (uint32_t)i)};
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

static void gather_calls(struct candidates *k, const struct trace *t)
{
	for (int fill = 0; fill < 2; fill++) {
		for (size_t i = 0; i < t->n; i++) {
			uint32_t slot = k->slot[t->name[i]];
			if (!slot || !may_stall(t->kind[i]))
				continue;
			struct calls *d = &k->name[slot - 1];
			if (fill)
				d->row[d->n] = (uint32_t)i;
			d->n++;
		}
		for (uint32_t i = 0; !fill && i < k->n_names; i++) {
			k->name[i].row = xcalloc(k->name[i].n, sizeof *k->name[i].row);
			k->name[i].n = 0;
		}
	}
}

static int64_t median_of(const struct calls *d, const struct trace *t)
{
	int64_t *ns = xcalloc(d->n, sizeof *ns);
	for (size_t i = 0; i < d->n; i++)
		ns[i] = t->dur_ns[d->row[i]];
	int64_t median = nth(ns, d->n, (d->n - 1) / 2);
	free(ns);
	return median;
}

static void find_medians(struct candidates *k, const struct trace *t)
{
	if (!k->n)
		return;
	k->name = xcalloc(k->n_names, sizeof *k->name);
	gather_calls(k, t);
	for (uint32_t i = 0; i < k->n_names; i++)
		k->name[i].median_ns = median_of(&k->name[i], t);
}

/* ---- stalls ---- */

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

/* The work of a Python function is that of the functions it calls. */
static void find_called(struct candidates *k, const struct trace *t, int64_t least_ns)
{
	bool any = false;
	for (size_t i = 0; i < k->n && !any; i++)
		any = t->kind[k->c[i].row] == EVENT_PYTHON;
	for (size_t i = 0; any && i < t->n; i++) {
		uint32_t parent = t->parent[i];
		if (parent == NO_ROW || t->kind[parent] != EVENT_PYTHON ||
			t->dur_ns[parent] < least_ns || !event_on_host(t->kind[i]))
			continue;
		struct candidate *c = find(k, parent);
		if (c)
			c->called_ns += t->dur_ns[i];
	}
}

static int by_track(const void *left, const void *right, const void *trace)
{
	const struct trace *t = trace;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	if (t->track[a] != t->track[b])
		return t->track[a] < t->track[b] ? -1 : 1;
	return (a > b) - (a < b);
}

/* Does the next call of the name on the thread begin before this one is over? */
static bool nests_in_itself(struct calls *d, const struct trace *t, uint32_t row)
{
	if (!d->by_track)
		sort_with(d->row, d->n, sizeof *d->row, by_track, t);
	d->by_track = true;
	size_t low = 0, high = d->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (by_track(&d->row[middle], &row, t) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->n && t->track[d->row[low]] == t->track[row] &&
		t->start_ns[d->row[low]] < row_end(t, row);
}

static bool is_stall(
	struct candidates *k, const struct candidate *c, const struct trace *t, int64_t least_ns)
{
	struct calls *d = &k->name[c->slot];
	int64_t least =
		d->median_ns < INT64_MAX / STALL_TIMES ? STALL_TIMES * d->median_ns : INT64_MAX;
	least = least > least_ns ? least : least_ns;
	int64_t dur = t->dur_ns[c->row];
	if (c->wait || d->n < STALL_CALLS || dur - c->inside_ns < least ||
		dur - c->called_ns < least)
		return false;
	return !nests_in_itself(d, t, c->row);
}

/* The candidate around each, NO_ROW if none. */
static uint32_t *nest_candidates(const struct candidates *k, const struct trace *t)
{
	int64_t *start = xcalloc(k->n, sizeof *start), *dur = xcalloc(k->n, sizeof *dur);
	uint32_t *lane = xcalloc(k->n, sizeof *lane), *parent = xcalloc(k->n, sizeof *parent);
	uint16_t *depth = xcalloc(k->n, sizeof *depth);
	for (size_t i = 0; i < k->n; i++) {
		start[i] = t->start_ns[k->c[i].row];
		dur[i] = t->dur_ns[k->c[i].row];
		lane[i] = t->track[k->c[i].row];
	}
	nest(&(struct nest_in){k->n, start, dur, lane, t->n_tracks, NULL}, parent, depth);
	free(start);
	free(dur);
	free(lane);
	free(depth);
	return parent;
}

/* From the last to the first, so that what is inside comes before what is around it. */
static size_t judge(struct candidates *k, const struct trace *t, int64_t least_ns)
{
	uint32_t *parent = nest_candidates(k, t);
	size_t n = 0;
	for (size_t i = k->n; i-- > 0;) {
		struct candidate *c = &k->c[i];
		c->stall = is_stall(k, c, t, least_ns);
		n += c->stall;
		if (parent[i] != NO_ROW)
			k->c[parent[i]].inside_ns +=
				c->wait || c->stall ? t->dur_ns[c->row] : c->inside_ns;
	}
	free(parent);
	return n;
}

uint32_t *stalls_of(const struct analysis *a, const uint8_t *wanted, int64_t least_ns, size_t *n)
{
	struct candidates k = candidates_of(a, wanted, least_ns);
	find_medians(&k, a->trace);
	find_called(&k, a->trace, least_ns);
	*n = judge(&k, a->trace, least_ns);
	uint32_t *row = xcalloc(*n, sizeof *row);
	for (size_t i = 0, at = 0; i < k.n; i++)
		if (k.c[i].stall)
			row[at++] = k.c[i].row;
	for (uint32_t i = 0; i < k.n_names; i++)
		free(k.name[i].row);
	free(k.name);
	free(k.slot);
	free(k.c);
	return row;
}
