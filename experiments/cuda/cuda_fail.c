/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cuda_fail.h"

int cuda_ok(cudaError_t status, const char *what, struct err *err)
{
	if (!status)
		return 0;
	cudaGetLastError();
	return fail(err, "%s: CUDA says \"%s\" (%s)", what, cudaGetErrorString(status),
		cudaGetErrorName(status));
}
