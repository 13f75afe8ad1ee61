/* SPDX-License-Identifier: Apache-2.0 */
#include "base/search.h"
#include "report/advise/partition_parts.h"
#include "report/analyse/parts.h"

#include <stdlib.h>
#include <string.h>

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
	size_t n, n_short; /* short: at most short_ns */
	int64_t short_ns; /* what the longest candidate is STALL_TIMES of */
	uint32_t *row; /* (n) by start; NULL: none can be a stall */
	uint32_t *next; /* (n) see next_on_thread(); NULL: not asked yet */
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

static bool waits(const struct analysis *a, uint32_t row)
{
	return is_call(a->trace, row) && (ledger_is_wait(a, row) || call_frees(a, row));
}

static void add_candidate(struct candidates *k, const struct trace *t, uint32_t row)
{
	uint32_t *slot = &k->slot[t->name[row]];
	if (!*slot) {
		if (!(k->n_names & (k->n_names - 1)))
			k->name =
				xrealloc(k->name, k->n_names ? 2 * k->n_names : 1, sizeof *k->name);
		k->name[k->n_names] = (struct calls){0};
		*slot = ++k->n_names;
	}
	if (!(k->n & (k->n - 1)))
		k->c = xrealloc(k->c, k->n ? 2 * k->n : 1, sizeof *k->c);
	k->c[k->n++] = (struct candidate){.row = row, .slot = *slot - 1};
	struct calls *d = &k->name[*slot - 1];
	int64_t short_ns = t->dur_ns[row] / STALL_TIMES;
	d->short_ns = short_ns > d->short_ns ? short_ns : d->short_ns;
}

static struct candidates candidates_of(
	const struct trace *t, const uint8_t *wanted, int64_t least_ns)
{
	struct candidates k = {.slot = xcalloc(t->names.n, sizeof *k.slot)};
	for (uint32_t i = 0; i < t->n; i++)
		if (t->dur_ns[i] >= least_ns && may_stall(t->kind[i]) && wanted[t->track[i]])
			add_candidate(&k, t, i);
	return k;
}

/* ---- medians ---- */

static void count_calls(struct candidates *k, const struct trace *t)
{
	for (size_t i = 0; k->name && i < t->n; i++) {
		uint32_t slot = k->slot[t->name[i]];
		if (!slot || !may_stall(t->kind[i]))
			continue;
		k->name[slot - 1].n++;
		k->name[slot - 1].n_short += t->dur_ns[i] <= k->name[slot - 1].short_ns;
	}
}

/* Makes room for the calls of the names of which the longest is STALL_TIMES the median or more: of
 * few names. */
static bool find_uneven(struct candidates *k)
{
	bool any = false;
	for (uint32_t i = 0; i < k->n_names; i++) {
		struct calls *d = &k->name[i];
		if (d->n < STALL_CALLS || d->n_short <= (d->n - 1) / 2)
			continue;
		d->row = xcalloc(d->n, sizeof *d->row);
		d->n = 0;
		any = true;
	}
	return any;
}

static int64_t median_of(const struct calls *d, const struct trace *t)
{
	int64_t *ns = xcalloc(d->n, sizeof *ns);
	for (size_t i = 0; i < d->n; i++)
		ns[i] = t->dur_ns[d->row[i]];
	int64_t median = stats_nth(ns, d->n, (d->n - 1) / 2);
	free(ns);
	return median;
}

static void find_medians(struct candidates *k, const struct trace *t)
{
	for (uint32_t i = 0; k->name && i < t->n; i++) {
		uint32_t slot = k->slot[t->name[i]];
		struct calls *d = slot ? &k->name[slot - 1] : NULL;
		if (d && d->row && may_stall(t->kind[i]))
			d->row[d->n++] = i;
	}
	for (uint32_t i = 0; k->name && i < k->n_names; i++)
		if (k->name[i].row)
			k->name[i].median_ns = median_of(&k->name[i], t);
}

/* ---- stalls ---- */

static struct candidate *find(const struct candidates *k, uint32_t row)
{
	size_t low = first_where(i, 0, k->n, k->c[i].row >= row);
	return low < k->n && k->c[low].row == row ? &k->c[low] : NULL;
}

/* The work of a Python function is that of the functions it calls. */
static void find_called(struct candidates *k, const struct trace *t, int64_t least_ns)
{
	bool any = false;
	for (size_t i = 0; i < k->n && !any; i++)
		any = t->kind[k->c[i].row] == EVENT_PYTHON && k->name[k->c[i].slot].row;
	for (size_t i = 0; any && i < t->n; i++) {
		uint32_t parent = t->parent[i];
		if (parent == NO_ROW || t->kind[parent] != EVENT_PYTHON ||
			t->dur_ns[parent] < least_ns || !event_on_host(t->kind[i]))
			continue;
		uint32_t slot = k->slot[t->name[parent]];
		struct candidate *c = slot && k->name[slot - 1].row ? find(k, parent) : NULL;
		if (c)
			c->called_ns += t->dur_ns[i];
	}
}

/* The next call of the name on each one's thread. */
static uint32_t *next_on_thread(const struct calls *d, const struct trace *t)
{
	uint32_t *next = xcalloc(d->n, sizeof *next), *last = xalloc(t->n_tracks * sizeof *last);
	memset(last, 0xff, t->n_tracks * sizeof *last);
	for (size_t i = d->n; i-- > 0;) {
		next[i] = last[t->track[d->row[i]]];
		last[t->track[d->row[i]]] = d->row[i];
	}
	free(last);
	return next;
}

/* Does the next call of the name on the thread begin before this one is over? */
static bool nests_in_itself(struct calls *d, const struct trace *t, uint32_t row)
{
	if (!d->next)
		d->next = next_on_thread(d, t);
	size_t low = first_where(i, 0, d->n, d->row[i] >= row);
	return d->next[low] != NO_ROW && t->start_ns[d->next[low]] < row_end(t, row);
}

static bool is_stall(
	struct candidates *k, const struct candidate *c, const struct trace *t, int64_t least_ns)
{
	struct calls *d = &k->name[c->slot];
	int64_t least =
		d->median_ns < INT64_MAX / STALL_TIMES ? STALL_TIMES * d->median_ns : INT64_MAX;
	least = least > least_ns ? least : least_ns;
	int64_t dur = t->dur_ns[c->row];
	if (c->wait || !d->row || dur - c->inside_ns < least || dur - c->called_ns < least)
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
	const struct trace *t = a->trace;
	struct candidates k = candidates_of(t, wanted, least_ns);
	uint32_t *row = NULL;
	*n = 0;
	count_calls(&k, t);
	if (find_uneven(&k)) {
		find_medians(&k, t);
		for (size_t i = 0; i < k.n; i++)
			k.c[i].wait = waits(a, k.c[i].row);
		find_called(&k, t, least_ns);
		*n = judge(&k, t, least_ns);
		row = xcalloc(*n, sizeof *row);
	}
	for (size_t i = 0, at = 0; row && i < k.n; i++)
		if (k.c[i].stall)
			row[at++] = k.c[i].row;
	for (uint32_t i = 0; i < k.n_names; i++) {
		free(k.name[i].row);
		free(k.name[i].next);
	}
	free(k.name);
	free(k.slot);
	free(k.c);
	return row;
}
