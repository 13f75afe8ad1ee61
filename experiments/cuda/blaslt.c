/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/blaslt.h"

#include "experiments/cuda/nvidia_libraries.h"

#include <string.h>

int blaslt_open(struct blaslt *b, struct arena *a, struct err *err)
{
	void *library = library_open(a, &library_cublaslt, &b->path, err);
	if (!library)
		return -1;
#define X(name) \
	void *name##_found = library_function(library, &library_cublaslt, #name, err); \
	memcpy(&b->name, &name##_found, sizeof b->name);
	BLASLT_FUNCTIONS(X)
#undef X
	if (err->set)
		return -1;
	b->version = b->cublasLtGetVersion();
	return 0;
}

int blaslt_fail(const struct blaslt *b, cublasStatus_t status, const char *what, struct err *err)
{
	return fail(err, "%s: cuBLASLt says \"%s\" (%d)", what, b->cublasLtGetStatusString(status),
		(int)status);
}
