/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include <string.h>

static const struct {
	const char *category;
	int kind;
} kinds[] = {
	{"cpu_op", EVENT_OP},
	{"Operator", EVENT_OP},
	{"user_annotation", EVENT_ANNOTATION},
	{"python_function", EVENT_PYTHON},
	{"cuda_runtime", EVENT_RUNTIME},
	{"Runtime", EVENT_RUNTIME},
	{"hip_runtime", EVENT_RUNTIME},
	{"privateuse1_runtime", EVENT_RUNTIME},
	{"mtia_runtime", EVENT_RUNTIME},
	{"xpu_runtime", EVENT_RUNTIME},
	{"glow_runtime", EVENT_RUNTIME},
	{"cuda_driver", EVENT_DRIVER},
	{"privateuse1_driver", EVENT_DRIVER},
	{"xpu_driver", EVENT_DRIVER},
	{"kernel", EVENT_KERNEL},
	{"Kernel", EVENT_KERNEL},
	{"concurrent_kernel", EVENT_KERNEL},
	{"mtia_ccp_events", KIND_BY_NAME},
	{"gpu_memcpy", EVENT_MEMCPY},
	{"Memcpy", EVENT_MEMCPY},
	{"gpu_memset", EVENT_MEMSET},
	{"Memset", EVENT_MEMSET},
	{"gpu_user_annotation", EVENT_GPU_ANNOTATION},
	{"cuda_sync", EVENT_DEVICE_SYNC},
	{"cuda_event", EVENT_DEVICE_SYNC},
	{"overhead", EVENT_OVERHEAD},
	{"Trace", EVENT_SPAN},
};

static bool same(const char *word, const char *text, size_t n)
{
	return strlen(word) == n && !memcmp(word, text, n);
}

int event_kind_of(const char *category, size_t n)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (same(kinds[i].category, category, n))
			return kinds[i].kind;
	return EVENT_OTHER;
}

enum event_kind event_kind_by_process(const char *process, size_t n)
{
	return same("CPU functions", process, n)     ? EVENT_OP
		: same("CUDA functions", process, n) ? EVENT_KERNEL
						     : EVENT_OTHER;
}

enum event_kind event_kind_by_name(const char *name, size_t n)
{
	if (same("event_wait", name, n) || same("event_record", name, n))
		return EVENT_DEVICE_SYNC;
	return same("dma_request", name, n) ? EVENT_MEMCPY : EVENT_KERNEL;
}
