/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include "report/read/order.h"
#include "report/trace/growing_arrays.h"

#include <stdlib.h>
#include <string.h>

/* How deep an end looks for a begin of its name. */
enum { DEEPEST = 1000 };

struct list {
	uint32_t *mark;
	size_t n, room;
};

struct open { /* of one thread or id */
	struct list begins; /* not closed yet, the innermost last */
	struct list passed; /* closed by the end of one that they stood in; theirs may come yet */
};

static void push(struct list *l, uint32_t mark)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->mark = xrealloc(l->mark, l->room, sizeof *l->mark);
	}
	l->mark[l->n++] = mark;
}

static void note(struct part *p, enum repair_kind kind, const struct mark *m)
{
	const struct text_entry *e = &p->texts.entry[m->name];
	repair_note(&p->repairs, kind, 1, m->offset, e->text, e->length);
}

static void close_row(struct part *p, const struct mark *begin, int64_t at_ns)
{
	p->rows.dur_ns[begin->row] = at_ns - begin->at_ns;
}

static void pair(struct part *p, const struct mark *begin, struct mark *end)
{
	close_row(p, begin, end->at_ns);
	end->row = begin->row;
}

static bool same_lane(const struct mark *begin, const struct mark *end)
{
	return begin->key == end->key || end->anywhere;
}

/* The begin of an end in a list, the last of those that fit; NULL for none. */
static uint32_t *find(
	const struct part *p, const struct list *l, const struct mark *end, bool named)
{
	size_t lowest = l->n > DEEPEST ? l->n - DEEPEST : 0;
	for (size_t i = l->n; l->mark && i > lowest; i--) {
		const struct mark *begin = &p->marks[l->mark[i - 1]];
		bool fits = begin->name == end->name || (!named && (!end->name || !begin->name));
		if (fits && same_lane(begin, end))
			return &l->mark[i - 1];
	}
	return NULL;
}

/* A begin of the list has its end; those above it on its lane have none so far. */
static void close_begin(struct part *p, struct open *o, uint32_t *at, struct mark *end)
{
	struct list *l = &o->begins;
	const struct mark *closed = &p->marks[*at];
	uint32_t *kept = at;
	pair(p, closed, end);
	for (const uint32_t *next = at + 1; next < l->mark + l->n; next++) {
		const struct mark *begin = &p->marks[*next];
		if (begin->key == closed->key) {
			close_row(p, begin, end->at_ns);
			push(&o->passed, *next);
		} else {
			*kept++ = *next;
		}
	}
	l->n = (size_t)(kept - l->mark);
}

static void take_end(struct part *p, struct open *o, struct mark *end)
{
	uint32_t *at = find(p, &o->begins, end, false);
	if (at) {
		close_begin(p, o, at, end);
		return;
	}
	struct list *l = &o->passed;
	at = end->name ? find(p, l, end, true) : NULL;
	if (!at) {
		note(p, REPAIR_NO_BEGIN, end);
		return;
	}
	pair(p, &p->marks[*at], end);
	memmove(at, at + 1, (size_t)(l->mark + l->n - (at + 1)) * sizeof *at);
	l->n--;
}

/* The marks of one thread or id, in order of time. */
static void pair_group(struct part *p, const uint64_t *pair, size_t n, struct open *o)
{
	o->begins.n = o->passed.n = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t mark = (uint32_t)pair[i];
		if (p->marks[mark].end)
			take_end(p, o, &p->marks[mark]);
		else
			push(&o->begins, mark);
	}
	int64_t last_ns = p->marks[(uint32_t)pair[n - 1]].at_ns;
	for (size_t i = 0; o->begins.mark && i < o->begins.n; i++) {
		const struct mark *begin = &p->marks[o->begins.mark[i]];
		close_row(p, begin, last_ns);
		note(p, REPAIR_NO_END, begin);
	}
	for (size_t i = 0; o->passed.mark && i < o->passed.n; i++)
		note(p, REPAIR_NO_END, &p->marks[o->passed.mark[i]]);
}

/* By lane, the one whose number its marks share: a stream's marks stand with those of the thread of
 * the same numbers. */
static uint32_t *group_lanes(const struct lanes *l)
{
	uint32_t *group = xcalloc(l->n, sizeof *group);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct lane_key *lane = &l->lane[i];
		uint32_t thread = lane->kind == LANE_DEVICE
			? lanes_look(l, lane->pid, lane->tid, LANE_HOST)
			: LANE_NONE;
		group[i] = thread == LANE_NONE ? i : thread;
	}
	return group;
}

/* Marks by key, those of one key in order of time. */
static uint64_t *order_marks(const struct part *p)
{
	size_t n = p->n_marks;
	int64_t *at = pages_grow(NULL, n, sizeof *at);
	uint64_t *pair = pages_grow(NULL, n, sizeof *pair);
	struct spare spare = {pages_grow(NULL, n, sizeof *spare.eight),
		pages_grow(NULL, n, sizeof *spare.four), pages_grow(NULL, n, sizeof *spare.from)};
	for (size_t i = 0; i < n; i++)
		at[i] = p->marks[i].at_ns;
	bool moved = order_times(&at, n, false, &spare);
	uint32_t *group = group_lanes(&p->lanes);
	for (size_t i = 0; i < n; i++) {
		uint32_t mark = moved ? spare.from[i] : (uint32_t)i;
		const struct mark *m = &p->marks[mark];
		uint32_t key = m->async ? m->key : group[m->key];
		pair[i] = pair_of(key << 1 | m->async, mark);
	}
	free(group);
	pages_free(at);
	pages_free(spare.eight);
	pages_free(spare.four);
	pages_free(spare.from);
	order_pairs(pair, n);
	return pair;
}

void marks_pair(struct part *p)
{
	if (!p->n_marks)
		return;
	struct open open = {0};
	uint64_t *pair = order_marks(p);
	for (size_t i = 0, k; i < p->n_marks; i = k) {
		for (k = i + 1; k < p->n_marks && pair[k] >> 32 == pair[i] >> 32;)
			k++;
		pair_group(p, pair + i, k - i, &open);
	}
	pages_free(pair);
	free(open.begins.mark);
	free(open.passed.mark);
}
