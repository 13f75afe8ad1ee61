/* SPDX-License-Identifier: Apache-2.0 */
/* The field's findings and those of health: one trace where each must fire and one where it must
 * not. */
#include "tests/unit/detecting.h"

/* ---- idle ---- */

/* Kernels of 10 us every 50: each is launched when the one before it is long over. */
static void host_too_late(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::item", 0, 190, 0);
	for (uint32_t i = 0; i < 4; i++)
		launch(&w, GEMM, 50 * i, 50 * i + 5, 50 * i + 15, i + 1);
	seal(&w);
	detect_world(&w);
	assert_fired_as(&w, "IDLE-HOST", REASON_EXPLAINED);
	/* window 0 to 165: three gaps of 40, of each 37 until the call of 2 us has returned, and
	 * the first call */
	assert_value(&w, "IDLE-HOST", "host", 3 * 37e3 + 2e3);
	assert_value(&w, "IDLE-HOST", "idle", 125e3);
	assert_text(&w, "IDLE-HOST", "during", "aten::item");
	assert_gives_back(&w, "IDLE-HOST", 113);
	assert_fired(&w, "UTIL-LOW");
	assert_value(&w, "UTIL-LOW", "busy", 40.0 / 165);
	assert_gives_back(&w, "UTIL-LOW", 125);
	/* Their place is the idle time, the longest stretch first. */
	static const char *const ids[] = {"IDLE-HOST", "UTIL-LOW"};
	for (int i = 0; i < 2; i++) {
		const struct finding *f = finding(&w, ids[i]);
		assert_int_equal(f->n_gaps, 4);
		assert_int_equal(f->gap[0].end_ns - f->gap[0].start_ns, 40000);
		assert_int_equal(f->gap[3].end_ns - f->gap[3].start_ns, 5000);
	}
}

static void device_kept_busy(void **state)
{
	(void)state;
	struct world w = {0};
	for (uint32_t i = 0; i < 4; i++)
		launch(&w, GEMM, 3 * i, 5 + 50 * i, 54 + 50 * i, i + 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "IDLE-HOST");
	assert_value(&w, "IDLE-HOST", "host", 2e3); /* the first call */
	assert_not_fired(&w, "UTIL-LOW");
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 10, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "IDLE-HOST", REASON_NO_DEVICE);
	assert_not_applicable(&w, "UTIL-LOW", REASON_NO_DEVICE);
	assert_not_applicable(&w, "LAUNCH-BOUND", REASON_NO_DEVICE);
	assert_not_applicable(&w, "HEALTH-UNLINKED", REASON_NO_DEVICE);
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_KERNEL, GEMM, 0, 10, 0);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "IDLE-HOST", REASON_NO_LINKS);
	assert_not_applicable(&w, "LAUNCH-BOUND", REASON_NO_LINKS);
	assert_not_applicable(&w, "LAUNCH-OUTLIER", REASON_NO_LINKS);
	world_release(&w);
}

/* ---- waits ---- */

/* Two steps of 100 us; each waits `wait` us for its kernel. */
static void steps_that_wait(struct world *w, double wait)
{
	static const char *const name[] = {"ProfilerStep#0", "ProfilerStep#1"};
	for (int i = 0; i < 2; i++) {
		double at = 100.0 * i;
		made_add(&w->made, EVENT_ANNOTATION, name[i], at, at + 100, 0);
		launch(w, GEMM, at + 5, at + 10, at + 20 + wait, (uint32_t)i + 1);
		made_add(&w->made, EVENT_OP, "aten::item", at + 18, at + 25 + wait, 0);
		made_add(&w->made, EVENT_RUNTIME, "cudaStreamSynchronize", at + 20, at + 20 + wait,
			0);
	}
	seal(w);
	detect_world(w);
}

static void waits_in_steps(void **state)
{
	(void)state;
	struct world w = {0};
	steps_that_wait(&w, 30);
	assert_fired(&w, "SYNC");
	assert_value(&w, "SYNC", "waits", 2);
	assert_value(&w, "SYNC", "time", 60e3);
	assert_value(&w, "SYNC", "share", 0.3);
	assert_text(&w, "SYNC", "caller", "aten::item");
	/* idle from 50 to 110, since the next launch came after the wait */
	assert_gives_back(&w, "SYNC", 60);
	world_release(&w);

	w = (struct world){0};
	steps_that_wait(&w, 8);
	assert_not_fired(&w, "SYNC");
	assert_value(&w, "SYNC", "share", 0.08);
	world_release(&w);
}

/* Without steps, the wait that ends the recording is no part of the work. */
static void last_wait_is_not_work(void **state)
{
	(void)state;
	struct world w = {0};
	launch(&w, GEMM, 0, 5, 105, 1);
	made_add(&w.made, EVENT_RUNTIME, "cudaDeviceSynchronize", 3, 106, 0);
	made_add(&w.made, EVENT_RUNTIME, "cudaEventQuery", 107, 108, 0);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "SYNC");
	assert_value(&w, "SYNC", "waits", 0);
	world_release(&w);

	w = (struct world){0};
	launch(&w, GEMM, 0, 5, 105, 1);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "SYNC", REASON_NO_SYNCS);
	world_release(&w);
}

/* A copy call that returns with its copy is a wait as any other, whatever its name. */
static void blocking_copies_are_waits(void **state)
{
	(void)state;
	static const struct {
		const char *call, *copy;
	} way[] = {{"cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)"},
		{"hipMemcpyWithStream", "CopyDeviceToHost"}};
	for (int k = 0; k < 2; k++) {
		struct world w = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
		launch(&w, GEMM, 5, 10, 50, 1);
		made_add(&w.made, EVENT_OP, "aten::nonzero", 18, 60, 0);
		made_add(&w.made, EVENT_RUNTIME, way[k].call, 20, 58, 2);
		made_add(&w.made, EVENT_MEMCPY, way[k].copy, 51, 54, 2);
		launch(&w, GEMM, 65, 70, 90, 3);
		seal(&w);
		detect_world(&w);
		assert_fired(&w, "SYNC");
		assert_value(&w, "SYNC", "waits", 1);
		assert_value(&w, "SYNC", "copies", 1);
		assert_value(&w, "SYNC", "time", 38e3);
		assert_text(&w, "SYNC", "caller", "aten::nonzero");
		assert_gives_back(&w, "SYNC", 16); /* from 54 to 70 */
		world_release(&w);
	}
}

/* ---- copies ---- */

static void pageable(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_OP, "aten::to", 0, 20, 0);
	copy(&w, "Memcpy HtoD (Pageable -> Device)", 5, 10, 30, 1);
	seal(&w);
	bytes(&w, "Memcpy HtoD (Pageable -> Device)", 0, 1 << 20);
	detect_world(&w);
	assert_fired(&w, "MEMCPY-PAGEABLE");
	assert_text(&w, "MEMCPY-PAGEABLE", "caller", "aten::to");
	assert_value(&w, "MEMCPY-PAGEABLE", "bytes", 1 << 20);
	assert_gives_back(&w, "MEMCPY-PAGEABLE", 20);
	assert_fired(&w, "PAGEABLE-COPY");
	world_release(&w);

	w = (struct world){0};
	copy(&w, "Memcpy HtoD (Pageable -> Device)", 5, 10, 30, 1);
	seal(&w);
	bytes(&w, "Memcpy HtoD (Pageable -> Device)", 0, 24); /* a scalar is nothing to pin */
	detect_world(&w);
	assert_not_fired(&w, "MEMCPY-PAGEABLE");
	assert_not_fired(&w, "PAGEABLE-COPY");
	world_release(&w);

	w = (struct world){0};
	made_add(&w.made, EVENT_RUNTIME, "cudaMemcpy", 5, 31, 1);
	made_add(&w.made, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pageable)", 10, 30, 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "MEMCPY-PAGEABLE"); /* it never claimed to be asynchronous */
	assert_fired(&w, "PAGEABLE-COPY");
	world_release(&w);

	w = (struct world){0};
	copy(&w, "Memcpy HtoD (Pinned -> Device)", 5, 10, 30, 1);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "MEMCPY-PAGEABLE");
	assert_not_fired(&w, "PAGEABLE-COPY");
	world_release(&w);
}

/* ---- communication, loading ---- */

static void communication(void **state)
{
	(void)state;
	struct world w = {0};
	launch(&w, GEMM, 0, 10, 50, 1);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 3, 5, 2);
	made_add(&w.made, EVENT_KERNEL, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 40, 90, 2)
		->track = MADE_STREAM2;
	seal(&w);
	detect_world(&w);
	/* window 0 to 90: 40 of the 50 us in the open */
	assert_fired(&w, "COMM");
	assert_value(&w, "COMM", "exposed", 40e3);
	assert_value(&w, "COMM", "overlap", 0.2);
	assert_gives_back(&w, "COMM", 40);
	world_release(&w);

	w = (struct world){0};
	launch(&w, GEMM, 0, 10, 80, 1);
	made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", 3, 5, 2);
	made_add(&w.made, EVENT_KERNEL, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 40, 79, 2)
		->track = MADE_STREAM2;
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "COMM"); /* hidden behind the product */
	world_release(&w);

	w = (struct world){0};
	launch(&w, GEMM, 0, 10, 80, 1);
	seal(&w);
	detect_world(&w);
	assert_not_applicable(&w, "COMM", REASON_NO_COMMUNICATION);
	assert_not_applicable(&w, "DATALOADER", REASON_NO_LOADER);
	world_release(&w);
}

/* Many short collectives want larger buckets; a few long ones an earlier start. */
static void small_messages(void **state)
{
	(void)state;
	for (int few = 0; few < 2; few++) {
		struct world w = {0};
		int n = few ? 2 : 8;
		struct err err = {0};
		assert_int_equal(rule_set_threshold(&w.settings, "COMM.many=8", &err), 0);
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 400, 0);
		for (int i = 0; i < n; i++) {
			double at = 30.0 * i;
			launch(&w, GEMM, at, at + 3, at + 10, 2 * (uint32_t)i + 1);
			launch(&w, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + 4, at + 11,
				at + 22, 2 * (uint32_t)i + 2);
		}
		seal(&w);
		detect_world(&w);
		assert_value(&w, "COMM", "median", 11e3);
		assert_int_equal(
			finding(&w, "COMM")->advice, few ? REASON_NONE : REASON_SMALL_MESSAGES);
		world_release(&w);
	}
}

static void loading(void **state)
{
	(void)state;
	for (int slow = 0; slow < 2; slow++) {
		struct world w = {0};
		double took = slow ? 30 : 4;
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, 100, 0);
		made_add(&w.made, EVENT_ANNOTATION,
			"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, took, 0);
		launch(&w, GEMM, 40, 50, 90, 1);
		seal(&w);
		detect_world(&w);
		if (slow) {
			assert_fired(&w, "DATALOADER");
			assert_value(&w, "DATALOADER", "share", 0.3);
			assert_gives_back(&w, "DATALOADER", 30);
		} else {
			assert_not_fired(&w, "DATALOADER");
		}
		world_release(&w);
	}
}

/* ---- health ---- */

static void unlinked_and_overlapping(void **state)
{
	(void)state;
	struct world w = {0};
	made_add(&w.made, EVENT_KERNEL, "stray", 0, 10, 0);
	launch(&w, GEMM, 2, 8, 40, 1);
	seal(&w);
	detect_world(&w);
	assert_fired(&w, "HEALTH-UNLINKED");
	assert_value(&w, "HEALTH-UNLINKED", "share", 0.5);
	assert_first_row(&w, "HEALTH-UNLINKED", "stray", 0);
	assert_fired(&w, "HEALTH-OVERLAP");
	assert_value(&w, "HEALTH-OVERLAP", "time", 2e3);
	assert_first_row(&w, "HEALTH-OVERLAP", GEMM, 0);
	world_release(&w);

	w = (struct world){0};
	launch(&w, GEMM, 2, 8, 40, 1);
	launch(&w, ADD, 5, 39.89, 50, 2); /* 0.11 us: the clock */
	seal(&w);
	detect_world(&w);
	assert_value(&w, "HEALTH-OVERLAP", "overlaps", 1);
	assert_not_fired(&w, "HEALTH-OVERLAP");
	world_release(&w);
}

static void healthy(void **state)
{
	TEST_WORLD(w);
	launch(&w, GEMM, 2, 8, 40, 1);
	launch(&w, ADD, 5, 40, 50, 2);
	seal(&w);
	detect_world(&w);
	assert_not_fired(&w, "HEALTH-UNLINKED");
	assert_not_fired(&w, "HEALTH-OVERLAP");
	assert_not_fired(&w, "ZERO-TS");
}

static void zero_stamps(void **state)
{
	(void)state;
	for (int n = 1; n < 4; n += 2) {
		struct world w = {0};
		for (int i = 0; i < n; i++)
			made_add(&w.made, EVENT_KERNEL, ADD, 0, 0, 0);
		launch(&w, GEMM, 2, 8, 40, 1);
		seal(&w);
		w.made.trace.zero_stamps = n;
		detect_world(&w);
		if (n == 1) {
			assert_not_fired(&w, "ZERO-TS"); /* something has to come first */
		} else {
			assert_fired(&w, "ZERO-TS");
			assert_value(&w, "ZERO-TS", "device", 3);
		}
		world_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_too_late),
		cmocka_unit_test(device_kept_busy),
		cmocka_unit_test(waits_in_steps),
		cmocka_unit_test(last_wait_is_not_work),
		cmocka_unit_test(blocking_copies_are_waits),
		cmocka_unit_test(pageable),
		cmocka_unit_test(communication),
		cmocka_unit_test(small_messages),
		cmocka_unit_test(loading),
		cmocka_unit_test(unlinked_and_overlapping),
		cmocka_unit_test(healthy),
		cmocka_unit_test(zero_stamps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
