/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/hardware_counters.h"

#include "experiments/cuda/nvidia_libraries.h"

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <stdlib.h>
#include <string.h>

/* One pass for all that is not deep, on GH100 and on GA100
 * (tests/unit/experiments/test_cuda_counters.c). */
const struct counter counters_known[] = {
	{"gpu__time_duration.sum", "time (ns)", false},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "memory throughput (% of peak)",
		false},
	{"dram__bytes_read.sum", "bytes read from memory", false},
	{"dram__bytes_write.sum", "bytes written to memory", false},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy (%)", false},
	{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "tensor pipe active (%)",
		false},
	{"sm__cycles_elapsed.max", "SM cycles", false},
	{"sm__cycles_active.avg", "active SM cycles", false},
	{"gpc__cycles_elapsed.avg.per_second", "clock (Hz)", false},
	{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "SM throughput (% of peak)", true},
	{NULL, NULL, false},
};

enum { METRICS_ROOM = 32, RANGES_ROOM = 256 };

#define FUNCTIONS(X) \
	X(cuptiGetResultString) \
	X(cuptiProfilerInitialize) \
	X(cuptiProfilerDeInitialize) \
	X(cuptiProfilerGetCounterAvailability) \
	X(cuptiDeviceGetChipName) \
	X(cuptiProfilerHostInitialize) \
	X(cuptiProfilerHostDeinitialize) \
	X(cuptiProfilerHostConfigAddMetrics) \
	X(cuptiProfilerHostGetConfigImageSize) \
	X(cuptiProfilerHostGetConfigImage) \
	X(cuptiProfilerHostGetNumOfPasses) \
	X(cuptiProfilerHostEvaluateToGpuValues) \
	X(cuptiRangeProfilerEnable) \
	X(cuptiRangeProfilerDisable) \
	X(cuptiRangeProfilerSetConfig) \
	X(cuptiRangeProfilerStart) \
	X(cuptiRangeProfilerStop) \
	X(cuptiRangeProfilerPushRange) \
	X(cuptiRangeProfilerPopRange) \
	X(cuptiRangeProfilerDecodeData) \
	X(cuptiRangeProfilerGetCounterDataSize) \
	X(cuptiRangeProfilerCounterDataImageInitialize) \
	X(cuptiRangeProfilerGetCounterDataInfo)

struct counters {
	struct arena arena;
#define X(name) __typeof__(name) *name;
	FUNCTIONS(X)
#undef X
	const struct counter *metric[METRICS_ROOM];
	const char *name[METRICS_ROOM];
	size_t n;
	CUpti_Profiler_Host_Object *host;
	uint8_t *config; /* (n_config) in the arena */
	size_t n_config, passes;
	uint8_t *available; /* which counters this GPU has; NULL without one */
	bool started; /* the profiler of this process */
};

/* Every parameter struct of CUPTI's profiler begins with its own size. */
#define PARAMS(type, variable) type##_Params variable = {.structSize = type##_Params_STRUCT_SIZE}

static int counters_fail(
	const struct counters *c, CUptiResult result, const char *what, struct err *err)
{
	const char *text = NULL;
	if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
		return fail(err,
			"counters are for root here (the driver's RmProfilingAdminOnly is 1): run "
			"as root, or load the driver with "
			"NVreg_RestrictProfilingToAdminUsers=0");
	c->cuptiGetResultString(result, &text);
	return fail(err, "%s: CUPTI says \"%s\" (%d)", what, text ? text : "unknown error",
		(int)result);
}

static int find_functions(struct counters *c, struct err *err)
{
	void *library = library_open(&c->arena, &library_cupti, NULL, err);
	if (!library)
		return -1;
#define X(name) \
	void *name##_found = library_function(library, &library_cupti, #name, err); \
	memcpy(&c->name, &name##_found, sizeof c->name);
	FUNCTIONS(X)
#undef X
	return err->set ? -1 : 0;
}

static void choose_metrics(struct counters *c, bool deep)
{
	for (const struct counter *k = counters_known; k->metric; k++)
		if (deep || !k->deep) {
			c->metric[c->n] = k;
			c->name[c->n++] = k->metric;
		}
}

/* ---- planning ---- */

static int start_host(struct counters *c, const char *chip, struct err *err)
{
	PARAMS(CUpti_Profiler_Host_Initialize, start);
	start.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
	start.pChipName = chip;
	start.pCounterAvailabilityImage = c->available;
	CUptiResult result = c->cuptiProfilerHostInitialize(&start);
	if (result)
		return counters_fail(c, result, chip, err);
	c->host = start.pHostObject;
	return 0;
}

static int add_metrics(struct counters *c, struct err *err)
{
	PARAMS(CUpti_Profiler_Host_ConfigAddMetrics, add);
	add.pHostObject = c->host;
	add.ppMetricNames = c->name;
	add.numMetrics = c->n;
	CUptiResult result = c->cuptiProfilerHostConfigAddMetrics(&add);
	return result ? counters_fail(c, result, "choosing the counters", err) : 0;
}

static int make_config(struct counters *c, struct err *err)
{
	PARAMS(CUpti_Profiler_Host_GetConfigImageSize, size);
	PARAMS(CUpti_Profiler_Host_GetConfigImage, image);
	PARAMS(CUpti_Profiler_Host_GetNumOfPasses, passes);
	size.pHostObject = image.pHostObject = c->host;
	CUptiResult result = c->cuptiProfilerHostGetConfigImageSize(&size);
	if (result)
		return counters_fail(c, result, "planning the counters", err);
	c->n_config = size.configImageSize;
	c->config = arena_alloc(&c->arena, c->n_config);
	image.configImageSize = passes.configImageSize = c->n_config;
	image.pConfigImage = passes.pConfigImage = c->config;
	result = c->cuptiProfilerHostGetConfigImage(&image);
	if (!result)
		result = c->cuptiProfilerHostGetNumOfPasses(&passes);
	if (result)
		return counters_fail(c, result, "planning the counters", err);
	c->passes = passes.numOfPasses;
	return 0;
}

static int plan(struct counters *c, const char *chip, bool deep, struct err *err)
{
	choose_metrics(c, deep);
	return start_host(c, chip, err) || add_metrics(c, err) || make_config(c, err) ? -1 : 0;
}

struct counters *counters_plan(const char *chip, bool deep, struct err *err)
{
	struct counters *c = xcalloc(1, sizeof *c);
	if (!find_functions(c, err) && !plan(c, chip, deep, err))
		return c;
	counters_close(c);
	return NULL;
}

/* ---- with a GPU ---- */

static int start_profiler(struct counters *c, struct err *err)
{
	PARAMS(CUpti_Profiler_Initialize, start);
	CUptiResult result = c->cuptiProfilerInitialize(&start);
	if (result)
		return counters_fail(c, result, "starting the counters", err);
	c->started = true;
	return 0;
}

static int ask_available(struct counters *c, struct err *err)
{
	PARAMS(CUpti_Profiler_GetCounterAvailability, ask);
	CUptiResult result = c->cuptiProfilerGetCounterAvailability(&ask);
	if (!result) {
		c->available = arena_alloc(&c->arena, ask.counterAvailabilityImageSize);
		ask.pCounterAvailabilityImage = c->available;
		result = c->cuptiProfilerGetCounterAvailability(&ask);
	}
	return result ? counters_fail(c, result, "asking which counters there are", err) : 0;
}

static int open_gpu(struct counters *c, bool deep, struct err *err)
{
	PARAMS(CUpti_Device_GetChipName, chip);
	if (start_profiler(c, err) || ask_available(c, err))
		return -1;
	CUptiResult result = c->cuptiDeviceGetChipName(&chip);
	if (result)
		return counters_fail(c, result, "asking for the chip's name", err);
	return plan(c, chip.pChipName, deep, err);
}

struct counters *counters_open(bool deep, struct err *err)
{
	struct counters *c = xcalloc(1, sizeof *c);
	if (!find_functions(c, err) && !open_gpu(c, deep, err))
		return c;
	counters_close(c);
	return NULL;
}

void counters_close(struct counters *c)
{
	if (!c)
		return;
	if (c->host) {
		PARAMS(CUpti_Profiler_Host_Deinitialize, end);
		end.pHostObject = c->host;
		c->cuptiProfilerHostDeinitialize(&end);
	}
	if (c->started) {
		PARAMS(CUpti_Profiler_DeInitialize, end);
		c->cuptiProfilerDeInitialize(&end);
	}
	arena_release(&c->arena);
	free(c);
}

size_t counters_passes(const struct counters *c)
{
	return c->passes;
}

size_t counters_metrics(const struct counters *c)
{
	return c->n;
}

const struct counter *counters_metric(const struct counters *c, size_t i)
{
	return c->metric[i];
}

/* ---- collecting ---- */

struct collecting {
	struct counters *c;
	CUpti_RangeProfiler_Object *profiler;
	uint8_t *data; /* (n_data) in the arena */
	size_t n_data;
	enum counters_range range;
};

/* A null context makes CUPTI 13.0 crash; the current one is asked for here. */
static CUcontext current_context(struct counters *c, struct err *err)
{
	CUcontext context = NULL;
	__typeof__(cuCtxGetCurrent) *current = NULL;
	void *driver = library_open(&c->arena, &library_driver, NULL, err);
	void *found =
		driver ? library_function(driver, &library_driver, "cuCtxGetCurrent", err) : NULL;
	memcpy(&current, &found, sizeof current);
	if (current && (current(&context) || !context))
		fail(err, "counters: no GPU is in use");
	return err->set ? NULL : context;
}

static int enable(struct collecting *x, struct err *err)
{
	PARAMS(CUpti_RangeProfiler_Enable, enable);
	enable.ctx = current_context(x->c, err);
	if (!enable.ctx)
		return -1;
	CUptiResult result = x->c->cuptiRangeProfilerEnable(&enable);
	x->profiler = enable.pRangeProfilerObject;
	return result ? counters_fail(x->c, result, "switching the counters on", err) : 0;
}

static void disable(struct collecting *x)
{
	PARAMS(CUpti_RangeProfiler_Disable, disable);
	disable.pRangeProfilerObject = x->profiler;
	x->c->cuptiRangeProfilerDisable(&disable);
}

static int make_data(struct collecting *x, struct arena *a, struct err *err)
{
	PARAMS(CUpti_RangeProfiler_GetCounterDataSize, size);
	PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize, image);
	size.pRangeProfilerObject = image.pRangeProfilerObject = x->profiler;
	size.pMetricNames = x->c->name;
	size.numMetrics = x->c->n;
	size.maxNumOfRanges = RANGES_ROOM;
	size.maxNumRangeTreeNodes = RANGES_ROOM;
	CUptiResult result = x->c->cuptiRangeProfilerGetCounterDataSize(&size);
	if (result)
		return counters_fail(x->c, result, "room for the counters", err);
	x->n_data = size.counterDataSize;
	x->data = arena_alloc(a, x->n_data);
	image.counterDataSize = x->n_data;
	image.pCounterData = x->data;
	result = x->c->cuptiRangeProfilerCounterDataImageInitialize(&image);
	return result ? counters_fail(x->c, result, "room for the counters", err) : 0;
}

static int configure(struct collecting *x, struct err *err)
{
	PARAMS(CUpti_RangeProfiler_SetConfig, set);
	bool kernels = x->range == COUNTERS_OF_KERNELS;
	set.pRangeProfilerObject = x->profiler;
	set.configSize = x->c->n_config;
	set.pConfig = x->c->config;
	set.counterDataImageSize = x->n_data;
	set.pCounterDataImage = x->data;
	set.range = kernels ? CUPTI_AutoRange : CUPTI_UserRange;
	set.replayMode = kernels ? CUPTI_KernelReplay : CUPTI_UserReplay;
	set.maxRangesPerPass = RANGES_ROOM;
	set.numNestingLevels = 1;
	set.minNestingLevel = 1;
	CUptiResult result = x->c->cuptiRangeProfilerSetConfig(&set);
	return result ? counters_fail(x->c, result, "setting up the counters", err) : 0;
}

static CUptiResult push(struct collecting *x)
{
	PARAMS(CUpti_RangeProfiler_PushRange, push);
	push.pRangeProfilerObject = x->profiler;
	push.pRangeName = "work";
	return x->range == COUNTERS_OF_ALL ? x->c->cuptiRangeProfilerPushRange(&push)
					   : CUPTI_SUCCESS;
}

static CUptiResult pop(struct collecting *x)
{
	PARAMS(CUpti_RangeProfiler_PopRange, pop);
	pop.pRangeProfilerObject = x->profiler;
	return x->range == COUNTERS_OF_ALL ? x->c->cuptiRangeProfilerPopRange(&pop) : CUPTI_SUCCESS;
}

/* *again: CUPTI wants to see the work once more. */
static int one_pass(
	struct collecting *x, const struct counters_work *work, bool *again, struct err *err)
{
	PARAMS(CUpti_RangeProfiler_Start, start);
	PARAMS(CUpti_RangeProfiler_Stop, stop);
	start.pRangeProfilerObject = stop.pRangeProfilerObject = x->profiler;
	CUptiResult result = x->c->cuptiRangeProfilerStart(&start);
	if (!result)
		result = push(x);
	if (result)
		return counters_fail(x->c, result, "starting a pass", err);
	int status = work->run(work->context, err);
	if (!status)
		status = work->synchronise(work->context, err);
	result = pop(x);
	if (!result)
		result = x->c->cuptiRangeProfilerStop(&stop);
	*again = x->range == COUNTERS_OF_ALL && !stop.isAllPassSubmitted;
	if (status)
		return status;
	return result ? counters_fail(x->c, result, "ending a pass", err) : 0;
}

static int all_passes(struct collecting *x, const struct counters_work *work, struct err *err)
{
	PARAMS(CUpti_RangeProfiler_DecodeData, decode);
	bool again = true;
	while (again)
		if (one_pass(x, work, &again, err))
			return -1;
	decode.pRangeProfilerObject = x->profiler;
	CUptiResult result = x->c->cuptiRangeProfilerDecodeData(&decode);
	if (result)
		return counters_fail(x->c, result, "reading the counters", err);
	return decode.numOfRangeDropped
		? fail(err, "counters of %zu ranges were lost", decode.numOfRangeDropped)
		: 0;
}

static const double *evaluate(
	struct collecting *x, struct arena *a, size_t *n_rows, struct err *err)
{
	PARAMS(CUpti_RangeProfiler_GetCounterDataInfo, info);
	info.pCounterDataImage = x->data;
	info.counterDataImageSize = x->n_data;
	CUptiResult result = x->c->cuptiRangeProfilerGetCounterDataInfo(&info);
	*n_rows = result ? 0 : info.numTotalRanges;
	double *value = arena_array(a, *n_rows * x->c->n + 1, sizeof *value);
	for (size_t i = 0; i < *n_rows && !result; i++) {
		PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues, row);
		row.pHostObject = x->c->host;
		row.pCounterDataImage = x->data;
		row.counterDataImageSize = x->n_data;
		row.rangeIndex = i;
		row.ppMetricNames = x->c->name;
		row.numMetrics = x->c->n;
		row.pMetricValues = value + i * x->c->n;
		result = x->c->cuptiProfilerHostEvaluateToGpuValues(&row);
	}
	if (result)
		counters_fail(x->c, result, "working out the counters", err);
	return result ? NULL : value;
}

const double *counters_collect(struct counters *c, enum counters_range range,
	const struct counters_work *work, struct arena *a, size_t *n_rows, struct err *err)
{
	struct collecting x = {.c = c, .range = range};
	const double *value = NULL;
	if (enable(&x, err))
		return NULL;
	if (!make_data(&x, a, err) && !configure(&x, err) && !all_passes(&x, work, err))
		value = evaluate(&x, a, n_rows, err);
	disable(&x);
	return value;
}
