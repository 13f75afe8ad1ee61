/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/unit/host_device.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static const struct device_ops *load(void)
{
	char path[4096] = "";
	const char *named = getenv("TRACEBOOK_LIB");
	if (named) {
		snprintf(path, sizeof path, "%s/tracebook-host.so", named);
	} else {
		ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
		char *slash = n > 0 ? strrchr(path, '/') : NULL;
		if (slash)
			snprintf(slash, 64, "/../lib/tracebook-host.so");
	}
	if (access(path, F_OK)) {
		printf("no host device: make has built none, for want of oneDNN or OpenMP\n");
		exit(77);
	}
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
	return dlsym(library, "tracebook_device");
}

int host_open(void **state)
{
	struct host *h = calloc(1, sizeof *h);
	h->ops = load();
	h->random = 1;
	recorder_init(&h->recorder, 100000);
	h->recorder.on = true;
	h->device = h->ops->open(&h->recorder, &h->err);
	if (h->device)
		h->ops->record(h->device, true);
	*state = h;
	return h->device ? 0 : -1;
}

int host_close(void **state)
{
	struct host *h = *state;
	h->ops->close(h->device);
	recorder_release(&h->recorder);
	free(h);
	return 0;
}

void host_ok(struct host *h, int status)
{
	if (status)
		fail_msg("%s", h->err.text);
}

bool host_can(struct host *h, enum dtype dtype)
{
	if (h->can[dtype])
		return h->can[dtype] > 0;
	struct err err = {0};
	struct device_memory *m = h->ops->alloc(h->device, 64, &err);
	struct device_matrix one = {m, 0, 1, 1, 1, 1, 0}, result = one;
	result.offset = 1;
	struct device_gemm g = {.dtype = dtype, .batch = 1, .a = one, .b = one, .d = result};
	h->can[dtype] = h->ops->gemm(h->device, &g, &err) ? -1 : 1;
	h->ops->free(h->device, m);
	if (err.set)
		print_message("left out: %s\n", err.text);
	return h->can[dtype] > 0;
}

static uint16_t bf16_of(double value)
{
	float f = (float)value;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	if (f != f)
		return 0x7fc0;
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double of_bf16(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;
	float f;
	memcpy(&f, &bits, sizeof f);
	return (double)f;
}

double *host_random(struct host *h, int64_t n, enum dtype dtype)
{
	double *value = calloc((size_t)n, sizeof *value);
	for (int64_t i = 0; i < n; i++) {
		h->random = h->random * 6364136223846793005u + 1442695040888963407u;
		double x = (double)(int64_t)h->random / 9223372036854775808.0;
		value[i] = dtype == DTYPE_BF16 ? of_bf16(bf16_of(x)) : (double)(float)x;
	}
	return value;
}

struct device_memory *host_put(struct host *h, const double *value, int64_t n, enum dtype dtype)
{
	size_t bytes = (size_t)n * dtype_bytes(dtype);
	unsigned char *packed = malloc(bytes);
	for (int64_t i = 0; i < n; i++) {
		if (dtype == DTYPE_BF16)
			((uint16_t *)packed)[i] = bf16_of(value[i]);
		else
			((float *)packed)[i] = (float)value[i];
	}
	struct device_memory *m = h->ops->alloc(h->device, bytes, &h->err);
	host_ok(h, m ? h->ops->upload(h->device, m, packed, bytes, &h->err) : -1);
	free(packed);
	return m;
}

double *host_take(struct host *h, const struct device_memory *m, int64_t n, enum dtype dtype)
{
	size_t bytes = (size_t)n * dtype_bytes(dtype);
	unsigned char *packed = malloc(bytes);
	host_ok(h, h->ops->download(h->device, m, packed, bytes, &h->err));
	double *value = calloc((size_t)n, sizeof *value);
	for (int64_t i = 0; i < n; i++) {
		value[i] = dtype == DTYPE_BF16 ? of_bf16(((uint16_t *)packed)[i])
					       : (double)((float *)packed)[i];
	}
	free(packed);
	return value;
}

struct counter counter_new(struct host *h, int64_t n)
{
	struct counter c = {.n = n};
	double *value = calloc((size_t)n, sizeof *value);
	c.x = host_put(h, value, n, DTYPE_F32);
	for (int64_t i = 0; i < n; i++)
		value[i] = 1;
	c.one = host_put(h, value, n, DTYPE_F32);
	free(value);
	return c;
}

void counter_free(struct host *h, struct counter *c)
{
	h->ops->free(h->device, c->x);
	h->ops->free(h->device, c->one);
}

void count(struct host *h, const struct counter *c)
{
	struct device_pointwise p = {.dtype = DTYPE_F32,
		.n = c->n,
		.n_steps = 1,
		.n_inputs = 2,
		.step = {POINTWISE_ADD},
		.in = {c->x, c->one},
		.out = c->x};
	host_ok(h, h->ops->pointwise(h->device, &p, &h->err));
}

double counted(struct host *h, const struct counter *c)
{
	double *value = host_take(h, c->x, c->n, DTYPE_F32);
	double first = value[0];
	for (int64_t i = 0; i < c->n; i++)
		assert_true(value[i] == first);
	free(value);
	return first;
}

struct squares squares_new(struct host *h, int64_t n)
{
	struct device_matrix m[3];
	for (int i = 0; i < 3; i++) {
		double *value = host_random(h, n * n, DTYPE_F32);
		m[i] = (struct device_matrix){
			host_put(h, value, n * n, DTYPE_F32), 0, n, n, n, 1, 0};
		free(value);
	}
	return (struct squares){m[0], m[1], m[2]};
}

void squares_free(struct host *h, struct squares *s)
{
	h->ops->free(h->device, s->a.memory);
	h->ops->free(h->device, s->b.memory);
	h->ops->free(h->device, s->d.memory);
}

struct device_gemm squares_gemm(const struct squares *s)
{
	return (struct device_gemm){
		.dtype = DTYPE_F32, .batch = 1, .a = s->a, .b = s->b, .d = s->d};
}

void multiply(struct host *h, const struct squares *s)
{
	struct device_gemm g = squares_gemm(s);
	host_ok(h, h->ops->gemm(h->device, &g, &h->err));
}

void synchronise(struct host *h)
{
	host_ok(h, h->ops->synchronise(h->device, &h->err));
}

void record_anew(struct host *h)
{
	size_t n, dropped;
	synchronise(h);
	h->ops->drain(h->device, &n, &dropped);
	h->ops->record(h->device, true);
	h->recorder.n = h->recorder.dropped = 0;
}
