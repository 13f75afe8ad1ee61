/* SPDX-License-Identifier: Apache-2.0 */
/*
 * written_trace.h - traces and other small files, written by a test into its scratch folder.
 */
#ifndef TESTS_UNIT_WRITTEN_TRACE_H
#define TESTS_UNIT_WRITTEN_TRACE_H

#include "report/judge/judge.h"
#include "report/run/expectations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* A path in the scratch folder, lent until the eighth call after this one. */
static inline const char *scratch_path(const char *name)
{
	static char path[8][4096];
	static int next;
	const char *folder = getenv("TMPDIR");
	next = (next + 1) % 8;
	snprintf(path[next], sizeof path[next], "%s/%s", folder ? folder : "/tmp", name);
	return path[next];
}

static inline const char *write_text(const char *name, const char *text)
{
	const char *path = scratch_path(name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* What every step does; times are in microseconds. */
struct written_step {
	double us;
	int kernels;
	const char *kernel[100];
	bool waits; /* synchronises at its end */
};

static inline void write_event(FILE *f, const char *category, const char *name, int thread,
	double at, double us, int correlation)
{
	fprintf(f,
		",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, "
		"\"ts\": %.3f, \"dur\": %.3f, \"args\": {\"correlation\": %d}}",
		category, name, thread == 7 ? 0 : 1, thread, at, us, correlation);
}

/* `n` 0: the first one's work without a step around it. Each kernel takes 1 us. */
static inline const char *write_trace(const char *name, const struct written_step *step, int n)
{
	const char *path = scratch_path(name);
	FILE *f = fopen(path, "w");
	double at = 100;
	int id = 1;
	assert_non_null(f);
	fputs("{\"schemaVersion\": 1, \"traceEvents\": [\n{\"ph\": \"M\", \"name\": "
	      "\"process_name\", \"pid\": 1, \"tid\": 0, \"ts\": 0, \"args\": {\"name\": \"p\"}}",
		f);
	for (int i = 0; i < (n ? n : 1); i++) {
		char label[40];
		snprintf(label, sizeof label, "ProfilerStep#%d", i + 2);
		if (n)
			write_event(f, "user_annotation", label, 1, at, step[i].us, 0);
		for (int k = 0; k < step[i].kernels; k++, id++) {
			write_event(f, "cuda_runtime", "cudaLaunchKernel", 1, at + 1 + k, 0.5, id);
			write_event(f, "kernel", step[i].kernel[k], 7, at + 3 + 2 * k, 1, id);
		}
		if (step[i].waits)
			write_event(f, "cuda_runtime", "cudaDeviceSynchronize", 1,
				at + step[i].us - 1, 0.5, id++);
		at += step[i].us + 10;
	}
	fputs("\n]}\n", f);
	assert_int_equal(fclose(f), 0);
	return path;
}

static const struct written_step gemm_and_add = {50, 2,
	{"sm80_xmma_gemm_bf16_64x64", "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>"},
	false};

static inline void read_paths(struct input *in, const char *a, const char *b)
{
	struct err err = {0};
	const char *paths[] = {a, b};
	if (input_read(in, paths, b ? 2 : 1, &err))
		fail_msg("%s", err.text);
}

static inline const struct verdict *find_verdict(const struct report_case *c, const char *key)
{
	for (int i = 0; i < c->verdicts->n; i++)
		if (!strcmp(c->verdicts->verdict[i].key, key))
			return &c->verdicts->verdict[i];
	fail_msg("no verdict for \"%s\"", key);
	return NULL;
}

#endif
