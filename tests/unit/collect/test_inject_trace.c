/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a recorded program leaves: it may have been written to by anybody. */
#include "collect/inject/crash_proof_ring.h"
#include "collect/inject_trace.h"
#include "experiments/span.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SLOTS = 16 };

static struct arena arena;
static char path[4096], to[4096];

static int clear(void **state)
{
	(void)state;
	unlink(path);
	unlink(to);
	arena_release(&arena);
	arena = (struct arena){0};
	return 0;
}

struct file {
	char *bytes;
	size_t n;
	struct ring_head *head;
	struct ring_slot *slot;
};

static struct file file_new(void)
{
	struct file f = {.n = RING_HEAD_BYTES + RING_NAME_BYTES + SLOTS * sizeof(struct ring_slot)};
	f.bytes = xcalloc(f.n, 1);
	f.head = (void *)f.bytes;
	f.slot = (void *)(f.bytes + RING_HEAD_BYTES + RING_NAME_BYTES);
	f.head->magic = RING_MAGIC;
	f.head->slots = SLOTS;
	f.head->pid = 77;
	memcpy(f.bytes + RING_HEAD_BYTES + 1, "name", 5);
	atomic_store(&f.head->name_bytes, 6);
	return f;
}

static void put(struct file *f, uint64_t number, struct ring_slot slot)
{
	struct ring_slot *s = &f->slot[number % SLOTS];
	memcpy((char *)s + sizeof s->turn, (char *)&slot + sizeof slot.turn,
		sizeof slot - sizeof slot.turn);
	atomic_store(&s->turn, number + 1);
	atomic_store(&f->head->next, number + 1);
}

static void save(struct file *f, size_t n)
{
	const char *folder = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/ring.77.0", folder ? folder : ".");
	snprintf(to, sizeof to, "%s/ring.json", folder ? folder : ".");
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(f->bytes, 1, n, out), n);
	fclose(out);
}

static int look(struct ring_facts *facts)
{
	struct err err = {0};
	return ring_look(facts, &arena, path, &err);
}

/* The trace as text, parsed once to see that it is JSON. */
static char *trace(void)
{
	struct err err = {0};
	static char text[1 << 20];
	assert_int_equal(ring_write_trace(path, to, -1, &err), 0);
	FILE *f = fopen(to, "rb");
	assert_non_null(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	cJSON *root = cJSON_Parse(text);
	assert_non_null(root);
	cJSON_Delete(root);
	return text;
}

static void what_was_overtaken_counts(void **state)
{
	struct file f = file_new();
	struct ring_facts facts;
	(void)state;
	for (uint64_t i = 0; i < SLOTS + 5; i++)
		put(&f, i,
			(struct ring_slot){.kind = SPAN_ANNOTATION,
				.start_ns = (int64_t)(1000 * i),
				.end_ns = (int64_t)(1000 * i + 500),
				.name = 1});
	atomic_fetch_add(&f.head->next, 1); /* one has begun to write and did not end */
	atomic_store(&f.slot[(SLOTS + 5) % SLOTS].turn, 0);
	save(&f, f.n);
	assert_int_equal(look(&facts), 0);
	assert_int_equal(facts.spans, SLOTS - 1);
	assert_int_equal(facts.overtaken, 6);
	assert_int_equal(facts.pid, 77);
	assert_false(facts.on_gpu);
	assert_non_null(strstr(trace(), "\"dropped_spans\": 6"));
	free(f.bytes);
}

static void sizes_that_lie(void **state)
{
	struct file f = file_new();
	struct ring_facts facts;
	(void)state;
	save(&f, f.n - 1);
	assert_int_equal(look(&facts), -1);
	save(&f, 0);
	assert_int_equal(look(&facts), -1);
	save(&f, 4096);
	assert_int_equal(look(&facts), -1);
	f.head->slots = SLOTS + 1;
	save(&f, f.n);
	assert_int_equal(look(&facts), -1);
	f.head->slots = 0;
	save(&f, f.n);
	assert_int_equal(look(&facts), -1);
	f.head->slots = SLOTS;
	atomic_store(&f.head->name_bytes, RING_NAME_BYTES + 1);
	save(&f, f.n);
	assert_int_equal(look(&facts), -1);
	free(f.bytes);
}

/* Names outside the texts, kinds that there are not, times backwards, devices by the thousand. */
static void slots_that_lie(void **state)
{
	struct file f = file_new();
	struct ring_facts facts;
	(void)state;
	memset(f.head->program, 'x', sizeof f.head->program);
	memset(f.head->device[0].name, 'y', sizeof f.head->device[0].name);
	f.head->n_devices = 1 << 30;
	put(&f, 0,
		(struct ring_slot){.kind = SPAN_KERNEL,
			.end_ns = 5,
			.name = 5,
			.device = 4000000000u,
			.grid = {1, 1, 1}});
	put(&f, 1, (struct ring_slot){.kind = SPAN_KERNEL, .end_ns = 5, .name = UINT32_MAX});
	put(&f, 2, (struct ring_slot){.kind = SPAN_KINDS, .end_ns = 5, .name = 1});
	put(&f, 3, (struct ring_slot){.kind = SPAN_COPY, .start_ns = 9, .end_ns = 5, .name = 1});
	put(&f, 4, (struct ring_slot){.kind = SPAN_WAIT, .end_ns = 5, .name = 1});
	put(&f, 5, (struct ring_slot){.kind = SPAN_COPY, .end_ns = 5, .name = 1});
	atomic_store(&f.slot[5].turn, UINT64_MAX); /* of a number that was never given */
	save(&f, f.n);
	assert_int_equal(look(&facts), 0);
	assert_int_equal(facts.spans, 3);
	assert_true(facts.on_gpu);
	trace();
	free(f.bytes);
}

static void noise(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 8; seed++) {
		struct file f = file_new();
		struct ring_facts facts;
		uint32_t x = seed * 2654435761u;
		for (size_t i = 24; i < f.n; i++) {
			x ^= x << 13, x ^= x >> 17, x ^= x << 5;
			if (i < RING_HEAD_BYTES || i >= RING_HEAD_BYTES + RING_NAME_BYTES)
				f.bytes[i] = (char)x;
		}
		f.head->slots = SLOTS;
		atomic_store(&f.head->name_bytes, 6);
		for (uint64_t i = 0; i < SLOTS; i++)
			atomic_store(&f.slot[i].turn, i + 1);
		atomic_store(&f.head->next, SLOTS);
		save(&f, f.n);
		if (!look(&facts) && facts.spans)
			trace();
		free(f.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_was_overtaken_counts, clear),
		cmocka_unit_test_teardown(sizes_that_lie, clear),
		cmocka_unit_test_teardown(slots_that_lie, clear),
		cmocka_unit_test_teardown(noise, clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
