/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/*
 * The host device as an asynchronous machine: launches and what they cause, first-call costs,
 * graphs, records and waiting.
 */
#include "tests/unit/host_device.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct span *find(const struct host *h, enum span_kind kind, const char *name)
{
	for (size_t i = 0; i < h->recorder.n; i++) {
		const struct span *s = &h->recorder.span[i];
		if (s->kind == kind && !strcmp(s->name, name))
			return s;
	}
	return NULL;
}

static size_t spans_of(const struct host *h, enum span_kind kind)
{
	size_t n = 0;
	for (size_t i = 0; i < h->recorder.n; i++)
		n += h->recorder.span[i].kind == kind;
	return n;
}

/* ---------------------------------------------------------------------------------------------- */

static bool inside(const struct span *outer, const struct span *inner)
{
	return outer->start_ns <= inner->start_ns && inner->end_ns <= outer->end_ns;
}

static void first_call_costs_are_spans_inside_the_launch(void **state)
{
	struct host *h = *state;
	struct squares s = squares_new(h, 24);
	record_anew(h);
	multiply(h, &s);
	const struct span *launch = find(h, SPAN_LAUNCH, "hostLaunchKernel");
	static const char *const first[] = {
		"oneDNN engine creation", "primitive creation (JIT)", "queue thread start"};
	assert_non_null(launch);
	for (size_t i = 0; i < 3; i++) {
		const struct span *setup = find(h, SPAN_SETUP, first[i]);
		assert_non_null(setup);
		assert_true(inside(launch, setup));
		assert_int_equal(setup->thread, gettid());
	}
	synchronise(h);
	size_t n, dropped;
	const struct span *device = h->ops->drain(h->device, &n, &dropped);
	assert_int_equal(n, 2);
	assert_int_equal(device[0].kind, SPAN_SETUP);
	assert_string_equal(device[0].name, "queue thread's first wake-up");
	assert_int_not_equal(device[0].thread, gettid());
	assert_true(device[0].start_ns >= launch->start_ns);
	assert_true(device[0].end_ns <= device[1].start_ns);
	record_anew(h);
	multiply(h, &s);
	assert_int_equal(spans_of(h, SPAN_LAUNCH), 1);
	assert_int_equal(spans_of(h, SPAN_SETUP), 0);
	/* another shape, another primitive, but no other engine or thread */
	struct squares t = squares_new(h, 25);
	record_anew(h);
	multiply(h, &t);
	assert_non_null(find(h, SPAN_SETUP, "primitive creation (JIT)"));
	assert_null(find(h, SPAN_SETUP, "oneDNN engine creation"));
	assert_null(find(h, SPAN_SETUP, "queue thread start"));
	squares_free(h, &s);
	squares_free(h, &t);
}

static void workers_are_started_before_the_first_big_kernel(void **state)
{
	struct host *h = *state;
	struct device_info info;
	h->ops->info(h->device, &info);
	if (info.threads < 2)
		skip(); /* one core, no workers */
	struct squares s = squares_new(h, 512);
	for (int round = 0; round < 2; round++) {
		record_anew(h);
		multiply(h, &s);
		synchronise(h);
		size_t n, dropped;
		const struct span *device = h->ops->drain(h->device, &n, &dropped);
		assert_int_equal(n, round ? 1 : 2);
		if (!round) {
			assert_string_equal(device[0].name, "OpenMP team start");
			assert_int_equal(device[0].kind, SPAN_SETUP);
			assert_int_equal(device[0].correlation, 0);
		}
	}
	squares_free(h, &s);
}

static void big_memory_is_touched_when_it_is_made(void **state)
{
	struct host *h = *state;
	h->recorder.n = 0;
	struct device_memory *m = h->ops->alloc(h->device, 32 << 20, &h->err);
	const struct span *faults = find(h, SPAN_SETUP, "page faults of first touch");
	assert_non_null(faults);
	print_message(
		"touching 32 MiB: %.3f ms\n", (double)(faults->end_ns - faults->start_ns) * 1e-6);
	unsigned char *zeros = malloc(32 << 20);
	host_ok(h, h->ops->download(h->device, m, zeros, 32 << 20, &h->err));
	for (size_t i = 0; i < 32 << 20; i += 4096)
		assert_int_equal(zeros[i], 0);
	free(zeros);
	h->ops->free(h->device, m);
}

static void every_launch_has_its_kernel(void **state)
{
	struct host *h = *state;
	enum { N = 300 };
	struct counter c = counter_new(h, 100);
	struct squares s = squares_new(h, 40);
	count(h, &c);
	multiply(h, &s);
	record_anew(h);
	for (int i = 0; i < N; i++) {
		if (i % 3 == 0)
			multiply(h, &s);
		else if (i % 3 == 1)
			count(h, &c);
		else
			host_ok(h, h->ops->copy(h->device, s.b.memory, s.a.memory, 6400, &h->err));
	}
	synchronise(h);
	size_t n, dropped;
	const struct span *kernel = h->ops->drain(h->device, &n, &dropped);
	assert_int_equal(n, N);
	assert_int_equal(dropped, 0);
	assert_int_equal(h->recorder.n, N + 1); /* and the synchronise */
	for (size_t i = 0; i < N; i++) {
		const struct span *launch = &h->recorder.span[i], *k = &kernel[i];
		assert_int_equal(launch->kind, SPAN_LAUNCH);
		assert_int_equal(launch->correlation, k->correlation);
		assert_true(k->correlation > 0 && k->correlation < 1u << 31);
		assert_true(k->start_ns >= launch->start_ns && k->end_ns >= k->start_ns);
		assert_int_equal(k->thread, 1);
		assert_int_equal(k->kind, i % 3 == 2 ? SPAN_COPY : SPAN_KERNEL);
		assert_int_equal(k->bytes, i % 3 == 2 ? 6400 : 0);
		assert_string_equal(
			launch->name, i % 3 == 2 ? "hostMemcpyAsync" : "hostLaunchKernel");
		if (i % 3 == 2)
			assert_string_equal(k->name, "Memcpy HtoH (host -> host)");
		if (i) {
			assert_true(k->correlation > kernel[i - 1].correlation);
			assert_true(k->start_ns >= kernel[i - 1].end_ns);
		}
	}
	const struct span *sync = &h->recorder.span[N];
	assert_int_equal(sync->kind, SPAN_SYNC);
	assert_string_equal(sync->name, "hostQueueSynchronize");
	assert_true(sync->end_ns >= kernel[N - 1].end_ns);
	squares_free(h, &s);
	counter_free(h, &c);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

static void kernels_carry_the_librarys_name_and_the_operation(void **state)
{
	struct host *h = *state;
	struct squares s = squares_new(h, 32), t = squares_new(h, 32);
	struct device_matrix row = t.a;
	row.rows = 1;
	struct device_gemm plain = squares_gemm(&s), bias = plain, sum = plain, add = plain;
	bias.addend = &row;
	sum.accumulate = true;
	add.addend = &t.a;
	const struct device_gemm *gemm[] = {&plain, &bias, &sum, &add};
	struct device_pointwise p = {.dtype = DTYPE_F32,
		.n = 1024,
		.n_steps = 2,
		.n_inputs = 2,
		.step = {POINTWISE_GELU_TANH, POINTWISE_MUL},
		.in = {s.a.memory, s.b.memory},
		.out = s.d.memory};
	record_anew(h);
	for (size_t i = 0; i < 4; i++)
		host_ok(h, h->ops->gemm(h->device, gemm[i], &h->err));
	host_ok(h, h->ops->pointwise(h->device, &p, &h->err));
	p.generic = true;
	host_ok(h, h->ops->pointwise(h->device, &p, &h->err));
	char name[] = "my kernel";
	p.name = name;
	host_ok(h, h->ops->pointwise(h->device, &p, &h->err));
	name[0] = 'M'; /* the device keeps its own copy */
	synchronise(h);
	size_t n, dropped;
	const struct span *kernel = h->ops->drain(h->device, &n, &dropped);
	static const char *const end[] = {" matmul", " matmul+bias", " matmul+sum", " matmul+add",
		" gelu_tanh*mul", "tracebook_geglu_tanh_generic", "my kernel"};
	assert_int_equal(n, 7);
	for (size_t i = 0; i < n; i++) {
		if (!ends_with(kernel[i].name, end[i]))
			fail_msg("kernel %zu is \"%s\", not \"...%s\"", i, kernel[i].name, end[i]);
	}
	assert_true(strlen(kernel[0].name) > strlen(" matmul"));
	squares_free(h, &s);
	squares_free(h, &t);
}

static void work_runs_in_order(void **state)
{
	struct host *h = *state;
	enum { N = 5000 };
	struct counter c = counter_new(h, 64);
	for (int i = 0; i < N; i++)
		count(h, &c);
	assert_true(counted(h, &c) == N);
	counter_free(h, &c);
}

static void memory_freed_while_work_waits_lives_until_it_is_done(void **state)
{
	struct host *h = *state;
	struct squares s = squares_new(h, 700), t = s;
	t.d.memory = h->ops->alloc(h->device, 700 * 700 * 4, &h->err);
	multiply(h, &s);
	multiply(h, &t);
	h->ops->free(h->device, t.d.memory);
	synchronise(h);
	squares_free(h, &s);
}

static void off_records_nothing(void **state)
{
	struct host *h = *state;
	struct counter c = counter_new(h, 64);
	record_anew(h);
	h->ops->record(h->device, false);
	count(h, &c);
	synchronise(h);
	size_t n, dropped;
	h->ops->drain(h->device, &n, &dropped);
	assert_int_equal(n, 0);
	/* what was queued while it was on is kept, even if it runs later */
	h->ops->record(h->device, true);
	count(h, &c);
	h->ops->record(h->device, false);
	count(h, &c);
	synchronise(h);
	h->ops->drain(h->device, &n, &dropped);
	assert_int_equal(n, 1);
	h->ops->record(h->device, true);
	counter_free(h, &c);
}

static void too_many_spans_are_counted(void **state)
{
	struct host *h = *state;
	struct counter c = counter_new(h, 1);
	record_anew(h);
	h->recorder.on = false;
	enum { N = 70000 };
	for (int i = 0; i < N; i++)
		count(h, &c);
	synchronise(h);
	size_t n, dropped;
	h->ops->drain(h->device, &n, &dropped);
	assert_true(dropped > 0);
	assert_int_equal(n + dropped, N);
	count(h, &c);
	h->ops->drain(h->device, &n, &dropped);
	assert_int_equal(n, 1);
	assert_int_equal(dropped, 0);
	h->recorder.on = true;
	counter_free(h, &c);
}

static void graphs_replay_with_one_launch(void **state)
{
	struct host *h = *state;
	struct counter c = counter_new(h, 64);
	count(h, &c);
	record_anew(h);
	host_ok(h, h->ops->capture_begin(h->device, &h->err));
	for (int i = 0; i < 3; i++)
		count(h, &c);
	struct device_graph *g = h->ops->capture_end(h->device, &h->err);
	assert_non_null(g);
	assert_int_equal(spans_of(h, SPAN_LAUNCH), 0);
	assert_true(counted(h, &c) == 1); /* capturing ran nothing */
	host_ok(h, h->ops->graph_launch(h->device, g, &h->err));
	host_ok(h, h->ops->graph_launch(h->device, g, &h->err));
	synchronise(h);
	assert_true(counted(h, &c) == 7);
	size_t n, dropped;
	const struct span *kernel = h->ops->drain(h->device, &n, &dropped);
	assert_int_equal(n, 6);
	assert_int_equal(spans_of(h, SPAN_LAUNCH), 2);
	const struct span *launch = find(h, SPAN_LAUNCH, "hostGraphLaunch");
	assert_non_null(launch);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(kernel[i].correlation, launch->correlation);
		assert_int_equal(kernel[3 + i].correlation, launch->correlation + 1);
	}
	h->ops->graph_launch(h->device, g, &h->err);
	h->ops->graph_free(h->device, g); /* waits for the launch before */
	assert_true(counted(h, &c) == 10);
	counter_free(h, &c);
}

static double cpu_ms(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void waiting_sleeps_and_idle_workers_are_quiet(void **state)
{
	struct host *h = *state;
	struct squares s = squares_new(h, 1000);
	multiply(h, &s);
	synchronise(h);
	double caller = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < 3; i++)
		multiply(h, &s);
	synchronise(h);
	caller = cpu_ms(CLOCK_THREAD_CPUTIME_ID) - caller;
	/* Linux counts another thread's time when it goes to sleep: let them all do so first. Left
	 * to itself libgomp would still spin for milliseconds. */
	usleep(1000);
	double all = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
	usleep(100000);
	all = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - all;
	print_message("CPU time: caller %.3f ms while it waited, all threads %.3f ms in 100 ms of "
		      "idling\n",
		caller, all);
	assert_true(caller < 2);
	assert_true(all < 2);
	squares_free(h, &s);
}

static void the_machine_is_described(void **state)
{
	struct host *h = *state;
	struct device_info info;
	h->ops->info(h->device, &info);
	print_message("%s, %s, %s, %d threads\n", info.name, info.runtime, info.isa, info.threads);
	assert_true(*info.name && *info.isa);
	assert_string_equal(info.lane, "host queue");
	assert_non_null(strstr(info.runtime, "oneDNN "));
	assert_true(info.threads >= 1);
	assert_string_equal(h->ops->name, "host");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_call_costs_are_spans_inside_the_launch),
		cmocka_unit_test(workers_are_started_before_the_first_big_kernel),
		cmocka_unit_test(big_memory_is_touched_when_it_is_made),
		cmocka_unit_test(every_launch_has_its_kernel),
		cmocka_unit_test(kernels_carry_the_librarys_name_and_the_operation),
		cmocka_unit_test(work_runs_in_order),
		cmocka_unit_test(memory_freed_while_work_waits_lives_until_it_is_done),
		cmocka_unit_test(off_records_nothing),
		cmocka_unit_test(too_many_spans_are_counted),
		cmocka_unit_test(graphs_replay_with_one_launch),
		cmocka_unit_test(waiting_sleeps_and_idle_workers_are_quiet),
		cmocka_unit_test(the_machine_is_described),
	};
	return cmocka_run_group_tests(tests, host_open, host_close);
}
