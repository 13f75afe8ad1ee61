/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, copies and overlap of traces that are small enough to work out by hand. */
#include "report/analyse/streams.h"
#include "tests/unit/trust_world.h"

static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";
static const char to_device[] = "Memcpy HtoD (Pageable -> Device)";

static void add_on(struct world *w, uint32_t track, enum event_kind kind, const char *name,
	double from_us, double to_us)
{
	made_add(&w->made, kind, name, from_us, to_us, 0)->track = track;
}

static void assert_streams(const struct streams *s)
{
	assert_int_equal(s->window_ns,
		s->compute_ns + s->exposed_communication_ns + s->exposed_copy_ns + s->idle_ns);
	assert_int_equal(s->communication_ns, s->overlap_ns + s->exposed_communication_ns);
	assert_true(s->overlap_ns >= 0 && s->exposed_copy_ns >= 0 && s->idle_ns >= 0);
}

static struct streams streams_of_world(struct world *w)
{
	world_seal(w);
	struct streams s = streams_of(&w->arena, &w->a);
	assert_streams(&s);
	return s;
}

/* Compute 0-40, communication 30-70, a copy 60-90 and another 110-120: idle 90-110. */
static void what_hides_what(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "gemm", 0, 40);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 30, 70);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 60, 90);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 110, 120);
	struct streams s = streams_of_world(&w);
	assert_int_equal(s.window_ns, 120000);
	assert_int_equal(s.compute_ns, 40000);
	assert_int_equal(s.communication_ns, 40000);
	assert_int_equal(s.copy_ns, 40000);
	assert_int_equal(s.overlap_ns, 10000);
	assert_near(s.overlap_share, 0.25);
	assert_int_equal(s.exposed_communication_ns, 30000);
	assert_int_equal(s.exposed_copy_ns, 30000);
	assert_int_equal(s.idle_ns, 20000);
}

static void fills_compute(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_MEMSET, "Memset (Device)", 0, 10);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 0, 20);
	struct streams s = streams_of_world(&w);
	assert_int_equal(s.compute_ns, 10000);
	assert_int_equal(s.exposed_communication_ns, 10000);
	assert_int_equal(s.n_copies, 1);
	assert_int_equal(s.copy[0].way, COPY_FILL);
	assert_int_equal(s.copy[0].n_sized, 0);
	assert_near(s.copy[0].gb_per_s, 0);
}

static void streams_by_themselves(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "a", 0, 40);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "b", 30, 50); /* overlaps a on the same stream */
	add_on(&w, MADE_STREAM, EVENT_MEMSET, "Memset (Device)", 60, 62);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 10, 90);
	add_on(&w, MADE_STREAM2, EVENT_MEMCPY, to_device, 90, 100);
	struct streams s = streams_of_world(&w);
	assert_int_equal(s.n_streams, 2);
	const struct stream_use *u = &s.stream[0];
	assert_int_equal(u->track, MADE_STREAM);
	assert_int_equal(u->kernels, 2);
	assert_int_equal(u->kernel_ns, 60000);
	assert_int_equal(u->fills, 1);
	assert_int_equal(u->fill_ns, 2000);
	assert_int_equal(u->collectives, 0);
	assert_int_equal(u->busy_ns, 52000);
	assert_near(u->share, 0.52);
	u = &s.stream[1];
	assert_int_equal(u->collectives, 1);
	assert_int_equal(u->copies, 1);
	assert_int_equal(u->copy_ns, 10000);
	assert_int_equal(u->busy_ns, 90000);
}

/* Unions are of the window, counts and sums of the file. */
static void clipped_to_the_window(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 100, 200, 0);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "warm-up", 0, 50);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "begun before", 60, 120);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 90, 130);
	struct streams s = streams_of_world(&w);
	assert_int_equal(s.window_ns, 100000);
	assert_int_equal(s.compute_ns, 20000);
	assert_int_equal(s.communication_ns, 30000);
	assert_int_equal(s.exposed_communication_ns, 10000);
	assert_int_equal(s.stream[0].kernel_ns, 110000);
	assert_int_equal(s.stream[0].busy_ns, 20000);
	assert_int_equal(s.collective[0].ns, 40000);
	assert_int_equal(s.collective[0].inside_ns, 30000);
	assert_int_equal(s.collective[0].exposed_ns, 10000);
}

/* ---- copies ---- */

/* Gives the copies their bytes, in the order of the rows; below 0: the file has none. */
static void give_bytes(struct world *w, const int64_t *bytes)
{
	struct trace *t = &w->made.trace;
	t->copies = arena_array(&w->made.arena, t->n, sizeof *t->copies);
	for (size_t i = 0; i < t->n; i++)
		if (t->kind[i] == EVENT_MEMCPY || t->kind[i] == EVENT_MEMSET) {
			t->copies[t->n_copies].bytes = bytes[t->n_copies];
			t->side[i] = (uint32_t)t->n_copies++;
		}
}

static void copies_by_way_and_memory(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 0, 10);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, "Memcpy HtoD (Pinned -> Device)", 10, 12);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 20, 50);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, "Memcpy DtoH (Device -> Pinned)", 60, 70);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", 70, 71);
	add_on(&w, MADE_STREAM, EVENT_MEMSET, "Memset (Device)", 71, 73);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, "Memcpy PtoP (Device -> Device)", 80, 84);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, "CopyHostToDevice", 90, 91);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, "what?", 95, 96);
	made_seal(&w.made);
	give_bytes(&w, (const int64_t[]){40000, 60000, 120000, -1, 2000, 0, 8000, 500, 1});
	w.a = analysis_of(&w.arena, &w.made.trace);
	struct streams s = streams_of(&w.arena, &w.a);
	static const struct {
		enum copy_way way;
		enum copy_memory memory;
		size_t n, n_sized;
		int64_t bytes;
		double gb_per_s;
	} wanted[] = {
		{COPY_HOST_TO_DEVICE, MEMORY_UNTOLD, 1, 1, 500, 0.5},
		{COPY_HOST_TO_DEVICE, MEMORY_PAGEABLE, 2, 2, 160000, 4},
		{COPY_HOST_TO_DEVICE, MEMORY_PINNED, 1, 1, 60000, 30},
		{COPY_DEVICE_TO_HOST, MEMORY_PINNED, 1, 0, 0, 0},
		{COPY_DEVICE_TO_DEVICE, MEMORY_UNTOLD, 1, 1, 2000, 2},
		{COPY_PEER, MEMORY_UNTOLD, 1, 1, 8000, 2},
		{COPY_OTHER, MEMORY_UNTOLD, 1, 1, 1, 0.001},
		{COPY_FILL, MEMORY_UNTOLD, 1, 1, 0, 0},
	};
	assert_int_equal(s.n_copies, sizeof wanted / sizeof *wanted);
	for (size_t i = 0; i < s.n_copies; i++) {
		assert_int_equal(s.copy[i].way, wanted[i].way);
		assert_int_equal(s.copy[i].memory, wanted[i].memory);
		assert_int_equal(s.copy[i].n, wanted[i].n);
		assert_int_equal(s.copy[i].n_sized, wanted[i].n_sized);
		assert_int_equal(s.copy[i].bytes, wanted[i].bytes);
		assert_near(s.copy[i].gb_per_s, wanted[i].gb_per_s);
	}
	assert_int_equal(s.copy[1].ns, 40000);
	assert_int_equal(s.copy[1].longest, made_find(&w.made.trace, to_device, 1));
}

/* Bandwidth is of the copies whose bytes are known. */
static void unknown_bytes_do_not_count(void **state)
{
	TEST_WORLD(w);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 0, 10);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 20, 50);
	add_on(&w, MADE_STREAM, EVENT_MEMCPY, to_device, 60,
		60); /* shorter than the clock's tick */
	made_seal(&w.made);
	give_bytes(&w, (const int64_t[]){40000, -1, 10000});
	w.a = analysis_of(&w.arena, &w.made.trace);
	struct streams s = streams_of(&w.arena, &w.a);
	assert_int_equal(s.copy[0].n, 3);
	assert_int_equal(s.copy[0].n_sized, 2);
	assert_int_equal(s.copy[0].sized_ns, 10000);
	assert_int_equal(s.copy[0].ns, 40000);
	assert_near(s.copy[0].gb_per_s, 5);
}

/* ---- collectives ---- */

static void collectives_by_name(void **state)
{
	(void)state;
	static const char gather[] = "ncclDevKernel_AllGather_RING_LL(ncclDevComm*)";
	struct world w = {0};
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "gemm", 0, 20);
	add_on(&w, MADE_STREAM, EVENT_KERNEL, "gemm", 25, 45);
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 10, 30); /* 20-25 exposed */
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, gather, 40, 100); /* 45-100 exposed */
	add_on(&w, MADE_STREAM2, EVENT_KERNEL, all_reduce, 100, 104);
	struct streams s = streams_of_world(&w);
	assert_int_equal(s.n_collectives, 2);
	assert_string_equal(names_text(&w.made.trace.names, s.collective[0].name), gather);
	assert_int_equal(s.collective[0].ns, 60000);
	assert_int_equal(s.collective[0].exposed_ns, 55000);
	assert_int_equal(s.collective[1].n, 2);
	assert_int_equal(s.collective[1].ns, 24000);
	assert_int_equal(s.collective[1].exposed_ns, 9000);
	assert_int_equal(s.exposed_communication_ns, 64000);
	world_release(&w);
}

static void nothing_runs(void **state)
{
	TEST_WORLD(w);
	made_add(&w.made, EVENT_OP, "aten::mm", 0, 10, 0);
	struct streams s = streams_of_world(&w);
	assert_int_equal(s.n_streams + s.n_copies + s.n_collectives, 0);
	assert_int_equal(s.window_ns, 0);
}

/* Every microsecond belongs to one of the four, as counted off one by one. */
static void split_whatever_happens(void **state)
{
	(void)state;
	enum { LENGTH = 400 };
	static const char *const name[] = {"gemm", all_reduce, to_device};
	uint32_t seed = 7;
	for (int round = 0; round < 200; round++) {
		struct world w = {0};
		uint8_t work[LENGTH + 64] = {0};
		int64_t sum[4] = {0};
		made_add(&w.made, EVENT_ANNOTATION, "ProfilerStep#0", 0, LENGTH, 0);
		for (int i = 0; i < 20; i++) {
			uint32_t r = (seed = seed * 1664525u + 1013904223u) >> 8;
			uint32_t kind = r % 3, from = r / 3 % LENGTH, to = from + r / 1200 % 30;
			add_on(&w, MADE_STREAM + r % 2, kind == 2 ? EVENT_MEMCPY : EVENT_KERNEL,
				name[kind], from, to);
			for (uint32_t us = from; us < to; us++)
				work[us] |= (uint8_t)(1 << kind);
		}
		struct streams s = streams_of_world(&w);
		for (int us = 0; us < (int)(s.window_ns / 1000); us++)
			sum[work[us] & 1 ? 0 : work[us] & 2 ? 1 : work[us] & 4 ? 2 : 3] += 1000;
		assert_int_equal(s.compute_ns, sum[0]);
		assert_int_equal(s.exposed_communication_ns, sum[1]);
		assert_int_equal(s.exposed_copy_ns, sum[2]);
		assert_int_equal(s.idle_ns, sum[3]);
		world_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_hides_what),
		cmocka_unit_test(fills_compute),
		cmocka_unit_test(streams_by_themselves),
		cmocka_unit_test(clipped_to_the_window),
		cmocka_unit_test(copies_by_way_and_memory),
		cmocka_unit_test(unknown_bytes_do_not_count),
		cmocka_unit_test(collectives_by_name),
		cmocka_unit_test(nothing_runs),
		cmocka_unit_test(split_whatever_happens),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
