/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - "a, b, c": the known words, for a message.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

struct words {
	char text[512]; /* what does not fit is left out */
};

/* Adds a word behind the others, with a comma between; a list begins as {0}. */
void words_add(struct words *list, const char *word);

#endif
