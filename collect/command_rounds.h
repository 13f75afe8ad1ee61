/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_rounds.h - recording a program of somebody's several times, and in turn with its earlier
 * version: `collect --repeat N [--against DIR] -- COMMAND [ARG]...`.
 *
 * Each recording is one by command.h, in a process of its own. The earlier version is the same
 * command in the folder DIR, which holds the earlier state of the program (a worktree of git, say):
 * what the command names by relative paths is the earlier one there. The two follow each other at
 * once, the earlier one first in every second round, as in rounds.h.
 *
 * The first recording lies in the folder of the results, the others in repeat-2 ... and before-1
 * ... in it. Its run.json names them, as manifest.h says; "against" has "folder" for "programs".
 */
#ifndef COLLECT_COMMAND_ROUNDS_H
#define COLLECT_COMMAND_ROUNDS_H

#include "collect/command.h"

/* Rounds when --against is given without --repeat. Eight of a side whose times do not overlap are
 * certain to 1 in 5000. */
enum { AGAINST_COMMANDS = 8 };

/* Does n rounds; `against` NULL: of one version. 0 when all were recorded. A program that fails
 * ends it: then this process ends as the program did. -1 with the reason when something else did.
 */
int command_rounds(const struct command_options *o, int n, const char *against, char *const *argv,
	const char *program_folder, struct err *err);

#endif
