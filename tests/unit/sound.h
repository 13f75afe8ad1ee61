/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sound.h - what holds for every analysis, whatever the trace.
 */
#ifndef TESTS_UNIT_SOUND_H
#define TESTS_UNIT_SOUND_H

#include "report/analyse/analysis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void assert_sound(const struct analysis *a)
{
	const struct trace *t = a->trace;
	int64_t idle = 0, sum = 0, self = 0, self_device = 0, setup = 0;
	size_t calls = 0;
	for (size_t i = 0; i < a->n_gaps; i++) {
		struct gap g = analysis_gap(a, i);
		assert_true(g.dur_ns > 0);
		assert_true(g.start_ns >= a->window.start_ns);
		assert_true(g.start_ns + g.dur_ns <= a->window.end_ns);
		assert_true(i == 0 || g.start_ns > a->idle.at[i - 1].end_ns);
		idle += g.dur_ns;
	}
	assert_int_equal(idle, a->window.idle_ns);
	assert_int_equal(
		a->window.busy_ns + a->window.idle_ns, a->window.end_ns - a->window.start_ns);
	assert_true(a->window.kernel_busy_ns <= a->window.busy_ns);
	for (uint32_t i = 1; i < a->n_longest; i++)
		assert_true(analysis_gap(a, a->longest[i]).dur_ns <=
			analysis_gap(a, a->longest[i - 1]).dur_ns);
	for (uint32_t i = 0; i < a->n_activities; i++) {
		sum += a->activities[i].dur.total;
		calls += a->activities[i].calls;
		assert_in_range(a->activities[i].class, CLASS_GEMM, CLASS_KERNEL);
	}
	assert_int_equal(sum, a->device_ns);
	assert_int_equal(calls, a->n_device);
	assert_int_equal(a->n_kernels + a->n_copies + a->n_fills, a->n_device);
	for (uint32_t i = 0; i < a->n_steps; i++) {
		const struct step *s = &a->steps[i];
		assert_true(s->busy_ns <= s->device_ns);
		assert_true(s->busy_ns <= s->device_end_ns - s->device_start_ns);
		assert_int_equal(s->kernels + s->copies + s->fills, s->n_device);
		setup = 0;
		for (uint32_t k = 0; k < s->n_setup_sums; k++)
			setup += s->setup_sum[k].ns;
		assert_int_equal(setup, s->setup_ns);
	}
	for (size_t i = 0; i < a->profiler_table.n; i++) {
		self += a->profiler_table.row[i].self_cpu_ns;
		if (a->profiler_table.row[i].side == PROFILER_DEVICE)
			self_device += a->profiler_table.row[i].self_device_ns;
	}
	assert_int_equal(self, a->profiler_table.self_cpu_ns);
	assert_int_equal(self_device, a->device_ns);
	for (int i = 0; i < BUSY_RULES; i++)
		assert_true(a->busy[i].busy_ns <= a->busy[i].window_ns);
	for (size_t i = 0; i < t->n; i++)
		assert_true(a->class[i] < CLASSES);
}

#endif
