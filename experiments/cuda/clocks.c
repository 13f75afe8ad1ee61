/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiments/cuda/clocks.h"

#include "experiments/cuda/nvidia_libraries.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_SENSOR_GPU = 0 };

const char *clocks_name(enum clocks_value value)
{
	static const char *const names[CLOCKS_VALUES] = {
		[CLOCKS_SM_MHZ] = "SM clock (MHz)",
		[CLOCKS_MEMORY_MHZ] = "memory clock (MHz)",
		[CLOCKS_TEMPERATURE_C] = "temperature (C)",
		[CLOCKS_POWER_MW] = "power (mW)",
		[CLOCKS_THROTTLE] = "throttle reasons",
	};
	return names[value];
}

/* ---- NVML ---- */

#define FUNCTION(name) #name, offsetof(struct nvml, name)

static int find_functions(struct nvml *nvml, void *library, struct err *err)
{
	static const struct {
		const char *name;
		size_t offset;
		const char *newer; /* NULL, or what it is called since driver 535 */
	} functions[] = {
		{FUNCTION(nvmlInit_v2), NULL},
		{FUNCTION(nvmlShutdown), NULL},
		{FUNCTION(nvmlSystemGetDriverVersion), NULL},
		{FUNCTION(nvmlDeviceGetHandleByPciBusId_v2), NULL},
		{FUNCTION(nvmlDeviceGetClockInfo), NULL},
		{FUNCTION(nvmlDeviceGetMaxClockInfo), NULL},
		{FUNCTION(nvmlDeviceGetTemperature), NULL},
		{FUNCTION(nvmlDeviceGetPowerUsage), NULL},
		{FUNCTION(nvmlDeviceGetCurrentClocksThrottleReasons),
			"nvmlDeviceGetCurrentClocksEventReasons"},
	};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		struct err missing = {0};
		const char *name = functions[i].name, *newer = functions[i].newer;
		void *function =
			newer ? library_function(library, &library_nvml, newer, &missing) : NULL;
		if (!function)
			function = library_function(library, &library_nvml, name, err);
		if (!function)
			return -1;
		memcpy((char *)nvml + functions[i].offset, &function, sizeof function);
	}
	return 0;
}

int clocks_open(struct clocks *c, struct arena *a, const char *bus, struct err *err)
{
	*c = (struct clocks){0};
	const char *wish = getenv("TRACEBOOK_CLOCKS");
	if (wish && !strcmp(wish, "off"))
		return fail(err, "clocks are not read: TRACEBOOK_CLOCKS is off");
	void *library = library_open(a, &library_nvml, NULL, err);
	if (!library || find_functions(&c->nvml, library, err))
		return -1;
	int status = c->nvml.nvmlInit_v2();
	if (!status)
		status = c->nvml.nvmlDeviceGetHandleByPciBusId_v2(bus, &c->device);
	if (status) {
		c->device = NULL;
		return fail(err, "NVML does not show the device %s (%d)", bus, status);
	}
	if (c->nvml.nvmlSystemGetDriverVersion(c->driver, sizeof c->driver))
		*c->driver = '\0';
	c->nvml.nvmlDeviceGetMaxClockInfo(c->device, NVML_CLOCK_SM, &c->max_sm_mhz);
	c->nvml.nvmlDeviceGetMaxClockInfo(c->device, NVML_CLOCK_MEMORY, &c->max_memory_mhz);
	c->reading = xcalloc(CLOCKS_ROOM, sizeof *c->reading);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->stop, NULL);
	return 0;
}

void clocks_close(struct clocks *c)
{
	if (!c->device)
		return;
	clocks_stop(c);
	c->nvml.nvmlShutdown();
	pthread_cond_destroy(&c->stop);
	pthread_mutex_destroy(&c->lock);
	free(c->reading);
	*c = (struct clocks){0};
}

/* ---- readings ---- */

static int64_t known(int status, unsigned value)
{
	return status ? -1 : (int64_t)value;
}

static void take_reading(struct clocks *c)
{
	struct clocks_reading r = {.at_ns = clock_ns()};
	const struct nvml *nvml = &c->nvml;
	unsigned v = 0;
	unsigned long long reasons = 0;
	int status = nvml->nvmlDeviceGetClockInfo(c->device, NVML_CLOCK_SM, &v);
	r.value[CLOCKS_SM_MHZ] = known(status, v);
	status = nvml->nvmlDeviceGetClockInfo(c->device, NVML_CLOCK_MEMORY, &v);
	r.value[CLOCKS_MEMORY_MHZ] = known(status, v);
	status = nvml->nvmlDeviceGetTemperature(c->device, NVML_SENSOR_GPU, &v);
	r.value[CLOCKS_TEMPERATURE_C] = known(status, v);
	status = nvml->nvmlDeviceGetPowerUsage(c->device, &v);
	r.value[CLOCKS_POWER_MW] = known(status, v);
	status = nvml->nvmlDeviceGetCurrentClocksThrottleReasons(c->device, &reasons);
	r.value[CLOCKS_THROTTLE] = status ? -1 : (int64_t)reasons;
	if (c->n < CLOCKS_ROOM)
		c->reading[c->n++] = r;
	else
		c->lost++;
}

static struct timespec later(int64_t ns)
{
	int64_t at = clock_ns() + ns;
	return (struct timespec){at / 1000000000, at % 1000000000};
}

static void *sampler(void *context)
{
	struct clocks *c = context;
	pthread_mutex_lock(&c->lock);
	while (!c->stopping) {
		struct timespec until = later(CLOCKS_PERIOD_NS);
		if (pthread_cond_timedwait(&c->stop, &c->lock, &until) == ETIMEDOUT)
			take_reading(c);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Signals are for the program's own threads. */
static bool start_thread(struct clocks *c)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	bool started = !pthread_create(&c->thread, NULL, sampler, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

void clocks_start(struct clocks *c)
{
	if (!c->device || c->running)
		return;
	c->n = c->lost = 0;
	take_reading(c);
	c->stopping = false;
	c->running = start_thread(c);
}

void clocks_stop(struct clocks *c)
{
	if (!c->running)
		return;
	pthread_mutex_lock(&c->lock);
	c->stopping = true;
	pthread_cond_signal(&c->stop);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->thread, NULL);
	c->running = false;
	take_reading(c);
}

size_t clocks_drain(struct clocks *c, struct span *span)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		for (int v = 0; v < CLOCKS_VALUES; v++)
			if (c->reading[i].value[v] >= 0)
				span[n++] = (struct span){
					.start_ns = c->reading[i].at_ns,
					.end_ns = c->reading[i].at_ns,
					.name = clocks_name((enum clocks_value)v),
					.bytes = c->reading[i].value[v],
					.kind = SPAN_SAMPLE,
				};
	c->n = 0;
	return n;
}
