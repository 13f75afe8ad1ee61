/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strict.h - JSON that was read with tolerance, as every reader takes it.
 */
#ifndef REPORT_PARSE_STRICT_H
#define REPORT_PARSE_STRICT_H

#include <stddef.h>
#include <stdio.h>

/* Writes the n bytes of a value, so that they are strict JSON (RFC 8259). What is that already is
 * written byte for byte. Otherwise: of a text, a control character and a backslash that escapes
 * nothing are escaped, and bytes that are no UTF-8 become U+FFFD, as does half of a pair of
 * surrogates (which the grammar allows and many readers refuse); outside of texts, a comma too many
 * is left out and one that lacks is there, as are brackets, a word that is no value (NaN, 0x10,
 * 'q') becomes a text of those bytes, a key without a value gets null, and a control character is
 * left out. Reads one byte behind the n, which must be there. */
void strict_put(FILE *f, const char *value, size_t n);

/* The same of what stands between the quotes of a text. */
void strict_put_text(FILE *f, const char *text, size_t n);

#endif
