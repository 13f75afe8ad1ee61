/* SPDX-License-Identifier: Apache-2.0 */
/* alone: detecting takes at most 15 % of the time of reading, on the largest real trace. */
#define _XOPEN_SOURCE 700 /* clock_gettime */
#include "report/read/read.h"
#include "tests/unit/detecting.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The least of each counts: others on the machine only add. While they do, it takes more rounds. */
enum { ROUNDS = 7, MOST_ROUNDS = 28 };

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void detecting_beside_reading(void **state)
{
	(void)state;
	const char *shared = getenv("TRACEBOOK_SHARED");
	char path[4096];
	double reading = 1e9, detecting = 1e9;
	snprintf(path, sizeof path, "%s/traces/kineto/sam_fast_a100_false_81MB.json.gz",
		shared ? shared : "../shared");
	if (getenv("TRACEBOOK_SAN") || access(path, R_OK)) {
		print_message("not measured: a sanitized build, or no %s\n", path);
		skip();
	}
	for (int i = 0; i < ROUNDS || (detecting > 0.15 * reading && i < MOST_ROUNDS); i++) {
		struct trace t;
		struct err err = {0};
		struct arena arena = {0};
		trace_init(&t);
		double start = now_ms();
		if (trace_read(&t, path, &(struct read_options){0}, &err))
			fail_msg("%s", err.text);
		reading = least(reading, now_ms() - start);
		struct analysis a = analysis_of(&arena, &t);
		struct health h = health_of(&t);
		struct ledger l = ledger_of(&arena, &a);
		struct streams s = streams_of(&arena, &a);
		struct detect_in in = {&a, &h, &l, &s, NULL};
		start = now_ms();
		detect_all(&arena, &in, NULL);
		detecting = least(detecting, now_ms() - start);
		arena_release(&arena);
		trace_release(&t);
	}
	print_message("reading %.1f ms, detecting %.1f ms: %.1f %%\n", reading, detecting,
		100 * detecting / reading);
	assert_true(detecting <= 0.15 * reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detecting_beside_reading),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
