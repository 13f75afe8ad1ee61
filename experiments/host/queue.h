/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - an asynchronous in-order queue on a thread of its own.
 *
 * One thread pushes, the queue's thread runs. The entries lie in a ring of QUEUE_ROOM places, so
 * that pushing neither allocates nor locks: it copies the entry, moves a counter on and, only when
 * the other thread sleeps, wakes it with a futex call. The queue's thread looks for work for
 * QUEUE_SPIN_NS after its last entry and then sleeps; on a machine with one core it sleeps at once.
 * Whoever waits (a full ring, queue_wait) sleeps and is woken once, when the entry that it waits
 * for is done.
 */
#ifndef EXPERIMENTS_HOST_QUEUE_H
#define EXPERIMENTS_HOST_QUEUE_H

#include "base/err.h"
#include "experiments/host/queue_work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { QUEUE_ROOM = 1024, QUEUE_SPIN_NS = 50 * 1000 };

struct queue {
	/* The counters only grow and wrap; `pushed - done` entries wait or run. What one thread
	 * writes often and the other reads has a cache line of its own. */
	_Alignas(64) _Atomic uint32_t pushed; /* by the pushing thread */
	uint32_t done_seen; /* what the pushing thread last read of `done` */
	_Atomic uint32_t waiting; /* 1 while the pushing thread sleeps until `done` is `target` */
	_Atomic uint32_t target;
	_Alignas(64) _Atomic uint32_t done; /* by the queue's thread */
	_Alignas(64) _Atomic uint32_t asleep; /* 1 while the queue's thread sleeps */
	_Alignas(64) struct work ring[QUEUE_ROOM];
	void (*run)(void *context, const struct work *w); /* on the queue's thread */
	void *context;
	pthread_t thread;
	bool started, spins;
	atomic_bool stop;
};

/* `q` is zeroed memory aligned to 64 bytes; starts the thread. */
int queue_start(struct queue *q, void (*run)(void *context, const struct work *w), void *context,
	struct err *err);

/* Copies the entry; sleeps only while the ring is full. */
void queue_push(struct queue *q, const struct work *w);

/* Has everything pushed been run? Then all that it wrote is visible. */
bool queue_idle(struct queue *q);

/* Sleeps until it is idle. Does nothing when it was never started. */
void queue_wait(struct queue *q);

/* Runs what is left, then ends the thread. */
void queue_stop(struct queue *q);

#endif
