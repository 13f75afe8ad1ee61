/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_name_rules.h - what kernel_name.c and the grammars of its families share.
 */
#ifndef REPORT_NAME_KERNEL_NAME_RULES_H
#define REPORT_NAME_KERNEL_NAME_RULES_H

#include "report/name/kernel_name.h"

#include <stddef.h>

/* Letters and digits between two underscores, lent from the name. */
struct word {
	const char *text;
	size_t n;
};

/* Reads a word and steps over the underscore behind it. Empty at the end, or where another
 * character than an underscore ends the name. */
struct word word_next(const char **at);
bool word_is(struct word w, const char *text);
bool word_starts(struct word w, const char *prefix);
bool word_among(struct word w, const char *const *list); /* ends with NULL */

/* One to three numbers with x between them, from the character `skip` to the word's end; how many,
 * 0 when there is anything else. */
int word_numbers(struct word w, size_t skip, struct word number[3]);

void kernel_name_add(
	struct kernel_name *k, enum kernel_part part, const char *value, size_t length);
void kernel_name_text(struct kernel_name *k, enum kernel_part part, const char *value);

/* The grammars; `at` is where the family's start was found. */
void decode_nvjet(struct kernel_name *k, const char *at);
void decode_xmma(struct kernel_name *k, const char *at);
void decode_cublas(struct kernel_name *k, const char *at);
void decode_cutlass(struct kernel_name *k, const char *at);
void decode_splitk(struct kernel_name *k, const char *at);
void decode_vector(struct kernel_name *k, const char *at);
void decode_triton(struct kernel_name *k, const char *at);
void decode_aten(struct kernel_name *k, const char *at);
void decode_fmha(struct kernel_name *k, const char *at);
void decode_flash(struct kernel_name *k, const char *at);
void decode_cudnn(struct kernel_name *k, const char *at);
void decode_tracebook(struct kernel_name *k, const char *at);

#endif
