/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's records into spans: streams made of the real structs, walked by the
 * installed libcupti, which needs no driver for it. */
#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "tests/unit/cuda_records.h"

static void test_every_record_is_a_span(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	assert_int_equal(r->decoder.records, 16);
	assert_int_equal(r->decoder.n, 12); /* all but four external ids */
	assert_int_equal(r->decoder.unknown, 0);
	assert_int_equal(r->decoder.zero_stamped, 0);
	assert_int_equal(r->decoder.early, 0);
	assert_int_equal(r->decoder.orphans, 0);
	for (size_t i = 1; i < r->decoder.n; i++)
		assert_true(r->decoder.span[i - 1].start_ns <= r->decoder.span[i].start_ns);
	rig_free(r);
}

static void test_kernels(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	const struct span *s =
		find(r, SPAN_KERNEL, "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT");
	const struct span_kernel *k = s->facts->kernel;
	assert_true(s->start_ns == T0 + 10500 && s->end_ns == T0 + 29000);
	assert_int_equal(s->thread, 7);
	assert_int_equal(s->correlation, 11);
	assert_int_equal(s->external, 5);
	assert_int_equal(s->facts->range, 2);
	assert_int_equal(s->facts->context, 1);
	assert_int_equal(s->facts->graph, 3);
	assert_true(s->facts->graph_node == 12884901889u);
	assert_int_equal(k->registers, 168);
	assert_int_equal(k->static_shared_bytes + k->dynamic_shared_bytes, 213024);
	assert_int_equal(k->grid[0], 132);
	assert_int_equal(k->block[0], 384);
	assert_int_equal(k->cluster[0], 2);
	assert_int_equal(k->kineto_occupancy_pct, 0);
	assert_int_equal(k->occupancy_pct, 19);
	/* demangled */
	find(r, SPAN_KERNEL, "addK(float*, float*, long)");
	rig_free(r);
}

static void test_copies_fills_and_waits(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	const struct span *copy = find(r, SPAN_COPY, "Memcpy DtoD (Device -> Device)");
	assert_int_equal(copy->bytes, 33554432);
	/* its own number belongs to no call, the runtime's does */
	assert_int_equal(copy->correlation, 13);
	assert_int_equal(find(r, SPAN_FILL, "Memset (Device)")->bytes, 4096);
	const struct span *wait = find(r, SPAN_WAIT, "Context Sync");
	assert_int_equal(wait->thread, UINT32_MAX);
	assert_string_equal(wait->facts->wait, "Context Sync");
	const struct span *request = find(r, SPAN_OVERHEAD, "Activity Buffer Request");
	assert_int_equal(request->thread, 77);
	rig_free(r);
}

static void test_calls(void **state)
{
	(void)state;
	struct rig *r = rig_decoded();
	assert_int_equal(find(r, SPAN_LAUNCH, "cudaLaunchKernel")->facts->call, 211);
	assert_int_equal(find(r, SPAN_LAUNCH, "cudaLaunchKernel")->external, 6);
	assert_int_equal(find(r, SPAN_SYNC, "cudaDeviceSynchronize")->thread, 77);
	assert_int_equal(find(r, SPAN_DRIVER, "cuLaunchKernelEx")->facts->call, 652);
	find(r, SPAN_LAUNCH, "cudaMemcpyAsync");
	find(r, SPAN_LAUNCH, "cudaMemsetAsync");
	rig_free(r);
}

static void test_lost_and_odd_records(void **state)
{
	(void)state;
	struct rig *r = rig_new();
	CUpti_ActivityKernel10 lost = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .name = "x"};
	CUpti_ActivityMarker2 marker = {.kind = CUPTI_ACTIVITY_KIND_MARKER};
	put(&r->stream, &lost, sizeof lost);
	put(&r->stream, &marker, sizeof marker);
	put_call(&r->stream, CUPTI_ACTIVITY_KIND_RUNTIME, LAUNCH, 5000, 6000, 1);
	put_kernel(&r->stream, "early", 4000, 4500, 1);
	put_kernel(&r->stream, "orphan", 7000, 7500, 99);
	put_kernel(&r->stream, NULL, 8000, 8500, 1);
	decode_buffer(&r->decoder, r->stream.bytes, r->stream.n);
	decode_finish(&r->decoder);
	assert_int_equal(r->decoder.zero_stamped, 1);
	assert_int_equal(r->decoder.unknown, 1);
	assert_int_equal(r->decoder.early, 1);
	assert_int_equal(r->decoder.orphans, 1);
	assert_int_equal(r->decoder.n, 4);
	find(r, SPAN_KERNEL, "kernel without a name");
	/* counts stay, spans go */
	decoder_reset(&r->decoder);
	decode_finish(&r->decoder);
	assert_int_equal(r->decoder.n, 0);
	assert_int_equal(r->decoder.zero_stamped, 1);
	rig_free(r);
}

/* CUPTI's iterator stops at a cut record and at an unknown kind; the decoder keeps what came
 * before. */
static void test_damaged_buffers(void **state)
{
	(void)state;
	struct rig *r = rig_new();
	fill(&r->stream);
	decode_buffer(&r->decoder, r->stream.bytes, 0);
	assert_int_equal(r->decoder.records, 0);
	decode_buffer(&r->decoder, r->stream.bytes, sizeof(CUpti_ActivityKernel10) + 17);
	assert_int_equal(r->decoder.records, 1);
	uint32_t unknown = 200;
	memcpy(r->stream.bytes + sizeof(CUpti_ActivityKernel10), &unknown, sizeof unknown);
	decode_buffer(&r->decoder, r->stream.bytes, r->stream.n);
	assert_int_equal(r->decoder.records, 2);
	free(r->stream.overhead); /* it did not come so far */
	rig_free(r);
}

static void test_names_of_calls(void **state)
{
	(void)state;
	static const struct {
		const char *name, *stripped;
	} examples[] = {
		{"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
		{"cudaGraphInstantiateWithFlags_v11040", "cudaGraphInstantiateWithFlags"},
		{"cuLaunchKernelEx", "cuLaunchKernelEx"},
		{"cuMemAlloc_v2", "cuMemAlloc_v2"},
		{"cudaGetDeviceProperties_v2_v12000", "cudaGetDeviceProperties_v2"},
		{"a_vx000", "a_vx000"},
		{"", ""},
	};
	char text[128];
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		decode_strip_version(text, sizeof text, examples[i].name);
		assert_string_equal(text, examples[i].stripped);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_record_is_a_span),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_copies_fills_and_waits),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_lost_and_odd_records),
		cmocka_unit_test(test_damaged_buffers),
		cmocka_unit_test(test_names_of_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
