/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_words.h - findings and actions in words: the entries of templates/<lang>/findings.json and
 * advice.json, filled in with what was measured and the thresholds in force.
 *
 * What is filled in lives in the arena and holds the markup of rich_text.h; what is not is lent by
 * the texts. A text that is not there is "".
 */
#ifndef REPORT_SECTION_RULE_WORDS_H
#define REPORT_SECTION_RULE_WORDS_H

#include "report/page/template_texts.h"
#include "report/rules/advice.h"

/* A text of the entry as it stands there: "at_most"; "look", the end of a place on the trace's own
 * pages, "made" or "time". */
const char *rule_text(const struct texts *texts, const struct rule *d, const char *key);
const char *rule_title(const struct texts *texts, const struct rule *d);

/* What was seen, and what to do about it or what to change by its real name: the sentence of its
 * variant or reason, else the plain one. */
const char *rule_sentence(const struct texts *texts, struct arena *a, const struct finding *f);
const char *rule_do(const struct texts *texts, struct arena *a, const struct finding *f);

/* Any text with {places} for its values and {threshold.name}. */
const char *rule_filled(
	const struct texts *texts, struct arena *a, const struct finding *f, const char *text);

#endif
