/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word_list.h - "a, b, c": the known words, for a message.
 */
#ifndef BASE_WORD_LIST_H
#define BASE_WORD_LIST_H

struct words {
	char text[1536]; /* what does not fit is left out */
};

/* Adds a word behind the others, with a comma between; a list begins as {0}. */
void words_add(struct words *list, const char *word);

#endif
