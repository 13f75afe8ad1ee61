/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/device_loader.h"

#include <dlfcn.h>

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
