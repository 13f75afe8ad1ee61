/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/trips.h"

#include "base/min_max.h"
#include "report/replay/changes.h"
#include "report/rules/pattern.h"

#include <stdlib.h>
#include <string.h>

/* ---- to the host and back ---- */

enum { LEAST_BYTES = 4096, OPEN_COPIES = 64 };

static uint32_t outermost_operator(const struct facts *s, uint32_t row)
{
	uint32_t found = row;
	for (; row != NO_ROW; row = s->t->parent[row])
		if (s->t->kind[row] == EVENT_OP)
			found = row;
	return found;
}

static bool launches_between(const struct facts *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++)
		if (event_is_call(s->t->kind[i]) && s->t->launch[i] != NO_ROW &&
			s->t->track[i] == s->t->track[from] &&
			s->t->start_ns[i] >= row_end(s->t, from))
			return true;
	return false;
}

struct trips {
	size_t n;
	int64_t bytes, ns;
	bool peer; /* the first comes back to another device */
	bool computed; /* of the first another result comes back than what was sent */
	bool unseen; /* one comes back in the same shape, while the host does what is not recorded
		      */
};

static bool same_shape(const struct facts *s, uint32_t row, uint32_t other)
{
	const struct inputs *x = inputs_of(s->a, row), *y = inputs_of(s->a, other);
	return x && y && x->in[0].rank > 0 && x->in[0].rank == y->in[0].rank &&
		!memcmp(x->in[0].dim, y->in[0].dim, (size_t)x->in[0].rank * sizeof *x->in[0].dim);
}

/* A copy to the host and the next of as many bytes to a device: what is spared of the host is both
 * operators and, where nothing is launched between them, what lies there. */
static void add_trip(const struct facts *s, const struct seen_event *down,
	const struct seen_event *up, struct trips *all, struct replay_plan *plan)
{
	const struct trace *t = s->t;
	uint32_t from = outermost_operator(s, down->call), to = outermost_operator(s, up->call);
	if (!all->n++)
		all->peer =
			t->copies[t->side[down->row]].device != t->copies[t->side[up->row]].device;
	all->bytes += bytes_of(s, down->row);
	bool whole = t->track[from] == t->track[to] && !launches_between(s, from, to);
	all->unseen |= whole && t->start_ns[to] - row_end(t, from) >= COMPUTES_NS &&
		same_shape(s, from, to);
	all->ns += whole ? row_end(t, to) - t->start_ns[from] : t->dur_ns[from] + t->dur_ns[to];
	plan_goes(plan, t, from);
	plan_goes(plan, t, to);
	if (whole)
		plan_gone(plan, t->track[from], t->start_ns[from], row_end(t, to));
}

/* Does the host compute in between, most of the time in operators that launch nothing? */
static bool computes_between(const struct facts *s, uint32_t from, uint32_t to)
{
	const struct trace *t = s->t;
	int64_t begin = row_end(t, from), done = begin, in_operators = 0;
	if (t->track[from] != t->track[to] || t->start_ns[to] - begin < COMPUTES_NS ||
		to - from > COMPUTES_ROWS || launches_between(s, from, to))
		return false;
	for (uint32_t i = from + 1; i < to; i++) {
		if (t->kind[i] != EVENT_OP || t->track[i] != t->track[from] ||
			t->start_ns[i] < done)
			continue;
		in_operators += t->dur_ns[i];
		done = row_end(t, i);
	}
	return 2 * in_operators >= t->start_ns[to] - begin;
}

/* What comes to the device next is the result of what went to the host last. */
static bool is_result(
	const struct facts *s, const struct seen_event *down, const struct seen_event *up)
{
	return up->traits & TRAIT_TO_DEVICE &&
		computes_between(
			s, outermost_operator(s, down->call), outermost_operator(s, up->call));
}

/* The same of a few numbers, which the next operator takes as they are: any may stand between a
 * number that is read and an input. */
static bool is_result_of_few(
	const struct facts *s, const struct seen_event *down, const struct seen_event *up)
{
	uint32_t next = down ? next_operator(s, outermost_operator(s, down->call)) : NO_ROW;
	const struct inputs *x = next == NO_ROW ? NULL : inputs_of(s->a, next);
	return x && elements_of(x, 0) > 1 &&
		elements_of(x, 0) * x->in[0].bytes == bytes_of(s, down->row) &&
		is_result(s, down, up);
}

static struct trips trips_of(const struct facts *s, struct finding *f)
{
	struct trips all = {0};
	const struct seen_event *open[OPEN_COPIES], *few = NULL;
	int64_t open_bytes[OPEN_COPIES];
	size_t n = 0;
	for (size_t i = 0; i < s->n_moves; i++) {
		const struct seen_event *e = &s->event[s->move[i]];
		int64_t bytes = s->t->kind[e->row] == EVENT_MEMCPY ? bytes_of(s, e->row) : 0;
		if (!bytes || e->call == NO_ROW)
			continue;
		if (is_result_of_few(s, few, e)) {
			all.computed |= !all.n;
			add_trip(s, few, e, &all, f->plan);
			prove(f, few->call);
			few = NULL;
			continue;
		}
		bool result = n && is_result(s, open[0], e);
		few = e->traits & TRAIT_TO_HOST ? e : few;
		if (bytes < LEAST_BYTES && !result)
			continue;
		if (e->traits & TRAIT_TO_HOST) {
			n += n < OPEN_COPIES;
			memmove(&open[1], &open[0], (n - 1) * sizeof *open);
			memmove(&open_bytes[1], &open_bytes[0], (n - 1) * sizeof *open_bytes);
			open[0] = e;
			open_bytes[0] = bytes;
			continue;
		}
		if (!(e->traits & TRAIT_TO_DEVICE))
			continue;
		size_t k = 0;
		while (!result && k < n && open_bytes[k] != bytes)
			k++;
		if (k == n)
			continue;
		all.computed |= !all.n && result;
		add_trip(s, open[k], e, &all, f->plan);
		prove(f, open[k]->call);
		memmove(&open[k], &open[k + 1], (--n - k) * sizeof *open);
		memmove(&open_bytes[k], &open_bytes[k + 1], (n - k) * sizeof *open_bytes);
	}
	return all;
}

/* The last operator that computes on the host behind a copy to it, before anything is launched but
 * further copies to it; NO_ROW where they take less than COMPUTES_NS together, or than half of
 * the time. */
static uint32_t last_computing(const struct facts *s, uint32_t from)
{
	const struct trace *t = s->t;
	int64_t done = row_end(t, from), ns = 0;
	uint32_t last = NO_ROW;
	for (uint32_t i = from + 1; i < s->to && i - from < COMPUTES_ROWS; i++) {
		if (t->track[i] != t->track[from] || t->start_ns[i] < done)
			continue;
		bool copies = launches_inside(s, i, TRAIT_TO_HOST, false);
		if (!copies && launches_inside(s, i, 0, true))
			break;
		if (t->kind[i] != EVENT_OP && !event_is_call(t->kind[i]))
			continue;
		done = row_end(t, i);
		if (copies || t->kind[i] != EVENT_OP)
			continue;
		ns += t->dur_ns[i];
		last = i;
	}
	return ns >= COMPUTES_NS && 2 * ns >= done - row_end(t, from) ? last : NO_ROW;
}

/* What goes to the host and is computed with there, though nothing of it comes back. */
static struct trips stays_of(const struct facts *s, struct finding *f)
{
	const struct trace *t = s->t;
	struct trips all = {0};
	int64_t done = s->w->start_ns;
	for (size_t i = 0; i < s->n_moves; i++) {
		const struct seen_event *e = &s->event[s->move[i]];
		if (t->kind[e->row] != EVENT_MEMCPY || !(e->traits & TRAIT_TO_HOST) ||
			e->call == NO_ROW || bytes_of(s, e->row) < LEAST_BYTES ||
			t->start_ns[e->call] < done)
			continue;
		uint32_t from = outermost_operator(s, e->call), last = last_computing(s, from);
		if (last == NO_ROW)
			continue;
		done = row_end(t, last);
		all.n++;
		all.bytes += bytes_of(s, e->row);
		all.ns += done - t->start_ns[from];
		plan_gone(f->plan, t->track[from], t->start_ns[from], done);
		prove(f, e->call);
	}
	return all;
}

/* ---- tensors that come for a step and go back ---- */

/* LEAST_TENSORS: in the same order. BEFORE: copies one way that are none of them, as of a result.
 */
enum { LEAST_TENSORS = 8, BEFORE = 4 };

/* Copies one way, in the order of the device. */
struct copies {
	const struct seen_event **e; /* (n) (malloc) */
	size_t n;
};

static struct copies copies_of(const struct facts *s, uint32_t traits)
{
	struct copies all = {xalloc((s->n_moves + 1) * sizeof *all.e), 0};
	for (size_t i = 0; i < s->n_moves; i++) {
		const struct seen_event *e = &s->event[s->move[i]];
		if (s->t->kind[e->row] == EVENT_MEMCPY && e->traits & traits && e->call != NO_ROW)
			all.e[all.n++] = e;
	}
	return all;
}

static size_t alike(const struct facts *s, const struct copies *up, size_t i,
	const struct copies *down, size_t k)
{
	size_t n = 0;
	while (i + n < up->n && k + n < down->n &&
		bytes_of(s, up->e[i + n]->row) == bytes_of(s, down->e[k + n]->row))
		n++;
	return n;
}

/* Are there two sizes at least? As many results of one size may be a step's own. */
static bool has_sizes(const struct facts *s, const struct copies *up, size_t i, size_t n)
{
	for (size_t k = 1; k < n; k++)
		if (bytes_of(s, up->e[i]->row) != bytes_of(s, up->e[i + k]->row))
			return true;
	return false;
}

/* All of these copies go, and what the program does to come from one to the next. Its time. */
static int64_t plan_copies(
	const struct facts *s, struct finding *f, const struct copies *all, size_t i, size_t n)
{
	const struct trace *t = s->t;
	int64_t ns = 0;
	for (size_t k = 0; k < n; k++) {
		uint32_t op = outermost_operator(s, all->e[i + k]->call);
		uint32_t next = k + 1 < n ? outermost_operator(s, all->e[i + k + 1]->call) : NO_ROW;
		prove(f, all->e[i + k]->call);
		plan_goes(f->plan, t, op);
		ns += t->dur_ns[op];
		if (next == NO_ROW || t->track[op] != t->track[next] ||
			launches_between(s, op, next))
			continue;
		plan_gone(f->plan, t->track[op], row_end(t, op), t->start_ns[next]);
		ns += max64(0, t->start_ns[next] - row_end(t, op));
	}
	return ns;
}

static bool tell_these(const struct facts *s, struct finding *f, const struct copies *up, size_t i,
	const struct copies *down, size_t k)
{
	size_t n = alike(s, up, i, down, k);
	if (n < LEAST_TENSORS || !has_sizes(s, up, i, n) ||
		s->t->start_ns[down->e[k]->row] < row_end(s->t, up->e[i + n - 1]->row))
		return false;
	int64_t bytes = 0;
	for (size_t j = 0; j < n; j++)
		bytes += bytes_of(s, up->e[i + j]->row);
	int64_t ns = plan_copies(s, f, up, i, n) + plan_copies(s, f, down, k, n);
	f->variant = "visits";
	TELL(f, {"n", (double)n}, {"bytes", (double)bytes}, {"time", (double)ns},
		{"share", share_of_window(s, ns)});
	return true;
}

static bool tell_visits(const struct facts *s, struct finding *f)
{
	struct copies up = copies_of(s, TRAIT_TO_DEVICE), down = copies_of(s, TRAIT_TO_HOST);
	bool told = false;
	for (size_t i = 0; i < BEFORE && !told; i++)
		for (size_t k = 0; k < BEFORE && !told; k++)
			told = tell_these(s, f, &up, i, &down, k);
	free(up.e);
	free(down.e);
	return told;
}

enum finding_state there_and_back(const struct facts *s, struct finding *f)
{
	struct trips all = s->n_moves ? trips_of(s, f) : (struct trips){0};
	f->variant = all.peer ? "peer" : all.computed ? "computed" : "";
	if (!*f->variant && !all.unseen && (double)all.n < limit(f, "copies") && tell_visits(s, f))
		return FINDING_FIRED;
	if (!all.n && (all = stays_of(s, f)).n)
		f->variant = "stays";
	TELL(f, {"n", (double)all.n}, {"bytes", (double)all.bytes}, {"time", (double)all.ns},
		{"share", share_of_window(s, all.ns)});
	return fired_if(
		all.n && (*f->variant || all.unseen || (double)all.n >= limit(f, "copies")));
}
