/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - reading text one code point at a time.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#define UTF8_BAD 0xffffffffu

/* As utf8_next(), of any byte. */
uint32_t utf8_next_of_any(const char **p);

/* Decodes at *p and moves *p on; an invalid byte (overlong, surrogate, cut) gives UTF8_BAD and
 * moves one byte. Never reads past a NUL; at the NUL it returns 0 and does not move. */
static inline uint32_t utf8_next(const char **p)
{
	signed char c = (signed char)**p;
	if (c <= 0)
		return utf8_next_of_any(p);
	++*p;
	return (uint32_t)c;
}

/* Does a screen obey it instead of showing it: control characters (C0, DEL, C1), and the marks,
 * embeddings, overrides and isolates of Unicode's bidirectional algorithm, with the two ends of
 * lines that it has besides? */
bool utf8_is_obeyed(uint32_t c);

/* Writes c as UTF-8 into out, without a NUL; returns the bytes written, 1 to 4. */
int utf8_put(char out[4], uint32_t c);

#endif
