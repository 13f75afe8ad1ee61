/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.h - which of the known names a mistyped one was meant to be.
 *
 * The one that fewest letters left out, added, changed or swapped with their neighbours lead to
 * (Damerau and Levenshtein's distance, upper and lower case alike), no more than a third of the
 * letters; else the first that begins with what was typed.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *typed; /* begun as {.typed = text} */
	const char *name; /* lent, the nearest so far; NULL: none is near */
	size_t apart;
};

void nearest_try(struct nearest *n, const char *name);

#endif
