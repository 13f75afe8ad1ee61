/* SPDX-License-Identifier: Apache-2.0 */
#include "base/config.h"

#include "base/hash.h"
#include "base/names.h"
#include "base/nearest.h"
#include "base/outfile.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 16 << 20 };

static int line_of(const char *text, const char *at)
{
	int line = 1;
	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	return line;
}

static const char *bad_utf8(const char *text)
{
	for (const char *p = text; *p;) {
		const char *start = p;
		if (!(*p & 0x80)) /* most are */
			p++;
		else if (utf8_next(&p) == UTF8_BAD)
			return start;
	}
	return NULL;
}

static const char *twice_among_many(const cJSON *object)
{
	struct names known; /* the empty one from the beginning */
	const char *found = NULL;
	int empty = 0;
	names_init(&known);
	for (const cJSON *m = object->child; m && !found; m = m->next) {
		uint32_t n = known.n;
		bool is_known = names_add_text(&known, m->string) < n;
		found = is_known && (*m->string || empty++) ? m->string : NULL;
	}
	names_release(&known);
	return found;
}

/* A key that stands twice in the object, NULL if none does. */
static const char *twice_in(const cJSON *object)
{
	enum { FEW = 16 };
	int n = 0;
	for (const cJSON *m = object->child; m; m = m->next)
		if (n++ == FEW)
			return twice_among_many(object);
	for (const cJSON *m = object->child; m; m = m->next)
		for (const cJSON *before = object->child; before != m; before = before->next)
			if (!strcmp(before->string, m->string))
				return m->string;
	return NULL;
}

double bounded_number(double value)
{
	const double most = 1e30, size = fabs(value);
	return size > most ? copysign(most, value) : size < 1 / most ? 0 * value : value;
}

double number_of_text(const char *text)
{
	char *end;
	double value = strtod(text, &end);
	return *text && !*end && isfinite(value) ? bounded_number(value) : (double)NAN;
}

static void bound_numbers(cJSON *node)
{
	for (; node; node = node->next) {
		node->valuedouble = bounded_number(node->valuedouble);
		bound_numbers(node->child);
	}
}

static int refuse_duplicates(const cJSON *node, const char *path, struct err *err)
{
	const char *twice = cJSON_IsObject(node) ? twice_in(node) : NULL;
	if (twice)
		return fail(err, "%s: \"%s\" stands twice in one object", path, twice);
	for (const cJSON *a = node->child; a; a = a->next)
		if (refuse_duplicates(a, path, err))
			return -1;
	return 0;
}

static cJSON *parsed(char *text, size_t n, const char *path, struct err *err)
{
	cJSON *root = NULL;
	const char *end = NULL, *wrong = bad_utf8(text);
	if (strlen(text) < n)
		fail(err, "%s: line %d holds a NUL byte", path, line_of(text, text + strlen(text)));
	else if (wrong)
		fail(err, "%s: line %d is not UTF-8", path, line_of(text, wrong));
	else if (!(root = cJSON_ParseWithOpts(text, &end, 1)))
		fail(err, "%s: not JSON at line %d, near \"%.20s\"", path, line_of(text, end), end);
	else
		refuse_duplicates(root, path, err);
	bound_numbers(root);
	free(text);
	if (err->set) {
		cJSON_Delete(root);
		return NULL;
	}
	return root;
}

static cJSON *read_from(const char *path, enum input_from from, struct err *err)
{
	size_t n;
	char *text = read_small_input(path, from, LARGEST_FILE, &n, err);
	return text ? parsed(text, n, path, err) : NULL;
}

cJSON *config_read_hashed(const char *path, uint64_t *hash, struct err *err)
{
	size_t n;
	char *text = read_small_input(path, INPUT_NAMED, LARGEST_FILE, &n, err);
	if (!text)
		return NULL;
	*hash = hash_bytes(HASH_START, text, n);
	return parsed(text, n, path, err);
}

cJSON *config_read(const char *path, struct err *err)
{
	return read_from(path, INPUT_FOUND, err);
}

cJSON *config_read_named(const char *path, struct err *err)
{
	return read_from(path, INPUT_NAMED, err);
}

const cJSON *config_find(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *config_words(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(config_find(object, name));
	return text ? text : "";
}

int config_known(const cJSON *object, const char *where, const char *const *names, struct err *err)
{
	const cJSON *m;
	cJSON_ArrayForEach(m, object)
	{
		struct nearest meant = {.typed = m->string};
		for (const char *const *n = names; *n; n++) {
			if (!strcmp(*n, m->string))
				goto known;
			nearest_try(&meant, *n);
		}
		if (meant.name)
			return fail(err, "%s: unknown field \"%s\"; did you mean \"%s\"?", where,
				m->string, meant.name);
		char list[512] = "";
		for (const char *const *n = names; *n; n++)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
				n == names ? "" : ", ", *n);
		return fail(err, "%s: unknown field \"%s\"; known are %s", where, m->string, list);
	known:;
	}
	return 0;
}

int config_text(const cJSON *object, const char *where, const char *name, const char **value,
	struct err *err)
{
	const cJSON *m = config_find(object, name);
	if (!m)
		return 0;
	if (!cJSON_IsString(m))
		return fail(err, "%s: \"%s\" must be a text in quotes", where, name);
	*value = m->valuestring;
	return 0;
}

int config_int(
	const cJSON *object, const char *where, const char *name, long *value, struct err *err)
{
	const cJSON *m = config_find(object, name);
	if (!m)
		return 0;
	if (!cJSON_IsNumber(m) || m->valuedouble != rint(m->valuedouble) ||
		fabs(m->valuedouble) > 9007199254740992.0)
		return fail(err, "%s: \"%s\" must be a whole number", where, name);
	*value = (long)m->valuedouble;
	return 0;
}

int config_number(
	const cJSON *object, const char *where, const char *name, double *value, struct err *err)
{
	const cJSON *m = config_find(object, name);
	if (!m)
		return 0;
	if (!cJSON_IsNumber(m))
		return fail(err, "%s: \"%s\" must be a number", where, name);
	*value = m->valuedouble;
	return 0;
}

int config_bool(
	const cJSON *object, const char *where, const char *name, bool *value, struct err *err)
{
	const cJSON *m = config_find(object, name);
	if (!m)
		return 0;
	if (!cJSON_IsBool(m))
		return fail(err, "%s: \"%s\" must be true or false", where, name);
	*value = cJSON_IsTrue(m);
	return 0;
}

int config_write(const cJSON *root, const char *path, struct err *err)
{
	struct outfile out;
	if (outfile_open(&out, path, err))
		return -1;
	char *text = cJSON_Print(root);
	if (!text)
		out_of_memory(0);
	fprintf(out.f, "%s\n", text);
	free(text);
	return outfile_close(&out, err);
}
