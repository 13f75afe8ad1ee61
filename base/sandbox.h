/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - what a program that reads the files of strangers gives up before it does.
 *
 * From the call on, and for all threads that begin behind it (seccomp): no socket, no other program
 * or process, no signal to another, no module, no tracing; no rights, owners, times, attributes or
 * lengths of files changed by name or through what is open for reading; of devices nothing asked
 * but what a terminal is. Files are written, made and removed only in the folders of the outputs
 * and below (Landlock). Reading stays as it is. A kernel that lacks one of both holds the program
 * to the other. On other systems than Linux nothing is given up.
 */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include "base/err.h"

/* `outputs`: n paths of files and folders that may be written, there already or not; NULL and "-"
 * are passed over. A file may be written in place, and anew beside it under another name. Fails
 * only where such a folder cannot be looked at. */
int sandbox(const char *const *outputs, int n, struct err *err);

#endif
