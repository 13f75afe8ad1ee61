/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/occupancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A header of the toolkit with functions in it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

static cudaOccDeviceProp device_of(const struct device_properties *p)
{
	cudaOccDeviceProp d;
	memset(&d, 0, sizeof d);
	d.computeMajor = p->major;
	d.computeMinor = p->minor;
	d.maxThreadsPerBlock = p->threads_per_block;
	d.maxThreadsPerMultiprocessor = p->threads_per_multiprocessor;
	d.regsPerBlock = p->registers_per_block;
	d.regsPerMultiprocessor = p->registers_per_multiprocessor;
	d.warpSize = p->warp;
	d.sharedMemPerBlock = (size_t)p->shared_per_block;
	d.sharedMemPerMultiprocessor = (size_t)p->shared_per_multiprocessor;
	d.numSms = p->multiprocessors;
	d.sharedMemPerBlockOptin = (size_t)p->shared_per_block_optin;
	/* the driver's own; cudaDeviceProp says 1024 on every device from 8.0 on */
	d.reservedSharedMemPerBlock = p->major >= 8 ? 1024 : 0;
	return d;
}

static cudaOccError ask(const struct span_kernel *k, const struct device_properties *p,
	cudaOccFuncShmemConfig limit, cudaOccResult *result)
{
	cudaOccDeviceProp device = device_of(p);
	cudaOccDeviceState state;
	cudaOccFuncAttributes function;
	memset(&state, 0, sizeof state);
	state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
	memset(&function, 0, sizeof function);
	function.maxThreadsPerBlock = INT32_MAX;
	function.numRegs = k->registers;
	function.sharedSizeBytes = (size_t)k->static_shared_bytes;
	function.partitionedGCConfig = PARTITIONED_GC_OFF;
	function.shmemLimitConfig = limit;
	function.maxDynamicSharedSizeBytes =
		limit == FUNC_SHMEM_LIMIT_OPTIN ? (size_t)k->dynamic_shared_bytes : 0;
	return cudaOccMaxActiveBlocksPerMultiprocessor(result, &device, &function, &state,
		k->block[0] * k->block[1] * k->block[2], (size_t)k->dynamic_shared_bytes);
}

static double grid_blocks(const struct span_kernel *k)
{
	return (double)k->grid[0] * (double)k->grid[1] * (double)k->grid[2];
}

static double block_threads(const struct span_kernel *k)
{
	return (double)k->block[0] * (double)k->block[1] * (double)k->block[2];
}

/* Kineto's formula: a grid that does not fill the device lowers it too. */
static int percent(const struct span_kernel *k, const struct device_properties *p, int blocks)
{
	double held = fmin((double)blocks, grid_blocks(k) / (double)p->multiprocessors);
	return (int)lround(100 * held * block_threads(k) / (double)p->threads_per_multiprocessor);
}

static const char *limit_of(unsigned factors)
{
	static const struct {
		unsigned factor;
		const char *name;
	} names[] = {
		/* first: with the warps used up nothing else matters */
		{OCC_LIMIT_WARPS, "warps"},
		{OCC_LIMIT_REGISTERS, "registers"},
		{OCC_LIMIT_SHARED_MEMORY, "shared memory"},
		{OCC_LIMIT_BARRIERS, "barriers"},
		{OCC_LIMIT_BLOCKS, "blocks"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (factors & names[i].factor)
			return names[i].name;
	return NULL;
}

void occupancy_of(struct span_kernel *k, const struct device_properties *p)
{
	cudaOccResult result;
	if (p->multiprocessors < 1 || p->warp < 1 || p->threads_per_multiprocessor < 1)
		return;
	k->blocks_per_sm = grid_blocks(k) / (double)p->multiprocessors;
	k->warps_per_sm = k->blocks_per_sm * block_threads(k) / (double)p->warp;
	if (!ask(k, p, FUNC_SHMEM_LIMIT_DEFAULT, &result))
		k->kineto_occupancy_pct = percent(k, p, result.activeBlocksPerMultiprocessor);
	if (ask(k, p, FUNC_SHMEM_LIMIT_OPTIN, &result) || result.activeBlocksPerMultiprocessor < 1)
		return;
	k->resident_blocks = result.activeBlocksPerMultiprocessor;
	k->occupancy_pct = percent(k, p, k->resident_blocks);
	k->limit = limit_of(result.limitingFactors);
	k->waves = k->blocks_per_sm / (double)k->resident_blocks;
	if (k->waves > 1)
		k->tail_pct = 100 * (1 - k->waves / ceil(k->waves));
}
