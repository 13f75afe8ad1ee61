/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.h - who has the time: each moment of a window handed out once, on the device and on a
 * thread. Whatever says where a window's time went - the parts of a step, its bars, the overlap of
 * streams, what a thread did while the device waited - sums what one of these two walks hands out,
 * so that all of it agrees, and every sum is exact: whole nanoseconds, none twice, none left out.
 *
 * The device. Computing beats communication, communication beats copies, and copies beat idle
 * (TraceLens, gpu_event_analyser.py): what is hidden behind something better costs no time. Of
 * several events of one layer that run at once, the one that started first has the time, by row
 * where they started together; when it ends, the first of those that still run. Several devices
 * count as one, which is idle when none of them works.
 *
 * A thread. Of the spans that are open the one that began last has the time: the self time of key
 * averages, where spans nest.
 */
#ifndef REPORT_ANALYSE_ACCOUNT_H
#define REPORT_ANALYSE_ACCOUNT_H

#include "report/analyse/analysis.h"

enum device_layer {
	DEVICE_COMPUTING,
	DEVICE_COMMUNICATION,
	DEVICE_COPIES,
	DEVICE_IDLE,
	DEVICE_LAYERS
};

/* Kernels of class communication communicate; copies are gpu_memcpy events; every other kernel, and
 * fills, compute. */
static inline enum device_layer device_layer_of(const struct analysis *a, uint32_t device_row)
{
	if (a->trace->kind[device_row] == EVENT_MEMCPY)
		return DEVICE_COPIES;
	return a->class[device_row] == CLASS_COMMUNICATION ? DEVICE_COMMUNICATION
							   : DEVICE_COMPUTING;
}

/* The event, as an index into device_rows, that has a time; NO_ROW: the device is idle. */
typedef void take_device(void *to, uint32_t event, struct time_span at);

struct device_sums {
	int64_t ns[DEVICE_LAYERS]; /* they sum to the window */
	int64_t whole_ns[DEVICE_LAYERS]; /* of each layer as if no other were there */
};

/* Hands out a window in the order of time; take may be NULL. Linear in the events of the device
 * that begin before its end. */
struct device_sums account_device(
	const struct analysis *a, struct time_span window, take_device *take, void *to);

/* When something computes, in the whole file. */
struct spans account_computing(struct arena *arena, const struct analysis *a);

/* (n_tracks) when a thread is in an operator or a call; empty for those of the device. */
struct spans *account_working(struct arena *arena, const struct analysis *a);

/* The span of the host that has a time; NO_ROW: none is open. */
typedef void take_host(void *to, uint32_t row, struct time_span at);

/* Where to look on a thread. */
struct thread_window {
	uint32_t track;
	struct time_span at;
	uint32_t
		open; /* the span of the thread that began last before `at`, ended or not; NO_ROW */
	size_t first; /* the first row that may begin in it */
};

/* Hands out a thread's time in order. Linear in the rows of all threads that begin in it, and in
 * the depth of `open`. */
void account_thread(
	const struct trace *t, const struct thread_window *w, take_host *take, void *to);

/* What one had, one behind the other. */
struct host_piece {
	struct time_span at;
	uint32_t row; /* as take_host() gets it */
	uint8_t what; /* the taker's own */
};

struct host_tape {
	struct host_piece *piece; /* (n) malloc */
	size_t n, room;
};

/* The same onto a tape, which is emptied first. */
void account_tape(const struct trace *t, const struct thread_window *w, struct host_tape *tape);

/* Hands out the time of all threads from beginning to end, each in its order: every moment in which
 * a span of it is open, and none in which none is. Linear in all rows. */
void account_threads(const struct trace *t, take_host *take, void *to);

#endif
