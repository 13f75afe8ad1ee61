/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_proof_ring.h - what a program did, in a file that outlives it.
 *
 * tracebook-inject.so, inside the program, writes finished spans into a file that it has mapped;
 * collect reads the file when the program is gone. What was written is there whatever ended the
 * program: exit, _exit, a crash, SIGKILL. The file is a ring of fixed size, so the newest spans are
 * there and the rest is counted. Its room is taken from the disk before anything is written: a full
 * disk can then hurt nobody.
 *
 * Layout: struct ring_head on a page of its own, RING_NAME_BYTES of texts, each ended by a NUL,
 * then head.slots of struct ring_slot. Writers are several threads without a lock: each takes a
 * number from head.next, fills slot number % slots, and sets its turn to number + 1 last. A slot
 * with another turn was overtaken or not finished. A range has its slot from its beginning, so that
 * one which never ends, because the program is killed, is there too.
 */
#ifndef COLLECT_INJECT_CRASH_PROOF_RING_H
#define COLLECT_INJECT_CRASH_PROOF_RING_H

#include "base/err.h"
#include "base/names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define RING_MAGIC UINT64_C(0x31474e4952425454) /* "TTBRING1" */

enum {
	RING_SLOTS = 1 << 18, /* 32 MiB */
	RING_NAME_BYTES = 8 << 20,
	RING_HEAD_BYTES = 8192,
	RING_MOST = 64, /* rings in a folder: a program may start processes without end */
	RING_DEVICES = 16,
	RING_OPEN = 0, /* the end_ns of a range that has not ended */
};

/* The numbers of a device: a member of struct device_properties, and CUDA's attribute for it. */
#define RING_DEVICE_NUMBERS(X) \
	X(major, COMPUTE_CAPABILITY_MAJOR) \
	X(minor, COMPUTE_CAPABILITY_MINOR) \
	X(multiprocessors, MULTIPROCESSOR_COUNT) \
	X(warp, WARP_SIZE) \
	X(threads_per_block, MAX_THREADS_PER_BLOCK) \
	X(threads_per_multiprocessor, MAX_THREADS_PER_MULTIPROCESSOR) \
	X(registers_per_block, MAX_REGISTERS_PER_BLOCK) \
	X(registers_per_multiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR) \
	X(shared_per_block, MAX_SHARED_MEMORY_PER_BLOCK) \
	X(shared_per_block_optin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) \
	X(shared_per_multiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
#define RING_MEMBER(member, attribute) int32_t member;

struct ring_device {
	char name[96];
	int64_t memory_bytes;
	RING_DEVICE_NUMBERS(RING_MEMBER)
};

enum ring_cuda {
	RING_NO_CUDA, /* the driver was not started in it */
	RING_RECORDED,
	RING_LEFT_TO_TORCH, /* PyTorch is in it, whose own profiler records */
	RING_REFUSED /* head.reason says why */
};

struct ring_head {
	uint64_t magic;
	uint32_t slots, pid;
	_Atomic uint64_t next; /* slots given so far */
	_Atomic uint32_t name_bytes; /* of texts, so far */
	_Atomic uint32_t cuda; /* enum ring_cuda */
	_Atomic uint64_t lost; /* records that CUPTI had no room for, or could not stamp */
	_Atomic uint64_t open; /* ranges that were too many or too deep to keep */
	int64_t began_ns; /* when the file was made */
	_Atomic int64_t alive_ns; /* when something was last recorded, or looked for */
	int32_t driver_version, cupti_version;
	int64_t clock_offset_ns; /* CUPTI's clock less ours */
	char program[64], reason[256];
	int32_t rank, world; /* of a parallel program, by what started it; world 0: of none */
	int32_t n_devices;
	struct ring_device device[RING_DEVICES];
};
_Static_assert(sizeof(struct ring_head) <= RING_HEAD_BYTES, "the head has its place");

struct ring_slot { /* fields as in struct span and its facts */
	_Atomic uint64_t turn;
	int64_t start_ns, end_ns;
	uint64_t correlation, graph_node;
	int64_t bytes;
	uint32_t name; /* where the text begins, less the head */
	uint32_t thread, device, context, graph, call, result;
	int32_t grid[3], block[3];
	int32_t registers, static_shared, dynamic_shared, local;
	uint8_t kind, cluster[3];
};

struct ring {
	struct ring_head *head; /* NULL: not open */
	char *texts;
	struct ring_slot *slot;
	size_t bytes;
	pthread_mutex_t lock; /* of the names */
	struct names names;
	uint32_t *offset; /* (n_offsets) of a text by its id, 0 not written yet */
	size_t n_offsets;
};

/* Makes `folder`/ring.<pid>.<n>, unless there are RING_MOST already. */
int ring_open(struct ring *r, const char *folder, struct err *err);

/* Where the text stands, written at its first use. When the texts are full: that of a text which
 * says so. */
uint32_t ring_name(struct ring *r, const char *text);

/* A slot to fill in; give it back with ring_done and the same number. */
struct ring_slot *ring_take(struct ring *r, uint64_t *number);
void ring_done(struct ring_slot *s, uint64_t number);

/* The slot of that number once more, to be given back likewise; NULL when it was overtaken. */
struct ring_slot *ring_retake(struct ring *r, uint64_t number);

#endif
