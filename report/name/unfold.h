/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unfold.h - libiberty's demangler, behind limits. Apart from all other headers: libiberty's own
 * declares functions of the same names as base/err.h.
 */
#ifndef REPORT_NAME_UNFOLD_H
#define REPORT_NAME_UNFOLD_H

#include <stdbool.h>
#include <stddef.h>

enum { UNFOLD_ROOM = 32768 };

struct unfolded {
	size_t n;
	char text[UNFOLD_ROOM]; /* (n) no NUL behind it */
};

/* The readable form of a mangled C++ name; false when it is broken, or longer than UNFOLD_ROOM: a
 * name can be made to unfold without end. */
bool unfold(const char *mangled, struct unfolded *u);

#endif
