/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut_flows.h - the flows of a part of a trace: each as a whole or not at all.
 *
 * A flow is the events s, t and f of one category and id, from one s to the next. It belongs to the
 * part when it has an s and more, and a row of the part reaches each of them on its thread or
 * stream.
 */
#ifndef REPORT_READ_CUT_FLOWS_H
#define REPORT_READ_CUT_FLOWS_H

#include "report/read/event_in.h"
#include "report/read/file.h"

struct flow_event {
	int64_t at_ns;
	uint32_t key; /* in keys */
	uint32_t order; /* in the file */
	char phase;
	struct lane_id pid, tid;
	const char *text; /* lent by the arena */
	uint32_t length;
};

struct flows {
	const struct trace *trace;
	struct part *part; /* of the reader, lent: its lanes and texts */
	struct arena arena;
	struct strings keys;
	struct flow_event *event; /* (n) */
	size_t n, room;
	uint32_t *track; /* (n_lanes) of the trace + 1, by lane of the part; 0 none */
	uint32_t n_lanes;
	uint32_t *row; /* (trace.n) by track, in order of time; (n_tracks + 1) where each begins */
	uint32_t *first;
};

void flows_init(struct flows *f, const struct trace *t, struct part *part);

/* A lane of the reader's part has this row of the trace. */
void flows_lane(struct flows *f, uint32_t lane, uint32_t row);

/* One of its events. */
void flows_take(struct flows *f, const struct coming *c);

/* Hands those that belong to the part to the taker's `flow`, in the order of the file. */
void flows_put(struct flows *f, struct byte_taker *to);
void flows_release(struct flows *f);

#endif
