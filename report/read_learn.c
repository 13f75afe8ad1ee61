#include "report/read_learn.h"

#include <string.h>

void learn_init(struct learned *l)
{
	memset(l, 0, sizeof *l);
	l->n_nodes = LEARN_START + 1;
}

struct node *learn_node(struct learned *l, unsigned context, unsigned place)
{
	struct node *node = l->node_of[context][place];
	if (node)
		return node;
	if (l->n_nodes == LEARN_NODES)
		return &l->node[LEARN_NONE];
	node = &l->node[l->n_nodes++];
	node->context = (uint8_t)context;
	l->node_of[context][place] = node;
	return node;
}

/* The lowest n bits. */
static uint64_t mask_of(size_t n)
{
	return n < 64 ? (1ull << n) - 1 : UINT64_MAX;
}

_Static_assert(LEARN_BYTES <= 64 && MEMO_BYTES <= 64, "bits of a mask");

struct memo *memo_set(struct memo *memo, uint32_t tag, const char *text, size_t n)
{
	bool again = memo->tag == tag;
	memo->tag = tag;
	if (n > MEMO_BYTES || !again)
		return NULL;
	*memo = (struct memo){.n = (uint8_t)n, .mask = mask_of(n), .stamp = memo->stamp + 1};
	memcpy(memo->text, text, n);
	return memo;
}

struct node *learn(
	struct learned *l, struct node *node, const char *text, size_t n, struct meaning meaning)
{
	if (node == &l->node[LEARN_NONE])
		return node;
	struct node *next = learn_node(l, node->context, meaning.place);
	if (n > LEARN_BYTES)
		return next;
	struct edge *e = &node->edge[node->turn];
	node->turn = (uint8_t)((node->turn + 1) % LEARN_EDGES);
	if (node->used < LEARN_EDGES)
		node->used++;
	*e = (struct edge){.next = next, .n = (uint8_t)n, .mask = mask_of(n), .meaning = meaning};
	memcpy(e->text, text, n);
	return next;
}
