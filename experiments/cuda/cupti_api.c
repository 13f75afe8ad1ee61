/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cupti_api.h"

#include "experiments/cuda/nvidia_libraries.h"

#include <inttypes.h>
#include <string.h>

/* CUPTI_API_VERSION of CUDA 12.0; from 13.0 on it is the toolkit's version (130000 and more). */
enum { OLDEST_VERSION = 18 };

int cupti_api_open(struct cupti_api *c, struct arena *a, struct err *err)
{
	c->library = library_open(a, &library_cupti, &c->path, err);
	if (!c->library)
		return -1;
#define X(name) \
	void *name##_found = library_function(c->library, &library_cupti, #name, err); \
	memcpy(&c->name, &name##_found, sizeof c->name);
	CUPTI_FUNCTIONS(X)
#undef X
	if (err->set)
		return -1;
	c->cuptiGetVersion(&c->version);
	if (c->version < OLDEST_VERSION)
		return fail(err, "%s is CUPTI %" PRIu32 ": version 18 (CUDA 12) or newer is wanted",
			c->path, c->version);
	return 0;
}

int cupti_fail(const struct cupti_api *c, CUptiResult result, const char *what, struct err *err)
{
	const char *text = NULL;
	c->cuptiGetResultString(result, &text);
	return fail(err, "%s: CUPTI says \"%s\" (%d)", what, text ? text : "unknown error",
		(int)result);
}
