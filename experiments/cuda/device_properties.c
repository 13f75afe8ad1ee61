/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cuda.h"
#include "experiments/cuda/cuda_fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void properties_of(struct device_properties *p, const struct cudaDeviceProp *q)
{
	p->memory_bytes = (int64_t)q->totalGlobalMem;
	p->major = q->major;
	p->minor = q->minor;
	p->multiprocessors = q->multiProcessorCount;
	p->warp = q->warpSize;
	p->threads_per_block = q->maxThreadsPerBlock;
	p->threads_per_multiprocessor = q->maxThreadsPerMultiProcessor;
	p->registers_per_block = q->regsPerBlock;
	p->registers_per_multiprocessor = q->regsPerMultiprocessor;
	p->shared_per_block = (int64_t)q->sharedMemPerBlock;
	p->shared_per_block_optin = (int64_t)q->sharedMemPerBlockOptin;
	p->shared_per_multiprocessor = (int64_t)q->sharedMemPerMultiprocessor;
}

int about_init(struct about *about, struct err *err)
{
	struct cudaDeviceProp q;
	memset(about, 0, sizeof *about);
	if (cuda_ok(cudaGetDeviceProperties(&q, 0), "asking what the GPU is", err) ||
		cuda_ok(cudaRuntimeGetVersion(&about->runtime_version), "asking for the version",
			err) ||
		cuda_ok(cudaDeviceGetPCIBusId(about->bus, (int)sizeof about->bus, 0),
			"asking where the GPU is", err))
		return -1;
	snprintf(about->name, sizeof about->name, "%s", q.name);
	snprintf(about->isa, sizeof about->isa, "sm_%d%d", q.major, q.minor);
	snprintf(about->runtime, sizeof about->runtime, "CUDA %d.%d", about->runtime_version / 1000,
		about->runtime_version % 1000 / 10);
	properties_of(&about->properties, &q);
	about->properties.name = about->name;
	about->l2_bytes = q.l2CacheSize;
	about->bf16_native = q.major >= 8;
	return 0;
}

static void number(struct about *about, const char *name, int64_t value)
{
	if (about->n_numbers < ABOUT_NUMBERS)
		about->number[about->n_numbers++] = (struct device_number){name, value};
}

static void fact(struct about *about, const char *name, const char *value)
{
	if (about->n_facts < ABOUT_FACTS && value && *value)
		about->fact[about->n_facts++] = (struct device_fact){name, value};
}

static void fill_numbers(const struct device *d)
{
	struct about *about = d->about;
	const struct decoder *decoder = &d->decoder;
	about->n_numbers = 0;
	number(about, "cupti_version", d->recording.open ? d->recording.cupti.version : 0);
	number(about, "cuda_runtime_version", about->runtime_version);
	number(about, "cuda_driver_version", d->driver.version);
	number(about, "zero_stamped_records", (int64_t)decoder->zero_stamped);
	number(about, "records_before_their_call", (int64_t)decoder->early);
	number(about, "records_without_a_call", (int64_t)decoder->orphans);
	number(about, "activity_buffers", (int64_t)d->recording.buffers);
	number(about, "cupti_clock_offset_ns", d->recording.clock_offset_ns);
	number(about, "clock_step_ns", d->recording.clock_step_ns);
}

/* The struct device of info() is const, what it points to is not; versions are asked for late so
 * that a cold start shows what opening a library costs where it happens. */
static void fill_libraries(const struct device *d, struct arena *a)
{
	struct about *about = d->about;
	struct blaslt blas = {0};
	struct rtc rtc = {0};
	struct err missing = {0};
	if (!blaslt_open(&blas, a, &missing))
		fact(about, "cuBLASLt", arena_printf(a, "%zu (%s)", blas.version, blas.path));
	else
		fact(about, "cuBLASLt", arena_strdup(a, missing.text));
	missing = (struct err){0};
	if (!rtc_open(&rtc, a, &missing))
		fact(about, "NVRTC", arena_printf(a, "%d.%d (%s)", rtc.major, rtc.minor, rtc.path));
	else
		fact(about, "NVRTC", arena_strdup(a, missing.text));
}

static void fill_clocks(const struct device *d, struct arena *a)
{
	const struct clocks *c = &d->clocks;
	if (!c->device) {
		fact(d->about, "Clocks", arena_printf(a, "not read: %s", d->not_read.text));
		return;
	}
	fact(d->about, "NVIDIA driver", arena_strdup(a, c->driver));
	fact(d->about, "Highest clocks",
		arena_printf(a, "SM %u MHz, memory %u MHz", c->max_sm_mhz, c->max_memory_mhz));
}

void about_fill(const struct device *d)
{
	struct about *about = d->about;
	struct arena *a = d->modules.arena;
	const struct device_properties *p = &about->properties;
	fill_numbers(d);
	if (about->n_facts)
		return;
	fact(about, "Multiprocessors", arena_printf(a, "%d", p->multiprocessors));
	fact(about, "GPU memory", arena_printf(a, "%.1f GiB", (double)p->memory_bytes / (1 << 30)));
	fact(about, "GPU level-2 cache", arena_printf(a, "%.0f MB", (double)about->l2_bytes / 1e6));
	fact(about, "CUDA of the driver",
		arena_printf(a, "%d.%d (%s)", d->driver.version / 1000,
			d->driver.version % 1000 / 10, d->driver.path));
	if (d->recording.open)
		fact(about, "Recorder",
			arena_printf(a, "CUPTI %" PRIu32 " (%s)", d->recording.cupti.version,
				d->recording.cupti.path));
	else
		fact(about, "Recorder",
			arena_printf(a, "calls only, no GPU work: %s", d->not_recorded.text));
	fill_libraries(d, a);
	fill_clocks(d, a);
}
