/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place_names.h - what headings, links and files of a case are called: each name once in a
 * document.
 */
#ifndef REPORT_RUN_PLACE_NAMES_H
#define REPORT_RUN_PLACE_NAMES_H

#include "base/arena.h"

struct place_names;

struct place_names *place_names_new(void);
void place_names_free(struct place_names *p); /* NULL is fine */

/* The place, or where it is taken already, or a section's own, a number more: "case-2-place". In
 * the arena. As fast with many namesakes as with none. */
const char *place_names_take(struct place_names *p, struct arena *a, const char *place);

/* A name for links and files made of an id: letters, digits, - and _; what is not ASCII becomes a
 * number made of it. In every run but the first it ends with the number of the run. */
const char *place_of(struct arena *a, const char *id, int run);

#endif
