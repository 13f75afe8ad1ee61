/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_use.h - who has the memory: blocks from their allocation until they are given back, what
 * of them is alive where most is, and who asked for it.
 *
 * Of traces of profile_memory and of memory snapshots, whose "[memory]" instants say where a block
 * lies. A block begins with the change that takes memory at an address, and ends with the one that
 * gives it back. The peak of a memory is the first change after which most is allocated, by the
 * allocator's own count where the file has it. What that count has beyond the known blocks stood
 * before anything was recorded.
 *
 * Who asked, by
 *   operator   the innermost operator around the allocation on its thread
 *   module     the innermost call of an nn.Module around it; of a backward pass around the forward
 *              operator that it belongs to (forward.h)
 *   function   the innermost function of Python around it, or around that operator, which is not of
 *              PyTorch or Python's library; else the innermost
 *   line       of a snapshot: its row's name
 *
 * Fragmentation, of snapshots: at the peak, what the segments have beside the blocks, and the
 * largest piece of that in a row; pieces of different segments never join, but those of an
 * expandable one do.
 */
#ifndef REPORT_ANALYSE_MEMORY_USE_H
#define REPORT_ANALYSE_MEMORY_USE_H

#include "report/analyse/analysis.h"

struct memory_block {
	uint32_t row, end_row; /* of the changes; NO_ROW: it stood before, is never given back */
	int64_t bytes, address;
	int32_t device;
};

#define MEMORY_ASKER_LIST(X) \
	X(ASKED_LINE, "line") \
	X(ASKED_OPERATOR, "operator") \
	X(ASKED_MODULE, "module") \
	X(ASKED_FUNCTION, "function")

enum memory_asker { MEMORY_ASKER_LIST(KIND_MEMBER) MEMORY_ASKERS };
const char *memory_asker_name(enum memory_asker by);

struct memory_of_device {
	int32_t device; /* -1: the CPU */
	uint32_t first_row, last_row, peak_row;
	int64_t peak_bytes, peak_ns;
	int64_t reserved_bytes; /* then; -1 unknown */
	int64_t known_bytes; /* of it, in blocks that are known */
	int64_t blocks; /* and how many these are */
	int64_t free_bytes, largest_free_bytes; /* of the segments then; -1 unknown */
	int64_t end_bytes; /* allocated after the last change */
	int64_t refused; /* how often it was out of memory */
};

struct memory_use {
	const struct trace *trace;
	struct memory_of_device *device; /* (n_devices) by number, the CPU last */
	int n_devices;
	struct memory_block *block; /* (n_blocks) in the order of their allocation, those that stood
				       before first */
	size_t n_blocks;
	name_id *
		who[MEMORY_ASKERS]; /* (trace.n_changes) 0: nobody; NULL: the trace does not tell */
};

/* The arena owns all of it. n log n in the changes, linear in the rows. */
struct memory_use memory_use_of(struct arena *arena, const struct analysis *a);

/* Blocks of one asker; name 0: of nobody that is known. */
struct memory_holder {
	name_id name;
	bool before; /* what stood before, and is in no block */
	int64_t bytes, blocks, largest; /* alive at the peak */
	int64_t all_bytes, calls; /* of all allocations that the trace recorded */
};

/* (*n) of a device, by bytes at the peak, then of all; what stood before and is in no block last.
 */
struct memory_holder *memory_holders(struct arena *arena, const struct memory_use *use,
	const struct memory_of_device *d, enum memory_asker by, size_t *n);

/* Fills in free_bytes and largest_free_bytes of each device (memory_pieces.c). */
void memory_find_pieces(struct memory_use *use);

/* Is a block there after a change? */
static inline bool memory_block_lives(const struct memory_block *b, uint32_t row)
{
	return (b->row == NO_ROW || b->row <= row) && (b->end_row == NO_ROW || b->end_row > row);
}

#endif
