/* SPDX-License-Identifier: Apache-2.0 */
// experiments/cuda/kernels.cu, compiled for the CPU. Not for nvcc.
#include "tests/data/cuda/emulate.cuh"
#include "tests/data/cuda/emulate_warp.cuh"

extern "C" {
__thread struct emulated_index blockIdx, threadIdx, gridDim, blockDim;
}

#include "experiments/cuda/kernels.cu"

static unsigned emulated_element(const tb_vector *tile, int row, int column)
{
	return ((const unsigned short *)(tile + tb_place(row, column / 8)))[column % 8];
}

static inline void tb_group_scores(float (*s)[4], const unsigned (*q)[4], const tb_vector *keys)
{
	int lane = threadIdx.x % 32;
	for (int n = 0; n < KEYS_WIDE; n++) {
		memset(s[n], 0, sizeof s[n]);
		for (int d = 0; d < DEEP; d++) {
			unsigned k[2];
			for (int half = 0; half < 2; half++) {
				int row = n * 8 + lane / 4, at = d * 16 + half * 8 + lane % 4 * 2;
				k[half] = emulated_element(keys, row, at) |
					emulated_element(keys, row, at + 1) << 16;
			}
			tb_multiply(s[n], q[d], k);
		}
	}
}

static inline void tb_group_sums(float (*out)[4], const unsigned (*p)[4], const tb_vector *values)
{
	int lane = threadIdx.x % 32;
	for (int n = 0; n < DIM_WIDE; n++)
		for (int k = 0; k < KEYS_DEEP; k++) {
			unsigned v[2];
			for (int half = 0; half < 2; half++) {
				int at = k * 16 + half * 8 + lane % 4 * 2,
				    column = n * 8 + lane / 4;
				v[half] = emulated_element(values, at, column) |
					emulated_element(values, at + 1, column) << 16;
			}
			tb_multiply(out[n], p[k], v);
		}
}
