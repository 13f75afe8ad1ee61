/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict_words.h - a verdict in words: what was predicted, where it first differs, what to look
 * at.
 *
 * All results live in the arena and may hold the markup of rich.h; "" where there is nothing to
 * say.
 */
#ifndef REPORT_SECTION_VERDICT_WORDS_H
#define REPORT_SECTION_VERDICT_WORDS_H

#include "report/page/texts.h"
#include "report/run/run.h"

/* "step 3, place 2: expected add, saw copy", or "step 3" where expected and observed say the rest;
 * of a broken one only. */
const char *verdict_where(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v);

/* What was expected or observed, cut for a sentence. */
const char *verdict_brief(struct arena *a, const char *text);

/* The event to look at first: its name, where it lies, what launched it; of a broken one only. */
const char *verdict_event(struct arena *a, const struct texts *t, const struct report_case *c,
	const struct verdict *v);

/* What it may mean, and what to look at; of a broken one only. */
const char *verdict_hint(struct arena *a, const struct texts *t, const struct verdict *v);

#endif
