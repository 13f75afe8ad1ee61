/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins and ends. A writer that lives writes them as they happen, and they pair by their track in
 * order of time, as those of JSON do. PyTorch writes all begins of a kind and then all ends, each
 * list in the same order, so that the n-th end is that of the n-th begin; where slices touch, times
 * alone could not tell. That it did so is seen by times that go back.
 */
#include "report/read/event_in.h"
#include "report/read/pftrace_parts.h"

static void add_mark(struct pftrace *x, uint32_t track, struct mark mark)
{
	struct part *p = x->r->part;
	struct pf_track *t = &x->track[track];
	if (!t->key)
		t->key = strings_add(
			&p->keys, (const char *)&t->uuid, sizeof t->uuid, TEXT_PLAIN, mark.offset);
	mark.key = t->key;
	mark.async = true;
	*PUSH(p->marks, p->n_marks, p->mark_room) = mark;
}

static bool is_batch(const struct pf_sequence *s)
{
	if (s->n_begins != s->n_ends || !(s->unsorted || s->n_begins == 1))
		return false;
	for (size_t i = 0; i < s->n_begins; i++)
		if (s->begin[i].track != s->end[i].track || s->begin[i].at_ns > s->end[i].at_ns)
			return false;
	return true;
}

void pf_run_over(struct pftrace *x, struct pf_sequence *s)
{
	bool batch = is_batch(s);
	for (size_t i = 0; i < s->n_begins; i++) {
		const struct pf_begin *b = &s->begin[i];
		if (batch)
			x->r->part->rows.dur_ns[b->row] = s->end[i].at_ns - b->at_ns;
		else
			add_mark(x, b->track,
				(struct mark){
					.at_ns = b->at_ns, .row = b->row, .offset = b->offset});
	}
	for (size_t i = 0; i < s->n_ends && !batch; i++)
		add_mark(x, s->end[i].track,
			(struct mark){.at_ns = s->end[i].at_ns,
				.row = NO_ROW,
				.end = true,
				.offset = s->end[i].offset});
	s->n_begins = s->n_ends = 0;
	s->unsorted = false;
}

/* The time of the last of them. */
static int64_t last_ns(const struct pf_sequence *s)
{
	return s->n_ends      ? s->end[s->n_ends - 1].at_ns
		: s->n_begins ? s->begin[s->n_begins - 1].at_ns
			      : INT64_MIN;
}

void pf_begin(struct pftrace *x, struct pf_sequence *s, struct pf_begin begin)
{
	if (s->n_ends)
		pf_run_over(x, s);
	s->unsorted |= begin.at_ns < last_ns(s);
	PF_GROW(s->begin, s->n_begins, s->begin_room);
	s->begin[s->n_begins++] = begin;
}

void pf_end(struct pftrace *x, struct pf_sequence *s, struct pf_end end)
{
	(void)x;
	s->unsorted |= end.at_ns < last_ns(s);
	PF_GROW(s->end, s->n_ends, s->end_room);
	s->end[s->n_ends++] = end;
}
