/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include "base/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file holds may be quoted in a message, and a message is one line. */
static void one_line(char *text)
{
	char shown[sizeof((struct err *)0)->text] = "";
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	memcpy(text, shown, terminal_text(shown, sizeof shown, text) + 1);
}

int fail(struct err *err, const char *fmt, ...)
{
	if (err->set)
		return -1;
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, args);
	va_end(args);
	one_line(err->text);
	err->set = 1;
	return -1;
}

int fail_errno(struct err *err, const char *fmt, ...)
{
	int saved = errno;
	if (err->set)
		return -1;
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(saved));
	one_line(err->text);
	err->set = 1;
	return -1;
}

int err_note(struct err *err, const char *fmt, ...)
{
	if (!err->set)
		return -1;
	char old[sizeof err->text];
	memcpy(old, err->text, sizeof old);
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", old);
	one_line(err->text);
	return -1;
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	fprintf(stderr, "bug at %s:%d: ", file, line);
	va_list args;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

void out_of_memory(size_t bytes)
{
	fprintf(stderr,
		"error: no memory: %zu more bytes were needed; free some, or work on a smaller "
		"input\n",
		bytes);
	exit(1);
}

void *xalloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);
	if (!p)
		out_of_memory(bytes);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);
	if (!p)
		out_of_memory(n * size);
	return p;
}

void *xrealloc(void *old, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory(SIZE_MAX);
	void *p = realloc(old, bytes ? bytes : 1);
	if (!p)
		out_of_memory(bytes);
	return p;
}

char *xstrdup(const char *text)
{
	size_t n = strlen(text) + 1;
	return memcpy(xalloc(n), text, n);
}
