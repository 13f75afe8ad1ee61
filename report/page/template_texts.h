/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template_texts.h - every word and colour a reader sees, from the folder templates/.
 *
 * Texts are looked up by key and may hold places in braces: say(t, a, "case.kernels", "n", "5",
 * NULL) fills {n}. A filled-in value is taken literally: signs that rich_text.h would read as
 * markup are escaped, except in {=n}. {n?kernel|kernels} is the one word or the other, by the count
 * that n is; a third one, {n?one|many|none}, stands for 0, and each may hold places again. A key or
 * place that a template lacks is remembered as an error (texts_error), so a broken translation is
 * told once, by name, instead of printing a hole.
 */
#ifndef REPORT_PAGE_TEMPLATE_TEXTS_H
#define REPORT_PAGE_TEMPLATE_TEXTS_H

#include "base/arena.h"
#include "base/config.h"
#include "report/canvas/canvas.h"

#include <stdarg.h>

struct texts;

struct bar_colours {
	rgba fill, edge, label;
};

/* folder: where templates/ lies, NULL to look beside the program and in the current folder. lang:
 * "en". */
struct texts *texts_open(const char *folder, const char *lang, struct err *err);
void texts_close(struct texts *t);

/* Pairs of name and value, ended with NULL. The result lives in the arena. */
const char *say(const struct texts *t, struct arena *a, const char *key, ...)
	__attribute__((sentinel));
const char *say_list(const struct texts *t, struct arena *a, const char *key, va_list args);

struct text_value {
	const char *name, *value;
};

/* The same for a text of a data file ("findings"): `key` is what a message calls it. */
const char *fill_text(const struct texts *t, struct arena *a, const char *file, const char *key,
	const char *text, const struct text_value *values, int n);

/* What stands for a text that a data file lacks: its key. Remembered as an error. */
const char *missing_text(const struct texts *t, struct arena *a, const char *file, const char *key);

/* The text of a key without places, lent; "" and no error when there is none. */
const char *texts_find(const struct texts *t, const char *key);

rgba texts_colour(const struct texts *t, const char *name);
struct bar_colours texts_bar(const struct texts *t, const char *name);

/* A data file of the language folder: "cheatsheet", "metrics", lent; most are read when they are
 * asked for the first time. One that cannot be read has no members, and texts_error() tells it. */
const cJSON *texts_data(const struct texts *t, const char *name);

/* A layout of the document, templates/<name>.json: its list of sections. */
cJSON *texts_template(const struct texts *t, const char *name, struct err *err);

/* A file of the folder as it stands, such as "html/report.css": malloc'ed, *n bytes and a NUL; NULL
 * with a message where it cannot be read. */
char *texts_file(const struct texts *t, const char *name, size_t *n, struct err *err);

const char *texts_lang(const struct texts *t);

/* The first missing key, as an error: 0 when all were found. */
int texts_error(const struct texts *t, struct err *err);

#endif
