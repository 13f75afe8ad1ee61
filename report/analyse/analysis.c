/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/analysis.h"

#include "base/binary_search.h"
#include "base/min_max.h"
#include "base/two_threads.h"
#include "report/analyse/analysis_stages.h"
#include "report/trace/enclosing_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *busy_rule_name(enum busy_rule rule)
{
	static const char *const names[BUSY_RULES] = {
		[BUSY_DEVICE] = "first to last device event",
		[BUSY_KERNELS] = "kernels, first to last device event",
		[BUSY_STEPS] = "kernels within steps",
		[BUSY_FILE] = "whole file",
	};
	return names[rule];
}

const char *regime_name(enum regime r)
{
	static const char *const names[] = {
		[REGIME_NONE] = "none",
		[REGIME_OVERHEAD_BOUND] = "overhead-bound",
		[REGIME_COMPUTE_BOUND] = "compute-bound",
		[REGIME_MIXED] = "mixed",
	};
	return names[r];
}

uint32_t analysis_launch_of(const struct trace *trace, uint32_t device_row)
{
	uint32_t row = trace->launch[device_row];
	while (row != NO_ROW && is_call(trace, row) && !is_outer_call(trace, row))
		row = trace->parent[row];
	return row;
}

uint32_t analysis_op_of(const struct trace *trace, uint32_t row)
{
	return trace_op_of(trace, row);
}

int64_t analysis_inputs_of(const struct trace *trace, uint32_t device_row)
{
	uint32_t launch = analysis_launch_of(trace, device_row);
	uint32_t op = launch == NO_ROW ? NO_ROW : analysis_op_of(trace, launch);
	if (op == NO_ROW || trace->side[op] == NO_ROW)
		return 0;
	const struct op_inputs *in = &trace->inputs[trace->side[op]];
	return in->dims ? (int64_t)in->dims << 31 | in->strides : 0;
}

/* ---- classes ---- */

/* The class of a name is worked out once for each of the four ways it depends on the kind. */
enum { WAYS = 4, UNKNOWN = 0xff };

static int way_of(uint8_t kind)
{
	switch (kind) {
	case EVENT_KERNEL:
		return 0;
	case EVENT_RUNTIME:
	case EVENT_DRIVER:
		return 1;
	case EVENT_OP:
		return 2;
	case EVENT_ANNOTATION:
		return 3;
	default:
		return -1;
	}
}

static bool is_marked_setup(const struct trace *t, size_t row, name_id setup)
{
	return setup && t->kind[row] == EVENT_OP && t->side[row] != NO_ROW &&
		t->inputs[t->side[row]].extra == setup;
}

/* A name is asked once; true the first time. */
static bool ask(
	uint32_t *known, uint32_t traits_of(const char *name), const struct trace *t, size_t row)
{
	const uint32_t asked = UINT32_C(1) << 31;
	uint32_t *k = &known[t->name[row]];
	if (*k & asked)
		return false;
	*k = asked | traits_of(names_text(&t->names, t->name[row]));
	return true;
}

static void ask_name(struct analysis *a, size_t row)
{
	const struct trace *t = a->trace;
	switch ((enum event_kind)t->kind[row]) {
	case EVENT_KERNEL:
		ask(a->device_traits, traits_of_kernel, t, row);
		break;
	case EVENT_MEMCPY:
		ask(a->device_traits, traits_of_copy, t, row);
		break;
	case EVENT_OP:
	case EVENT_ANNOTATION:
	case EVENT_RUNTIME:
	case EVENT_DRIVER:
	case EVENT_OVERHEAD:
	case EVENT_OTHER:
		if (ask(a->host_traits, traits_of_host, t, row))
			a->role[t->name[row]] =
				(uint8_t)role_of_name(names_text(&t->names, t->name[row]));
		break;
	default:
		break;
	}
}

static void classify_names(struct analysis *a)
{
	const struct trace *t = a->trace;
	name_id setup = names_find(&t->names, "setup");
	uint8_t *known = xalloc((size_t)t->names.n * WAYS);
	memset(known, UNKNOWN, (size_t)t->names.n * WAYS);
	for (size_t i = 0; i < t->n; i++) {
		const char *name = trace_row_name(t, i);
		int way = way_of(t->kind[i]);
		if (way < 0 || is_marked_setup(t, i, setup)) {
			a->class[i] = (uint8_t)(way < 0 ? classify(t->kind[i], name) : CLASS_SETUP);
			ask_name(a, i);
			continue;
		}
		uint8_t *k = &known[(size_t)t->name[i] * WAYS + (size_t)way];
		if (*k == UNKNOWN) {
			*k = (uint8_t)classify(t->kind[i], name);
			ask_name(a, i);
		}
		a->class[i] = *k;
	}
	free(known);
}

/* What a call put in the queue says more than its name: first copies and fills, then kernels, so
 * that a graph with both is a launch. */
static void classify_calls_by_work(struct analysis *a)
{
	const struct trace *t = a->trace;
	for (int kernels = 0; kernels < 2; kernels++)
		for (size_t i = 0; i < a->n_device; i++) {
			uint32_t call = a->device_calls[i];
			bool kernel = t->kind[a->device_rows[i]] == EVENT_KERNEL;
			if (call != NO_ROW && kernel == kernels)
				a->class[call] = kernels ? CLASS_LAUNCH : CLASS_COPY_CALL;
		}
}

static void gather_device_rows(struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	for (size_t i = 0; i < t->n; i++)
		a->n_device += event_on_device(t->kind[i]);
	a->device_rows = arena_array(arena, a->n_device, sizeof *a->device_rows);
	a->device_calls = arena_array(arena, a->n_device, sizeof *a->device_calls);
	a->device_ops = arena_array(arena, a->n_device, sizeof *a->device_ops);
	for (size_t i = 0, n = 0; i < t->n; i++) {
		if (!event_on_device(t->kind[i]))
			continue;
		a->device_rows[n] = (uint32_t)i;
		a->device_calls[n] = analysis_launch_of(t, (uint32_t)i);
		a->device_ops[n] = analysis_op_of(t, a->device_calls[n]);
		n++;
		a->n_kernels += t->kind[i] == EVENT_KERNEL;
		a->n_copies += t->kind[i] == EVENT_MEMCPY;
		a->n_fills += t->kind[i] == EVENT_MEMSET;
		a->n_unlinked += t->launch[i] == NO_ROW;
		a->device_ns += t->dur_ns[i];
		if (t->kind[i] == EVENT_KERNEL)
			a->kernel_ns += t->dur_ns[i];
	}
}

static void classify_by_operators(struct analysis *a)
{
	const struct trace *t = a->trace;
	uint8_t *known = xalloc(t->names.n);
	memset(known, UNKNOWN, t->names.n);
	for (size_t i = 0; i < a->n_device; i++) {
		uint8_t *class = &a->class[a->device_rows[i]];
		uint32_t op = a->device_ops[i];
		if (*class != CLASS_KERNEL || op == NO_ROW)
			continue;
		uint8_t *k = &known[t->name[op]];
		if (*k == UNKNOWN)
			*k = (uint8_t)classify_by_operator(trace_row_name(t, op));
		*class = *k;
	}
	free(known);
}

/* The next work on the stream of a device event, NO_ROW at its end. */
static uint32_t next_on_stream(const struct analysis *a, uint32_t row)
{
	const struct trace *t = a->trace;
	size_t low = first_where(i, 0, a->n_device, a->device_rows[i] > row);
	const size_t near = 64; /* rows of other streams */
	size_t end = a->n_device - low < near ? a->n_device : low + near;
	while (low < end && t->track[a->device_rows[low]] != t->track[row])
		low++;
	return low < end ? a->device_rows[low] : NO_ROW;
}

static bool clears_for_gemm(const struct analysis *a, uint32_t row)
{
	const struct trace *t = a->trace;
	/* On AMD a fill may be a kernel, which has no bytes. */
	if (a->class[row] != CLASS_FILL || t->kind[row] != EVENT_MEMSET || t->side[row] == NO_ROW)
		return false;
	int64_t bytes = t->copies[t->side[row]].bytes;
	if (bytes < 0 || bytes > ANALYSIS_COUNTER_BYTES)
		return false;
	uint32_t next = next_on_stream(a, row);
	if (next == NO_ROW || a->class[next] != CLASS_GEMM || t->launch[row] == NO_ROW ||
		t->launch[next] == NO_ROW)
		return false;
	uint32_t op = analysis_op_of(t, t->launch[row]);
	return op != NO_ROW && op == analysis_op_of(t, t->launch[next]);
}

static void mark_clears(struct analysis *a)
{
	for (size_t i = 0; i < a->n_device; i++)
		if (clears_for_gemm(a, a->device_rows[i]))
			a->class[a->device_rows[i]] = CLASS_CLEAR;
}

static void gather_calls(struct analysis *a, struct arena *arena)
{
	const struct trace *t = a->trace;
	for (size_t i = 0; i < t->n; i++)
		a->n_calls += event_is_call(t->kind[i]);
	a->calls = arena_array(arena, a->n_calls, sizeof *a->calls);
	a->n_calls = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_outer_call(t, i))
			continue;
		a->calls[a->n_calls++] = i;
		a->n_launches += a->class[i] == CLASS_LAUNCH;
		a->n_copy_calls += a->class[i] == CLASS_COPY_CALL;
		a->n_syncs += a->class[i] == CLASS_SYNC;
		a->n_queries += a->class[i] == CLASS_QUERY;
	}
}

void analyse_classes(struct analysis *a, struct arena *arena)
{
	a->class = arena_array(arena, a->trace->n, 1);
	a->device_traits = arena_array(arena, a->trace->names.n, sizeof *a->device_traits);
	a->host_traits = arena_array(arena, a->trace->names.n, sizeof *a->host_traits);
	a->role = arena_array(arena, a->trace->names.n, 1);
	classify_names(a);
	gather_device_rows(a, arena);
	classify_by_operators(a);
	classify_calls_by_work(a);
	mark_clears(a);
	gather_calls(a, arena);
}

/* One half of the stages, with memory of its own while both halves run. */
struct half {
	struct analysis *a;
	struct arena arena;
};

static void analyse_time(void *half)
{
	struct half *h = half;
	analyse_steps(h->a, &h->arena);
	analyse_window(h->a, &h->arena);
	analyse_activities(h->a, &h->arena);
}

static void analyse_rows(void *half)
{
	struct half *h = half;
	analyse_table(h->a, &h->arena);
	analyse_launches(h->a);
}

struct analysis analysis_of_steps(struct arena *arena, const struct trace *trace)
{
	struct analysis a = {.trace = trace, .main_track = NO_ROW};
	analyse_classes(&a, arena);
	analyse_steps(&a, arena);
	return a;
}

struct analysis analysis_of(struct arena *arena, const struct trace *trace)
{
	struct analysis a = {.trace = trace, .main_track = NO_ROW};
	struct half time = {.a = &a}, rows = {.a = &a};
	analyse_classes(&a, arena);
	analyse_shapes(&a, arena);
	both(trace->n >= BOTH_FROM, analyse_time, &time, analyse_rows, &rows);
	arena_adopt(arena, &time.arena);
	arena_adopt(arena, &rows.arena);
	analyse_compile(&a, arena);
	analyse_regime(&a);
	return a;
}
