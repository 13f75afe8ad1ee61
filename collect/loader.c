/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/loader.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

const char *program_folder(struct arena *a, struct err *err)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n < 0) {
		fail_errno(err, "cannot find the program's own folder (/proc/self/exe)");
		return NULL;
	}
	path[n] = '\0';
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return arena_strdup(a, path);
}

const char *device_library(struct arena *a, const char *folder, const char *name)
{
	return arena_printf(a, "%s/../lib/tracebook-%s.so", folder, name);
}

const struct device_ops *device_load(const char *library, struct err *err)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fail(err, "cannot open %s: %s", library, dlerror());
		return NULL;
	}
	const struct device_ops *ops = dlsym(handle, "tracebook_device");
	if (!ops)
		fail(err, "%s is not a device: no tracebook_device in it", library);
	return ops;
}
