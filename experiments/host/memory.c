/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/host/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGNMENT = 64, OWN_PAGES = 64 * 1024 };

struct memory_text memory_text(double bytes)
{
	struct memory_text t;
	static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
	size_t u = 0;
	for (; bytes >= 1000 && u + 1 < sizeof unit / sizeof *unit; u++)
		bytes /= 1000;
	snprintf(t.text, sizeof t.text, u ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
	return t;
}

/* SIZE_MAX when the system does not tell: then malloc and mmap have the last word. */
static size_t available_bytes(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	if (!f)
		return SIZE_MAX;
	char line[128];
	uint64_t kib;
	size_t bytes = SIZE_MAX;
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			bytes = (size_t)kib * 1024;
	}
	fclose(f);
	return bytes;
}

static int no_room(size_t bytes, size_t available, struct err *err)
{
	return fail(err, "no memory for %s: this machine has %s free; make the case smaller",
		memory_text((double)bytes).text, memory_text((double)available).text);
}

static long minor_faults(void)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

/* MAP_POPULATE is the first touch, done by the kernel in one go. */
static void map_pages(struct device_memory *m)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	m->mapped = (m->bytes + page - 1) / page * page;
	void *p = mmap(NULL, m->mapped, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	m->base = p == MAP_FAILED ? NULL : p;
}

static void take_from_heap(struct device_memory *m)
{
	size_t rounded = (m->bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	m->base = aligned_alloc(ALIGNMENT, rounded);
	if (m->base)
		memset(m->base, 0, rounded);
}

static void take_and_touch(struct device_memory *m, struct recorder *recorder)
{
	long faults = minor_faults();
	int64_t start_ns = clock_ns();
	if (m->bytes >= OWN_PAGES)
		map_pages(m);
	else
		take_from_heap(m);
	int64_t end_ns = clock_ns();
	if (minor_faults() == faults)
		return;
	struct span *s = span_begin(recorder, SPAN_SETUP, "page faults of first touch");
	if (s) {
		s->start_ns = start_ns;
		s->end_ns = end_ns;
	}
}

struct device_memory *memory_new(size_t bytes, struct recorder *recorder, struct err *err)
{
	if (bytes >= OWN_PAGES) {
		size_t available = available_bytes();
		if (bytes > available || bytes > PTRDIFF_MAX) {
			no_room(bytes, available, err);
			return NULL;
		}
	}
	struct device_memory *m = xcalloc(1, sizeof *m);
	m->bytes = bytes;
	take_and_touch(m, recorder);
	if (m->base)
		return m;
	no_room(bytes, available_bytes(), err);
	free(m);
	return NULL;
}

void memory_free(struct device_memory *m)
{
	if (!m)
		return;
	if (m->mapped)
		munmap(m->base, m->mapped);
	else
		free(m->base);
	free(m);
}

size_t memory_bytes(const struct device_memory *m)
{
	return m->bytes;
}
