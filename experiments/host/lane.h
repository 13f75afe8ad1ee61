/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.h - the running side of the host device: what the queue's thread does with an entry.
 *
 * Each kernel and copy is stamped right before and right after it runs. What the thread pays once
 * are SPAN_SETUP spans of its own thread id: "queue thread's first wake-up", from the moment the
 * thread was asked for until it runs its first entry, and "OpenMP team start". Everything here
 * belongs to the queue's thread while work is queued, and to the calling thread while the queue is
 * idle.
 */
#ifndef EXPERIMENTS_HOST_LANE_H
#define EXPERIMENTS_HOST_LANE_H

#include "base/err.h"
#include "experiments/host/queue_work.h"
#include "experiments/span.h"

#include <dnnl.h>

enum { LANE_SPANS = 64 * 1024, LANE_STREAM = 1 };

struct lane {
	struct recorder recorder[2]; /* one fills, the other is lent */
	int filling;
	dnnl_stream_t stream; /* NULL until the first primitive */
	int max_threads;
	int team; /* OpenMP threads that were started for it: 0 before the first parallel work */
	int64_t thread_asked_ns; /* when the queue's thread was asked for; 0 once that is told */
	struct err err; /* the first failure since it was last told */
};

void lane_init(struct lane *lane, int max_threads);
void lane_release(struct lane *lane);

/* Runs one entry; `lane` is a struct lane. */
void lane_run(void *lane, const struct work *w);

/* A list of work that is run with one launch. */
struct device_graph {
	struct work *work; /* (room) */
	size_t n, room;
};

#endif
