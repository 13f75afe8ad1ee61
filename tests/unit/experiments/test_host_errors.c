/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host device says when something is wrong, and that it goes on afterwards.
 */
#include "tests/unit/host_device.h"

#if __has_include(<dnnl.h>)
#include "experiments/host/lane.h"
#include "experiments/host/primitive_plans.h"

#include <string.h>

static void expect_message(struct host *h, bool failed, const char *words)
{
	assert_true(failed);
	if (!strstr(h->err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", h->err.text, words);
	h->err = (struct err){0};
}

static void impossible_memory_is_refused_with_a_message(void **state)
{
	struct host *h = *state;
	expect_message(h, !h->ops->alloc(h->device, (size_t)512 * 1000 * 1000 * 1000000, &h->err),
		"no memory for 512.0 TB: this machine has ");
	h->ops->alloc(h->device, SIZE_MAX, &h->err);
	expect_message(h, h->err.set, "make the case smaller");
	struct counter c = counter_new(h, 64); /* and goes on */
	count(h, &c);
	assert_true(counted(h, &c) == 1);
	counter_free(h, &c);
}

static void wrong_shapes_are_told(void **state)
{
	struct host *h = *state;
	const struct device_ops *o = h->ops;
	struct squares s = squares_new(h, 16);
	struct device_gemm good = squares_gemm(&s), g = good;
	g.b.rows = 15;
	expect_message(h, o->gemm(h->device, &g, &h->err), "b is 15x16 where 16x16 is wanted");
	g = good;
	g.a.offset = 1;
	expect_message(h, o->gemm(h->device, &g, &h->err), "ends outside its memory of 1024 bytes");
	g = good;
	g.addend = &g.d;
	expect_message(h, o->gemm(h->device, &g, &h->err), "may not be the result");
	g = good;
	g.a.cols = g.b.rows = 0;
	expect_message(h, o->gemm(h->device, &g, &h->err), "must be positive");
	g = good;
	g.a.row_stride = 0;
	expect_message(h, o->gemm(h->device, &g, &h->err), "stride");
	struct device_pointwise p = {.dtype = DTYPE_F32,
		.n = 257,
		.n_steps = 1,
		.n_inputs = 2,
		.step = {POINTWISE_MUL},
		.in = {s.a.memory, s.b.memory},
		.out = s.d.memory};
	expect_message(h, o->pointwise(h->device, &p, &h->err), "too few for 257 elements");
	p.n = 256;
	p.n_inputs = 1;
	expect_message(h, o->pointwise(h->device, &p, &h->err), "take 2 inputs, not 1");
	p.n_steps = 5;
	expect_message(h, o->pointwise(h->device, &p, &h->err), "1 to 4 steps");
	expect_message(h, o->copy(h->device, s.a.memory, s.b.memory, 1025, &h->err), "1025 bytes");
	expect_message(h, o->copy(h->device, s.a.memory, s.a.memory, 16, &h->err), "same memory");
	synchronise(h);
	squares_free(h, &s);
}

/* A plan that lost its arguments fails on the queue's thread, long after its launch. */
static void failures_in_the_queue_are_told_at_synchronise(void **state)
{
	struct host *h = *state;
	struct squares s = squares_new(h, 16);
	struct counter c = counter_new(h, 8);
	host_ok(h, h->ops->capture_begin(h->device, &h->err));
	multiply(h, &s);
	count(h, &c);
	struct device_graph *g = h->ops->capture_end(h->device, &h->err);
	struct plan *plan = g->work[0].plan;
	int n_arguments = plan->n_arguments;
	plan->n_arguments = 1;
	host_ok(h, h->ops->graph_launch(h->device, g, &h->err));
	host_ok(h, h->ops->graph_launch(h->device, g, &h->err));
	expect_message(h, h->ops->synchronise(h->device, &h->err), "matmul\" failed in the host");
	plan->n_arguments = n_arguments;
	synchronise(h); /* told once */
	host_ok(h, h->ops->graph_launch(h->device, g, &h->err));
	synchronise(h);
	assert_true(counted(h, &c) == 3); /* what comes after a failure still runs */
	h->ops->graph_free(h->device, g);
	counter_free(h, &c);
	squares_free(h, &s);
}

static void misused_captures_are_told(void **state)
{
	struct host *h = *state;
	const struct device_ops *o = h->ops;
	expect_message(h, !o->capture_end(h->device, &h->err), "none was begun");
	host_ok(h, o->capture_begin(h->device, &h->err));
	expect_message(h, o->capture_begin(h->device, &h->err), "already");
	expect_message(h, o->synchronise(h->device, &h->err), "captured");
	struct device_graph *g = o->capture_end(h->device, &h->err);
	host_ok(h, o->graph_launch(h->device, g, &h->err)); /* an empty one does nothing */
	o->graph_free(h->device, g);
	host_ok(h, o->capture_begin(h->device, &h->err)); /* closing frees it */
	struct counter c = counter_new(h, 4);
	count(h, &c);
	counter_free(h, &c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(impossible_memory_is_refused_with_a_message),
		cmocka_unit_test(wrong_shapes_are_told),
		cmocka_unit_test(failures_in_the_queue_are_told_at_synchronise),
		cmocka_unit_test(misused_captures_are_told),
	};
	return cmocka_run_group_tests(tests, host_open, host_close);
}

#else
int main(void)
{
	void *state;
	return host_open(&state); /* says why nothing is tested */
}
#endif
