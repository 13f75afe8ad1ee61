/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_words.h - a value of a finding or of a remedy as a reader sees it.
 */
#ifndef REPORT_SECTION_VALUE_WORDS_H
#define REPORT_SECTION_VALUE_WORDS_H

#include "base/arena.h"
#include "report/rules/rule.h"

/* "62.1 %", "12.3 µs", "4.22 TB/s"; of UNIT_TEXT the name, shortened ("–" for none). */
const char *value_in_words(
	struct arena *a, enum finding_unit unit, double number, const char *text);

#endif
