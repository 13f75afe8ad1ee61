/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/terminal.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The marks, embeddings, overrides and isolates of Unicode's bidirectional algorithm, and the two
 * ends of lines that it has besides. */
static bool turns_text(uint32_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
		(c >= 0x2066 && c <= 0x2069);
}

static int put_code(char out[12], uint32_t c, unsigned char byte)
{
	if (c == UTF8_BAD || c < 0x80)
		return snprintf(out, 12, "\\x%02x", byte);
	return snprintf(out, 12, "\\u%04x", (unsigned)c);
}

static bool is_plain(uint32_t c)
{
	if (c == '\n' || c == '\t')
		return true;
	return c != UTF8_BAD && c >= 0x20 && (c < 0x7f || c > 0x9f) && !turns_text(c);
}

size_t terminal_text(char *to, size_t room, const char *text)
{
	size_t n = 0;
	for (const char *p = text, *next; *p; p = next) {
		char code[12];
		next = p;
		uint32_t c = utf8_next(&next);
		bool plain = is_plain(c);
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

/* A letter that a write() of stdio cut in two waits for its rest. */
struct guard {
	char part[4];
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

static bool put_byte(struct guard *g, char byte)
{
	char text[5] = {0}, shown[64];
	unsigned char first = (unsigned char)(g->n ? g->part[0] : byte);
	size_t wants = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	bool goes_on = g->n && ((unsigned char)byte & 0xc0) == 0x80;
	if (g->n && !goes_on) { /* cut: shown as it is, and this byte begins anew */
		memcpy(text, g->part, g->n);
		g->n = 0;
		if (!write_all(shown, terminal_text(shown, sizeof shown, text)))
			return false;
		return put_byte(g, byte);
	}
	g->part[g->n++] = byte;
	if (g->n < wants)
		return true;
	memcpy(text, g->part, g->n);
	g->n = 0;
	return !text[0] || write_all(shown, terminal_text(shown, sizeof shown, text));
}

static ssize_t guard_write(void *cookie, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!put_byte(cookie, bytes[i]))
			return 0;
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

void terminal_guard(void)
{
	static struct guard guard; /* stdout is one for the whole program */
	if (!isatty(STDOUT_FILENO))
		return;
	FILE *f = open_guard(&guard);
	if (!f)
		return;
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	stdout = f;
}
