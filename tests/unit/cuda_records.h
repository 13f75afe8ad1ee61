/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_records.h - CUPTI's records as it hands them over, made of the real structs, and a decoder
 * that reads them by the installed libcupti, which needs no driver for it.
 */
#ifndef TESTS_UNIT_CUDA_RECORDS_H
#define TESTS_UNIT_CUDA_RECORDS_H

#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "experiments/cuda/decode.h"
#include "tests/unit/gpu_properties.h"

#include <cmocka.h>

#define T0 INT64_C(1759300074123456789)

/* ---- a stream of records ---- */

struct stream {
	_Alignas(8) uint8_t bytes[16384];
	size_t n;
	void *overhead; /* memory that goes with an overhead's record */
};

static inline void put(struct stream *s, const void *record, size_t bytes)
{
	assert_true(s->n + bytes <= sizeof s->bytes);
	memcpy(s->bytes + s->n, record, bytes);
	s->n += bytes;
}

static inline void put_call(struct stream *s, CUpti_ActivityKind kind, uint32_t cbid, int64_t start,
	int64_t end, uint32_t correlation)
{
	CUpti_ActivityAPI r = {.kind = kind,
		.cbid = cbid,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.processId = 4242,
		.threadId = 77,
		.correlationId = correlation};
	put(s, &r, sizeof r);
}

static inline void put_kernel(
	struct stream *s, const char *name, int64_t start, int64_t end, uint32_t correlation)
{
	CUpti_ActivityKernel10 r = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		.registersPerThread = 168,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.contextId = 1,
		.streamId = 7,
		.gridX = 132,
		.gridY = 1,
		.gridZ = 1,
		.blockX = 384,
		.blockY = 1,
		.blockZ = 1,
		.staticSharedMemory = 1024,
		.dynamicSharedMemory = 212000,
		.correlationId = correlation,
		.name = name,
		.graphId = 3,
		.graphNodeId = 12884901889,
		.clusterX = 2,
		.clusterY = 1,
		.clusterZ = 1};
	put(s, &r, sizeof r);
}

static inline void put_copy(struct stream *s, int64_t start, int64_t end, uint32_t correlation,
	uint32_t runtime_correlation)
{
	CUpti_ActivityMemcpy6 r = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
		.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD,
		.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.bytes = 33554432,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.contextId = 1,
		.streamId = 7,
		.correlationId = correlation,
		.runtimeCorrelationId = runtime_correlation};
	put(s, &r, sizeof r);
}

static inline void put_fill(struct stream *s, int64_t start, int64_t end, uint32_t correlation)
{
	CUpti_ActivityMemset4 r = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
		.bytes = 4096,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.contextId = 1,
		.streamId = 7,
		.correlationId = correlation,
		.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE};
	put(s, &r, sizeof r);
}

static inline void put_external(
	struct stream *s, CUpti_ExternalCorrelationKind kind, uint64_t id, uint32_t correlation)
{
	CUpti_ActivityExternalCorrelation r = {.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
		.externalKind = kind,
		.externalId = id,
		.correlationId = correlation};
	put(s, &r, sizeof r);
}

static inline void put_wait(struct stream *s, int64_t start, int64_t end, uint32_t correlation)
{
	CUpti_ActivitySynchronization2 r = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
		.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE,
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.correlationId = correlation,
		.contextId = 1,
		.streamId = UINT32_MAX};
	put(s, &r, sizeof r);
}

static inline void put_overhead(
	struct stream *s, CUpti_ActivityOverheadKind kind, int64_t start, int64_t end)
{
	CUpti_ActivityOverhead3 r = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
		.overheadKind = kind,
		.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
		.objectId = {.pt = {4242, 77}},
		.start = (uint64_t)(T0 + start),
		.end = (uint64_t)(T0 + end),
		.correlationId = 11,
		.overheadData = malloc(8)}; /* the decoder must free it */
	s->overhead = r.overheadData;
	put(s, &r, sizeof r);
}

/* Numbers of functions, from the toolkit's headers. */
enum {
	LAUNCH = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
	COPY = CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
	SYNCHRONIZE = CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
	LAUNCH_EX = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx
};

/* A step as cuBLAS and the runtime make it; GPU work first, as it may come. */
static inline void fill(struct stream *s)
{
	put_kernel(s, "_Z4addKPfS_l", 30000, 54192, 12);
	put_copy(s, 56000, 89000, 1013, 13);
	put_fill(s, 90000, 91000, 14);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 5, 11);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 2, 11);
	put_call(s, CUPTI_ACTIVITY_KIND_DRIVER, LAUNCH_EX, 3020, 8133, 11);
	put_overhead(s, CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, 3100, 7000);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 6, 12);
	put_external(s, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 2, 12);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, LAUNCH, 12020, 14000, 12);
	put_call(s, CUPTI_ACTIVITY_KIND_DRIVER, LAUNCH_EX, 12500, 13500, 12);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, COPY, 15000, 16000, 13);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, 51, 17000, 18000, 14); /* cudaMemsetAsync */
	put_kernel(s, "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", 10500, 29000, 11);
	put_call(s, CUPTI_ACTIVITY_KIND_RUNTIME, SYNCHRONIZE, 20000, 92000, 15);
	put_wait(s, 20100, 91500, 15);
}

/* ---- decoding it ---- */

struct rig {
	struct arena arena;
	struct names names;
	struct cupti_api cupti;
	struct decoder decoder;
	struct stream stream;
};

static inline struct rig *rig_new(void)
{
	struct rig *r = calloc(1, sizeof *r);
	struct err err = {0};
	names_init(&r->names);
	if (cupti_api_open(&r->cupti, &r->arena, &err)) {
		print_message("%s\n", err.text);
		names_release(&r->names);
		free(r);
		skip();
	}
	decoder_init(&r->decoder, &r->cupti, &h200, &r->arena, &r->names);
	return r;
}

static inline void rig_free(struct rig *r)
{
	decoder_release(&r->decoder);
	names_release(&r->names);
	arena_release(&r->arena);
	free(r);
}

static inline struct rig *rig_decoded(void)
{
	struct rig *r = rig_new();
	fill(&r->stream);
	decode_buffer(&r->decoder, r->stream.bytes, r->stream.n);
	decode_finish(&r->decoder);
	return r;
}

static inline const struct span *find(const struct rig *r, enum span_kind kind, const char *name)
{
	for (size_t i = 0; i < r->decoder.n; i++)
		if (r->decoder.span[i].kind == kind && !strcmp(r->decoder.span[i].name, name))
			return &r->decoder.span[i];
	fail_msg("no span %s", name);
	return NULL;
}

#endif
#endif
