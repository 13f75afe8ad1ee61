/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of idle_causes.h: idle time counted off microsecond by microsecond, and real traces.
 *
 * tests/data/trust/idle_causes.tsv holds the ledgers of twelve traces as idle_causes_truth.py
 * beside it works them out from the raw events. Three gaps were looked at by hand, event by event:
 *
 * h100_owlv2_large, the longest but one: a pageable copy to the host ends, its cudaMemcpyAsync
 * returns after it, a cudaStreamSynchronize of 0.7 us follows 4 us later, then scipy's zoom_shift
 * runs for 104 ms and the next launch begins 126.007 ms after the copy's end. The wait was over
 * long before: host.
 *
 * partxf_a100pcie_b512: the call begins 7.091 ms after the device fell idle, but lasts 1337.130 ms
 * of the gap's 1344.215 ms (a first convolution): latency, by the slow call.
 *
 * sglang_qwen3_8b_decode_mi300x: hipLaunchKernel begins 38.309 us after the device fell idle and
 * returns after 5.338 us, yet the kernel starts 463.295 ms later, while the thread stands in a
 * hipMemcpyWithStream that waits for it: neither the host nor the call was late: held, by nothing
 * that the file shows.
 */
#include "report/read/read.h"
#include "tests/unit/trust_world.h"

#include <unistd.h>

/* ---- chance ---- */

/* Kernels on two streams in whole microseconds, so that idle time can be counted off one by one. */
static void sums_hold_whatever_happens(void **state)
{
	(void)state;
	enum { LENGTH = 600 };
	uint32_t seed = 1;
	for (int round = 0; round < 200; round++) {
		struct world w = {0};
		uint8_t busy[LENGTH + 64] = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, LENGTH, 0);
		for (uint32_t i = 0; i < 24; i++) {
			uint32_t r[4];
			for (int k = 0; k < 4; k++)
				r[k] = (seed = seed * 1664525u + 1013904223u) >> 8;
			double call = r[0] % (LENGTH - 40), start = call + r[1] % 40;
			double end = start + r[2] % 20;
			if (r[3] % 5)
				made_add(&w.made, EVENT_RUNTIME, "cudaLaunchKernel", call,
					call + r[3] % 30, i + 1);
			made_add(&w.made, r[3] % 7 ? EVENT_KERNEL : EVENT_MEMCPY,
				"Memcpy (Pageable)", start, end, i + 1)
				->track = MADE_STREAM + r[3] % 2;
			for (int us = (int)start; us < (int)end; us++)
				busy[us] = 1;
		}
		struct idle_causes l = idle_causes_of_world(&w);
		int64_t idle = 0;
		for (int us = 0; us < (int)(l.window_ns / 1000); us++)
			idle += !busy[us];
		assert_int_equal(l.idle_ns, idle * 1000);
		world_release(&w);
	}
}

/* ---- real traces ---- */

static void compare_with_truth(const char *path, const char *truth)
{
	struct trace t;
	struct err err = {0};
	struct arena arena = {0};
	char *end;
	trace_init(&t);
	if (trace_read(&t, path, &(struct read_options){0}, &err))
		fail_msg("%s: %s", path, err.text);
	struct analysis a = analysis_of(&arena, &t);
	struct idle_causes l = idle_causes_of(&arena, &a);
	assert_idle_causes(&l, &a);
	assert_int_equal(a.window.start_ns, strtoll(truth, &end, 10));
	assert_int_equal(a.window.end_ns, strtoll(end, &end, 10));
	for (int c = 0; c < IDLE_CAUSES; c++) {
		assert_int_equal(l.sum[c].n, strtoll(end, &end, 10));
		assert_int_equal(l.sum[c].ns, strtoll(end, &end, 10));
	}
	arena_release(&arena);
	trace_release(&t);
}

static void ledgers_worked_out_from_raw_events(void **state)
{
	(void)state;
	const char *shared = getenv("TRACEBOOK_SHARED");
	FILE *f = fopen("tests/data/trust/idle_causes.tsv", "r");
	if (!f)
		fail_msg(
			"cannot read tests/data/trust/idle_causes.tsv: run the tests from the top");
	char line[1024], path[4096];
	int n = 0;
	while (fgets(line, sizeof line, f)) {
		char *truth = strchr(line, '\t');
		assert_non_null(truth);
		*truth = 0;
		snprintf(path, sizeof path, "%s/traces/%s", shared ? shared : "../shared", line);
		if (access(path, R_OK))
			continue;
		compare_with_truth(path, truth + 1);
		n++;
	}
	fclose(f);
	if (!n) {
		print_message("no traces in TRACEBOOK_SHARED or ../shared\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_hold_whatever_happens),
		cmocka_unit_test(ledgers_worked_out_from_raw_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
