/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gpu/cases.h"

#include <fnmatch.h>
#include <stdio.h>

extern const struct device_ops tracebook_device;

int cases_open(struct cases *c, const char *matrix, size_t room, struct err *err)
{
	*c = (struct cases){.bench = {.ops = &tracebook_device}};
	recorder_init(&c->recorder, room);
	names_init(&c->names);
	c->bench.recorder = &c->recorder;
	c->bench.arena = &c->arena;
	c->bench.names = &c->names;
	if (matrix_read(&c->matrix, matrix, err))
		return -1;
	c->bench.device = c->bench.ops->open(&c->recorder, err);
	return c->bench.device ? 0 : -1;
}

void cases_close(struct cases *c)
{
	if (c->bench.device)
		c->bench.ops->close(c->bench.device);
	matrix_release(&c->matrix);
	recorder_release(&c->recorder);
	names_release(&c->names);
	arena_release(&c->arena);
}

int cases_step(void *context, struct err *err)
{
	struct cases *c = context;
	return c->workload->step(&c->bench, c->step++, err);
}

int cases_synchronise(void *context, struct err *err)
{
	struct cases *c = context;
	return c->bench.ops->synchronise(c->bench.device, err);
}

int cases_prepare(struct cases *c, const struct matrix_case *asked, int warm, struct err *err)
{
	c->bench.spec = &asked->spec;
	c->workload = asked->workload;
	c->step = -1000000; /* before the schedule: a change of shape does not come */
	if (c->workload->prepare(&c->bench, err))
		return -1;
	int result = 0;
	for (int i = 0; i < warm && !result; i++)
		result = cases_step(c, err);
	return result ? result : cases_synchronise(c, err);
}

void cases_release(struct cases *c)
{
	c->workload->release(&c->bench);
}

int cases_each(struct cases *c, const char *glob, int warm,
	int (*each)(
		struct cases *c, const struct matrix_case *asked, void *context, struct err *err),
	void *context)
{
	int failed = 0;
	for (size_t i = 0; i < c->matrix.n_cases; i++) {
		const struct matrix_case *asked = &c->matrix.cases[i];
		struct err reason = {0};
		if (fnmatch(glob, asked->id, 0) != 0)
			continue;
		if (cases_prepare(c, asked, warm, &reason) || each(c, asked, context, &reason)) {
			fprintf(stderr, "%s: %s\n", asked->id, reason.text);
			failed++;
		}
		cases_release(c);
		fflush(stdout);
	}
	return failed;
}
