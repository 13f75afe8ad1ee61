/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/inject/inject.h"
#include "base/min_max.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	struct inject in;
	pthread_mutex_t lock;
	bool tried;
} here = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint32_t this_thread;

uint32_t inject_thread(void)
{
	if (!this_thread)
		this_thread = (uint32_t)gettid();
	return this_thread;
}

static int is_torch(struct dl_phdr_info *library, size_t size, void *found)
{
	(void)size;
	if (library->dlpi_name && strstr(library->dlpi_name, "libtorch_cpu.so"))
		*(const char **)found = library->dlpi_name;
	return 0;
}

const char *inject_torch_library(void)
{
	const char *found = NULL;
	dl_iterate_phdr(is_torch, &found);
	return found;
}

/* Where no start-up file was read (python -I, libtorch) PyTorch is a library like any other. */
bool inject_left_to_torch(void)
{
	char path[sizeof here.in.folder + 32];
	snprintf(path, sizeof path, "%s/python.%d", here.in.folder, (int)getpid());
	return inject_torch_library() && !access(path, F_OK);
}

/* A child that forks has its parent's state, but not its ring. */
static void forget(void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	memcpy(&here.lock, &fresh, sizeof fresh);
	here.in.ring = (struct ring){0};
	this_thread = 0;
	here.tried = false;
}

static bool read_wish(struct inject *in)
{
	const char *wish = getenv("TRACEBOOK_INJECT");
	long long start = 0, end = 0;
	if (!wish || sscanf(wish, "%4095s %lld %lld", in->folder, &start, &end) != 3)
		return false;
	in->start_ns = start;
	in->end_ns = min64(end, INT64_MAX / 2); /* so that it can be added to */
	return true;
}

static void open_here(void)
{
	struct err ignored = {0};
	static bool watching;
	here.tried = true;
	if (!read_wish(&here.in) || inject_left_to_torch())
		return;
	if (!watching)
		pthread_atfork(NULL, NULL, forget);
	watching = true;
	ring_open(&here.in.ring, here.in.folder, &ignored);
}

struct inject *inject_here(void)
{
	if (!__atomic_load_n(&here.tried, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&here.lock);
		if (!here.tried)
			open_here();
		pthread_mutex_unlock(&here.lock);
	}
	return here.in.ring.head ? &here.in : NULL;
}

bool inject_in_window(const struct inject *in, int64_t at_ns)
{
	return at_ns >= in->start_ns && at_ns <= in->end_ns;
}
