/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis_stages.h"
#include "report/analyse/breakdown_parts.h"

#include <stdlib.h>

/* The kernels of the busiest stream. */
struct sequence {
	const struct trace *t;
	uint32_t *row; /* (n) by start */
	size_t n;
};

static uint32_t busiest_stream(const struct analysis *a)
{
	const struct trace *t = a->trace;
	size_t *count = xcalloc(t->n_tracks, sizeof *count);
	uint32_t best = 0;
	for (size_t i = 0; i < a->n_device; i++)
		count[t->track[a->device_rows[i]]] += t->kind[a->device_rows[i]] == EVENT_KERNEL;
	for (uint32_t i = 1; i < t->n_tracks; i++)
		best = count[i] > count[best] ? i : best;
	free(count);
	return best;
}

static struct sequence sequence_of(const struct analysis *a)
{
	const struct trace *t = a->trace;
	uint32_t track = busiest_stream(a);
	struct sequence s = {.t = t, .row = xcalloc(a->n_device, sizeof *s.row)};
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i];
		if (t->track[row] == track && t->kind[row] == EVENT_KERNEL)
			s.row[s.n++] = row;
	}
	return s;
}

/* How a name comes back. */
struct anchor {
	size_t first, last, every, n; /* every: 0 when the distances differ */
};

static struct anchor *anchors_of(const struct sequence *s)
{
	struct anchor *x = xcalloc(s->t->names.n, sizeof *x);
	for (size_t i = 0; i < s->n; i++) {
		struct anchor *k = &x[s->t->name[s->row[i]]];
		if (!k->n)
			k->first = i;
		else if (k->n == 1)
			k->every = i - k->last;
		else if (i - k->last != k->every)
			k->every = 0;
		k->last = i;
		k->n++;
	}
	return x;
}

static name_id name_at(const struct sequence *s, size_t at)
{
	return s->t->name[s->row[at]];
}

/* Whole ones: the last may be cut off. */
static size_t rounds_of(const struct anchor *x, const struct sequence *s)
{
	return x->n - (x->last + x->every > s->n);
}

/* The kernels of rounds are held against those of the one in the middle. */
static bool rounds_alike(const struct sequence *s, const struct anchor *x)
{
	size_t alike = 0, n = rounds_of(x, s) * x->every;
	size_t middle = rounds_of(x, s) / 2 * x->every;
	for (size_t i = 0; i < n; i++)
		alike += name_at(s, x->first + i) == name_at(s, x->first + middle + i % x->every);
	return 10 * alike >= 9 * n;
}

static bool recurs(const struct anchor *x, const struct sequence *s)
{
	return x->n && x->every >= 2 && rounds_of(x, s) >= STEPS_LEAST &&
		5 * x->every * x->n >= 4 * s->n;
}

static bool is_better(const struct anchor *x, const struct anchor *best)
{
	return !best->n || x->every < best->every ||
		(x->every == best->every && x->first < best->first);
}

/* The name whose rounds are shortest; of those the one that comes first. */
static name_id best_anchor(const struct anchor *x, const struct sequence *s)
{
	name_id best = 0;
	for (size_t at = 0; at < s->n; at++) {
		name_id i = name_at(s, at);
		if (x[i].first == at && recurs(&x[i], s) && is_better(&x[i], &x[best]) &&
			rounds_alike(s, &x[i]))
			best = i;
	}
	return best;
}

/* A round ends where the next one's first launch begins, the last one with its own last call. False
 * when launches are missing, or one launch begins several rounds. */
static bool fill_ranges(
	const struct sequence *s, const struct anchor *x, struct step_range *r, size_t rounds)
{
	for (size_t i = 0; i < rounds; i++) {
		size_t at = x->first + i * x->every;
		uint32_t call = analysis_launch_of(s->t, s->row[at]);
		uint32_t last = analysis_launch_of(s->t, s->row[at + x->every - 1]);
		if (call == NO_ROW || last == NO_ROW)
			return false;
		r[i] = (struct step_range){
			(int64_t)i, s->t->start_ns[call], row_end(s->t, last), call};
		if (i && r[i].start_ns <= r[i - 1].start_ns)
			return false;
		if (i)
			r[i - 1].end_ns = r[i].start_ns;
	}
	return true;
}

static bool covers(const struct analysis *a, const struct sequence *s, const struct anchor *x,
	const struct step_range *r, size_t rounds)
{
	int64_t end = row_end(s->t, s->row[x->first + rounds * x->every - 1]);
	return 5 * (end - r[0].start_ns) >= 4 * (a->window.end_ns - a->window.start_ns);
}

struct step_range *steps_by_launches(const struct analysis *a, uint32_t *n, const char **range)
{
	struct sequence s = sequence_of(a);
	struct anchor *x = anchors_of(&s);
	name_id best = best_anchor(x, &s);
	struct step_range *r = NULL;
	*n = 0;
	if (best) {
		size_t rounds = rounds_of(&x[best], &s);
		r = xcalloc(rounds, sizeof *r);
		if (fill_ranges(&s, &x[best], r, rounds) && covers(a, &s, &x[best], r, rounds)) {
			*n = (uint32_t)rounds;
			*range = names_text(&a->trace->names, best);
		} else {
			free(r);
			r = NULL;
		}
	}
	free(x);
	free(s.row);
	return r;
}
