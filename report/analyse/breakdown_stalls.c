/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "base/min_max.h"
#include "report/analyse/analysis_stages.h"
#include "report/analyse/breakdown_parts.h"

#include <stdlib.h>
#include <string.h>

/* A call long enough to be a stall. */
struct candidate {
	uint32_t row;
	uint32_t around; /* the innermost candidate around it, NO_ROW */
	bool wait;
	bool open; /* the next call of its name on its thread has not come yet */
	bool nests; /* that call begins inside it */
	bool stall;
	int64_t inside_ns; /* the waits and stalls in it */
	int64_t called_ns; /* of a Python function: what it calls itself */
};

/* All calls of one name. */
struct calls {
	size_t n, n_short;
	int64_t short_ns; /* what the longest candidate, waits in it aside, is STALL_TIMES of */
	int64_t *ns; /* (n_short) of those of at most short_ns */
	int64_t least_ns; /* of all */
	int64_t median_ns; /* the lower one of two; -1: not asked yet */
	uint32_t n_open; /* candidates that are open */
};

bool may_stall(uint8_t kind)
{
	return kind == EVENT_OP || kind == EVENT_PYTHON || kind == EVENT_RUNTIME ||
		kind == EVENT_DRIVER;
}

static bool waits(const struct analysis *a, uint32_t row)
{
	return is_call(a->trace, row) &&
		(idle_causes_is_wait(a, row) || host_traits(a, row) & TRAIT_FREES);
}

struct candidates candidates_of(const struct analysis *a, int64_t least_ns)
{
	const struct trace *t = a->trace;
	struct candidates k = {.a = a,
		.least_ns = least_ns,
		.slot = xcalloc(t->names.n, sizeof *k.slot),
		.last = xalloc(t->n_tracks * sizeof *k.last)};
	memset(k.last, 0xff, t->n_tracks * sizeof *k.last);
	return k;
}

static struct calls *calls_of(struct candidates *k, name_id name)
{
	uint32_t *slot = &k->slot[name];
	if (!*slot) {
		if (!(k->n_names & (k->n_names - 1)))
			k->name =
				xrealloc(k->name, k->n_names ? 2 * k->n_names : 1, sizeof *k->name);
		k->name[k->n_names] = (struct calls){.least_ns = INT64_MAX, .median_ns = -1};
		*slot = ++k->n_names;
	}
	return &k->name[*slot - 1];
}

/* The innermost that contains a row, as base/nest.h nests all of them. */
static uint32_t candidate_around(const struct candidates *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	uint32_t p = k->last[t->track[row]];
	while (p != NO_ROW) {
		int64_t end = row_end(t, k->c[p].row);
		if (t->start_ns[row] < end && row_end(t, row) <= end)
			break;
		p = k->c[p].around;
	}
	return p;
}

void candidates_add(struct candidates *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	if (!(k->n & (k->n - 1)))
		k->c = xrealloc(k->c, k->n ? 2 * k->n : 1, sizeof *k->c);
	k->c[k->n] = (struct candidate){
		.row = row, .around = candidate_around(k, row), .wait = waits(k->a, row)};
	k->last[t->track[row]] = (uint32_t)k->n++;
}

/* ---- the calls of their names ---- */

/* Only the names of those that are long without the waits in them. From the last to the first, so
 * that what is inside comes before what is around it. */
static void ask_names(struct candidates *k)
{
	const struct trace *t = k->a->trace;
	for (size_t i = k->n; i-- > 0;) {
		struct candidate *c = &k->c[i];
		int64_t own = t->dur_ns[c->row] - c->inside_ns;
		if (!c->wait && own >= k->least_ns) {
			struct calls *d = calls_of(k, t->name[c->row]);
			d->short_ns = max64(own / STALL_TIMES, d->short_ns);
		}
		if (c->around != NO_ROW)
			k->c[c->around].inside_ns += c->wait ? t->dur_ns[c->row] : c->inside_ns;
		c->inside_ns = 0;
	}
}

/* Where the last candidate of the name and the thread of a row is, or will be. */
static uint32_t *open_place(const struct candidates *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	uint64_t key = (uint64_t)t->name[row] << 32 | t->track[row];
	for (size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32);; i++) {
		uint32_t *at = &k->open[i & (k->n_open - 1)];
		uint32_t other = *at ? k->c[*at - 1].row : row;
		if (t->name[other] == t->name[row] && t->track[other] == t->track[row])
			return at;
	}
}

/* What the next call of a name on a thread tells of the candidate in front of it. */
static void close_candidate(struct candidates *k, struct calls *d, uint32_t row)
{
	uint32_t at = d->n_open ? *open_place(k, row) : 0;
	if (!at || !k->c[at - 1].open)
		return;
	struct candidate *c = &k->c[at - 1];
	c->nests = row_end(k->a->trace, c->row) > k->a->trace->start_ns[row];
	c->open = false;
	d->n_open--;
}

static void open_candidate(struct candidates *k, struct calls *d, uint32_t candidate)
{
	k->c[candidate].open = true;
	*open_place(k, k->c[candidate].row) = candidate + 1;
	d->n_open++;
}

static void add_short(struct calls *d, int64_t ns)
{
	if (!(d->n_short & (d->n_short - 1)))
		d->ns = xrealloc(d->ns, d->n_short ? 2 * d->n_short : 1, sizeof *d->ns);
	d->ns[d->n_short++] = ns;
	d->least_ns = min64(ns, d->least_ns);
}

static void see_calls(struct candidates *k)
{
	const struct trace *t = k->a->trace;
	uint32_t next = 0;
	if (!k->n_names)
		return;
	for (k->n_open = 2; k->n_open < 2 * k->n;)
		k->n_open *= 2;
	k->open = xcalloc(k->n_open, sizeof *k->open);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t slot = k->slot[t->name[i]];
		if (!slot || !may_stall(t->kind[i]))
			continue;
		struct calls *d = &k->name[slot - 1];
		d->n++;
		if (t->dur_ns[i] <= d->short_ns)
			add_short(d, t->dur_ns[i]);
		close_candidate(k, d, i);
		while (next < k->n && k->c[next].row < i)
			next++;
		if (next < k->n && k->c[next].row == i)
			open_candidate(k, d, next++);
	}
}

/* ---- stalls ---- */

static bool is_made_of_others(uint8_t kind)
{
	return kind == EVENT_PYTHON || kind == EVENT_OP;
}

/* What every candidate calls itself, in one pass. */
static void find_called(struct candidates *k)
{
	const struct trace *t = k->a->trace;
	size_t at = k->n;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t p = t->parent[i];
		if (p == NO_ROW || !is_made_of_others(t->kind[p]) || t->dur_ns[p] < k->least_ns ||
			!event_on_host(t->kind[i]))
			continue;
		if (at == k->n || k->c[at].row != p)
			at = first_where(c, 0, k->n, k->c[c].row >= p);
		if (at < k->n && k->c[at].row == p)
			k->c[at].called_ns += t->dur_ns[i];
	}
	k->has_called = true;
}

/* What it calls itself, by the rows inside it. Those inside one that takes long are passed over. */
static int64_t called_by(struct candidates *k, uint32_t row)
{
	const struct trace *t = k->a->trace;
	int64_t sum = 0, end = row_end(t, row);
	for (size_t i = (size_t)row + 1; i < t->n && t->start_ns[i] < end; k->looked_at++) {
		bool called = t->parent[i] == row && event_on_host(t->kind[i]);
		sum += called ? t->dur_ns[i] : 0;
		i = called && t->dur_ns[i] > k->least_ns
			? trace_first_from(t, row_end(t, (uint32_t)i))
			: i + 1;
	}
	return sum;
}

/* The work of a function or an operator is that of those which it calls: does it work for so long
 * itself? When as many rows have been looked at as there are, it is worked out for all that are
 * left. */
static bool works_itself(struct candidates *k, const struct candidate *c, int64_t least)
{
	const struct trace *t = k->a->trace;
	if (!is_made_of_others(t->kind[c->row]))
		return true;
	if (k->looked_at > t->n && !k->has_called)
		find_called(k);
	int64_t called_ns = k->has_called ? c->called_ns : called_by(k, c->row);
	return t->dur_ns[c->row] - called_ns >= least;
}

static bool is_stall(struct candidates *k, const struct candidate *c)
{
	int64_t own = k->a->trace->dur_ns[c->row] - c->inside_ns;
	if (c->wait || c->nests || own < k->least_ns)
		return false;
	struct calls *d = &k->name[k->slot[k->a->trace->name[c->row]] - 1];
	size_t middle = (d->n - 1) / 2;
	if (d->n < STALL_CALLS || d->n_short <= middle)
		return false;
	if (own / STALL_TIMES < d->least_ns) /* nor of the median */
		return false;
	if (d->median_ns < 0)
		d->median_ns = stats_nth(d->ns, d->n_short, middle);
	if (own / STALL_TIMES < d->median_ns)
		return false;
	int64_t least = STALL_TIMES * d->median_ns;
	return works_itself(k, c, max64(least, k->least_ns));
}

/* In the same order, with what stalls inside others. */
static size_t judge(struct candidates *k)
{
	const int64_t *dur_ns = k->a->trace->dur_ns;
	size_t n = 0;
	for (size_t i = k->n; i-- > 0;) {
		struct candidate *c = &k->c[i];
		c->stall = is_stall(k, c);
		n += c->stall;
		if (c->around != NO_ROW)
			k->c[c->around].inside_ns +=
				c->wait || c->stall ? dur_ns[c->row] : c->inside_ns;
	}
	return n;
}

uint32_t *stalls_among(struct candidates *k, size_t *n)
{
	uint32_t *row = NULL;
	ask_names(k);
	if (k->n_names)
		see_calls(k);
	*n = judge(k);
	row = xcalloc(*n, sizeof *row);
	for (size_t i = 0, at = 0; i < k->n; i++)
		if (k->c[i].stall)
			row[at++] = k->c[i].row;
	for (uint32_t i = 0; i < k->n_names; i++)
		free(k->name[i].ns);
	free(k->name);
	free(k->slot);
	free(k->open);
	free(k->last);
	free(k->c);
	return row;
}
