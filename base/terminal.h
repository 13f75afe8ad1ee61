/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.h - text of strangers for a person's screen.
 *
 * Names in traces, files and folders may hold what a terminal obeys: control characters, also those
 * of C1, and marks that turn the order of what stands beside them. Messages show them by their
 * codes, and so do lists and tables on stdout, wherever it goes: what is a file or a pipe now is
 * looked at with cat, less or a build server's log later. What is written into "-" (outfile.h) is
 * in the form of that output, whose own writer sees to it; JSON has the exact names, escaped.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stddef.h>

/* The text with such signs as \x1b, \u009b, \u202e, and what is no UTF-8 as \xff; line ends and
 * tabs stay. As much as has room, with a NUL; returns its length. */
size_t terminal_text(char *to, size_t room, const char *text);

/* The same on one line: line ends and tabs by their codes, too. */
size_t terminal_line(char *to, size_t room, const char *text);

/* printf() to stdout of a line, or a piece of one: the only line end is that of the format's end,
 * so that no name can pass for a line of ours. */
__attribute__((format(printf, 1, 2))) void terminal_print(const char *fmt, ...);

/* From here on what is printed to stdout goes through terminal_text(), and no file gets the number
 * of a stream that is closed. For main(), before anything is opened or printed. */
void terminal_guard(void);

#endif
