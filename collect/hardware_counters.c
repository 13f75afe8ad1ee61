/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/hardware_counters.h"

#include "base/config.h"

#include <math.h>

enum { DIGITS = 6 };

static const char **texts_of(struct arena *a, const cJSON *list, int n)
{
	const char **text = arena_array(a, (size_t)n + 1, sizeof *text);
	for (int i = 0; i < n; i++) {
		const char *t = cJSON_GetStringValue(cJSON_GetArrayItem(list, i));
		text[i] = arena_strdup(a, t ? t : "");
	}
	return text;
}

static void read_row(double *row, const cJSON *list, int n)
{
	for (int i = 0; i < n; i++) {
		const cJSON *number = cJSON_GetArrayItem(list, i);
		row[i] = cJSON_IsNumber(number) ? number->valuedouble : (double)NAN;
	}
}

struct case_counts counts_read(struct arena *a, const cJSON *json)
{
	struct case_counts c = {0};
	const cJSON *metric = config_find(json, "metrics"), *kernels = config_find(json, "kernels"),
		    *passes = config_find(json, "passes");
	const char *reason = cJSON_GetStringValue(config_find(json, "reason"));
	if (!cJSON_IsObject(json))
		return c;
	c.how = cJSON_IsTrue(config_find(json, "deep")) ? COUNTING_DEEP : COUNTING_PLAIN;
	c.reason = reason ? arena_strdup(a, reason) : NULL;
	c.passes = cJSON_IsNumber(passes) ? passes->valueint : 0;
	c.n_metrics = cJSON_GetArraySize(metric);
	c.metric = texts_of(a, metric, c.n_metrics);
	c.n_kernels = cJSON_GetArraySize(kernels);
	double *step = arena_array(a, (size_t)c.n_metrics + 1, sizeof *step),
	       *kernel = arena_array(
		       a, (size_t)c.n_metrics * (size_t)c.n_kernels + 1, sizeof *kernel);
	read_row(step, config_find(json, "step"), c.n_metrics);
	for (int i = 0; i < c.n_kernels; i++)
		read_row(kernel + i * c.n_metrics, cJSON_GetArrayItem(kernels, i), c.n_metrics);
	c.step = step;
	c.kernel = kernel;
	return c;
}

static void write_row(struct json_out *j, const char *key, const double *row, int n)
{
	json_array(j, key, JSON_INLINE);
	for (int i = 0; i < n; i++)
		json_number(j, NULL, row[i], DIGITS);
	json_end(j);
}

static void write_texts(struct json_out *j, const char *key, const char *const *text, int n)
{
	json_array(j, key, JSON_INLINE);
	for (int i = 0; i < n; i++)
		json_text(j, NULL, text[i]);
	json_end(j);
}

void counts_write(struct json_out *j, const struct case_counts *c)
{
	json_bool(j, "deep", c->how == COUNTING_DEEP);
	if (c->reason) {
		json_text(j, "reason", c->reason);
		return;
	}
	json_int(j, "passes", c->passes);
	write_texts(j, "metrics", c->metric, c->n_metrics);
	write_row(j, "step", c->step, c->n_metrics);
	json_array(j, "kernels", JSON_LINES);
	for (int i = 0; i < c->n_kernels; i++)
		write_row(j, NULL, c->kernel + i * c->n_metrics, c->n_metrics);
	json_end(j);
}
