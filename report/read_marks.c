#include "report/read_marks.h"

#include "report/pages.h"
#include "report/read_order.h"

#include <stdlib.h>

/* How deep an end looks for a begin of its name. */
enum { DEEPEST = 1000 };

struct open { /* the begins of one thread or id that are not closed yet */
	uint32_t *mark;
	size_t n, room;
};

static void push(struct open *o, uint32_t mark)
{
	if (o->n == o->room) {
		o->room = o->room ? 2 * o->room : 64;
		o->mark = xrealloc(o->mark, o->room, sizeof *o->mark);
	}
	o->mark[o->n++] = mark;
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

/* How many open begins an end closes: one more than those above its own; 0 if none is its own. */
static size_t reach(const struct part *p, const struct open *o, const struct mark *end)
{
	for (size_t k = 1; k <= o->n && k <= DEEPEST; k++) {
		const struct mark *begin = &p->marks[o->mark[o->n - k]];
		if (!end->name || !begin->name || begin->name == end->name)
			return k;
	}
	return 0;
}

static void take_end(struct part *p, struct open *o, const struct mark *end)
{
	size_t n = reach(p, o, end);
	if (!n)
		note(p, REPAIR_NO_BEGIN, end);
	for (; n; n--) {
		const struct mark *begin = &p->marks[o->mark[--o->n]];
		close_row(p, begin, end->at_ns);
		if (n > 1)
			note(p, REPAIR_NO_END, begin);
	}
}

/* The marks of one thread or id, in order of time. */
static void pair_group(struct part *p, const uint64_t *pair, size_t n, struct open *o)
{
	o->n = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t mark = (uint32_t)pair[i];
		if (p->marks[mark].row == NO_ROW)
			take_end(p, o, &p->marks[mark]);
		else
			push(o, mark);
	}
	int64_t last_ns = p->marks[(uint32_t)pair[n - 1]].at_ns;
	while (o->n) {
		const struct mark *begin = &p->marks[o->mark[--o->n]];
		close_row(p, begin, last_ns);
		note(p, REPAIR_NO_END, begin);
	}
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
	for (size_t i = 0; i < n; i++) {
		uint32_t mark = moved ? spare.from[i] : (uint32_t)i;
		uint32_t key = p->marks[mark].key << 1 | p->marks[mark].async;
		pair[i] = pair_of(key, mark);
	}
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
	free(open.mark);
}
