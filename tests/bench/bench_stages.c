/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows reading, as shares of it: out/bench/bench_stages ROUNDS TRACE...
 *
 * Prints `name value unit` lines: CPU time of each stage over all traces, of all threads, medians
 * over the rounds, each of which reads and works out every trace; reading runs on one thread. The
 * last lines are quotients: finding and splitting (detect, which ranks what to do, and breakdown),
 * and the breakdown alone, of reading.
 */
#include "base/err.h"
#include "report/analyse/analysis.h"
#include "report/analyse/breakdown.h"
#include "report/analyse/health.h"
#include "report/analyse/idle_causes.h"
#include "report/analyse/launches.h"
#include "report/analyse/profiler_cost.h"
#include "report/analyse/profiler_table_check.h"
#include "report/analyse/streams.h"
#include "report/analyse/windows_to_show.h"
#include "report/read/read.h"
#include "report/replay/replay.h"
#include "report/rules/rule.h"

#include <stdlib.h>
#include <time.h>

enum stage {
	STAGE_READ,
	STAGE_ANALYSIS,
	STAGE_IDLE_CAUSES,
	STAGE_BREAKDOWN,
	STAGE_HEALTH,
	STAGE_STREAMS,
	STAGE_WINDOWS,
	STAGE_TOTALS,
	STAGE_RULES,
	STAGE_REPLAY, /* built and run twice: what pricing one remedy takes */
	STAGES
};

static const char *const names[STAGES] = {"read", "analysis", "idle_causes", "breakdown", "health",
	"streams", "windows", "totals", "rules", "replay"};

enum { MOST_ROUNDS = 99 };

static double seconds[STAGES][MOST_ROUNDS];

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs a stage and adds what it took. */
#define MEASURE(stage, round, call) \
	do { \
		double begin = now(); \
		call; \
		seconds[stage][round] += now() - begin; \
	} while (0)

static void work_out(const char *path, int round)
{
	struct trace t;
	struct err err = {0};
	struct arena a = {0};
	trace_init(&t);
	int failed;
	MEASURE(STAGE_READ, round,
		failed = trace_read(&t, path, &(struct read_options){.threads = 1}, &err));
	if (failed) {
		fprintf(stderr, "bench_stages: %s\n", err.text);
		exit(1);
	}
	struct analysis x;
	struct idle_causes l;
	struct breakdown p;
	struct health h;
	struct streams s;
	MEASURE(STAGE_ANALYSIS, round, x = analysis_of(&a, &t));
	MEASURE(STAGE_IDLE_CAUSES, round, l = idle_causes_of(&a, &x));
	MEASURE(STAGE_BREAKDOWN, round, p = breakdown_of(&a, &x, &l));
	MEASURE(STAGE_HEALTH, round, h = health_of(&t));
	MEASURE(STAGE_STREAMS, round, s = streams_of(&a, &x); (void)launch_stats_of(&x));
	MEASURE(STAGE_WINDOWS, round, (void)windows_of(&x, &l));
	MEASURE(STAGE_TOTALS, round, (void)reconcile_of(&a, &x));
	const struct rules_in in = {&x, &h, &l, &s, NULL, &p, &p.blame.whole};
	MEASURE(STAGE_RULES, round, (void)rules_all(&a, &in, NULL));
	MEASURE(STAGE_REPLAY, round, {
		const struct replay *r = replay_of(&a, &x, &p, PROFILER_COST_OPERATOR_NS);
		if (r)
			(void)replay_gain(r, &(struct replay_change){0});
	});
	arena_release(&a);
	trace_release(&t);
}

static int ascending(const void *left, const void *right)
{
	double x = *(const double *)left, y = *(const double *)right;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;
	if (rounds < 1 || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: bench_stages ROUNDS TRACE...\n");
		return 2;
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 2; i < argc; i++)
			work_out(argv[i], round);
	double median[STAGES];
	for (int k = 0; k < STAGES; k++) {
		qsort(seconds[k], (size_t)rounds, sizeof **seconds, ascending);
		median[k] = seconds[k][rounds / 2];
		printf("%s %.5f s\n", names[k], median[k]);
	}
	double found = median[STAGE_RULES] + median[STAGE_BREAKDOWN];
	printf("findings_over_read %.4f x\n", found / median[STAGE_READ]);
	printf("breakdown_over_read %.4f x\n", median[STAGE_BREAKDOWN] / median[STAGE_READ]);
	return 0;
}
