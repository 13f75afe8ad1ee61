/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_parts.h - what snapshot.c (records and blocks) and snapshot_lines.c (who asked for them)
 * share.
 */
#ifndef REPORT_READ_SNAPSHOT_PARTS_H
#define REPORT_READ_SNAPSHOT_PARTS_H

#include "report/read/made_event.h"
#include "report/read/pickle.h"
#include "report/read/snapshot.h"

struct snapshot {
	struct reader *r;
	struct trace *t;
	struct pickle pickle;
	int64_t work; /* elements that may still be looked at: what stands at many places is few
			 bytes */
	bool stopped; /* nothing is read any more */
	struct made_event made;
	uint32_t *line_of; /* (pickle.n_boxes) text of a frame + 1, 0: not asked yet */
	uint8_t *rank_of; /* (pickle.n_boxes) enum line_rank of it */
	uint32_t before, no_line, standing; /* texts */
	uint32_t category; /* of the blocks that are given now: standing, or 0 */
	int64_t first_us, last_us; /* of all stamps */
	bool stamped;
	struct memory_segment *segments; /* (n_segments) */
	size_t n_segments, segment_room;
	size_t blocks;
};

/* Texts of the part, of a line; lent. */
const char *snapshot_line(struct snapshot *x, uint32_t text);

/* The line that a stack says, as a text of the part; 0: it says none. */
uint32_t snapshot_line_of(struct snapshot *x, pickle_value frames);

/* The next element, until the work is done. */
bool snapshot_next(struct snapshot *x, struct pickle_walk *w, pickle_value *v);

/* The value of a key of a dict; None when there is none. */
pickle_value snapshot_member(struct snapshot *x, pickle_value dict, const char *key);

#endif
