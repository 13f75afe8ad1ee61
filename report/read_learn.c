#include "report/read_learn.h"

#include <string.h>

void learn_init(struct learned *l)
{
	memset(l, 0, sizeof *l);
	l->n_nodes = LEARN_START + 1;
}

uint16_t learn_node(struct learned *l, unsigned context, unsigned place)
{
	uint16_t *node = &l->node_of[context][place];
	if (!*node && l->n_nodes < LEARN_NODES) {
		*node = l->n_nodes++;
		l->node[*node].context = (uint8_t)context;
	}
	return *node;
}

uint16_t learn(
	struct learned *l, struct node *node, const char *text, size_t n, struct meaning meaning)
{
	if (node == &l->node[LEARN_NONE])
		return LEARN_NONE;
	uint16_t next = learn_node(l, node->context, meaning.place);
	if (n > LEARN_BYTES)
		return next;
	struct edge *e = &node->edge[node->turn];
	node->turn = (uint8_t)((node->turn + 1) % LEARN_EDGES);
	if (node->used < LEARN_EDGES)
		node->used++;
	*e = (struct edge){.next = next, .n = (uint8_t)n, .meaning = meaning};
	memcpy(e->text, text, n);
	for (size_t i = 0; i < n; i++)
		e->mask[i / 16] |= (uint16_t)(1u << i % 16);
	return next;
}
