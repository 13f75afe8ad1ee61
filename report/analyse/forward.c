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
	struct numbered *forward; /* (n) malloc */
	size_t n, room;
	uint32_t *backward; /* (n_backward) rows that name the thread of their forward operator;
			       malloc */
	size_t n_backward, room_backward;
	size_t near; /* where candidates stood last: numbers of neighbours are close */
	struct thread_vote vote[THREADS];
	int n_votes;
};

/* Those before a row with its number: from *first on, up to the result. */
static size_t candidates(struct joining *j, uint32_t row, size_t *first)
{
	const struct trace *t = j->t;
	const struct numbered key = {t->correlation[row], t->tracks[t->track[row]].pid_text, row};
	*first = first_near(i, 0, j->n, j->near,
		j->forward[i].number > key.number ||
			(j->forward[i].number == key.number &&
				j->forward[i].process >= key.process));
	j->near = *first;
	return first_near(i, *first, j->n, *first, by_number(&j->forward[i], &key) >= 0);
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

static void *with_room(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 256;
	return xrealloc(array, *room, size);
}

static void gather(struct joining *j)
{
	const struct trace *t = j->t;
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->kind[i] != EVENT_OP || !t->correlation[i])
			continue;
		if (forward_thread(t, i)) {
			j->backward = with_room(
				j->backward, j->n_backward, &j->room_backward, sizeof *j->backward);
			j->backward[j->n_backward++] = i;
			continue;
		}
		j->forward = with_room(j->forward, j->n, &j->room, sizeof *j->forward);
		j->forward[j->n++] =
			(struct numbered){t->correlation[i], t->tracks[t->track[i]].pid_text, i};
	}
	size_t sorted = j->n ? 1 : 0; /* those of one thread mostly are */
	while (sorted < j->n && by_number(&j->forward[sorted - 1], &j->forward[sorted]) < 0)
		sorted++;
	if (sorted < j->n)
		qsort(j->forward, j->n, sizeof *j->forward, by_number);
}

static uint32_t *hand_down(struct joining *j)
{
	const struct trace *t = j->t;
	uint32_t *of = xalloc(t->n * sizeof *of);
	size_t next = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up = event_on_host(t->kind[i]) ? t->parent[i] : NO_ROW;
		bool says = next < j->n_backward && j->backward[next] == i;
		of[i] = says ? made_by(j, i) : NO_ROW;
		next += says;
		if (of[i] == NO_ROW && up != NO_ROW)
			of[i] = of[up];
	}
	return of;
}

uint32_t *forward_of(const struct trace *t)
{
	struct joining j = {.t = t};
	gather(&j);
	for (size_t i = 0; i < j.n_backward; i++)
		cast_vote(&j, j.backward[i]);
	uint32_t *of = j.n_backward ? hand_down(&j) : NULL;
	free(j.forward);
	free(j.backward);
	return of;
}
