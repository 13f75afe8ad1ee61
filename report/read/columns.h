/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.h - what one thread has read: columns in file order, and everything beside them.
 *
 * A part grows while events are added and is emptied by sealing (parts.h). Columns grow by
 * xrealloc, which moves pages, not bytes, once they are large: growing costs neither copies nor a
 * doubled peak. Times are the file's own, in ns; texts are ids of part.texts.
 */
#ifndef REPORT_READ_COLUMNS_H
#define REPORT_READ_COLUMNS_H

#include "report/parse/event.h"
#include "report/parse/strings.h"
#include "report/read/lanes.h"

/* (room) each; n in use */
struct event_rows {
	size_t n, room;
	int64_t *start_ns, *dur_ns;
	uint32_t *name, *category; /* texts */
	uint32_t *lane; /* rows of part.lanes */
	uint32_t *correlation, *external; /* see ID_KEY */
	uint32_t *side;
	uint8_t *kind;
};

/* A `ph` M row, or a half of one: a thread's or a process' name, label or place. */
enum label_kind { LABEL_PROCESS, LABEL_THREAD, LABEL_LABELS, LABEL_PROCESS_ORDER, LABEL_ORDER };

/* Absent process and thread ids are this number. */
#define LANE_ABSENT INT64_MIN

struct label {
	enum label_kind kind;
	struct lane_id pid, tid;
	uint32_t text;
	int64_t order;
};

/* Half of a span: a begin or an end (marks_pair in parts.h). The row of a begin exists already;
 * ends have none. */
struct mark {
	int64_t at_ns;
	uint32_t row; /* of the begin; of an end NO_ROW, and once it is paired its begin's */
	uint32_t name; /* text, 0 none */
	uint32_t key; /* what pairs: the lane, or the id of an async span in part.keys; below 2^31
		       */
	bool async;
	bool end;
	bool anywhere; /* an end without a category: whether its begin stands on a thread or on a
			  stream is not said */
	int64_t offset; /* in the file */
};

/* One root value of the file; almost always there is one. */
struct root {
	size_t first_row;
	int64_t base_ns; /* baseTimeNanoseconds, 0 when absent */
};

struct part {
	struct strings texts;
	struct strings keys; /* correlation ids that are no small numbers, ids of async spans */
	struct lanes lanes;
	struct event_rows rows;
	uint8_t *kind_of; /* (texts.room) enum event_kind + 1 by category text, 0 unknown yet */
	uint32_t kind_room;
	struct kernel *kernels;
	size_t n_kernels, kernel_room;
	struct copy *copies;
	size_t n_copies, copy_room;
	struct counter *counters; /* series are texts of this part */
	size_t n_counters, counter_room;
	struct memory_change *changes;
	size_t n_changes, change_room;
	struct op_inputs *inputs; /* name_ids are texts of this part */
	size_t n_inputs, input_room;
	uint32_t *alike_kernels, *alike_inputs; /* (ALIKE) by a hash of what they say: the last that
						   was added + 1, 0 none; NULL before the first */
	struct label *labels;
	size_t n_labels, label_room;
	struct mark *marks;
	size_t n_marks, mark_room;
	struct root *documents;
	size_t n_documents, document_room;
	struct repair_counts repairs;
	int64_t phases[128];
	int64_t elements; /* of event lists, whatever they were */
	int64_t zero_stamps; /* events at 0 of the file's own clock */
	char *scratch; /* for composing keys */
	size_t scratch_room;
	bool fraction; /* some stamp had digits behind the point */
};

/* What kernels and operators say beside their times repeats from step to step: so many are looked
 * at before one more is kept. */
enum { ALIKE = 1 << 14 };

/* Correlation and external ids: a number of 1 to ID_KEY - 1 stands for itself, so that people find
 * it again in other viewers; every other is ID_KEY + its row in part.keys; 0 is none. */
#define ID_KEY 0x80000000u

/* Prepares for about `rows` rows. */
void part_init(struct part *p, size_t rows);
void part_release(struct part *p);

/* Room for so many rows in every column; what was there stays. */
void part_grow_rows(struct event_rows *r, size_t room);

/* What the columns and texts hold, in bytes. */
size_t part_bytes(const struct part *p);

/* Keeps one parsed event that began at `begin`, which stands at `offset` of the file. */
void part_add(struct part *p, const struct raw_event *raw, const char *begin, int64_t offset);

/* Starts a document: rows from here on belong to it. */
void part_document(struct part *p);

#endif
