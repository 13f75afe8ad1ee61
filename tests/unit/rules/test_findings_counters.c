/* SPDX-License-Identifier: Apache-2.0 */
/* OCCUPANCY, LATENCY, MEMORY, NEAR-ROOF, and reading the counters that they take. */
#include "tests/unit/detecting.h"

#define OCCUPANCY "sm__warps_active.avg.pct_of_peak_sustained_active"
#define DRAM "dram__throughput.avg.pct_of_peak_sustained_elapsed"
#define SM "sm__throughput.avg.pct_of_peak_sustained_elapsed"
#define METRICS "\"metrics\": [\"" OCCUPANCY "\", \"" DRAM "\", \"" SM "\"]"

static const struct case_counters *counters(struct world *w, const char *text)
{
	cJSON *json = cJSON_Parse(text);
	assert_non_null(json);
	const struct case_counters *c = case_counters_of(&w->arena, json);
	cJSON_Delete(json);
	return c;
}

/* Three steps of a kernel of 80 us and one of 20; 2781 blocks of 128 threads with 16 registers: by
 * footprint the device is full. */
static void three_steps_of(struct world *w, const char *text, int32_t blocks)
{
	static const char *const step[] = {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"};
	for (int i = 0; i < 3; i++) {
		double at = 200.0 * i;
		made_add(&w->made, EVENT_ANNOTATION, step[i], at, at + 150, 0);
		launch(w, "long_kernel", at + 5, at + 30, at + 110, (uint32_t)(2 * i + 1));
		launch(w, "short_kernel", at + 15, at + 110, at + 130, (uint32_t)(2 * i + 2));
	}
	seal(w);
	for (int i = 0; i < 3; i++) {
		footprint(w, "long_kernel", i, blocks, 128, 16, 0);
		footprint(w, "short_kernel", i, 2781, 128, 16, 0);
	}
	device(w, a100);
	w->counted = text ? counters(w, text) : NULL;
	detect_world(w);
}

static void three_steps(struct world *w, const char *text)
{
	three_steps_of(w, text, 2781);
}

static void lecture(void **state)
{
	TEST_WORLD(w);
	/* the Lecture's log: pow reaches 64.1 % of 100, 41.9 % of the memory; the other all */
	three_steps(&w, "{" METRICS ", \"kernels\": [[64.1, 41.9, 30], [99, 85, 20]]}");
	assert_fired(&w, "OCCUPANCY");
	assert_text(&w, "OCCUPANCY", "name", "long_kernel");
	assert_value(&w, "OCCUPANCY", "theoretical", 1);
	assert_value(&w, "OCCUPANCY", "achieved", 0.641);
	assert_value(&w, "OCCUPANCY", "kernels", 2);
	assert_value(&w, "OCCUPANCY", "gaps", 1);
	assert_value(&w, "OCCUPANCY", "share", 0.8);
	/* 35.9 % of 80 us in each of three steps */
	assert_true(llabs(finding(&w, "OCCUPANCY")->give_back_ns - 86160) <= 1);
	assert_fired(&w, "LATENCY");
	assert_text(&w, "LATENCY", "name", "long_kernel");
	assert_value(&w, "LATENCY", "memory", 0.419);
	assert_fired(&w, "MEMORY");
	assert_text(&w, "MEMORY", "name", "short_kernel");
	assert_value(&w, "MEMORY", "share", 0.2);
	assert_fired(&w, "NEAR-ROOF");
	assert_text(&w, "NEAR-ROOF", "name", "short_kernel");
	/* evidence is of the step in the middle */
	assert_int_equal(finding(&w, "NEAR-ROOF")->evidence[0], row_of(&w, "short_kernel", 1));
}

static void none_of_it(void **state)
{
	TEST_WORLD(w);
	three_steps(&w, "{" METRICS ", \"kernels\": [[95, 70, 65], [91, 50, 70]]}");
	assert_not_fired(&w, "OCCUPANCY");
	assert_not_fired(&w, "LATENCY");
	assert_not_fired(&w, "MEMORY"); /* 70 % is not 1.5 times 65 % */
	assert_not_fired(&w, "NEAR-ROOF");
}

/* Without --deep nothing is known of the multiprocessors' throughput. */
static void plain_counters(void **state)
{
	TEST_WORLD(w);
	three_steps(
		&w, "{\"metrics\": [\"other\", \"" DRAM "\"], \"kernels\": [[1, 90], [2, null]]}");
	assert_not_applicable(&w, "OCCUPANCY", REASON_NO_COUNTERS);
	assert_not_applicable(&w, "LATENCY", REASON_NO_COUNTERS);
	assert_not_applicable(&w, "MEMORY", REASON_NO_COUNTERS);
	assert_fired(&w, "NEAR-ROOF");
	assert_value(&w, "NEAR-ROOF", "kernels", 1);
	assert_false(finding_value(finding(&w, "NEAR-ROOF"), "compute")->known);
}

static void not_counted(void **state)
{
	(void)state;
	static const char *const ids[] = {"OCCUPANCY", "LATENCY", "MEMORY", "NEAR-ROOF"};
	static const char *const texts[] = {NULL,
		/* of another step than this one */
		"{" METRICS ", \"kernels\": [[64, 41, 30]]}",
		"{" METRICS ", \"kernels\": [[64, 41, 30], [1, 2, 3], [4, 5, 6]]}"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct world w = {0};
		three_steps(&w, texts[i]);
		for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
			assert_not_applicable(&w, ids[k], REASON_NO_COUNTERS);
		world_release(&w);
	}
	struct world w = {0};
	assert_null(counters(&w, "{\"reason\": \"counters are for root\"}"));
	assert_null(counters(&w, "{" METRICS ", \"kernels\": []}"));
	assert_null(counters(&w, "{\"metrics\": 1, \"kernels\": [[1]]}"));
	assert_null(case_counters_of(&w.arena, NULL));
	const struct case_counters *c =
		counters(&w, "{" METRICS ", \"kernels\": [[50], 7, [\"x\", -1, 20, 30]]}");
	assert_int_equal(c->n, 3);
	assert_true(c->kernel[0].occupancy > 0.499 && c->kernel[0].occupancy < 0.501);
	assert_true(isnan(c->kernel[0].memory) && isnan(c->kernel[1].occupancy));
	assert_true(isnan(c->kernel[2].occupancy) && isnan(c->kernel[2].memory));
	assert_true(c->kernel[2].compute > 0.199 && c->kernel[2].compute < 0.201);
	world_release(&w);
}

/* An A100 holds 1728 of these blocks at once. */
static void advice_by_waves(void **state)
{
	(void)state;
	static const struct {
		int32_t blocks;
		enum finding_reason advice;
	} grid[] = {{86, REASON_SMALL_GRID}, {2781, REASON_NONE}, {172800, REASON_MANY_WAVES}};
	for (int i = 0; i < 3; i++) {
		struct world w = {0};
		three_steps_of(&w, "{" METRICS ", \"kernels\": [[64.1, 41.9, 30], [99, 85, 20]]}",
			grid[i].blocks);
		assert_fired(&w, "OCCUPANCY");
		assert_value(&w, "OCCUPANCY", "waves", grid[i].blocks / 1728.0);
		assert_int_equal(finding(&w, "OCCUPANCY")->advice, grid[i].advice);
		world_release(&w);
	}
	struct world w = {0}; /* few warps, but the memory gives all that it has */
	three_steps(&w, "{" METRICS ", \"kernels\": [[64.1, 97, 30], [99, 85, 20]]}");
	assert_not_fired(&w, "OCCUPANCY");
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lecture),
		cmocka_unit_test(advice_by_waves),
		cmocka_unit_test(none_of_it),
		cmocka_unit_test(plain_counters),
		cmocka_unit_test(not_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
