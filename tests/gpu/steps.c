/* SPDX-License-Identifier: Apache-2.0 */
/* steps MATRIX.json [GLOB [turns]]: what a warm step costs the CPU, recorded and not, as a table
 * with tabs; `turns`: of the first case, a line for each line that it is given (adds.py). Steps are
 * timed in bursts that do not fill the stream, with a synchronise after each burst that is not
 * counted. */
#include "base/stats.h"
#include "tests/gpu/cases.h"

#include <stdio.h>
#include <string.h>

enum { BURST = 40, BURSTS = 25, ROOM = 1 << 20 };

/* Microseconds a step: the median burst. */
static int time_steps(struct cases *c, bool recorded, double *us, struct err *err)
{
	int64_t burst_ns[BURSTS];
	size_t n, dropped;
	for (int b = 0; b < BURSTS; b++) {
		c->recorder.n = 0;
		c->recorder.on = recorded;
		c->bench.ops->record(c->bench.device, recorded);
		if (recorded && cases_step(c, err)) /* the first launch asks for a buffer */
			return -1;
		int64_t start_ns = clock_ns();
		for (int i = 0; i < BURST; i++)
			if (cases_step(c, err))
				return -1;
		burst_ns[b] = clock_ns() - start_ns;
		if (cases_synchronise(c, err))
			return -1;
		c->recorder.on = false;
		c->bench.ops->record(c->bench.device, false);
		c->bench.ops->drain(c->bench.device, &n, &dropped);
	}
	*us = stats_of(burst_ns, BURSTS).median / BURST * 1e-3;
	return 0;
}

static int print_case(
	struct cases *c, const struct matrix_case *asked, void *context, struct err *err)
{
	double plain = 0, recorded = 0;
	(void)context;
	if (time_steps(c, false, &plain, err) || time_steps(c, true, &recorded, err))
		return -1;
	printf("%s\t%.3f\t%.3f\n", asked->id, plain, recorded);
	return 0;
}

static int answer_turns(
	struct cases *c, const struct matrix_case *asked, void *context, struct err *err)
{
	double plain = 0, recorded = 0;
	char line[16];
	(void)asked, (void)context;
	while (fgets(line, sizeof line, stdin)) {
		if (time_steps(c, false, &plain, err) || time_steps(c, true, &recorded, err))
			return -1;
		printf("%.3f\t%.3f\n", plain, recorded);
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	struct cases cases;
	if (argc < 2) {
		fprintf(stderr, "usage: steps MATRIX.json [GLOB [turns]]\n");
		return 2;
	}
	bool turns = argc > 3 && !strcmp(argv[3], "turns");
	int result = cases_open(&cases, argv[1], ROOM, &err);
	if (!turns)
		printf("case\tunrecorded_us\trecorded_us\n");
	int failed = result ? 0
			    : cases_each(&cases, argc > 2 ? argv[2] : "*", 20,
				      turns ? answer_turns : print_case, NULL);
	cases_close(&cases);
	if (result)
		fprintf(stderr, "steps: %s\n", err.text);
	return result || failed ? 1 : 0;
}
