/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside a row, or inside it, as patterns ask. */
#include "report/rules/pattern.h"

/* So many rows are looked at, either way. */
enum { NEAR = 400 };

/* Most rows have another parent. */
static inline bool is_operator_beside(const struct trace *t, uint32_t i, uint32_t row)
{
	return t->parent[i] == t->parent[row] && t->kind[i] == EVENT_OP &&
		t->track[i] == t->track[row];
}

/* Where rows beside it may begin: those inside another come behind that. */
static inline uint32_t first_beside(const struct trace *t, uint32_t row)
{
	return t->parent[row] == NO_ROW ? 0 : t->parent[row] + 1;
}

/* And where they have begun. */
static inline int64_t last_beside_ns(const struct trace *t, uint32_t row)
{
	return t->parent[row] == NO_ROW ? INT64_MAX : row_end(t, t->parent[row]);
}

static uint32_t beside_from(const struct trace *t, uint32_t row, uint32_t from)
{
	int64_t last_ns = last_beside_ns(t, row);
	for (uint32_t i = from, k = 0; i < t->n && k < NEAR && t->start_ns[i] < last_ns; i++, k++)
		if (is_operator_beside(t, i, row))
			return i;
	return NO_ROW;
}

/* One that many rows are inside, as a factorisation, is passed at its end. */
uint32_t next_operator(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	uint32_t next = beside_from(t, row, row + 1);
	if (next != NO_ROW || row + NEAR >= t->n || t->start_ns[row + NEAR] >= row_end(t, row))
		return next;
	return beside_from(t, row, (uint32_t)trace_first_from(t, row_end(t, row)));
}

uint32_t operator_before(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	for (uint32_t i = row, k = 0, first = first_beside(t, row); i-- > first && k < NEAR; k++)
		if (is_operator_beside(t, i, row))
			return i;
	return NO_ROW;
}

int64_t comes_to(const struct facts *s, uint32_t row)
{
	const struct trace *t = s->t;
	int64_t start = t->start_ns[row];
	for (uint32_t i = row, k = 0, first = first_beside(t, row); i-- > first && k < NEAR; k++)
		if (t->track[i] == t->track[row] && t->parent[i] == t->parent[row] &&
			event_on_host(t->kind[i]))
			return start - row_end(t, i) < SILENCE_NS ? row_end(t, i) : start;
	return start;
}

int64_t prepared_from(const struct facts *s, uint32_t row)
{
	enum { MOST = 8 };
	const struct trace *t = s->t;
	int64_t from = comes_to(s, row);
	for (uint32_t i = row, k = 0; i-- > s->from && k < MOST; k++) {
		if (t->track[i] != t->track[row] || t->parent[i] != t->parent[row])
			continue;
		if (row_end(t, i) < from || launches_inside(s, i, 0, true))
			break;
		from = comes_to(s, i);
	}
	return from;
}

double launched_for_ns(const struct facts *s, uint32_t row, enum device_why why)
{
	const struct trace *t = s->t;
	const struct purposes *all = &s->p->purposes;
	double ns = 0;
	for (uint32_t i = row; i < t->n && t->start_ns[i] < row_end(t, row); i++) {
		if (!event_is_call(t->kind[i]) || t->track[i] != t->track[row] ||
			t->launch[i] == NO_ROW)
			continue;
		uint32_t group = all->of_event[device_index(s, t->launch[i], 0)];
		ns += (double)t->dur_ns[t->launch[i]] * purpose_share(&all->group[group], why);
	}
	return ns;
}

bool launches_inside(const struct facts *s, uint32_t row, uint32_t traits, bool any)
{
	const struct trace *t = s->t;
	for (uint32_t i = row; i < t->n && t->start_ns[i] < row_end(t, row); i++) {
		uint32_t work = event_is_call(t->kind[i]) && t->track[i] == t->track[row]
			? t->launch[i]
			: NO_ROW;
		if (work != NO_ROW &&
			(any ||
				(t->kind[work] == EVENT_MEMCPY &&
					device_traits(s->a, work) & traits)))
			return true;
	}
	return false;
}

name_id loader_with_workers(const struct facts *s)
{
	const struct names *names = &s->t->names;
	for (name_id i = 1; i < names->n; i++)
		if (strstr(names_text(names, i), "_MultiProcessingDataLoaderIter"))
			return i;
	return 0;
}
