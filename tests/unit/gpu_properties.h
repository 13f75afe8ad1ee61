/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_properties.h - what CUDA tells of a GPU, for tests that have none.
 */
#ifndef TESTS_GPU_PROPERTIES_H
#define TESTS_GPU_PROPERTIES_H

#include "experiments/device.h"

static const struct device_properties h200 = {
	.name = "NVIDIA H200",
	.memory_bytes = 150754820096,
	.major = 9,
	.multiprocessors = 132,
	.warp = 32,
	.threads_per_block = 1024,
	.threads_per_multiprocessor = 2048,
	.registers_per_block = 65536,
	.registers_per_multiprocessor = 65536,
	.shared_per_block = 49152,
	.shared_per_block_optin = 232448,
	.shared_per_multiprocessor = 233472,
};

#endif
