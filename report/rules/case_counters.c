/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rules/case_counters.h"

#include "base/config.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *metric; /* in percent */
	size_t offset;
} members[] = {
	{"sm__warps_active.avg.pct_of_peak_sustained_active",
		offsetof(struct counted_kernel, occupancy)},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed",
		offsetof(struct counted_kernel, memory)},
	{"sm__throughput.avg.pct_of_peak_sustained_elapsed",
		offsetof(struct counted_kernel, compute)},
};

static void take(struct counted_kernel *k, const char *metric, const cJSON *number)
{
	if (!metric || !cJSON_IsNumber(number) || !isfinite(number->valuedouble) ||
		number->valuedouble < 0)
		return;
	double share = number->valuedouble / 100;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (!strcmp(metric, members[i].metric))
			memcpy((char *)k + members[i].offset, &share, sizeof share);
}

static void read_kernel(struct counted_kernel *k, const cJSON *metrics, const cJSON *row)
{
	const double unknown = (double)NAN;
	const cJSON *number = row ? row->child : NULL, *m;
	*k = (struct counted_kernel){unknown, unknown, unknown};
	cJSON_ArrayForEach(m, metrics)
	{
		take(k, cJSON_GetStringValue(m), number);
		number = number ? number->next : NULL;
	}
}

const struct case_counters *case_counters_of(struct arena *a, const cJSON *counters)
{
	const cJSON *metrics = config_find(counters, "metrics");
	const cJSON *kernels = config_find(counters, "kernels"), *row;
	if (!cJSON_IsArray(metrics) || !cJSON_IsArray(kernels) || !kernels->child)
		return NULL;
	struct case_counters *c = arena_alloc(a, sizeof *c);
	struct counted_kernel *kernel =
		arena_array(a, (size_t)cJSON_GetArraySize(kernels), sizeof *kernel);
	*c = (struct case_counters){.kernel = kernel};
	cJSON_ArrayForEach(row, kernels)
	{
		read_kernel(&kernel[c->n++], metrics, row);
	}
	return c;
}
