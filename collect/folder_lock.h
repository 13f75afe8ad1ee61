/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder_lock.h - a folder belongs to one collect at a time, for as long as it lives.
 *
 * The lock is of the kernel (flock), so it ends with the process, however that ended.
 */
#ifndef COLLECT_FOLDER_LOCK_H
#define COLLECT_FOLDER_LOCK_H

#include "base/err.h"

/* Takes a folder for results, which is freed by close(); -1 when another collect is at work there.
 */
int folder_lock(const char *path, struct err *err);

/* Makes a folder of working files in `parent`, taken likewise: its path malloc'ed in *path. */
int folder_lock_private(const char *parent, char **path, struct err *err);

/* Removes a folder and all in it, following no link and leaving its file system alone. */
void folder_remove(const char *path);

/* Removes the folders of working files in `parent` that a collect of this user has left behind
 * which was killed. */
void folder_sweep(const char *parent);

#endif
