/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/chosen_cases.h"

#include "base/min_max.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

int select_cases(
	const struct matrix *m, const struct opt_list *only, bool *selected, struct err *err)
{
	for (size_t i = 0; i < m->n_cases; i++)
		selected[i] = only->n == 0;
	for (int g = 0; g < only->n; g++) {
		bool any = false, whole = strchr(only->item[g], '/') != NULL;
		for (size_t i = 0; i < m->n_cases; i++) {
			const struct matrix_case *c = &m->cases[i];
			if (fnmatch(only->item[g], whole ? c->id : c->spec.tag, 0) != 0 &&
				fnmatch(only->item[g], c->id, 0) != 0)
				continue;
			selected[i] = any = true;
		}
		if (!any)
			return fail(err, "--only %s: no case of %s matches; --list shows them",
				only->item[g], m->path);
	}
	return 0;
}

/* -1 when it is not set to a whole number. */
static long variable(const char *name)
{
	const char *text = getenv(name);
	char *end;
	if (!text || *text < '0' || *text > '9')
		return -1;
	long n = strtol(text, &end, 10);
	return *end ? -1 : n;
}

static int by_slurm(struct shard *s, struct err *err)
{
	long id = variable("SLURM_ARRAY_TASK_ID"), first = variable("SLURM_ARRAY_TASK_MIN");
	long step = variable("SLURM_ARRAY_TASK_STEP");
	*s = (struct shard){.n = variable("SLURM_ARRAY_TASK_COUNT")};
	if (s->n > 0 && id >= 0) {
		s->k = 1 + (id - max64(first, 0)) / (step > 0 ? step : 1);
		if (s->k <= s->n)
			return 0;
		return fail(err,
			"--shard auto: task %ld of an array of %ld: indices of an array must go up "
			"evenly",
			id, s->n);
	}
	s->n = variable("SLURM_STEP_NUM_TASKS");
	s->k = 1 + variable("SLURM_PROCID");
	if (s->n > 0 && s->k > 0 && s->k <= s->n)
		return 0;
	return fail(err,
		"--shard auto asks Slurm, and this is no task of it (SLURM_ARRAY_TASK_ID and "
		"SLURM_PROCID are not set): give --shard K/N");
}

int shard_parse(struct shard *s, const char *text, struct err *err)
{
	char *end = (char *)(uintptr_t)text;
	*s = (struct shard){0};
	if (!text)
		return 0;
	if (!strcmp(text, "auto"))
		return by_slurm(s, err);
	s->k = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
	if (s->k > 0 && *end == '/' && end[1] >= '0' && end[1] <= '9')
		s->n = strtol(end + 1, &end, 10);
	if (s->n < 1 || s->n > 100000 || s->k > s->n || *end)
		return fail(err, "--shard takes K/N with K from 1 to N, or auto, not \"%s\"", text);
	return 0;
}

void shard_select(const struct shard *s, bool *selected, size_t n)
{
	long place = 0;
	for (size_t i = 0; i < n && s->n; i++)
		if (selected[i])
			selected[i] = place++ % s->n == s->k - 1;
}
