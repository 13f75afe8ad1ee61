/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_line.h - whose code a line of Python is: "train.py(31): step", "torch/nn/linear.py(125):
 * forward", as Kineto and memory snapshots have them.
 */
#ifndef REPORT_NAME_PYTHON_LINE_H
#define REPORT_NAME_PYTHON_LINE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Is it PyTorch's own, of Python's library, or code that a program generated ("<string>")? `name`
 * begins with the file and has n bytes. */
bool python_line_is_library(const char *name, size_t n);

/* The same line with the last two parts of its path: "nn/linear.py(125): forward"; what is no line
 * stays as it is. */
const char *python_line_short(struct arena *a, const char *name);

#endif
