/* SPDX-License-Identifier: Apache-2.0 */
#include "report/advise/partition_parts.h"
#include "report/analyse/parts.h"

#include <stdlib.h>
#include <string.h>

/* A call long enough to be a stall. */
struct candidate {
	uint32_t row;
	uint32_t around; /* the innermost candidate around it, NO_ROW */
	uint32_t open; /* the next of the list in struct calls */
	bool wait;
	bool nests; /* the next call of its name on its thread begins inside it */
	bool stall;
	int64_t inside_ns; /* the waits and stalls in it */
};

/* All calls of one name. */
struct calls {
	size_t n, n_short;
	int64_t short_ns; /* what the longest candidate, waits in it aside, is STALL_TIMES of */
	int64_t *ns; /* (n_short) of those of at most short_ns */
	int64_t least_ns; /* of all */
	int64_t median_ns; /* the lower one of two; -1: not asked yet */
	uint32_t open; /* candidates whose next call has not come yet, NO_ROW */
};

bool may_stall(uint8_t kind)
{
	return kind == EVENT_OP || kind == EVENT_PYTHON || kind == EVENT_RUNTIME ||
		kind == EVENT_DRIVER;
}

static bool waits(const struct analysis *a, uint32_t row)
{
	return is_call(a->trace, row) && (ledger_is_wait(a, row) || call_frees(a, row));
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
		k->name[k->n_names] =
			(struct calls){.least_ns = INT64_MAX, .median_ns = -1, .open = NO_ROW};
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
			d->short_ns =
				own / STALL_TIMES > d->short_ns ? own / STALL_TIMES : d->short_ns;
		}
		if (c->around != NO_ROW)
			k->c[c->around].inside_ns += c->wait ? t->dur_ns[c->row] : c->inside_ns;
		c->inside_ns = 0;
	}
}

/* What the next call of a name tells of the candidates in front of it. */
static void close_candidates(struct candidates *k, struct calls *d, uint32_t row)
{
	const struct trace *t = k->a->trace;
	for (uint32_t *at = &d->open; *at != NO_ROW;) {
		struct candidate *c = &k->c[*at];
		bool over = row_end(t, c->row) <= t->start_ns[row];
		bool next = t->track[c->row] == t->track[row];
		c->nests = next && !over;
		if (over || next)
			*at = c->open;
		else
			at = &c->open;
	}
}

static void add_short(struct calls *d, int64_t ns)
{
	if (!(d->n_short & (d->n_short - 1)))
		d->ns = xrealloc(d->ns, d->n_short ? 2 * d->n_short : 1, sizeof *d->ns);
	d->ns[d->n_short++] = ns;
	d->least_ns = ns < d->least_ns ? ns : d->least_ns;
}

static void see_calls(struct candidates *k)
{
	const struct trace *t = k->a->trace;
	uint32_t next = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t slot = k->slot[t->name[i]];
		if (!slot || !may_stall(t->kind[i]))
			continue;
		struct calls *d = &k->name[slot - 1];
		d->n++;
		if (t->dur_ns[i] <= d->short_ns)
			add_short(d, t->dur_ns[i]);
		close_candidates(k, d, i);
		while (next < k->n && k->c[next].row < i)
			next++;
		if (next < k->n && k->c[next].row == i) {
			k->c[next].open = d->open;
			d->open = next++;
		}
	}
}

/* ---- stalls ---- */

/* The work of a Python function is that of the functions it calls: does it work for so long itself?
 * What those do that take long is left out, so that no row is looked at for each that is around it.
 */
static bool works_itself(const struct candidates *k, uint32_t row, int64_t least)
{
	const struct trace *t = k->a->trace;
	int64_t own = t->dur_ns[row], end = row_end(t, row);
	if (t->kind[row] != EVENT_PYTHON)
		return true;
	for (size_t i = (size_t)row + 1; own >= least && i < t->n && t->start_ns[i] < end;) {
		bool called = t->parent[i] == row && event_on_host(t->kind[i]);
		own -= called ? t->dur_ns[i] : 0;
		i = called && t->dur_ns[i] > k->least_ns
			? trace_first_from(t, row_end(t, (uint32_t)i))
			: i + 1;
	}
	return own >= least;
}

static bool is_stall(const struct candidates *k, const struct candidate *c)
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
	return works_itself(k, c->row, least > k->least_ns ? least : k->least_ns);
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
	free(k->last);
	free(k->c);
	return row;
}
