/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - FNV-1a, 64 bits: tells whether two files or two specifications are the same. Not for
 * secrets. (Constants: RFC 9923.)
 */
#ifndef COLLECT_HASH_H
#define COLLECT_HASH_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

enum { HASH_TEXT = 17 }; /* 16 digits and a NUL */

/* `so_far` is HASH_START, or an earlier hash that is continued. */
uint64_t hash_bytes(uint64_t so_far, const void *bytes, size_t n);

/* Continues with the content of a file of any size. */
int hash_file(uint64_t *so_far, const char *path, struct err *err);

void hash_text(char text[HASH_TEXT], uint64_t hash);

#endif
