/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - the small JSON files: the matrix, the manifests, the templates; read, and written
 * back.
 *
 * cJSON does the parsing; these calls add what it lacks for a file that a person edits: duplicate
 * keys, trailing text and invalid UTF-8 are refused, and every complaint says file, place and what
 * was expected. Traces are never read through here (report/read/read.h does that).
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* Parses a file of at most 16 MB. The caller frees the result with cJSON_Delete. NULL on failure,
 * with the line of the first wrong byte in the message. */
cJSON *config_read(const char *path, struct err *err);

/* The same of a path that a person named, so that it may be a pipe or stdin (input.h). */
cJSON *config_read_named(const char *path, struct err *err);

/* The same; *hash: of its bytes as they were read (hash.h), for what is read once. */
cJSON *config_read_hashed(const char *path, uint64_t *hash, struct err *err);

/* A number of a file as it may be multiplied and divided: within 1e-30 and 1e30 or 0. NAN stays.
 * All numbers that config_read gives are such. */
double bounded_number(double value);

/* One that is all of a text, such; NAN when it is none. */
double number_of_text(const char *text);

/* Every member of `object` must have one of the names, listed with NULL at the end; otherwise the
 * message names the unknown field, `where` it stands and the nearest known one. */
int config_known(const cJSON *object, const char *where, const char *const *names, struct err *err);

/* Members by name, exact case. Missing: the default. Wrong type: an error. */
int config_text(const cJSON *object, const char *where, const char *name, const char **value,
	struct err *err);
int config_int(
	const cJSON *object, const char *where, const char *name, long *value, struct err *err);
int config_number(
	const cJSON *object, const char *where, const char *name, double *value, struct err *err);
int config_bool(
	const cJSON *object, const char *where, const char *name, bool *value, struct err *err);

/* A text member, lent; "" when it is missing or no text. */
const char *config_words(const cJSON *object, const char *name);

/* The member, or NULL. */
const cJSON *config_find(const cJSON *object, const char *name);

/* Writes all of it, laid out for a person, into a file that appears whole or not at all. */
int config_write(const cJSON *root, const char *path, struct err *err);

#endif
