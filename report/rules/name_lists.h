/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_lists.h - operators that rules ask for row by row: which list a name is on is told once for
 * each name of a trace, not for each row.
 */
#ifndef REPORT_RULES_NAME_LISTS_H
#define REPORT_RULES_NAME_LISTS_H

#include "base/arena.h"
#include "base/names.h"

#define NAMES_OF_MAKERS \
	"aten::ones", "aten::zeros", "aten::full", "aten::arange", "aten::tril", "aten::triu", \
		"aten::eye", "aten::linspace", "aten::randn", "aten::rand", "aten::randint", \
		"aten::randperm", "aten::scalar_tensor", "aten::normal_", "aten::uniform_", \
		"aten::random_", "aten::zeros_like", "aten::ones_like", "aten::full_like", \
		"aten::rand_like", "aten::randn_like", "aten::randint_like", "aten::bernoulli_"

enum name_list {
	NAMES_MAKERS, /* make a tensor of nothing, or fill one that is there */
	NAMES_JOINS, /* make one of several, or of a part */
	NAMES_STARTS, /* the same, of constants: chains begin with them */
	NAMES_PARTS, /* give a part of what they take */
	NAMES_ALIKE, /* give as many elements as what they take */
	NAMES_AS_FIRST, /* give as many as their first input has */
	NAMES_UPLOADS, /* copy, perhaps to the device */
	NAMES_VIEWS, /* show a row of a tensor */
	NAMES_WRITES, /* write into a row of a tensor */
	NAMES_PUTS, /* put elements of one tensor into another */
	NAMES_COPY_FIRST, /* write into a copy that they make first, by an operator of its own */
	NAMES_COMPARES, /* say how far two of one size are apart */
	NAMES_REDUCES, /* give fewer numbers than they take */
	NAME_LISTS
};

/* (names.n) a bit for each list that a name is on; the arena owns it. */
uint16_t *name_lists_of(struct arena *arena, const struct names *names);

#endif
