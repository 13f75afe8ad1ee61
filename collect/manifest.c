/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/manifest.h"

#include "base/config.h"
#include "base/outfile.h"
#include "experiments/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const status_words[] = {"not run", "done", "failed"};

const char *case_file(struct arena *a, const struct matrix_case *c, const char *extension)
{
	return arena_printf(a, "%s%s", c->id, extension);
}

/* ---- writing ---- */

/* A value as it stands in the matrix. */
static void copy_value(struct json_out *j, const char *key, const cJSON *value)
{
	const cJSON *m;
	if (cJSON_IsString(value)) {
		json_text(j, key, value->valuestring);
	} else if (cJSON_IsBool(value)) {
		json_bool(j, key, cJSON_IsTrue(value));
	} else if (cJSON_IsNumber(value)) {
		if (value->valuedouble == rint(value->valuedouble))
			json_int(j, key, (int64_t)value->valuedouble);
		else
			json_number(j, key, value->valuedouble, 6);
	} else if (cJSON_IsArray(value)) {
		json_array(j, key, JSON_INLINE);
		cJSON_ArrayForEach(m, value) copy_value(j, NULL, m);
		json_end(j);
	} else if (cJSON_IsObject(value)) {
		json_object(j, key, JSON_INLINE);
		cJSON_ArrayForEach(m, value) copy_value(j, m->string, m);
		json_end(j);
	} else {
		json_null(j, key);
	}
}

void manifest_head(struct json_out *j, const char *device, bool is_gpu, const char *created,
	const struct environment *e)
{
	json_int(j, "tracebook", 1);
	json_text(j, "device", device);
	json_bool(j, "is_gpu", is_gpu);
	json_text(j, "created", created);
	json_object(j, "environment", JSON_LINES);
	for (int i = 0; i < e->n; i++)
		json_text(j, e->fact[i].name, e->fact[i].value);
	json_end(j);
	if (e->cache_bytes)
		json_int(j, "cache_bytes", e->cache_bytes);
}

/* Only the sizes that the case gives; the dtype where it was not the asked one. */
static void write_shape(
	struct json_out *j, const char *key, const struct case_spec *spec, bool with_dtype)
{
	json_object(j, key, JSON_INLINE);
	for (const struct case_size *s = case_sizes; s->name; s++)
		if (case_size_value(spec, s))
			json_int(j, s->name, case_size_value(spec, s));
	if (with_dtype)
		json_text(j, "dtype", dtype_name(spec->dtype));
	json_end(j);
}

static void write_schedule(struct json_out *j, const struct schedule *s)
{
	json_object(j, "schedule", JSON_INLINE);
	json_int(j, "wait", s->wait);
	json_int(j, "warmup", s->warmup);
	json_int(j, "active", s->active);
	json_int(j, "repeat", s->repeat);
	json_end(j);
}

void kernel_work_write(struct json_out *j, const struct case_spec *spec)
{
	struct kernel_work row[KERNEL_WORK_ROWS];
	double element = (double)dtype_bytes(spec->dtype);
	int n = spec->then_batch ? 0 : family_kernels(spec, row);
	if (!n)
		return;
	json_array(j, "kernel_work", JSON_LINES);
	for (int i = 0; i < n; i++) {
		json_object(j, NULL, JSON_INLINE);
		json_text(j, "class", row[i].class);
		json_number(j, "flop", row[i].flop, 0);
		json_number(j, "read_bytes", row[i].read * element, 0);
		json_number(j, "write_bytes", row[i].write * element, 0);
		if (row[i].with)
			json_text(j, "with", row[i].with);
		if (row[i].without)
			json_text(j, "without", row[i].without);
		if (row[i].epilogue)
			json_text(j, "epilogue", row[i].epilogue);
		json_end(j);
	}
	json_end(j);
}

static void write_asked(
	struct json_out *j, const struct matrix_case *c, const struct case_result *r)
{
	const struct case_spec *ran = &r->spec;
	json_text(j, "id", c->id);
	json_text(j, "experiment", c->spec.experiment);
	json_text(j, "tag", c->spec.tag);
	json_text(j, "title", c->title);
	json_text(j, "question", c->question);
	if (c->sentences)
		copy_value(j, "guess", c->sentences);
	else
		json_text(j, "guess", c->guess);
	if (c->untested[0])
		json_text(j, "untested", c->untested);
	json_text(j, "workload", ran->workload);
	json_text(j, "mode", mode_name(ran->mode));
	json_text(j, "dtype", dtype_name(ran->dtype));
	json_bool(j, "warm", ran->warm);
	write_shape(j, "shape", ran, false);
	if (r->scaled) {
		write_shape(j, "asked", &c->spec, c->spec.dtype != ran->dtype);
		json_text(j, "scaled", r->scaled);
	}
	write_schedule(j, &ran->schedule);
	json_number(j, "flop_per_step", c->workload->flop(ran), 0);
	json_number(j, "bytes_per_step", c->workload->bytes(ran), 0);
	kernel_work_write(j, ran);
	json_object(j, "expect", JSON_INLINE);
	const cJSON *e;
	cJSON_ArrayForEach(e, c->expect) copy_value(j, e->string, e);
	json_end(j);
}

static void write_counts(struct json_out *j, const struct case_counts *c)
{
	cJSON *said = c->json ? cJSON_Parse(c->json) : NULL;
	if (said)
		copy_value(j, "counters", said);
	cJSON_Delete(said);
	if (!c->reason)
		return;
	json_object(j, "counters", JSON_INLINE);
	json_bool(j, "deep", c->how == COUNTING_DEEP);
	json_text(j, "reason", c->reason);
	json_end(j);
}

static void write_outcome(
	struct json_out *j, const struct matrix_case *c, const struct case_result *r)
{
	struct arena a = {0};
	json_text(j, "status", status_words[r->status]);
	if (r->reason)
		json_text(j, "reason", r->reason);
	if (r->limit > 0) {
		json_object(j, "check", JSON_INLINE);
		json_number(j, "error", r->error, 9);
		json_number(j, "limit", r->limit, 9);
		json_end(j);
	}
	json_text(j, "trace", case_file(&a, c, TRACE_ENDING));
	json_text(j, "table", case_file(&a, c, ".txt"));
	json_number(j, "seconds", r->seconds, 3);
	if (r->made_from)
		json_text(j, "made_from", r->made_from);
	write_counts(j, &r->counts);
	arena_release(&a);
}

static void write_rates(struct json_out *j, const struct manifest *m)
{
	if (!m->rates_from)
		return;
	json_object(j, "rates", JSON_INLINE);
	for (int i = 0; i < DTYPES; i++)
		json_number(j, dtype_name((enum dtype)i), m->rates.flop[i], 0);
	json_number(j, "copy", m->rates.copy_bytes, 0);
	json_text(j, "made_from", m->rates_from);
	json_end(j);
}

const char *repeat_folder(struct arena *a, int round)
{
	return arena_printf(a, "repeat-%d", round);
}

const char *before_folder(struct arena *a, int round, const char *device)
{
	return arena_printf(a, "before-%d/%s", round, device);
}

static void write_rounds(struct json_out *j, const struct manifest *m)
{
	struct arena a = {0};
	if (m->rounds > 1) {
		json_array(j, "repeats", JSON_INLINE);
		for (int k = 2; k <= m->rounds; k++)
			json_text(j, NULL, repeat_folder(&a, k));
		json_end(j);
	}
	if (m->against) {
		json_object(j, "against", JSON_INLINE);
		json_text(j, "programs", m->against);
		json_array(j, "rounds", JSON_INLINE);
		for (int k = 1; k <= m->rounds; k++)
			json_text(j, NULL, before_folder(&a, k, m->device));
		json_end(j);
		json_end(j);
	}
	arena_release(&a);
}

static void write_comparisons(struct json_out *j, const struct matrix *m)
{
	json_array(j, "comparisons", JSON_LINES);
	for (size_t i = 0; i < m->n_comparisons; i++) {
		const struct matrix_comparison *c = &m->comparisons[i];
		json_object(j, NULL, JSON_LINES);
		json_text(j, "id", c->id);
		json_text(j, "title", c->title);
		json_text(j, "question", c->question);
		json_array(j, "cases", JSON_INLINE);
		for (size_t k = 0; k < c->n_cases; k++)
			json_text(j, NULL, c->case_id[k]);
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void write_all(FILE *f, const struct manifest *m)
{
	struct json_out j;
	json_init(&j, f);
	json_object(&j, NULL, JSON_LINES);
	manifest_head(&j, m->device, m->is_gpu, m->created, &m->environment);
	json_object(&j, "matrix", JSON_INLINE);
	json_text(&j, "file", m->matrix->path);
	json_text(&j, "hash", m->matrix->hash);
	if (m->matrix->guessed[0])
		json_text(&j, "guessed", m->matrix->guessed);
	json_end(&j);
	write_rates(&j, m);
	write_rounds(&j, m);
	json_array(&j, "cases", JSON_LINES);
	for (size_t i = 0; i < m->matrix->n_cases; i++) {
		json_object(&j, NULL, JSON_LINES);
		write_asked(&j, &m->matrix->cases[i], &m->result[i]);
		write_outcome(&j, &m->matrix->cases[i], &m->result[i]);
		json_end(&j);
	}
	json_end(&j);
	write_comparisons(&j, m->matrix);
	json_end(&j);
	json_finish(&j);
}

/* A file that says the same already is left alone, also where nothing can be written. */
static bool same_content(const char *path, const char *text, size_t n)
{
	struct err err = {0};
	size_t there = 0;
	char *old = read_small_file(path, n + 1, &there, &err);
	bool same = old && there == n && !memcmp(old, text, n);
	free(old);
	return same;
}

int manifest_write(const struct manifest *m, struct err *err)
{
	char *text = NULL;
	size_t n = 0;
	struct outfile out;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		out_of_memory(0);
	write_all(f, m);
	if (fclose(f))
		out_of_memory(0);
	int result = 0;
	if (!same_content(m->path, text, n)) {
		result = outfile_open_unnamed(&out, m->path, err);
		if (!result) {
			fwrite(text, 1, n, out.f);
			result = outfile_close(&out, err);
		}
	}
	free(text);
	return result;
}

/* ---- reading back ---- */

static enum case_status status_of(const char *word)
{
	for (int i = 0; i < (int)(sizeof status_words / sizeof *status_words); i++)
		if (word && !strcmp(word, status_words[i]))
			return (enum case_status)i;
	return CASE_NOT_RUN;
}

static const char *text_of(struct arena *a, const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(config_find(object, name));
	return text ? arena_strdup(a, text) : NULL;
}

static double number_of(const cJSON *object, const char *name)
{
	const cJSON *n = config_find(object, name);
	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

struct case_counts counts_of(struct arena *a, const cJSON *said)
{
	if (!cJSON_IsObject(said))
		return (struct case_counts){0};
	struct case_counts c = {
		.how = cJSON_IsTrue(config_find(said, "deep")) ? COUNTING_DEEP : COUNTING_PLAIN,
		.reason = text_of(a, said, "reason")};
	char *text = c.reason ? NULL : cJSON_PrintUnformatted(said);
	c.json = text ? arena_strdup(a, text) : NULL;
	free(text);
	return c;
}

static void recall_case(struct case_result *r, struct arena *a, const cJSON *old)
{
	const enum dtype dtype = dtype_named(config_words(old, "dtype"));
	const cJSON *shape = config_find(old, "shape"), *check = config_find(old, "check");
	r->status = status_of(cJSON_GetStringValue(config_find(old, "status")));
	r->scaled = text_of(a, old, "scaled");
	r->reason = text_of(a, old, "reason");
	r->made_from = text_of(a, old, "made_from");
	r->seconds = number_of(old, "seconds");
	r->error = number_of(check, "error");
	r->limit = number_of(check, "limit");
	r->counts = counts_of(a, config_find(old, "counters"));
	if (dtype < DTYPES)
		r->spec.dtype = dtype;
	for (const struct case_size *s = case_sizes; s->name; s++)
		if (number_of(shape, s->name) > 0)
			case_size_set(&r->spec, s, (long)number_of(shape, s->name));
}

static void recall_environment(struct manifest *m, struct arena *a, const cJSON *root)
{
	const cJSON *fact;
	m->environment.n = 0;
	m->environment.cache_bytes = (int64_t)number_of(root, "cache_bytes");
	cJSON_ArrayForEach(fact, config_find(root, "environment"))
	{
		const char *value = cJSON_GetStringValue(fact);
		if (value)
			environment_add(&m->environment, arena_strdup(a, fact->string),
				arena_strdup(a, value));
	}
}

static void recall_rates(struct manifest *m, struct arena *a, const cJSON *old)
{
	struct rates r = {.copy_bytes = number_of(old, "copy")};
	bool usable = r.copy_bytes > 0;
	for (int i = 0; i < DTYPES; i++) {
		r.flop[i] = number_of(old, dtype_name((enum dtype)i));
		usable = usable && r.flop[i] > 0;
	}
	if (!usable)
		return;
	m->rates = r;
	m->rates_from = text_of(a, old, "made_from");
}

int manifest_recall(struct manifest *m, struct arena *a, struct err *err)
{
	if (access(m->path, F_OK))
		return 0;
	cJSON *root = config_read(m->path, err);
	if (!root)
		return -1;
	const cJSON *old;
	cJSON_ArrayForEach(old, config_find(root, "cases"))
	{
		const char *id = cJSON_GetStringValue(config_find(old, "id"));
		const struct matrix_case *c = id ? matrix_find(m->matrix, id) : NULL;
		if (c)
			recall_case(&m->result[c - m->matrix->cases], a, old);
	}
	recall_rates(m, a, config_find(root, "rates"));
	recall_environment(m, a, root);
	int repeats = cJSON_GetArraySize(config_find(root, "repeats"));
	m->rounds = 1 + (repeats < MOST_ROUNDS ? repeats : 0);
	m->against = text_of(a, config_find(root, "against"), "programs");
	const char *created = text_of(a, root, "created");
	if (created)
		m->created = created;
	cJSON_Delete(root);
	return 0;
}
