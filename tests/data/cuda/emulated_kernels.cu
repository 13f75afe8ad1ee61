/* SPDX-License-Identifier: Apache-2.0 */
// experiments/cuda/kernels.cu, compiled for the CPU. Not for nvcc.
#include "tests/data/cuda/emulate.cuh"
#include "tests/data/cuda/emulate_warp.cuh"

extern "C" {
__thread struct emulated_index blockIdx, threadIdx, gridDim, blockDim;
}

#include "experiments/cuda/kernels.cu"
