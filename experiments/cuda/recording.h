/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_cost.h - CUPTI switched on and off around what is to be recorded.
 *
 * Buffers are made, zeroed and touched before anything is recorded, so that CUPTI's request for one
 * costs an exchange of pointers: a recorder that allocates then shows a gap of milliseconds at the
 * first launch. Full buffers are only linked into a list; they are decoded when the device is idle.
 *
 * CUPTI takes one client a process, and its callbacks carry no context, so there is one recording a
 * process and its pool of buffers is the one piece of state in this program that is not in a
 * struct of its own.
 */
#ifndef EXPERIMENTS_CUDA_RECORDING_H
#define EXPERIMENTS_CUDA_RECORDING_H

#include "experiments/cuda/decode.h"

enum { PROFILER_COST_BUFFERS = 8, PROFILER_COST_BUFFER_BYTES = 4 << 20 };

struct recording_options {
	bool whole_graphs; /* a row per graph launch instead of one per node: less overhead, and
			      the nodes are not seen. TRACEBOOK_CUPTI_GRAPHS=whole */
	bool latency; /* when work was queued and submitted, at a cost per launch.
			 TRACEBOOK_CUPTI_LATENCY=1 */
};

struct cupti_recording {
	struct cupti_api cupti;
	CUpti_SubscriberHandle subscriber;
	struct recording_options options;
	bool open; /* CUPTI is ours */
	bool on;
	int depth[2]; /* of pushed ids: operators, ranges */
	size_t dropped; /* records that CUPTI had no room for, since the last drain */
	int64_t clock_offset_ns; /* CUPTI's clock less ours, when last switched on */
	int64_t clock_step_ns; /* what our clock was set by while it was on, against one that is
				  never set */
	int64_t steady_ns; /* our clock less the steady one, when last switched on */
	size_t buffers, buffers_made; /* buffers asked for so far; of those, made on the spot */
};

/* Takes CUPTI, before the driver is started: what it has to build into kernels is then built when
 * they are loaded. Fails when CUPTI is missing, taken (nsys, ncu, a debugger) or not wanted
 * (TRACEBOOK_RECORD=off); the device then works without recording. */
int recording_open(struct cupti_recording *r, struct arena *a,
	const struct recording_options *options, struct err *err);
void recording_close(struct cupti_recording *r);

/* From the environment. */
struct recording_options recording_options(void);

/* The device must be idle when it is switched off: everything recorded is fetched first. */
int recording_set(struct cupti_recording *r, bool on, struct err *err);

/* Gives every record so far to the decoder; the device must be idle. */
void recording_drain(struct cupti_recording *r, struct decoder *d);

/* Adds what is complete to the decoder, while the device goes on; nothing is joined yet. `all`:
 * also what is not complete, of which CUPTI cannot stamp all. */
void recording_take(struct cupti_recording *r, struct decoder *d, bool all);

/* Work that is queued from now on belongs to `id`; see device.h. */
void recording_enter(struct cupti_recording *r, enum device_scope scope, uint32_t id);
void recording_leave(struct cupti_recording *r, enum device_scope scope);

#endif
