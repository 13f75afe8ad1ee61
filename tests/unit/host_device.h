/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_device.h - the host device opened for a test, and data in its dtypes.
 *
 * The device is the shared object that collect would load: TRACEBOOK_LIB names its
 * folder, else that is ../lib beside the test program's folder.
 */
#ifndef TESTS_UNIT_HOST_DEVICE_H
#define TESTS_UNIT_HOST_DEVICE_H

#include "experiments/device.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct host {
	const struct device_ops *ops;
	struct device *device;
	struct recorder recorder;
	struct err err;
	uint64_t random; /* state */
	int can[DTYPES]; /* 0 not asked yet, 1 products work, -1 this CPU cannot */
};

/* cmocka set-up and tear-down of a group or a test. */
int host_open(void **state);
int host_close(void **state);

/* Fails the test with the device's message unless status is 0. */
void host_ok(struct host *h, int status);

/* Can this CPU multiply the dtype? Says so when it cannot. */
bool host_can(struct host *h, enum dtype dtype);

/* n values in [-1, 1) that the dtype holds exactly; the caller frees them. */
double *host_random(struct host *h, int64_t n, enum dtype dtype);

/* To the device in the dtype, and back. */
struct device_memory *host_put(struct host *h, const double *value, int64_t n, enum dtype dtype);
double *host_take(struct host *h, const struct device_memory *m, int64_t n, enum dtype dtype);

/* x = x + one, n elements of f32: exact as long as x stays small. */
struct counter {
	struct device_memory *x, *one;
	int64_t n;
};
struct counter counter_new(struct host *h, int64_t n);
void counter_free(struct host *h, struct counter *c);
void count(struct host *h, const struct counter *c); /* queues it once */
double counted(struct host *h, const struct counter *c); /* how often it ran */

/* Square matrices of one size in one allocation each. */
struct squares {
	struct device_matrix a, b, d;
};
struct squares squares_new(struct host *h, int64_t n);
void squares_free(struct host *h, struct squares *s);
struct device_gemm squares_gemm(const struct squares *s);
void multiply(struct host *h, const struct squares *s); /* queues d = a b */

void synchronise(struct host *h);

/* Forgets the spans of both sides and records from here on. */
void record_anew(struct host *h);

#endif
