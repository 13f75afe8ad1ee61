/* SPDX-License-Identifier: Apache-2.0 */
/* The cuda device on a GPU that is none: what it records, its graphs, and how it fails. */
#include "tests/unit/cuda_rig.h"

#ifdef CUDA_TESTS

#include <unistd.h>

/* ---- records ---- */

static const struct span *find(
	const struct span *span, size_t n, enum span_kind kind, const char *name, size_t nth)
{
	for (size_t i = 0; i < n; i++)
		if (span[i].kind == kind && strstr(span[i].name, name) && !nth--)
			return &span[i];
	return NULL;
}

static void test_records(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "");
	struct array x = array_new(&r, 64, DTYPE_F32, 1), y = array_new(&r, 64, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	r.recorder.n = 0;
	call->record(r.device, true);
	call->enter(r.device, SCOPE_RANGE, 7);
	call->enter(r.device, SCOPE_OPERATOR, 41);
	ok(&r, call->pointwise(r.device, &p, &r.err));
	call->enter(r.device, SCOPE_OPERATOR, 42);
	ok(&r, call->copy(r.device, y.memory, x.memory, 256, &r.err));
	call->leave(r.device, SCOPE_OPERATOR);
	call->leave(r.device, SCOPE_OPERATOR);
	call->leave(r.device, SCOPE_RANGE);
	ok(&r, call->synchronise(r.device, &r.err));
	call->record(r.device, false);
	ok(&r, call->pointwise(r.device, &p, &r.err)); /* unseen */
	const struct span *span = call->drain(r.device, &n, &dropped);
	const struct span *kernel = find(span, n, SPAN_KERNEL, "tracebook_square_fp32", 0);
	const struct span *launch = find(span, n, SPAN_LAUNCH, "cudaLaunchKernel", 0);
	const struct span *copy = find(span, n, SPAN_COPY, "Memcpy DtoD (Device -> Device)", 0);
	assert_non_null(kernel);
	assert_non_null(launch);
	assert_non_null(copy);
	assert_null(find(span, n, SPAN_KERNEL, "", 1));
	assert_int_equal(kernel->correlation, launch->correlation);
	assert_int_equal(kernel->external, 41);
	assert_int_equal(launch->external, 41);
	assert_int_equal(copy->external, 42);
	assert_int_equal(copy->facts->range, 7);
	assert_int_equal(copy->bytes, 256);
	assert_int_equal(launch->thread, gettid());
	assert_int_equal(kernel->facts->kernel->block[0], 128);
	assert_non_null(find(span, n, SPAN_SYNC, "cudaDeviceSynchronize", 0));
	assert_non_null(find(span, n, SPAN_WAIT, "Context Sync", 0));
	/* one reading when it starts, one when it stops; the power is not told */
	assert_int_equal(find(span, n, SPAN_SAMPLE, "SM clock (MHz)", 1)->bytes, 1980);
	assert_null(find(span, n, SPAN_SAMPLE, "power", 0));
	/* calls are CUPTI's to tell */
	assert_null(find(r.recorder.span, r.recorder.n, SPAN_LAUNCH, "", 0));
	call->drain(r.device, &n, &dropped);
	assert_int_equal(n, 0);
	array_free(&r, &x);
	array_free(&r, &y);
	rig_close(&r);
}

/* Ids that were open when recording stopped are gone, and their end does no harm. */
static void test_ids_across_recordings(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "");
	struct array x = array_new(&r, 64, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	call->enter(r.device, SCOPE_OPERATOR, 1);
	call->record(r.device, true);
	call->enter(r.device, SCOPE_OPERATOR, 2);
	call->record(r.device, false);
	call->drain(r.device, &n, &dropped);
	call->record(r.device, true);
	ok(&r, call->pointwise(r.device, &p, &r.err));
	call->leave(r.device, SCOPE_OPERATOR);
	call->leave(r.device, SCOPE_OPERATOR);
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	assert_int_equal(find(span, n, SPAN_KERNEL, "square", 0)->external, 0);
	array_free(&r, &x);
	rig_close(&r);
}

static void test_without_cupti(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	struct device_info info;
	rig_open(&r, "cupti");
	ok(&r, r.device ? 0 : -1);
	struct array x = array_new(&r, 64, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	r.recorder.n = 0;
	call->record(r.device, true);
	ok(&r, call->pointwise(r.device, &p, &r.err));
	ok(&r, call->synchronise(r.device, &r.err));
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	assert_null(find(span, n, SPAN_KERNEL, "", 0));
	assert_non_null(find(r.recorder.span, r.recorder.n, SPAN_LAUNCH, "cudaLaunchKernel", 0));
	assert_non_null(find(r.recorder.span, r.recorder.n, SPAN_SYNC, "cudaDeviceSynchronize", 0));
	call->info(r.device, &info);
	for (int i = 0; i < info.n_facts; i++)
		if (!strcmp(info.fact[i].name, "Recorder")) {
			assert_non_null(strstr(info.fact[i].value, "CUPTI for somebody"));
			array_free(&r, &x);
			rig_close(&r);
			return;
		}
	fail_msg("nothing says why there is no GPU work");
}

static void test_dropped_records(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "dropped");
	call->record(r.device, true);
	call->record(r.device, false);
	call->drain(r.device, &n, &dropped);
	assert_int_equal(dropped, 7);
	rig_close(&r);
}

/* More records than a buffer holds, in their order. */
static void test_many_records(void **state)
{
	(void)state;
	enum { LAUNCHES = 40000 };
	struct rig r;
	size_t n, dropped, kernels_seen = 0;
	uint64_t last = 0;
	rig_open(&r, "");
	struct array x = array_new(&r, 1, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	call->record(r.device, true);
	for (int i = 0; i < LAUNCHES; i++)
		ok(&r, call->pointwise(r.device, &p, &r.err));
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	for (size_t i = 0; i < n; i++)
		if (span[i].kind == SPAN_KERNEL) {
			kernels_seen++;
			assert_true(span[i].correlation > last);
			last = span[i].correlation;
		}
	assert_int_equal(kernels_seen, LAUNCHES);
	array_free(&r, &x);
	rig_close(&r);
}

/* ---- graphs ---- */

static void test_graphs(void **state)
{
	(void)state;
	struct rig r;
	size_t n, dropped;
	rig_open(&r, "");
	struct array x = array_new(&r, 100, DTYPE_F32, 1), y = array_new(&r, 100, DTYPE_F32, 2);
	struct device_pointwise p = squares(&x);
	ok(&r, call->capture_begin(r.device, &r.err));
	ok(&r, call->copy(r.device, x.memory, y.memory, 400, &r.err));
	ok(&r, call->pointwise(r.device, &p, &r.err));
	struct device_graph *g = call->capture_end(r.device, &r.err);
	assert_non_null(g);
	double *got = array_got(&r, &x);
	near(got, x.value, 100, 0); /* nothing ran yet */
	free(got);
	r.recorder.n = 0;
	call->record(r.device, true);
	ok(&r, call->graph_launch(r.device, g, &r.err));
	assert_non_null(find(r.recorder.span, r.recorder.n, SPAN_SETUP, "instantiate", 0));
	r.recorder.n = 0;
	ok(&r, call->graph_launch(r.device, g, &r.err));
	assert_int_equal(r.recorder.n, 0);
	ok(&r, call->synchronise(r.device, &r.err));
	call->record(r.device, false);
	const struct span *span = call->drain(r.device, &n, &dropped);
	const struct span *launch = find(span, n, SPAN_LAUNCH, "cudaGraphLaunch", 1);
	const struct span *kernel = find(span, n, SPAN_KERNEL, "square", 1);
	assert_int_equal(launch->correlation, kernel->correlation);
	assert_int_equal(kernel->facts->graph, find(span, n, SPAN_COPY, "", 1)->facts->graph);
	assert_true(kernel->facts->graph != 0 && kernel->facts->graph_node != 0);
	got = array_got(&r, &x);
	for (size_t i = 0; i < 100; i++)
		y.value[i] *= y.value[i];
	near(got, y.value, 100, limit(DTYPE_F32));
	free(got);
	call->graph_free(r.device, g);
	array_free(&r, &x);
	array_free(&r, &y);
	rig_close(&r);
}

static void test_graph_mistakes(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	assert_null(call->capture_end(r.device, &r.err));
	says(&r, "none was begun");
	r.err = (struct err){0};
	ok(&r, call->capture_begin(r.device, &r.err));
	assert_int_equal(call->capture_begin(r.device, &r.err), -1);
	says(&r, "already going on");
	r.err = (struct err){0};
	assert_int_equal(call->synchronise(r.device, &r.err), -1);
	says(&r, "end the capture first");
	/* closing with an open capture frees it */
	rig_close(&r);
}

/* ---- failures ---- */

static void test_no_gpu(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "nodevice");
	assert_null(r.device);
	says(&r, "there is no GPU");
	rig_close(&r);
}

static void test_no_memory(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "nomemory");
	assert_null(call->alloc(r.device, 2 << 20, &r.err));
	says(&r, "no memory for 2097152 bytes on the GPU: 1048576 of 150754820096 are free");
	rig_close(&r);
}

static void test_failing_calls(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, "");
	struct array x = array_new(&r, 4, DTYPE_F32, 1);
	struct device_pointwise p = squares(&x);
	setenv("FAKE_CUDA", "launch", 1);
	assert_int_equal(call->pointwise(r.device, &p, &r.err), -1);
	says(&r, "tracebook_square_fp32: CUDA says");
	r.err = (struct err){0};
	setenv("FAKE_CUDA", "fault", 1);
	assert_int_equal(call->synchronise(r.device, &r.err), -1);
	says(&r, "waiting for the GPU");
	r.err = (struct err){0};
	setenv("FAKE_CUDA", "", 1);
	assert_int_equal(call->copy(r.device, x.memory, x.memory, 4, &r.err), -1);
	says(&r, "the same memory");
	r.err = (struct err){0};
	assert_int_equal(call->upload(r.device, x.memory, &x, 17, &r.err), -1);
	says(&r, "upload of 17 bytes: the memory has 16");
	array_free(&r, &x);
	rig_close(&r);
}

static void test_facts(void **state)
{
	(void)state;
	struct rig r;
	struct device_info info;
	char all[8192] = "";
	rig_open(&r, "");
	call->info(r.device, &info);
	call->info(r.device, &info); /* again: the same */
	assert_string_equal(info.name, "fake GPU (tests)");
	assert_string_equal(info.runtime, "CUDA 13.0");
	assert_string_equal(info.isa, "sm_90");
	assert_true(info.bf16_native);
	assert_int_equal(info.properties->multiprocessors, 132);
	for (int i = 0; i < info.n_facts; i++) {
		strncat(all, info.fact[i].name, sizeof all - strlen(all) - 1);
		strncat(all, "=", sizeof all - strlen(all) - 1);
		strncat(all, info.fact[i].value, sizeof all - strlen(all) - 1);
		strncat(all, "\n", sizeof all - strlen(all) - 1);
	}
	static const char *const wanted[] = {"Multiprocessors=132\n", "GPU memory=140.4 GiB\n",
		"CUDA of the driver=13.0 (", "Recorder=CUPTI 130001 (", "cuBLASLt=130100 (",
		"NVRTC=13.0 (", "NVIDIA driver=999.99 (fake)\n",
		"Highest clocks=SM 1980 MHz, memory 3201 MHz\n"};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!strstr(all, wanted[i]))
			fail_msg("\"%s\" is not in\n%s", wanted[i], all);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_ids_across_recordings),
		cmocka_unit_test(test_without_cupti),
		cmocka_unit_test(test_dropped_records),
		cmocka_unit_test(test_many_records),
		cmocka_unit_test(test_graphs),
		cmocka_unit_test(test_graph_mistakes),
		cmocka_unit_test(test_no_gpu),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_failing_calls),
		cmocka_unit_test(test_facts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
