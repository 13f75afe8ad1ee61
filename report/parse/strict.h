/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strict.h - JSON that was read with tolerance, as every reader takes it.
 */
#ifndef REPORT_PARSE_STRICT_H
#define REPORT_PARSE_STRICT_H

#include <stddef.h>
#include <stdio.h>

/* Writes the n bytes of a value. What is strict JSON (RFC 8259) is written byte for byte; otherwise
 * of a text: a control character and a backslash that escapes nothing are escaped, bytes that are
 * no UTF-8 become U+FFFD; outside of texts: a comma too many is left out, one that lacks
 * is there, and a word that is no
 * value (NaN, 0x10, 'q') becomes a text of those bytes, so that nothing is lost. Brackets are taken
 * as they are. Reads one byte behind the n, which must be there. */
void strict_put(FILE *f, const char *value, size_t n);

/* The same of what stands between the quotes of a text. */
void strict_put_text(FILE *f, const char *text, size_t n);

#endif
