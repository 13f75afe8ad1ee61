/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.h - what a program that reads the files of strangers gives up before it does.
 *
 * From the call on, and for all threads that begin behind it: no socket, no other program, no
 * module, no tracing into other processes (seccomp); files are written, made and removed only in
 * the folders of the outputs (Landlock). Reading stays as it is. A kernel that lacks one of both
 * holds the program to the other; nothing here fails. On other systems than Linux nothing is given
 * up.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

/* `outputs`: n paths of files and folders that may be written, there already or not; NULL and "-"
 * are passed over. A file may be written in place, and anew beside it under another name. */
void confine(const char *const *outputs, int n);

#endif
