/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time went: each rule of the breakdown alone, on traces small enough to work out by
 * hand. tests/cli/report_breakdown.sh holds it against plain Python on real traces.
 */
#include "tests/unit/breakdown_world.h"

static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";
static const char to_device[] = "Memcpy HtoD (Pageable -> Device)";
static const char to_host[] = "Memcpy DtoH (Device -> Pageable)";
static const char loader[] = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

static void add_on(struct world *w, uint32_t track, enum event_kind kind, const char *name,
	double from_us, double to_us)
{
	made_add(&w->made, kind, name, from_us, to_us, 0)->track = track;
}

/* ---- the device ---- */

/* Computing 0-40, communication 30-70, copies 60-90 and 110-120. */
static void better_beats_worse(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "gemm", 0, 40);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 30, 70);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 60, 90);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 110, 120);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_GEMM), 40);
	assert_near(us(&p, TIME_COMMUNICATION), 30);
	assert_near(us(&p, TIME_COPIES), 30);
	assert_near(us(&p, TIME_UNKNOWN), 20);
	assert_int_equal(p.lack, LACK_HOST);
	assert_int_equal(p.headline, HEADLINE_COMPUTE);
	assert_false(p.solid);
}

/* A copy in the middle of a collective in the middle of a product, and one that outlasts both. */
static void what_is_hidden_costs_nothing(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "gemm", 10, 20);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 5, 40);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 0, 50);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_GEMM), 10);
	assert_near(us(&p, TIME_COMMUNICATION), 25);
	assert_near(us(&p, TIME_COPIES), 15);
}

/* The first that started has the time; at its end the first of those still running. */
static void the_first_that_started_wins(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "gemm", 0, 10);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, "elementwise_kernel", 1, 30);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "softmax", 2, 20);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "flash_fwd", 30, 35);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, "reduce_kernel", 30, 33);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_GEMM), 10);
	assert_near(us(&p, TIME_POINTWISE), 20);
	assert_near(us(&p, TIME_REDUCTION), 0);
	assert_near(us(&p, TIME_ATTENTION), 5);
}

static enum time_part part_of_kernel(const char *name)
{
	struct world w = {0};
	add_on(&w, MADE_STREAM, EVENT_KERNEL, name, 0, 10);
	world_seal(&w);
	enum time_part part = time_part_of(&w.a, 0);
	world_release(&w);
	return part;
}

static void kinds_of_kernels(void **state)
{
	(void)state;
	assert_int_equal(part_of_kernel("nvjet_tst_128x64"), TIME_GEMM);
	assert_int_equal(part_of_kernel("cublasLt::splitKreduce_kernel"), TIME_GEMM);
	assert_int_equal(part_of_kernel("sm90_xmma_fprop_implicit_gemm"), TIME_CONVOLUTION);
	assert_int_equal(part_of_kernel("pytorch_flash::flash_fwd_kernel"), TIME_ATTENTION);
	assert_int_equal(part_of_kernel("vectorized_layer_norm_kernel"), TIME_REDUCTION);
	assert_int_equal(part_of_kernel("triton_poi_fused_add_0"), TIME_POINTWISE);
	assert_int_equal(part_of_kernel("CatArrayBatchedCopy"), TIME_POINTWISE);
	assert_int_equal(part_of_kernel(all_reduce), TIME_COMMUNICATION);
	assert_int_equal(part_of_kernel("sort"), TIME_OTHER);
	assert_int_equal(part_of_kernel("cudnn::nchwToNhwcKernel"), TIME_POINTWISE);
	assert_int_equal(part_of_kernel("max_pool_backward_nchw"), TIME_REDUCTION);
}

/* ---- idle ---- */

/* One kernel from 10 to 20 us, one from 120 to 130, launched by a call from 110 to 115; what the
 * thread was in is added by the test. The first gap is 10 us of launching. */
static void two_kernels(struct world *w)
{
	world_launch(w, "gemm", 1, 0, 5, 10, 20);
	world_launch(w, "gemm", 2, 110, 115, 120, 130);
}

static void a_late_launch(void **state)
{
	TEST_WORLD(w);
	two_kernels(&w);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_LAUNCHING), 110);
	assert_int_equal(p.headline, HEADLINE_LAUNCH);
	assert_true(p.solid);
}

/* Only what of the gap lies in the loader is input; another thread's loader is none of it. */
static void data_are_awaited(void **state)
{
	TEST_WORLD(w);
	two_kernels(&w);
	add_on(&w, MADE_HOST, EVENT_ANNOTATION, loader, 15, 80);
	add_on(&w, MADE_OTHER_THREAD, EVENT_ANNOTATION, loader, 80, 105);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_INPUT), 60);
	assert_near(us(&p, TIME_LAUNCHING), 50);
	assert_int_equal(p.headline, HEADLINE_INPUT);
	uint32_t row = made_find(&w.made.trace, loader, 0);
	assert_int_equal(p.idle[1].part, TIME_INPUT);
	assert_int_equal(p.idle[1].row, row);
}

/* What gets data and computes with them is no input: an iterator over results. */
static void an_iterator_that_computes(void **state)
{
	TEST_WORLD(w);
	two_kernels(&w);
	add_on(&w, MADE_HOST, EVENT_PYTHON, "pipelines/pt_utils.py(124): __next__", 15, 140);
	add_on(&w, MADE_HOST, EVENT_PYTHON, "image_processing_utils.py(41): __call__", 30, 40);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_INPUT), 10);
	assert_near(us(&p, TIME_LAUNCHING), 100);
}

static void names_of_input(void **state)
{
	(void)state;
	assert_true(is_input_name(loader));
	assert_true(is_input_name("torch/utils/data/dataloader.py(631): __next__"));
	assert_true(is_input_name("video_classification.py(150): preprocess"));
	assert_true(is_input_name("tokenization_utils_base.py(2872): __call__"));
	assert_false(is_input_name("aten::index"));
	assert_false(is_input_name("torch/nn/modules/linear.py(114): forward"));
	assert_false(is_input_name("Optimizer.step#SGD.step"));
}

/* The host waits until the first kernel is over, and launches at once: a gap of cause sync. */
static void the_queue_ran_empty(void **state)
{
	TEST_WORLD(w);
	two_kernels(&w);
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 6, 22, 0);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_SYNC), 100);
	assert_near(us(&p, TIME_LAUNCHING), 10);
	assert_int_equal(p.headline, HEADLINE_SYNC);
	assert_int_equal(p.idle[1].row, made_find(&w.made.trace, "cudaDeviceSynchronize", 0));
}

/* The operator that waits is sync as a whole; one that also launches by others is not. */
static void an_operator_that_waits(void **state)
{
	(void)state;
	struct world w = {0};
	two_kernels(&w);
	made_add(&w.made, EVENT_OP, "aten::item", 40, 70, 0);
	made_add(&w.made, EVENT_OP, "aten::_local_scalar_dense", 42, 68, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaStreamSynchronize", 60, 66, 0);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_SYNC), 30);
	world_release(&w);

	w = (struct world){0};
	two_kernels(&w);
	made_add(&w.made, EVENT_OP, "model", 30, 118, 0);
	made_add(&w.made, EVENT_OP, "aten::mm", 108, 117, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaStreamSynchronize", 60, 66, 0);
	p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_SYNC), 6);
	world_release(&w);
}

/* A blocking copy from the device is a wait, one to the device brings input. */
static void blocking_copies(void **state)
{
	(void)state;
	for (int input = 0; input < 2; input++) {
		struct world w = {0};
		world_launch(&w, "gemm", 1, 0, 5, 10, 20);
		world_copy(&w, input ? to_device : to_host, "cudaMemcpyAsync", 2,
			(const double[]){40, 100, 90, 95});
		struct breakdown p = breakdown_of_world(&w);
		assert_near(us(&p, TIME_COPIES), 5);
		assert_near(us(&p, input ? TIME_INPUT : TIME_SYNC), 50); /* 40 to 90 */
		assert_near(us(&p, TIME_LAUNCHING), 30);
		world_release(&w);
	}
}

/* Freeing waits for the device; only the call, not the operator around it. */
static void freeing_waits(void **state)
{
	(void)state;
	static const char *const names[] = {"cudaFree", "cudaFreeAsync"};
	for (int async = 0; async < 2; async++) {
		struct world w = {0};
		two_kernels(&w);
		made_add(&w.made, EVENT_OP, "aten::empty", 30, 90, 0);
		made_add(&w.made, EVENT_RUNTIME, names[async], 40, 70, 0);
		struct breakdown p = breakdown_of_world(&w);
		assert_near(us(&p, TIME_SYNC), async ? 0 : 30);
		world_release(&w);
	}
}

/* An operator that is long because of a call that frees is no stall, however long that is. */
static void freeing_stalls(void **state)
{
	TEST_WORLD(w);
	two_kernels(&w);
	for (int i = 0; i < 6; i++)
		made_add(&w.made, EVENT_OP, "aten::empty", 21 + 0.2 * i, 21.1 + 0.2 * i, 0);
	made_add(&w.made, EVENT_OP, "aten::empty", 40, 100, 0);
	for (int i = 0; i < 6; i++)
		made_add(&w.made, EVENT_RUNTIME, "cudaFree", 24 + 2 * i, 25 + 2 * i, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaFree", 40.5, 99.5, 0);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_SYNC), 65);
	assert_int_equal(p.n_stalls, 0);
}

/* ---- stalls ---- */

enum { CALLS = 6 };

/* Calls of 1 us, the last but one `long_us`; all in one gap of the device, at 20 us and after. */
static void add_calls(
	struct world *w, enum event_kind kind, const char *name, double long_us, int n)
{
	double at = 22;
	for (int i = 0; i < n; i++) {
		double length = i == n - 2 ? long_us : 1;
		made_add(&w->made, kind, name, at, at + length, 0);
		at += length + 1;
	}
}

static double stalled_us(enum event_kind kind, const char *name, double long_us, int n)
{
	struct world w = {0};
	two_kernels(&w);
	add_calls(&w, kind, name, long_us, n);
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.n_stalls, us(&p, TIME_STALL) > 0);
	for (size_t i = 0; i < p.n_stalls; i++)
		assert_int_equal(p.stalls[i].idle_ns, p.whole.ns[TIME_STALL]);
	double result = us(&p, TIME_STALL);
	world_release(&w);
	return result;
}

static void a_call_twenty_times_its_median(void **state)
{
	(void)state;
	assert_near(stalled_us(EVENT_OP, "aten::conv2d", 20, CALLS), 20);
	assert_near(stalled_us(EVENT_OP, "aten::conv2d", 19.999, CALLS), 0);
	assert_near(stalled_us(EVENT_RUNTIME, "cudaMalloc", 50, CALLS), 50);
	assert_near(stalled_us(EVENT_PYTHON, "<built-in method conv2d>", 50, CALLS), 50);
	/* a wait is no stall, a range neither; nor is a median of few */
	assert_near(stalled_us(EVENT_RUNTIME, "cudaStreamSynchronize", 50, CALLS), 0);
	assert_near(stalled_us(EVENT_ANNOTATION, "range", 50, CALLS), 0);
	assert_near(stalled_us(EVENT_OP, "aten::conv2d", 50, STALL_CALLS), 50);
	assert_near(stalled_us(EVENT_OP, "aten::conv2d", 50, STALL_CALLS - 1), 0);
}

/* The call around a stall is none; one that has as much again is. */
static void stalls_in_stalls(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		struct world w = {0};
		two_kernels(&w);
		for (int i = 0; i < CALLS; i++) {
			double at = 20 + 3 * i, more = i == CALLS - 1 ? 30 : 0;
			made_add(&w.made, EVENT_OP, "outer", at, at + 2 + more + own * more, 0);
			made_add(&w.made, EVENT_OP, "inner", at + 0.5, at + 1.5 + more, 0);
		}
		struct breakdown p = breakdown_of_world(&w);
		assert_int_equal(p.n_stalls, 1);
		assert_near(us(&p, TIME_STALL), 31);
		world_release(&w);
	}
	struct world w = {0};
	two_kernels(&w);
	for (int i = 0; i < CALLS; i++) {
		double at = 20 + 2 * i, more = i == CALLS - 1 ? 30 : 0;
		made_add(&w.made, EVENT_OP, "outer", at, at + 1.25 + 2 * more, 0);
		made_add(&w.made, EVENT_OP, "inner", at + 0.125, at + 1.125 + more, 0);
	}
	struct breakdown p = breakdown_of_world(&w);
	assert_int_equal(p.n_stalls, 1); /* the outer one tells both */
	assert_int_equal(p.stalls[0].row, made_find(&w.made.trace, "outer", CALLS - 1));
	assert_near(us(&p, TIME_STALL), 61.25);
	world_release(&w);
}

/* Long because others are in it: itself, or for a function and an operator what it calls. */
static void containers_do_not_stall(void **state)
{
	(void)state;
	static const char *const names[] = {"module.py: _call_impl", "aten::linear"};
	for (int nested = 0; nested < 2; nested++) {
		struct world w = {0};
		two_kernels(&w);
		made_add(&w.made, EVENT_PYTHON, "module.py: _call_impl", 21, 100, 0);
		for (int i = 0; i < CALLS; i++)
			made_add(&w.made, EVENT_PYTHON, "module.py: _call_impl", 22 + 12 * i,
				nested ? 23 + 12 * i : 33 + 12 * i, 0);
		for (int i = 0; i < 5 * CALLS; i++)
			made_add(&w.made, EVENT_OP, names[1], 110.1 + 0.1 * i, 110.15 + 0.1 * i, 0);
		struct breakdown p = breakdown_of_world(&w);
		assert_int_equal(p.n_stalls, 0);
		world_release(&w);
	}
	for (int op = 0; op < 2; op++) {
		enum event_kind kind = op ? EVENT_OP : EVENT_PYTHON;
		struct world w = {0};
		two_kernels(&w);
		for (int i = 0; i < CALLS; i++)
			made_add(&w.made, kind, "wrapper", 21 + 2 * i, 22 + 2 * i, 0);
		made_add(&w.made, kind, "wrapper", 40, 100, 0);
		for (int i = 0; i < 6; i++)
			made_add(&w.made, EVENT_OP, "aten::add", 41 + 9 * i, 49 + 9 * i, 0);
		struct breakdown p = breakdown_of_world(&w);
		assert_int_equal(p.n_stalls, 0);
		world_release(&w);
	}
}

/* ---- in front of the first event, and behind the last ---- */

static void the_host_brings_the_first_event(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#3", 0, 200, 0);
	add_on(&w, MADE_HOST, EVENT_ANNOTATION, loader, 10, 60);
	world_launch(&w, "gemm", 1, 80, 85, 90, 150);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_INPUT), 50);
	assert_near(us(&p, TIME_LAUNCHING), 40);
	assert_near(us(&p, TIME_AFTER), 50);
	assert_near(us(&p, TIME_GEMM), 60);
}

/* Launched long before it began, with nothing before it in the file: what ran is not recorded. */
static void unrecorded_work_comes_first(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "gemm", 1, 0, 5, 500, 600);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_BEFORE), 500);
	assert_int_equal(p.headline, HEADLINE_UNSEEN);
}

static void launched_before_the_file_begins(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#3", 0, 90, 0);
	made_add(&w.made, EVENT_KERNEL, "gemm", 10, 20, 98);
	made_add(&w.made, EVENT_KERNEL, "gemm", 25, 30, 99);
	world_launch(&w, "gemm", 1, 12, 15, 32, 40);
	made_add(&w.made, EVENT_KERNEL, "gemm", 45, 50, 100);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_BEFORE), 15);
	assert_near(us(&p, TIME_LAUNCHING), 2);
	assert_near(us(&p, TIME_UNKNOWN), 5);
	assert_near(us(&p, TIME_AFTER), 40);
}

/* Queued in time: what passes between the events is the device's; long ones nobody explains. */
static void handed_over(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "gemm", 1, 0, 1, 5, 50);
	world_launch(&w, "gemm", 2, 2, 3, 52, 100);
	world_launch(&w, "gemm", 3, 4, 5, 200, 210);
	struct breakdown p = breakdown_of_world(&w);
	assert_near(us(&p, TIME_LAUNCHING), 7);
	assert_int_equal(p.whole.launch_gap_ns, 2000);
	assert_near(us(&p, TIME_UNKNOWN), 100);
}

/* Two devices are idle when both are, for the reason of the one that works next: the other's gap is
 * another one of idle_causes.h. */
static void several_devices_are_one(void **state)
{
	TEST_WORLD(w);
	world_launch(&w, "gemm", 1, 0, 5, 10, 50);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 5, 8, 2);
	made_add(&w.made, EVENT_KERNEL, "softmax", 30, 80, 2)->track = MADE_STREAM2;
	made_add(&w.made, EVENT_RUNTIME, "cudaStreamSynchronize", 40, 84, 0);
	world_launch(&w, "gemm", 3, 85, 88, 90, 100);
	struct trace *t = (struct trace *)made_seal(&w.made);
	t->tracks[MADE_STREAM].pid = 1;
	w.a = analysis_of(&w.arena, t);
	struct idle_causes l = idle_causes_of(&w.arena, &w.a);
	assert_int_equal(l.n_devices, 2);
	struct breakdown p = breakdown_of(&w.arena, &w.a, &l);
	assert_breakdown(&p, &w.a, &l);
	assert_near(us(&p, TIME_GEMM), 50);
	assert_near(us(&p, TIME_REDUCTION), 30);
	assert_near(us(&p, TIME_LAUNCHING), 10);
	assert_near(us(&p, TIME_SYNC), 10);
	assert_int_equal(p.idle[0].row, t->launch[made_find(t, "gemm", 0)]);
	assert_int_equal(p.idle[1].row, made_find(t, "cudaStreamSynchronize", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(better_beats_worse),
		cmocka_unit_test(what_is_hidden_costs_nothing),
		cmocka_unit_test(the_first_that_started_wins),
		cmocka_unit_test(kinds_of_kernels),
		cmocka_unit_test(a_late_launch),
		cmocka_unit_test(data_are_awaited),
		cmocka_unit_test(an_iterator_that_computes),
		cmocka_unit_test(names_of_input),
		cmocka_unit_test(the_queue_ran_empty),
		cmocka_unit_test(an_operator_that_waits),
		cmocka_unit_test(blocking_copies),
		cmocka_unit_test(freeing_waits),
		cmocka_unit_test(freeing_stalls),
		cmocka_unit_test(a_call_twenty_times_its_median),
		cmocka_unit_test(stalls_in_stalls),
		cmocka_unit_test(containers_do_not_stall),
		cmocka_unit_test(the_host_brings_the_first_event),
		cmocka_unit_test(unrecorded_work_comes_first),
		cmocka_unit_test(launched_before_the_file_begins),
		cmocka_unit_test(handed_over),
		cmocka_unit_test(several_devices_are_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
