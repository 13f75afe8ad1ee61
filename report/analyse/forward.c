/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/forward.h"

#include "base/binary_search.h"
#include "base/sort.h"

#include <stdlib.h>

/* Forward operators of one process and number stand together, by row. */
struct numbered {
	uint32_t number;
	name_id process;
	uint32_t row;
};

ORDER(by_number, struct numbered, UP(number) ?: UP(process) ?: UP(row));

/* Of PyTorch's numbers, the thread that has most votes (Boyer and Moore). */
enum { THREADS = 64 };
struct thread_vote {
	uint32_t thread, track, votes;
};

struct joining {
	const struct trace *t;
	struct numbered *forward; /* (n) */
	size_t n;
	struct thread_vote vote[THREADS];
	int n_votes;
};

/* Those before a row with its number: from *first on, up to the result. */
static size_t candidates(const struct joining *j, uint32_t row, size_t *first)
{
	const struct trace *t = j->t;
	const struct numbered key = {t->correlation[row], t->tracks[t->track[row]].pid_text, row};
	*first = first_where(i, 0, j->n,
		j->forward[i].number > key.number ||
			(j->forward[i].number == key.number &&
				j->forward[i].process >= key.process));
	return first_where(i, *first, j->n, by_number(&j->forward[i], &key) >= 0);
}

static struct thread_vote *vote_of(struct joining *j, uint32_t thread)
{
	int i = 0;
	while (i < j->n_votes && j->vote[i].thread != thread)
		i++;
	if (i == THREADS)
		return NULL;
	if (i == j->n_votes)
		j->vote[j->n_votes++] = (struct thread_vote){thread, NO_ROW, 0};
	return &j->vote[i];
}

static uint32_t forward_thread(const struct trace *t, size_t row)
{
	return t->kind[row] == EVENT_OP && t->correlation[row] && t->side[row] != NO_ROW
		? t->inputs[t->side[row]].forward_thread
		: 0;
}

static uint32_t track_of(const struct joining *j, size_t candidate)
{
	return j->t->track[j->forward[candidate].row];
}

static void cast_vote(struct joining *j, uint32_t row)
{
	size_t first, end = candidates(j, row, &first);
	if (first == end || track_of(j, first) != track_of(j, end - 1))
		return;
	struct thread_vote *v = vote_of(j, forward_thread(j->t, row));
	uint32_t track = track_of(j, first);
	if (v && !v->votes)
		v->track = track;
	if (v)
		v->votes += v->track == track ? 1u : UINT32_MAX;
}

static uint32_t made_by(struct joining *j, uint32_t row)
{
	enum { FEW = 64 }; /* operators of one number are a handful */
	size_t first, end = candidates(j, row, &first);
	if (first == end)
		return NO_ROW;
	const struct thread_vote *v = vote_of(j, forward_thread(j->t, row));
	if (!v || !v->votes)
		return j->forward[end - 1].row;
	for (size_t i = end; i > first && end - i < FEW; i--)
		if (track_of(j, i - 1) == v->track)
			return j->forward[i - 1].row;
	return NO_ROW;
}

static void gather(struct joining *j)
{
	const struct trace *t = j->t;
	for (size_t i = 0; i < t->n; i++)
		if (t->kind[i] == EVENT_OP && t->correlation[i] && !forward_thread(t, i))
			j->forward[j->n++] = (struct numbered){
				t->correlation[i], t->tracks[t->track[i]].pid_text, (uint32_t)i};
	if (j->n)
		qsort(j->forward, j->n, sizeof *j->forward, by_number);
}

static size_t count_backward(const struct trace *t)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		n += forward_thread(t, i) != 0;
	return n;
}

static size_t count_forward(const struct trace *t)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		n += t->kind[i] == EVENT_OP && t->correlation[i] != 0;
	return n;
}

uint32_t *forward_of(const struct trace *t)
{
	if (!count_backward(t))
		return NULL;
	struct joining j = {.t = t};
	j.forward = xcalloc(count_forward(t), sizeof *j.forward);
	gather(&j);
	for (uint32_t i = 0; i < t->n; i++)
		if (forward_thread(t, i))
			cast_vote(&j, i);
	uint32_t *of = xalloc(t->n * sizeof *of);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up = event_on_host(t->kind[i]) ? t->parent[i] : NO_ROW;
		of[i] = forward_thread(t, i) ? made_by(&j, i) : NO_ROW;
		if (of[i] == NO_ROW && up != NO_ROW)
			of[i] = of[up];
	}
	free(j.forward);
	return of;
}
