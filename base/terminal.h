/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.h - text of strangers for a person's screen.
 *
 * Names in traces, files and folders may hold what a terminal obeys: control characters, also those
 * of C1, and marks that turn the order of what stands beside them. A message shows them by their
 * codes, and so does stdout where it is a terminal; into files and pipes stdout stays exact.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stddef.h>

/* The text with such signs as \x1b, \u009b, \u202e, and what is no UTF-8 as \xff; line ends and
 * tabs stay. As much as has room, with a NUL; returns its length. */
size_t terminal_text(char *to, size_t room, const char *text);

/* From here on stdout goes through terminal_text() if it is a terminal. For main(), before anything
 * is printed. */
void terminal_guard(void);

#endif
