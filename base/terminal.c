/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/terminal.h"

#include "base/err.h"
#include "base/min_max.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 4096, LONGEST_CODE = 6 };

static int put_code(char out[12], uint32_t c, unsigned char byte)
{
	if (c == UTF8_BAD || c < 0x80)
		return snprintf(out, 12, "\\x%02x", byte);
	return snprintf(out, 12, "\\u%04x", (unsigned)c);
}

static size_t show_by_codes(char *to, size_t room, const char *text, const char *kept)
{
	size_t n = 0;
	for (const char *p = text, *next; *p; p = next) {
		char code[12];
		next = p;
		uint32_t c = utf8_next(&next);
		bool plain =
			(c != UTF8_BAD && !utf8_is_obeyed(c)) || (c < 0x80 && strchr(kept, (int)c));
		size_t has =
			plain ? (size_t)(next - p) : (size_t)put_code(code, c, (unsigned char)*p);
		if (n + has >= room)
			break;
		memcpy(to + n, plain ? p : code, has);
		n += has;
	}
	to[n] = '\0';
	return n;
}

size_t terminal_text(char *to, size_t room, const char *text)
{
	return show_by_codes(to, room, text, "\n\t");
}

size_t terminal_line(char *to, size_t room, const char *text)
{
	return show_by_codes(to, room, text, "");
}

/* ---- stdout ---- */

void terminal_print(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		out_of_memory(0);
	bool ends = n && text[n - 1] == '\n' && fmt[strlen(fmt) - 1] == '\n';
	text[n - ends] = '\0';
	size_t room = LONGEST_CODE * (size_t)n + 1;
	char *shown = xalloc(room);
	terminal_line(shown, room, text);
	fputs(shown, stdout);
	if (ends)
		putchar('\n');
	free(shown);
	free(text);
}

/* A letter that a write() of stdio cut in two waits for its rest. */
struct guard {
	char text[AT_ONCE + 1];
	size_t n;
};

static bool write_all(const char *bytes, size_t n)
{
	while (n) {
		ssize_t k = write(STDOUT_FILENO, bytes, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		bytes += k;
		n -= (size_t)k;
	}
	return true;
}

/* Bytes at the end that may be the beginning of a letter. */
static size_t unfinished(const char *text, size_t n)
{
	for (size_t back = 1; back < 4 && back <= n; back++) {
		unsigned char c = (unsigned char)text[n - back];
		size_t wants = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
		if (c < 0x80 || wants > 1)
			return wants > back ? back : 0;
	}
	return 0;
}

/* All but an unfinished letter; a NUL shows nothing. */
static bool show(struct guard *g)
{
	char shown[LONGEST_CODE * AT_ONCE + 1];
	size_t rest = unfinished(g->text, g->n), end = g->n - rest, n = 0;
	char first = g->text[end];
	g->text[end] = '\0';
	for (size_t at = 0; at < end; at += strlen(g->text + at) + 1)
		n += terminal_text(shown + n, sizeof shown - n, g->text + at);
	g->text[end] = first;
	memmove(g->text, g->text + end, rest);
	g->n = rest;
	return write_all(shown, n);
}

static ssize_t guard_write(void *cookie, const char *bytes, size_t n)
{
	struct guard *g = cookie;
	for (size_t done = 0, some; done < n; done += some) {
		some = min_size(n - done, AT_ONCE - g->n);
		memcpy(g->text + g->n, bytes + done, some);
		g->n += some;
		if (!show(g))
			return 0;
	}
	return (ssize_t)n;
}

#ifdef __APPLE__
static int guard_some(void *cookie, const char *bytes, int n)
{
	return (int)guard_write(cookie, bytes, (size_t)n);
}
#endif

static FILE *open_guard(struct guard *g)
{
#ifdef __APPLE__
	return funopen(g, NULL, guard_some, NULL, NULL);
#else
	return fopencookie(g, "w", (cookie_io_functions_t){.write = guard_write});
#endif
}

/* A file of ours that got the number of a closed stream would take what is printed. Reading or
 * writing there fails as on a closed one. */
static void hold_numbers(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) /* the lowest number that is free is this one */
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void terminal_guard(void)
{
	static struct guard guard; /* stdout is one for the whole program */
	hold_numbers();
	FILE *f = open_guard(&guard);
	if (!f)
		return;
	setvbuf(f, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
	stdout = f;
}
