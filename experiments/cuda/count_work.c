/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/cuda/cuda.h"
#include "experiments/cuda/cuda_fail.h"
#include "experiments/cuda/hardware_counters.h"

#include <string.h>

struct counted {
	struct device *device;
	const struct device_counting *asked;
};

static int run(void *context, struct err *err)
{
	const struct counted *x = context;
	return x->asked->run(x->asked->context, err);
}

static int wait_for_all(void *context, struct err *err)
{
	const struct counted *x = context;
	return cuda_ok(cudaStreamSynchronize(x->device->stream), "waiting for counted work", err);
}

static void tell_metrics(const struct counters *c, struct arena *a, struct device_counts *counts)
{
	counts->passes = counters_passes(c);
	counts->n_metrics = counters_metrics(c);
	counts->metric = arena_array(a, counts->n_metrics, sizeof *counts->metric);
	for (size_t i = 0; i < counts->n_metrics; i++)
		counts->metric[i] = counters_metric(c, i)->metric;
}

static int collect_all(struct counters *c, const struct counted *x, struct arena *a,
	struct device_counts *counts, struct err *err)
{
	const struct counters_work work = {run, wait_for_all, (void *)(uintptr_t)x};
	size_t n = 0;
	counts->step = counters_collect(c, COUNTERS_OF_ALL, &work, a, &n, err);
	if (!counts->step)
		return -1;
	if (n != 1)
		return fail(err, "counters: %zu rows for one piece of work", n);
	if (!x->asked->kernels)
		return 0;
	counts->kernel =
		counters_collect(c, COUNTERS_OF_KERNELS, &work, a, &counts->n_kernels, err);
	return counts->kernel ? 0 : -1;
}

int cuda_count(struct device *d, const struct device_counting *asked, struct arena *a,
	struct device_counts *counts, struct err *err)
{
	const struct counted x = {d, asked};
	*counts = (struct device_counts){0};
	if (d->recording.open)
		return fail(err, "counters and records do not go together: TRACEBOOK_RECORD=off");
	struct counters *c = counters_open(asked->deep, err);
	if (!c)
		return -1;
	tell_metrics(c, a, counts);
	int result = collect_all(c, &x, a, counts, err);
	counters_close(c);
	return result;
}
