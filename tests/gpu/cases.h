/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.h - the cases of a matrix, prepared one after the other on one open device.
 */
#ifndef TESTS_GPU_CASES_H
#define TESTS_GPU_CASES_H

#include "collect/matrix.h"
#include "experiments/workload.h"

struct cases {
	struct bench bench;
	struct recorder recorder; /* off */
	struct arena arena;
	struct names names;
	struct matrix matrix;
	const struct workload *workload; /* of the prepared case */
	long step; /* number of the next step */
};

/* Close it also after a failure. `room`: spans that the recorder holds. */
int cases_open(struct cases *c, const char *matrix, size_t room, struct err *err);
void cases_close(struct cases *c);

/* Prepares a case and runs it `warm` times; ends with a synchronise. */
int cases_prepare(struct cases *c, const struct matrix_case *asked, int warm, struct err *err);
void cases_release(struct cases *c);

/* `context` is the struct cases; they fit struct counters_work. */
int cases_step(void *context, struct err *err);
int cases_synchronise(void *context, struct err *err);

/* Runs `each` on every case whose id fits the pattern, prepared and warm. Cases that fail are told
 * on stderr and counted. */
int cases_each(struct cases *c, const char *glob, int warm,
	int (*each)(
		struct cases *c, const struct matrix_case *asked, void *context, struct err *err),
	void *context);

#endif
