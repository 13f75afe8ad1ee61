/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/queue.h"

#include "experiments/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
	uint32_t last; /* correlation of the last entry */
	int out_of_order;
	useconds_t delay_us;
};

static void run(void *context, const struct work *w)
{
	struct seen *seen = context;
	if (w->correlation != seen->last + 1)
		seen->out_of_order++;
	seen->last = w->correlation;
	if (seen->delay_us)
		usleep(seen->delay_us);
}

static struct queue *queue_new(struct seen *seen)
{
	struct err err = {0};
	struct queue *q = aligned_alloc(64, sizeof *q);
	memset(q, 0, sizeof *q);
	assert_int_equal(queue_start(q, run, seen, &err), 0);
	return q;
}

static void push(struct queue *q, uint32_t correlation)
{
	queue_push(q, &(struct work){.correlation = correlation});
}

static void entries_run_in_order_through_a_full_ring(void **state)
{
	(void)state;
	struct seen seen = {0};
	struct queue *q = queue_new(&seen);
	enum { N = 200 * QUEUE_ROOM };
	for (uint32_t i = 1; i <= N; i++)
		push(q, i);
	queue_wait(q);
	assert_int_equal(seen.last, N);
	assert_int_equal(seen.out_of_order, 0);
	queue_stop(q);
	free(q);
}

static void pushing_more_than_fits_waits_for_room(void **state)
{
	(void)state;
	struct seen seen = {.delay_us = 100};
	struct queue *q = queue_new(&seen);
	for (uint32_t i = 1; i <= QUEUE_ROOM + 20; i++)
		push(q, i);
	assert_false(queue_idle(q));
	queue_wait(q);
	assert_true(queue_idle(q));
	assert_int_equal(seen.last, QUEUE_ROOM + 20);
	assert_int_equal(seen.out_of_order, 0);
	queue_stop(q);
	free(q);
}

/* Each round finds the other side awake, about to sleep or asleep. A lost wake-up hangs here. */
static void no_wake_up_is_lost(void **state)
{
	(void)state;
	struct seen seen = {0};
	struct queue *q = queue_new(&seen);
	for (uint32_t i = 1; i <= 2000; i++) {
		push(q, i);
		queue_wait(q);
		assert_int_equal(seen.last, i);
		struct timespec pause = {.tv_nsec = i % 97 * 1000};
		if (i % 3 == 0)
			nanosleep(&pause, NULL);
	}
	queue_stop(q);
	free(q);
}

static void stopping_runs_what_is_left(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct seen seen = {0};
		struct queue *q = queue_new(&seen);
		for (uint32_t i = 1; i <= (uint32_t)round; i++)
			push(q, i);
		queue_stop(q);
		assert_int_equal(seen.last, round);
		queue_stop(q); /* a second time does nothing */
		free(q);
	}
}

static double cpu_ms(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void waiting_and_idling_use_no_core(void **state)
{
	(void)state;
	struct seen seen = {.delay_us = 60000};
	struct queue *q = queue_new(&seen);
	double before = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
	push(q, 1);
	queue_wait(q);
	usleep(60000);
	double used = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - before;
	print_message("CPU time over 120 ms of waiting: %.3f ms\n", used);
	assert_true(used < 20);
	queue_stop(q);
	free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_run_in_order_through_a_full_ring),
		cmocka_unit_test(pushing_more_than_fits_waits_for_room),
		cmocka_unit_test(no_wake_up_is_lost),
		cmocka_unit_test(stopping_runs_what_is_left),
		cmocka_unit_test(waiting_and_idling_use_no_core),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
