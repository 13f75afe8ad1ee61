/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_fail.h - turning the runtime library's errors into messages.
 */
#ifndef EXPERIMENTS_CUDA_CUDA_FAIL_H
#define EXPERIMENTS_CUDA_CUDA_FAIL_H

#include "base/err.h"

#include <cuda_runtime_api.h>

/* "what: CUDA says ...": returns -1; 0 when `status` is a success. Clears the runtime's last error,
 * so that it is not told twice. */
int cuda_ok(cudaError_t status, const char *what, struct err *err);

#endif
