/* SPDX-License-Identifier: Apache-2.0 */
#include "base/min_max.h"
#include "report/parse/learned_form.h"
#include "report/parse/value.h"

#include <string.h>

/* Literals of the event that is looked at, and the values between them that may be in a phrase. */
struct run {
	struct node *node;
	const char *begin;
	const struct edge *last; /* the last literal that has room */
	size_t n; /* bytes up to its end */
	struct phrase before; /* it */
	struct phrase all; /* with the value behind it */
	unsigned values;
	bool phrase; /* a value stands before the last literal */
};

enum { MOST_USED = 15 };

static const struct edge *find_literal(const struct node *node, const char *p)
{
	for (const struct edge *e = node->edge + LEARN_PHRASES; e != node->last; e++)
		if (!memcmp(p, e->text, e->n))
			return e;
	return NULL;
}

static void run_begin(struct run *r, struct node *node, const char *p)
{
	*r = (struct run){.node = node, .begin = p, .all = {.keep = UINT64_MAX}};
}

/* The phrase that it is already, or NULL. */
static struct phrase *find_phrase(struct node *node, const struct run *r)
{
	for (const struct edge *e = node->first; e != node->edge + LEARN_PHRASES; e++)
		if (e->n == r->n && !memcmp(e->text, r->begin, r->n))
			return &node->phrase[e->phrase - 1];
	return NULL;
}

/* A place for a new one: that which was used least goes, once it is used no more. */
static struct edge *find_room(struct node *node)
{
	if (node->first > node->edge)
		return --node->first;
	struct phrase *least = node->phrase;
	for (struct phrase *f = node->phrase + 1; f < node->phrase + LEARN_PHRASES; f++)
		least = f->used < least->used ? f : least;
	if (!least->used)
		return &node->edge[least - node->phrase];
	least->used--;
	return NULL;
}

static void run_end(struct learned *l, const struct run *r)
{
	if (!r->phrase)
		return;
	struct phrase *known = find_phrase(r->node, r);
	if (known)
		known->used = (uint8_t)(known->used + (known->used < MOST_USED));
	struct edge *e = known ? NULL : find_room(r->node);
	if (!e)
		return;
	size_t i = (size_t)(e - r->node->edge);
	r->node->phrase[i] = r->before;
	r->node->phrase[i].category.stamp = ++l->n_phrases;
	*e = *r->last;
	e->n = (uint8_t)r->n;
	e->mask = r->n < 64 ? (1ull << r->n) - 1 : UINT64_MAX;
	e->phrase = (uint8_t)(i + 1);
	memcpy(e->text, r->begin, r->n);
}

/* Behind a number of few digits that stood here when this was last looked at; NULL at any other. */
static const char *pass_number(uint64_t *looked_at, const char *p, int64_t *to)
{
	unsigned n;
	uint64_t bytes = load8(p);
	bool again = *looked_at == bytes;
	*looked_at = bytes;
	*to = (int64_t)scan_eight(p, &n);
	return again && n && n < 8 && !is_padded(p, n) && ends_number(p[n]) ? p + n : NULL;
}

/* Behind a category that has room in a phrase, or NULL. */
static const char *pass_category(const struct run *r, const char *p, const struct raw_text *t)
{
	bool plain = t->at == p + 1 && t->form == TEXT_PLAIN && t->n;
	return plain && p + t->n - r->begin < LEARN_BYTES ? p + t->n + 2 : NULL;
}

/* Behind a value that is part of the run from here on; NULL behind none. */
static const char *add_value(struct run *r, struct node *node, const struct edge *e, const char *p,
	const struct raw_event *raw)
{
	struct phrase *f = &r->all;
	const struct raw_text *category = &raw->text[RAW_CATEGORY];
	unsigned take = e->meaning.take;
	int64_t number = 0;
	const char *q = NULL;
	if (take == TAKE_PHASE) {
		f->phase = raw->phase;
		q = p[0] == '"' && p[1] == raw->phase && p[2] == '"' ? p + 3 : NULL;
	} else if (take == TAKE_CATEGORY) {
		q = pass_category(r, p, category);
		f->category_at = (uint8_t)(p + 1 - r->begin);
		f->category_n = (uint8_t)category->n;
	} else if (take == TAKE_ID || take == TAKE_INT || take == TAKE_SKIP) {
		q = pass_number(&node->looked_at[e - node->edge - LEARN_PHRASES], p, &number);
	}
	if (!q || f->n == PHRASE_NUMBERS)
		return NULL;
	f->set |= e->set;
	f->keep &= e->keep;
	if (take == TAKE_ID || take == TAKE_INT) {
		f->index[f->n] = e->meaning.index;
		f->number[f->n++] = number;
	}
	r->values++;
	return q;
}

static struct node *node_behind(
	struct learned *l, const struct edge *e, const struct raw_event *raw)
{
	if (e->meaning.take == TAKE_PHASE)
		return node_of_phase(l, raw, e->meaning.place);
	if (e->meaning.take == TAKE_CATEGORY)
		return node_of_category(l, raw, e->meaning.place);
	return e->next;
}

void learn_phrases(struct learned *l, const char *p, const struct raw_event *raw)
{
	struct node *node = &l->node[LEARN_START];
	struct run r;
	l->look_every = (uint16_t)min_size(l->look_every + l->look_every / 8 + 1u, LEARN_LOOK_MOST);
	l->until_look = l->look_every;
	run_begin(&r, node, p);
	for (const struct edge *e; (e = find_literal(node, p));) {
		const char *value = p + e->n, *q;
		if (value - r.begin > LEARN_BYTES) {
			run_end(l, &r);
			run_begin(&r, node, p);
		}
		r.last = e;
		r.n = (size_t)(value - r.begin);
		r.before = r.all;
		r.phrase = r.values > 0;
		if (e->meaning.take == TAKE_END)
			break;
		q = add_value(&r, node, e, value, raw);
		node = node_behind(l, e, raw);
		p = q ? q : value_pass(value, raw->end);
		if (q)
			continue;
		run_end(l, &r);
		run_begin(&r, node, p);
	}
	run_end(l, &r);
}
