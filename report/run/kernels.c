/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/kernels.h"

#include "base/config.h"
#include "base/sort.h"
#include "report/analyse/case_numbers.h"
#include "report/analyse/kernel_footprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which there are ---- */

static const struct kernel *record_of(const struct report_case *c, const struct activity *act)
{
	return kernel_of(&c->trace, act->row[0]);
}

static bool same_kernel(
	const struct run_kernel *k, const struct report_case *c, const struct activity *act)
{
	const char *name = names_text(&k->c->trace.names, k->act->name);
	return !memcmp(k->act->grid, act->grid, sizeof act->grid) &&
		!memcmp(k->act->block, act->block, sizeof act->block) &&
		!strcmp(name, names_text(&c->trace.names, act->name));
}

static struct run_kernel *find(
	struct run_kernel *list, int n, const struct report_case *c, const struct activity *act)
{
	for (int i = 0; i < n; i++)
		if (same_kernel(&list[i], c, act))
			return &list[i];
	return NULL;
}

static struct run_kernel new_kernel(const struct report_case *c, const struct activity *act)
{
	const struct kernel *record = record_of(c, act);
	struct run_kernel k = {.c = c, .act = act, .estimate_pct = record->occupancy_pct};
	k.device = device_of_kernel(&c->trace, record);
	k.fit = fit_of(record, k.device);
	return k;
}

/* The activities of one case differ, so only the others' are searched. */
static void add_case(struct run_kernel *list, int *n, const struct report_case *c)
{
	int others = *n;
	for (uint32_t i = 0; i < c->analysis->n_activities; i++) {
		const struct activity *act = &c->analysis->activities[i];
		const struct kernel *record = record_of(c, act);
		if (!record || record->registers <= 0 || act->grid[0] <= 0)
			continue;
		struct run_kernel *k = find(list, others, c, act);
		if (!k) {
			k = &list[(*n)++];
			*k = new_kernel(c, act);
		}
		k->cases++;
		k->total_ns += act->dur.mean * (double)act->calls;
	}
}

static size_t most_kernels(const struct input *in)
{
	size_t n = 0;
	for (const struct report_case *c = NULL; (c = next_case(in, c));)
		if (c->readable)
			n += c->analysis->n_activities;
	return n;
}

ORDER(by_time, struct run_kernel,
	DOWN(total_ns)
		?: strcmp(names_text(&a->c->trace.names, a->act->name),
			   names_text(&b->c->trace.names, b->act->name)));

/* ---- what was counted of them ---- */

static int kernels_in(const struct trace *t, const struct step *s)
{
	int n = 0;
	for (uint32_t i = 0; i < s->n_device; i++)
		n += t->kind[s->device[i]] == EVENT_KERNEL;
	return n;
}

/* The rows of counters stand in the order in which a step launches its kernels; where their number
 * differs nobody knows whose they are. */
static void add_counters(struct run_kernel *list, int n, const struct report_case *c)
{
	const cJSON *counters = config_find(c->raw_entry, "counters"),
		    *rows = config_find(counters, "kernels"),
		    *metrics = config_find(counters, "metrics");
	const struct analysis *an = c->analysis;
	if (!an->n_steps || !cJSON_IsArray(metrics) || cJSON_GetArraySize(rows) < 1)
		return;
	const struct step *s = &an->steps[numbers_of(an).typical];
	if (kernels_in(&c->trace, s) != cJSON_GetArraySize(rows))
		return;
	for (uint32_t i = 0, row = 0; i < s->n_device; i++) {
		if (c->trace.kind[s->device[i]] != EVENT_KERNEL)
			continue;
		const cJSON *numbers = cJSON_GetArrayItem(rows, (int)row++);
		const struct activity *act = activity_of_row(an, s->device[i]);
		struct run_kernel *k = act ? find(list, n, c, act) : NULL;
		if (!k || k->counters)
			continue;
		k->counted = c;
		k->counters = numbers;
		k->metrics = metrics;
	}
}

struct run_kernel *run_kernels(struct arena *a, const struct input *in, int *n)
{
	struct run_kernel *list = arena_array(a, most_kernels(in) + 1, sizeof *list);
	*n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (const struct report_case *c = NULL; (c = next_case(in, c));) {
			if (c->readable && !pass)
				add_case(list, n, c);
			else if (c->readable)
				add_counters(list, *n, c);
		}
	if (*n)
		qsort(list, (size_t)*n, sizeof *list, by_time);
	return list;
}

double kernel_counter(const struct run_kernel *k, const char *metric)
{
	int i = 0;
	const cJSON *name;
	cJSON_ArrayForEach(name, k->metrics)
	{
		const cJSON *number = cJSON_GetArrayItem(k->counters, i++);
		if (cJSON_IsString(name) && !strcmp(name->valuestring, metric))
			return cJSON_IsNumber(number) ? number->valuedouble : (double)NAN;
	}
	return (double)NAN;
}

const char *counters_refused(const struct input *in)
{
	for (const struct report_case *c = NULL; (c = next_case(in, c));) {
		const cJSON *counters = config_find(c->raw_entry, "counters");
		const char *reason = cJSON_GetStringValue(config_find(counters, "reason"));
		if (reason)
			return reason;
	}
	return NULL;
}
