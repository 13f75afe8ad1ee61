/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/*
 * cuda_rig.h - the cuda device opened on a GPU that is none (tests/data/cuda/README), and arrays on
 * it: the first include of a test of what the device computes, launches and records.
 */
#ifndef TESTS_UNIT_CUDA_RIG_H
#define TESTS_UNIT_CUDA_RIG_H

#include "tests/unit/cuda_tests.h"

#ifdef CUDA_TESTS

#include "experiments/device.h"
#include "experiments/tensor_values.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>

#include <cmocka.h>

extern const struct device_ops tracebook_device;
long fake_alive(void);

static const struct device_ops *const call = &tracebook_device;

struct rig {
	struct device *device;
	struct recorder recorder;
	struct err err;
	long alive; /* allocations before it was opened */
};

static inline void use_the_fake(void)
{
	static const char *const variables[] = {"TRACEBOOK_CUDA_DRIVER", "TRACEBOOK_CUPTI",
		"TRACEBOOK_CUBLASLT", "TRACEBOOK_NVRTC", "TRACEBOOK_NVML"};
	Dl_info fake;
	assert_true(dladdr((const void *)(uintptr_t)cudaMalloc, &fake) != 0);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		setenv(variables[i], fake.dli_fname, 1);
	setenv("TRACEBOOK_CACHE", "", 1);
}

static inline void rig_open(struct rig *r, const char *how)
{
	memset(r, 0, sizeof *r);
	use_the_fake();
	r->alive = fake_alive();
	setenv("FAKE_CUDA", how, 1);
	recorder_init(&r->recorder, 10000);
	r->recorder.on = true;
	r->device = call->open(&r->recorder, &r->err);
}

static inline void rig_close(struct rig *r)
{
	setenv("FAKE_CUDA", "", 1);
	if (r->device)
		call->close(r->device);
	recorder_release(&r->recorder);
	assert_int_equal(fake_alive(), r->alive);
}

static inline void ok(struct rig *r, int status)
{
	if (status)
		fail_msg("%s", r->err.text);
}

static inline void says(const struct rig *r, const char *text)
{
	if (!strstr(r->err.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, r->err.text);
}

/* ---- arrays ---- */

struct array {
	struct device_memory *memory;
	double *value; /* (n) as the device has them */
	size_t n;
	enum dtype dtype;
};

static inline struct array array_new(struct rig *r, size_t n, enum dtype dtype, uint64_t seed)
{
	struct array a = {NULL, calloc(n, sizeof(double)), n, dtype};
	void *raw = malloc(n * dtype_bytes(dtype));
	values_fill(raw, dtype, n, 2, seed);
	values_read(a.value, raw, dtype, n);
	a.memory = call->alloc(r->device, n * dtype_bytes(dtype), &r->err);
	ok(r, a.memory ? 0 : -1);
	ok(r, call->upload(r->device, a.memory, raw, n * dtype_bytes(dtype), &r->err));
	free(raw);
	return a;
}

static inline void array_free(struct rig *r, struct array *a)
{
	call->free(r->device, a->memory);
	free(a->value);
}

static inline double *array_got(struct rig *r, const struct array *a)
{
	void *raw = malloc(a->n * dtype_bytes(a->dtype));
	double *value = calloc(a->n, sizeof *value);
	ok(r, call->download(r->device, a->memory, raw, a->n * dtype_bytes(a->dtype), &r->err));
	values_read(value, raw, a->dtype, a->n);
	free(raw);
	return value;
}

static inline double limit(enum dtype dtype)
{
	return dtype == DTYPE_BF16 ? 6e-3 : 3e-6;
}

/* Every element, relative to what it should be. */
static inline void near(const double *got, const double *want, size_t n, double most)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(got[i] - want[i]) <= most * (fabs(want[i]) + 0.05)))
			fail_msg("element %zu of %zu is %g, not %g", i, n, got[i], want[i]);
}

/* x becomes its square. */
static inline struct device_pointwise squares(struct array *x)
{
	return (struct device_pointwise){.dtype = x->dtype,
		.n = (int64_t)x->n,
		.n_steps = 1,
		.step = {POINTWISE_SQUARE},
		.n_inputs = 1,
		.in = {x->memory},
		.out = x->memory};
}

#endif
#endif
