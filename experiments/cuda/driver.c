/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/driver.h"

#include "experiments/cuda/nvidia_libraries.h"

#include <stdbool.h>
#include <string.h>

int driver_fail(const struct driver *d, CUresult result, const char *what, struct err *err)
{
	const char *text = NULL;
	d->cuGetErrorString(result, &text);
	return fail(err, "%s: the driver says \"%s\" (%d)", what, text ? text : "unknown error",
		(int)result);
}

static bool find_functions(struct driver *d, void *library, struct err *err)
{
#define X(name) \
	void *name##_found = library_function(library, &library_driver, #name, err); \
	memcpy(&d->name, &name##_found, sizeof d->name);
	DRIVER_FUNCTIONS(X)
#undef X
	return !err->set;
}

int driver_open(struct driver *d, struct arena *a, struct err *err)
{
	void *library = library_open(a, &library_driver, &d->path, err);
	return library && find_functions(d, library, err) ? 0 : -1;
}

int driver_start(struct driver *d, struct err *err)
{
	CUresult result = d->cuInit(0);
	if (result == CUDA_ERROR_NO_DEVICE)
		return fail(err, "there is no GPU: the driver %s finds no device", d->path);
	if (result)
		return driver_fail(d, result, "starting the NVIDIA driver", err);
	d->cuDriverGetVersion(&d->version);
	return 0;
}
