/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guess.h - a guess as sentences, each with what is tested of it and what came out.
 *
 * run.json carries a guess as one text, or as a list of sentences (base/expectation.h). Of a list
 * those count that are said of the kind of device that ran; the others are a contrast, shown and
 * not judged. A sentence is a fact, however many tests it takes: it is held, or it broke, once. The
 * expectation of the case itself is then the shape of its trace, which the program fixes, and
 * counts as one fact, where it broke.
 */
#ifndef REPORT_RUN_GUESS_H
#define REPORT_RUN_GUESS_H

#include "report/run/run.h"

/* Texts are in the arena; state is filled in by guess_count(). */
void guess_read(struct report_case *c, struct arena *a, const cJSON *guess, bool gpu);

/* What became of every sentence, by the verdicts that belong to it, and of all of them together. */
void guess_count(struct report_case *c);

/* A sentence that broke, and says that it follows from the same in a case where that broke too. */
void guess_follow(const struct input *in, struct report_case *c);

#endif
