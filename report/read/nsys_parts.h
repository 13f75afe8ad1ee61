/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nsys_parts.h - what nsys.c (the database), nsys_rows.c (rows into events) and nsys_names.c (what
 * has a name) share.
 */
#ifndef REPORT_READ_NSYS_PARTS_H
#define REPORT_READ_NSYS_PARTS_H

#include "report/read/made_event.h"
#include "report/read/nsys.h"

#include <sqlite3.h>

/* Columns of NVIDIA's tables by what they mean; one that has the same name in two tables means the
 * same in both. */
#define NSYS_COLUMNS(X) \
	X(START, "start") \
	X(END, "end") \
	X(DEVICE, "deviceId") \
	X(CONTEXT, "contextId") \
	X(STREAM, "streamId") \
	X(CORRELATION, "correlationId") \
	X(GLOBAL_PID, "globalPid") /* upper 40 bits; the pid is the lower 24 of these */ \
	X(GLOBAL_TID, "globalTid") /* the same, with the tid in the lower 24 bits */ \
	X(DEMANGLED, "demangledName") /* StringIds, as all that ends in Name or nameId */ \
	X(SHORT, "shortName") \
	X(MANGLED, "mangledName") \
	X(NAME, "nameId") \
	X(REGISTERS, "registersPerThread") \
	X(GRID_X, "gridX") \
	X(GRID_Y, "gridY") \
	X(GRID_Z, "gridZ") \
	X(BLOCK_X, "blockX") \
	X(BLOCK_Y, "blockY") \
	X(BLOCK_Z, "blockZ") \
	X(STATIC_SHARED, "staticSharedMemory") \
	X(DYNAMIC_SHARED, "dynamicSharedMemory") \
	X(GRAPH, "graphId") \
	X(GRAPH_NODE, "graphNodeId") \
	X(BYTES, "bytes") \
	X(COPY_KIND, "copyKind") \
	X(FROM_KIND, "srcKind") \
	X(TO_KIND, "dstKind") \
	X(MEMORY_KIND, "memKind") \
	X(SYNC, "syncType") \
	X(EVENT_TYPE, "eventType") \
	X(DOMAIN, "domainId") \
	X(TEXT, "text") \
	X(TEXT_ID, "textId") \
	X(PID, "pid") \
	X(GPU, "gpuId") \
	X(CUDA, "cudaId") \
	X(ID, "id") \
	X(LABEL, "name") \
	X(MEMORY, "totalMemory") \
	X(SMS, "smCount") \
	X(WARPS_PER_SM, "maxWarpsPerSm") \
	X(REGISTERS_PER_SM, "maxRegistersPerSm") \
	X(SHARED_PER_SM, "maxShmemPerSm") \
	X(WARP, "threadsPerWarp") \
	X(MAJOR, "computeMajor") \
	X(MINOR, "computeMinor") \
	X(UTC_NS, "utcEpochNs") \
	X(TIMESTAMP, "timestamp") \
	X(TYPE, "typeId") \
	X(METRIC, "metricId") \
	X(METRIC_NAME, "metricName") \
	X(VALUE, "value")

#define NSYS_MEMBER(name, column) NSYS_##name,
enum nsys_column { NSYS_COLUMNS(NSYS_MEMBER) NSYS_COLUMN_COUNT };

/* A row: whole numbers, and of those that are texts their bytes, lent until the next step. */
struct nsys_row {
	uint64_t there; /* bits of the columns that hold something */
	int64_t number[NSYS_COLUMN_COUNT];
	struct {
		const char *at;
		size_t n;
	} text[NSYS_COLUMN_COUNT];
};

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { NSYS_KNOWN = 1 << 4, NSYS_DEVICES = 1 << 4, NSYS_METRICS = 1 << 2 }; /* soon full */
#else
enum { NSYS_KNOWN = 1 << 12, NSYS_DEVICES = 1 << 10, NSYS_METRICS = 1 << 8 };
#endif

/* A device as a process calls it. */
struct nsys_device {
	int64_t pid, cuda, gpu;
};

/* What is sampled of a GPU, and its name. */
struct nsys_metric {
	int64_t type, id;
	uint32_t name;
};

struct nsys {
	sqlite3 *db;
	struct reader *r;
	int64_t work; /* what may still be done: steps of SQLite, in ten thousands */
	bool stopped; /* nothing is read any more */
	int64_t events;
	sqlite3_stmt *string; /* the text of an id; NULL: there are none */
	sqlite3_stmt *tables; /* how a table was made; NULL: not asked yet */
	struct {
		int64_t id;
		uint32_t text; /* 0: not asked yet */
	} known[NSYS_KNOWN]; /* by the lowest bits of the id: those that were asked for last */
	struct made_event made;
	int64_t process; /* the first that used CUDA: its ids stand for themselves */
	int64_t user[NSYS_DEVICES]; /* the same for the streams of each device; 0 nobody yet */
	struct nsys_device device[NSYS_DEVICES];
	size_t n_devices;
	struct cJSON *properties; /* of devices, as Kineto writes them */
	uint32_t *domain; /* texts of NVTX's domains */
	int64_t *domain_id;
	size_t n_domains;
	struct nsys_metric metric[NSYS_METRICS];
	size_t n_metrics, last_metric;
	const char *table; /* being read: its name without what all of CUPTI's begin with */
};

static inline bool nsys_has(const struct nsys_row *row, enum nsys_column c)
{
	return row->there >> c & 1;
}

static inline int64_t nsys_or(const struct nsys_row *row, enum nsys_column c, int64_t otherwise)
{
	return nsys_has(row, c) && !row->text[c].at ? row->number[c] : otherwise;
}

/* Calls `take` for each row of a table that has all columns of `must`; none when it has not. What
 * is damaged is noted. */
void nsys_table(struct nsys *x, const char *table, uint64_t must,
	void (*take)(struct nsys *x, const struct nsys_row *row));

/* A text of the part by its id in StringIds, or by its bytes; 0 when there is none. */
uint32_t nsys_string(struct nsys *x, int64_t id);
uint32_t nsys_text(struct nsys *x, const char *at, size_t n, enum text_form form);

/* Begins an event, gives it a text or a number, and adds it. */
void nsys_begin(struct nsys *x, char phase);
void nsys_give(struct nsys *x, enum raw_text_of i, uint32_t text);
void nsys_number(struct nsys *x, enum raw_number i, int64_t value);
void nsys_add(struct nsys *x);
void nsys_add_text(struct nsys *x, const char *text, size_t n); /* with args as JSON has them */

/* All tables with events (nsys_rows.c). */
void nsys_rows(struct nsys *x);

/* NVTX's ranges and marks (nsys_ranges.c). */
void nsys_ranges(struct nsys *x);

/* Samples of the GPU's counters (nsys_metrics.c). */
void nsys_metrics(struct nsys *x);

/* Devices and the beginning, which members of the top level tell, before the events; names of
 * processes and threads behind them (nsys_names.c). */
void nsys_devices(struct nsys *x);
void nsys_names(struct nsys *x);

static inline int64_t nsys_pid(int64_t global)
{
	return global >> 24 & 0xffffff;
}

static inline int64_t nsys_tid(int64_t global)
{
	return global & 0xffffff;
}

#endif
