/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_kernel_work.h - what collect would write of the kernels of a case that a test made up.
 */
#ifndef TESTS_UNIT_MADE_KERNEL_WORK_H
#define TESTS_UNIT_MADE_KERNEL_WORK_H

#include "base/config.h"
#include "collect/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline bool made_spec(struct case_spec *spec, const cJSON *entry)
{
	*spec = (struct case_spec){.workload = cJSON_GetStringValue(config_find(entry, "workload")),
		.dtype = dtype_named(config_words(entry, "dtype"))};
	for (const struct case_size *s = case_sizes; s->name; s++) {
		const cJSON *size = config_find(config_find(entry, "shape"), s->name);
		if (cJSON_IsNumber(size) && fabs(size->valuedouble) < 1e9)
			case_size_set(spec, s, (long)size->valuedouble);
	}
	return spec->workload && workload_find(spec->workload) && spec->dtype < DTYPES;
}

/* Adds the member to the entry, as collect writes it. */
static inline void made_kernel_work(cJSON *entry)
{
	struct case_spec spec;
	struct json_out j;
	char *text = NULL;
	size_t n = 0;
	if (!made_spec(&spec, entry))
		return;
	FILE *f = open_memstream(&text, &n);
	json_init(&j, f);
	json_object(&j, NULL, JSON_LINES);
	kernel_work_write(&j, &spec);
	json_end(&j);
	json_finish(&j);
	fclose(f);
	cJSON *written = cJSON_Parse(text);
	cJSON *rows = cJSON_DetachItemFromObject(written, "kernel_work");
	if (rows)
		cJSON_AddItemToObject(entry, "kernel_work", rows);
	cJSON_Delete(written);
	free(text);
}

#endif
