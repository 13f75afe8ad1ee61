/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_work.h - what stands in the host queue: one entry is one launch.
 *
 * The host device has three parts. host.c is the calling side: it checks a descriptor, finds or
 * makes its plan (primitive_plans.h; matrix_product.c and pointwise_chain.c make them) and pushes
 * an entry; that is the SPAN_LAUNCH, with first-call costs as SPAN_SETUP spans inside it. queue.c
 * carries entries to a thread of its own. lane.c is what that thread does: it runs each entry and
 * stamps it; those are the device spans. Nothing else is shared between the two sides but the
 * plans, which only the calling side makes and only the lane runs.
 */
#ifndef EXPERIMENTS_HOST_QUEUE_WORK_H
#define EXPERIMENTS_HOST_QUEUE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan;
struct device_memory;
struct device_graph;

enum work_kind {
	WORK_PLAN, /* a oneDNN primitive or a hand-written kernel */
	WORK_COPY,
	WORK_GRAPH, /* every entry of a graph, in order */
	WORK_FREE /* gives memory back after the work queued before it; leaves no span */
};

enum { WORK_MAX_POINTERS = 6 };

struct work {
	enum work_kind kind;
	uint32_t correlation; /* of the launch */
	bool recorded; /* was recording on when it was queued? */
	const char *name; /* of its span: a literal, or interned by the device */
	struct plan *plan; /* WORK_PLAN */
	int64_t n; /* WORK_PLAN, hand-written: elements; WORK_COPY: bytes */
	void *pointer[WORK_MAX_POINTERS]; /* WORK_PLAN: in the plan's order, 0 the output of a
					     hand-written one; WORK_COPY: to, from */
	struct device_memory *memory; /* WORK_FREE */
	const struct device_graph *graph; /* WORK_GRAPH */
};

#endif
