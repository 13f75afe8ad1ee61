/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - how much memory the traces that a process reads may take.
 *
 * A limit for the whole process, set once before the first trace is read. Reading counts what its
 * columns hold, not what the system has given, so that the same files and the same limit end at the
 * same byte.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/arena.h"

/* Half of the machine's memory, or of what a cgroup leaves to this process where that is less;
 * `root` stands before /proc and /sys, "" but for tests. In bytes. */
size_t memory_found(const char *root);

/* "800M", "4G", "1.5GiB", "2000000": K, M, G and T are powers of 1024. 0 and a message when it is
 * none, or less than 16 MB. */
size_t memory_of_text(const char *text, struct err *err);

/* Sets the limit in bytes; 0, as at the beginning: none. */
void memory_limit(size_t bytes);

/* The limit in words, "1.5 GiB", in the arena. */
const char *memory_words(struct arena *a);

/* What the columns of the next trace may hold while it is read: two fifths of what is left, because
 * sealing and analysing need up to one and a half times as much again; 4 MB at least, so that small
 * traces are read whatever came before. SIZE_MAX without a limit. */
size_t memory_for_trace(void);

/* Gives what was freed, and lies in the heap between what was not, back to the system: before much
 * more is asked for that does not fit in there. Where the system has no way to, nothing. */
void memory_give_back(void);

/* So much was held when the trace was read, and stays in other forms. */
void memory_taken(size_t bytes);

#endif
