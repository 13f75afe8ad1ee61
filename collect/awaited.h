/* SPDX-License-Identifier: Apache-2.0 */
/*
 * awaited.h - what a recording waits for, for a person who waits too.
 *
 * Where the program writes to the same terminal no line of ours may be overwritten or left half
 * written, so what counts down stands in the terminal's title, which is given back at the end.
 */
#ifndef COLLECT_AWAITED_H
#define COLLECT_AWAITED_H

#include "collect/session.h"

enum { AWAITED_TEXT = 120 };

/* "its window begins in 12 s" into text (AWAITED_TEXT). `from_inside`: some process has CUDA or
 * NVTX, which are recorded in the window by time if one was wished, else all along. */
void awaited_text(char *text, const struct session *s, bool from_inside, int64_t now_ns);

struct awaited { /* zeroed at first */
	bool on; /* a title of ours stands there */
	char text[AWAITED_TEXT];
};

/* Writes the title where stderr is a terminal that has one, if the text is another one than before.
 */
void awaited_show(struct awaited *a, const char *text);

void awaited_end(struct awaited *a);

#endif
