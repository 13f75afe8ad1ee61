/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of real traces against numbers that plain Python found in them. */
#include "base/config.h"
#include "report/analyse/analysis.h"
#include "report/read/read.h"
#include "tests/unit/sound.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static double sum_of(const cJSON *object)
{
	double sum = 0;
	const cJSON *m;
	cJSON_ArrayForEach(m, object) sum += m->valuedouble;
	return sum;
}

/* Python added doubles; we add integers (tests/data/trust/truth.tsv). */
static void assert_us(const char *file, const char *what, int64_t ns, double us, double slack)
{
	if (fabs((double)ns / 1000 - us) > 0.0005 + slack)
		fail_msg("%s: %s is %.3f us, not %.3f", file, what, (double)ns / 1000, us);
}

/* What the doubles of the file's own clock leave of that many intervals. */
static double blur(const cJSON *truth, size_t n)
{
	double at = cJSON_GetArrayItem(config_find(truth, "span"), 1)->valuedouble;
	return (nextafter(at, INFINITY) - at) * (double)n;
}

/* Of MTIA's queues Python knows nothing: counted by their names, 37 remote, 36 merge, 24 pe_exe,
 * and 877 dma_request. */
static bool is_mtia(const cJSON *truth, const struct analysis *a)
{
	if (!config_find(config_find(truth, "X_by_cat"), "mtia_ccp_events"))
		return false;
	assert_int_equal(a->n_kernels, 97);
	assert_int_equal(a->n_copies, 877);
	return true;
}

static void assert_truth(const char *file, const cJSON *truth, const struct analysis *a)
{
	if (is_mtia(truth, a))
		return;
	const cJSON *busy = config_find(truth, "gpu_busy_union_by_device");
	const cJSON *kernels = config_find(truth, "kernel_busy_union_by_device");
	if ((double)a->n_kernels != config_find(truth, "kernels")->valuedouble)
		fail_msg("%s: %zu kernels", file, a->n_kernels);
	double kernel_us = config_find(truth, "kernel_time")->valuedouble;
	assert_us(file, "kernel time", a->kernel_ns, kernel_us, kernel_us * 1e-9);
	assert_true(cJSON_GetArraySize(busy) <= 1); /* unions of several devices do not add up */
	assert_us(
		file, "busy", a->busy[BUSY_DEVICE].busy_ns, sum_of(busy), blur(truth, a->n_device));
	assert_us(file, "kernels busy", a->busy[BUSY_KERNELS].busy_ns, sum_of(kernels),
		blur(truth, a->n_kernels));
	uint32_t steps = (uint32_t)cJSON_GetArraySize(config_find(truth, "steps"));
	if ((a->n_steps < 12 ? a->n_steps : 12) != steps) /* the list stops at twelve */
		fail_msg("%s: %u steps, not %u", file, a->n_steps, steps);
}

static void real_traces(void **state)
{
	(void)state;
	const char *shared = getenv("TRACEBOOK_SHARED");
	char path[4096];
	struct err err = {0};
	snprintf(path, sizeof path, "%s/traces/TRUTH.json", shared ? shared : "../shared");
	if (access(path, R_OK)) {
		print_message("no real traces here: %s is missing\n", path);
		skip();
	}
	cJSON *truths = config_read(path, &err);
	if (!truths)
		fail_msg("%s", err.text);
	const cJSON *truth;
	cJSON_ArrayForEach(truth, truths)
	{
		struct trace t;
		struct arena arena = {0};
		const struct read_options options = {0};
		snprintf(path, sizeof path, "%s/traces/%s", shared ? shared : "../shared",
			truth->string);
		trace_init(&t);
		if (trace_read(&t, path, &options, &err))
			fail_msg("%s", err.text);
		struct analysis a = analysis_of(&arena, &t);
		assert_sound(&a);
		assert_truth(truth->string, truth, &a);
		arena_release(&arena);
		trace_release(&t);
	}
	cJSON_Delete(truths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
