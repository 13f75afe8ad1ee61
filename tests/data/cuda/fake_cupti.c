/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI: puts its own structs into the client's buffers. */
#define _GNU_SOURCE
#include "tests/data/cuda/fake.h"

#include <cupti.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 64, LAST_KIND = 64 };

static struct {
	bool enabled[LAST_KIND];
	CUpti_BuffersCallbackRequestFunc wanted;
	CUpti_BuffersCallbackCompleteFunc full;
	uint8_t *buffer;
	size_t room, used;
	uint64_t external[2][DEPTH];
	int depth[2];
} cupti;

/* The program records on its threads, and whoever flushes does on another. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static size_t record_bytes(CUpti_ActivityKind kind)
{
	switch ((int)kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(CUpti_ActivityKernel10);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy6);
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return sizeof(CUpti_ActivityAPI);
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
		return sizeof(CUpti_ActivitySynchronization2);
	case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
		return sizeof(CUpti_ActivityExternalCorrelation);
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		return sizeof(CUpti_ActivityOverhead3);
	}
	return 0;
}

static void deliver(void)
{
	pthread_mutex_lock(&lock);
	if (cupti.buffer)
		cupti.full(NULL, 0, cupti.buffer, cupti.room, cupti.used);
	cupti.buffer = NULL;
	cupti.used = 0;
	pthread_mutex_unlock(&lock);
}

static void emit_locked(const void *record);
static void emit(const void *record)
{
	pthread_mutex_lock(&lock);
	emit_locked(record);
	pthread_mutex_unlock(&lock);
}

static void emit_locked(const void *record)
{
	CUpti_ActivityKind kind;
	memcpy(&kind, record, sizeof kind);
	size_t n = record_bytes(kind), most = 0;
	if (!cupti.enabled[kind])
		return;
	if (cupti.buffer && cupti.used + n > cupti.room)
		deliver();
	if (!cupti.buffer) {
		CUpti_ActivityOverhead3 asked = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
			.overheadKind = CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST,
			.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
			.start = (uint64_t)fake_now_ns()};
		cupti.wanted(&cupti.buffer, &cupti.room, &most);
		asked.end = (uint64_t)fake_now_ns();
		asked.objectId.pt.threadId = (uint32_t)gettid();
		emit(&asked);
	}
	memcpy(cupti.buffer + cupti.used, record, n);
	cupti.used += n;
}

void fake_record_call(const struct fake_call *call, int64_t end_ns, uint32_t result)
{
	static const CUpti_ExternalCorrelationKind kinds[] = {
		CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1};
	CUpti_ActivityAPI r = {
		.kind = call->runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER,
		.cbid = call->number,
		.start = (uint64_t)call->start_ns,
		.end = (uint64_t)end_ns,
		.processId = (uint32_t)getpid(),
		.threadId = (uint32_t)gettid(),
		.correlationId = call->correlation,
		.returnValue = result,
	};
	for (int i = 0; i < 2; i++) {
		CUpti_ActivityExternalCorrelation e = {
			.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
			.externalKind = kinds[i],
			.correlationId = call->correlation};
		if (cupti.depth[i] > 0) {
			e.externalId = cupti.external[i][cupti.depth[i] - 1];
			emit(&e);
		}
	}
	emit(&r);
}

/* Context 1, on device 0; where several are asked for, every second copy is context 2's, on
 * device 1. */
static uint32_t next_context(void)
{
	static uint32_t n;
	return fake_is("contexts") && n++ % 2 ? 2 : 1;
}

void fake_record_work(const struct fake_work *w, uint32_t correlation, int64_t start_ns,
	int64_t end_ns, uint32_t graph, uint64_t node)
{
	CUpti_ActivityKernel10 k = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
	CUpti_ActivityMemcpy6 c = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY};
	if (w->kind == FAKE_COPY) {
		c.copyKind = (uint8_t)w->direction;
		c.srcKind = (uint8_t)w->from;
		c.dstKind = (uint8_t)w->to;
		c.bytes = w->bytes;
		c.start = (uint64_t)start_ns;
		c.end = (uint64_t)end_ns;
		c.contextId = next_context();
		c.deviceId = c.contextId - 1;
		c.streamId = w->stream;
		c.correlationId = correlation;
		c.graphId = graph;
		c.graphNodeId = node;
		emit(&c);
		return;
	}
	k.registersPerThread = (uint16_t)w->registers;
	k.start = (uint64_t)start_ns;
	k.end = (uint64_t)end_ns;
	k.contextId = 1;
	k.streamId = w->stream;
	k.gridX = (int32_t)w->grid[0];
	k.gridY = (int32_t)w->grid[1];
	k.gridZ = (int32_t)w->grid[2];
	k.blockX = (int32_t)w->block[0];
	k.blockY = (int32_t)w->block[1];
	k.blockZ = (int32_t)w->block[2];
	k.staticSharedMemory = w->shared_bytes;
	k.dynamicSharedMemory = w->dynamic_shared_bytes;
	k.correlationId = correlation;
	k.name = w->name;
	k.graphId = graph;
	k.graphNodeId = node;
	k.clusterX = k.clusterY = k.clusterZ = 1;
	emit(&k);
}

void fake_record_wait(uint32_t correlation, int64_t start_ns, int64_t end_ns)
{
	CUpti_ActivitySynchronization2 r = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
		.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE,
		.start = (uint64_t)start_ns,
		.end = (uint64_t)end_ns,
		.correlationId = correlation,
		.contextId = 1,
		.streamId = UINT32_MAX};
	emit(&r);
}

/* ---- CUPTI's functions ---- */

CUptiResult cuptiGetVersion(uint32_t *version)
{
	*version = 130001;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	(void)result;
	*text = "a fake failure of CUPTI";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t number, const char **name)
{
	static const struct {
		CUpti_CallbackDomain domain;
		uint32_t number;
		const char *name;
	} names[] = {
		{CUPTI_CB_DOMAIN_RUNTIME_API, 20, "cudaMalloc_v3020"},
		{CUPTI_CB_DOMAIN_RUNTIME_API, 22, "cudaFree_v3020"},
		{CUPTI_CB_DOMAIN_RUNTIME_API, 41, "cudaMemcpyAsync_v3020"},
		{CUPTI_CB_DOMAIN_RUNTIME_API, 131, "cudaStreamSynchronize_v3020"},
		{CUPTI_CB_DOMAIN_RUNTIME_API, 165, "cudaDeviceSynchronize_v3020"},
		{CUPTI_CB_DOMAIN_RUNTIME_API, 211, "cudaLaunchKernel_v7000"},
		{CUPTI_CB_DOMAIN_RUNTIME_API, 311, "cudaGraphLaunch_v10000"},
		{CUPTI_CB_DOMAIN_DRIVER_API, 307, "cuLaunchKernel"},
		{CUPTI_CB_DOMAIN_DRIVER_API, 652, "cuLaunchKernelEx"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].domain == domain && names[i].number == number) {
			*name = names[i].name;
			return CUPTI_SUCCESS;
		}
	return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
	void *data, CUpti_SubscriberParams *params)
{
	(void)callback, (void)data;
	*subscriber = NULL;
	if (!fake_is("cupti"))
		return CUPTI_SUCCESS;
	strncpy(params->oldSubscriberName, "CUPTI for somebody", params->oldSubscriberSize - 1);
	return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
	(void)subscriber;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
	return type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM ? CUPTI_SUCCESS
							    : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetTimestamp(uint64_t *now_ns)
{
	*now_ns = (uint64_t)fake_now_ns();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(
	CUpti_BuffersCallbackRequestFunc wanted, CUpti_BuffersCallbackCompleteFunc full)
{
	cupti.wanted = wanted;
	cupti.full = full;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute number, size_t *bytes, void *value)
{
	(void)number, (void)bytes, (void)value;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	cupti.enabled[kind] = true;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	cupti.enabled[kind] = false;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	(void)flag;
	deliver();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, CUpti_Activity **record)
{
	uint8_t *next = buffer;
	CUpti_ActivityKind kind;
	if (*record) {
		memcpy(&kind, *record, sizeof kind);
		next = (uint8_t *)*record + record_bytes(kind);
	}
	if (next + sizeof kind > buffer + bytes)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)(void *)next;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
	(void)context, (void)stream;
	*dropped = fake_is("dropped") ? 7 : 0;
	return CUPTI_SUCCESS;
}

static int stack_of(CUpti_ExternalCorrelationKind kind)
{
	return kind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
	int i = stack_of(kind);
	if (cupti.depth[i] == DEPTH)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	cupti.external[i][cupti.depth[i]++] = id;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *id)
{
	int i = stack_of(kind);
	if (!cupti.depth[i])
		return CUPTI_ERROR_QUEUE_EMPTY;
	*id = cupti.external[i][--cupti.depth[i]];
	return CUPTI_SUCCESS;
}
