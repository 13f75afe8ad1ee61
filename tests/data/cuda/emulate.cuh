/* SPDX-License-Identifier: Apache-2.0 */
// CUDA C++ for a CPU: put in front of a kernel's source, whose threads then run one after the other.
// Enough for kernels without shared memory and barriers.
#include <cmath>
#include <cstdint>
#include <cstring>

#define EMULATE 1
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct emulated_index {
	unsigned x, y, z;
};

// Set by whoever runs the kernel.
extern "C" {
extern __thread struct emulated_index blockIdx, threadIdx, gridDim, blockDim;
}
