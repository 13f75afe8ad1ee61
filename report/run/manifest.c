/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a text of run.json: more than anybody reads, and little enough to be laid out. */
enum { LONGEST_TEXT = 4000 };

const char *manifest_text(
	struct arena *a, const cJSON *object, const char *name, const char *otherwise)
{
	const char *found = cJSON_GetStringValue(config_find(object, name));
	const char *s = found ? found : otherwise;
	size_t n = strnlen(s, LONGEST_TEXT + 1);
	if (n <= LONGEST_TEXT)
		return arena_strdup(a, s);
	for (n = LONGEST_TEXT; ((unsigned char)s[n] & 0xc0) == 0x80;)
		n--;
	return arena_printf(a, "%.*s…", (int)n, s);
}

const char *without_links(struct arena *a, const char *text)
{
	const char *at = text ? strstr(text, "](") : NULL;
	if (!at)
		return text;
	char *plain = arena_alloc(a, 2 * strlen(text) + 1), *to = plain;
	for (const char *p = text; *p; p++) {
		if (p > text && p[-1] == ']' && *p == '(')
			*to++ = ' ';
		*to++ = *p;
	}
	*to = '\0';
	return plain;
}

const char *manifest_prose(
	struct arena *a, const cJSON *object, const char *name, const char *otherwise)
{
	return without_links(a, manifest_text(a, object, name, otherwise));
}

static double number_or(const cJSON *object, const char *name, double otherwise)
{
	const cJSON *n = config_find(object, name);
	return cJSON_IsNumber(n) && isfinite(n->valuedouble) ? n->valuedouble : otherwise;
}

/* ---- the machine ---- */

/* Runs of before version 0.3 have no number, but the text "63 MB" for people. */
static double cache_of_text(const char *text)
{
	char *end = NULL;
	double size = text ? strtod(text, &end) : 0;
	return text && !strcmp(end, " MB") && size > 0 && size < 1e6 ? size * 1e6 : 0;
}

/* "13.0 (/usr/lib/libcuda.so.1)": the version. Where on its machine it lay says nothing to a
 * reader. */
static const char *without_place(struct arena *a, const char *value)
{
	const char *place = value ? strstr(value, " (/") : NULL;
	return place && strchr(place, ')') && !strchr(place, ')')[1]
		? arena_strndup(a, value, (size_t)(place - value))
		: value;
}

const struct machine_facts *machine_facts_of(struct arena *a, const cJSON *manifest)
{
	const cJSON *list = config_find(manifest, "environment"), *e;
	struct machine_facts *facts = arena_alloc(a, sizeof *facts);
	list = cJSON_IsObject(list) ? list : NULL;
	facts->fact = arena_array(a, (size_t)cJSON_GetArraySize(list) + 1, sizeof *facts->fact);
	cJSON_ArrayForEach(e, list)
	{
		facts->fact[facts->n++] =
			(struct machine_fact){e->string, without_place(a, cJSON_GetStringValue(e))};
	}
	double told = number_or(manifest, "cache_bytes", 0);
	facts->cache_bytes = told > 0 && told < 1e12
		? told
		: cache_of_text(machine_fact(facts, "GPU level-2 cache"));
	return facts;
}

const char *machine_fact(const struct machine_facts *facts, const char *name)
{
	for (int i = 0; i < facts->n; i++)
		if (!strcmp(facts->fact[i].name, name))
			return facts->fact[i].value;
	return NULL;
}

/* ---- the work of a case ---- */

const struct case_work no_work = {.workload = "",
	.mode = "",
	.dtype = DTYPES,
	.asked_dtype = DTYPES,
	.schedule = {(double)NAN, (double)NAN, (double)NAN},
	.predicted_kernels = -1};

static struct work_sizes sizes_of(const cJSON *object)
{
	struct work_sizes s = {0};
	const cJSON *m;
	cJSON_ArrayForEach(m, object)
	{
		if (s.n < MOST_SIZES && m->string && cJSON_IsNumber(m) && isfinite(m->valuedouble))
			s.size[s.n++] = (struct work_size){m->string, m->valuedouble};
	}
	return s;
}

static double size_of(const struct work_sizes *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->size[i].name, name))
			return s->size[i].n;
	return (double)NAN;
}

bool same_sizes(const struct work_sizes *a, const struct work_sizes *b)
{
	for (int i = 0; i < a->n; i++)
		if (size_of(b, a->size[i].name) != a->size[i].n)
			return false;
	return a->n == b->n;
}

/* CLASSES: no class is called so. */
static int class_named(const char *name)
{
	int i = 0;
	while (name && i < CLASSES && strcmp(event_class_name((enum event_class)i), name) != 0)
		i++;
	return name ? i : CLASSES;
}

/* False for a row of a class that no event has, or that wants such an event beside it. */
static bool read_row(struct kernel_work_row *r, const cJSON *row)
{
	const char *class = config_words(row, "class"), *with = config_words(row, "with"),
		   *epilogue = config_words(row, "epilogue");
	*r = (struct kernel_work_row){.class = class_named(class),
		.with = class_named(with),
		.without = class_named(config_words(row, "without")),
		.flop = number_or(row, "flop", (double)NAN),
		.read_bytes = number_or(row, "read_bytes", (double)NAN),
		.write_bytes = number_or(row, "write_bytes", (double)NAN),
		.epilogue = !strcmp(epilogue, "bias") ? EPILOGUE_BIAS
			: !strcmp(epilogue, "addend") ? EPILOGUE_ADDEND
						      : EPILOGUE_NONE};
	return (r->class != CLASSES || !strcmp(class, "any")) && (r->with != CLASSES || !*with);
}

static void read_kernels(struct case_work *w, struct arena *a, const cJSON *rows)
{
	const cJSON *row;
	w->kernel = arena_array(a, (size_t)cJSON_GetArraySize(rows) + 1, sizeof *w->kernel);
	cJSON_ArrayForEach(row, rows)
	{
		w->n_kernels += read_row(&w->kernel[w->n_kernels], row);
	}
}

struct case_work *case_work_of(struct arena *a, const cJSON *entry)
{
	const cJSON *asked = config_find(entry, "asked"), *s = config_find(entry, "schedule");
	struct case_work *w = arena_alloc(a, sizeof *w);
	*w = (struct case_work){.workload = manifest_text(a, entry, "workload", ""),
		.mode = manifest_text(a, entry, "mode", ""),
		.dtype = dtype_named(config_words(entry, "dtype")),
		.warm = cJSON_IsTrue(config_find(entry, "warm")),
		.shape = sizes_of(config_find(entry, "shape")),
		.asked = sizes_of(asked),
		.asked_dtype = dtype_named(config_words(asked, "dtype")),
		.schedule = {number_or(s, "wait", (double)NAN), number_or(s, "warmup", (double)NAN),
			number_or(s, "active", (double)NAN)},
		.flop = number_or(entry, "flop_per_step", 0),
		.bytes = number_or(entry, "bytes_per_step", 0),
		.predicted_kernels = (int)number_or(config_find(entry, "expect"), "kernels", -1)};
	read_kernels(w, a, config_find(entry, "kernel_work"));
	return w;
}

double work_size(const struct case_work *w, const char *name)
{
	double n = size_of(&w->shape, name);
	return n >= 1 && n < 1e9 ? n : 0;
}

double work_element_bytes(const struct case_work *w)
{
	return (double)dtype_bytes(w->dtype);
}

bool same_kind_of_work(const struct case_work *a, const struct case_work *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->mode, b->mode) &&
		a->dtype == b->dtype;
}

/* ---- what stands side by side ---- */

static void read_comparison(struct run_comparison *c, struct arena *a, const cJSON *entry)
{
	const cJSON *cases = config_find(entry, "cases"), *one;
	*c = (struct run_comparison){.id = cJSON_GetStringValue(config_find(entry, "id")),
		.title = manifest_prose(a, entry, "title", manifest_text(a, entry, "id", "")),
		.question = config_words(entry, "question")};
	c->cases = arena_array(a, (size_t)cJSON_GetArraySize(cases) + 1, sizeof *c->cases);
	cJSON_ArrayForEach(one, cases)
	{
		c->cases[c->n++] = cJSON_IsString(one) ? one->valuestring : "?";
	}
}

/* ---- a loop and its workers ---- */

bool is_worker(const cJSON *entry)
{
	return cJSON_IsNumber(config_find(entry, "worker"));
}

/* The form is that of "decode load.py:17". */
static void read_place(struct arena *a, struct loading_facts *l, const cJSON *told)
{
	const char *in = manifest_text(a, told, "in", "");
	size_t n = strcspn(in, " ");
	l->in_ms = number_or(told, "in_ms", 0);
	if (!n || !in[n] || l->in_ms <= 0 || l->in_ms > l->make_ms)
		return;
	l->in = arena_strndup(a, in, n);
	l->at = arena_strdup(a, in + n + 1);
}

const struct loading_facts *loading_facts_of(struct arena *a, const cJSON *entry)
{
	const cJSON *told = config_find(entry, "loading");
	struct loading_facts *l = arena_alloc(a, sizeof *l);
	*l = (struct loading_facts){.batches = number_or(told, "batches", 0),
		.workers = number_or(told, "workers", -1),
		.enough = number_or(told, "enough", 0),
		.wait_ms = number_or(told, "wait_ms", -1),
		.work_ms = number_or(told, "work_ms", 0),
		.make_ms = number_or(told, "make_ms", 0)};
	bool sound = l->batches >= 1 && l->batches < 1e12 && l->workers >= 0 && l->workers < 1e6 &&
		l->enough >= 1 && l->enough <= 1e6 && l->wait_ms >= 0 && l->wait_ms < 1e9 &&
		l->work_ms > 0 && l->work_ms < 1e9 && l->make_ms > 0 && l->make_ms < 1e9;
	if (!sound)
		return NULL;
	read_place(a, l, told);
	return l;
}

const struct run_comparisons *run_comparisons_of(struct arena *a, const cJSON *manifest)
{
	const cJSON *list = config_find(manifest, "comparisons"), *entry;
	struct run_comparisons *all = arena_alloc(a, sizeof *all);
	all->of = arena_array(a, (size_t)cJSON_GetArraySize(list) + 1, sizeof *all->of);
	cJSON_ArrayForEach(entry, list)
	{
		read_comparison(&all->of[all->n++], a, entry);
	}
	return all;
}
