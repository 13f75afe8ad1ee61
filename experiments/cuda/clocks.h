/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clocks.h - clock rates, temperature, power and throttling of the GPU while work is recorded.
 *
 * Read through NVML, whose header the toolkit does not bring: its functions are declared here by
 * hand (NVML API reference, driver 580). A reading is taken when recording starts and when it
 * stops, and every CLOCKS_PERIOD_NS in between by a thread of its own; each value is a SPAN_SAMPLE
 * named as in `names`. Nothing is ever set. TRACEBOOK_CLOCKS=off reads nothing.
 */
#ifndef EXPERIMENTS_CUDA_CLOCKS_H
#define EXPERIMENTS_CUDA_CLOCKS_H

#include "base/arena.h"
#include "base/err.h"
#include "experiments/span.h"

#include <pthread.h>

#define CLOCKS_PERIOD_NS INT64_C(10000000)

enum clocks_value {
	CLOCKS_SM_MHZ,
	CLOCKS_MEMORY_MHZ,
	CLOCKS_TEMPERATURE_C,
	CLOCKS_POWER_MW,
	CLOCKS_THROTTLE, /* bits: 1 idle, 2 set by a user, 4 power cap, 8 hardware slow-down, ... */
	CLOCKS_VALUES
};

enum { CLOCKS_ROOM = 4096 };

struct nvml_device; /* opaque, NVML's own */

struct nvml {
	int (*nvmlInit_v2)(void);
	int (*nvmlShutdown)(void);
	int (*nvmlSystemGetDriverVersion)(char *version, unsigned length);
	int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *bus, struct nvml_device **device);
	int (*nvmlDeviceGetClockInfo)(struct nvml_device *device, int clock, unsigned *mhz);
	int (*nvmlDeviceGetMaxClockInfo)(struct nvml_device *device, int clock, unsigned *mhz);
	int (*nvmlDeviceGetTemperature)(struct nvml_device *device, int sensor, unsigned *celsius);
	int (*nvmlDeviceGetPowerUsage)(struct nvml_device *device, unsigned *milliwatt);
	int (*nvmlDeviceGetCurrentClocksThrottleReasons)(
		struct nvml_device *device, unsigned long long *reasons);
};

struct clocks_reading {
	int64_t at_ns; /* CLOCK_REALTIME */
	int64_t value[CLOCKS_VALUES]; /* -1 unknown */
};

struct clocks {
	struct nvml nvml;
	struct nvml_device *device; /* NULL: not open */
	char driver[80]; /* "580.159.03" */
	unsigned max_sm_mhz, max_memory_mhz; /* 0 unknown */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop;
	bool running, stopping;
	struct clocks_reading *reading; /* (n, CLOCKS_ROOM) owned */
	size_t n, lost; /* lost: beyond the room */
};

/* `bus` is CUDA's name of the device: "0000:3B:00.0". Fails when NVML is missing or refuses; all
 * else then does nothing. */
int clocks_open(struct clocks *c, struct arena *a, const char *bus, struct err *err);
void clocks_close(struct clocks *c);

/* Between these readings are taken. */
void clocks_start(struct clocks *c);
void clocks_stop(struct clocks *c);

/* Readings as spans, CLOCKS_VALUES for each at most; forgets them. `span` has room for
 * n * CLOCKS_VALUES. Returns how many it wrote. Not while they are taken. */
size_t clocks_drain(struct clocks *c, struct span *span);

const char *clocks_name(enum clocks_value value); /* "SM clock (MHz)" */

#endif
