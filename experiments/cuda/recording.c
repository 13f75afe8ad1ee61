/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/cuda/recording.h"

#include "experiments/cuda/nvidia_libraries.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- buffers ---- */

struct full_buffer {
	struct full_buffer *next;
	uint8_t *bytes;
	size_t n;
};

/* Shared with CUPTI's callbacks, which run on the launching thread and on a thread of its own. */
static struct {
	_Atomic(uint8_t *) spare[PROFILER_COST_BUFFERS];
	_Atomic(struct full_buffer *) full; /* newest first */
	_Atomic size_t requests, made;
} pool;

static uint8_t *buffer_new(void)
{
	uint8_t *b = aligned_alloc(64, PROFILER_COST_BUFFER_BYTES);
	if (!b)
		out_of_memory(PROFILER_COST_BUFFER_BYTES);
	memset(b, 0, PROFILER_COST_BUFFER_BYTES);
	return b;
}

static uint8_t *take_spare(void)
{
	for (int i = 0; i < PROFILER_COST_BUFFERS; i++) {
		uint8_t *b = atomic_exchange(&pool.spare[i], NULL);
		if (b)
			return b;
	}
	return NULL;
}

static void give_spare(uint8_t *b)
{
	for (int i = 0; i < PROFILER_COST_BUFFERS; i++) {
		uint8_t *none = NULL;
		if (atomic_compare_exchange_strong(&pool.spare[i], &none, b))
			return;
	}
	free(b);
}

static void CUPTIAPI buffer_wanted(uint8_t **buffer, size_t *bytes, size_t *records)
{
	atomic_fetch_add(&pool.requests, 1);
	*buffer = take_spare();
	if (!*buffer) {
		atomic_fetch_add(&pool.made, 1);
		*buffer = buffer_new();
	}
	*bytes = PROFILER_COST_BUFFER_BYTES;
	*records = 0; /* as many as fit */
}

static void CUPTIAPI buffer_full(
	CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t n)
{
	(void)context, (void)stream, (void)bytes;
	struct full_buffer *full = xalloc(sizeof *full);
	*full = (struct full_buffer){.bytes = buffer, .n = n};
	full->next = atomic_load(&pool.full);
	while (!atomic_compare_exchange_weak(&pool.full, &full->next, full))
		;
}

static void make_spares(void)
{
	for (int i = 0; i < PROFILER_COST_BUFFERS; i++)
		if (!atomic_load(&pool.spare[i]))
			atomic_store(&pool.spare[i], buffer_new());
}

/* The list in the order in which the buffers were filled. */
static struct full_buffer *take_full(void)
{
	struct full_buffer *newest = atomic_exchange(&pool.full, NULL), *oldest = NULL;
	while (newest) {
		struct full_buffer *next = newest->next;
		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}

/* ---- CUPTI ---- */

struct recording_options recording_options(void)
{
	const char *graphs = getenv("TRACEBOOK_CUPTI_GRAPHS");
	const char *latency = getenv("TRACEBOOK_CUPTI_LATENCY");
	return (struct recording_options){
		.whole_graphs = graphs && !strcmp(graphs, "whole"),
		.latency = latency && !strcmp(latency, "1"),
	};
}

/* No callback is ever enabled; CUPTI wants one all the same. */
static void CUPTIAPI no_callback(
	void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
	(void)context, (void)domain, (void)id, (void)data;
}

static int subscribe(struct cupti_recording *r, struct err *err)
{
	char other[64] = "";
	CUpti_SubscriberParams params = {
		.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
		.subscriberName = "tracebook",
		.oldSubscriberName = other,
		.oldSubscriberSize = sizeof other,
	};
	CUptiResult result = r->cupti.cuptiSubscribe_v2(&r->subscriber, no_callback, NULL, &params);
	if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return fail(err,
			"another profiler or debugger has CUPTI%s%s: run without it to record",
			*other ? ": " : "", other);
	if (result)
		return cupti_fail(&r->cupti, result, "taking CUPTI", err);
	r->open = true;
	return 0;
}

static int set_up(struct cupti_recording *r, struct err *err)
{
	struct cupti_api *c = &r->cupti;
	uint8_t zeroed = 1;
	size_t size = sizeof zeroed;
	CUptiResult result = c->cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
	if (!result)
		result = c->cuptiActivityRegisterCallbacks(buffer_wanted, buffer_full);
	if (result)
		return cupti_fail(c, result, "setting up CUPTI", err);
	/* Only saves time, so a library that does not know it is as good. */
	c->cuptiActivitySetAttribute(
		CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
	if (r->options.latency) {
		__typeof__(cuptiActivityEnableLatencyTimestamps) *latency = NULL;
		void *found = library_function(
			c->library, &library_cupti, "cuptiActivityEnableLatencyTimestamps", err);
		memcpy(&latency, &found, sizeof latency);
		if (!latency)
			return -1;
		result = latency(1);
	}
	return result ? cupti_fail(c, result, "asking for queue times", err) : 0;
}

int recording_open(struct cupti_recording *r, struct arena *a,
	const struct recording_options *options, struct err *err)
{
	const char *wish = getenv("TRACEBOOK_RECORD");
	*r = (struct cupti_recording){.options = *options};
	if (wish && !strcmp(wish, "off"))
		return fail(err, "recording is switched off (TRACEBOOK_RECORD)");
	if (cupti_api_open(&r->cupti, a, err) || subscribe(r, err))
		return -1;
	make_spares();
	if (!set_up(r, err))
		return 0;
	recording_close(r);
	return -1;
}

void recording_close(struct cupti_recording *r)
{
	if (!r->open)
		return;
	struct err ignored = {0};
	recording_set(r, false, &ignored);
	r->cupti.cuptiUnsubscribe(r->subscriber);
	r->open = false;
	for (struct full_buffer *full = take_full(), *next; full; full = next) {
		next = full->next;
		give_spare(full->bytes);
		free(full);
	}
	for (uint8_t *b; (b = take_spare());)
		free(b);
}

/* External ids first: an id's record stands before that of its call. */
static const CUpti_ActivityKind kinds[] = {
	CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
	CUPTI_ACTIVITY_KIND_OVERHEAD,
	CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	CUPTI_ACTIVITY_KIND_MEMCPY,
	CUPTI_ACTIVITY_KIND_MEMCPY2,
	CUPTI_ACTIVITY_KIND_MEMSET,
	CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
	CUPTI_ACTIVITY_KIND_DRIVER,
	CUPTI_ACTIVITY_KIND_RUNTIME,
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int enable(struct cupti_recording *r, struct err *err)
{
	struct cupti_api *c = &r->cupti;
	for (int i = 0; i < KINDS; i++) {
		CUptiResult result = c->cuptiActivityEnable(kinds[i]);
		if (result)
			return cupti_fail(c, result, "switching recording on", err);
	}
	if (!r->options.whole_graphs)
		return 0;
	CUptiResult result = c->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	return result ? cupti_fail(c, result, "recording whole graphs", err) : 0;
}

static void pop_all(struct cupti_recording *r)
{
	for (int scope = 0; scope < 2; scope++)
		while (r->depth[scope] > 0)
			recording_leave(r, (enum device_scope)scope);
}

/* The calls' kinds go last: each of these calls would be recorded by them. */
static void disable(struct cupti_recording *r)
{
	if (r->options.whole_graphs)
		r->cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	for (int i = KINDS; i > 0; i--)
		r->cupti.cuptiActivityDisable(kinds[i - 1]);
}

static int64_t less_steady_ns(void)
{
	struct timespec t;
	int64_t now_ns = clock_ns();
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return now_ns - ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
}

/* CUPTI stamps with CLOCK_REALTIME on Linux, which somebody may set or slew meanwhile. Both numbers
 * stand in the trace. */
static void look_at_clocks(struct cupti_recording *r, bool on)
{
	uint64_t theirs = 0;
	if (!on) {
		r->clock_step_ns = less_steady_ns() - r->steady_ns;
		return;
	}
	int64_t before_ns = clock_ns();
	r->cupti.cuptiGetTimestamp(&theirs);
	int64_t after_ns = clock_ns();
	r->clock_offset_ns = (int64_t)theirs - (before_ns + (after_ns - before_ns) / 2);
	r->steady_ns = less_steady_ns();
}

int recording_set(struct cupti_recording *r, bool on, struct err *err)
{
	if (!r->open || r->on == on)
		return 0;
	look_at_clocks(r, on);
	r->on = on;
	if (on && !enable(r, err))
		return 0;
	pop_all(r);
	r->cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	disable(r);
	r->on = false;
	return on ? -1 : 0;
}

static void decode_full(struct decoder *d)
{
	for (struct full_buffer *full = take_full(), *next; full; full = next) {
		next = full->next;
		decode_buffer(d, full->bytes, full->n);
		memset(full->bytes, 0, full->n);
		give_spare(full->bytes);
		free(full);
	}
}

void recording_drain(struct cupti_recording *r, struct decoder *d)
{
	decoder_reset(d);
	r->dropped = 0;
	if (!r->open)
		return;
	size_t dropped = 0;
	r->cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	if (!r->cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped))
		r->dropped = dropped;
	decode_full(d);
	decode_finish(d);
	r->buffers = atomic_load(&pool.requests);
	r->buffers_made = atomic_load(&pool.made);
}

void recording_take(struct cupti_recording *r, struct decoder *d, bool all)
{
	size_t dropped = 0;
	r->dropped = 0;
	if (!r->open)
		return;
	r->cupti.cuptiActivityFlushAll(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
	if (!r->cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped))
		r->dropped = dropped;
	decode_full(d);
}

static CUpti_ExternalCorrelationKind kind_of(enum device_scope scope)
{
	return scope == SCOPE_OPERATOR ? CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
				       : CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
}

void recording_enter(struct cupti_recording *r, enum device_scope scope, uint32_t id)
{
	if (r->on && !r->cupti.cuptiActivityPushExternalCorrelationId(kind_of(scope), id))
		r->depth[scope]++;
}

/* What was pushed before the recording was switched off is gone. */
void recording_leave(struct cupti_recording *r, enum device_scope scope)
{
	uint64_t last;
	if (r->depth[scope] < 1)
		return;
	r->depth[scope]--;
	r->cupti.cuptiActivityPopExternalCorrelationId(kind_of(scope), &last);
}
