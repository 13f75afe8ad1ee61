/* SPDX-License-Identifier: Apache-2.0 */
/* counters [--deep] MATRIX.json [GLOB]: hardware counters of one warm step of each case, as a whole
 * and kernel by kernel, as a table with tabs. Nothing is timed here. */
#include "experiments/cuda/hardware_counters.h"
#include "tests/gpu/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_rows(struct counters *c, struct cases *cases, const char *id,
	enum counters_range range, struct err *err)
{
	const struct counters_work work = {cases_step, cases_synchronise, cases};
	size_t n = 0;
	const double *value = counters_collect(c, range, &work, &cases->arena, &n, err);
	for (size_t i = 0; value && i < n; i++) {
		if (range == COUNTERS_OF_ALL)
			printf("%s\tstep", id);
		else
			printf("%s\tkernel %zu", id, i);
		for (size_t k = 0; k < counters_metrics(c); k++)
			printf("\t%.6g", value[i * counters_metrics(c) + k]);
		putchar('\n');
	}
	return value ? 0 : -1;
}

static int count_case(
	struct cases *cases, const struct matrix_case *asked, void *context, struct err *err)
{
	struct counters *c = context;
	if (print_rows(c, cases, asked->id, COUNTERS_OF_ALL, err))
		return -1;
	/* the kernels of a graph cannot be run again one by one */
	if (asked->spec.mode == MODE_GRAPH)
		return 0;
	return print_rows(c, cases, asked->id, COUNTERS_OF_KERNELS, err);
}

static int count_all(struct cases *cases, const char *glob, bool deep, struct err *err)
{
	struct counters *c = counters_open(deep, err);
	if (!c)
		return -1;
	printf("case\twhat");
	for (size_t i = 0; i < counters_metrics(c); i++)
		printf("\t%s", counters_metric(c, i)->metric);
	putchar('\n');
	int failed = cases_each(cases, glob, 3, count_case, c);
	counters_close(c);
	return failed ? fail(err, "%d cases could not be counted", failed) : 0;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	struct cases cases;
	bool deep = argc > 1 && !strcmp(argv[1], "--deep");
	if (argc < 2 + deep) {
		fprintf(stderr, "usage: counters [--deep] MATRIX.json [GLOB]\n");
		return 2;
	}
	/* activity records and counters do not go together */
	setenv("TRACEBOOK_RECORD", "off", 1);
	int result = cases_open(&cases, argv[1 + deep], 1, &err);
	if (!result)
		result = count_all(&cases, argc > 2 + deep ? argv[2 + deep] : "*", deep, &err);
	cases_close(&cases);
	if (result)
		fprintf(stderr, "counters: %s\n", err.text);
	return result ? 1 : 0;
}
