/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broken_device.c - the host device with one thing wrong, for tests of collect.
 *
 * Built as tracebook-host.so beside a copy of collect. BROKEN_REAL names the real device, BROKEN
 * what goes wrong, and only with small products in fp32: "crash", "wrong" (results), "refuse" (the
 * launch), "memory" (of 32 x 32), "hang", "eat" (all memory). "open" refuses at once, "bf16" is not
 * what the processor multiplies.
 */
#include "experiments/device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL_ROWS = 100, MEMORY = 32 * 32 * 4, EATEN = 8 << 20 };

extern struct device_ops tracebook_device;
struct device_ops tracebook_device;
static const struct device_ops *real;

static int is_broken(const char *how)
{
	const char *broken = getenv("BROKEN");
	return broken && !strcmp(broken, how);
}

static struct device *broken_open(struct recorder *recorder, struct err *err)
{
	if (is_broken("open")) {
		fail(err, "there is no such processor here");
		return NULL;
	}
	return real->open(recorder, err);
}

static void broken_info(const struct device *d, struct device_info *info)
{
	real->info(d, info);
	if (is_broken("bf16"))
		info->bf16_native = false;
}

static int broken_gemm(struct device *d, const struct device_gemm *gemm, struct err *err)
{
	bool here = gemm->dtype == DTYPE_F32 && gemm->d.rows < SMALL_ROWS;
	if (here && is_broken("crash"))
		abort();
	while (here && is_broken("hang"))
		pause();
	while (here && is_broken("eat"))
		memset(xalloc(EATEN), 1, EATEN);
	if (here && is_broken("refuse"))
		return fail(err, "the queue refuses this product");
	struct device_gemm changed = *gemm;
	if (here && is_broken("wrong"))
		changed.b = changed.a;
	return real->gemm(d, &changed, err);
}

static struct device_memory *broken_alloc(struct device *d, size_t bytes, struct err *err)
{
	if (is_broken("memory") && bytes == MEMORY) {
		fail(err, "no memory for %zu bytes", bytes);
		return NULL;
	}
	return real->alloc(d, bytes, err);
}

__attribute__((constructor)) static void wrap(void)
{
	const char *path = getenv("BROKEN_REAL");
	void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	real = handle ? dlsym(handle, "tracebook_device") : NULL;
	if (!real)
		abort();
	tracebook_device = *real;
	tracebook_device.open = broken_open;
	tracebook_device.info = broken_info;
	tracebook_device.gemm = broken_gemm;
	tracebook_device.alloc = broken_alloc;
}
