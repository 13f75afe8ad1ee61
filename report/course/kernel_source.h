/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_source.h - the source that was made for a fused kernel, and what the compiler made of it.
 *
 * From tables/source.tsv in the folder of a run, as tests/gpu/tables prints it: what every such
 * kernel has in front, the kernel itself from its first comment on, then its PTX.
 */
#ifndef REPORT_COURSE_KERNEL_SOURCE_H
#define REPORT_COURSE_KERNEL_SOURCE_H

#include "base/arena.h"
#include "report/page/document.h"
#include "report/run/run.h"

struct opcode {
	const char *name; /* with its modifiers: "ld.global.cs.v4.u32" */
	int n;
};

struct made_source {
	const char **source; /* (n_source) lines of the kernel alone, tabs as spaces */
	int n_source;
	const char **ptx; /* (n_ptx) from .version on */
	int n_ptx;
	struct opcode *opcode; /* (n_opcodes) the most frequent first */
	int n_opcodes;
	int instructions, registers; /* registers are PTX's own, which are virtual */
};

/* False when there is no PTX in the text. */
bool made_source_of(struct made_source *m, struct arena *a, const char *text);

/* How many instructions begin with a word: "ld.global". */
int made_source_count(const struct made_source *m, const char *start);

/* (n_ptx) Which lines of the PTX tell what the kernel does: those that read or write the device's
 * memory, and the first of the arithmetic, enough for one value. In the arena. */
bool *made_source_inner(const struct made_source *m, struct arena *a);

/* Appends the source, the counts and the inner lines to the document; nothing when the run has
 * none. */
void add_made_source(struct document *d, const struct run *run);

#endif
