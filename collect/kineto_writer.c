/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/kineto_writer.h"

#include "base/hash.h"
#include "base/json_out.h"
#include "base/min_max.h"
#include "collect/kineto_vendor_fields.h"

#include <ctype.h>
#include <string.h>

/* A quarter of a year, by which Kineto rounds its base. */
static const int64_t base_step_ns = INT64_C(7889238) * 1000000000;

/* Sort orders of process rows: device 0, overhead, and the profiler's own. */
enum {
	DEVICE_PID = 0,
	DEVICE_SORT = 5000000,
	OVERHEAD_PID = -1,
	OVERHEAD_SORT = 0x100000a,
	SPANS_SORT = 0x20000000
};

/* Waits for a stream have a row of their own below it, since they overlap its work. */
enum { WAIT_ROW = 1000000 };

struct writer {
	struct json_out json;
	const struct kineto *k;
	const struct rows *rows;
	int64_t base_ns;
	bool *launched; /* (n) the call has device work in the trace */
};

int64_t kineto_base_ns(int64_t start_ns)
{
	return start_ns / base_step_ns * base_step_ns;
}

/* ---- rows that name processes and threads ---- */

static void metadata_open(struct writer *w, const char *name, long pid, long tid)
{
	struct json_out *j = &w->json;
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "ph", "M");
	json_text(j, "name", name);
	json_us(j, "ts", w->k->window[0].start_ns - w->base_ns);
	json_int(j, "pid", pid);
	json_int(j, "tid", tid);
	json_object(j, "args", JSON_INLINE);
}

static void close_event(struct writer *w)
{
	json_end(&w->json); /* args */
	json_end(&w->json);
}

static void write_process(
	struct writer *w, long pid, const char *name, const char *label, long sort)
{
	metadata_open(w, "process_name", pid, 0);
	json_text(&w->json, "name", name);
	close_event(w);
	metadata_open(w, "process_labels", pid, 0);
	json_text(&w->json, "labels", label);
	close_event(w);
	metadata_open(w, "process_sort_index", pid, 0);
	json_int(&w->json, "sort_index", sort);
	close_event(w);
}

static bool row_on_device(const struct rows *rows, size_t i)
{
	return rows->shadow[i] || span_on_device(rows->span[i]) || rows->span[i]->kind == SPAN_WAIT;
}

/* Devices are the processes of their work, by number. */
static long row_device(const struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	return s->facts ? (long)s->facts->device : DEVICE_PID;
}

static long row_pid(const struct writer *w, size_t row)
{
	if (w->rows->span[row]->kind == SPAN_OVERHEAD)
		return OVERHEAD_PID;
	return row_on_device(w->rows, row) ? row_device(w, row) : w->k->pid;
}

static long row_tid(const struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	if (s->kind == SPAN_OVERHEAD)
		return 0;
	if (s->kind != SPAN_WAIT)
		return (long)s->thread;
	/* a whole context has no stream */
	return s->thread == UINT32_MAX ? -1 : (long)s->thread + WAIT_ROW;
}

static bool row_named(const struct writer *w, size_t row)
{
	enum span_kind kind = w->rows->span[row]->kind;
	return kind != SPAN_OVERHEAD && kind != SPAN_SAMPLE;
}

static bool thread_seen(const struct writer *w, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (row_named(w, i) && row_pid(w, i) == row_pid(w, row) &&
			row_tid(w, i) == row_tid(w, row))
			return true;
	return false;
}

static void write_thread(struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	long pid = row_pid(w, row), tid = row_tid(w, row);
	char name[128];
	if (s->kind == SPAN_WAIT)
		snprintf(name, sizeof name, "stream %d (sync)", (int)s->thread);
	else if (row_on_device(w->rows, row)) /* the blank at the end is Kineto's */
		snprintf(name, sizeof name, "stream %u ", (unsigned)s->thread);
	else
		snprintf(
			name, sizeof name, "thread %u (%.80s)", (unsigned)s->thread, w->k->process);
	metadata_open(w, "thread_name", pid, tid);
	json_text(&w->json, "name", name);
	close_event(w);
	metadata_open(w, "thread_sort_index", pid, tid);
	json_int(&w->json, "sort_index", tid);
	close_event(w);
}

static void write_overhead_process(struct writer *w)
{
	metadata_open(w, "process_name", OVERHEAD_PID, 0);
	json_text(&w->json, "name", "CUPTI Overhead");
	close_event(w);
	metadata_open(w, "process_sort_index", OVERHEAD_PID, 0);
	json_int(&w->json, "sort_index", OVERHEAD_SORT);
	close_event(w);
}

static bool any_overhead(const struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->span[i]->kind == SPAN_OVERHEAD)
			return true;
	return false;
}

/* Device 0 has its row already. */
static void write_more_devices(struct writer *w)
{
	bool seen[KINETO_DEVICES] = {true};
	for (size_t i = 0; i < w->rows->n; i++) {
		long device = row_on_device(w->rows, i) ? row_device(w, i) : DEVICE_PID;
		char lane[32];
		if (device >= KINETO_DEVICES || seen[device])
			continue;
		seen[device] = true;
		snprintf(lane, sizeof lane, "GPU %ld", device);
		write_process(w, device, w->k->process, lane, DEVICE_SORT + device);
	}
}

static void write_metadata(struct writer *w)
{
	write_process(w, w->k->pid, w->k->process, "CPU", w->k->pid);
	if (w->k->device.name)
		write_process(w, DEVICE_PID, w->k->device.name, w->k->device.lane, DEVICE_SORT);
	write_more_devices(w);
	if (any_overhead(w->rows))
		write_overhead_process(w);
	for (size_t i = 0; i < w->rows->n; i++)
		if (row_named(w, i) && !thread_seen(w, i))
			write_thread(w, i);
}

/* ---- events ---- */

static const char *category(const struct writer *w, size_t row)
{
	static const char *const of_kind[SPAN_KINDS] = {
		[SPAN_STEP] = "user_annotation",
		[SPAN_ANNOTATION] = "user_annotation",
		[SPAN_OP] = "cpu_op",
		[SPAN_SETUP] = "cpu_op",
		[SPAN_KERNEL] = "kernel",
		[SPAN_COPY] = "gpu_memcpy",
		[SPAN_FILL] = "gpu_memset",
		[SPAN_WAIT] = "cuda_sync",
		[SPAN_OVERHEAD] = "overhead",
	};
	enum span_kind kind = w->rows->span[row]->kind;
	if (w->rows->shadow[row])
		return "gpu_user_annotation";
	if (kind == SPAN_DRIVER)
		return w->k->device.driver_category;
	return of_kind[kind] ? of_kind[kind] : w->k->device.call_category;
}

static void write_numbers(struct json_out *j, const char *key, int rank, const int64_t *number)
{
	json_array(j, key, JSON_INLINE);
	for (int i = 0; i < rank; i++)
		json_int(j, NULL, number[i]);
	json_end(j);
}

static void write_shapes(struct json_out *j, const struct span_shapes *s)
{
	json_array(j, "Input type", JSON_INLINE);
	for (int i = 0; i < s->n; i++)
		json_text(j, NULL, s->tensor[i].dtype);
	json_end(j);
	json_array(j, "Input Strides", JSON_INLINE);
	for (int i = 0; i < s->n; i++)
		write_numbers(j, NULL, s->tensor[i].rank, s->tensor[i].stride);
	json_end(j);
	json_array(j, "Input Dims", JSON_INLINE);
	for (int i = 0; i < s->n; i++)
		write_numbers(j, NULL, s->tensor[i].rank, s->tensor[i].dim);
	json_end(j);
}

static void write_op_args(struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	json_int(&w->json, "External id", w->rows->external[row]);
	json_int(&w->json, "Record function id", 0);
	if (s->kind == SPAN_SETUP)
		json_text(&w->json, "kind", "setup");
	if (s->kind == SPAN_OP && s->shapes)
		write_shapes(&w->json, s->shapes);
	json_int(&w->json, "Ev Idx", (int64_t)w->rows->external[row] - 1);
}

static void write_call_args(struct writer *w, size_t row)
{
	if (w->rows->external[row])
		json_int(&w->json, "External id", w->rows->external[row]);
	kineto_write_call(&w->json, w->rows->span[row]);
}

static void write_device_args(struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	if (w->rows->external[row])
		json_int(&w->json, "External id", w->rows->external[row]);
	if (w->rows->shadow[row])
		return;
	if (s->facts) {
		kineto_write_work(&w->json, s);
		return;
	}
	json_int(&w->json, "device", DEVICE_PID);
	json_int(&w->json, "stream", s->thread);
	json_int(&w->json, "correlation", (int64_t)s->correlation);
	if (s->kind == SPAN_KERNEL)
		return;
	kineto_write_bytes(&w->json, s);
}

static void write_args(struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	if (s->kind == SPAN_WAIT)
		kineto_write_wait(&w->json, s);
	else if (row_on_device(w->rows, row))
		write_device_args(w, row);
	else if (s->kind == SPAN_LAUNCH || s->kind == SPAN_DRIVER || s->kind == SPAN_SYNC)
		write_call_args(w, row);
	else
		write_op_args(w, row);
}

static void write_flow(struct writer *w, size_t row, const char *phase, long pid)
{
	const struct span *s = w->rows->span[row];
	struct json_out *j = &w->json;
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "ph", phase);
	json_int(j, "id", (int64_t)s->correlation);
	json_int(j, "pid", pid);
	json_int(j, "tid", s->thread);
	json_us(j, "ts", s->start_ns - w->base_ns);
	json_text(j, "cat", "ac2g");
	json_text(j, "name", "ac2g");
	if (*phase == 'f')
		json_text(j, "bp", "e");
	json_end(j);
}

static void write_row(struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	struct json_out *j = &w->json;
	long pid = row_pid(w, row);
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "ph", "X");
	json_text(j, "cat", category(w, row));
	json_text(j, "name", s->name);
	json_int(j, "pid", pid);
	json_int(j, "tid", row_tid(w, row));
	json_us(j, "ts", s->start_ns - w->base_ns);
	json_us(j, "dur", w->rows->dur_ns[row]);
	if (s->kind != SPAN_OVERHEAD) {
		json_object(j, "args", JSON_INLINE);
		write_args(w, row);
		json_end(j);
	}
	json_end(j);
	if (w->launched[row])
		write_flow(w, row, "s", pid);
	if (w->rows->launch[row] != NO_ROW)
		write_flow(w, row, "f", pid);
}

/* As Kineto writes hardware counters: a process of their own, named by a text. */
static void write_sample(struct writer *w, size_t row)
{
	const struct span *s = w->rows->span[row];
	struct json_out *j = &w->json;
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "ph", "C");
	json_text(j, "cat", "hardware_counters");
	json_text(j, "name", s->name);
	json_text(j, "pid", "GPU 0 Counters");
	json_int(j, "tid", 0);
	json_us(j, "ts", s->start_ns - w->base_ns);
	json_object(j, "args", JSON_INLINE);
	json_int(j, "", s->bytes);
	json_end(j);
	json_end(j);
}

/* CPU rows first, then the device's, as Kineto does. */
static void write_rows(struct writer *w)
{
	for (int device = 0; device < 2; device++)
		for (size_t i = 0; i < w->rows->n; i++)
			if (w->rows->span[i]->kind != SPAN_SAMPLE &&
				row_on_device(w->rows, i) == (device == 1))
				write_row(w, i);
	for (size_t i = 0; i < w->rows->n; i++)
		if (w->rows->span[i]->kind == SPAN_SAMPLE)
			write_sample(w, i);
}

/* ---- the profiler's own rows ---- */

static void write_window(struct writer *w, size_t i)
{
	const struct kineto_window *window = &w->k->window[i];
	struct json_out *j = &w->json;
	char name[64];
	snprintf(name, sizeof name, "PyTorch Profiler (%zu)", i);
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "ph", "X");
	json_text(j, "cat", "Trace");
	json_us(j, "ts", window->start_ns - w->base_ns);
	json_us(j, "dur", window->end_ns - window->start_ns);
	json_text(j, "pid", "Spans");
	json_text(j, "tid", "PyTorch Profiler");
	json_text(j, "name", name);
	json_object(j, "args", JSON_INLINE);
	json_int(j, "Op count", 0);
	close_event(w);
}

static void write_instant(
	struct writer *w, const char *name, const char *pid, const char *tid, int64_t at_ns)
{
	struct json_out *j = &w->json;
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "name", name);
	json_text(j, "ph", "i");
	json_text(j, "s", "g");
	json_text(j, "pid", pid);
	json_text(j, "tid", tid);
	json_us(j, "ts", at_ns - w->base_ns);
	json_end(j);
}

static void write_profiler(struct writer *w)
{
	struct json_out *j = &w->json;
	const struct kineto_window *last = &w->k->window[w->k->n_windows - 1];
	for (size_t i = 0; i < w->k->n_windows; i++)
		write_window(w, i);
	json_object(j, NULL, JSON_INLINE);
	json_text(j, "name", "process_sort_index");
	json_text(j, "ph", "M");
	json_us(j, "ts", w->k->window[0].start_ns - w->base_ns);
	json_text(j, "pid", "Spans");
	json_int(j, "tid", 0);
	json_object(j, "args", JSON_INLINE);
	json_int(j, "sort_index", SPANS_SORT);
	close_event(w);
	for (size_t i = 0; i < w->k->n_windows; i++)
		write_instant(w, "Iteration Start: PyTorch Profiler", "Traces",
			"Trace PyTorch Profiler", w->k->window[i].start_ns);
	write_instant(w, "Record Window End", "", "", last->end_ns);
}

/* A case of a matrix is the one rank of a run of its own, which HTA wants to read; a program's
 * process says a rank only where it has one. */
static void write_rank(struct json_out *j, const struct kineto *k)
{
	if (k->of_program && k->world < 2)
		return;
	json_object(j, "distributedInfo", JSON_INLINE);
	json_int(j, "rank", k->rank);
	json_int(j, "world_size", max64(k->world, 1));
	json_end(j);
}

/* 32 hexadecimal digits as Kineto's, of what no other trace shares. */
static void write_id(struct json_out *j, const struct kineto *k)
{
	char text[2 * HASH_TEXT];
	uint64_t hash = hash_bytes(HASH_START, k->trace_name, strlen(k->trace_name));
	hash = hash_bytes(hash, &k->pid, sizeof k->pid);
	hash = hash_bytes(hash, &k->window[0], sizeof k->window[0]);
	hash_text(text, hash);
	hash_text(text + HASH_TEXT - 1, hash_bytes(hash, "second half", 11));
	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	json_text(j, "trace_id", text);
}

static void write_header(struct writer *w)
{
	struct json_out *j = &w->json;
	json_int(j, "schemaVersion", 1);
	const struct device_info *info = w->k->info;
	bool one = info && info->properties && !w->k->devices;
	kineto_write_properties(
		j, one ? info->properties : w->k->devices, one ? 1 : w->k->n_devices);
	write_id(j, w->k);
	for (int i = 0; info && i < info->n_numbers; i++)
		json_int(j, info->number[i].name, info->number[i].value);
	if (!w->k->of_program) {
		json_text(j, "tracebook_case", w->k->case_id);
		json_text(j, "tracebook_device", w->k->device.kind);
	}
	json_int(j, "dropped_spans", (int64_t)w->k->dropped);
	if (!w->k->of_program)
		json_int(j, "record_shapes", 1);
	write_rank(j, w->k);
	json_text(j, "displayTimeUnit", "ms");
	json_int(j, "baseTimeNanoseconds", w->base_ns);
}

void kineto_write(FILE *f, const struct kineto *k, const struct rows *rows)
{
	struct arena arena = {0};
	struct writer w = {.k = k, .rows = rows, .base_ns = kineto_base_ns(k->window[0].start_ns)};
	w.launched = arena_array(&arena, rows->n, sizeof *w.launched);
	for (size_t i = 0; i < rows->n; i++)
		if (rows->launch[i] != NO_ROW)
			w.launched[rows->launch[i]] = true;

	json_init(&w.json, f);
	json_object(&w.json, NULL, JSON_LINES);
	write_header(&w);
	json_array(&w.json, "traceEvents", JSON_LINES);
	write_metadata(&w);
	write_rows(&w);
	write_profiler(&w);
	json_end(&w.json);
	json_text(&w.json, "traceName", k->trace_name);
	json_end(&w.json);
	json_finish(&w.json);
	arena_release(&arena);
}
