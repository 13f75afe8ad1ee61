/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/steady.h"

#include "base/outfile.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_PROBE = 256 << 20 };

static bool has_category(const cJSON *event, const char *const *categories)
{
	const char *c = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "cat"));
	for (; c && *categories; categories++)
		if (!strcmp(c, *categories))
			return true;
	return false;
}

static double number(const cJSON *event, const char *name)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(event, name);
	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

struct counting_probe {
	struct probe p;
	double first_us, last_us; /* of all events */
	double first_step_us, last_step_us; /* ends of optimizer steps */
};

static void count_event(struct counting_probe *c, const cJSON *event)
{
	static const char *const operators[] = {"cpu_op", NULL};
	static const char *const launches[] = {"cuda_runtime", "cuda_driver", NULL};
	static const char *const device[] = {"kernel", "gpu_memcpy", "gpu_memset", NULL};
	static const char *const annotation[] = {"user_annotation", NULL};
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "name"));
	double start_us = number(event, "ts"), end_us = start_us + number(event, "dur");
	bool step =
		name && !strncmp(name, "Optimizer.step#", 15) && has_category(event, annotation);
	if (!cJSON_HasObjectItem(event, "dur") || !name ||
		has_category(event, (const char *[]){"Trace", NULL}))
		return;
	c->p.operators += has_category(event, operators);
	c->p.launches += has_category(event, launches);
	c->p.device += has_category(event, device);
	c->first_us = fmin(c->first_us, start_us);
	c->last_us = fmax(c->last_us, end_us);
	if (step) {
		c->p.steps++;
		c->first_step_us = fmin(c->first_step_us, end_us);
		c->last_step_us = fmax(c->last_step_us, end_us);
	}
}

int probe_read(struct probe *p, const char *path, struct err *err)
{
	size_t n = 0;
	struct counting_probe c = {.first_us = (double)INFINITY,
		.last_us = -(double)INFINITY,
		.first_step_us = (double)INFINITY,
		.last_step_us = -(double)INFINITY};
	*p = (struct probe){0};
	char *text = read_small_file(path, LARGEST_PROBE, &n, err);
	if (!text)
		return -1;
	cJSON *root = cJSON_ParseWithLength(text, n);
	free(text);
	const cJSON *event;
	cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(root, "traceEvents"))
	{
		count_event(&c, event);
	}
	bool known = root != NULL;
	cJSON_Delete(root);
	if (!known)
		return fail(err, "%s is no whole trace", path);
	*p = c.p;
	if (c.last_us > c.first_us)
		p->window_ns = (int64_t)((c.last_us - c.first_us) * 1e3);
	if (p->steps > 1)
		p->step_ns = (int64_t)((c.last_step_us - c.first_step_us) * 1e3 /
			(double)(p->steps - 1));
	return 0;
}

bool probe_saw_work(const struct probe *p)
{
	return p->operators + p->launches + p->device > 0 && p->window_ns > 0;
}

static bool within(double a, double b, double share)
{
	return fabs(a - b) <= share * fmax(fabs(a), fabs(b));
}

static double rate(size_t n, const struct probe *p)
{
	return (double)n / (double)p->window_ns;
}

bool probes_agree(const struct probe *a, const struct probe *b)
{
	if (!probe_saw_work(a) || !probe_saw_work(b))
		return false;
	if (a->steps >= 3 && b->steps >= 3)
		return within((double)a->step_ns, (double)b->step_ns, 0.15);
	return within(rate(a->operators, a), rate(b->operators, b), 0.2) &&
		within(rate(a->launches, a), rate(b->launches, b), 0.2);
}

long probe_ms(int n)
{
	long ms = PROBE_FIRST_MS;
	for (int i = 2; i <= n; i++)
		ms *= 2;
	return ms < PROBE_LONGEST_MS ? ms : PROBE_LONGEST_MS;
}
