/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtype.h - the number types that the experiments measure, from the matrix to the page.
 */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <stddef.h>

/* DTYPES also stands for none, or for one that nobody here knows. */
enum dtype { DTYPE_BF16, DTYPE_F32, DTYPES };

enum { DTYPE_BYTES_MAX = 4 };

size_t dtype_bytes(enum dtype dtype); /* 0 of DTYPES */
const char *dtype_name(enum dtype dtype); /* "bf16", "fp32"; "" of DTYPES */
const char *dtype_torch_name(enum dtype dtype); /* "c10::BFloat16", "float" */

/* By its name; DTYPES for NULL and for what is no name of one. */
enum dtype dtype_named(const char *name);

#endif
