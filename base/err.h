/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - one error, told once: where base/ begins.
 *
 * base/ is what both programs stand on and what knows nothing of traces, devices or pages: errors
 * (here), memory and names (arena.h, names.h), options (opt.h), small JSON files in and JSON out
 * (config.h, json_out.h), files in (input.h), whole files or none (outfile.h), what a reader gives
 * up first (sandbox.h), text for a terminal (terminal.h), what is told meanwhile (verbosity.h),
 * numbers as people read them (number_format.h, stats.h), and the two rules that recording and
 * reading must share (nest.h, profiler_table.h). `struct err` is the one struct that goes through
 * all of it.
 *
 * A function that may fail takes `struct err *` last and returns 0 or -1 (or NULL). The first
 * failure writes the message and every later one is dropped, so the cause is never buried under its
 * consequences. Only main() prints. Messages say what went wrong, where, and what to do.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

struct err {
	int set; /* 1 after the first failure */
	char text[2048]; /* the message: one line, control characters became blanks */
};

/* Keeps the message if it is the first, and always returns -1: `return fail(err, "...");`. */
int fail(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* fail() with ": strerror(errno)" appended. */
int fail_errno(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Puts "context: " in front of a message that is already set; nothing otherwise. Returns -1. */
int err_note(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A broken invariant of our own: prints the place to stderr and aborts. Never for bad input. */
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Out of memory in a batch program: says how much was wanted and ends with status 1. */
_Noreturn void out_of_memory(size_t bytes);

/* malloc family that never returns NULL; the product n * size is checked for overflow. */
void *xalloc(size_t bytes);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *old, size_t n, size_t size);
char *xstrdup(const char *text);

#endif
