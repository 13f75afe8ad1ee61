/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice_words.h - remedies in words: the entries of templates/<lang>/advice.json, filled in.
 *
 * All results live in the arena and hold the markup of rich.h.
 */
#ifndef REPORT_SECTION_ADVICE_WORDS_H
#define REPORT_SECTION_ADVICE_WORDS_H

#include "report/page/texts.h"
#include "report/rules/advice.h"

/* What was seen: the sentence of the variant, else the plain one. */
const char *action_sentence(const struct texts *texts, struct arena *a, const struct finding *x);

/* What to change, by its real name. */
const char *action_switch(const struct texts *texts, struct arena *a, const struct finding *x);

/* "Pad the odd size"; how its gain is worked out. Lent by the texts. */
const char *action_title(const struct texts *texts, const struct finding *x);
const char *action_at_most(const struct texts *texts, const struct finding *x);

/* Where to look: the end of a place on the trace's own pages, "made" or "time". */
const char *action_look(const struct texts *texts, const struct finding *x);

#endif
