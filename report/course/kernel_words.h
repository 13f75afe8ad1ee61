/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_words.h - in what two kernels differ, told from their names.
 *
 * CUDA's names are read by kernel_name.h, oneDNN's ("<implementation>:<instruction set>
 * <operation>[+<what is added>]") at their signs. What both readings cannot explain is called
 * another name, without a guess.
 */
#ifndef REPORT_COURSE_KERNEL_WORDS_H
#define REPORT_COURSE_KERNEL_WORDS_H

#include "base/arena.h"
#include "report/page/template_texts.h"

#include <stdbool.h>

enum { DECODED_ROOM = 40, DECODED_VALUE = 96 };

/* A name as a list of parts: key "tile", value "128x256". */
struct decoded {
	int n;
	struct decoded_part {
		const char *key; /* after "part." in the templates */
		char value[DECODED_VALUE]; /* all values of the part, in order */
	} part[DECODED_ROOM];
};

/* False, and nothing in it, when no reading fits. */
bool decode_name(struct decoded *d, const char *name);

/* NULL when the names are equal; else "tile 128x128 → 128x256 · stages 3 → 4", in words of the
 * templates; at most `most` parts, then how many more. Without markup signs of its own. */
const char *decoded_difference(
	const struct texts *texts, struct arena *a, const char *from, const char *to, int most);

#endif
