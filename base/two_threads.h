/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two_threads.h - two things at once, where the work is worth a second thread.
 */
#ifndef BASE_TWO_THREADS_H
#define BASE_TWO_THREADS_H

#include <stdbool.h>

typedef void task(void *on);

/* Events from which on a second thread is worth its start. */
enum { BOTH_FROM = 100000 };

/* Runs a(x) and b(y), on two threads if asked (and possible), and returns when both are done. */
void both(bool threads, task *a, void *x, task *b, void *y);

#endif
