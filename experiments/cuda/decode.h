/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.h - CUPTI's activity buffers into spans.
 *
 * Buffers come in any order of time: GPU records may stand before those of the calls that caused
 * them. Calls become SPAN_LAUNCH (runtime), SPAN_SYNC (runtime calls that wait) and SPAN_DRIVER;
 * kernels, copies and fills device spans; waits SPAN_WAIT; overhead SPAN_OVERHEAD on the thread it
 * happened on. Names are those that Kineto writes: API names without their version, demangled
 * kernels, "Memcpy DtoD (Device -> Device)". What pushed external ids mark is set when the last
 * buffer is in: `external` is the operator's, facts.range that of the range.
 *
 * Records are read with CUPTI's own iterator and only in fields that have stood at the same place
 * since CUDA 12, so that an older library works too.
 */
#ifndef EXPERIMENTS_CUDA_DECODE_H
#define EXPERIMENTS_CUDA_DECODE_H

#include "base/names.h"
#include "experiments/cuda/cupti_api.h"
#include "experiments/device.h"

enum { DECODE_CALLS = 2048 };

struct decoded_external {
	uint32_t correlation, kind, id;
};

struct decoder {
	const struct cupti_api *cupti; /* lent */
	const struct device_properties *properties; /* lent, for occupancy; NULL: left at 0 */
	struct arena *arena; /* lent: facts live there */
	struct names *names; /* lent: names live there */

	struct span *span; /* (n, room) owned; valid until decoder_reset() */
	uint32_t *runtime; /* (room) correlation of the runtime call of a copy, 0 unknown */
	size_t n, room;
	struct decoded_external *external; /* (n_external, room_external) owned */
	size_t n_external, room_external;

	const char *call_name[2][DECODE_CALLS]; /* by domain (driver, runtime) and number */
	const char **readable; /* (n_readable) demangled name by name_id, NULL not known yet */
	size_t n_readable;
	char *(*demangle)(const char *, char *, size_t *, int *); /* NULL: not looked for yet */
	bool demangle_sought;

	/* Since decoder_init(). */
	size_t records, unknown; /* of kinds that nobody asked for */
	size_t zero_stamped; /* left out: CUPTI lost their times */
	size_t early; /* device work that starts before its call: kept */
	size_t orphans; /* device work without its call: kept */
};

void decoder_init(struct decoder *d, const struct cupti_api *cupti,
	const struct device_properties *properties, struct arena *arena, struct names *names);
void decoder_release(struct decoder *d);

/* Forgets the spans, keeps names and counts. */
void decoder_reset(struct decoder *d);

/* Adds the records of a buffer. */
void decode_buffer(struct decoder *d, uint8_t *buffer, size_t bytes);

/* Once all buffers are in: sets what belongs to what, and sorts the spans by start. */
void decode_finish(struct decoder *d);

/* "cudaLaunchKernel_v7000" -> "cudaLaunchKernel": Kineto drops _v and at least four digits at the
 * end. Writes at most `room` bytes. */
void decode_strip_version(char *to, size_t room, const char *name);

#endif
