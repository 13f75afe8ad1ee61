/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/dataloader_wait.h"

#include <math.h>
#include <string.h>

enum { LEAST_BATCHES = 3, LEAST_SAMPLES = 10 };

static const double TELLING = 0.5; /* of the samples lie in one function */

/* Of all who made some. */
struct makers {
	long made, samples, workers;
	double make_ns; /* a sum that no number of processes brings to an end */
	struct recorder_place *place; /* (n) */
	size_t n;
};

static void add_place(struct makers *m, const struct recorder_place *p)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->place[i].name, p->name)) {
			m->place[i].samples += p->samples;
			return;
		}
	m->place[m->n++] = *p;
}

static void add_maker(struct makers *m, const struct recorder_loading *l)
{
	m->made += l->made;
	m->make_ns += (double)l->make_ns;
	m->samples += l->samples;
	m->workers = l->worker >= m->workers ? l->worker + 1 : m->workers;
	for (int i = 0; i < TRACED_PLACES && l->place[i].name; i++)
		add_place(m, &l->place[i]);
}

static void find_place(struct loading *l, const struct makers *m)
{
	const struct recorder_place *most = NULL;
	for (size_t i = 0; i < m->n; i++)
		if (!most || m->place[i].samples > most->samples)
			most = &m->place[i];
	if (!most || m->samples < LEAST_SAMPLES)
		return;
	double share = (double)most->samples / (double)m->samples;
	if (share < TELLING || share > 1)
		return;
	l->place = most->name;
	l->place_ms = l->make_ms * share;
}

static bool only_loop(const struct recorder_notes *const *process, size_t n)
{
	int loops = 0;
	for (size_t i = 0; i < n; i++)
		loops += process[i]->loading.batches > 0;
	return loops == 1;
}

/* Workers are children of their loop, or of a server that forks for it. */
static struct makers makers_of(struct arena *a, const struct recorder_notes *const *process,
	size_t n, const struct recorder_notes *loop)
{
	struct makers m = {.place = arena_array(a, n * TRACED_PLACES, sizeof *m.place)};
	bool only = only_loop(process, n);
	for (size_t i = 0; i < n; i++) {
		const struct recorder_loading *l = &process[i]->loading;
		if (process[i] == loop || (l->worker >= 0 && (only || l->parent == loop->pid)))
			add_maker(&m, l);
	}
	return m;
}

struct loading loading_of(
	struct arena *a, const struct recorder_notes *const *process, size_t n, size_t i)
{
	const struct recorder_loading *loop = &process[i]->loading;
	if (loop->batches < LEAST_BATCHES || loop->work_ns <= 0)
		return (struct loading){0};
	struct makers makers = makers_of(a, process, n, process[i]);
	if (makers.made < LEAST_BATCHES || makers.make_ns <= 0)
		return (struct loading){0};
	double batches = (double)loop->batches;
	struct loading l = {.batches = loop->batches,
		.workers = makers.workers,
		.wait_ms = (double)loop->wait_ns * 1e-6 / batches,
		.work_ms = (double)loop->work_ns * 1e-6 / batches,
		.make_ms = makers.make_ns * 1e-6 / (double)makers.made};
	l.enough = (long)fmin(ceil(l.make_ms / l.work_ms), 1e6);
	find_place(&l, &makers);
	return l;
}

static const char *words_of_place(struct arena *a, const struct loading *l)
{
	int n = l->place ? (int)strcspn(l->place, " ") : 0;
	return l->place ? arena_printf(a, ", of it %.3g ms in %.*s (%s)", l->place_ms, n, l->place,
				  l->place + n + (l->place[n] == ' '))
			: "";
}

const char *loading_words(struct arena *a, const struct loading *l)
{
	const char *who = l->workers ? "a worker takes" : "it takes";
	const char *there = l->workers == 0 ? "there is none"
		: l->workers == 1	    ? "there was 1"
					    : arena_printf(a, "there were %ld", l->workers);
	return arena_printf(a,
		"the loop waited %.3g ms for each of %ld batches and worked %.3g ms on it; %s %.3g "
		"ms to make one%s, so %ld worker%s would hide it (%s)",
		l->wait_ms, l->batches, l->work_ms, who, l->make_ms, words_of_place(a, l),
		l->enough, l->enough == 1 ? "" : "s", there);
}

void loading_write(struct json_out *j, const struct loading *l)
{
	json_object(j, "loading", JSON_INLINE);
	json_int(j, "batches", l->batches);
	json_number(j, "wait_ms", l->wait_ms, 3);
	json_number(j, "work_ms", l->work_ms, 3);
	json_int(j, "workers", l->workers);
	json_number(j, "make_ms", l->make_ms, 3);
	json_int(j, "enough", l->enough);
	if (l->place) {
		json_text(j, "in", l->place);
		json_number(j, "in_ms", l->place_ms, 3);
	}
	json_end(j);
}
