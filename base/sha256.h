/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256.h - the hash by which a page names its own style and script (FIPS 180-4, 6.2), and base64
 * (RFC 4648, 4), in which it is written there.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BASE64 = 45 }; /* 44 signs and a NUL */

void sha256(unsigned char hash[SHA256_BYTES], const void *bytes, size_t n);

/* The same in base64. */
void sha256_base64(char text[SHA256_BASE64], const void *bytes, size_t n);

/* Up to three bytes as four signs, "=" where there are fewer; without a NUL. */
void base64_group(char signs[4], const void *bytes, size_t n);

#endif
