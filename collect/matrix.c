/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/matrix.h"

#include "base/config.h"
#include "base/expectation.h"
#include "base/memory.h"
#include "base/word_list.h"
#include "collect/schedule.h"

#include <string.h>

const struct case_size case_sizes[] = {
	{"size", offsetof(struct case_spec, size)},
	{"batch", offsetof(struct case_spec, batch)},
	{"in_dim", offsetof(struct case_spec, in_dim)},
	{"out_dim", offsetof(struct case_spec, out_dim)},
	{"seq", offsetof(struct case_spec, seq)},
	{"dim", offsetof(struct case_spec, dim)},
	{"hidden", offsetof(struct case_spec, hidden)},
	{"then_batch", offsetof(struct case_spec, then_batch)},
	{NULL, 0},
};

long case_size_value(const struct case_spec *spec, const struct case_size *size)
{
	return *(const long *)((const char *)spec + size->offset);
}

void case_size_set(struct case_spec *spec, const struct case_size *size, long value)
{
	*(long *)((char *)spec + size->offset) = value;
}

const char *case_tag(struct arena *a, const struct case_spec *s)
{
	const char *mode = mode_name(s->mode);
	if (s->size) {
		const char *batch = s->batch ? arena_printf(a, "%ldx", s->batch) : "";
		return arena_printf(a, "%s%ld_%s_%s_%s", batch, s->size, dtype_name(s->dtype),
			s->warm ? "warm" : "cold", mode);
	}
	const char *sizes = "";
	for (const struct case_size *size = case_sizes; size->name; size++)
		if (case_size_value(s, size) &&
			size->offset != offsetof(struct case_spec, then_batch))
			sizes = arena_printf(a, "%s%ld_", sizes, case_size_value(s, size));
	return arena_printf(a, "%s%s", sizes, mode);
}

const struct matrix_case *matrix_find(const struct matrix *m, const char *id)
{
	return text_map_find(&m->by_id, id);
}

static int read_schedule(const cJSON *owner, struct schedule *schedule, struct err *err)
{
	static const char *const known[] = {"wait", "warmup", "active", "repeat", NULL};
	const cJSON *o = config_find(owner, "schedule");
	if (!o)
		return 0;
	if (!cJSON_IsObject(o))
		return fail(err,
			"\"schedule\" must be an object: {\"wait\": 1, \"warmup\": 1, "
			"\"active\": 3, \"repeat\": 1}");
	if (config_known(o, "schedule", known, err) ||
		config_int(o, "schedule", "wait", &schedule->wait, err) ||
		config_int(o, "schedule", "warmup", &schedule->warmup, err) ||
		config_int(o, "schedule", "active", &schedule->active, err) ||
		config_int(o, "schedule", "repeat", &schedule->repeat, err))
		return -1;
	return schedule_ok(schedule, err);
}

static int read_limits(
	const cJSON *owner, const char *where, struct case_limits *limits, struct err *err)
{
	static const char *const known[] = {"seconds", "memory", NULL};
	const cJSON *o = config_find(owner, "limits");
	const char *memory = NULL;
	if (!o)
		return 0;
	if (!cJSON_IsObject(o))
		return fail(err,
			"%s: \"limits\" must be an object: {\"seconds\": 60, \"memory\": \"4G\"}",
			where);
	if (config_known(o, "limits", known, err) ||
		config_number(o, "limits", "seconds", &limits->seconds, err) ||
		config_text(o, "limits", "memory", &memory, err))
		return err_note(err, "%s", where);
	if (config_find(o, "seconds") && !(limits->seconds > 0))
		return fail(err, "%s: limits: \"seconds\" must be more than 0", where);
	if (memory && !(limits->memory = memory_of_text(memory, err)))
		return err_note(err, "%s: limits", where);
	return 0;
}

static int read_mode(const cJSON *object, const char *where, enum mode *mode, struct err *err)
{
	const char *word = mode_name(*mode);
	struct words list = {""};
	if (config_text(object, where, "mode", &word, err))
		return -1;
	for (int i = 0; i < MODES; i++) {
		words_add(&list, mode_name((enum mode)i));
		if (!strcmp(mode_name((enum mode)i), word)) {
			*mode = (enum mode)i;
			return 0;
		}
	}
	return fail(err, "%s: unknown mode \"%s\"; known are %s", where, word, list.text);
}

static int read_dtype(const cJSON *object, const char *where, enum dtype *dtype, struct err *err)
{
	const char *word = dtype_name(*dtype);
	struct words list = {""};
	if (config_text(object, where, "dtype", &word, err))
		return -1;
	*dtype = dtype_named(word);
	if (*dtype < DTYPES)
		return 0;
	for (int i = 0; i < DTYPES; i++)
		words_add(&list, dtype_name((enum dtype)i));
	return fail(err, "%s: unknown dtype \"%s\"; known are %s", where, word, list.text);
}

static int read_sizes(
	const cJSON *object, const char *where, struct case_spec *spec, struct err *err)
{
	for (const struct case_size *s = case_sizes; s->name; s++) {
		long value = 0;
		if (config_int(object, where, s->name, &value, err))
			return -1;
		if (config_find(object, s->name) && value < 1)
			return fail(err, "%s: \"%s\" must be at least 1, not %ld", where, s->name,
				value);
		case_size_set(spec, s, value);
	}
	return 0;
}

static int read_workload(
	const cJSON *object, const char *where, struct matrix_case *c, struct err *err)
{
	const char *name = NULL;
	if (config_text(object, where, "workload", &name, err))
		return -1;
	struct words list = {""};
	for (const struct workload *w = workloads; w->name; w++)
		words_add(&list, w->name);
	if (!name)
		return fail(err, "%s: \"workload\" is missing; known are %s", where, list.text);
	c->workload = workload_find(name);
	if (!c->workload)
		return fail(
			err, "%s: unknown workload \"%s\"; known are %s", where, name, list.text);
	c->spec.workload = name;
	return 0;
}

/* Experiment and tag become a folder and a file. */
static int file_name_ok(const char *text, const char *where, const char *name, struct err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";
	if (!*text || *text == '.' || *text == '-' || text[strspn(text, allowed)] ||
		strlen(text) > 200)
		return fail(err,
			"%s: \"%s\" is \"%s\"; it becomes a file name: letters, digits, '_', '.' "
			"and '-' only",
			where, name, text);
	return 0;
}

static int read_guess(
	const cJSON *object, const char *where, struct matrix_case *c, struct err *err)
{
	const cJSON *guess = config_find(object, "guess");
	if (!cJSON_IsArray(guess))
		return config_text(object, where, "guess", &c->guess, err);
	c->sentences = guess;
	return 0;
}

static int read_case(struct matrix *m, const cJSON *object, const char *where,
	struct matrix_case *c, struct err *err)
{
	static const char *const known[] = {"experiment", "workload", "tag", "mode", "dtype",
		"warm", "schedule", "limits", "size", "batch", "in_dim", "out_dim", "seq", "dim",
		"hidden", "then_batch", "title", "question", "guess", "untested", "expect", NULL};
	if (!cJSON_IsObject(object))
		return fail(err, "%s must be an object", where);
	struct case_spec *s = &c->spec;
	if (config_known(object, where, known, err) || read_workload(object, where, c, err))
		return -1;
	s->experiment = s->workload;
	c->title = c->question = c->guess = c->untested = "";
	if (config_text(object, where, "experiment", &s->experiment, err) ||
		read_mode(object, where, &s->mode, err) ||
		read_dtype(object, where, &s->dtype, err) ||
		config_bool(object, where, "warm", &s->warm, err) ||
		read_sizes(object, where, s, err))
		return -1;
	if (read_schedule(object, &s->schedule, err))
		return err_note(err, "%s", where);
	if (read_limits(object, where, &c->limits, err))
		return -1;
	s->tag = case_tag(&m->arena, s);
	c->title = s->tag;
	if (config_text(object, where, "tag", &s->tag, err) ||
		config_text(object, where, "title", &c->title, err) ||
		config_text(object, where, "question", &c->question, err) ||
		read_guess(object, where, c, err) ||
		config_text(object, where, "untested", &c->untested, err) ||
		file_name_ok(s->experiment, where, "experiment", err) ||
		file_name_ok(s->tag, where, "tag", err))
		return -1;
	c->id = arena_printf(&m->arena, "%s/%s", s->experiment, s->tag);
	c->expect = config_find(object, "expect");
	if (c->workload->shape_ok(s, err))
		return err_note(err, "%s", where);
	if (matrix_find(m, c->id))
		return fail(err,
			"%s: there is already a case \"%s\"; give one of them a \"tag\" of its own",
			where, c->id);
	return 0;
}

static const cJSON *list_of(const cJSON *root, const char *path, const char *name, struct err *err)
{
	const cJSON *list = config_find(root, name);
	if (list && !cJSON_IsArray(list)) {
		fail(err, "%s: \"%s\" must be a list", path, name);
		return NULL;
	}
	return list;
}

static int read_cases(struct matrix *m, const struct schedule *schedule,
	const struct case_limits *limits, struct err *err)
{
	const cJSON *list = list_of(m->root, m->path, "cases", err), *object;
	if (err->set || !cJSON_GetArraySize(list))
		return fail(err, "%s: \"cases\" is missing or empty: nothing to run", m->path);
	m->cases = arena_array(&m->arena, (size_t)cJSON_GetArraySize(list), sizeof *m->cases);
	cJSON_ArrayForEach(object, list)
	{
		struct matrix_case *c = &m->cases[m->n_cases];
		const char *tag = cJSON_GetStringValue(config_find(object, "tag"));
		const char *workload = cJSON_GetStringValue(config_find(object, "workload"));
		const char *where = arena_printf(&m->arena, "%s: case %zu%s%s%s", m->path,
			m->n_cases + 1, workload || tag ? " (" : "",
			tag		   ? tag
				: workload ? workload
					   : "",
			workload || tag ? ")" : "");
		c->spec.schedule = *schedule;
		c->limits = *limits;
		if (read_case(m, object, where, c, err))
			return -1;
		m->n_cases++;
		text_map_add(&m->by_id, &m->arena, c->id, c);
	}
	return 0;
}

static bool id_known(const void *context, const char *id)
{
	return matrix_find(context, id) != NULL;
}

static int check_expectations(const struct matrix *m, struct err *err)
{
	const struct case_ids ids = {id_known, m, "in this matrix"};
	for (size_t i = 0; i < m->n_cases; i++) {
		const struct matrix_case *c = &m->cases[i];
		if (c->expect && expectation_ok(c->expect, &ids, err))
			return err_note(err, "%s: case %zu (%s)", m->path, i + 1, c->id);
		if (c->sentences && guess_ok(c->sentences, &ids, err))
			return err_note(err, "%s: case %zu (%s)", m->path, i + 1, c->id);
	}
	return 0;
}

static int read_comparison(struct matrix *m, const cJSON *object, const char *where,
	struct matrix_comparison *c, struct err *err)
{
	static const char *const known[] = {"id", "title", "question", "cases", NULL};
	if (!cJSON_IsObject(object))
		return fail(err, "%s must be an object", where);
	c->id = NULL;
	c->title = c->question = "";
	if (config_known(object, where, known, err) ||
		config_text(object, where, "id", &c->id, err) ||
		config_text(object, where, "title", &c->title, err) ||
		config_text(object, where, "question", &c->question, err))
		return -1;
	if (!c->id || file_name_ok(c->id, where, "id", err))
		return fail(err, "%s: \"id\" is missing", where);
	if (text_map_find(&m->comparison_by_id, c->id))
		return fail(err, "%s: there is already a comparison \"%s\"", where, c->id);
	text_map_add(&m->comparison_by_id, &m->arena, c->id, c);
	const cJSON *list = list_of(object, where, "cases", err), *id;
	if (err->set || cJSON_GetArraySize(list) < 2)
		return fail(err, "%s: \"cases\" must list two cases or more", where);
	c->case_id = arena_array(&m->arena, (size_t)cJSON_GetArraySize(list), sizeof *c->case_id);
	cJSON_ArrayForEach(id, list)
	{
		const char *text = cJSON_GetStringValue(id);
		if (!text || !matrix_find(m, text))
			return fail(err,
				"%s: \"%s\" is not a case of this matrix; cases are named "
				"\"experiment/tag\" (--list shows them)",
				where, text ? text : "(not a text)");
		c->case_id[c->n_cases++] = text;
	}
	return 0;
}

static int read_comparisons(struct matrix *m, struct err *err)
{
	const cJSON *list = list_of(m->root, m->path, "comparisons", err), *object;
	if (err->set)
		return -1;
	m->comparisons =
		arena_array(&m->arena, (size_t)cJSON_GetArraySize(list), sizeof *m->comparisons);
	cJSON_ArrayForEach(object, list)
	{
		const char *id = cJSON_GetStringValue(config_find(object, "id"));
		const char *where = arena_printf(&m->arena, "%s: comparison %zu%s%s%s", m->path,
			m->n_comparisons + 1, id ? " (" : "", id ? id : "", id ? ")" : "");
		if (read_comparison(m, object, where, &m->comparisons[m->n_comparisons], err))
			return -1;
		m->n_comparisons++;
	}
	return 0;
}

static int read_noise(const cJSON *root, struct matrix_noise *noise, struct err *err)
{
	enum { MOST_ROUNDS = 100, MOST_STEPS = 1000, MOST_US = 1000000 };
	static const char *const known[] = {"rounds", "steps", "below_us", NULL};
	const cJSON *o = config_find(root, "noise");
	*noise = (struct matrix_noise){.rounds = 1, .steps = 20, .below_us = 1000};
	if (!o)
		return 0;
	if (!cJSON_IsObject(o))
		return fail(err,
			"\"noise\" must be an object: {\"rounds\": 3, \"steps\": 21, "
			"\"below_us\": 1000}");
	if (config_known(o, "noise", known, err) ||
		config_int(o, "noise", "rounds", &noise->rounds, err) ||
		config_int(o, "noise", "steps", &noise->steps, err) ||
		config_int(o, "noise", "below_us", &noise->below_us, err))
		return -1;
	if (noise->rounds < 1 || noise->rounds > MOST_ROUNDS || noise->steps < 1 ||
		noise->steps > MOST_STEPS || noise->below_us < 1 || noise->below_us > MOST_US)
		return fail(err,
			"\"noise\": \"rounds\" takes 1 to %d, \"steps\" 1 to %d, \"below_us\" 1 to %d",
			MOST_ROUNDS, MOST_STEPS, MOST_US);
	return 0;
}

static int read_root(struct matrix *m, struct err *err)
{
	static const char *const known[] = {
		"about", "guessed", "noise", "schedule", "limits", "cases", "comparisons", NULL};
	struct schedule schedule = {.wait = 1, .warmup = 1, .active = 3, .repeat = 1};
	struct case_limits limits = {0};
	const char *about = NULL;
	uint64_t hash;
	m->root = config_read_hashed(m->path, &hash, err); /* a pipe has its bytes once */
	if (!m->root)
		return -1;
	hash_text(m->hash, hash);
	if (!cJSON_IsObject(m->root))
		return fail(err, "%s: a matrix is an object with \"cases\" in it", m->path);
	if (config_known(m->root, m->path, known, err) ||
		config_text(m->root, m->path, "about", &about, err) ||
		config_text(m->root, m->path, "guessed", &m->guessed, err))
		return -1;
	if (read_schedule(m->root, &schedule, err) || read_noise(m->root, &m->noise, err))
		return err_note(err, "%s", m->path);
	if (read_limits(m->root, m->path, &limits, err))
		return -1;
	return read_cases(m, &schedule, &limits, err) || check_expectations(m, err) ||
			read_comparisons(m, err)
		? -1
		: 0;
}

int matrix_read(struct matrix *m, const char *path, struct err *err)
{
	*m = (struct matrix){.path = path, .guessed = ""};
	if (!read_root(m, err))
		return 0;
	matrix_release(m);
	return -1;
}

void matrix_release(struct matrix *m)
{
	cJSON_Delete(m->root);
	arena_release(&m->arena);
	*m = (struct matrix){0};
}
