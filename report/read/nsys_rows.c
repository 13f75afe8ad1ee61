/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/nsys_parts.h"

#include <ctype.h>
#include <stdio.h>

#define HAS(c) (1ull << NSYS_##c)

/* Texts that are made here are shorter. */
enum { MADE = 128 };

static uint32_t word(struct nsys *x, const char *text)
{
	return nsys_text(x, text, strlen(text), TEXT_PLAIN);
}

static void begin_span(struct nsys *x, const struct nsys_row *row, const char *category)
{
	nsys_begin(x, 'X');
	nsys_give(x, RAW_CATEGORY, word(x, category));
	if (!nsys_has(row, NSYS_START))
		return;
	int64_t start = row->number[NSYS_START], dur;
	nsys_number(x, RAW_TS, start);
	if (nsys_has(row, NSYS_END))
		nsys_number(x, RAW_DUR,
			__builtin_sub_overflow(row->number[NSYS_END], start, &dur) ? -1 : dur);
}

/* Ids of one process stand for themselves; those of the others have the process before them, as
 * each counts its own. */
static int64_t of_process(struct nsys *x, int64_t pid, int64_t id)
{
	if (x->process < 0)
		x->process = pid;
	return pid == x->process ? id : pid << 32 | (id & UINT32_MAX);
}

static void give_correlation(struct nsys *x, const struct nsys_row *row, enum nsys_column whose)
{
	int64_t id = nsys_or(row, NSYS_CORRELATION, 0);
	if (id)
		nsys_number(
			x, RAW_CORRELATION, of_process(x, nsys_pid(nsys_or(row, whose, 0)), id));
}

static void give_thread(struct nsys *x, const struct nsys_row *row)
{
	int64_t global = nsys_or(row, NSYS_GLOBAL_TID, 0);
	nsys_number(x, RAW_PID, nsys_pid(global));
	nsys_number(x, RAW_TID, nsys_tid(global));
}

/* ---- the device ---- */

/* A process numbers the devices that it sees from 0 on. */
static int64_t gpu_of(const struct nsys *x, int64_t pid, int64_t cuda)
{
	for (size_t i = 0; i < x->n_devices; i++)
		if (x->device[i].pid == pid && x->device[i].cuda == cuda)
			return x->device[i].gpu;
	return cuda;
}

/* Is that the process whose streams of this device have no other name? */
static bool is_first_user(struct nsys *x, int64_t gpu, int64_t pid)
{
	if (gpu < 0 || gpu >= NSYS_DEVICES)
		return true;
	if (!x->user[gpu])
		x->user[gpu] = pid + 1;
	return x->user[gpu] == pid + 1;
}

static void give_stream(struct nsys *x, const struct nsys_row *row)
{
	char name[MADE];
	int64_t pid = nsys_pid(nsys_or(row, NSYS_GLOBAL_PID, 0));
	int64_t gpu = gpu_of(x, pid, nsys_or(row, NSYS_DEVICE, 0));
	int64_t stream = nsys_or(row, NSYS_STREAM, 0);
	if (stream == UINT32_MAX) /* of none of them: all of the context */
		stream = -1;
	nsys_number(x, RAW_PID, gpu);
	nsys_number(x, RAW_DEVICE, gpu);
	nsys_number(x, RAW_STREAM, stream);
	if (nsys_has(row, NSYS_CONTEXT))
		nsys_number(x, RAW_CONTEXT, row->number[NSYS_CONTEXT]);
	if (is_first_user(x, gpu, pid)) {
		nsys_number(x, RAW_TID, stream);
		return;
	}
	snprintf(name, sizeof name, "stream %lld of process %lld", (long long)stream,
		(long long)pid);
	nsys_give(x, RAW_TID_TEXT, word(x, name));
}

static void begin_on_device(struct nsys *x, const struct nsys_row *row, const char *category)
{
	begin_span(x, row, category);
	give_stream(x, row);
	give_correlation(x, row, NSYS_GLOBAL_PID);
	if (nsys_has(row, NSYS_GRAPH_NODE))
		nsys_number(x, RAW_GRAPH_NODE, row->number[NSYS_GRAPH_NODE]);
}

/* Its whole name, as Kineto gives it, or what there is of it. */
static uint32_t kernel_name(struct nsys *x, const struct nsys_row *row)
{
	static const enum nsys_column names[] = {
		NSYS_DEMANGLED, NSYS_MANGLED, NSYS_SHORT, NSYS_NAME};
	uint32_t text = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names && !text; i++)
		if (nsys_has(row, names[i]))
			text = nsys_string(x, row->number[names[i]]);
	return text ? text : word(x, "kernel");
}

static void give_three(
	struct nsys *x, const struct nsys_row *row, enum nsys_column first, enum raw_number to)
{
	const uint64_t three = 7ull << first;
	if ((row->there & three) != three)
		return;
	nsys_number(x, to, row->number[first]);
	for (unsigned i = 1; i < 3; i++)
		x->made.raw.number[to + i] = row->number[first + i];
}

static void take_kernel(struct nsys *x, const struct nsys_row *row)
{
	int64_t fixed = nsys_or(row, NSYS_STATIC_SHARED, 0), asked;
	begin_on_device(x, row, "kernel");
	nsys_give(x, RAW_NAME, kernel_name(x, row));
	give_three(x, row, NSYS_GRID_X, RAW_GRID);
	give_three(x, row, NSYS_BLOCK_X, RAW_BLOCK);
	if (nsys_has(row, NSYS_REGISTERS))
		nsys_number(x, RAW_REGISTERS, row->number[NSYS_REGISTERS]);
	if (nsys_has(row, NSYS_STATIC_SHARED) &&
		!__builtin_add_overflow(fixed, nsys_or(row, NSYS_DYNAMIC_SHARED, 0), &asked))
		nsys_number(x, RAW_SHARED, asked);
	nsys_add(x);
}

/* A graph that was launched and recorded as a whole: its device was at work. */
static void take_graph(struct nsys *x, const struct nsys_row *row)
{
	char name[MADE];
	begin_on_device(x, row, "kernel");
	snprintf(name, sizeof name, "CUDA graph %lld", (long long)nsys_or(row, NSYS_GRAPH, 0));
	nsys_give(x, RAW_NAME, word(x, name));
	nsys_add(x);
}

static const char *of_list(const char *const *list, size_t n, int64_t i)
{
	return i >= 0 && (size_t)i < n ? list[i] : "Unknown";
}

#define OF_LIST(list, row, column) \
	of_list(list, sizeof(list) / sizeof *(list), nsys_or(row, NSYS_##column, -1))

/* As ENUM_CUDA_MEM_KIND numbers them, in Kineto's words. */
static const char *const memories[] = {
	"Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};

static void take_copy(struct nsys *x, const struct nsys_row *row)
{
	/* As ENUM_CUDA_MEMCPY_OPER does. */
	static const char *const kinds[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
		"AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
	char name[MADE];
	begin_on_device(x, row, "gpu_memcpy");
	snprintf(name, sizeof name, "Memcpy %s (%s -> %s)", OF_LIST(kinds, row, COPY_KIND),
		OF_LIST(memories, row, FROM_KIND), OF_LIST(memories, row, TO_KIND));
	nsys_give(x, RAW_NAME, word(x, name));
	if (nsys_has(row, NSYS_BYTES))
		nsys_number(x, RAW_BYTES, row->number[NSYS_BYTES]);
	nsys_add(x);
}

static void take_fill(struct nsys *x, const struct nsys_row *row)
{
	char name[MADE];
	begin_on_device(x, row, "gpu_memset");
	snprintf(name, sizeof name, "Memset (%s)", OF_LIST(memories, row, MEMORY_KIND));
	nsys_give(x, RAW_NAME, word(x, name));
	if (nsys_has(row, NSYS_BYTES))
		nsys_number(x, RAW_BYTES, row->number[NSYS_BYTES]);
	nsys_add(x);
}

static void take_wait(struct nsys *x, const struct nsys_row *row)
{
	static const char *const kinds[] = {
		"Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
	begin_on_device(x, row, "cuda_sync");
	nsys_give(x, RAW_NAME, word(x, OF_LIST(kinds, row, SYNC)));
	nsys_add(x);
}

/* ---- the host ---- */

/* "cudaLaunchKernel_v7000" without the version that began it, as CUDA's headers and Kineto name
 * it; the driver's "cuMemcpyHtoDAsync_v2" is a name. */
static size_t without_version(const char *name, size_t n)
{
	size_t i = n;
	while (i && isdigit((unsigned char)name[i - 1]))
		i--;
	return n - i >= 4 && i > 2 && !memcmp(name + i - 2, "_v", 2) ? i - 2 : n;
}

static void take_call(struct nsys *x, const struct nsys_row *row)
{
	uint32_t id = nsys_has(row, NSYS_NAME) ? nsys_string(x, row->number[NSYS_NAME]) : 0;
	const struct text_entry *e = &x->r->part->texts.entry[id];
	const char *name = id ? e->text : "call";
	size_t n = id ? e->length : strlen(name);
	bool driver = n > 2 && !memcmp(name, "cu", 2) && isupper((unsigned char)name[2]);
	uint32_t text = nsys_text(x, name, without_version(name, n), TEXT_PLAIN);
	begin_span(x, row, driver ? "cuda_driver" : "cuda_runtime");
	nsys_give(x, RAW_NAME, text);
	give_thread(x, row);
	give_correlation(x, row, NSYS_GLOBAL_TID);
	nsys_add(x);
}

static void take_overhead(struct nsys *x, const struct nsys_row *row)
{
	uint32_t id = nsys_has(row, NSYS_NAME) ? nsys_string(x, row->number[NSYS_NAME]) : 0;
	begin_span(x, row, "overhead");
	nsys_give(x, RAW_NAME, id ? id : word(x, "overhead"));
	give_thread(x, row);
	nsys_add(x);
}

void nsys_rows(struct nsys *x)
{
	const uint64_t span = HAS(START) | HAS(END);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_RUNTIME", span | HAS(GLOBAL_TID), take_call);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_DRIVER", span | HAS(GLOBAL_TID), take_call);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_KERNEL", span, take_kernel);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", span, take_kernel);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_MEMCPY", span, take_copy);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_MEMSET", span, take_fill);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", span, take_graph);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", span, take_wait);
	nsys_table(x, "CUPTI_ACTIVITY_KIND_OVERHEAD", span | HAS(GLOBAL_TID), take_overhead);
}
