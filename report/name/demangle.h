/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - names of C++ functions as their programmers wrote them.
 *
 * AMD's recorder, and some others, give kernels by the linker's names (`_ZN2at6native...`). A
 * reader sees them demangled, by libiberty, as c++filt prints them; the file's own names group,
 * join and compare, and stand in --dump trace, --json and --table.
 */
#ifndef REPORT_NAME_DEMANGLE_H
#define REPORT_NAME_DEMANGLE_H

#include "report/trace/trace.h"

/* Longer names stay as they are, and what is left when so many bytes of all names were looked at:
 * the library needs stack and time for each byte. */
enum { MANGLED_BYTES = 8192, MANGLED_IN_ALL = 16 << 20 };

/* The readable form, in the arena; NULL when the name is none that was mangled (`_Z...`), or is
 * broken. What AMD adds for a kernel's descriptor (".kd") is left out; clones of the compiler say
 * so: "f(int) [clone .isra.0]". */
const char *demangle(struct arena *a, const char *name);

/* The readable form, or the name itself. */
const char *readable_name(struct arena *a, const char *name);

/* Fills in trace.shown. */
void demangle_names(struct trace *t);

#endif
