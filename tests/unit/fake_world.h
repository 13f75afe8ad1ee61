/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_world.h - operators on the fake device, and all that they need, for one test.
 */
#ifndef TESTS_FAKE_WORLD_H
#define TESTS_FAKE_WORLD_H

#include "experiments/ops.h"
#include "tests/unit/fake_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct world {
	struct recorder recorder;
	struct arena arena;
	struct names names;
	struct device *device;
	struct ops ops;
	struct err err;
	char text[16384];
};

static inline int world_begin(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);
	recorder_init(&w->recorder, 1000);
	w->recorder.on = true;
	names_init(&w->names);
	w->device = fake_open(&w->recorder, &w->err);
	ops_init(&w->ops, &fake_device, w->device, &w->recorder, &w->arena, &w->names);
	*state = w;
	return 0;
}

/* What was not freed fails the test. */
static inline int world_end(void **state)
{
	struct world *w = *state;
	ops_release(&w->ops);
	int left = w->device->alive;
	fake_close(w->device);
	recorder_release(&w->recorder);
	names_release(&w->names);
	arena_release(&w->arena);
	free(w);
	return left;
}

/* A tensor of the values first, first + 1, ..., and an empty log; no rows in the recorder. */
__attribute__((unused)) static struct tensor counting(
	struct world *w, int rank, const int64_t *dim, double first)
{
	struct tensor t;
	bool on = w->recorder.on;
	w->recorder.on = false;
	assert_int_equal(ops_new(&w->ops, DTYPE_F32, rank, dim, &t, &w->err), 0);
	w->recorder.on = on;
	for (int64_t i = 0; i < tensor_elements(&t); i++)
		fake_store(t.memory, t.dtype, i, first + (double)i);
	w->device->log[0] = '\0';
	return t;
}

/* The rows recorded since the last call are these. */
static inline void expect_rows(struct world *w, const char *expected)
{
	assert_string_equal(fake_rows(&w->recorder, 0, w->text, sizeof w->text), expected);
	w->recorder.n = 0;
}

/* The device calls since the last call are these. */
static inline void expect_calls(struct world *w, const char *expected)
{
	assert_string_equal(w->device->log, expected);
	w->device->log[0] = '\0';
}

#define DIM(...) ((const int64_t[]){__VA_ARGS__})
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, world_begin, world_end)

#endif
