/* SPDX-License-Identifier: Apache-2.0 */
// CUDA C++ for a CPU: put in front of a kernel's source, whose threads then run one after the other.
// What they do together is in emulate_warp.cuh.
#include <cmath>
#include <cstdint>
#include <cstring>

#define EMULATE 1
#define __global__
#define __device__
#define __shared__ static
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
