/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_supervised.h - a program of somebody's, run as if nobody looked.
 *
 * It gets our standard streams, folder, terminal and place among the terminal's jobs. A signal that
 * a process sends to us is handed on; what the terminal sends reaches the program by itself, and we
 * only outlive it. No shell reads the command.
 */
#ifndef COLLECT_RUN_SUPERVISED_H
#define COLLECT_RUN_SUPERVISED_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct setting { /* of the program's environment */
	const char *name, *value;
};

struct supervised {
	pid_t pid; /* 0 once it is gone */
	int signals; /* a descriptor that is readable when something happened to either of us */
	int status; /* of waitpid(), once it is gone */
	int not_started; /* errno of a command that could not be run, else 0 */
};

enum { NOT_FOUND = 127, NOT_EXECUTABLE = 126 }; /* as a shell says it */

/* From now on our own ending signals wait for supervise_look(). Starts argv (ended by NULL) with
 * the settings (ended by a NULL name) in its environment. A command that cannot be run is no
 * failure: not_started says why. */
int supervise_start(
	struct supervised *s, char *const *argv, const struct setting *settings, struct err *err);

/* Takes what happened, never waiting; returns true once the program is gone. */
bool supervise_look(struct supervised *s);

/* The exit status of the program. */
int supervise_status(const struct supervised *s);

/* Ends us as the program ended: by its status, or by the very signal that ended it. */
_Noreturn void supervise_end_as(const struct supervised *s);

#endif
