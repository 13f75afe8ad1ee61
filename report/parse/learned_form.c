/* SPDX-License-Identifier: Apache-2.0 */
#include "report/parse/learned_form.h"
#include "base/min_max.h"

#include <stddef.h>
#include <string.h>

/* Edges and phrases are written when they are learned. */
static void node_init(struct node *node, unsigned context)
{
	node->first = node->last = node->edge + LEARN_PHRASES;
	node->turn = 0;
	node->context = (uint8_t)context;
	memset(node->looked_at, 0, sizeof node->looked_at);
}

void learn_init(struct learned *l)
{
	memset(l, 0, offsetof(struct learned, node));
	l->look_every = l->until_look = LEARN_LOOK;
	while (l->n_nodes <= LEARN_START)
		node_init(&l->node[l->n_nodes++], 0);
}

struct node *learn_node_new(struct learned *l, unsigned context, unsigned place)
{
	if (l->n_nodes == LEARN_NODES)
		return &l->node[LEARN_NONE];
	struct node *node = &l->node[l->n_nodes++];
	node_init(node, context);
	l->node_of[context][place] = node;
	return node;
}

/* A mask of the lowest n bits, none for n 0. */
static uint64_t mask_of(size_t n)
{
	return n < 64 ? (1ull << n) - 1 : UINT64_MAX;
}

/* The bit of a value in raw_event.seen, and the bit of what it stands in for. */
static uint64_t set_by(struct meaning m)
{
	switch ((enum take)m.take) {
	case TAKE_TEXT:
	case TAKE_CATEGORY:
		return RAW_SEEN_TEXT(m.index);
	case TAKE_TIME:
	case TAKE_ID:
	case TAKE_INT:
	case TAKE_TRIPLE:
		return RAW_SEEN_NUMBER(m.index);
	case TAKE_REAL:
		return RAW_SEEN_REAL(m.index);
	case TAKE_SKIP:
	case TAKE_PHASE:
	case TAKE_ARGS:
	case TAKE_END:
		break;
	}
	return 0;
}

static uint64_t cleared_by(struct meaning m)
{
	return m.take == TAKE_ID ? RAW_SEEN_TEXT(RAW_PID_TEXT + m.index - RAW_PID) : 0;
}

_Static_assert(LEARN_BYTES <= 64 && MEMO_BYTES <= 128, "bits of a mask");

struct memo *memo_set(struct memo *memo, uint32_t tag, const char *text, size_t n)
{
	bool again = memo->tag == tag;
	memo->tag = tag;
	if (n > MEMO_BYTES || !again)
		return NULL;
	*memo = (struct memo){.n = (uint8_t)n,
		.mask = mask_of(n),
		.mask_far = mask_of(n > 64 ? n - 64 : 0),
		.known.stamp = memo->known.stamp + 1};
	memcpy(memo->text, text, n);
	return memo;
}

/* No number stood behind this literal yet; but if these eight bytes ever do, they are a 0. */
static struct last_value no_number(void)
{
	struct last_value last = {.n = 1};
	memcpy(&last.bytes, "0,,,,,,,", sizeof last.bytes);
	return last;
}

struct edge *learn(
	struct learned *l, struct node *node, const char *text, size_t n, struct meaning meaning)
{
	bool known = node != &l->node[LEARN_NONE];
	struct edge *e = &l->passing;
	if (known && n <= LEARN_BYTES) {
		e = &node->edge[LEARN_PHRASES + node->turn];
		if (node->last == e)
			node->last++;
		node->turn = (uint8_t)((node->turn + 1) % LEARN_EDGES);
	}
	*e = (struct edge){.next = known ? learn_node(l, node->context, meaning.place) : node,
		.n = (uint8_t)n,
		.mask = mask_of(n),
		.meaning = meaning,
		.set = set_by(meaning),
		.keep = ~cleared_by(meaning),
		.last = no_number()};
	memcpy(e->text, text, min_size(n, LEARN_BYTES));
	return e;
}
