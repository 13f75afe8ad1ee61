/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shorten.h - long names made short enough for a bar.
 */
#ifndef REPORT_NAME_SHORTEN_H
#define REPORT_NAME_SHORTEN_H

#include "base/arena.h"

#include <stddef.h>

/* Leaves out the return type, namespaces, template arguments, parameters and a trailing "_kernel";
 * of a name such as "brg:avx512_core_bf16 matmul" the operation stays: "matmul"; of CUTLASS's
 * "cutlass::Kernel<what it is>" what it is. */
const char *shorten_name(struct arena *a, const char *name);

/* Python says where an object lies, which is another place in every run: "<built-in method conv2d
 * of type object at 0x7eff0cd3e180>" without that. */
const char *without_address(struct arena *a, const char *name);

/* The name without what says nothing about a kernel in a table: a leading "void ", "at::native::",
 * "(anonymous namespace)::", Python's " at 0x7eff0cd3e180". Template arguments and parameters stay.
 */
const char *tidy_name(struct arena *a, const char *name);

/* For a sentence: the name itself up to 60 letters, else its short form, and of that the beginning
 * with an ellipsis. */
const char *brief_name(struct arena *a, const char *name);

/* name[which], of which about `letters` are seen. Where that would be the same as of another of the
 * n (equal ones do not count), its beginning and what follows from where they part. */
const char *tell_apart(
	struct arena *a, const char *const *name, size_t n, size_t which, size_t letters);

/* Bytes of the first letters of a text, at most `letters`. */
size_t begin_of(const char *text, size_t letters);

#endif
