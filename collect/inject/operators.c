/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "collect/inject/operators.h"
#include "collect/inject/inject.h"

#include <dlfcn.h>
#include <stddef.h>

/* at::RecordFunctionCallback, with room for more kinds of ranges than there are. */
struct callback {
	void *start;
	void (*end)(const void *function, void *context);
	double share; /* of the operators that it is called for */
	bool kinds[104]; /* operators come first; what it wants to be given follows */
};

static struct {
	uint64_t counted, most;
	int (*add)(int (*)(void *), void *);
	int (*what)(void *);
	uint64_t handle; /* 0: it is not in place */
} here;

static void ended(const void *function, void *context)
{
	(void)function, (void)context;
	uint64_t n = __atomic_add_fetch(&here.counted, 1, __ATOMIC_RELAXED);
	if (n == __atomic_load_n(&here.most, __ATOMIC_ACQUIRE))
		here.add(here.what, NULL);
}

static void *of_torch(const char *name)
{
	const char *path = inject_torch_library();
	void *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found = library ? dlsym(library, name) : NULL;
	if (library)
		dlclose(library);
	return found;
}

bool tracebook_operators_begin(void)
{
	uint64_t (*add)(struct callback) = NULL;
	struct callback c = {.end = ended, .share = 1, .kinds = {true}};
	*(void **)&add = of_torch("_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE");
	if (add && !here.handle)
		here.handle = add(c);
	return here.handle;
}

uint64_t tracebook_operators_counted(void)
{
	return __atomic_load_n(&here.counted, __ATOMIC_RELAXED);
}

void tracebook_operators_wake(
	uint64_t most, int (*add)(int (*)(void *), void *), int (*what)(void *))
{
	here.add = add;
	here.what = what;
	__atomic_store_n(&here.most, most, __ATOMIC_RELEASE);
}

void tracebook_operators_end(void)
{
	void (*remove)(uint64_t) = NULL;
	*(void **)&remove = of_torch("_ZN2at14removeCallbackEm");
	__atomic_store_n(&here.most, 0, __ATOMIC_RELEASE);
	if (remove && here.handle)
		remove(here.handle);
	here.handle = 0;
}
