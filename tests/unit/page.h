/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - what the tests of texts and pages share: the fonts and the words, opened once, and a
 * drawing as lines of text.
 */
#ifndef TESTS_UNIT_PAGE_H
#define TESTS_UNIT_PAGE_H

#include "base/err.h"
#include "report/canvas/canvas.h"
#include "report/page/template_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fonts *fonts;
static struct texts *texts;
static struct arena arena; /* emptied after every test by clear_arena */

static inline int open_page(void **state)
{
	struct err err = {0};
	(void)state;
	fonts = fonts_open(&err);
	texts = fonts ? texts_open(NULL, "en", &err) : NULL;
	if (err.set)
		print_message("%s\n", err.text);
	return err.set ? -1 : 0;
}

static inline int close_page(void **state)
{
	(void)state;
	texts_close(texts);
	fonts_close(fonts);
	arena_release(&arena);
	return 0;
}

static inline int clear_arena(void **state)
{
	(void)state;
	arena_release(&arena);
	arena = (struct arena){0};
	return 0;
}

/* A canvas that writes down its calls; finish_drawing returns them, in the arena. */
struct drawing {
	struct canvas *canvas;
	FILE *f;
	char *text;
	size_t n;
};

static inline void begin_drawing(struct drawing *d)
{
	*d = (struct drawing){0};
	d->f = open_memstream(&d->text, &d->n);
	assert_non_null(d->f);
	d->canvas = canvas_text(d->f);
}

static inline const char *finish_drawing(struct drawing *d)
{
	struct err err = {0};
	if (canvas_close(d->canvas, &err))
		fail_msg("%s", err.text);
	fclose(d->f);
	const char *text = arena_strdup(&arena, d->text);
	free(d->text);
	return text;
}

/* Lines of a drawing that begin with `start`. */
static inline int count_calls(const char *drawn, const char *start)
{
	int n = 0;
	for (const char *p = drawn; p && *p; p = strchr(p, '\n'), p += p != NULL)
		n += !strncmp(p, start, strlen(start));
	return n;
}

static inline void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static inline void assert_close(double a, double b)
{
	if (!(a - b < 0.01 && b - a < 0.01))
		fail_msg("%.4f is not %.4f", a, b);
}

/* The same numbers in every run. */
static inline uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#endif
