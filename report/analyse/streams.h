/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.h - what each stream does, what is copied, and how much communication hides behind
 * computing.
 *
 * Busy times are unions clipped to analysis.window, over all devices together; counts and sums are
 * of the whole file. Bandwidth is bytes per nanosecond (GB/s), once per byte: a copy inside the
 * device reads and writes each.
 */
#ifndef REPORT_ANALYSE_STREAMS_H
#define REPORT_ANALYSE_STREAMS_H

#include "base/enum_names.h"
#include "report/analyse/analysis.h"

struct stream_use {
	uint32_t track;
	size_t kernels, copies, fills;
	size_t collectives; /* among the kernels */
	int64_t kernel_ns, copy_ns, fill_ns; /* sums */
	int64_t busy_ns; /* union */
	double share; /* busy_ns / window, 0 when that is empty */
};

#define COPY_LIST(X) \
	X(COPY_HOST_TO_DEVICE, "host to device") \
	X(COPY_DEVICE_TO_HOST, "device to host") \
	X(COPY_DEVICE_TO_DEVICE, "device to device") \
	X(COPY_PEER, "peer to peer") /* from device to device */ \
	X(COPY_OTHER, "other") /* what the name does not tell */ \
	X(COPY_FILL, "fill") /* memset */
enum copy_way { COPY_LIST(KIND_MEMBER) COPY_WAYS };
const char *copy_way_name(enum copy_way way); /* "host to device" ... */

/* The host's side of a copy, as the name tells it. */
enum copy_memory { MEMORY_UNTOLD, MEMORY_PAGEABLE, MEMORY_PINNED, COPY_MEMORIES };
const char *copy_memory_name(enum copy_memory memory); /* "", "pageable", "pinned" */

/* Both of a copy or a fill, as its name tells them. */
enum copy_way copy_way_of(const struct analysis *a, uint32_t row, enum copy_memory *memory);

struct copy_use {
	enum copy_way way;
	enum copy_memory memory;
	size_t n;
	int64_t ns;
	size_t n_sized; /* those whose bytes the file tells; the next two are theirs */
	int64_t bytes, sized_ns;
	double gb_per_s; /* bytes / sized_ns, 0 when nothing is known */
	uint32_t longest; /* row */
};

struct collective {
	name_id name; /* of the kernel */
	size_t n;
	int64_t ns; /* sum over the file */
	int64_t inside_ns; /* of it inside the window */
	int64_t exposed_ns; /* of that while nothing computes; each event by itself, so that two at
			       once count twice */
};

struct streams {
	struct stream_use *stream; /* (n_streams) in the order of the tracks */
	uint32_t n_streams;
	struct copy_use copy[COPY_WAYS * COPY_MEMORIES]; /* (n_copies) by way, then memory */
	uint32_t n_copies;
	struct collective *collective; /* (n_collectives) by ns, largest first */
	uint32_t n_collectives;

	/* TraceLens' order of precedence (gpu_event_analyser.py): computing hides communication,
	 * both hide copies, and window = compute + exposed communication + exposed copy + idle,
	 * exactly. Kernels of class communication communicate, other kernels and fills compute. */
	int64_t window_ns, idle_ns;
	int64_t compute_ns, communication_ns, copy_ns; /* unions */
	int64_t exposed_communication_ns; /* communication - compute */
	int64_t exposed_copy_ns; /* copy - compute - communication */
	int64_t overlap_ns; /* communication and compute */
	double overlap_share; /* overlap / communication (HTA), 0 without communication */
};

/* The arena owns the result. */
struct streams streams_of(struct arena *arena, const struct analysis *a);

void streams_dump(const struct streams *s, const struct analysis *a, FILE *f);

#endif
