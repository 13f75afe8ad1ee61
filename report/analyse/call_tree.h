/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree.h - who asked for the time: host and device by what stood around it.
 *
 * A tree of names. A row of the host stands under those around it on its thread, as far as they are
 * of the wanted kinds; where backward passes are joined, a row of one under the forward operator
 * that it is the backward of (forward.h), so that a module has both, and not under what waited for
 * it; work of the device under the call that launched it.
 * What has nothing of the wanted kinds around it belongs to the root.
 *
 * Every nanosecond is some node's own, so that the nodes' own times sum to the root's whole times,
 * exactly, whatever kinds are wanted:
 * - host: of all threads, what some span has of it (account_threads()); a thread that waits in a
 *   span has that time, too;
 * - device: the durations of all kernels, copies and fills, as PyTorch's table sums them.
 */
#ifndef REPORT_ANALYSE_CALL_TREE_H
#define REPORT_ANALYSE_CALL_TREE_H

#include "report/analyse/analysis.h"

/* Which rows are nodes; the kinds that a node can have. */
enum frame {
	FRAME_MODULE = 1 << 0, /* nn.Module's calls, as with_stack records them */
	FRAME_PYTHON = 1 << 1, /* functions of Python, "file.py(12): name" */
	FRAME_RANGE = 1 << 2, /* annotations */
	FRAME_OPERATOR = 1 << 3,
	FRAME_CALL = 1 << 4, /* of runtime and driver */
	FRAME_OTHER = 1 << 5, /* spans of other programs */
	FRAME_DEVICE = 1 << 6, /* kernels, copies and fills, under what launched them */
	FRAME_THREAD = 1 << 7, /* the threads, right under the root */
	FRAME_BUILT_IN = 1 << 8, /* what Python calls that has no line: "<built-in method mm>" */
	FRAME_ALL = (1 << 9) - 1
};

struct call_sums {
	int64_t cpu_ns, device_ns;
	int64_t backward_cpu_ns, backward_device_ns; /* of these, in a joined backward */
	int64_t events; /* of the device */
};

void call_sums_add(struct call_sums *to, const struct call_sums *x);

struct call_node {
	uint32_t parent; /* always an earlier node; NO_ROW: this is the root, node 0 */
	uint16_t frame; /* 0: the root */
	name_id name; /* of the trace; of a name without its numbers the first such */
	uint32_t depth; /* 0: the root */
	uint32_t calls;
	int64_t calls_ns; /* their durations, also what a span that crosses one has of them */
	struct call_sums own, whole; /* whole: with all nodes below it */
};

struct call_tree {
	struct call_node *node; /* (n) malloc */
	uint32_t n;
	uint16_t frames; /* there are any of these kinds */
	const struct trace *trace;
	const char **text; /* (names) of a name without its numbers, NULL: as it is */
	struct names without; /* owns these texts */
};

struct call_tree_form {
	uint16_t frames; /* bits of enum frame */
	bool joined; /* backward passes stand under their forward operators */
	const uint32_t *forward; /* then: what forward_of() gave, lent, where several trees are
				    grown; NULL: it is asked */
	uint16_t numberless; /* of these kinds "ProfilerStep#7" and "ProfilerStep#8" are one, with #
				for the number */
	uint16_t outermost; /* of these kinds none stands right in another of its kind */
	uint32_t deepest; /* what lies deeper belongs to the node above it; 0: no matter how deep */
	uint64_t most_bytes; /* of all names on the ways from the root to each node: once there are
				more, no node is added; 0: no matter how many */
};

/* Linear in the rows, beside the joining of backward passes. */
struct call_tree call_tree_of(const struct analysis *a, const struct call_tree_form *form);

/* (n) of as many forms, in one walk over the threads. */
void call_trees_of(
	const struct analysis *a, const struct call_tree_form *form, int n, struct call_tree *tree);
void call_tree_release(struct call_tree *tree);

/* What a node is called; "" of the root. Lent by the tree or the trace. */
const char *call_node_name(const struct call_tree *tree, uint32_t node);

/* All nodes of one name as one: calls inside each other count once in `whole`. */
struct call_name {
	name_id name;
	uint16_t frame;
	uint32_t calls;
	int64_t calls_ns;
	struct call_sums own, whole;
};

const char *call_name_text(const struct call_tree *tree, const struct call_name *name);

/* (*n) by time of the device, then of the host, largest first; the root is the last. The arena owns
 * them. */
struct call_name *call_names(struct arena *arena, const struct call_tree *tree, uint32_t *n);

#endif
