/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's range profiler: counts kernels and calls of the work, in the order that the real one
 * insists on. A value says where it stands: 10 x (metric + 1) + row. */
#include "tests/data/cuda/fake.h"

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <stdlib.h>
#include <string.h>

enum { METRICS = 32, IMAGE = 64, PLAIN_METRICS = 9, DEEP_PASSES = 3 };

struct CUpti_Profiler_Host_Object {
	size_t n;
};

struct CUpti_RangeProfiler_Object {
	bool user, set, started, pushed;
	size_t passes, passes_done, kernels;
};

static struct CUpti_Profiler_Host_Object host;
static struct CUpti_RangeProfiler_Object profiler;
static bool on, begun;

void fake_count_kernel(void)
{
	profiler.kernels += profiler.started;
}

static size_t passes(void)
{
	return host.n > PLAIN_METRICS ? DEEP_PASSES : 1;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
	(void)p;
	begun = true;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *p)
{
	(void)p;
	begun = false;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
	if (fake_is("nocounters"))
		return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	p->counterAvailabilityImageSize = IMAGE;
	if (p->pCounterAvailabilityImage)
		memset(p->pCounterAvailabilityImage, 1, IMAGE);
	return begun ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_INITIALIZED;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
	p->pChipName = "GF000";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
	host.n = 0;
	p->pHostObject = &host;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
	(void)p;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
	p->pHostObject->n += p->numMetrics;
	return p->pHostObject->n <= METRICS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
	p->configImageSize = IMAGE;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
	memset(p->pConfigImage, 2, p->configImageSize);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
	p->numOfPasses = passes();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
	profiler = (struct CUpti_RangeProfiler_Object){.passes = passes()};
	on = true;
	p->pRangeProfilerObject = &profiler;
	return p->ctx && begun ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
	(void)p;
	on = false;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
	p->counterDataSize = IMAGE;
	return p->numMetrics == host.n ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
	CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
	memset(p->pCounterData, 0, p->counterDataSize);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
	profiler.user = p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay;
	profiler.set = profiler.user ||
		(p->range == CUPTI_AutoRange && p->replayMode == CUPTI_KernelReplay);
	return on && profiler.set ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
	(void)p;
	if (!profiler.set || profiler.started)
		return CUPTI_ERROR_INVALID_OPERATION;
	profiler.started = true;
	profiler.kernels = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
	profiler.pushed = p->pRangeName != NULL;
	return profiler.started && profiler.user ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
	(void)p;
	bool right = profiler.pushed;
	profiler.pushed = false;
	return right ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
	if (!profiler.started || profiler.pushed)
		return CUPTI_ERROR_INVALID_OPERATION;
	profiler.started = false;
	profiler.passes_done++;
	p->isAllPassSubmitted = profiler.passes_done >= profiler.passes;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
	p->numOfRangeDropped = 0;
	return profiler.passes_done >= (profiler.user ? profiler.passes : 1)
		? CUPTI_SUCCESS
		: CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
	p->numTotalRanges = profiler.user ? 1 : profiler.kernels;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
	for (size_t i = 0; i < p->numMetrics; i++)
		p->pMetricValues[i] = (double)(10 * (i + 1) + p->rangeIndex);
	return CUPTI_SUCCESS;
}
