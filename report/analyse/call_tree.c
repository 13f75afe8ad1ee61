/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/call_tree.h"

#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "report/analyse/account.h"
#include "report/analyse/breakdown_parts.h"
#include "report/analyse/forward.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* In the node of a row: it runs in a joined backward. */
#define BACKWARD 0x80000000u

struct planting {
	const struct analysis *a;
	const struct trace *t;
	const struct call_tree_form *form;
	struct call_tree *tree;
	uint32_t room;
	uint32_t *slot; /* (n_slots) node by parent and name, NO_ROW free */
	uint32_t n_slots;
	uint32_t *at; /* (trace.n) the innermost node of each row of the host, BACKWARD */
	const uint32_t *forward; /* forward_of() */
	uint16_t *frame; /* (names) enum frame of a row of Python by its name, 0 unknown yet */
	name_id *first; /* (names) the first name that is the same without numbers, + 1 */
	name_id *of_text; /* (without) that name; */
	uint32_t texts;
	uint64_t *path; /* (room) bytes of the names on the way to each node */
	uint64_t bytes;
};

/* ---- names ---- */

/* The name without its number: "Conv2d_#" of "Conv2d_12". */
static name_id without_last_number(struct names *names, const char *text)
{
	struct arena own = {0};
	size_t n = strlen(text), kept = n;
	while (kept && isdigit((unsigned char)text[kept - 1]))
		kept--;
	name_id id = names_add_text(
		names, kept < n ? arena_printf(&own, "%.*s#", (int)kept, text) : text);
	arena_release(&own);
	return id;
}

static name_id without_numbers(struct planting *p, name_id name, uint16_t frame)
{
	struct call_tree *tree = p->tree;
	if (p->first[name])
		return p->first[name] - 1;
	name_id text = frame == FRAME_MODULE
		? without_last_number(&tree->without, names_text(&p->t->names, name))
		: name_without_numbers(&tree->without, names_text(&p->t->names, name));
	if (text >= p->texts) {
		uint32_t room = 2 * tree->without.n;
		p->of_text = xrealloc(p->of_text, room, sizeof *p->of_text);
		memset(p->of_text + p->texts, 0, (room - p->texts) * sizeof *p->of_text);
		p->texts = room;
	}
	if (!p->of_text[text])
		p->of_text[text] = name + 1;
	p->first[name] = p->of_text[text];
	name = p->of_text[text] - 1;
	tree->text[name] = names_text(&tree->without, text);
	return name;
}

static uint16_t frame_of_python(const char *name)
{
	return is_module_call(name)		       ? FRAME_MODULE
		: strncmp(name, "<built-in ", 10) == 0 ? FRAME_BUILT_IN
						       : FRAME_PYTHON;
}

static uint16_t frame_of(struct planting *p, uint32_t row)
{
	name_id name = p->t->name[row];
	switch (p->t->kind[row]) {
	case EVENT_PYTHON:
		if (!p->frame[name])
			p->frame[name] = frame_of_python(names_text(&p->t->names, name));
		return p->frame[name];
	case EVENT_ANNOTATION:
		return FRAME_RANGE;
	case EVENT_OP:
		return FRAME_OPERATOR;
	case EVENT_RUNTIME:
	case EVENT_DRIVER:
		return FRAME_CALL;
	case EVENT_KERNEL:
	case EVENT_MEMCPY:
	case EVENT_MEMSET:
		return FRAME_DEVICE;
	default:
		return FRAME_OTHER;
	}
}

/* ---- nodes ---- */

static uint32_t hash_of(uint32_t parent, name_id name, uint16_t frame)
{
	uint64_t h = hash_word(hash_word(HASH_START, parent), (uint64_t)name << 16 | frame);
	h *= 0xff51afd7ed558ccdu;
	return (uint32_t)(h >> 32);
}

static uint32_t *slot_of(const struct planting *p, uint32_t parent, name_id name, uint16_t frame)
{
	const struct call_node *node = p->tree->node;
	uint32_t at = hash_of(parent, name, frame) & (p->n_slots - 1);
	for (;; at = (at + 1) & (p->n_slots - 1)) {
		uint32_t n = p->slot[at];
		if (n == NO_ROW ||
			(node[n].parent == parent && node[n].name == name &&
				node[n].frame == frame))
			return &p->slot[at];
	}
}

static void grow(struct planting *p)
{
	struct call_tree *tree = p->tree;
	p->room = p->room ? 2 * p->room : 256;
	p->n_slots = 2 * p->room;
	tree->node = xrealloc(tree->node, p->room, sizeof *tree->node);
	p->path = xrealloc(p->path, p->room, sizeof *p->path);
	p->slot = xrealloc(p->slot, p->n_slots, sizeof *p->slot);
	memset(p->slot, 0xff, p->n_slots * sizeof *p->slot);
	for (uint32_t i = 1; i < tree->n; i++) {
		const struct call_node *x = &tree->node[i];
		*slot_of(p, x->parent, x->name, x->frame) = i;
	}
}

static uint32_t add_node(struct planting *p, uint32_t parent, name_id name, uint16_t frame)
{
	struct call_tree *tree = p->tree;
	if (!p->path || tree->n == p->room)
		grow(p);
	uint32_t n = tree->n++;
	tree->node[n] = (struct call_node){.parent = parent,
		.frame = frame,
		.name = name,
		.depth = parent == NO_ROW ? 0 : tree->node[parent].depth + 1};
	p->path[n] = parent == NO_ROW ? 0 : p->path[parent] + strlen(call_node_name(tree, n)) + 1;
	p->bytes += p->path[n];
	tree->frames |= frame;
	return n;
}

/* The node of a name below another, which may be that one where there is no room for more. */
static uint32_t below(struct planting *p, uint32_t parent, name_id name, uint16_t frame)
{
	const struct call_tree_form *form = p->form;
	if (form->numberless & frame)
		name = without_numbers(p, name, frame);
	uint32_t *slot = slot_of(p, parent, name, frame);
	if (*slot != NO_ROW)
		return *slot;
	if ((form->deepest && p->tree->node[parent].depth >= form->deepest) ||
		(form->most_bytes && p->bytes > form->most_bytes) || p->tree->n == BACKWARD - 1)
		return parent;
	uint32_t n = add_node(p, parent, name, frame);
	*slot_of(p, parent, name, frame) = n;
	return n;
}

/* ---- rows ---- */

static uint32_t outermost(struct planting *p, uint32_t row)
{
	const struct track *track = &p->t->tracks[p->t->track[row]];
	return p->form->frames & FRAME_THREAD ? below(p, 0, track->thread, FRAME_THREAD) : 0;
}

static uint32_t node_around(struct planting *p, uint32_t row)
{
	uint32_t up = p->t->parent[row], forward = p->forward ? p->forward[row] : NO_ROW;
	if (forward != NO_ROW && (up == NO_ROW || p->forward[up] != forward))
		return p->at[forward] | BACKWARD;
	return up == NO_ROW ? outermost(p, row) : p->at[up];
}

static bool is_inner(const struct planting *p, uint32_t around, uint16_t frame)
{
	return p->form->outermost & frame && p->tree->node[around].frame == frame;
}

static void place_host(struct planting *p)
{
	const struct trace *t = p->t;
	for (uint32_t i = 0; i < t->n; i++) {
		if (!event_on_host(t->kind[i]) || t->tracks[t->track[i]].async)
			continue;
		uint32_t around = node_around(p, i);
		uint16_t frame = frame_of(p, i);
		p->at[i] = around;
		if (!(frame & p->form->frames) || is_inner(p, around & ~BACKWARD, frame))
			continue;
		uint32_t n = below(p, around & ~BACKWARD, t->name[i], frame);
		p->tree->node[n].calls++;
		p->tree->node[n].calls_ns += t->dur_ns[i];
		p->at[i] = n | (around & BACKWARD);
	}
}

/* Trees that grow beside each other. */
struct grove {
	struct planting *planting; /* (n) */
	int n;
};

static void take_span(void *to, uint32_t row, struct time_span at)
{
	const struct grove *g = to;
	for (int i = 0; i < g->n; i++) {
		uint32_t n = g->planting[i].at[row];
		struct call_sums *own = &g->planting[i].tree->node[n & ~BACKWARD].own;
		own->cpu_ns += at.end_ns - at.start_ns;
		own->backward_cpu_ns += n & BACKWARD ? at.end_ns - at.start_ns : 0;
	}
}

static void add_device(struct planting *p)
{
	const struct analysis *a = p->a;
	for (size_t i = 0; i < a->n_device; i++) {
		uint32_t row = a->device_rows[i], call = a->device_calls[i];
		uint32_t at = call == NO_ROW ? 0 : p->at[call], n = at & ~BACKWARD;
		if (p->form->frames & FRAME_DEVICE) {
			n = below(p, n, p->t->name[row], FRAME_DEVICE);
			p->tree->node[n].calls++;
		}
		struct call_sums *own = &p->tree->node[n].own;
		own->device_ns += p->t->dur_ns[row];
		own->backward_device_ns += at & BACKWARD ? p->t->dur_ns[row] : 0;
		own->events++;
	}
}

void call_sums_add(struct call_sums *to, const struct call_sums *x)
{
	to->cpu_ns += x->cpu_ns;
	to->device_ns += x->device_ns;
	to->backward_cpu_ns += x->backward_cpu_ns;
	to->backward_device_ns += x->backward_device_ns;
	to->events += x->events;
}

static void sum_up(struct call_tree *tree)
{
	for (uint32_t i = tree->n; i--;) {
		struct call_node *x = &tree->node[i];
		call_sums_add(&x->whole, &x->own);
		if (x->parent != NO_ROW)
			call_sums_add(&tree->node[x->parent].whole, &x->whole);
	}
}

static void plant(struct planting *p, const struct analysis *a, const struct call_tree_form *form,
	const uint32_t *forward, struct call_tree *tree)
{
	const struct trace *t = a->trace;
	*tree = (struct call_tree){.trace = t, .text = xcalloc(t->names.n, sizeof *tree->text)};
	*p = (struct planting){.a = a,
		.t = t,
		.form = form,
		.tree = tree,
		.at = xcalloc(t->n, sizeof *p->at),
		.frame = xcalloc(t->names.n, sizeof *p->frame),
		.first = xcalloc(t->names.n, sizeof *p->first),
		.forward = form->forward ? form->forward
			: form->joined	 ? forward
					 : NULL};
	names_init(&tree->without);
	add_node(p, NO_ROW, 0, 0);
	place_host(p);
}

static void end_planting(struct planting *p)
{
	add_device(p);
	sum_up(p->tree);
	free(p->slot);
	free(p->at);
	free(p->frame);
	free(p->first);
	free(p->of_text);
	free(p->path);
}

void call_trees_of(
	const struct analysis *a, const struct call_tree_form *form, int n, struct call_tree *tree)
{
	bool asks = false;
	struct grove g = {.planting = xcalloc((size_t)n, sizeof *g.planting), .n = n};
	for (int i = 0; i < n; i++)
		asks = asks || (form[i].joined && !form[i].forward);
	uint32_t *forward = asks ? forward_of(a->trace) : NULL;
	for (int i = 0; i < n; i++)
		plant(&g.planting[i], a, &form[i], forward, &tree[i]);
	account_threads(a->trace, take_span, &g);
	for (int i = 0; i < n; i++)
		end_planting(&g.planting[i]);
	free(forward);
	free(g.planting);
}

struct call_tree call_tree_of(const struct analysis *a, const struct call_tree_form *form)
{
	struct call_tree tree;
	call_trees_of(a, form, 1, &tree);
	return tree;
}

void call_tree_release(struct call_tree *tree)
{
	free(tree->node);
	free(tree->text);
	names_release(&tree->without);
}

static const char *text_of(const struct call_tree *tree, uint16_t frame, name_id name)
{
	if (!frame)
		return "";
	return tree->text[name] ? tree->text[name] : trace_name(tree->trace, name);
}

const char *call_node_name(const struct call_tree *tree, uint32_t node)
{
	return text_of(tree, tree->node[node].frame, tree->node[node].name);
}

const char *call_name_text(const struct call_tree *tree, const struct call_name *name)
{
	return text_of(tree, name->frame, name->name);
}

/* ---- names over all nodes ---- */

struct naming {
	const struct call_tree *tree;
	struct call_name *of; /* (n) */
	uint32_t *index; /* (names) of a name, + 1 */
	uint32_t n;
};

static struct call_name *name_of(struct naming *x, uint32_t node)
{
	const struct call_node *c = &x->tree->node[node];
	uint32_t *index = &x->index[c->frame ? c->name + 1 : 0];
	if (!*index) {
		*index = ++x->n;
		x->of[x->n - 1] = (struct call_name){.name = c->name, .frame = c->frame};
	}
	return &x->of[*index - 1];
}

/* Nodes with children in the order of the tree; the next of one, or of those above it. */
struct siblings {
	uint32_t *first, *next; /* (n) NO_ROW: none */
};

static struct siblings siblings_of(struct arena *scratch, const struct call_tree *tree)
{
	struct siblings s = {arena_array(scratch, tree->n, sizeof *s.first),
		arena_array(scratch, tree->n, sizeof *s.next)};
	memset(s.first, 0xff, tree->n * sizeof *s.first);
	memset(s.next, 0xff, tree->n * sizeof *s.next);
	for (uint32_t i = tree->n; i-- > 1;) {
		uint32_t *first = &s.first[tree->node[i].parent];
		s.next[i] = *first;
		*first = i;
	}
	return s;
}

/* `open` counts the nodes of each name around. */
static void name_all(struct naming *x, const struct siblings *s, uint32_t *open)
{
	const struct call_node *node = x->tree->node;
	for (uint32_t i = 0;;) {
		struct call_name *of = name_of(x, i);
		of->calls += node[i].calls;
		of->calls_ns += node[i].calls_ns;
		call_sums_add(&of->own, &node[i].own);
		if (!open[of - x->of]++)
			call_sums_add(&of->whole, &node[i].whole);
		if (s->first[i] != NO_ROW) {
			i = s->first[i];
			continue;
		}
		while (i != NO_ROW && s->next[i] == NO_ROW) {
			open[name_of(x, i) - x->of]--;
			i = node[i].parent;
		}
		if (i == NO_ROW)
			return;
		open[name_of(x, i) - x->of]--;
		i = s->next[i];
	}
}

ORDER(by_device_then_cpu, struct call_name,
	(!a->frame - !b->frame) ?: DOWN(whole.device_ns) ?: DOWN(whole.cpu_ns) ?: UP(frame)
		?: UP(name));

struct call_name *call_names(struct arena *arena, const struct call_tree *tree, uint32_t *n)
{
	struct arena scratch = {0};
	uint32_t names = tree->trace->names.n + 1;
	uint32_t most = min32(tree->n, names);
	struct naming x = {.tree = tree,
		.of = arena_array(arena, most, sizeof *x.of),
		.index = arena_array(&scratch, names, sizeof *x.index)};
	const struct siblings s = siblings_of(&scratch, tree);
	name_all(&x, &s, arena_array(&scratch, most, sizeof(uint32_t)));
	qsort(x.of, x.n, sizeof *x.of, by_device_then_cpu);
	arena_release(&scratch);
	*n = x.n;
	return x.of;
}
