/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_changes.h - the device's work of two recordings, piece by piece: same, changed, gone, new.
 *
 * Pieces (kernel_pieces.h) of both sides are paired, each once, in their order of first appearance:
 *
 *   same     by name, grid, block and operator, else by name, grid and block
 *   changed  by name and operator, else by name: another geometry; else by operator and place:
 *            another kernel does the operator's work (retuned, renamed). That it does the same work
 *            is inferred from the operator, not seen
 *   fused    two or more before and one after that are left under the same operator (the innermost
 *            one, else the outermost, else the innermost range of the program), else, of what each
 *            step has, behind the same paired piece, where the other side has no operator like the
 *            one's; each called as often as the one at least:
 *            inferred from that, too. Before those that changed by operator alone
 *   split    one before and two or more after, likewise
 *   gone     only before
 *   new      only after
 */
#ifndef REPORT_COMPARE_KERNEL_CHANGES_H
#define REPORT_COMPARE_KERNEL_CHANGES_H

#include "base/faster_slower_same.h"
#include "report/compare/kernel_pieces.h"

enum fate { FATE_SAME, FATE_CHANGED, FATE_FUSED, FATE_SPLIT, FATE_GONE, FATE_NEW, FATES };
/* "same", "changed", "fused", "split", "gone", "new": words of the templates. */
const char *fate_name(enum fate fate);

struct compared_kernel {
	const char *name; /* as the file has it; before, where it is gone */
	const char *was; /* changed: the name before, where it is another */
	const char **part; /* (n_parts) fused: the names before; split: those after; `name` is the
			      one's */
	int n_parts;
	const char *op; /* "" none */
	enum fate fate;
	double calls_before, calls_after; /* of a step, or of the file without steps */
	int64_t before_ns, after_ns; /* all its calls of a step; with several recordings of both
					sides as many of the call that is judged */
	struct ratio time; /* of one call; inconclusive unless both sides have it */
};

/* One side: its recordings, of which `main` stands for all. With one a sample is a call; with
 * several it is of a recording: the shortest call of all steps, by places in a step, on average. */
struct kernel_side {
	struct pieces *recording; /* (n) */
	int n, main;
};

struct kernel_judging {
	bool single; /* calls of a single recording may be judged */
	bool in_turn; /* recording i of both sides is of round i */
	double least; /* what counts as a change */
	const double *levels; /* of ratio_of */
};

/* All of them, by the difference of their time, largest first; *n of them, in the arena. */
struct compared_kernel *compare_kernels(struct arena *arena, struct kernel_side *before,
	struct kernel_side *after, const struct kernel_judging *by, size_t *n);

/* The name of a piece that has a part of the device's time in the main recording, and that other
 * recordings of the same program lack: a library that chooses anew in each process. NULL: none. */
const char *unsteady_kernel(const struct kernel_side *s);

#endif
