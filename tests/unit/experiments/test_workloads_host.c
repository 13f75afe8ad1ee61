/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads on the real host device: values, work per step, and what compiling pays. */
#include "tests/unit/cases.h"
#include "tests/unit/host_device.h"

#include <string.h>

struct stage {
	struct host *host;
	struct arena arena;
	struct names names;
};

static int begin(void **state)
{
	void *host = NULL;
	if (host_open(&host))
		return -1;
	struct stage *s = xcalloc(1, sizeof *s);
	s->host = host;
	s->host->recorder.on = false;
	names_init(&s->names);
	*state = s;
	return 0;
}

static int end(void **state)
{
	struct stage *s = *state;
	void *host = s->host;
	int rc = host_close(&host);
	names_release(&s->names);
	arena_release(&s->arena);
	free(s);
	return rc;
}

static struct bench bench_of(struct stage *s, const struct case_spec *spec)
{
	return (struct bench){
		.ops = s->host->ops,
		.device = s->host->device,
		.recorder = &s->host->recorder,
		.arena = &s->arena,
		.names = &s->names,
		.spec = spec,
	};
}

static void test_computes(void **state)
{
	struct stage *s = *state;
	const double limit[DTYPES] = {[DTYPE_BF16] = 6e-3, [DTYPE_F32] = 1e-6};
	struct cases all = all_cases();
	for (int i = 0; i < DTYPES * all.n; i++) {
		struct case_spec spec = all.spec[i % all.n];
		spec.dtype = (enum dtype)(i / all.n);
		if (spec.batch)
			spec.then_batch = spec.batch + 1;
		if (!host_can(s->host, spec.dtype))
			continue;
		struct bench b = bench_of(s, &spec);
		double error = -1;
		host_ok(s->host, workload_find(spec.workload)->check(&b, &error, &s->host->err));
		if (!(error < limit[spec.dtype]))
			fail_msg("%s %s %s: error %g", spec.workload, mode_name(spec.mode),
				dtype_name(spec.dtype), error);
	}
}

struct work_done {
	int of[SPAN_KINDS];
};

static void tally(struct work_done *done, const struct span *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		done->of[s[i].kind]++;
}

/* What a second step leaves in the recorder and on the device. */
static struct work_done second_step(struct stage *s, const struct case_spec *spec)
{
	const struct workload *w = workload_find(spec->workload);
	struct host *h = s->host;
	struct bench b = bench_of(s, spec);
	struct work_done done = {0};
	size_t n, dropped;
	host_ok(h, w->prepare(&b, &h->err));
	host_ok(h, w->step(&b, 0, &h->err));
	host_ok(h, h->ops->synchronise(h->device, &h->err));
	h->ops->drain(h->device, &n, &dropped);
	h->recorder.n = 0;
	h->recorder.on = true;
	h->ops->record(h->device, true);
	host_ok(h, w->step(&b, 1, &h->err));
	host_ok(h, h->ops->synchronise(h->device, &h->err));
	h->ops->record(h->device, false);
	h->recorder.on = false;
	const struct span *ran = h->ops->drain(h->device, &n, &dropped);
	tally(&done, ran, n);
	tally(&done, h->recorder.span, h->recorder.n);
	w->release(&b);
	return done;
}

static void expect_work(
	struct stage *s, struct case_spec spec, int kernels, int copies, int launches)
{
	spec.dtype = DTYPE_F32; /* every CPU has it */
	struct work_done done = second_step(s, &spec);
	assert_int_equal(done.of[SPAN_KERNEL], kernels);
	assert_int_equal(done.of[SPAN_COPY], copies);
	assert_int_equal(done.of[SPAN_LAUNCH], launches);
	assert_int_equal(done.of[SPAN_SETUP], 0); /* nothing is paid for the first time */
}

static void test_work_per_step(void **state)
{
	expect_work(*state, square, 2, 0, 2);
	expect_work(*state, in_mode(square, MODE_COMPILE), 1, 1, 2);
	expect_work(*state, in_mode(square, MODE_FUSED), 1, 0, 1);
	expect_work(*state, in_mode(square, MODE_GRAPH), 1, 1, 1);
	expect_work(*state, named(square, "addmm"), 1, 1, 2);
	expect_work(*state, batched, 2, 0, 2);
	expect_work(*state, layer, 1, 0, 1);
	expect_work(*state, in_mode(layer, MODE_COMPILE), 1, 0, 1);
	expect_work(*state, mlp, 5, 0, 5);
	expect_work(*state, in_mode(mlp, MODE_COMPILE), 4, 0, 4);
	expect_work(*state, in_mode(mlp, MODE_HANDWRITTEN), 4, 0, 4);
	expect_work(*state, in_mode(mlp, MODE_GRAPH), 4, 0, 1);
}

/* Primitives made before and after the first row of this name. */
static void expect_primitives(const struct recorder *r, const char *name, int before, int after)
{
	int made[2] = {0};
	bool seen = false;
	for (size_t i = 0; i < r->n; i++) {
		seen = seen || !strcmp(r->span[i].name, name);
		made[seen] += !!strstr(r->span[i].name, "primitive creation");
	}
	assert_true(seen);
	assert_int_equal(made[0], before);
	assert_int_equal(made[1], after);
}

static void test_compiles_before_it_launches(void **state)
{
	struct stage *s = *state;
	struct host *h = s->host;
	struct case_spec spec = in_mode(mlp, MODE_COMPILE);
	spec.dtype = DTYPE_F32;
	struct bench b = bench_of(s, &spec);
	const struct workload *w = workload_find(spec.workload);
	host_ok(h, w->prepare(&b, &h->err));
	h->recorder.on = true;
	h->recorder.n = 0;
	host_ok(h, w->step(&b, 0, &h->err));
	/* gate is like up; then gelu times up, and down */
	expect_primitives(&h->recorder, "compiled region 0/0", 3, 0);
	h->recorder.on = false;
	w->release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_computes, begin, end),
		cmocka_unit_test_setup_teardown(test_work_per_step, begin, end),
		cmocka_unit_test_setup_teardown(test_compiles_before_it_launches, begin, end),
	};
	return cmocka_run_group_tests_name("workloads_host", tests, NULL, NULL);
}
